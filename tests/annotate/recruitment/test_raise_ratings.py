"""An editor raises the items to a number of ratings: counted, priced, asked, opened, undone."""

from datetime import timedelta
from html import unescape

import pytest
from django.utils import timezone

from annotate.models import ExtraPlaces, Item, Place, Session, Study
from annotate.recruitment import costs, more_raters
from annotate.recruitment.raise_ratings import (
    Lacking,
    count_lacking,
    count_open,
    raise_ratings,
)
from tests import factories

pytestmark = pytest.mark.django_db
PATH = "/studies/films/more/ratings/"


@pytest.fixture
def study(owner):
    """Four items with one place, of which the last has a second one."""
    study = factories.make_study(owner=owner, items=4, raters_per_item=1, items_per_session=2)
    Place.objects.create(study=study, item=study.items.last(), number=2, shuffle=0)
    return study


def many(study):
    return [item.places.count() for item in study.items.order_by("pk")]


def test_it_counts_what_each_item_lacks(study):
    assert count_lacking(study, 2) == Lacking(places=3, items=3, single=3)
    assert count_lacking(study, 3) == Lacking(places=3 * 2 + 1, items=4, single=3)


def test_it_opens_exactly_these_and_logs_them(study, owner):
    step = raise_ratings(study, owner, 3)
    assert many(study) == [3, 3, 3, 3]
    assert (step.place_count, step.item_count, step.by_name) == (7, 4, "owner")
    assert step.words == "up to 3 ratings per item, for the verdict"
    with pytest.raises(more_raters.NotNow, match="Every item has 3 places already"):
        raise_ratings(study, owner, 3)


def test_undoing_takes_back_what_nobody_has_taken(study, owner):
    step = raise_ratings(study, owner, 2)
    rater = factories.make_session(study).rater
    taken = Place.objects.filter(added__step=step).first()
    Place.objects.filter(pk=taken.pk).update(state="held", rater=rater)
    assert more_raters.undo(step, owner) == 2
    assert sorted(many(study)) == [1, 1, 2, 2]


def test_only_items_of_the_question_get_places(study, owner):
    statement = factories.make_item(study, "s", kind=Item.Kind.STATEMENT)
    question = study.questions.first()
    question.applies_to = [Item.Kind.STATEMENT]
    question.save()
    raise_ratings(study, owner, 2, question)
    assert many(study) == [1, 1, 1, 2, 2]
    assert statement.places.count() == 2


def test_gold_and_practice_items_get_none(study, owner):
    study.extra = {"gold": [{"item": "item-0", "answers": {}}]}
    study.save()
    Item.objects.filter(key="item-1").update(is_practice=True)
    raise_ratings(study, owner, 2)
    assert many(study) == [1, 1, 2, 2]


def test_the_cost_is_what_sessions_pay(study):
    """90 places in sessions of two items at 5 each: 225."""
    study.extra = {"pays_per_session": 5, "pay_currency": "GBP"}
    assert costs.describe_cost(study, 90).startswith("about 225.00 GBP, as a session of 2 items")


def test_without_pay_the_cost_is_of_the_sessions_own_time_or_of_what_is_assumed(study):
    """90 places of 40 s at 9 an hour are 9.00; of 80 s twice that."""
    words = costs.describe_cost(study, 90)
    assert words.startswith(
        "about 9.00 in your currency, at 9 an hour (assumed) and 40 seconds per rating (assumed)"
    )
    now, items = timezone.now(), study.items.all()
    for number, seconds in enumerate((60, 80, 80, 80, 4000)):
        session = factories.make_session(study, f"r{number}", source=Session.Source.WEB)
        ended_at = now + timedelta(seconds=seconds)
        Session.objects.filter(pk=session.pk).update(started_at=now, ended_at=ended_at)
        Place.objects.create(
            study=study,
            item=items[number % 4],
            number=10 + number,
            shuffle=0,
            state="filled",
            rater=session.rater,
            session=session,
        )
    assert costs.item_seconds(study) == 80
    assert costs.describe_cost(study, 90).startswith("about 18.00 in your currency, at 9 an hour")
    Session.objects.first().delete()
    assert costs.item_seconds(study) is None


def test_the_page_asks_and_the_post_opens(study, as_owner):
    page = unescape(as_owner.get(PATH, {"ratings": 2}).content.decode())
    assert "Open 3 places?" in page and "3 items have fewer than 2 places, 3 of them only" in page
    assert "3 places of these items are open already" in page
    assert many(study) == [1, 1, 1, 2]
    answer = as_owner.post(PATH, {"ratings": 2}, follow=True)
    assert answer.redirect_chain == [("/studies/films/more/", 302)]
    assert "3 more places for 3 items." in answer.content.decode()
    assert "Undo" in answer.content.decode()
    assert many(study) == [2, 2, 2, 2]
    answer = as_owner.post(PATH, {"ratings": 2}, follow=True)
    assert "Every item has 2 places already." in answer.content.decode()
    assert ExtraPlaces.objects.count() == 1


def test_open_places_are_counted_of_what_more_would_be_opened_for(study, as_owner):
    """Where no item lacks a place: of all items of the question."""
    factories.make_item(study, "s", kind=Item.Kind.STATEMENT)
    question = study.questions.first()
    question.applies_to = [Item.Kind.STATEMENT]
    question.save()
    assert count_open(study, 2) == 4
    assert count_open(study, 2, question) == 1
    Place.objects.filter(item__key="s").update(state="filled")
    assert count_open(study, 2, question) == 0
    page = unescape(as_owner.get(PATH, {"ratings": 2, "question": question.key}).content.decode())
    assert "Open 1 place?" in page and "open already" not in page


def test_one_more_than_the_study_asks_for_is_the_usual(study, as_owner):
    assert as_owner.get(PATH).context["form"].cleaned_data["ratings"] == 2


@pytest.mark.parametrize("query", [{"ratings": "1"}, {"ratings": "99"}, {"question": "none"}])
def test_what_cannot_be_is_refused(study, as_owner, query):
    assert as_owner.get(PATH, query).status_code == 422
    assert as_owner.post(PATH, query).status_code == 422
    assert not ExtraPlaces.objects.exists()


def test_a_closed_study_opens_none(study, as_owner):
    Study.objects.update(state="closed")
    assert "The study is closed for raters" in as_owner.get(PATH).content.decode()
    answer = as_owner.post(PATH, {"ratings": 2}, follow=True)
    assert "open it in the settings first" in answer.content.decode()
    assert many(study) == [1, 1, 1, 2]


def test_the_page_takes_few_queries(study, as_owner, django_assert_max_num_queries):
    for number in range(30):
        factories.make_item(study, f"more-{number}")
    with django_assert_max_num_queries(11):
        as_owner.get(PATH)
