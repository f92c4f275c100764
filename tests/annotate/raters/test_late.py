"""Every address of a session, pressed after a longer pause than places are held."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotate import urls
from annotate.models import (
    Answer,
    Place,
    Rating,
    Session,
    Study,
)
from annotate.sessions import places, steps
from annotate.sessions import session as sessions
from tests import factories
from tests.annotate.raters.test_views import answers
from tests.annotate.sessions.test_screens import BOTH, set_gold
from tests.annotate.sessions.test_screens import begin as begin_with
from tests.annotate.sessions.test_steps import CHECK, PRACTICE, ask, text_of

pytestmark = pytest.mark.django_db
State = Session.State
AWAY, LOST = "You were away for more than 60 minutes", "What you sent last was not saved"
ADULT = {"key": "adult", "text": "Adult?", "options": ["Yes", "No"], "screens_out": ["No"]}
BEFORE = [{"ready": "age", "required": True}]
EXIT = [{"key": "tv", "text": "A TV?", "scale": "binary", "required": True}]


def go_quiet(token):
    Session.objects.filter(token=token).update(last_seen_at=timezone.now() - timedelta(hours=2))
    return places.release_expired(timezone.now()), steps.settle_quiet(timezone.now())


def follow(client, response):
    """The page on which a browser ends up, whether a page or a fragment was sent."""
    address = response.get("HX-Redirect") or response.get("Location")
    return text_of(client.get(address, follow=True) if address else response)


@pytest.fixture
def asking(study):
    """A study that has every step but the making of lists."""
    ask(study, CHECK, PRACTICE, EXIT)
    study.extra |= {"screener": {"questions": [ADULT]}, "questions_before": BEFORE}
    study.save()
    return study


# What is sent from which step to which address, and what becomes of it.
STEPS = {
    "consent/": (State.INSTRUCTIONS, {"consent": "yes"}, "Welcome back"),
    "begin/": (State.INSTRUCTIONS, {}, "What to do"),
    "leave/": (State.INSTRUCTIONS, {}, "Welcome back"),
    "withdraw/": (State.INSTRUCTIONS, {}, "You have withdrawn"),
    "screener/": (State.SCREENER, {"qadult": "1"}, "adult"),
    "questions/": (State.QUESTIONS, {"qage": "31"}, "age"),
    "taste/": (State.TASTE, {"add": "1"}, LOST),
    "waiting/": (State.WAITING, {}, "Welcome back"),
    "check/": (State.CHECK, {"q1": "1", "attempt": "1"}, LOST),
    "practice/": (State.PRACTICE, {}, "Welcome back"),
    "practice/1/": (State.PRACTICE, {"q1": "1"}, LOST),
    "exit/": (State.EXIT, {"qtv": "1"}, "tv"),
}


@pytest.mark.parametrize("path", STEPS)
def test_a_step_that_is_pressed_late_is_done_or_says_that_it_was_not(client, asking, path):
    step, sent, outcome = STEPS[path]
    session = sessions.begin_visit(asking, {}, consents=True)
    if step == State.SCREENER:
        sent = sent | {"version": client.get(f"/r/{session.token}/{path}").context["version"]}
    done_at = timezone.now() if step == State.EXIT else None
    if done_at:
        factories.make_rating(session, asking.items.last(), asking.questions.first(), 4)
    Session.objects.filter(pk=session.pk).update(state=step, items_done_at=done_at)
    go_quiet(session.token)
    assert Session.objects.get().state == State.ABANDONED
    page = follow(client, client.post(f"/r/{session.token}/{path}", sent))
    kept = list(Answer.objects.values_list("key", flat=True))
    assert kept == ([outcome] if outcome in ("adult", "age", "tv") else [])
    assert kept or outcome in page
    assert (LOST in page) == (outcome == LOST)
    assert ("Welcome back" in page) == (outcome in (LOST, "Welcome back"))


def test_a_session_that_the_pause_completed_says_that_its_last_answers_came_too_late(client, study):
    ask(study, exit=["age"])
    session = sessions.begin_visit(study, {}, consents=True)
    Session.objects.update(state=State.EXIT, items_done_at=timezone.now())
    go_quiet(session.token)
    page = follow(client, client.post(f"/r/{session.token}/exit/", {"qage": "31"}))
    assert study.completion_code in page and LOST in page
    assert LOST not in follow(client, client.post(f"/r/{session.token}/exit/", {"qage": ""}))


def pause(study, becomes, with_stored):
    """(token, item): a session that was at its first item, and what became of that meanwhile."""
    study.items_per_session = 1
    study.save()
    study.places.exclude(number=1).delete()
    session = begin_with(study)
    place = session.places.select_related("item").get()
    if with_stored:
        one, *_ = study.questions.all()
        client = Client()
        client.post(f"/r/{session.token}/answer/{place.item_id}/{one.pk}/", {f"q{one.pk}": "4"})
    go_quiet(session.token)
    if becomes == "taken":
        place.item.places.update(state="filled")
    elif becomes == "none left":
        study.places.update(state="filled")
    elif becomes == "closed":
        Study.objects.update(state="closed")
    return session.token, place.item


# What is sent about the item: with how many answers, by which button.
SENT = {
    "next with all": ("item/1/", 4, {}),
    "next with some": ("item/1/", 2, {}),
    "next with what was stored": ("item/1/", 1, {}),
    "next with none": ("item/1/", 0, {}),
    "back": ("item/1/", 2, {"go": "back"}),
    "one answer": ("answer/{item}/{question}/", 2, {}),
}


@pytest.mark.parametrize("with_stored", [True, False])
@pytest.mark.parametrize("becomes", ["free", "taken", "none left", "closed"])
@pytest.mark.parametrize("sent", SENT)
def test_what_comes_late_about_an_item_is_saved_or_said_to_be_lost(
    client, study, sent, becomes, with_stored
):
    token, item = pause(study, becomes, with_stored)
    path, count, more = SENT[sent]
    data = dict(list(answers(study).items())[:count])
    second = study.questions.all()[1]
    if sent == "one answer":
        data.pop(f"q{study.questions.first().pk}")
    is_stored = with_stored and count == 1
    response = client.post(
        f"/r/{token}/{path.format(item=item.pk, question=second.pk)}",
        data | more | {"item": item.pk},
        headers={"HX-Request": "true"} if sent == "one answer" else {},
    )
    page = follow(client, response)
    stored = set(Rating.objects.values_list("question_id", flat=True))
    wanted = {int(name[1:]) for name in data}
    if becomes == "free":
        assert wanted <= stored and LOST not in page and AWAY not in page
        return
    assert response.status_code == (409 if sent == "one answer" else 303)
    assert len(stored) == with_stored
    assert (LOST in page) == (bool(data) and not is_stored)
    welcomed = "This study is closed" if becomes == "closed" else AWAY
    if becomes == "none left" and not with_stored:
        welcomed = "Welcome back"
    assert welcomed in page


@pytest.mark.parametrize("kind", ["attention", "repeat", "gold"])
@pytest.mark.parametrize("is_page", [True, False])
def test_what_comes_late_from_an_extra_screen_is_saved(client, study, kind, is_page):
    set_gold(study, [{"item": "item-3", "answers": {"accuracy": 4}}])
    # Drawn anew, the order may put the repeated item last, and none is repeated after itself.
    session = begin_with(study, order="fixed", attention=[BOTH], repeats=1, gold_per_session=1)
    first = session.places.order_by("position").first()
    client.post(f"/r/{session.token}/item/1/", {"item": first.item_id, **answers(study)})
    extra = session.screens.among_items().get(kind=kind)
    go_quiet(session.token)
    data = {"q0": ["A", "D"]} if kind == "attention" else answers(study)
    question = 0 if kind == "attention" else study.questions.first().pk
    fragment = (
        f"answer/{extra.item_id}/{question}/"
        if kind == "gold"
        else f"screen/{extra.pk}/{extra.item_id or 0}/{question}/"
    )
    hidden = {"item": extra.item_id} if kind == "gold" else {"screen": extra.pk}
    path, hidden = (f"item/{extra.position}/", hidden) if is_page else (fragment, {})
    response = client.post(f"/r/{session.token}/{path}", data | hidden)
    assert response.status_code == (303 if is_page else 200)
    assert Answer.objects.filter(screen__kind=kind).exists()
    assert LOST not in follow(client, response)


@pytest.mark.parametrize("seed", range(12))
def test_a_repeat_that_was_drawn_is_not_drawn_anew_by_a_pause(client, study, seed):
    study.extra = {"order_seed": f"seed {seed}"}
    study.save()
    set_gold(study, [{"item": "item-3", "answers": {"accuracy": 4}}])
    # Drawn anew, the order may put the repeated item last, and none is repeated after itself.
    session = begin_with(study, order="fixed", attention=[BOTH], repeats=1, gold_per_session=1)
    first = session.places.order_by("position").first()
    client.post(f"/r/{session.token}/item/1/", {"item": first.item_id, **answers(study)})
    drawn = session.screens.among_items().get(kind="repeat")
    go_quiet(session.token)
    client.post(f"/r/{session.token}/begin/")
    assert session.screens.among_items().get(kind="repeat").pk == drawn.pk


def test_who_paused_before_the_items_cannot_send_their_way_past_the_steps(client, study):
    session = sessions.begin_visit(ask(study, check=CHECK), {}, consents=True)
    go_quiet(session.token)
    item = study.items.first()
    client.post(f"/r/{session.token}/item/1/", {"item": item.pk, **answers(study)})
    assert not Place.objects.filter(session=session).exists()
    assert Session.objects.get().state == State.INSTRUCTIONS and not Rating.objects.exists()


def test_what_a_page_reports_by_itself_after_a_pause_is_dropped_unseen(client, study):
    token, item = pause(study, "taken", with_stored=False)
    assert client.post(f"/r/{token}/time/{item.pk}/", {}).status_code == 204


def test_every_address_of_a_session_is_pressed_late_here():
    own = {
        str(pattern.pattern).removeprefix("r/<slug:token>/")
        for pattern in urls.urlpatterns
        if str(pattern.pattern).startswith("r/<slug:token>/")
    }
    of_items = {"item/<int:position>/", "answer/<int:item>/<int:question>/"}
    of_items |= {"screen/<int:screen>/<int:item>/<int:question>/", "time/<int:item>/"}
    shown = {""}  # it takes no POST
    unseen = {"missing/"}  # the page reports it, and shows no answer
    steps = {path.replace("practice/1/", "practice/<int:position>/") for path in STEPS}
    assert own == of_items | shown | unseen | steps
