"""Prompts that a study brings itself: what may stand in them, and how their versions are kept.

They are filled as the project's own: names after a dollar sign are replaced, nothing is run. Their
names begin with own/, so a prompt that the project ships later never takes their place. Runs read
the text that they froze, never the row.
"""

import hashlib
import re
from string import Template

from django.db import IntegrityError, transaction

from judges.models import Judge, StudyPrompt

LONGEST = 20_000
METHODS = Judge.Method
# What each has to have a place for; without it the judge would not see what it is asked about, or
# could not know how to answer.
NEEDED = {
    METHODS.QUESTIONS: ("aspects", "rules", "keys", "text"),
    METHODS.FIT: ("episode", "words"),
    METHODS.PAIRWISE: ("lists", "keys", "words"),
    METHODS.PROFILE: ("listening",),
    METHODS.RECOMMENDER: ("rated", "k"),
    METHODS.EXTRACTION: ("topics", "text"),
    METHODS.SUPPORT: ("document", "statement", "answer"),
    METHODS.TOPICS: ("reviews", "most"),
}
OPTIONAL = {
    METHODS.QUESTIONS: ("content", "example", "context"),
    METHODS.FIT: ("context", "verdicts"),
    METHODS.PAIRWISE: ("context", "dimensions", "verdicts"),
    METHODS.PROFILE: (),
    METHODS.RECOMMENDER: ("user", "low", "high", "word"),
    METHODS.EXTRACTION: (),
    METHODS.SUPPORT: (),
    METHODS.TOPICS: (),
}
MEANINGS = {
    "aspects": "the questions, one a line",
    "rules": "a sentence about their scales",
    "keys": "the keys of the reply",
    "text": "the text of the item",
    "content": "what was recommended, in one line",
    "example": "another item with its ratings",
    "context": "the recipient’s profile or history",
    "episode": "the recommendation",
    "lists": "the two lists",
    "listening": "what the recipient listened to",
    "rated": "what the recipient rated: titles with ratings, in one line",
    "k": "how many recommendations are asked for",
    "user": "the recipient’s id",
    "low": "the lowest rating",
    "high": "the highest rating",
    "word": "what a content is called: movie",
    "topics": "the topics, one a line with what belongs to each",
    "reviews": "the reviews of a sample, one a line",
    "most": "how many topics are asked for",
    "document": "what supports the statement, or not",
    "statement": "the text of the item",
    "answer": "how to reply: by one character, or by JSON where the endpoint keeps a schema",
    "dimensions": "what the lists are compared in",
    "verdicts": "the verdicts with what they mean",
    "words": "the verdicts, as the reply writes them",
}
# Lists, examples and contexts bring marker lines of their own.
FENCED = ("text", "episode", "listening", "document", "statement", "reviews")
FENCE = re.compile(
    r"^<<<(?P<mark>[A-Z]+)\n\$(?:\{(?P<in>[a-z]+)\}|(?P<bare>[a-z]+))\n(?P=mark)>>>$", re.MULTILINE
)
NO_FENCE = (
    "${0} has to stand alone between a line <<<NAME and a line NAME>>> (capital letters), so that "
    "no text can end it"
)
OPEN_TITLE = (
    "$content stands outside marker lines, so that a judge may take a title that speaks to it for "
    "words of the prompt; put it alone between lines <<<RECOMMENDATION and RECOMMENDATION>>>"
)
NO_JSON = "it has to ask for JSON, in that word: replies are read as JSON"


class Stale(Exception):
    """Somebody else saved the prompt since it was read."""


