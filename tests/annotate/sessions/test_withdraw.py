"""A rater withdraws: everything of theirs is deleted, whatever comes at the same time."""

from datetime import timedelta

import pytest
from django.apps import apps
from django.db import connection
from django.db.models import F
from django.utils import timezone

from annotate.design import access
from annotate.models import (
    Answer,
    Coding,
    Erasure,
    ExcludedRater,
    FreedPlace,
    ItemTime,
    Listening,
    Place,
    QualityStep,
    Rater,
    Rating,
    RatingRevision,
    Screen,
    Session,
)
from annotate.sessions import browsers, exclude, hurry, timing
from annotate.sessions import session as sessions
from annotate.sessions import withdraw as withdrawing
from annotate.sessions.session import NotNow
from annotate.sessions.withdraw import withdraw
from tests import factories
from tests.annotate.sessions.test_returning_at_once import SAVES, run, start
from tests.annotate.sessions.test_save import meet, save, save_elsewhere
from tests.processes import environment

State = Session.State
GIVEN = (
    Answer,
    Coding,
    ExcludedRater,
    FreedPlace,
    ItemTime,
    Listening,
    Rating,
    RatingRevision,
    Screen,
)
NOTHING_GIVEN = (State.CONSENT, State.DECLINED, State.WITHDRAWN)


def give_all(study, owner):
    """A completed session of a platform's participant with a row in every table of answers."""
    ids = {"PROLIFIC_PID": "p1", "STUDY_ID": "s1", "SESSION_ID": "v1"}
    session = sessions.begin_visit(study, ids, consents=True)
    assert sessions.begin(session)
    item, question = study.items.first(), study.questions.first()
    for place in session.places.all():
        save(access.place_of_session(session.token, pk=place.pk), {q: 4 for q in _all(study)})
    rating = Rating.objects.filter(session=session).first()
    Rating.objects.filter(pk=rating.pk).update(reason="zq", data={"zq": "zq"})
    Coding.objects.create(rating=rating, coder=owner, coder_name="owner")
    extra = Screen.objects.create(
        session=session, position=9, kind="repeat", item=item, is_whole=True
    )
    at = timezone.now()
    Answer.objects.create(screen=extra, item=item, question=question, value=4, answered_at=at)
    factories.make_attempt(session, 1, True, ("?", "zq", True))
    factories.make_practice(session, item, fit=4)
    factories.make_about(session, "comments", text="zq")
    ItemTime.objects.create(session=session, item=item, active_seconds=1, idle_seconds=1)
    Listening.objects.create(session=session, item=item, content=item.content, played_seconds=1)
    assert sessions.finish(session) is None
    told = Rater.objects.get(pk=session.rater_id).platform_ids | {"approval_rate": 99}
    Rater.objects.filter(pk=session.rater_id).update(platform_ids=told)
    Session.objects.filter(pk=session.pk).update(
        browser="Firefox",
        device="phone",
        screen_width=360,
        layout="grid",
        order_row=3,
        hurried_at=at,
    )
    session = Session.objects.select_related("rater__study").get(pk=session.pk)
    exclude.exclude_by_hand(session.rater, owner, "typed zq everywhere")
    assert all(model.objects.exists() for model in GIVEN)
    return Session.objects.select_related("rater__study").get(pk=session.pk)


def _all(study):
    return list(study.questions.all())


