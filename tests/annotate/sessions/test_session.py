"""A session's steps: what may follow what, and what a save keeps."""

from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from annotate.design import access
from annotate.models import Coding, Place, Rating, RatingRevision, Session
from annotate.sessions import places
from annotate.sessions import session as sessions
from annotate.sessions.session import NotNow, SentAnswer
from tests import factories

pytestmark = pytest.mark.django_db
State = Session.State
# PostgreSQL takes all statements of a save in one message.
SAVE = {"sqlite": 7, "postgresql": 1}


@pytest.fixture
def session(study):
    """A session that rates four items."""
    session = sessions.begin_visit(study, {}, consents=True)
    assert sessions.begin(session)
    return Session.objects.get()


def place_at(session, position):
    return access.place_of_session(session.token, position=position)


def save(session, position, values, **options):
    """Save {question key: value} on one item."""
    questions = list(session.study.questions.all())
    answers = [
        SentAnswer(question, None, values[question.key])
        if question.scale.kind == "text"
        else SentAnswer(question, values[question.key])
        for question in questions
        if question.key in values
    ]
    return sessions.save_answers(place_at(session, position), questions, answers, **options)


def all_at(session, value=4.0):
    return dict.fromkeys(session.study.questions.values_list("key", flat=True), value)


def go_quiet(session):
    Session.objects.filter(pk=session.pk).update(last_seen_at=timezone.now() - timedelta(hours=2))
    assert places.release_expired(timezone.now()) == 1


# Steps


def test_consent_leads_to_the_instructions_and_a_pseudonym(study):
    session = sessions.begin_visit(study, {"PROLIFIC_PID": "p1"}, consents=True)
    assert session.state == State.INSTRUCTIONS
    assert session.rater.key.startswith("rater-") and "p1" not in session.rater.key


def test_declining_keeps_nothing_but_that(study):
    session = sessions.begin_visit(study, {"PROLIFIC_PID": "p1"}, consents=False)
    assert session.state == State.DECLINED and session.ended_at
    assert session.rater.platform_ids == {} and not session.places.exists()


@pytest.mark.parametrize("state", State)
def test_only_the_steps_of_the_table_are_allowed(study, state):
    for following in State:
        session = factories.make_session(study, state=state)
        if following in Session.NEXT[state]:
            sessions.move(session, following)
            assert Session.objects.get(pk=session.pk).state == following
        else:
            with pytest.raises(NotNow, match=f"{state} cannot become {following}"):
                sessions.move(session, following)


def test_a_step_that_another_process_took_already_is_refused(session):
    Session.objects.update(state=State.COMPLETED)
    with pytest.raises(NotNow, match="no longer rating"):
        sessions.move(session, State.ABANDONED)


def test_beginning_twice_claims_once(session):
    before = list(session.places.order_by("pk").values_list("pk", "position"))
    assert sessions.begin(session)
    assert list(session.places.order_by("pk").values_list("pk", "position")) == before


def test_a_session_cannot_begin_where_nothing_is_left(study):
    study.places.all().delete()
    session = sessions.begin_visit(study, {}, consents=True)
    assert not sessions.begin(session)
    assert Session.objects.get().state == State.INSTRUCTIONS


# Saves


def test_a_save_keeps_the_answer_its_revision_and_its_time(session):
    shown_at = timezone.now() - timedelta(seconds=12)
    save(session, 2, {"accuracy": 3.0}, shown_at=shown_at)
    rating = Rating.objects.get()
    assert (rating.value, rating.question.key, rating.item) == (
        3.0,
        "accuracy",
        place_at(session, 2).item,
    )
    assert 12 <= rating.seconds < 15
    assert list(rating.revisions.values_list("value", flat=True)) == [3.0]


@pytest.mark.parametrize(("shown_ago", "seconds"), [(-50, 0.0), (10**6, 86_400.0)])
def test_a_wrong_clock_gives_no_impossible_time(session, shown_ago, seconds):
    save(session, 1, {"accuracy": 3.0}, shown_at=timezone.now() - timedelta(seconds=shown_ago))
    assert Rating.objects.get().seconds == seconds


def test_a_changed_answer_replaces_the_first_and_both_are_remembered(session):
    save(session, 1, {"accuracy": 3.0})
    save(session, 1, {"accuracy": 5.0})
    assert Rating.objects.get().value == 5.0
    assert list(RatingRevision.objects.values_list("value", flat=True)) == [3.0, 5.0]


