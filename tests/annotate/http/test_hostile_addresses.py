"""Whatever a stranger sends to the addresses of raters: never a fault, and nothing of others."""

import pytest
from django.test import Client
from django.urls import get_resolver, reverse

from annotate.design import checks
from annotate.models import Answer, ItemTime, Rating, Session
from annotate.sessions import session as sessions
from tests import factories
from tests.annotate.sessions.test_screens import BOTH

pytestmark = pytest.mark.django_db
HUGE = 10**30
BODIES = [
    {},
    {"item": "9" * 40, "screen": "-1", "shown": "9" * 5000, "go": "\0", "consent": "\0yes"},
    {"item": "\u0661", "screen": "0x1", "shown": "nan", "view": "x" * 99, "active": "inf"},
    {"attempt": "1e3", "version": "'; DROP TABLE", "content": "-5", "kind": "image' OR 1=1"},
]
STATES = (
    "screener",
    "questions",
    "check",
    "practice",
    "exit",
    "abandoned",
    "completed",
    "rating",
)


@pytest.fixture
def study(owner):
    extra = {"attention": [BOTH | {"after": 1}], "repeats": 1, "exit": ["age", "comments"]}
    screener = {"questions": [{"key": "adult", "text": "?", "options": ["Yes", "No"]}]}
    extra |= {"questions_before": ["gender"], "screener": screener}
    assert checks.read_check(extra["attention"][0])
    study = factories.make_study(owner=owner, items=4, items_per_session=2, extra=extra)
    factories.make_question(study, "why", scale="text", required=False, position=9)
    factories.make_question(study, "many", scale="number", required=False, position=9)
    return study


def begun(study):
    session = sessions.begin_visit(study, {}, consents=True)
    sessions.move(session, Session.State.INSTRUCTIONS)
    assert sessions.begin(session)
    return Session.objects.get(pk=session.pk)


def addresses(mine, others):
    """Every address of a session, with numbers that are its own, somebody else's, and absurd."""
    names = [name for name in get_resolver().reverse_dict if isinstance(name, str)]
    for name in names:
        for _, parameters in get_resolver().reverse_dict.getlist(name)[0][0]:
            if parameters[:1] != ["token"] or name in ("media_file", "login_once"):
                continue
            for numbers in (mine, others, dict.fromkeys(mine, 0), dict.fromkeys(mine, HUGE)):
                given = {one: numbers[one] for one in parameters[1:]}
                yield reverse(name, kwargs={"token": mine["token"], **given})


def numbers_of(session, study):
    extra = session.screens.among_items().first()
    return {
        "token": session.token,
        "position": 2,
        "screen": extra.pk,
        "item": session.places.first().item_id,
        "question": study.questions.first().pk,
    }


def test_no_address_of_a_session_is_a_fault_whatever_is_sent(study):
    """The client raises what a view does not catch."""
    mine, other = begun(study), begun(study)
    fields = {f"q{question.pk}": "\ud83d\0" for question in study.questions.all()}
    found = list(addresses(numbers_of(mine, study), numbers_of(other, study)))
    assert len(found) > 40
    item = str(mine.places.first().item_id)
    found.sort(key=lambda path: "/withdraw/" in path)  # after which nothing is left to try
    bodies = [*BODIES, fields | {"item": item}]
    sent = [
        {name: value.encode(errors="replace") for name, value in body.items()} for body in bodies
    ]
    for turn, state in enumerate(STATES):
        for place, path in enumerate(found):
            if "/withdraw/" in path and state != "rating":
                continue
            Session.objects.filter(pk=mine.pk).update(state=state)
            if turn % 2 == place % 2:
                assert Client().get(path).status_code < 500
            # Each address gets each body, in one state or another.
            body = sent[(turn + place) % len(sent)]
            assert Client().post(path, body).status_code < 500, path
    assert not Rating.objects.filter(session=other).exists()
    assert not Answer.objects.filter(screen__session=other).exists()
    assert not ItemTime.objects.filter(session=other).exists()


def test_nothing_of_anothers_screens_is_saved_by_an_own_address(study):
    mine, other = begun(study), begun(study)
    extra = other.screens.among_items().exclude(item=None).get()
    foreign = other.places.exclude(item__in=mine.places.values("item")).first()
    question = study.questions.first()
    said = {f"q{question.pk}": "4"}
    for path in (
        f"/r/{mine.token}/screen/{extra.pk}/{extra.item_id}/{question.pk}/",
        f"/r/{mine.token}/answer/{foreign.item_id}/{question.pk}/",
    ):
        assert Client().post(path, said).status_code == 409  # leads on to what is one's own
    for hidden in ({"screen": extra.pk}, {"item": foreign.item_id}):
        page = Client().post(f"/r/{mine.token}/item/1/", said | hidden)
        assert page.status_code == 303  # likewise
    assert not Rating.objects.exists() and not Answer.objects.exists()
