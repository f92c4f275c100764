"""The title of a report's page is what its numbers say."""

import re
from collections import Counter

import pytest

from analysis.reports.registry import REPORTS
from annotate.models import Rating
from judges.models import Judgment
from tests.analysis.small import build, make_rated_study

pytestmark = pytest.mark.django_db
# Pages to look things up in: no one number of theirs is the finding.
WITHOUT = {
    "overview": "rows for files; its page is the verdict's",
    "differences": "all pairs of judges; Compare says which is ahead",
    "thresholds": "a table of cuts by measure",
    "preferences": "needs pairs of lists",
    "robustness": "needs runs with changed texts",
    "reasons": "texts to read",
    "examples": "needs judges with examples",
    "profile": "needs judges with profiles",
}


@pytest.fixture
def rated(owner):
    return make_rated_study(owner)


def lead_of(client, name, **query):
    page = client.get(f"/studies/films/analysis/{name}/", {"draws": 20} | query)
    return page.context["finding"]


def of_ratings():
    return [name for name, kind in REPORTS.items() if kind.needs_ratings and name not in WITHOUT]


@pytest.mark.parametrize("name", of_ratings())
def test_a_page_begins_with_what_it_found(rated, as_owner, name):
    report = build(rated, name)
    kind = REPORTS[name]
    chosen = kind.list_parts(list(rated.questions.all())).choices[0][0]
    assert report.verdict or kind.find(report, chosen) or not report.rows


@pytest.mark.parametrize(
    "name, why",
    [
        ("substitution", "nothing can be said. "),
        ("prediction_powered", "nothing can be said from "),
        ("rater_pairs", "cannot be said: it takes 4 raters, there are 3"),
        ("cost", "What an item costs is not known"),
    ],
)
def test_a_sentence_that_nothing_is_found_is_no_finding(rated, as_owner, name, why):
    more = as_owner.get("/studies/films/analysis/headlines/").context["pages"]
    card = next(card for _, cards in more for card in cards if card.name == name)
    assert card.finding == "" and why in card.missing


def test_questions_without_a_finding_stand_last(rated, as_owner):
    more = as_owner.get("/studies/films/analysis/headlines/").context["pages"]
    found = [bool(cards[0].finding) for _, cards in more]
    assert any(found) and not all(found) and found == sorted(found, reverse=True)


def test_it_names_the_judge_with_the_largest_value_beside_raters(rated, as_owner):
    rows = [
        row
        for row in build(rated, "correlation").rows
        if (row["coefficient"], row["level"], row["question"]) == ("pearson", "dataset", "average")
    ]
    values = {row["evaluator"]: f"{row['value']:.2f}".lstrip("0") for row in rows}
    lead = lead_of(as_owner, "correlation")
    assert lead.startswith("Of 2 judges close follows people most closely: Pearson's r with the")
    assert f"all items together) {values['close']} [" in lead
    raters = sorted(values[name] for name in ("ann", "bob", "cem"))
    assert lead.endswith(f"; raters have {raters[0]} to {raters[-1]}.")


def test_agreement_names_the_questions_at_both_ends(rated, as_owner):
    rows = [
        (row["value"], row["question"])
        for row in build(rated, "agreement").rows
        if row["raters"] == "humans"
        and row["measure"] == "alpha_ordinal"
        and row["question"] != "pooled"
    ]
    lead = lead_of(as_owner, "agreement")
    assert f"most on {max(rows)[1]}," in lead and f"least on {min(rows)[1]}," in lead


def test_one_judge_has_no_rivals(rated, as_owner):
    for name in ("correlation", "roc", "confusion", "calibration"):
        lead = lead_of(as_owner, name, judges="random")
        assert lead.startswith("random: ") and "best" not in lead and "most" not in lead, lead


def test_one_question_is_no_mean(rated, as_owner):
    for answers in (Rating, Judgment):
        answers.objects.exclude(question__key="accuracy").delete()
    rated.questions.exclude(key="accuracy").delete()
    assert "with the reference (accuracy, all items together)" in lead_of(as_owner, "correlation")
    assert lead_of(as_owner, "agreement").startswith("Raters agree on accuracy: ")


def test_roles_are_not_taken_together(rated, as_owner):
    rated.raters.filter(key="ann").update(role="expert")
    lead = lead_of(as_owner, "agreement")
    most, least = re.findall("on ([a-z]+),", lead)
    assert most != least


def test_the_middle_of_two_raters_is_between_them(rated, as_owner):
    rated.raters.get(key="cem").delete()
    rows = [row["r"] for row in build(rated, "raters").rows if row["question"] == "persuasiveness"]
    assert f"the median is {sum(rows) / 2:.2f}".replace("0.", ".") in lead_of(as_owner, "raters")


def test_misjudged_items_are_counted_by_side(rated, as_owner):
    rows = [row for row in build(rated, "misjudged").rows if row["question"] == "persuasiveness"]
    sides = Counter((row["evaluator"], row["kind"]) for row in rows)
    lead = lead_of(as_owner, "misjudged")
    judge = lead.partition(" ")[0]
    high, low = sides[judge, "false positive"], sides[judge, "false negative"]
    assert lead.endswith(f"{high} too high and {low} too low.")


def test_a_page_of_groups_has_no_one_finding(rated, as_owner):
    assert lead_of(as_owner, "correlation", by="system") == ""
