"""A check that could not be made is said wherever its yes is: words, summary, matrix, notes."""

import pytest

from analysis.reports.verdict.page import LADDERS, MATRIX, _matrix
from analysis.reports.verdict.sentences import RATE, simulation_notes
from annotate.models import Recipient
from tests.analysis.reports.verdict.test_report import crowd, reason_of, rows_of  # noqa: F401
from tests.analysis.small import build

pytestmark = [pytest.mark.django_db, pytest.mark.filterwarnings("error::RuntimeWarning")]


@pytest.fixture
def crossed(crowd):  # noqa: F811
    """The crowd's items belong to thirty recipients; a content's three items to different ones."""
    recipients = [Recipient.objects.create(study=crowd, key=f"p{n}") for n in range(30)]
    for n, item in enumerate(crowd.items.order_by("pk")):
        item.recipient = recipients[(n + n // 30) % 30]
        item.save()
    return crowd


def matrix_cell(report, judge="good"):
    table = _matrix(report.curves[MATRIX], RATE, "", None)
    return dict(table.lines)[judge][0]


def test_contents_that_cut_across_recipients_are_said_to_be_unchecked(crossed):
    report = build(crossed, "verdict", named="good")
    row = rows_of(report)["good", "q"]
    assert (row["answer"], row["why"]) == ("yes", "content")
    assert "unchecked" in row["warnings"].split()
    assert "Not checked: whether it only knows the content of an item." in reason_of(report, "good")
    assert "(content not checked" in report.verdict[0]
    assert matrix_cell(report).endswith("; content not checked")
    notes = " ".join(report.notes)
    assert "text length or the system alone got a yes in at most 1 % of studies on five" in notes
    assert "Some judge with a yes was not checked for the content: a judge that knows" in notes


def test_where_everything_is_checked_nothing_is_said(crowd):  # noqa: F811
    report = build(crowd, "verdict")
    row = rows_of(report)["good", "q"]
    assert (row["answer"], row["why"], row["warnings"]) == ("yes", "", "")
    assert "not checked" not in matrix_cell(report) + report.verdict[0]
    assert "Not checked" not in reason_of(report, "good")
    assert "text length or the system alone got a yes" in " ".join(report.notes)


def test_only_a_yes_carries_the_warning(crossed):
    rows = rows_of(build(crossed, "verdict"))
    marked = {name for (name, _), row in rows.items() if "unchecked" in row["warnings"].split()}
    assert marked <= {name for (name, _), row in rows.items() if row["answer"] == "yes"}


def test_notes_name_every_check_that_some_yes_was_spared():
    row = {"answer": "yes", "clusters": 30, "rho": 0.2, "why": "", "warnings": ""}
    rows = [row | {"why": why, "warnings": "unchecked"} for why in ("content", "system, content")]
    claim, spared, _ = simulation_notes([row, *rows])
    assert "A constant, chance or text length got a yes in at most 1 % of studies" in claim
    assert spared.startswith("Some judge with a yes was not checked for the content and the system")


def test_texts_and_systems_that_are_not_there_are_said_to_be_unchecked(crowd):  # noqa: F811
    """A judge that counts characters would pass where no text is loaded."""
    crowd.items.update(text="", system=None)
    report = build(crowd, "verdict", named="good")
    row, reason = rows_of(report)["good", "q"], reason_of(report, "good")
    assert (row["answer"], row["why"]) == ("yes", "length, system")
    words = "Not checked: text length (no texts are loaded) and the system (items name none)."
    assert words in reason
    assert matrix_cell(report).endswith("; length and system not checked")
    rungs = {rung.name: rung for rung in report.curves[LADDERS]["good", "third_party", "q"]}
    assert list(rungs)[2].startswith("Beyond all that is known of an item")
    assert "constant or chance got a yes in at most 1 %" in " ".join(report.notes)
