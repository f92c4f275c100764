"""Explain every column of every exported table; a test fails where a column is missing."""

from pathlib import Path

import yaml

from annotate.design.versions import as_it_was
from annotate.models import Screen

_WRITTEN = yaml.safe_load((Path(__file__).parent / "columns.yaml").read_text(encoding="utf-8"))
OPTIONAL = _WRITTEN.pop("optional")
TABLES = {table: written["columns"] for table, written in _WRITTEN.items()}
NOTES = {table: written["note"] for table, written in _WRITTEN.items()}
EXTRA = "A further column of {}.csv, as it was loaded."


def question_rows(study):
    """Return (name, meaning) of every question, in every known version of the questionnaire."""
    kept = list(study.versions.all())
    if study.questionnaire_version == 1:
        return [(f"question = {q.key}", question_meaning(q)) for q in study.questions.all()]
    present = {question.key: question for question in study.questions.all()}
    every = [
        (version.number, as_it_was(present[entry["key"]], entry))
        for version in kept
        for entry in version.questions
        if entry["key"] in present
    ] + [(study.questionnaire_version, question) for question in present.values()]
    return [
        (f"question = {question.key}, version = {number}", question_meaning(question))
        for number, question in every
    ]


STEPS = {
    Screen.Kind.SCREENER: ("A question of the screener", "Screener"),
    Screen.Kind.BEFORE: ("A question", "Question before the instructions"),
    Screen.Kind.EXIT: ("An exit question", "Exit question"),
}


def exit_meaning(question, step=Screen.Kind.EXIT):
    """Describe a question about the rater in one line; None is one that is no longer asked."""
    gone, what = STEPS[step]
    if question is None:
        return f"{gone} that is no longer asked."
    if question.scale.is_worded:
        values = [value for value, _ in question.scale.points]
        return f"{what}: {question.text} One of: {'; '.join(map(question.words, values))}."
    if not question.scale.points:
        return f"{what}: {question.text} Allowed: {question.scale.allowed}."
    return f"{what}: {question.text} {_scale(question.scale)}"


def question_meaning(question):
    """Describe a question in one line: its text and its scale."""
    over = " (no longer asked)" if question.retired else ""
    return f"Question{over}: {question.text} {_scale(question.scale)}"


def _scale(scale):
    if scale.is_nominal:
        return f"Scale: {scale.allowed}."
    allowed = [] if scale.points else [scale.allowed]
    labels = [f"{value} = {label}" for value, label in scale.points or scale.ends]
    return f"Scale: {'; '.join(allowed + labels)}."


def column_rows(extra):
    """Yield (table, column, meaning) of all tables; extra: {table: names of the study's own}."""
    for table, columns in TABLES.items():
        for column, meaning in columns.items():
            yield table, column, meaning
        for name in extra.get(table, ()):
            yield table, name, EXTRA.format(table)
