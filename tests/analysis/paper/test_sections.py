"""Sections of a paper that some studies have alone, with the numbers of their reports."""

from decimal import Decimal

import pytest

from analysis.answers.moment import one_moment
from analysis.paper.build import NOTHING
from analysis.paper.build import build as build_paper
from analysis.paper.sections import BY_NAME, Work, offered
from analysis.serving.source import Source
from judges.models import Judgment
from tests.analysis.reports.lists.test_selection import make_lists
from tests.analysis.small import build, make_rated_study, row_of

pytestmark = pytest.mark.django_db


def names_of(study):
    with one_moment():
        return {section.name for section in offered(Source(study))}


def tables_of(study, name):
    with one_moment():
        return list(BY_NAME[name].make(Work(Source(study))))


def cells_of(table, name):
    """{heading: cell} of a line."""
    (line,) = (line for line in table.lines if line.name == name)
    return dict(zip(table.headings, line.cells, strict=True))


def test_choices_between_lists_have_a_table_of_their_own(owner):
    study = make_lists((30, 1, 16))
    assert "lists" in names_of(study)
    assert not {"correlation", "yes_no", "bias", "cost"} & names_of(study), "no scale has an order"
    (table,) = tables_of(study, "lists")
    assert cells_of(table, "laaj")["better"].value == pytest.approx(31 / 47)
    assert table.common_size == "47" and table.is_share


def test_what_judges_cost_stands_there_once_a_price_is_known(owner):
    study = make_rated_study(owner)
    assert "cost" not in names_of(study)
    Judgment.objects.filter(run__judge__key="close").update(cost_usd=Decimal("0.002"))
    assert "cost" in names_of(study)
    (table,) = tables_of(study, "cost")
    questions = study.questions.count()
    cells = cells_of(table, "close")
    assert cells["Cost of an item"] == f"{0.002 * questions:.5f} USD"
    assert cells_of(table, "random")["Cost of an item"] == "–"
    row = row_of(build(study, "cost", draws=2000), evaluator="close", question="average")
    assert cells["r"].value == row["value"]


def test_the_figure_has_each_judges_agreement_and_a_raters(owner):
    study = make_rated_study(owner)
    (forest,) = tables_of(study, "figure")
    row = row_of(build(study, "verdict"), evaluator="close", question="accuracy", use="rate_items")
    (dots,) = (dots for name, is_judge, dots in forest.rows if name == "close" and is_judge)
    assert (dots["accuracy"].value, dots["accuracy"].low) == (
        row["agreement"],
        row["agreement_low"],
    )
    assert forest.marks["accuracy"] == row["rho"]
    assert [name for name, is_judge, _ in forest.rows if not is_judge], "what no insight gives"


def test_a_section_without_a_number_says_so(owner):
    study = make_rated_study(owner)
    Judgment.objects.update(value=3)
    with one_moment():
        paper = build_paper(Source(study), ["correlation", "figure"])
    assert [section.name for section in paper.sections] == ["correlation", "figure"]
    for section in paper.sections:
        assert [getattr(block, "paragraphs", None) for block in section.blocks] == [[NOTHING]]
