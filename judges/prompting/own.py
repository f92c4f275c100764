"""Keep a study's own prompts: what may stand in them, and how their versions are stored.

They are filled as the project's own: names after a dollar sign are replaced, nothing is run. Their
names begin with own/, so a prompt that the project ships later never takes their place. Runs read
the text that they froze, never the row.
"""

import hashlib
import re
from string import Template

from django.db import IntegrityError, transaction

from judges.models import StudyPrompt

LONGEST = 20_000
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
    """Raised when somebody else saved the prompt since it was read."""


def allowed(method):
    """List the placeholders of a method, required ones first."""
    return [*method.needed_places, *method.optional_places]


def problems_of(text, method):
    """Return [(line or None, what is wrong)] of a prompt's text."""
    if len(text) > LONGEST:
        return [(None, f"found {len(text):,} characters; allowed are {LONGEST:,}")]
    places, problems = _placeholders(text, method)
    needed = [name for name in method.needed_places if name not in places]
    problems += [(None, f"${name} is missing: {MEANINGS[name]}") for name in needed]
    problems += [(line, NO_FENCE.format(name)) for line, name in _unfenced(text, places, FENCED)]
    if "JSON" not in text and method.asks_for_json:
        problems.append((None, NO_JSON))
    return problems


def warnings_of(text, method):
    """Return [(line, what to look at)] of a prompt that may be used all the same.

    Earlier prompts of the project have such a place, so a study's own may have it too.
    """
    places, _ = _placeholders(text, method)
    return [(line, OPEN_TITLE) for line, _ in _unfenced(text, places, ("content",))]


def _unfenced(text, places, names):
    """Return [(line, name)] where these placeholders stand outside marker lines."""
    fenced = {match.start("in") for match in FENCE.finditer(text)}
    fenced |= {match.start("bare") for match in FENCE.finditer(text)}
    return [
        (_line(text, place), name)
        for name in names
        for place in places.get(name, ())
        if place not in fenced
    ]


def _placeholders(text, method):
    """Return {name: [where its letters begin]}, and the problems with other $ signs."""
    places: dict[str, list[int]] = {}
    problems, names = [], allowed(method)
    there = ", ".join(f"${name}" for name in names)
    for match in Template.pattern.finditer(text):
        group = "named" if match["named"] else "braced"
        name = match[group]
        if match["invalid"] is not None:
            line = _line(text, match.start())
            problems.append((line, "found a $ without a name; write $$ for a dollar sign"))
        elif name and name not in names:
            line = _line(text, match.start())
            problems.append((line, f"found {match.group()}; allowed are {there}"))
        elif name:
            places.setdefault(name, []).append(match.start(group))
    return places, problems


def _line(text, place):
    return text.count("\n", 0, place) + 1


def in_words(problems):
    """Write each problem as one sentence."""
    return [f"Line {line}: {what}." if line else f"{_upper(what)}." for line, what in problems]


def _upper(words):
    return words[:1].upper() + words[1:]


def sha256(text):
    """Hash the text of a prompt."""
    return hashlib.sha256(text.encode()).hexdigest()


def of_study(study_id):
    """Select all versions of a study's prompts."""
    return StudyPrompt.objects.filter(study=study_id)


def newest(study_id, name):
    """Return the newest version of a prompt's name, or None."""
    return of_study(study_id).filter(name=name).order_by("-version").first()


def save_new(study, name, method, text, user):
    """Create the first version of a new name; None if the name is taken."""
    try:
        with transaction.atomic():
            return StudyPrompt.objects.create(
                study=study, name=name, method=method, text=text, created_by=user
            )
    except IntegrityError:
        return None


def save_version(prompt, text, base, user):
    """Save the text as the next version, or in place of a version that no run has used.

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
    """Freeze a version that still has this text for a run; return whether it does."""
    every = {prompt.key: prompt for prompt in of_study(study_id).select_for_update()}
    prompt = every.get(key)
    if prompt is None or sha256(prompt.text) != digest or prompt.sha256 not in ("", digest):
        return False
    if not prompt.sha256:
        prompt.sha256 = digest
        prompt.save(update_fields=["sha256"])
    return True
