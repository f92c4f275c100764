"""The screener: who is ended right after the consent, and quotas that never take one too many."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from analysis.exports.tables import header
from annotate.flow import quotas
from annotate.flow.screener import screener_of
from annotate.models import (
    Answer,
    Session,
    Study,
)
from annotate.sessions import places, steps
from annotate.sessions import session as sessions
from annotate.sessions.exclude import exclude_by_hand
from tests import factories
from tests.annotate.sessions.test_steps import rate_all, state, text_of
from tests.processes import ROOT, environment

State = Session.State
SCREENER = {
    "questions": [
        {
            "key": "adult",
            "text": "How old are you?",
            "options": ["under 18", "18 or over"],
            "screens_out": ["under 18"],
        },
        {"key": "sex", "text": "Are you …", "options": ["a woman", "a man", "neither"]},
    ],
    "quotas": [
        {"name": "Women", "question": "sex", "options": ["a woman"], "most": 2},
        {"name": "Others", "question": "sex", "options": ["a man", "neither"], "most": 1},
    ],
}
CHILD, ADULT, WOMAN, MAN, NEITHER = 1, 2, 1, 2, 3


def screened(study, most=None):
    study.extra = {
        "screener": SCREENER,
        "screen_out_pay": "You get $0.14 <in any case>.",
        "platform": {"name": "prolific", "open_link": True, "codes": {"screened_out": "OUT1"}},
    }
    if most is not None:
        quota = SCREENER["quotas"][0] | {"most": most}
        study.extra["screener"] = SCREENER | {"quotas": [quota]}
    study.save()
    return study


@pytest.fixture
def study(study):
    return screened(study)


def visit(study):
    return sessions.begin_visit(study, {}, consents=True)


def send(client, session, adult=ADULT, sex=WOMAN):
    """Send the page of the screener with these answers, and return the page that follows."""
    address = f"/r/{session.token}/screener/"
    page = client.get(address)
    version = page.context["version"] if page.status_code == 200 else ""
    sent = {"version": version, "qadult": adult, "qsex": sex}
    return client.post(address, {k: v for k, v in sent.items() if v is not None}, follow=True)


def screen(session, sex=WOMAN):
    """Answer without a page."""
    asked = screener_of(session.study).questions
    answers = [
        sessions.SentAnswer(question, float(value))
        for question, value in zip(asked, (ADULT, sex), strict=True)
    ]
    steps.tell(session, "screener", answers)
    return state(session)


def go_quiet(session):
    Session.objects.filter(pk=session.pk).update(last_seen_at=timezone.now() - timedelta(hours=2))
    places.release_expired(timezone.now())


def counts(study):
    return [count for _, count in quotas.list_counts(Study.objects.get(pk=study.pk))]


# Who is screened out


@pytest.mark.django_db
def test_it_comes_right_after_the_consent_and_who_fits_goes_on(client, study):
    page = client.post("/join/films/", {"consent": "yes"}, follow=True)
    session = Session.objects.get()
    assert state(session) == State.SCREENER and "How old are you?" in text_of(page)
    page = send(client, session)
    assert "What to do" in text_of(page) and state(session) == State.INSTRUCTIONS
    kept = Answer.objects.order_by("key").values_list("screen__kind", "key", "text")
    assert list(kept) == [("screener", "adult", "18 or over"), ("screener", "sex", "a woman")]
    assert counts(study) == [1, 0]


@pytest.mark.django_db
def test_an_option_that_screens_out_ends_the_visit_kindly_with_code_and_pay(client, study):
    session = visit(study)
    page = text_of(send(client, session, adult=CHILD))
    assert state(session) == State.SCREENED_OUT
    assert Session.objects.get().stopped_in == State.SCREENER
    assert "This study is looking for other people" in page and "OUT1" in page
    assert "You get $0.14 &lt;in any case&gt;." in page
    assert counts(study) == [0, 0]
    client.post(f"/r/{session.token}/begin/")
    send(client, session, adult=ADULT)
    assert state(session) == State.SCREENED_OUT
    assert not study.places.exclude(state="open").exists()


@pytest.mark.django_db
def test_who_finds_a_quota_full_is_told_the_same(client, study):
    assert send(client, visit(study), sex=MAN).status_code == 200
    late = visit(study)
    assert "looking for other people" in text_of(send(client, late, sex=NEITHER))
    assert state(late) == State.SCREENED_OUT and counts(study) == [0, 1]
    assert screen(visit(study)) == State.INSTRUCTIONS


@pytest.mark.django_db
def test_all_questions_need_an_answer_and_nobody_gets_past_them(client, study):
    session = visit(study)
    page = send(client, session, sex=None)
    assert page.status_code == 422 and "1 answer missing" in text_of(page)
    assert send(client, session, sex=7).status_code == 422
    client.post(f"/r/{session.token}/begin/")
    assert state(session) == State.SCREENER and not Answer.objects.exists()


@pytest.mark.django_db
def test_a_page_from_before_a_change_ends_nobody(client, study):
    session = visit(study)
    version = client.get(f"/r/{session.token}/screener/").context["version"]
    first, second = SCREENER["questions"]
    turned = first | {"options": first["options"][::-1]}
    study.extra["screener"] = SCREENER | {"questions": [turned, second]}
    study.save()
    sent = {"version": version, "qadult": ADULT, "qsex": WOMAN}
    page = client.post(f"/r/{session.token}/screener/", sent, follow=True)
    assert "How old are you?" in text_of(page) and state(session) == State.SCREENER


@pytest.mark.django_db
def test_the_check_still_ends_with_its_own_words(client, study):
    study.extra["comprehension"] = {"attempts": 1, "questions": []}
    study.save()
    session = visit(study)
    Session.objects.update(state=State.SCREENED_OUT, stopped_in=State.CHECK)
    page = text_of(client.get(f"/r/{session.token}/"))
    assert "Your visit ends here" in page and "You get $0.14" in page


@pytest.mark.django_db
def test_sessions_from_before_the_screener_go_on_and_count_in_no_quota(client, study):
    session = visit(study)
    Session.objects.update(state=State.INSTRUCTIONS)
    client.post(f"/r/{session.token}/begin/")
    assert state(session) == State.RATING and counts(study) == [0, 0]
    go_quiet(session)
    client.post(f"/r/{session.token}/begin/")
    assert state(session) == State.INSTRUCTIONS


# Who is counted


@pytest.mark.django_db
def test_who_runs_and_who_completed_is_counted(client, study):
    session = visit(study)
    screen(session)
    client.post(f"/r/{session.token}/begin/")
    assert counts(study) == [1, 0]
    rate_all(client, session)
    assert state(session) == State.COMPLETED and counts(study) == [1, 0]


@pytest.mark.django_db
@pytest.mark.parametrize("ending", ["returned", "failed_attention", "withdrawn", "abandoned"])
def test_who_stops_makes_room(client, study, ending):
    session = visit(study)
    screen(session, MAN)
    client.post(f"/r/{session.token}/begin/")
    if ending == "withdrawn":
        client.post(f"/r/{session.token}/withdraw/")
    elif ending == "abandoned":
        go_quiet(session)
    else:
        sessions.end_early(session, ending)
    assert state(session) == ending and counts(study) == [0, 0]
    assert screen(visit(study), MAN) == State.INSTRUCTIONS


@pytest.mark.django_db
def test_an_excluded_rater_makes_room_as_their_places_do(study, owner):
    session = visit(study)
    screen(session, MAN)
    exclude_by_hand(session.rater, owner, "too fast")
    assert counts(study) == [0, 0]


@pytest.mark.django_db
@pytest.mark.parametrize("begun", [False, True])
def test_who_comes_back_gets_the_quota_again_or_is_told_that_it_is_full(client, study, begun):
    session = visit(study)
    screen(session, MAN)
    if begun:
        client.post(f"/r/{session.token}/begin/")
        (place, *_) = session.places.order_by("position")
        question = study.questions.first()
        client.post(
            f"/r/{session.token}/answer/{place.item_id}/{question.pk}/", {f"q{question.pk}": "4"}
        )
    go_quiet(session)
    other = visit(study)
    screen(other, NEITHER)
    page = client.post(f"/r/{session.token}/begin/", follow=True)
    assert "All places are taken" in text_of(page)
    assert state(session) == State.ABANDONED and counts(study) == [0, 1]
    sessions.end_early(other, State.RETURNED)
    client.post(f"/r/{session.token}/begin/")
    assert state(session) == (State.RATING if begun else State.INSTRUCTIONS)
    assert counts(study) == [0, 1]


@pytest.mark.django_db
def test_who_has_rated_all_keeps_the_quota_and_finishes_after_any_pause(client, study):
    study.extra["exit"] = [{"ready": "age", "required": True}]
    study.save()
    session = visit(study)
    screen(session, MAN)
    client.post(f"/r/{session.token}/begin/")
    rate_all(client, session)
    assert state(session) == State.EXIT
    go_quiet(session)
    steps.settle_quiet(timezone.now())
    assert state(session) == State.ABANDONED and counts(study) == [0, 1]
    other = visit(study)
    screen(other, NEITHER)
    assert state(other) == State.SCREENED_OUT
    client.post(f"/r/{session.token}/begin/")
    client.post(f"/r/{session.token}/exit/", {"qage": "30"})
    assert state(session) == State.COMPLETED and counts(study) == [0, 1]


@pytest.mark.django_db
def test_who_comes_back_to_a_full_quota_is_led_back_to_the_platform(client, study):
    study.extra["platform"]["codes"]["too_late"] = "LATE1"
    study.save()
    session = visit(study)
    screen(session, MAN)
    go_quiet(session)
    address = f"/r/{session.token}/leave/"
    assert client.post(address).url == f"/r/{session.token}/"
    screen(visit(study), MAN)
    assert "cc=LATE1" in client.post(address).url


@pytest.mark.django_db
def test_who_went_quiet_in_the_screener_comes_back_to_it(client, study):
    session = visit(study)
    go_quiet(session)
    page = client.post(f"/r/{session.token}/begin/", follow=True)
    assert state(session) == State.SCREENER and "How old are you?" in text_of(page)


@pytest.mark.django_db
def test_a_screener_leads_to_the_questions_before(client, study):
    study.extra["questions_before"] = ["age"]
    study.save()
    session = visit(study)
    assert screen(session) == State.QUESTIONS and counts(study) == [1, 0]
    go_quiet(session)
    client.post(f"/r/{session.token}/begin/")
    assert state(session) == State.QUESTIONS


@pytest.mark.django_db
def test_the_live_page_counts_quotas_and_shows_the_screener_among_the_steps(study, as_owner):
    screen(visit(study))
    visit(study)
    page = text_of(as_owner.get("/studies/films/"))
    assert '<dt>Women</dt><dd class="num">1 of 2</dd>' in page
    assert '<dt>Others</dt><dd class="num">0 of 1</dd>' in page
    assert "<td>Answers the screener</td>" in page


@pytest.mark.django_db
def test_its_answers_are_columns_before_all_others(study):
    study.extra |= {"exit": ["age"]}
    screen(visit(study))
    assert header(study, "sessions")[-3:] == ["screener_adult", "screener_sex", "exit_age"]
    study.extra = {}
    assert not any("screener" in column for column in header(study, "sessions"))


# At once


@pytest.mark.django_db(transaction=True)
def test_threads_at_once_never_fill_a_quota_with_one_too_many(study):
    screened(study, most=5)
    begun = [visit(study) for _ in range(24)]

    def answer(session):
        try:
            return screen(session)
        finally:
            connection.close()

    with ThreadPoolExecutor(12) as pool:
        found = list(pool.map(answer, begun * 2))
    assert set(found) == {State.INSTRUCTIONS, State.SCREENED_OUT}
    assert Session.objects.filter(state=State.INSTRUCTIONS).count() == 5
    assert Session.objects.filter(state=State.SCREENED_OUT).count() == 19


# Each waits for "go", so that all of them come at once. Quiet ones come back among new ones.
PROGRAM = """
import sys, django
django.setup()
from annotate.flow.screener import screener_of
from annotate.models import Session
from annotate.sessions import session as sessions, steps
print("ready", flush=True)
sys.stdin.readline()
for token in sys.argv[1:]:
    session = Session.objects.select_related("study", "rater").get(token=token)
    if session.state == "abandoned":
        sessions.resume(session)
    else:
        asked = screener_of(session.study).questions
        answers = [sessions.SentAnswer(q, v) for q, v in zip(asked, (2.0, 1.0))]
        steps.tell(session, "screener", answers)
"""


@pytest.mark.django_db(transaction=True)
def test_processes_at_once_with_visitors_who_come_back_never_take_one_too_many(tmp_path, owner):
    most = 7
    study = screened(factories.make_study("busy", owner=owner, items=4), most=most)
    quiet = [visit(study) for _ in range(most)]
    assert [screen(session) for session in quiet] == [State.INSTRUCTIONS] * most
    Session.objects.update(state=State.ABANDONED, stopped_in=State.INSTRUCTIONS)
    tokens = [session.token for session in quiet] + [visit(study).token for _ in range(24)]
    running = [run(tokens[number::4], environment(tmp_path)) for number in range(4)]
    for process in running:
        assert process.stdout.readline() == "ready\n"
    for process in running:
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in running:
        assert process.wait(timeout=300) == 0
    assert counts(study) == [most]
    taken = Session.objects.filter(state=State.INSTRUCTIONS).count()
    out = Session.objects.filter(state__in=[State.SCREENED_OUT, State.ABANDONED]).count()
    assert (taken, out) == (most, 24)


def run(tokens, env):
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *tokens],
        cwd=ROOT,
        env=env | {"DJANGO_SETTINGS_MODULE": "config.settings"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