@pytest.mark.django_db
def test_nothing_is_kept_but_the_fact_and_the_ids_to_pay(study, owner):
    session = give_all(study, owner)
    ended_at = session.ended_at
    withdraw(session)
    assert [model.__name__ for model in GIVEN if model.objects.exists()] == []
    kept = Session.objects.get()
    fields = {field.attname: getattr(kept, field.attname) for field in Session._meta.fields}
    assert fields.pop("last_seen_at") > ended_at > fields.pop("started_at")
    assert fields.pop("ended_at") == ended_at  # by which the minutes are paid
    assert fields == {
        "id": session.pk,
        "study_id": study.pk,
        "rater_id": session.rater_id,
        "token": session.token,
        "state": State.WITHDRAWN,
        "source": "web",
        "version": 1,
        "stopped_in": "",
        "current": 1,
        "order_row": None,
        "hurried_at": None,
        "items_done_at": None,
        "layout": "",
        "arm": "",
        "browser": "",
        "device": "",
        "screen_width": None,
        "withdrawn_items": 4,  # to be paid by; no word of what they were
        "told_endpoints": {},  # what its consent page said, which tells nothing of the rater
    }
    rater = Rater.objects.get()
    assert rater.platform_ids == {"PROLIFIC_PID": "p1", "STUDY_ID": "s1", "SESSION_ID": "v1"}
    assert rater.excluded_because == ""
    assert QualityStep.objects.get().words == exclude.FORGOTTEN
    assert Erasure.objects.get().rater == rater
    assert not Place.objects.exclude(state="open").exists()


@pytest.mark.django_db
def test_every_table_that_belongs_to_a_session_is_emptied():
    """Also one that somebody adds: no list names them."""
    of_session = {
        (model, field.name)
        for model in apps.get_models()
        for field in model._meta.concrete_fields
        if field.related_model is Session and not field.null
    }
    assert set(withdrawing.given()) == of_session >= {(FreedPlace, "session")}


@pytest.mark.django_db
@pytest.mark.parametrize("state", [state for state in State if state not in NOTHING_GIVEN])
def test_a_session_can_be_withdrawn_whatever_its_state(study, state):
    session = start(study)
    save(access.place_of_session(session.token, position=1), dict.fromkeys(_all(study), 4.0))
    Session.objects.filter(pk=session.pk).update(state=state)
    withdraw(session)
    assert Session.objects.get().state == State.WITHDRAWN
    assert not Rating.objects.exists()
    assert not Place.objects.exclude(state="open").exists()


@pytest.mark.django_db
@pytest.mark.parametrize("state", NOTHING_GIVEN)
def test_a_session_of_which_nothing_is_kept_stays_as_it_is(study, state):
    session = factories.make_session(study, state=state, source="link")
    ended = session.ended_at
    withdraw(session)
    assert (Session.objects.get().state, Session.objects.get().ended_at) == (state, ended)
    assert not Erasure.objects.exists()


@pytest.mark.django_db
def test_a_second_time_changes_nothing(study, owner):
    session = give_all(study, owner)
    withdraw(session)
    before = Session.objects.values().get(), Rater.objects.values().get()
    withdraw(session)
    withdraw(Session.objects.select_related("rater__study").get())
    assert (Session.objects.values().get(), Rater.objects.values().get()) == before
    assert Erasure.objects.count() == 1


@pytest.mark.django_db
def test_others_keep_theirs_and_get_the_places(study, owner):
    session, other = give_all(study, owner), start(study)
    save(access.place_of_session(other.token, position=1), dict.fromkeys(_all(study), 2.0))
    withdraw(session)
    assert Rating.objects.filter(session=other).count() == Rating.objects.count() == 4
    assert other.places.count() == 4
    assert start(study).places.count() == 4
    assert Session.objects.get(pk=other.pk).state == State.RATING


@pytest.mark.django_db
def test_the_copy_of_the_answers_that_a_file_brought_goes_too(study):
    session = start(study)
    copy = factories.make_session(study, session.rater.key)
    factories.make_rating(copy, study.items.first(), _all(study)[0], 4)
    withdraw(session)
    assert not Rating.objects.exists()
    assert set(Session.objects.values_list("state", flat=True)) == {"withdrawn"}


@pytest.mark.django_db
def test_a_recipients_places_are_kept_no_longer(study):
    item = study.items.first()
    rater = Rater.objects.create(study=study, key="eve", recipient=item.recipient)
    session = Session.objects.create(
        study=study, rater=rater, source="link", state=State.INSTRUCTIONS
    )
    Place.objects.filter(item=item, number=3).update(kept_for=rater)
    withdraw(session)
    assert not Place.objects.filter(kept_for__isnull=False).exists()


