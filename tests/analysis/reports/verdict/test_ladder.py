"""Every check of a verdict on its page: in order, with its value, and where it stopped."""

from urllib.parse import parse_qs, urlsplit

import pytest

from analysis.figures.looks import Looks
from analysis.reports.registry import REPORTS
from analysis.reports.verdict.page import LADDERS
from tests.analysis.reports.verdict.test_published import make_pair
from tests.analysis.reports.verdict.test_report import crowd, rows_of  # noqa: F401
from tests.analysis.small import build

pytestmark = pytest.mark.django_db
NAMES = ["good", "high", "always 3", "reversed", "noise", "few", "percent"]
CHECKS = [
    "People agree: ρ",
    "Enough of a rater: r − k ρ",
    "Beyond all that is known of an item: r′ − ½ ρ′",
    "Without the plainest items",
    "Level: judge − people",
    "After correction for all that was tried",
]


@pytest.fixture
def report(crowd):  # noqa: F811
    return build(crowd, "verdict", named="good")


def tables_of(report):
    return REPORTS["verdict"].layout(report, "q", Looks(NAMES)).tables


def plain(words):
    return words.replace("\u00a0", " ")


def ladder_of(report):
    """Return {judge: {check: its words}} of the table on the page."""
    (table,) = [table for table in tables_of(report) if "every check" in table.caption]
    checks = [heading.words for heading in table.headings]
    assert checks == CHECKS and table.is_folded
    return {
        name: dict(zip(checks, [plain(cell.words) for cell in cells], strict=True))
        for name, cells in table.lines
    }


def test_a_yes_passes_every_check_and_a_no_stops_where_its_reason_says(report):
    rungs = {judge: ladder for (judge, _, _), ladder in report.curves[LADDERS].items()}
    passes = {judge: {rung.name: rung.passes for rung in rungs[judge]} for judge in rungs}
    assert all(passes["good"][check] for check in CHECKS)
    assert [check for check in CHECKS if not passes["high"][check]] == [CHECKS[4], CHECKS[5]]
    assert not passes["reversed"][CHECKS[1]] and passes["reversed"][CHECKS[0]]


def test_the_numbers_of_the_checks_are_those_of_the_row(report):
    row = rows_of(report)["good", "q"]
    rungs = {rung.name: rung for rung in report.curves[LADDERS]["good", "third_party", "q"]}
    people, enough, level = (rungs[CHECKS[place]] for place in (0, 1, 4))
    assert (people.value, people.low, people.high) == (row["rho"], row["rho_low"], row["rho_high"])
    assert (enough.value, enough.p) == (row["retention"], row["retention_p"])
    assert (level.value, level.p) == (row["level"], row["level_p"])
    assert rungs[CHECKS[2]].of_people == row["rho_within"]
    assert rungs[CHECKS[2]].p == row["within_p"]
    assert rungs[CHECKS[5]].p == row["p_adjusted"]


def test_the_page_writes_each_check_with_a_sign_and_says_what_was_not_checked(report):
    ladders = ladder_of(report)
    assert (
        ladders["good"][CHECKS[0]].startswith("✓ .") and "] p < .001" in ladders["good"][CHECKS[0]]
    )
    assert ladders["high"][CHECKS[4]].startswith("✗ ")
    assert "(raters there: ." in ladders["good"][CHECKS[2]]
    assert ladders["percent"][CHECKS[4]] == "not checked: it has a scale of its own"
    assert ladders["percent"][CHECKS[5]] == "–"


@pytest.mark.parametrize("share", ["2/3", "4/5"])
def test_a_line_below_the_checks_explains_their_letters(crowd, share):  # noqa: F811
    tables = tables_of(build(crowd, "verdict", retention=share))
    (note,) = [table.note for table in tables if "every check" in table.caption]
    assert "how well one rater's answers tell another's" in note
    assert f"a share k of ρ, here {share}: r − k ρ has to be above 0." in note


def test_a_rater_without_whom_no_item_has_two_ratings_has_no_line():
    report = build(make_pair([1, 2] * 20, [1, 3] * 20, copy=[1, 2] * 20), "verdict")
    assert any(row["evaluator"] == "r1" for row in report.rows)
    (numbers,) = [table for table in tables_of(report) if "the numbers of" in table.caption]
    names = [name for name, _ in numbers.lines]
    assert "copy" in names and not any(name.endswith("(rater)") for name in names)


def test_an_answer_of_the_matrix_leads_to_its_reason_and_keeps_the_options(report):
    tables = tables_of(report)
    cells = {name: cells[0] for name, cells in tables[0].lines}
    address = urlsplit(cells["high"].url)
    given = parse_qs(address.query)
    assert (given["question"], given["named"]) == (["q"], ["good"])
    place = int(address.fragment.removeprefix("table-1-"))
    assert tables[place - 1].caption == "q: why, and what next, for rating items."


def test_the_matrix_marks_a_yes_that_was_named_without_proof(crowd, report):  # noqa: F811
    cells = {name: cells[0].text for name, cells in tables_of(report)[0].lines}
    assert cells["good"].startswith("✓ yes, ≥ ") and cells["good"].endswith("named without proof")
    assert "proof" not in "".join(text for name, text in cells.items() if name != "good")
    assert "unproven_name" in rows_of(report)["good", "q"]["warnings"].split()
    usual = build(crowd, "verdict")
    assert "unproven_name" not in rows_of(usual)["good", "q"]["warnings"]
