"""Change what a unit sends, and parse its reply, as the unit's robustness relation has it.

A unit without a relation is sent and read as it is. What a reply must be written in (keys,
verdicts) and the marker lines around texts stay: else a test would be one of the format only. A
changed prompt is made from the past run's materials when it is asked, by the seed, and is stored
only with its call.
"""

import re
from copy import copy
from dataclasses import replace

from judges.perturbations.relations import NO_CHANGE, drawing, named
from judges.prompting import materials
from judges.prompting.fill import one_line
from judges.replies.parse import Reason
from judges.replies.quotes import Rated

HELD = "\ue000"  # stands for what stays, while the rest of a prompt is changed; no letter, no space
MARKER_LINE = r"^<<<[A-Z]+$|^[A-Z]+>>>$"
ENTRY, BESIDE = "- ", "  "  # how lines of a history begin, and those that belong to one


def chosen(frozen, key):
    """Return (the Relation, its options as the run froze them)."""
    return named(key), frozen["robustness"]["relations"][key]


def changed(frozen, unit):
    """Change a unit as its relation has it: other questions, texts or lists."""
    if unit.relation in ("", NO_CHANGE):
        return unit
    relation, options = chosen(frozen, unit.relation)
    change = CHANGES.get(relation.acts_on)
    return change(frozen, unit, relation, options) if change else unit


def messages(frozen, unit, method):
    """Return the exact messages of a unit."""
    sent = changed(frozen, unit)
    usual = method.messages(frozen, sent.item, sent.questions, sent.shown, sent.order)
    if unit.relation in ("", NO_CHANGE):
        return usual
    relation, options = chosen(frozen, unit.relation)
    if relation.acts_on != "text":
        return usual
    rng, asked = _drawing(frozen, unit), {question.key for question in unit.questions}
    stays = _what_stays(method.schema(frozen, unit.questions) or {}, asked)
    return [
        message
        | {
            "content": _around(
                stays, message["content"], lambda text: relation.text(text, options, rng)
            )
        }
        for message in usual
    ]


def parse_reply(frozen, unit, method, reply, finish_reason, sent):
    """Return the Verdict of a reply, with its values on the questions' own scales.

    sent: the messages, since a reply may quote what they show.
    """
    questions, relation = unit.questions, None
    if unit.relation not in ("", NO_CHANGE):
        relation, options = chosen(frozen, unit.relation)
    if relation and relation.acts_on == "numbers":
        questions = _rescaled(frozen, questions, relation, options)
    verdict = method.parse_reply(frozen, questions, unit.order, reply, finish_reason, Rated(sent))
    ended = Reason.ENDED.format(finish_reason.strip())
    verdict.reasons = {
        key: ended if reason is Reason.ENDED else reason for key, reason in verdict.reasons.items()
    }
    if relation and relation.acts_on == "numbers":
        verdict.values = {
            key: relation.mapped_back(value, options) if key in scales_of(frozen) else value
            for key, value in verdict.values.items()
        }
    return verdict


def scales_of(frozen):
    """Return {question key: (low, high)} of the scales that relations of numbers change."""
    return frozen["robustness"]["scales"]


def _drawing(frozen, unit):
    return drawing(frozen["robustness"]["seed"], unit.relation, unit.item.key, unit.sample)


def _what_stays(schema, asked):
    """Compile a pattern of what a reply has to be written in, and of marker lines.

    asked: the questions' keys.
    """
    words = sorted(map(re.escape, {*_words_of(schema)}), key=len, reverse=True)
    quoted = "|".join(f'"{word}"' for word in words)
    # A question's key is also named without quotation marks; no verdict is.
    named = schema.get("properties", {}).items()
    keys = [key for key, spec in named if key in asked or spec.get("type") != "string"]
    bare = "|".join(rf"\b{re.escape(key)}\b" for key in sorted(keys, key=len, reverse=True))
    return re.compile("|".join(filter(None, [HELD, MARKER_LINE, quoted, bare])), re.MULTILINE)


