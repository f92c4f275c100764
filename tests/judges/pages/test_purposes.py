"""A new judge is chosen by what it should do; only what can work in the study is offered."""

import pytest
from django.urls import reverse

from annotate.models import Item
from judges.models import Judge
from judges.pages.forms import judge_form
from judges.pages.purposes import PURPOSES, Offer, Way, purpose_of
from judges.scorers import SCORERS
from tests import factories

pytestmark = pytest.mark.django_db
RATE = "Rate items on the study’s questions"
COMBINE = "Combine judges"
CLOSE = "Measure how close a text is to a reference"
EVERY_WAY = [Way(Judge.Kind.LLM, Judge.Method(name)) for name in Judge.Method.values]
EVERY_WAY += [Way(Judge.Kind(kind)) for kind in [*SCORERS, Judge.Kind.ENSEMBLE]]


def words_of(study):
    return [purpose.words for purpose, _ in Offer(study).possible]


def test_every_judge_that_pages_make_serves_a_purpose_and_there_are_ten():
    assert len(PURPOSES) == 10
    assert {way for purpose in PURPOSES for way in purpose.ways} == set(EVERY_WAY)
    assert purpose_of(Way(Judge.Kind.CHRF)).words == CLOSE


def test_explanations_alone_can_be_rated_and_read(study):
    assert words_of(study) == [RATE, "Extract statements from texts, or propose topics"]


def test_a_study_without_anything_offers_nothing_but_says_what_is_needed(as_owner, owner):
    study = factories.make_study("empty", owner, questions={})
    page = as_owner.get(reverse("judge_new", args=["empty"])).content.decode()
    assert words_of(study) == []
    assert "Nothing that a judge does can work yet" in page
    assert "10 more purposes need data" in page and "needs recipients’ interactions." in page


def test_data_make_purposes_possible(study):
    factories.make_item(study, "r", reference="A film about ships.")
    assert CLOSE in words_of(study)
    for number in range(2):
        factories.make_judge(study, f"j{number}")
    assert COMBINE in words_of(study)
    Judge.objects.update(archived_at="2026-01-01T00:00Z")
    assert COMBINE not in words_of(study)


def test_verdicts_need_their_items_and_their_question(study):
    fit, lists = (purpose.words for purpose in PURPOSES[1:3])
    factories.make_item(study, "rec", kind=Item.Kind.RECOMMENDATION, text="")
    assert fit in words_of(study) and lists not in words_of(study)
    factories.make_item(study, "pair", kind=Item.Kind.LIST_PAIR, text="")
    pairwise = Way(Judge.Kind.LLM, Judge.Method.PAIRWISE)
    assert pairwise not in Offer(study).ways_of(PURPOSES[2])
    factories.make_question(study, "better", scale={"choice": ["A", "tie", "B"]})
    assert pairwise in Offer(study).ways_of(PURPOSES[2])


def test_interactions_make_profiles_recommenders_and_models_possible(study):
    item = study.items.first()
    history = {"recipient": item.recipient, "content": item.content}
    row = study.interactions.create(**history)
    assert "Write profiles of recipients" in words_of(study)
    assert "Test a language model as a recommender" not in words_of(study)
    row.rating = 4
    row.save()
    assert "Test a language model as a recommender" in words_of(study)
    Item.objects.filter(pk=item.pk).update(data={"explaining_contents": "film-1"})
    assert PURPOSES[5].words in words_of(study)


def test_the_page_asks_first_and_old_addresses_lead_to_the_form(as_owner, study):
    factories.make_endpoint()
    new = reverse("judge_new", args=[study.slug])
    page = as_owner.get(new).content.decode()
    assert "what should it do?" in page and 'name="key"' not in page
    assert 'href="?kind=llm"' in page
    for query in ("?kind=llm", "?kind=llm&method=fit", "?method=fit", "?kind=cf"):
        page = as_owner.get(new + query).content.decode()
        assert 'name="key"' in page, query
    assert "It can be made, but not be run yet. It needs recipients’ interactions" in page


def test_the_page_costs_as_many_queries_however_large_the_study_is(
    as_owner, study, django_assert_num_queries
):
    new = reverse("judge_new", args=[study.slug])
    with django_assert_num_queries(QUERIES):
        as_owner.get(new)
    for number in range(9):
        factories.make_item(study, f"more-{number}")
    with django_assert_num_queries(QUERIES):
        as_owner.get(new)


QUERIES = 11


@pytest.mark.parametrize("way", EVERY_WAY, ids=str)
def test_at_most_five_fields_are_open_and_none_is_lost(study, way):
    factories.make_endpoint()
    form = judge_form(study, way.kind, method=way.method)
    opened = [field.name for field in form.opened]
    assert 1 <= len(opened) <= 5 and opened[0] == "key"
    assert sorted(opened + [field.name for field in form.folded]) == sorted(form.fields)


def test_the_folded_settings_open_by_themselves_where_one_has_an_error(as_owner, study):
    endpoint = factories.make_endpoint()
    new = reverse("judge_new", args=[study.slug]) + "?kind=llm"
    assert '<details id="more-settings"><summary>' in as_owner.get(new).content.decode()
    sent = {"key": "j", "endpoint": endpoint.pk, "prompt": "explanation.v3", "temperature": "9"}
    answer = as_owner.post(new, sent)
    assert answer.status_code == 422
    assert '<details id="more-settings" open><summary>' in answer.content.decode()