def test_the_same_answer_again_changes_nothing(session):
    save(session, 1, {"accuracy": 3.0})
    before = Rating.objects.values().get()
    save(session, 1, {"accuracy": 3.0})
    assert Rating.objects.values().get() == before and RatingRevision.objects.count() == 1


def test_a_place_is_filled_by_the_last_required_answer(session):
    optional = factories.make_question(session.study, "why", scale="text", required=False)
    values = all_at(session)
    del values[optional.key]
    last = values.popitem()
    assert [question.key for _, question in save(session, 1, values)] == [last[0]]
    assert place_at(session, 1).state == Place.State.HELD
    assert save(session, 1, dict([last])) == []
    assert place_at(session, 1).state == Place.State.FILLED


def test_a_filled_place_stays_filled_when_an_answer_changes(session):
    save(session, 1, all_at(session))
    save(session, 1, {"accuracy": 1.0})
    assert place_at(session, 1).state == Place.State.FILLED


def test_an_optional_text_can_be_taken_back_but_a_required_answer_cannot(session):
    why = factories.make_question(session.study, "why", scale="text", required=False)
    save(session, 1, {"accuracy": 3.0, "why": "So."})
    item_id = place_at(session, 1).item_id
    save(session, 1, {}, emptied=[(item_id, one) for one in session.study.questions.all()])
    assert list(Rating.objects.values_list("question__key", flat=True)) == ["accuracy"]
    assert not Rating.objects.filter(question=why).exists()


def test_a_text_that_was_coded_meanwhile_is_taken_back_with_its_codes(session):
    why = factories.make_question(session.study, "why", scale="text", required=False)
    save(session, 1, {"why": "So."})
    Coding.objects.create(rating=Rating.objects.get(), coder_name="owner")
    save(session, 1, {}, emptied=[(place_at(session, 1).item_id, why)])
    assert not (Rating.objects.exists() or RatingRevision.objects.exists())
    assert not Coding.objects.exists()


def test_a_question_that_is_not_asked_of_the_kind_is_not_missing(session):
    factories.make_question(session.study, "other", applies_to=["statement"])
    values = all_at(session)
    del values["other"]
    assert save(session, 1, values) == []


def test_a_save_after_the_end_is_refused(session):
    place = place_at(session, 1)
    Session.objects.update(state=State.COMPLETED)
    with pytest.raises(NotNow):
        sessions.save_answers(place, [], [])


def test_a_save_needs_few_queries(session, django_assert_num_queries):
    """Session, answer, revision, place, what is answered; and the two of the transaction."""
    place, questions = place_at(session, 1), list(session.study.questions.all())
    with django_assert_num_queries(SAVE[connection.vendor]):
        sessions.save_answers(place, questions, [SentAnswer(questions[0], 4.0)])


def test_a_save_of_a_whole_item_needs_no_more(session, django_assert_num_queries):
    place, questions = place_at(session, 1), list(session.study.questions.all())
    with django_assert_num_queries(SAVE[connection.vendor]):
        sessions.save_answers(
            place, questions, [SentAnswer(question, 4.0) for question in questions]
        )


# Pause and end


def test_a_session_with_a_gap_cannot_finish_and_says_where_it_is(session):
    for position in (1, 2, 4):
        save(session, position, all_at(session))
    assert sessions.finish(session) == 3
    assert Session.objects.get().state == State.RATING


def test_a_whole_session_finishes_and_fills_its_places(session):
    for position in (1, 2, 3, 4):
        save(session, position, all_at(session))
    assert sessions.finish(session) is None
    done = Session.objects.get()
    assert done.state == State.COMPLETED and done.ended_at
    assert set(done.places.values_list("state", flat=True)) == {"filled"}
    assert Rating.objects.for_analysis().count() == 16


def test_a_returning_rater_gets_what_they_had_and_goes_on_at_the_first_gap(session):
    whole, begun = place_at(session, 3).item, place_at(session, 1).item
    save(session, 3, all_at(session))
    save(session, 1, {"accuracy": 2.0})
    go_quiet(session)
    assert sessions.resume(session)
    session.refresh_from_db()
    assert (session.state, session.current) == (State.RATING, 2)
    items = [place.item for place in session.places.order_by("position")]
    assert items[:2] == [whole, begun] and len(set(items)) == 4
    assert place_at(session, 1).state == "filled" and place_at(session, 2).state == "held"


