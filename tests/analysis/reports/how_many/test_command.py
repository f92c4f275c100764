"""manage.py plan: three formats, the options of the page, clear refusals."""

import csv
import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

KEYS = ["use", "rho", "judge", "raters_per_item", "items", "ratings", "sessions", "cost", "power"]


def plan(*arguments):
    out = StringIO()
    call_command("plan", *arguments, stdout=out)
    return out.getvalue()


def test_the_worked_plan_as_json():
    whole = json.loads(plan("--format", "json"))
    rows = whole["rows"]
    assert [list(row) for row in rows] == [KEYS] * 4
    assert [row["raters_per_item"] for row in rows] == [2, 3, 4, 5]
    three = rows[1]
    assert (three["use"], three["rho"], three["judge"]) == ("rate_items", 0.3, "equal")
    assert (three["items"], three["ratings"], three["sessions"]) == (321, 963, 97)
    assert three["cost"] == pytest.approx(129.33, abs=0.005)
    assert whole["notes"][0].startswith("454 items with 2 ratings each decide")
    assert whole["options"]["session_items"] == 10


def test_csv_has_blank_cells_where_nothing_can_be_shown():
    rows = list(csv.DictReader(StringIO(plan("--rho", "poor", "--format", "csv"))))
    assert list(rows[0]) == KEYS
    assert {(row["items"], row["cost"], row["power"]) for row in rows} == {("", "", "")}


def test_text_is_a_table_and_the_answer():
    text = plan()
    assert text.splitlines()[0].split() == KEYS
    assert "454 items with 2 ratings each decide: 908 ratings" in text
    assert "no number of items is enough" in plan("--judge", "0.1")


def test_every_option_reaches_the_plan():
    given = {
        "use": "compare_systems",
        "rho": 0.4,
        "judge": 0.8,
        "retention": "1/2",
        "scale": "range",
        "answers": "one_end",
        "scale_range": 10.0,
        "session_items": 12,
        "item_seconds": 30.0,
        "hourly_pay": 11.5,
        "fee": 25.0,
        "cluster_items": 4,
        "systems": 3,
        "known": 0.4,
        "power": 0.9,
    }
    flags = [
        text
        for name, value in given.items()
        for text in (f"--{name.replace('_', '-')}", str(value))
    ]
    assert json.loads(plan(*flags, "--format", "json"))["options"] == given


@pytest.mark.parametrize(
    ("flag", "value", "words"),
    [
        ("--rho", "1.2", "rho: Ensure this value is less than or equal to 1"),
        ("--rho", "some", "rho: Use poor, fair, usual, good, or a number."),
        ("--judge", "best", "judge: Use equal, or a number."),
        ("--power", "1", "power: "),
        ("--cluster-items", "0", "cluster_items: "),
    ],
)
def test_bad_input_is_named(flag, value, words):
    with pytest.raises(CommandError, match=words):
        plan(flag, value)
