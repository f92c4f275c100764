"""What the alternative annotator test says, beside the verdict: the same as its own report."""

from math import isnan

import numpy as np
import pytest

from analysis.figures.looks import Looks
from analysis.reports.registry import REPORTS
from analysis.reports.verdict.baselines import BASELINE, CONSTANT
from annotate.models import Rater, Rating
from tests import factories
from tests.analysis.reports.verdict.test_report import add_judge, crowd, rows_of  # noqa: F401
from tests.analysis.reports.verdict.test_substitution import make_worked
from tests.analysis.small import build, load_hanna

pytestmark = pytest.mark.django_db


def make_pair(first, second, scale="likert5", slug="films", **judges):
    """Items that stand alone, each with a rating by two raters, and judges of them."""
    study = factories.make_study(slug, questions={})
    question = factories.make_question(study, "q", scale)
    items = [factories.make_item(study, f"i{n}", None, None, None) for n in range(len(first))]
    for name, values in (("r1", first), ("r2", second)):
        session = factories.make_session(study, name)
        factories.make_ratings(
            session, ((item, question, v) for item, v in zip(items, values, strict=True))
        )
    for name, values in judges.items():
        add_judge(study, name, values)
    return study


def assert_same_as_its_own_report(study, report):
    rows, role = rows_of(report), report.options["reference"]
    own = build(study, "substitution", reference=role).rows
    assert own
    for row in own:
        mine = rows[row["evaluator"], row["question"]]
        assert mine["winning_rate"] == pytest.approx(row["winning_rate"], nan_ok=True), row
        words = {True: "yes", False: "no", None: ""}[row["passes"]]
        assert mine["published_test"] == words, row


def test_a_study_worked_by_hand():
    """24 items rated 1 and 3, 6 items rated 3 and 3; epsilon .1, two p-values.

    mixed says 3, then 1: to the first rater d is -1 24 times and 1 6 times, mean -.6, se .1486,
    t = -4.71, rejected; to the second 0 24 times and 1 6 times, mean .2: above epsilon.
    always 3: to the first rater d is -1 24 times, else 0, mean -.8; to the second always 0, below
    epsilon without variance. always 5: farther or equal for both.
    """
    study = make_pair(
        [1] * 24 + [3] * 6,
        [3] * 30,
        mixed=[3] * 24 + [1] * 6,
        always=[3] * 30,
        far=[5] * 30,
    )
    report = build(study, "verdict")
    rows = {name: row for (name, _), row in rows_of(report).items()}
    rates = {name: (row["winning_rate"], row["published_test"]) for name, row in rows.items()}
    assert rates == {"mixed": (0.5, "yes"), "always": (1, "yes"), "far": (0, "no")}
    assert rows_of(report, kind=BASELINE)[CONSTANT, "q"]["winning_rate"] == 1
    assert {row["answer"] for row in rows.values()} <= {"no", "people_disagree", "not_yet"}
    (note,) = [note for note in report.notes if note.startswith("The published test")]
    assert note == (
        "The published test (third_party; ω ≥ 0.5 at ε = 0.1) says yes where the verdict does not: "
        "“mixed” (“q”); “always” (“q”). It asks who is closer to the other raters of an item, a "
        "judge or a rater; the verdict asks what a judge tells about their answers. Giving always "
        "the most frequent answer passes it too (“q”)."
    )


def test_hanna_has_the_winning_rates_of_the_test_s_own_report(shared_data):
    study = load_hanna(shared_data / "hanna")
    report = build(study, "verdict")
    assert_same_as_its_own_report(study, report)
    words = [row["published_test"] for row in rows_of(report).values()]
    assert {"yes", "no"} <= set(words)


@pytest.mark.parametrize("role", [Rater.Role.THIRD_PARTY, Rater.Role.EXPERT])
def test_a_crowd_has_them_too_by_the_head_start_of_its_role(crowd, role):  # noqa: F811
    Rater.objects.update(role=role)
    assert_same_as_its_own_report(crowd, build(crowd, "verdict"))


def test_choices_and_shares_of_yes_are_compared_as_labels():
    choice = make_worked({"choice": ["a", "b", "c", "d", "e"]})
    assert_same_as_its_own_report(choice, build(choice, "verdict"))
    rng = np.random.default_rng(3)
    people, share = rng.integers(0, 2, (2, 40)), rng.random(40)
    binary = make_pair(*people, scale="binary", slug="binary", share=share)
    assert_same_as_its_own_report(binary, build(binary, "verdict"))


def test_the_page_says_so_only_where_the_test_and_the_verdict_differ(crowd):  # noqa: F811
    report = build(crowd, "verdict", named="good")
    tables = REPORTS["verdict"].layout(report, "q", Looks(["good"])).tables
    (table,) = [table for table in tables if "the numbers of judges" in table.caption]
    column = table.headings.index("Published test ω")
    cells = {name: cells[column] for name, cells in table.lines}
    rows = {name: row for (name, _), row in rows_of(report).items()}
    assert (rows["good"]["answer"], cells["good"]) == ("yes", ".17, says no")
    assert (rows["reversed"]["answer"], cells["reversed"]) == ("no", ".00")
    (note,) = [note for note in report.notes if "where the verdict says yes: “good” (“q”)." in note]
    assert note.startswith("The published test (third_party; ω ≥ 0.5 at ε = 0.1) says no where ")


def test_where_there_is_no_test_a_note_says_why(crowd):  # noqa: F811
    assert isnan(rows_of(build(crowd, "verdict"))["percent", "q"]["winning_rate"])
    notes = " ".join(build(crowd, "verdict").notes)
    assert "was not made (a scale of its own): “percent” (“q”)." in notes
    items = list(crowd.items.order_by("pk")[:20])
    Rating.objects.exclude(item__in=items).delete()
    report = build(crowd, "verdict")
    assert {row["published_test"] for row in rows_of(report).values()} == {""}
    assert "(no rater has 30 items that another rater rated too): " in " ".join(report.notes)
