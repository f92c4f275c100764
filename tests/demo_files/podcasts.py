"""Write a study of podcast episodes and of lists of them, as P3 asks about them. Nobody was asked.

Each listener likes three topics, and gets the lists of two of three recommenders: one goes by these
topics, one by how popular an episode is, one by chance. The listener and two others rate every
episode and say which list fits better. One simulated judge sees what the listener likes, the other
sees it less well, as from what they have heard.
"""

from datetime import UTC, datetime, timedelta
from itertools import permutations

from tests.demo_files.simulate import on_scale
from tests.demo_files.written_parts import chance, read_part

LISTENERS, LIKED, LENGTH, HEARD = 60, 3, 3, 8
TASTE, POPULAR, CHANCE = "by-taste", "by-popularity", "by-chance"
PAIRS = list(permutations((TASTE, POPULAR, CHANCE), 2))  # the systems of lists A and B, in turn
OTHERS = [f"simulated-other-{number}" for number in range(1, 7)]
FIT, BETTER = "episode-fit", "better-list"
LIKES, DISLIKES = 3.8, 2.7  # mean answer about an episode of a topic that is liked, or not
SD_TOPIC, SD_EPISODE, SD_RATER, SD_ANSWER = 0.6, 0.8, 0.3, 0.7
SD_PROFILE, SD_HISTORY = 0.5, 1.3  # how far the two judges stray from what they see
TIE = 0.25  # lists whose mean answers are nearer than this fit equally well
JUDGES = {
    "Simulated judge with the profile": SD_PROFILE,
    "Simulated judge with the history": SD_HISTORY,
}
START = datetime(2025, 5, 5, 7, 30, tzinfo=UTC)


def tables():
    """Return {name of a file: its rows}."""
    lists = [(listener, *_drawn(listener)) for listener in _listeners()]
    return {
        "contents": list(_contents()),
        "interactions": [row for listener, heard, _ in lists for row in _heard(listener, heard)],
        "items": [row for listener, _, sides in lists for row in _items(listener, sides)],
        "ratings": [row for listener, _, sides in lists for row in _ratings(listener, sides)],
        "judgments": [row for listener, _, sides in lists for row in _judgments(listener, sides)],
    }


def _listeners():
    return [f"listener-{number:02}" for number in range(1, LISTENERS + 1)]


def _episodes():
    """Return {id: (topic, place by popularity within the topic, title, description)}."""
    return {
        f"{topic}-{place}": (topic, place, title, description)
        for topic, written in read_part("podcasts").items()
        for place, (title, description) in enumerate(written["episodes"].items(), start=1)
    }


def _contents():
    topics = read_part("podcasts")
    for key, (topic, _, title, description) in _episodes().items():
        show, genre = topics[topic]["show"], topics[topic]["says"]
        yield {
            "content": key,
            "title": title,
            "show": show,
            "topics": genre,
            "description": description,
        }


def _likes(listener):
    return chance(f"podcasts likes {listener}").sample(list(read_part("podcasts")), LIKED)


def _drawn(listener):
    """Return what a listener has heard, and {side: (system, episodes)}: no episode twice."""
    draw, episodes, liked = chance(f"podcasts lists {listener}"), _episodes(), _likes(listener)
    own = [key for key in episodes if episodes[key][0] in liked]
    heard = draw.sample(own, HEARD - 2)
    heard += draw.sample([key for key in episodes if key not in own], 2)
    systems, sides = PAIRS[_listeners().index(listener) % len(PAIRS)], {}
    for side, system in zip("AB", systems, strict=True):
        taken = {*heard, *(key for _, chosen in sides.values() for key in chosen)}
        left = [key for key in (own if system == TASTE else episodes) if key not in taken]
        draw.shuffle(left)
        if system == POPULAR:
            left.sort(key=lambda key: episodes[key][1])
        sides[side] = system, left[:LENGTH]
    return heard, sides


def _heard(listener, heard):
    draw = chance(f"podcasts hears {listener}")
    moment = START - timedelta(days=40 + draw.randint(0, 20))
    for key in heard:
        moment += timedelta(days=1 + draw.randint(0, 4), minutes=draw.randint(0, 600))
        share = round(min(1, max(0.05, _expected(listener, key) / 5 + draw.gauss(0, 0.1))), 2)
        yield {
            "recipient": listener,
            "content": key,
            "share_listened": share,
            "at": f"{moment:%Y-%m-%dT%H:%M:%SZ}",
        }


def _items(listener, sides):
    blank = {"content": "", "system": "", "parent": "", "side": "", "position": ""}
    pair = f"{listener}-lists"
    yield {"item": pair, "kind": "list_pair", "recipient": listener, **blank}
    for side, (system, episodes) in sides.items():
        for position, key in enumerate(episodes, start=1):
            yield {
                "item": f"{listener}-{side.lower()}{position}",
                "kind": "recommendation",
                "recipient": listener,
                "content": key,
                "system": system,
                "parent": pair,
                "side": side,
                "position": position,
            }


def _expected(listener, key):
    """Return the mean answer of all raters about an episode for a listener."""
    topic = key.rpartition("-")[0]
    mean = LIKES if topic in _likes(listener) else DISLIKES
    mean += chance(f"podcasts topic {listener} {topic}").gauss(0, SD_TOPIC)
    return mean + chance(f"podcasts episode {listener} {key}").gauss(0, SD_EPISODE)


def _ratings(listener, sides):
    """Yield the ratings of the listener and of two others, in turn."""
    number = _listeners().index(listener)
    raters = {f"simulated-{listener}": "recipient"}
    raters |= {OTHERS[(2 * number + step) % len(OTHERS)]: "third_party" for step in range(2)}
    for rater, role in raters.items():
        draw = chance(f"podcasts {rater} rates {listener}")
        lenient = chance(f"podcasts {rater}").gauss(0, SD_RATER)
        for answer in _answers(listener, sides, draw, lenient, SD_ANSWER):
            yield {"rater": rater, "role": role, **answer}


def _judgments(listener, sides):
    for judge, sd in JUDGES.items():
        draw = chance(f"podcasts judges {judge} {listener}")
        for answer in _answers(listener, sides, draw, 0, sd):
            yield {"judge": judge, **answer}


def _answers(listener, sides, draw, lenient, sd):
    """Yield what somebody answers who strays so far from the mean answers."""
    seen = {
        side: [_expected(listener, key) + lenient + draw.gauss(0, sd) for key in episodes]
        for side, (_, episodes) in sides.items()
    }
    for side, values in seen.items():
        for position, value in enumerate(values, start=1):
            item = f"{listener}-{side.lower()}{position}"
            yield {"item": item, "question": FIT, "value": on_scale(value)}
    ahead = (sum(seen["A"]) - sum(seen["B"])) / LENGTH
    better = "tie" if abs(ahead) < TIE else "A" if ahead > 0 else "B"
    yield {"item": f"{listener}-lists", "question": BETTER, "value": better}
