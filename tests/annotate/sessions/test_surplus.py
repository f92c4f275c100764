"""Surplus answers: the rater paused too long, the place went to somebody else, they came back."""

import pytest

from analysis.answers import frame
from annotate.models import Rater, Rating, Session
from annotate.models.rating import SURPLUS
from annotate.sessions import places
from annotate.sessions import session as sessions
from tests import factories
from tests.annotate.sessions.test_session import all_at, go_quiet, place_at, save

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(owner):
    """Four items that want one rater each."""
    return factories.make_study(owner=owner, items=4, raters_per_item=1, items_per_session=2)


def begun(study):
    session = sessions.begin_visit(study, {}, consents=True)
    assert sessions.begin(session)
    return Session.objects.get(pk=session.pk)


def complete(session, value=4.0):
    for place in session.places.order_by("position"):
        save(session, place.position, all_at(session, value))
    assert sessions.finish(session) is None


@pytest.mark.parametrize("source", ["web", "link"])
def test_who_comes_back_after_the_place_went_to_somebody_else_adds_no_rating_to_it(study, source):
    late = begun(study)
    Session.objects.filter(pk=late.pk).update(source=source)
    save(late, 1, all_at(late, 1.0))
    lost = place_at(late, 1).item
    go_quiet(late)
    quick = Session.objects.get(pk=sessions.begin_visit(study, {}, consents=True).pk)
    assert places.claim_again(quick, [lost.pk]) == [lost.pk]
    places.put_in_order(quick, first=[])
    Session.objects.filter(pk=quick.pk).update(state="rating")
    complete(Session.objects.get(pk=quick.pk), 5.0)
    assert sessions.resume(Session.objects.get(pk=late.pk))
    complete(Session.objects.get(pk=late.pk), 2.0)

    counted = Rating.objects.for_analysis()
    assert set(counted.filter(item=lost).values_list("value", flat=True)) == {5.0}
    assert set(Rating.objects.surplus().values_list("item", "value")) == {(lost.pk, 1.0)}
    table = frame.read_answers(study).table
    why = table[table["item"] == lost.key].groupby("value")["exclusion_reason"].unique()
    assert (list(why[1.0]), list(why[5.0])) == ([SURPLUS], [""])
    others = table[table["item"] != lost.key]
    assert len(others) == 8 and not others["excluded"].any()


def test_loaded_ratings_need_no_place(study):
    item, question = study.items.first(), study.questions.first()
    for name in ("ann", "bob", "cem"):
        factories.make_rating(factories.make_session(study, name), item, question, 3)
    assert Rating.objects.for_analysis().count() == 3
    assert not Rating.objects.surplus().exists()


def test_the_place_of_another_session_of_the_same_rater_does_not_help(study):
    first, second = begun(study), begun(study)
    Session.objects.filter(pk=second.pk).update(rater=first.rater)
    held = place_at(first, 1).item
    for session in (first, second):
        factories.make_rating(session, held, study.questions.first(), 3)
    Session.objects.update(state="completed")
    assert [rating.session for rating in Rating.objects.for_analysis()] == [first]


def test_answers_about_a_part_count_by_the_place_of_the_whole(study):
    session = begun(study)
    whole, question = place_at(session, 1).item, study.questions.first()
    part = factories.make_item(study, "part", parent=whole)
    part.places.all().delete()
    foreign = factories.make_item(
        study,
        "foreign",
        parent=study.items.exclude(places__session=session).exclude(pk=part.pk).first(),
    )
    for item in (part, foreign):
        factories.make_rating(session, item, question, 3)
    Session.objects.update(state="completed")
    assert [r.item for r in Rating.objects.for_analysis()] == [part]
    assert [r.item for r in Rating.objects.surplus()] == [foreign]


def make_every_case(study):
    """Sessions of every state and source, with and without places, excluded raters and not."""
    items, question = list(study.items.all()), study.questions.first()
    for number, state in enumerate(Session.State.values):
        for source in Session.Source.values:
            for why in ("", "too fast"):
                name = f"{state}-{source}-{why}"
                session = factories.make_session(study, name, state=state, source=source)
                Rater.objects.filter(pk=session.rater_id).update(excluded_because=why)
                for item in items[:2]:
                    factories.make_rating(session, item, question, 1 + number % 5)
                place = items[0].places.model(
                    study=study,
                    item=items[0],
                    number=100 + session.pk,
                    shuffle=1,
                    state="filled",
                    rater=session.rater,
                    session=session,
                )
                place.save()


def test_the_frame_excludes_exactly_what_for_analysis_leaves_out(study):
    make_every_case(study)
    counted = Rating.objects.for_analysis()
    expected = set(counted.values_list("session__rater__key", "item__key"))
    assert expected == {
        ("completed-web-", "item-0"),
        ("completed-link-", "item-0"),
        ("completed-file-", "item-0"),
        ("completed-file-", "item-1"),
    }
    table = frame.read_answers(study).table
    table = table[~table["excluded"]]
    assert set(zip(table["rater"], table["item"], strict=True)) == expected


def test_the_fingerprint_changes_when_a_place_is_lost(study):
    session = begun(study)
    complete(session)
    before = frame.Reader(study).fingerprint()
    places.release([session.pk])
    assert frame.Reader(study).fingerprint() != before
