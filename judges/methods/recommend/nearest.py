"""Recommend the contents whose attributes are nearest to those of the contents that one likes."""

import math
from collections import Counter, defaultdict

SAME = 12  # digits to which similarities are compared, so that equal ones are


def rank_nearest(liked, attributes, length, rng):
    """Rank contents by the similarity of their attributes to those of liked contents.

    A content is the vector of its attributes, each weighted by its inverse document frequency
    log(N / n) and the whole scaled to length 1; what is liked is the sum of such vectors, and the
    similarity is their cosine, up to a constant. Contents that share no telling attribute with what
    is liked are left out.

    liked: keys of contents, which are not recommended. attributes: {key of a content: its
    attributes}, of all N contents. rng draws the order of contents that are equally similar.
    Returns up to `length` keys, the most similar first.

    Source: Pazzani and Billsus (2007), Content-based recommendation systems, in The Adaptive Web,
    sections 10.2 and 10.4.
    """
    weights = _weights(attributes)
    profile: dict = defaultdict(float)
    for key in liked:
        for name, weight in _unit_vector(attributes.get(key, ()), weights).items():
            profile[name] += weight
    similarities = {
        key: round(_dot(profile, _unit_vector(names, weights)), SAME)
        for key, names in attributes.items()
        if key not in liked
    }
    near = sorted(key for key, similarity in similarities.items() if similarity > 0)
    rng.shuffle(near)
    return sorted(near, key=lambda key: -similarities[key])[:length]


def _weights(attributes):
    counts = Counter(name for names in attributes.values() for name in set(names))
    return {name: math.log(len(attributes) / count) for name, count in counts.items()}


def _unit_vector(names, weights):
    vector = {name: weights[name] for name in set(names)}
    size = math.hypot(*vector.values())
    return {name: weight / size for name, weight in vector.items()} if size else {}


def _dot(profile, vector):
    return math.fsum(profile[name] * weight for name, weight in vector.items() if name in profile)


def attributes_of(content, columns):
    """Return the attributes of a content: (column, value) of these extra columns, or its show.

    A value is a list, or a text in which | stands between several.
    """
    attributes = set()
    for column in columns:
        value = content["show"] if column == "show" else (content["data"] or {}).get(column)
        parts = value if isinstance(value, list) else str(value or "").split("|")
        attributes |= {(column, str(part).strip().lower()) for part in parts if str(part).strip()}
    return attributes
