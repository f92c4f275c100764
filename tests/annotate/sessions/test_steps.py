"""What comes before and after the items: the check, practice, exit questions."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from annotate.files.loading.practice import mark_items
from annotate.models import (
    Answer,
    Place,
    Rating,
    Screen,
    Session,
    Study,
)
from annotate.sessions import exclude, places, steps
from annotate.sessions import session as sessions
from tests import factories

State = Session.State
CHECK = {
    "attempts": 2,
    "questions": [
        {
            "text": "What do you rate?",
            "options": ["Films", "Texts"],
            "answer": "Texts",
            "explanation": "The texts, not the films.",
        },
        {"text": "How many?", "options": ["2", "1"], "answer": "1"},
    ],
}
PRACTICE = [
    {"item": "item-0", "answers": {"accuracy": 5, "satisfaction": 4}, "feedback": "See?"},
    {"item": "item-1"},
]
EXIT = [
    "gender",
    "age",
    "familiarity",
    "movies_per_month",
    "comments",
    {"key": "tv", "text": "A TV?", "scale": "binary", "required": False},
]


def ask(study, check=None, practice=None, exit=None):
    given = {"comprehension": check, "practice": practice, "exit": exit}
    study.extra = {key: value for key, value in given.items() if value}
    study.save()
    mark_items(study)
    return study


def begin(client, study):
    """The address of a session after “Start”."""
    session = sessions.begin_visit(study, {}, consents=True)
    client.post(f"/r/{session.token}/begin/")
    return Session.objects.get(pk=session.pk)


def text_of(response):
    return " ".join(response.content.decode().split())


def attempt(client, session, *answers, number=None, follow=True):
    """Send the page that is shown, with these options, counted from 1."""
    page = client.get(f"/r/{session.token}/check/")
    sent = {"attempt": number or page.context["number"], "version": page.context["version"]}
    sent |= {f"q{place}": value for place, value in enumerate(answers, 1)}
    return client.post(f"/r/{session.token}/check/", sent, follow=follow)


def state(session):
    return Session.objects.get(pk=session.pk).state


def rate_all(client, session):
    """Every item of the session with 4, to its last page."""
    for place in session.places.order_by("position"):
        answers = {f"q{question.pk}": 4 for question in session.study.questions.all()}
        client.post(
            f"/r/{session.token}/item/{place.position}/",
            {"item": place.item_id, "go": "next", **answers},
        )


def at_exit(client, study):
    session = begin(client, study)
    rate_all(client, session)
    assert state(session) == State.EXIT
    return Session.objects.get(pk=session.pk)


def go_quiet(session, hours=2):
    Session.objects.filter(pk=session.pk).update(
        last_seen_at=timezone.now() - timedelta(hours=hours)
    )
    now = timezone.now()
    return places.release_expired(now), steps.settle_quiet(now)


# The check


@pytest.mark.django_db
def test_right_answers_lead_to_the_items_and_only_then_are_places_taken(client, study):
    session = begin(client, ask(study, check=CHECK))
    assert state(session) == State.CHECK
    assert not study.places.exclude(state=Place.State.OPEN).exists()
    page = attempt(client, session, 2, 2)
    assert "Now you can begin" in text_of(page)
    assert not study.places.exclude(state=Place.State.OPEN).exists()
    client.post(f"/r/{session.token}/begin/")
    assert state(session) == State.RATING
    assert session.places.count() == 4
    (kept,) = Screen.objects.all()
    assert (kept.number, kept.passed) == (1, True)
    assert kept.judged == [
        {"question": "What do you rate?", "answer": "Texts", "right": True},
        {"question": "How many?", "answer": "1", "right": True},
    ]


@pytest.mark.django_db
def test_a_wrong_answer_shows_the_instructions_again_and_the_last_one_ends_the_visit(client, study):
    Study.objects.update(
        instructions="Rate the *texts*.",
        extra={
            "comprehension": CHECK,
            "platform": {
                "name": "prolific",
                "open_link": True,
                "codes": {"screened_out": "OUT123"},
            },
        },
    )
    session = begin(client, Study.objects.get())
    page = text_of(attempt(client, session, 1, 2))
    assert "Attempt 2 of 2" in page and "One answer was not right" in page
    assert "<em>texts</em>" in page and '<details class="card" open>' in page
    assert "The texts, not the films." in page and "Your answer:</span>" not in page
    assert state(session) == State.CHECK
    page = text_of(attempt(client, session, 1, 2))
    assert state(session) == State.SCREENED_OUT
    assert "Your visit ends here" in page and "OUT123" in page
    assert list(Screen.objects.values_list("number", "passed")) == [
        (1, False),
        (2, False),
    ]
    assert not study.places.exclude(state=Place.State.OPEN).exists()
    client.post(f"/r/{session.token}/begin/")
    assert state(session) == State.SCREENED_OUT


@pytest.mark.django_db
def test_a_page_sent_twice_or_from_before_a_change_costs_no_attempt(client, study):
    session = begin(client, ask(study, check=CHECK))
    page = client.get(f"/r/{session.token}/check/")
    sent = {"attempt": 1, "version": page.context["version"], "q1": 1, "q2": 2}
    for _ in range(3):
        client.post(f"/r/{session.token}/check/", sent)
    assert Screen.objects.count() == 1 and state(session) == State.CHECK
    ask(study, check=CHECK | {"attempts": 3})
    client.post(f"/r/{session.token}/check/", sent | {"attempt": 2})
    assert Screen.objects.count() == 1
    attempt(client, session, 1, 1)
    attempt(client, session, 2, 2)
    assert list(Screen.objects.values_list("passed", flat=True)) == [
        False,
        False,
        True,
    ]


@pytest.mark.django_db
def test_a_gap_costs_no_attempt(client, study):
    session = begin(client, ask(study, check=CHECK))
    page = attempt(client, session, 2)
    assert page.status_code == 422 and "1 answer missing" in text_of(page)
    assert not Screen.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_attempts_sent_at_once_are_one(study):
    ask(study, check=CHECK)
    session = sessions.begin_visit(study, {}, consents=True)
    sessions.begin(session)
    check = steps.around.check_of(study)

    def send(_):
        try:
            steps.attempt(session, check, 1, {1: 1.0, 2: 2.0})
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(send, range(24)))
    assert Screen.objects.count() == 1
    assert state(session) == State.CHECK


@pytest.mark.django_db
def test_who_went_quiet_in_the_check_comes_back_with_the_attempts_they_had(client, study):
    session = begin(client, ask(study, check=CHECK))
    attempt(client, session, 1, 2)
    assert go_quiet(session) == (1, (0, 0))
    client.post(f"/r/{session.token}/begin/")
    client.post(f"/r/{session.token}/begin/")
    assert state(session) == State.CHECK
    attempt(client, session, 1, 2)
    assert state(session) == State.SCREENED_OUT


@pytest.mark.django_db
def test_who_is_in_the_check_when_the_study_closes_is_told_so(client, study):
    session = begin(client, ask(study, check=CHECK))
    Study.objects.update(state="closed")
    page = client.get(f"/r/{session.token}/check/", follow=True)
    assert "This study is closed" in text_of(page)
    attempts = client.post(f"/r/{session.token}/check/", {"attempt": 1}, follow=True)
    assert "This study is closed" in text_of(attempts) and not Screen.objects.exists()


# Practice


@pytest.mark.django_db
def test_practice_is_shown_with_feedback_and_is_no_rating(client, study):
    session = begin(client, ask(study, practice=PRACTICE))
    assert state(session) == State.PRACTICE
    address = f"/r/{session.token}/practice/1/"
    page = text_of(client.get(f"/r/{session.token}/", follow=True))
    assert "Practice 1 of 2" in page and "item-0" in page and "hx-post" not in page
    asked = {q.key: f"q{q.pk}" for q in study.questions.all()}
    assert client.post(address, {asked["accuracy"]: 5}).status_code == 422
    said = {name: 4 for name in asked.values()}
    page = text_of(client.post(address, said, follow=True))
    assert "One answer differs" in page and "Expected: <strong>Strongly agree</strong>" in page
    assert "Your answer: Agree <span" in page and "See?" in page
    client.post(address, {name: 1 for name in asked.values()})  # sent once more: the first counts
    assert Screen.objects.get(kind="practice").by_key == dict.fromkeys(asked, 4.0)
    client.post(f"/r/{session.token}/begin/")  # the second one is not done yet
    assert state(session) == State.PRACTICE
    page = text_of(client.get(f"/r/{session.token}/", follow=True))
    assert "Practice 2 of 2" in page
    page = text_of(client.post(f"/r/{session.token}/practice/2/", said, follow=True))
    assert "From now on your answers count" in page
    client.post(f"/r/{session.token}/begin/")
    assert state(session) == State.RATING
    assert sorted(session.places.values_list("item__key", flat=True)) == ["item-2", "item-3"]
    assert not Rating.objects.exists()


@pytest.mark.django_db
def test_an_item_that_becomes_practice_closes_its_open_places_and_gets_them_back(client, study):
    session = begin(client, study)  # holds one place of each of the four items
    ask(study, practice=[{"item": "item-0"}])
    first = study.items.get(key="item-0")
    assert list(first.places.values_list("state", flat=True)) == ["held"]
    assert not study.items.get(key="item-1").is_practice
    sessions.end_early(session, State.RETURNED)
    assert not first.places.exists()
    ask(study)
    assert sorted(first.places.values_list("number", "state")) == [
        (1, "open"),
        (2, "open"),
        (3, "open"),
    ]


# Exit


@pytest.mark.django_db
def test_exit_answers_are_kept_typed_and_complete_the_session(client, study):
    session = at_exit(client, ask(study, exit=EXIT))
    page = text_of(client.get(f"/r/{session.token}/", follow=True))
    assert "Last questions" in page and "You need not answer them" in page
    assert session.places.filter(state="filled").count() == 4
    wrong = client.post(f"/r/{session.token}/exit/", {"qage": "200", "qgender": "3"})
    assert wrong.status_code == 422 and "a number from 1 to 130" in text_of(wrong)
    other = client.post(f"/r/{session.token}/exit/", {"qgender": "9", "qfamiliarity": "55"})
    assert other.status_code == 422 and "one of Woman, Man" in text_of(other)
    given = {"qgender": "3", "qage": "34", "qfamiliarity": "60", "qtv": "1", "qcomments": " =1 "}
    page = client.post(f"/r/{session.token}/exit/", given, follow=True)
    assert "Thank you" in text_of(page) and study.completion_code in text_of(page)
    found = {one.key: (one.value, one.text) for one in Answer.objects.all()}
    assert found == {
        "gender": (3.0, "non-binary"),
        "age": (34.0, ""),
        "familiarity": (60.0, ""),
        "tv": (1.0, "Yes"),
        "comments": (None, "=1"),
    }
    client.post(f"/r/{session.token}/exit/", {"qage": "99"})
    assert Answer.objects.get(key="age").value == 34
    assert Rating.objects.for_analysis().count() == 16


@pytest.mark.django_db
def test_a_required_exit_question_is_asked_for_and_what_was_said_stays(client, study):
    session = at_exit(client, ask(study, exit=["gender", {"ready": "age", "required": True}]))
    page = client.post(f"/r/{session.token}/exit/", {"qgender": "1"})
    assert page.status_code == 422 and "1 answer missing" in text_of(page)
    assert Answer.objects.get().text == "woman"
    assert 'value="1" aria-keyshortcuts="1" checked' in text_of(
        client.get(f"/r/{session.token}/exit/")
    )
    client.post(f"/r/{session.token}/exit/", {"qage": "20"})
    assert state(session) == State.COMPLETED and Answer.objects.count() == 2


@pytest.mark.django_db
def test_a_question_that_has_moved_to_another_step_keeps_one_answer(client, study):
    session = at_exit(client, ask(study, exit=EXIT))
    before = Screen.objects.create(session=session, kind=Screen.Kind.BEFORE)
    for key, value, text in (("age", 34, ""), ("comments", None, "Hm."), ("height", 1.8, "")):
        before.answers.create(key=key, value=value, text=text, answered_at=timezone.now())
    client.post(f"/r/{session.token}/exit/", {"qage": "43", "qcomments": ""})
    stored = Answer.objects.order_by("key").values_list("screen__kind", "key", "value")
    assert list(stored) == [("exit", "age", 43.0), ("before", "height", 1.8)]


@pytest.mark.django_db
def test_who_goes_quiet_at_optional_exit_questions_has_completed(client, study):
    session = at_exit(client, ask(study, exit=EXIT))
    seen = timezone.now() - timedelta(hours=2)
    assert go_quiet(session) == (0, (1, 0))
    done = Session.objects.get(pk=session.pk)
    assert done.state == State.COMPLETED and abs(done.ended_at - seen) < timedelta(minutes=1)
    assert Rating.objects.for_analysis().count() == 16
    assert session.places.filter(state="filled").count() == 4


@pytest.mark.django_db
def test_who_goes_quiet_at_a_required_one_comes_back_to_it_whatever_became_of_the_places(
    client, study
):
    session = at_exit(client, ask(study, exit=[{"ready": "age", "required": True}]))
    assert go_quiet(session) == (0, (0, 1))
    assert state(session) == State.ABANDONED and not session.places.exists()
    study.items.get(key="item-0").places.all().delete()  # as if others had taken them
    Study.objects.update(state="closed")
    assert "Welcome back" in text_of(client.get(f"/r/{session.token}/"))
    client.post(f"/r/{session.token}/begin/")
    assert state(session) == State.EXIT
    client.post(f"/r/{session.token}/exit/", {"qage": "20"})
    assert state(session) == State.COMPLETED
    assert session.places.filter(state="filled").count() == 3
    assert Rating.objects.for_analysis().count() == 12 and Rating.objects.surplus().count() == 4


@pytest.mark.django_db
def test_a_study_that_closes_meanwhile_takes_the_exit_answers(client, study):
    session = at_exit(client, ask(study, exit=EXIT))
    Study.objects.update(state="closed")
    assert "Last questions" in text_of(client.get(f"/r/{session.token}/", follow=True))
    client.post(f"/r/{session.token}/exit/", {"qage": "20"})
    assert state(session) == State.COMPLETED


@pytest.mark.django_db
def test_the_places_of_an_excluded_rater_open_at_the_end_of_the_exit_questions(
    client, study, owner
):
    ask(study, exit=EXIT)
    session = begin(client, study)
    exclude.exclude_by_hand(session.rater, owner, "too fast")
    rate_all(client, session)
    assert session.places.count() == 4
    go_quiet(session)
    assert state(session) == State.COMPLETED and not session.places.exists()


@pytest.mark.django_db
def test_a_late_save_at_the_exit_questions_is_refused(client, study):
    session = at_exit(client, ask(study, exit=EXIT))
    item, question = study.items.first(), study.questions.first()
    late = client.post(
        f"/r/{session.token}/answer/{item.pk}/{question.pk}/", {f"q{question.pk}": "1"}
    )
    assert late.status_code == 409
    assert not Rating.objects.filter(value=1).exists()


@pytest.mark.django_db
def test_many_quiet_sessions_take_the_same_few_queries(
    client, study, django_assert_max_num_queries
):
    ask(study, exit=EXIT)
    for number in range(5):
        factories.make_session(study, f"r{number}", state=State.EXIT, source="web")
    Session.objects.update(last_seen_at=timezone.now() - timedelta(hours=2))
    with django_assert_max_num_queries(10):
        assert steps.settle_quiet(timezone.now()) == (5, 0)


@pytest.mark.django_db
def test_a_step_that_may_not_follow_is_refused(study):
    for before, after in [
        ("check", "exit"),
        ("exit", "rating"),
        ("practice", "exit"),
        ("completed", "exit"),
        ("screened_out", "check"),
    ]:
        session = factories.make_session(study, f"{before}-{after}", state=before)
        with pytest.raises(sessions.NotNow):
            sessions.move(session, after)


@pytest.mark.django_db
def test_who_leaves_at_the_exit_questions_is_known_to_have_stopped_there(client, study):
    session = at_exit(client, ask(study, exit=[{"ready": "age", "required": True}]))
    go_quiet(session)
    session.refresh_from_db()
    assert (session.state, session.stopped_in) == (State.ABANDONED, State.EXIT)


@pytest.mark.django_db
def test_no_place_goes_back_to_who_was_excluded_and_left_at_the_exit_questions(
    client, study, owner
):
    """A place of an abandoned session would be filled for good, without an answer that counts."""
    session = at_exit(client, ask(study, exit=[{"ready": "age", "required": True}]))
    exclude.exclude_by_hand(session.rater, owner, "too fast")
    go_quiet(session)
    exclude.include(session.rater, owner)
    assert state(session) == State.ABANDONED
    assert not session.places.exists()
    assert not study.places.exclude(state=Place.State.OPEN).exists()
