"""Role × URL × method: whoever may not call a route changes nothing there and learns nothing.

Every route of the urlconf, nine callers, GET and POST, in the API PATCH, PUT and DELETE too. The
rows of all tables are hashed once before a caller and once after; only where the two differ every
request is looked at alone.
"""

import re

import pytest
from django.utils import timezone

from annotate.models import (
    Answer,
    Rater,
    Rating,
    Screen,
    Session,
)
from tests import factories
from tests.sweep.asking import send, undone
from tests.sweep.callers import CALLERS, PROGRAMS, make_caller, make_program
from tests.sweep.canaries import MARK, marks_of, text_columns
from tests.sweep.judging import wrong_with
from tests.sweep.policy import POLICY
from tests.sweep.routes import PARAMETER
from tests.sweep.rows import differing, kept
from tests.sweep.world import DRAFT, NO_STUDY, OTHERS, OWN, WORDS

pytestmark = pytest.mark.django_db
STRANGERS = [name for name in CALLERS if name not in ("viewer", "editor", "owner", "program")]
# POSTs that change nothing whoever sends them, and why.
CHANGE_NOTHING = {
    "admin/password_change/": "the people of the sweep have no password",
    "admin/annotate/rater/": "nothing is done to several raters at once",
    "admin/annotate/session/": "nothing is done to several sessions at once",
    "admin/judges/endpoint/": "the endpoint has judges, so it is not deleted",
    "admin/judges/endpoint/<path:object_id>/delete/": "the endpoint has judges",
    "studies/<slug:slug>/models/new/<slug:provider>/names/": "asks a provider, and keeps nothing",
    "studies/<slug:slug>/models/<int:pk>/names/": "likewise",
    "r/<slug:token>/consent/": "the session is past it",
    "r/<slug:token>/leave/": "only leads away",
    "r/<slug:token>/begin/": "the session is past it",
    "r/<slug:token>/screener/": "the session is past it",
    "r/<slug:token>/questions/": "the session is past it",
    "r/<slug:token>/taste/": "the session is past it",
    "r/<slug:token>/check/": "the session is past it",
    "r/<slug:token>/practice/<int:position>/": "the session is past it",
    "r/<slug:token>/exit/": "the session is not there yet",
    "r/<slug:token>/screen/<int:screen>/<int:item>/<int:question>/": "its form is on another page",
    "r/<slug:token>/time/<int:item>/": "times are told by a script",
    "r/<slug:token>/missing/": "told by a script, of a picture on the page",
}
NOT_HELD = "none-such-token"
NO_NAMES = ("<slug:slug>", "<slug:side>", "<int:position>")  # parameters that name no row
# A computation that is not there has ended: its page loads itself anew, whatever the key.
NO_ROWS = ("studies/<slug:slug>/analysis/computing/<slug:key>/",)


def values_for(caller, values):
    """Whoever has no link of a session or file can only guess one."""
    if "rater" in caller.on_pages:
        return values
    return values | {"r/<slug:token>": NOT_HELD, "media/<slug:token>": NOT_HELD}


def sweep_all(caller, asks):
    """Fail with all that is wrong: with the answers, or with what requests changed."""
    problems = found_wrong(caller, asks)
    assert not problems, f"{caller.name}:\n" + "\n".join(problems)


def found_wrong(caller, asks):
    """What is wrong with the answers, and what the requests changed that change nothing."""
    problems, before = [], kept()
    quiet = [ask for ask in asks if not _may_change(caller, ask)]
    with undone():
        problems += [_problem(caller, ask) for ask in quiet]
        changed = differing(before, kept())
    if changed:
        problems += _who_changed(caller, quiet, before) or [f"together they change {changed}"]
    for ask in asks:
        if _may_change(caller, ask):
            with undone():
                problems.append(_problem(caller, ask))
    return [problem for problem in problems if problem]


def _may_change(caller, ask):
    return ask.method != "GET" and caller.may(ask.who, ask.route, ask.method)


def _problem(caller, ask):
    wrong = wrong_with(caller, ask, send(caller.client, ask))
    return f"{ask} {wrong}" if wrong else ""


def _who_changed(caller, asks, before):
    offenders = []
    for ask in asks:
        with undone():
            send(caller.client, ask)
            changed = differing(before, kept())
        offenders += [f"{ask} changes {changed}"] if changed else []
    return offenders


def test_every_route_has_an_address_and_every_text_a_mark(sweep):
    """Else an answer that tells such a text would look as one that tells nothing."""
    assert len(sweep.asks()) > 2 * len(POLICY)
    bare = [
        f"{model._meta.model_name}.{name}"
        for model, columns in text_columns()
        for name in columns
        if not any(MARK.search(text) for text in model.objects.values_list(name, flat=True))
    ]
    assert bare == [], "columns without a mark: make a row in tests/sweep, or name the reason"


@pytest.mark.parametrize("name", ["owner", "operator", "rater"])
def test_the_bodies_that_are_sent_would_change_something(sweep, name):
    """A refused request proves something if the same request of who may is not without effect."""
    caller = make_caller(name, sweep.world)
    before, effects = kept(), {}
    for ask in sweep.asks():
        is_try = ask.who in ("viewer", "anyone")
        if _may_change(caller, ask) and not is_try and ask.route not in CHANGE_NOTHING:
            with undone():
                send(caller.client, ask)
                has_effect = bool(differing(before, kept()))
            key = ask.method, ask.route
            effects[key] = effects.get(key, False) or has_effect
    assert [key for key, has_effect in effects.items() if not has_effect] == []


