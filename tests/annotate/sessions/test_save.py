"""Saves that meet: each sees what the one before it has done, and none writes where it may not."""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone

from annotate.db import sql
from annotate.design import access
from annotate.models import Place, Rating, RatingRevision, Session
from annotate.sessions import places
from annotate.sessions import session as sessions
from annotate.sessions.session import NotNow, SentAnswer

PATIENCE = 10  # seconds


@pytest.fixture
def place(study):
    session = sessions.begin_visit(study, {}, consents=True)
    assert sessions.begin(session)
    return access.place_of_session(session.token, position=1)


def save(place, answers):
    """Save {question: value}."""
    questions = list(place.study.questions.all())
    answers = [SentAnswer(question, value) for question, value in answers.items()]
    return sessions.save_answers(place, questions, answers)


def save_elsewhere(place, answers):
    """Save on a connection of its own."""
    try:
        return save(place, answers)
    finally:
        connection.close()


def wait_until_one_waits():
    """Until another connection stands before a lock; SQLite does not say when, so for a while."""
    if connection.vendor == "sqlite":
        time.sleep(0.5)
        return
    end = time.monotonic() + PATIENCE
    waiting = 0
    while not waiting and time.monotonic() < end:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT COUNT(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database "
                "OR database IS NULL WHERE NOT granted AND datname = current_database()"
            )
            waiting = cursor.fetchone()[0]
    assert waiting


def meet(first, second):
    """second() begins while first() is not yet committed, and ends after it: its result."""
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            first()
            later = pool.submit(second)
            wait_until_one_waits()
            assert not later.done()
        return later.result(PATIENCE)


@pytest.mark.django_db(transaction=True)
def test_a_save_that_waited_counts_what_the_one_before_has_written(study, place):
    *some, last = study.questions.all()
    gaps = meet(
        lambda: save(place, dict.fromkeys(some, 4.0)), lambda: save_elsewhere(place, {last: 2.0})
    )
    assert gaps == []
    assert Place.objects.get(pk=place.pk).state == Place.State.FILLED
    assert Rating.objects.count() == RatingRevision.objects.count() == 4


@pytest.mark.django_db(transaction=True)
def test_the_same_answer_sent_twice_at_once_is_written_once(study, place):
    question = study.questions.first()
    meet(lambda: save(place, {question: 3.0}), lambda: save_elsewhere(place, {question: 3.0}))
    assert Rating.objects.count() == RatingRevision.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_save_that_waited_for_the_sweep_writes_nothing(study, place):
    Session.objects.update(last_seen_at=timezone.now() - timedelta(hours=2))
    before = Session.objects.values_list("last_seen_at").get()
    with pytest.raises(NotNow):
        meet(
            lambda: places.release_expired(timezone.now()),
            lambda: save_elsewhere(place, {study.questions.first(): 3.0}),
        )
    assert not Rating.objects.exists() and not RatingRevision.objects.exists()
    assert Session.objects.values_list("last_seen_at").get() == before


@pytest.mark.django_db
def test_a_save_on_a_place_that_went_to_somebody_else_writes_nothing(study, place):
    Place.objects.filter(pk=place.pk).update(state="open", session=None, rater=None)
    before = Session.objects.values_list("last_seen_at").get()
    with pytest.raises(NotNow):
        save(place, {study.questions.first(): 3.0})
    assert not Rating.objects.exists()
    assert Session.objects.values_list("last_seen_at").get() == before


@pytest.mark.django_db(transaction=True)
def test_a_save_that_fails_half_way_leaves_nothing(study, place):
    before = Session.objects.values_list("last_seen_at").get()
    answer = SentAnswer(study.questions.first(), None, "")  # neither a value nor a text
    with pytest.raises(Exception, match="rating_has_an_answer"):
        sessions.save_answers(place, [], [answer])
    assert Session.objects.values_list("last_seen_at").get() == before
    assert save(place, {study.questions.first(): 3.0})


@pytest.mark.django_db
def test_what_the_light_read_finds_is_what_the_models_say(study, place):
    study.questions.filter(key="accuracy").update(required=False, applies_to=["explanation"])
    light, item, questions = access.asked_of_session(place.session.token, place.item_id)
    assert item == light.item
    assert (light.pk, light.session_id, light.item_id) == (
        place.pk,
        place.session_id,
        place.item_id,
    )
    assert light.item.kind == place.item.kind
    names = ("pk", "scale_spec", "required", "applies_to")
    assert sorted([getattr(q, name) for name in names] for q in questions) == sorted(
        [getattr(q, name) for name in names] for q in study.questions.all()
    )


@pytest.mark.postgres
@pytest.mark.django_db
def test_statements_are_prepared_once_a_connection_and_no_more_than_some(monkeypatch):
    monkeypatch.setattr(sql, "MOST_PREPARED", 3)

    def prepared():
        with connection.cursor() as cursor:
            cursor.execute("SELECT COUNT(*) FROM pg_prepared_statements")
            return cursor.fetchone()[0]

    for _ in range(3):
        assert sql.rows("SELECT CAST(%s AS integer) + 1", [1]) == [(2,)]
    for number in range(9):
        assert sql.rows(f"SELECT {number} + CAST(%s AS integer)", [1]) == [(number + 1,)]
        assert prepared() <= 5
