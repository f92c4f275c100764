"""A submission is returned on the platform in the very moment in which its rater goes on."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from annotate.design import access
from annotate.models import Place, Rating, RatingRevision, Session
from annotate.sessions import session as sessions
from annotate.sessions.session import NotNow
from tests import factories
from tests.annotate.sessions.test_save import meet, save, save_elsewhere
from tests.processes import ROOT, environment

RETURNED = Session.State.RETURNED
# Each waits for "go", so that all of them come at once.
PREPARE = """
import sys, django
django.setup()
from annotate.design import access
from annotate.sessions import session as sessions
from annotate.models import Session
from annotate.sessions.session import SentAnswer, NotNow
print("ready", flush=True)
sys.stdin.readline()
"""
SAVES = """
for token in sys.argv[1:]:
    place = access.place_of_session(token, position=1)
    questions = list(place.session.study.questions.all()) if place else []
    try:
        if place:
            sessions.save_answers(place, questions, [SentAnswer(q, 4.0) for q in questions])
            print(token, flush=True)
    except NotNow:
        pass
"""
RETURNS = """
for token in sys.argv[1:]:
    sessions.end_early(Session.objects.get(token=token), Session.State.RETURNED)
"""


def start(study):
    session = sessions.begin_visit(study, {}, consents=True)
    assert sessions.begin(session)
    return session


@pytest.fixture
def place(study):
    return access.place_of_session(start(study).token, position=1)


def end(session):
    try:
        return sessions.end_early(session, RETURNED)
    finally:
        connection.close()


@pytest.mark.django_db(transaction=True)
def test_a_save_that_waited_for_the_return_writes_nothing(study, place):
    with pytest.raises(NotNow):
        meet(
            lambda: sessions.end_early(place.session, RETURNED),
            lambda: save_elsewhere(place, {study.questions.first(): 3.0}),
        )
    assert not Rating.objects.exists() and not RatingRevision.objects.exists()
    assert not Place.objects.exclude(state="open").exists()


@pytest.mark.django_db(transaction=True)
def test_a_return_that_waited_for_a_save_keeps_it_and_frees_the_places(study, place):
    every = dict.fromkeys(study.questions.all(), 3.0)
    assert meet(lambda: save(place, every), lambda: end(place.session)) == 4
    assert Rating.objects.count() == 4
    assert not Place.objects.exclude(state="open").exists()
    assert not Rating.objects.for_analysis().exists()


@pytest.mark.django_db(transaction=True)
def test_a_return_that_waited_for_the_end_returns_a_completed_session(study, place):
    for position in range(1, 5):
        here = access.place_of_session(place.session.token, position=position)
        save(here, dict.fromkeys(study.questions.all(), 3.0))
    assert meet(lambda: sessions.finish(place.session), lambda: end(place.session)) == 4
    assert Session.objects.get().state == RETURNED and Session.objects.get().ended_at


@pytest.mark.django_db(transaction=True)
def test_two_returns_at_once_return_once(study, place):
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(_quiet_end, [place.session, Session.objects.get()]))
    assert sorted(found, key=str) == [4, None]


def _quiet_end(session):
    try:
        return end(session)
    except NotNow:
        return None


@pytest.mark.django_db(transaction=True)
def test_processes_that_save_and_return_at_once_leave_no_place_held(tmp_path, owner):
    study = factories.make_study(
        "busy", owner=owner, items=12, raters_per_item=8, items_per_session=6
    )
    tokens = [start(study).token for _ in range(16)]
    env = environment(tmp_path)
    running = [run(script, tokens, env) for script in (SAVES, RETURNS, SAVES)]
    for process in running:
        assert process.stdout.readline() == "ready\n"
    for process in running:
        process.stdin.write("go\n")
        process.stdin.flush()
    confirmed = [set(process.communicate(timeout=300)[0].split()) for process in running]
    assert [process.returncode for process in running] == [0, 0, 0]
    assert set(Session.objects.values_list("state", flat=True)) == {RETURNED}
    assert not Place.objects.exclude(state="open").exists()
    saved = set(Rating.objects.values_list("session__token", flat=True))
    assert saved == confirmed[0] | confirmed[2]  # what was confirmed is there, nothing else is
    assert Rating.objects.count() == 4 * len(saved)


def run(script, tokens, env):
    return subprocess.Popen(
        [sys.executable, "-c", PREPARE + script, *tokens],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=env | {"DJANGO_SETTINGS_MODULE": "config.settings"},
    )
