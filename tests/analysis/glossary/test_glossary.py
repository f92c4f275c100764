"""The glossary: every link leads to a term, and every term is linked from a page."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template import Context, Template
from django.test import Client

from analysis.glossary.terms import terms_by_key, terms_of
from analysis.reports.registry import REPORTS
from tests.analysis.small import make_rated_study

TEMPLATES = Path(settings.BASE_DIR) / "templates"
LINK = re.compile(r'{% term "([^"]*)"')
OPENED = ("", "verdict/", "agreement/", "correlation/", "differences/", "cost/", "roc/")


def page():
    """The glossary, by somebody who is not logged in."""
    response = Client().get("/glossary/")
    assert response.status_code == 200
    return response.content.decode()


def linked_in_templates():
    texts = (path.read_text(encoding="utf-8") for path in TEMPLATES.rglob("*.html"))
    return {key for text in texts for key in LINK.findall(text)}


def test_everybody_reads_every_term_without_a_query(django_assert_num_queries, db):
    with django_assert_num_queries(0):
        anchors = re.findall(r'<dt id="([^"]+)">', page())
    assert len(anchors) == len(set(anchors)) == len(terms_by_key()) > 60
    assert {"alpha", "omega", "msa", "rsm", "auc", "max-t", "cluster", "place", "position"} <= {
        *anchors
    }
    answers = {"yes", "not-yet", "no", "people-disagree", "cannot-be-tested"}
    assert answers | {"reference", "role", "system", "recipient", "baseline"} <= {*anchors}


def test_a_symbol_stands_in_brackets_and_names_are_in_order():
    names = [term.name for term in terms_by_key().values()]
    assert names == sorted(names, key=str.casefold)
    assert "Krippendorff’s alpha (α)" in page()
    assert "Winning rate (ω)" in page()


def test_every_template_links_terms_that_exist():
    assert linked_in_templates() - terms_by_key().keys() == set()


def test_every_term_is_linked_from_a_report_that_exists_or_from_a_template():
    listed = {term.key for name in REPORTS for term in terms_of(name)}
    assert terms_by_key().keys() - listed - linked_in_templates() == set()
    assert {
        name for term in terms_by_key().values() for name in term.reports
    } - REPORTS.keys() == set()


def test_a_link_takes_the_words_of_its_sentence_and_a_term_that_does_not_exist_is_an_error():
    with pytest.raises(KeyError):
        Template('{% load glossary %}{% term "nonsense" %}').render(Context())
    shown = Template('{% load glossary %}{% term "alpha" "they agree" %}').render(Context())
    assert shown == '<a class="term" href="/glossary/#alpha">they agree</a>'


@pytest.mark.parametrize("address", OPENED)
def test_pages_of_results_link_their_terms(address, owner, as_owner):
    make_rated_study(owner)
    text = as_owner.get(f"/studies/films/analysis/{address}", {"draws": 20} if address else {})
    links = re.findall(r'href="/glossary/#([^"]+)"', text.content.decode())
    assert links and {*links} <= terms_by_key().keys()


def test_meanings_are_sentences_of_few_words():
    for term in terms_by_key().values():
        assert term.meaning[0].isupper() and term.meaning.endswith("."), term.key
        assert len(term.meaning.split()) <= 50, term.key
