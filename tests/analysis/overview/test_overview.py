"""The overview, the list of items and the page of one item: what they say, in few queries."""

import pytest
from django.urls import reverse

from annotate.models import Membership, Session
from judges.models import Judgment, Run
from tests import factories
from tests.analysis.small import make_rated_study

pytestmark = pytest.mark.django_db
STEPS = ["Load items", "Invite raters", "Run judges", "Read the results"]


@pytest.fixture
def rated(owner):
    return make_rated_study(owner)


def test_answers_in_words_are_shown_as_they_are(study, as_owner):
    question = factories.make_question(study, "why", scale="text")
    item = study.items.first()
    factories.make_rating(factories.make_session(study), item, question, None, text="too long")
    page = as_owner.get(reverse("item", args=["films", item.pk])).content.decode()
    assert ">too long</td>" in page


def test_numbers_stand_without_needless_digits(study, as_owner):
    session, item = factories.make_session(study), study.items.first()
    for question, value in zip(study.questions.all(), [4, 2.5, 1, 5], strict=True):
        factories.make_rating(session, item, question, value)
    page = as_owner.get(reverse("item", args=["films", item.pk])).content.decode()
    assert '<td class="num">4</td><td class="num">2.50</td>' in page


def test_the_list_says_who_answered_but_averages_nothing_over_questions(rated, as_owner):
    response = as_owner.get("/studies/films/items/")
    item, people, judges, _ = response.context["rows"][0]
    assert (people, judges) == (3, 2)
    assert "Mean rating" not in response.content.decode()


def as_viewer(study, stranger):
    Membership.objects.create(study=study, user=stranger, role=Membership.Role.VIEWER)


def test_a_new_study_begins_with_loading_items(owner, as_owner):
    factories.make_study("films", owner)
    context = as_owner.get("/studies/films/").context
    assert [step.title for step in context["steps"]] == STEPS
    assert [step.done for step in context["steps"]] == [False] * 4
    assert context["next_step"].title == "Load items"


def test_the_next_step_follows_what_is_there(study, as_owner):
    assert as_owner.get("/studies/films/").context["next_step"].title == "Invite raters"
    item, question = study.items.first(), study.questions.first()
    factories.make_rating(factories.make_session(study), item, question, 4)
    assert as_owner.get("/studies/films/").context["next_step"].title == "Run judges"
    factories.make_judgments(factories.make_judge(study), {(item, question): 3})
    context = as_owner.get("/studies/films/").context
    assert [step.done for step in context["steps"]] == [True] * 4
    assert context["next_step"] is None


def test_only_people_who_answered_count_as_raters(rated, as_owner):
    factories.make_session(rated, "visitor", state=Session.State.RATING, source="link")
    factories.make_session(rated, "ann")  # comes again: the same person, and no answer yet
    page = as_owner.get("/studies/films/").content.decode()
    assert "ratings by 3 raters" in page


def test_what_went_wrong_is_said_with_where_to_look(rated, as_owner):
    assert as_owner.get("/studies/films/").context["attention"] == []
    one = Judgment.objects.first()
    Judgment.objects.filter(pk=one.pk).update(state="refused", value=None)
    Run.objects.filter(pk=one.run_id).update(state=Run.State.ACTIVE)
    Session.objects.filter(rater__key="ann").update(state=Session.State.ABANDONED)
    runs, raters = reverse("runs", args=["films"]), reverse("raters", args=["films"])
    assert as_owner.get("/studies/films/").context["attention"] == [
        ("A run waits, but no worker is alive", runs),
        ("1 judgment without a value: refused by the model", runs),
        ("1 session stopped half-way", raters),
    ]


@pytest.mark.parametrize("path", ["", "items/", "analysis/", "analysis/roc/", "export/"])
def test_a_viewer_is_never_led_to_loading(owner, stranger, as_stranger, as_owner, path):
    as_viewer(factories.make_study("films", owner), stranger)
    links = [f'href="{reverse(name, args=["films"])}"' for name in ("load", "bring_into")]
    address = f"/studies/films/{path}"
    assert any(link in as_owner.get(address).content.decode() for link in links)
    assert not any(link in as_stranger.get(address).content.decode() for link in links)


@pytest.mark.parametrize("path", ["", "analysis/", "analysis/roc/", "quality/"])
def test_a_viewer_is_not_asked_to_invite_raters_or_run_judges(
    owner, stranger, as_stranger, as_owner, path
):
    as_viewer(factories.make_study("films", owner, items=2), stranger)
    address = f"/studies/films/{path}"
    offers = ("Invite raters</a>", "Get the link</a>", "Choose a judge</a>", "Run judges</a>")
    assert any(offer in as_owner.get(address).content.decode() for offer in offers)
    assert not any(offer in as_stranger.get(address).content.decode() for offer in offers)


@pytest.mark.parametrize("path", ["", "items/", "item"])
def test_pages_take_at_most_sixteen_queries(rated, as_owner, django_assert_max_num_queries, path):
    if path == "item":
        path = f"items/{rated.items.first().pk}/"
    with django_assert_max_num_queries(16):
        assert as_owner.get(f"/studies/films/{path}").status_code == 200
