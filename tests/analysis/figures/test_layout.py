"""A report page of many tables begins with a list of them; others do not."""

import re

import pytest

from analysis.figures.layout import MANY_TABLES, Layout, Table, has_many
from judges.models import Judge
from tests import factories, factual

pytestmark = pytest.mark.django_db
PAGE = "/studies/facts/analysis/factuality/"


@pytest.fixture
def facts(owner):
    study = factual.make_study(owner)
    judge = factories.make_judge(study, "LLM", kind=Judge.Kind.IMPORTED)
    asked = study.questions.get(key=factual.SUPPORTED)
    stated = study.items.filter(kind="statement")
    factories.make_judgments(judge, {(item, asked): 1 for item in stated})
    return study


def test_every_table_is_listed_and_every_link_leads_to_one(facts, as_owner):
    page = as_owner.get(PAGE, {"draws": 20}).content.decode()
    listed = re.findall(r'<li><a href="#(table-\d+-\d+)">([^<]+)</a>', page)
    sections = re.findall(r'<section class="card" id="(table-\d+-\d+)">\s*<h3>([^<]+)</h3>', page)
    assert len(listed) >= MANY_TABLES and [to for to, _ in listed] == [own for own, _ in sections]
    assert len({own for own, _ in sections}) == len(sections)
    for (_, name), (_, caption) in zip(listed, sections, strict=True):
        assert caption.startswith(name)
    assert "Table III. Statements that the other text supports, each checked by itself" in [
        name for _, name in listed
    ]


def test_a_page_of_few_tables_has_no_list(facts, as_owner):
    page = as_owner.get(PAGE, {"draws": 20, "measure": "consistency"}).content.decode()
    assert "Table III." in page and "Tables on this page" not in page


@pytest.mark.parametrize(
    ("caption", "name"),
    [
        ("Table IV. Entailment, .5 or more. By pairs.", "Table IV. Entailment, .5 or more"),
        ("Made up: what no review says", "Made up: what no review says"),
        ("By people. And more.", "By people"),
        ("", ""),
    ],
)
def test_a_table_is_called_by_the_first_sentence_of_its_caption(caption, name):
    assert Table(caption).name == name


def test_only_tables_that_are_shown_count():
    shown, blank = Table("By people.", lines=[("a", [1])]), Table("Nothing.")
    assert not has_many([Layout([], [shown] * 5 + [blank] * 9)])
    assert has_many([Layout([], [shown] * 3), Layout([], [shown] * 3)])
