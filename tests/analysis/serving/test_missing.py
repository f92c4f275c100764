"""Reports of studies that lack what they need, and of one that has all: HANNA."""

import pytest
from django.urls import reverse

from analysis.reports.registry import REPORTS
from annotate.design.access import make_owner
from annotate.models import Question
from annotate.values.scales.text import Text
from tests import factories
from tests.analysis.serving.test_views import OF_RATINGS, page
from tests.analysis.small import load_hanna

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("report", OF_RATINGS)
def test_without_items_the_page_leads_to_loading(as_owner, owner, report):
    factories.make_study("films", owner)
    response = page(as_owner, f"analysis/{report}")
    assert "No items are loaded." in response.content.decode()
    assert reverse("load", args=["films"]) in response.content.decode()


def test_lists_of_recommenders_need_neither_items_nor_ratings(as_owner, owner):
    factories.make_study("films", owner)
    text = page(as_owner, "analysis/metamorphic/").content.decode()
    assert "No recommender has been asked for lists" in text
    assert "No items are loaded." not in text and "No judge has scored" not in text
    assert "/analysis/metamorphic/" not in page(as_owner, "analysis/").content.decode()


@pytest.mark.parametrize("report", OF_RATINGS)
def test_without_ratings_the_page_leads_to_the_raters(as_owner, owner, report):
    factories.make_study("films", owner, items=2)
    response = page(as_owner, f"analysis/{report}")
    assert "No rating counts yet." in response.content.decode()
    assert reverse("raters", args=["films"]) in response.content.decode()


def test_a_study_of_texts_alone_leads_to_what_raters_wrote(as_owner, owner):
    study = factories.make_study("films", owner, items=2)
    Question.objects.filter(study=study).update(scale_spec=Text().as_dict())
    text = page(as_owner, "analysis/").content.decode()
    assert "answered in words, so there is nothing to compute" in text
    assert reverse("coding", args=["films"]) in text and "No rating counts yet" not in text


@pytest.mark.shared_data
def test_hanna_renders_on_every_page(shared_data, owner, as_owner):
    make_owner(load_hanna(shared_data / "hanna"), owner)
    for path in ["analysis/", *(f"analysis/{report}/" for report in REPORTS), "export/"]:
        query = {} if path == "analysis/" else {"draws": 10}
        response = as_owner.get(f"/studies/hanna/{path}", query, follow=True)
        assert response.status_code == 200
