"""Questions about the rater between the consent and the instructions."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from analysis.exports.tables import header
from annotate.flow import around
from annotate.models import (
    Answer,
    Session,
    Study,
)
from annotate.sessions import places, steps
from annotate.sessions import session as sessions
from tests import factories
from tests.annotate.sessions.test_steps import state, text_of

State = Session.State
ASKED = [
    {"ready": "age", "required": True},
    "gender",
    {"key": "tv", "text": "A TV?", "scale": "binary", "required": False},
]


@pytest.fixture
def study(study):
    study.extra = {"questions_before": ASKED, "exit": ["comments"]}
    study.save()
    return study


def consent(client):
    page = client.post("/join/films/", {"consent": "yes"}, follow=True)
    return Session.objects.order_by("-pk").first(), page


def send(client, session, **answers):
    return client.post(f"/r/{session.token}/questions/", answers, follow=True)


def go_quiet(session):
    Session.objects.filter(pk=session.pk).update(last_seen_at=timezone.now() - timedelta(hours=2))
    return places.release_expired(timezone.now())


@pytest.mark.django_db
def test_they_come_after_the_consent_and_before_the_instructions(client, study):
    session, page = consent(client)
    assert state(session) == State.QUESTIONS
    assert "About you" in text_of(page) and "How old are you" in text_of(page)
    assert not study.places.exclude(state="open").exists()
    page = send(client, session, qage="31", qtv="1")
    assert "What to do" in text_of(page) and state(session) == State.INSTRUCTIONS
    kept = Answer.objects.order_by("key").values_list("screen__kind", "key", "value", "text")
    assert list(kept) == [("before", "age", 31.0, ""), ("before", "tv", 1.0, "Yes")]
    client.post(f"/r/{session.token}/begin/")
    assert state(session) == State.RATING


@pytest.mark.django_db
def test_a_required_one_is_asked_for_and_nobody_gets_past_it(client, study):
    session, _ = consent(client)
    page = send(client, session, qgender="1")
    assert page.status_code == 422 and "1 answer missing" in text_of(page)
    client.post(f"/r/{session.token}/begin/")
    assert state(session) == State.QUESTIONS
    again = text_of(client.get(f"/r/{session.token}/questions/"))
    assert "checked" in again and Answer.objects.get().text == "woman"
    wrong = send(client, session, qage="200")
    assert wrong.status_code == 422 and "a number from 1 to 130" in text_of(wrong)
    send(client, session, qage="20")
    assert state(session) == State.INSTRUCTIONS


@pytest.mark.django_db
def test_who_goes_back_from_the_instructions_may_change_an_answer(client, study):
    session, _ = consent(client)
    send(client, session, qage="20")
    page = send(client, session, qage="99")
    assert "What to do" in text_of(page)
    assert Answer.objects.get(key="age").value == 99
    assert send(client, session, qage="").status_code == 422
    assert Answer.objects.get(key="age").value == 99  # what is required is not taken back
    assert client.get(f"/r/{session.token}/questions/").url == f"/r/{session.token}/"
    Study.objects.update(state="closed")
    send(client, session, qage="21")
    assert Answer.objects.get(key="age").value == 99


@pytest.mark.django_db
def test_a_page_sent_again_or_from_another_tab_changes_nothing_later(client, study):
    session, _ = consent(client)
    send(client, session, qage="20")
    client.post(f"/r/{session.token}/begin/")
    assert state(session) == State.RATING
    send(client, session, qage="99")
    assert Answer.objects.get(key="age").value == 20


@pytest.mark.django_db
def test_what_was_typed_before_a_long_pause_is_kept(client, study):
    session, _ = consent(client)
    go_quiet(session)
    assert state(session) == State.ABANDONED
    assert "What to do" in text_of(send(client, session, qage="20"))
    assert Answer.objects.get(key="age").value == 20


@pytest.mark.django_db
def test_who_went_quiet_there_comes_back_to_them(client, study):
    session, _ = consent(client)
    send(client, session, qgender="2")
    assert go_quiet(session) == 1
    assert Session.objects.get(pk=session.pk).stopped_in == State.QUESTIONS
    page = client.post(f"/r/{session.token}/begin/", follow=True)
    assert state(session) == State.QUESTIONS and "About you" in text_of(page)


@pytest.mark.django_db
def test_who_was_past_them_is_not_asked_again_and_who_began_before_never(client, study):
    session, _ = consent(client)
    send(client, session, qage="20")
    go_quiet(session)
    client.post(f"/r/{session.token}/begin/")
    assert state(session) == State.INSTRUCTIONS
    Session.objects.update(state=State.ABANDONED, stopped_in="")  # from before that was kept
    client.post(f"/r/{session.token}/begin/")
    assert state(session) == State.INSTRUCTIONS


@pytest.mark.django_db
def test_when_they_are_taken_away_meanwhile_the_visit_goes_on(client, study):
    session, _ = consent(client)
    Study.objects.update(extra={})
    page = client.get(f"/r/{session.token}/", follow=True)
    assert "What to do" in text_of(page)
    client.post(f"/r/{session.token}/begin/")
    assert state(session) == State.RATING


@pytest.mark.django_db
def test_a_study_without_them_goes_to_its_instructions(client, study):
    Study.objects.update(extra={})
    session, page = consent(client)
    assert state(session) == State.INSTRUCTIONS and "What to do" in text_of(page)


@pytest.mark.django_db
def test_a_personal_link_leads_to_them(client, study):
    session = sessions.begin_visit(study, {}, consents=True)
    Session.objects.update(state=State.CONSENT, source="link")
    page = client.post(f"/r/{session.token}/consent/", {"consent": "yes"}, follow=True)
    assert "About you" in text_of(page) and state(session) == State.QUESTIONS


@pytest.mark.django_db
def test_who_is_there_may_withdraw_and_all_is_gone(client, study):
    session, _ = consent(client)
    send(client, session, qgender="2")
    client.post(f"/r/{session.token}/withdraw/")
    assert state(session) == State.WITHDRAWN and not Answer.objects.exists()


@pytest.mark.django_db
def test_a_closed_study_takes_no_answers_there(client, study):
    session, _ = consent(client)
    Study.objects.update(state="closed")
    assert "This study is closed" in text_of(send(client, session, qage="20"))
    assert not Answer.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_answers_sent_at_once_are_kept_once(study):
    session = sessions.begin_visit(study, {}, consents=True)
    (age, *_) = around.before_of(study)

    def answer(value):
        try:
            given = sessions.SentAnswer(age, float(value))
            return steps.tell(session, "before", [given])
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(answer, range(20, 36)))  # the first leads on, the others change it
    assert Answer.objects.count() == 1 and state(session) == State.INSTRUCTIONS


@pytest.mark.django_db
def test_their_columns_stand_before_those_of_the_exit_questions(client, study, as_owner):
    session, _ = consent(client)
    send(client, session, qage="31", qgender="3")
    factories.make_about(session, "comments", text="fine")
    assert header(study, "sessions")[-4:] == [
        "before_age",
        "before_gender",
        "before_tv",
        "exit_comments",
    ]
    for table in ("raters", "sessions"):
        page = as_owner.get(f"/studies/films/export/{table}.csv")
        text = (
            b"".join(page.streaming_content).decode() if page.streaming else page.content.decode()
        )
        assert text.splitlines()[-1].endswith("31,non-binary,,fine")
    Study.objects.update(extra={"questions_before": [], "exit": []})
    columns = header(Study.objects.get(), "raters")
    assert columns[-3:] == ["before_age", "before_gender", "exit_comments"]


@pytest.mark.django_db
def test_the_page_of_a_rater_shows_them_apart(client, study, as_owner):
    session, _ = consent(client)
    send(client, session, qage="31")
    page = text_of(as_owner.get(f"/studies/films/raters/{session.rater_id}/"))
    assert "<h3>Questions before</h3>" in page and "<dd>31</dd>" in page
    assert "<h3>Exit questions</h3>" not in page