def test_a_returning_rater_without_answers_reads_the_instructions_again(session):
    go_quiet(session)
    assert sessions.resume(session)
    assert Session.objects.get().state == State.INSTRUCTIONS


def test_a_returning_rater_gets_other_items_where_theirs_are_taken(study, session):
    save(session, 1, all_at(session))
    lost = place_at(session, 1).item
    go_quiet(session)
    lost.places.all().delete()
    assert sessions.resume(session)
    items = {place.item for place in session.places.all()}
    assert lost not in items and len(items) == 3
    assert Rating.objects.count() == 4


def test_a_returning_rater_is_told_when_nothing_is_left(study, session):
    save(session, 1, all_at(session))
    go_quiet(session)
    study.places.all().delete()
    assert not sessions.resume(session)
    assert Session.objects.get().state == State.ABANDONED


# Who joins


IDS = {"PROLIFIC_PID": "p1", "STUDY_ID": "s", "SESSION_ID": "v1"}


def test_the_same_visit_of_a_platform_opens_the_same_session(study):
    session = sessions.begin_visit(study, IDS, consents=True)
    assert sessions.begin_visit(study, IDS, consents=True) == session


@pytest.mark.parametrize("ids", [IDS | {"SESSION_ID": "v2"}, {"PROLIFIC_PID": "p1"}])
def test_another_visit_of_the_same_participant_opens_nothing(study, ids):
    sessions.begin_visit(study, IDS, consents=True)
    with pytest.raises(NotNow):
        sessions.begin_visit(study, ids, consents=True)
    assert Session.objects.count() == 1


def test_who_comes_back_after_sessions_have_become_shorter_keeps_what_they_rated(owner):
    study = factories.make_study(owner=owner, items=8, items_per_session=6)
    session = sessions.begin_visit(study, {}, consents=True)
    assert sessions.begin(session)
    for position in (1, 2, 3):
        save(session, position, all_at(session))
    rated = set(Rating.objects.values_list("item", flat=True))
    go_quiet(session)
    type(study).objects.update(items_per_session=2)
    assert sessions.resume(Session.objects.get())
    assert set(session.places.values_list("item", flat=True)) == rated and len(rated) == 3
    assert set(session.places.values_list("state", flat=True)) == {"filled"}
    assert sessions.finish(Session.objects.get()) is None


def test_nobody_is_sent_away_for_who_is_gone_though_no_worker_runs(client, study):
    """Of four items three raters hold all places; one of them has been quiet for two hours."""
    held = [sessions.begin_visit(study, {}, consents=True) for _ in range(3)]
    assert all(sessions.begin(one) for one in held)
    assert sessions.why_closed(study) == "full"
    Session.objects.filter(pk=held[0].pk).update(last_seen_at=timezone.now() - timedelta(hours=2))
    page = client.post("/join/films/", {"consent": "yes"}, follow=True).content.decode()
    assert "All places are taken" not in page
    token = Session.objects.latest("pk").token
    assert client.post(f"/r/{token}/begin/")["Location"] == f"/r/{token}/item/1/"
    assert Session.objects.get(pk=held[0].pk).state == State.ABANDONED
    assert sessions.why_closed(study) == "full"


@pytest.mark.parametrize("is_back", [False, True])
def test_who_begins_gets_at_once_what_nobody_holds_any_more(client, study, is_back):
    """No page came between that would have swept: the request to begin is the first to look."""
    late = sessions.begin_visit(study, {}, consents=True)
    if is_back:
        assert sessions.begin(late)
        save(late, 1, all_at(late))
        go_quiet(late)
        assert Session.objects.get(pk=late.pk).state == State.ABANDONED
    for _ in range(3):
        assert sessions.begin(sessions.begin_visit(study, {}, consents=True))
    others = Session.objects.exclude(pk=late.pk)
    others.update(last_seen_at=timezone.now() - timedelta(hours=2))
    answer = client.post(f"/r/{late.token}/begin/")
    assert answer["Location"].startswith(f"/r/{late.token}/item/")
    assert study.places.filter(session=late).count() == 4