def _words_of(schema):
    """Yield names of properties and words to choose from, at any depth."""
    for key, value in schema.get("properties", {}).items():
        yield key
        yield from _words_of(value)
    yield from (word for word in schema.get("enum", ()) if isinstance(word, str))


def _around(pattern, text, change):
    """Change a text around what matches the pattern."""
    held = iter(pattern.findall(text))
    return re.sub(HELD, lambda _: next(held), change(pattern.sub(HELD, text)))


def _rescaled(frozen, questions, relation, options):
    return [
        _with_scale(question, *relation.scale_ends(*scales_of(frozen)[question.key], options))
        if question.key in scales_of(frozen)
        else question
        for question in questions
    ]


def _with_scale(question, low, high):
    rescaled = copy(question)
    vars(rescaled).pop("scale", None)  # a cached property
    spec = question.scale_spec
    labels = spec.get("labels") or []
    # Labels of the points between would name other points.
    rescaled.scale_spec = spec | {
        "low": int(low),
        "high": int(high),
        "labels": [*labels[:1], *labels[-1:]],
    }
    return rescaled


def _numbers(frozen, unit, relation, options):
    """Change the scales, and the ratings of the example."""
    scales = scales_of(frozen)

    def rating(key, value):
        return relation.numbers(value, *scales[key], options)[0] if key in scales else value

    questions = _rescaled(frozen, unit.questions, relation, options)
    made_of = unit.shown and unit.shown.material
    ratings = {key: rating(key, value) for key, value in made_of.ratings.items()} if made_of else {}
    return replace(unit, questions=questions, shown=_shown(unit, ratings=ratings))


def _subject(frozen, unit, relation, options):
    item = copy(unit.item)
    item.text = relation.subject(item.text, options, _drawing(frozen, unit))
    return replace(unit, item=item)


def _aspects(frozen, unit, relation, options):
    return replace(
        unit, questions=relation.entries(unit.questions, options, _drawing(frozen, unit))
    )


def _members(frozen, unit, relation, options):
    rng = _drawing(frozen, unit)
    lists = {
        side: relation.entries(entries, options, rng)
        for side, entries in unit.shown.subject.items()
    }
    return replace(unit, shown=_shown(unit, subject=lists))


def _history(frozen, unit, relation, options):
    """Change the history's entries; what stands around them (a heading, the shows) stays."""
    before, entries, after = entries_of(unit.shown.material.context)
    changed_entries = relation.entries(entries, options, _drawing(frozen, unit))
    lines = [ENTRY + (entry if entry in entries else one_line(entry)) for entry in changed_entries]
    return replace(unit, shown=_shown(unit, context="\n".join([*before, *lines, *after])))


def entries_of(context):
    """Split a history into (lines before, [entry without its mark], lines after)."""
    lines = context.split("\n")
    begin = next(
        (number for number, line in enumerate(lines) if line.startswith(ENTRY)), len(lines)
    )
    end = begin
    entries: list[str] = []
    for line in lines[begin:]:
        if line.startswith(ENTRY):
            entries.append(line.removeprefix(ENTRY))
        elif line.startswith(BESIDE):
            entries[-1] += f"\n{line}"
        else:
            break
        end += 1
    return lines[:begin], entries, lines[end:]


def _shown(unit, **fields):
    """Show beside the item a copy of its material with other fields."""
    if unit.shown is None or unit.shown.material is None:
        return unit.shown
    material = copy(unit.shown.material)
    for name, value in fields.items():
        setattr(material, name, value)
    return materials.show_material(material, unit.shown.texts)


# The lists' order stands with the judgment, so that its reply can be read: checks/robustness.py.
CHANGES = {
    "numbers": _numbers,
    "subject": _subject,
    "aspects": _aspects,
    "members": _members,
    "history": _history,
}
