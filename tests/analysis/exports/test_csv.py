"""Lines of CSV are those of Python's csv module, whoever wrote them."""

import csv
import json
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from io import StringIO

import pytest

from analysis.exports import write
from analysis.exports.csv import csv_line
from annotate.models import Rater, Session
from annotate.models.rating import SURPLUS
from annotate.values.formulas import guarded
from tests import factories

CELLS = [
    "",
    " ",
    "plain",
    "a,b",
    'say "so"',
    "two\nlines",
    "one\rline",
    "a\r\nb",
    "ä€😀",
    ",",
    '"',
    "\\.",
    "\x0b",
    0,
    4,
    -3,
    4.0,
    0.1,
    1e-05,
    1e22,
    1 / 3,
    None,
    Decimal("0.00000012"),
]
NUMBERS = [
    4.0,
    0.5,
    1 / 3,
    -2.0,
    1e9,
    -1e9,
    999_999_999.5,
    1e-5,
    0.0001,
    1.5e-7,
    5e-324,
    -0.0,
    0.1 + 0.2,
    123456.789,
]
NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
TIMES = [
    NOON,
    NOON + timedelta(microseconds=5),
    NOON + timedelta(milliseconds=500),
    None,
    NOON.astimezone(timezone(timedelta(hours=-7))),
    NOON.replace(year=1970, month=12),
]

STATES = [Session.State.COMPLETED, Session.State.RATING]


def by_the_csv_module(rows):
    text = StringIO()
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue()


def test_every_cell_is_written_as_the_csv_module_writes_it():
    for cell in CELLS:
        assert csv_line(["x", cell, cell]) == by_the_csv_module([["x", cell, cell]]), cell


@pytest.mark.parametrize("text", ["a;b", ";", "tab\tinside", "\t"])
def test_a_cell_with_another_separator_is_quoted(text):
    assert csv_line(["x", text]) == f'x,"{guarded(text)}"\r\n'


def as_cell(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return guarded(value) if isinstance(value, str) else value


@pytest.mark.django_db
def test_numbers_and_times_of_the_database_are_written_as_python_writes_them():
    study = factories.make_study()
    question = study.questions.first()
    session = factories.make_session(study, 'a,"n"')
    for at, value in enumerate(NUMBERS):
        item = factories.make_item(study, f"item, {at}", recipient=None)
        seconds = None if value < 0 else value
        times = {"answered_at": TIMES[at % len(TIMES)]}
        factories.make_rating(session, item, question, value, seconds=seconds, **times)
    lines = "".join(write.pieces(study, "scores", "csv"))
    rows = [
        json.loads(line)
        for line in "".join(write.pieces(study, "scores", "jsonl")).split("\n")
        if line
    ]
    assert [row["value"] for row in rows] == NUMBERS
    assert lines == by_the_csv_module(
        [list(rows[0]), *(map(as_cell, row.values()) for row in rows)]
    )
    assert ",4,,4.0,,2026-01-31T12:00:00+00:00,,false," in lines
    assert ",0.5,,0.5,,2026-01-31T12:00:00.000005+00:00,,false," in lines


HOSTILE = [
    "=1+1",
    "'=1",
    "''-",
    "'tis",
    "@x",
    "+",
    '-,"',
    'say "so"',
    "a,b",
    "two\nlines",
    "a\r\nb",
    "\tx",
    "x;=1",
    "\rx",
    " =1",
    "",
    "'",
    "''",
    "\\.",
    "\\n",
    "ä€😀",
    "{x}%s",
]


@pytest.mark.django_db
def test_a_hostile_study_leaves_as_the_csv_module_writes_it():
    study = factories.make_study(items=0)
    questions = list(study.questions.all())[:2]
    for at, text in enumerate(HOSTILE):
        links = {name: f"{text}{at}" if at % 3 else None for name in ("recipient", "content")}
        item = factories.make_item(study, f"{text}{at}", system=f"{text}{at}", **links)
        why = text if at % 2 else ""
        session = factories.make_session(study, f"{text} {at}", state=STATES[at % 2])
        Rater.objects.filter(pk=session.rater.pk).update(excluded_because=why)
        on_web = factories.make_session(study, f"web {text} {at}", source=Session.Source.WEB)
        for who in (session, on_web):  # answers on the web have no place: they are surplus
            for question in questions:
                said = {"reason": text, "first_side": "AB"[at % 2], "seconds": at / 7}
                factories.make_rating(who, item, question, at % 5 + 1, answered_at=NOON, **said)
    judge = factories.make_judge(study, "=judge")
    answers = {(item, question): 4 for item in study.items.all() for question in questions}
    factories.make_judgments(judge, answers)
    lines = "".join(write.pieces(study, "scores", "csv"))
    rows = "".join(write.pieces(study, "scores", "jsonl")).split("\n")[:-1]
    rows = [json.loads(row) for row in rows]
    assert len(rows) == len(HOSTILE) * 2 * 3
    assert {row["exclusion_reason"] for row in rows} > {SURPLUS, "'=1"}
    expected = by_the_csv_module([list(rows[0]), *(map(as_cell, row.values()) for row in rows)])
    # A tab is quoted too.
    assert by_the_csv_module(csv.reader(StringIO(lines, newline=""))) == expected


@pytest.mark.django_db
def test_a_choice_is_written_by_its_label_and_no_label_acts(django_assert_num_queries):
    study = factories.make_study(items=1)
    side = factories.make_question(study, "side", {"choice": ["A, “B”", "=2", "3", "2"]})
    for place in range(1, 5):
        session = factories.make_session(study, f"rater-{place}")
        factories.make_rating(session, study.items.get(), side, place)
    with django_assert_num_queries(5):
        scores = "".join(write.pieces(study, "scores", "csv"))
    values = [row["value"] for row in csv.DictReader(StringIO(scores))]
    assert values == ["A, “B”", "'=2", "3", "2"]