def normal(text):
    """The text with plain line ends, as it is kept."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def allowed(method):
    """The placeholders of a method, needed ones first."""
    return [*NEEDED[METHODS(method)], *OPTIONAL[METHODS(method)]]


def problems_of(text, method):
    """[(line or None, what is wrong)] of a prompt's text."""
    if len(text) > LONGEST:
        return [(None, f"found {len(text):,} characters; allowed are {LONGEST:,}")]
    places, found = _placeholders(text, method)
    needed = [name for name in NEEDED[METHODS(method)] if name not in places]
    found += [(None, f"${name} is missing: {MEANINGS[name]}") for name in needed]
    found += [(line, NO_FENCE.format(name)) for line, name in _unfenced(text, places, FENCED)]
    if "JSON" not in text and METHODS(method) not in (METHODS.RECOMMENDER, METHODS.SUPPORT):
        found.append((None, NO_JSON))
    return found


def warnings_of(text, method):
    """[(line, what to look at)] of a prompt that may be used all the same.

    Earlier prompts of the project have such a place, so a study's own may have it too.
    """
    places, _ = _placeholders(text, method)
    return [(line, OPEN_TITLE) for line, _ in _unfenced(text, places, ("content",))]


def _unfenced(text, places, names):
    """[(line, name)] of the places of these names that marker lines are not around."""
    fenced = {match.start("in") for match in FENCE.finditer(text)}
    fenced |= {match.start("bare") for match in FENCE.finditer(text)}
    return [
        (_line(text, at), name) for name in names for at in places.get(name, ()) if at not in fenced
    ]


def _placeholders(text, method):
    """{name: [where its letters begin]}, and what stands there that is no placeholder."""
    places: dict[str, list[int]] = {}
    found, names = [], allowed(method)
    there = ", ".join(f"${name}" for name in names)
    for match in Template.pattern.finditer(text):
        group = "named" if match["named"] else "braced"
        name = match[group]
        if match["invalid"] is not None:
            line = _line(text, match.start())
            found.append((line, "found a $ without a name; write $$ for a dollar sign"))
        elif name and name not in names:
            line = _line(text, match.start())
            found.append((line, f"found {match.group()}; allowed are {there}"))
        elif name:
            places.setdefault(name, []).append(match.start(group))
    return places, found


def _line(text, at):
    return text.count("\n", 0, at) + 1


def in_words(problems):
    """One sentence a problem."""
    return [f"Line {line}: {what}." if line else f"{_upper(what)}." for line, what in problems]


def _upper(words):
    return words[:1].upper() + words[1:]


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def of_study(study_id):
    """The study's prompts, all versions."""
    return StudyPrompt.objects.filter(study=study_id)


def newest(study_id, name):
    """The newest version of that name, or None."""
    return of_study(study_id).filter(name=name).order_by("-version").first()


def save_new(study, name, method, text, user):
    """The first version of a new name; None where the name is taken."""
    try:
        with transaction.atomic():
            return StudyPrompt.objects.create(
                study=study, name=name, method=method, text=text, created_by=user
            )
    except IntegrityError:
        return None


def save_version(prompt, text, base, user):
    """The text as the next version, or in place of one that no run has used.

    base: sha256 of the text that the user began from; Stale where it is not the newest any more.
    """
    with transaction.atomic():
        # A run that begins to use it waits, and finds the new text; or it was first.
        versions = of_study(prompt.study_id).filter(name=prompt.name).select_for_update()
        last = versions.order_by("-version").first()
        if last is None or sha256(last.text) != base:
            raise Stale
        if last.text == text:
            return last
        if last.is_frozen:
            last = StudyPrompt(
                study_id=last.study_id,
                name=last.name,
                method=last.method,
                version=last.version + 1,
            )
        last.text, last.created_by, last.written_by = text, user, {}
        last.save()
    return last


def freeze(study_id, key, digest):
    """In the transaction that plans a run: whether the version has that text, and for ever."""
    every = {prompt.key: prompt for prompt in of_study(study_id).select_for_update()}
    prompt = every.get(key)
    if prompt is None or sha256(prompt.text) != digest or prompt.sha256 not in ("", digest):
        return False
    if not prompt.sha256:
        prompt.sha256 = digest
        prompt.save(update_fields=["sha256"])
    return True