@pytest.mark.django_db
def test_what_comes_later_is_refused(study, rf):
    session = start(study)
    place = access.place_of_session(session.token, position=1)
    withdraw(session)
    with pytest.raises(NotNow):
        save(place, dict.fromkeys(_all(study), 4.0))
    report = timing.Report("a-name-of-a-page", 1.0, 1.0)
    timing.keep(place, report, timezone.now() + timedelta(seconds=9))
    study.extra = {"minimum_seconds": 3000}
    place.session.study.extra = study.extra
    hurry.mark(place, timezone.now())
    browsers.note(session, rf.post("/", {"width": "360"}, headers={"user-agent": "Firefox/9"}))
    kept = Session.objects.get()
    assert not Rating.objects.exists() and not ItemTime.objects.exists()
    assert (kept.browser, kept.device, kept.screen_width, kept.hurried_at) == ("", "", None, None)
    assert sessions.begin(session) and sessions.resume(session)
    assert Session.objects.get().state == State.WITHDRAWN
    assert not Place.objects.exclude(state="open").exists()


@pytest.mark.django_db(transaction=True)
def test_a_save_that_waited_for_the_withdrawal_writes_nothing(study):
    place = access.place_of_session(start(study).token, position=1)
    with pytest.raises(NotNow):
        meet(lambda: withdraw(place.session), lambda: save_elsewhere(place, {_all(study)[0]: 3.0}))
    assert not Rating.objects.exists() and not RatingRevision.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_withdrawal_that_waited_for_a_save_deletes_it(study):
    place = access.place_of_session(start(study).token, position=1)
    meet(lambda: save(place, dict.fromkeys(_all(study), 3.0)), lambda: _withdraw_elsewhere(place))
    assert not Rating.objects.exists() and not RatingRevision.objects.exists()
    assert not Place.objects.exclude(state="open").exists()


@pytest.mark.django_db(transaction=True)
def test_a_report_of_times_that_waited_for_the_withdrawal_is_not_kept(study):
    place = access.place_of_session(start(study).token, position=1)
    meet(lambda: withdraw(place.session), lambda: _report_elsewhere(place))
    assert not ItemTime.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_withdrawals_at_once_are_one(study):
    place = access.place_of_session(start(study).token, position=1)
    meet(lambda: withdraw(place.session), lambda: _withdraw_elsewhere(place))
    assert Erasure.objects.count() == 1


def _withdraw_elsewhere(place):
    try:
        withdraw(place.session)
    finally:
        connection.close()


def _report_elsewhere(place):
    try:
        later = timezone.now() + timedelta(seconds=9)
        timing.keep(place, timing.Report("a-name-of-a-page", 1.0, 1.0), later)
    finally:
        connection.close()


WITHDRAWALS = """
from annotate.sessions.withdraw import withdraw
for token in sys.argv[1:]:
    withdraw(access.session_or_404(token))
"""


@pytest.mark.django_db(transaction=True)
def test_processes_that_save_and_withdraw_at_once_leave_no_answer(tmp_path, owner):
    study = factories.make_study(
        "busy", owner=owner, items=12, raters_per_item=8, items_per_session=6
    )
    tokens = [start(study).token for _ in range(16)]
    env = environment(tmp_path)
    scripts = (SAVES, WITHDRAWALS, SAVES, WITHDRAWALS)
    running = [run(script, tokens, env) for script in scripts]
    for process in running:
        assert process.stdout.readline() == "ready\n"
    for process in running:
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in running:
        process.communicate(timeout=300)
    assert [process.returncode for process in running] == [0, 0, 0, 0]
    assert set(Session.objects.values_list("state", flat=True)) == {State.WITHDRAWN}
    assert not Rating.objects.exists() and not RatingRevision.objects.exists()
    assert not Place.objects.exclude(state="open").exists()
    assert Session.objects.filter(ended_at=F("last_seen_at")).count() == len(tokens)
    assert Erasure.objects.count() == len(tokens)