@pytest.mark.parametrize("name", CALLERS)
def test_who_may_is_served_and_who_may_not_changes_and_learns_nothing(sweep, name):
    caller = make_caller(name, sweep.world)
    sweep_all(caller, sweep.asks(values_for(caller, sweep.world.values)))


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_may_not_more_than_its_token(sweep, name):
    caller = make_program(name, sweep.world)
    sweep_all(caller, sweep.asks(values_for(caller, sweep.world.values)))


@pytest.mark.parametrize("name", STRANGERS)
def test_a_study_of_others_looks_like_one_that_does_not_exist(sweep, name):
    """The same status and the same words, so nobody finds out which studies there are."""
    caller = make_caller(name, sweep.world)
    values = values_for(caller, sweep.world.values)
    pairs = zip(sweep.asks(values), sweep.asks(_in_study(values, NO_STUDY)), strict=True)
    different = [
        str(ask)
        for ask, nowhere in pairs
        if ask.path != nowhere.path and not caller.may(ask.who, ask.route, ask.method)
        if _told(caller, ask) != _told(caller, nowhere)
    ]
    assert not different, "\n".join(different)


def _told(caller, ask):
    answer = send(caller.client, ask)
    return answer.status, *(
        re.sub(f"{OWN}|{DRAFT}|{NO_STUDY}", "", text) for text in (answer.location, answer.text)
    )


def _in_study(values, slug):
    """The values with another study in the address, and the same rows."""
    own = {
        name: value | {"slug": slug}
        for name, value in values.items()
        if isinstance(value, dict) and "slug" in value
    }
    return values | own | {"<slug:slug>": slug}


def test_the_address_of_an_own_study_leads_to_no_row_of_another(sweep):
    """The neighbour owns a study, and puts the ids of other people's rows behind its name."""
    caller = make_caller("neighbour", sweep.world)
    caller.on_pages = caller.in_api = {"anyone"}  # of these rows: none is theirs
    asks = [ask for ask in sweep.asks(_in_study(sweep.world.values, OTHERS)) if _names_a_row(ask)]
    assert len(asks) > 150
    sweep_all(caller, asks)


def _names_a_row(ask):
    ends = [ask.route[: match.end()] for match in PARAMETER.finditer(ask.route)]
    is_of_study = "<slug:slug>" in ask.route and ask.route not in NO_ROWS
    return is_of_study and any(not end.endswith((*WORDS, *NO_NAMES)) for end in ends)


def test_a_session_saves_nothing_about_rows_of_others(sweep):
    """A rater's own link, with the numbers of another study's item and question behind it."""
    caller, rows = make_caller("rater", sweep.world), sweep.world.foreign
    asks = [
        ask
        for ask in sweep.asks(sweep.world.values | rows)
        if ask.route.startswith("r/<slug:token>/") and "<int:item>" in ask.route
    ]
    before = kept()
    with undone():
        answers = [(ask, send(caller.client, ask)) for ask in asks if ask.method == "POST"]
        assert differing(before, kept()) == []
    assert [str(ask) for ask, answer in answers if answer.marks - marks_of(ask.path)] == []
    # The time on a place that was lost counts no more, and is no fault; an answer leads on.
    assert {answer.status for _, answer in answers} == {204, 409}


def test_nothing_tells_what_was_answered_in_a_preview(sweep):
    """Each page, file, report and list that its owner, a program or an operator can read."""
    said, now = "zz-said-in-a-preview", timezone.now()
    readers = [make_caller(name, sweep.world) for name in ("owner", "program", "operator")]
    asks = [ask for ask in sweep.asks() if ask.method == "GET" and not ask.route.startswith("r/")]
    with undone():
        assert readers[0].client.post(f"/studies/{OWN}/preview/").status_code == 200
        session = Session.objects.get(study__preview_of__slug=OWN)
        item, question = session.places.first().item, session.study.questions.first()
        own = {"session": session}
        words = {"value": 1, "text": said, "reason": said, "answered_at": now}
        Rating.objects.create(**own, item=item, question=question, **words)
        extra = Screen.objects.create(**own, position=900, kind="gold", item=item)
        Answer.objects.create(screen=extra, item=item, question=question, **words)
        factories.make_about(session, said, text=said)
        factories.make_practice(session, item, **{said: 1})
        factories.make_attempt(session, 1, True, (said, said, True))
        Session.objects.filter(pk=session.pk).update(state="completed", ended_at=now, arm=said)
        Rater.objects.filter(pk=session.rater_id).update(key=said)
        allowed = [(reader, ask) for reader in readers for ask in asks if _reads(reader, ask)]
        told = [f"{r.name} {ask}" for r, ask in allowed if said in send(r.client, ask).text]
    assert len(allowed) > 200 and told == []


def _reads(caller, ask):
    return caller.may(ask.who, ask.route, "GET")


def test_a_post_without_a_token_against_forged_requests_is_refused(sweep):
    """Raters' pages need none: a frame of a platform keeps no cookie, and the address is all."""
    let_in = []
    for name in ("owner", "operator"):
        caller = make_caller(name, sweep.world)
        caller.client.handler.enforce_csrf_checks = True
        before = kept()
        for ask in sweep.asks():
            if _may_change(caller, ask) and not ask.route.startswith(("r/", "join/")):
                with undone():
                    answer = send(caller.client, ask)
                    if answer.status != 403 or differing(before, kept()):
                        let_in.append(str(ask))
    assert not let_in, "\n".join(let_in)
