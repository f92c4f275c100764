"""Raters who finish while rules are applied and undone, in threads and in processes."""

import subprocess
import sys
from threading import Event, Thread

import pytest
from django.db import connection, transaction

from annotate.models import FreedPlace, Place, QualityStep, Rater, Rating, Session
from annotate.quality.rules import RULES, preview
from annotate.sessions import exclude as excluding
from annotate.sessions import session
from tests import factories
from tests.annotate.sessions.test_exclude import answer_all, begun, exclude, states

State = Session.State


@pytest.fixture
def study(owner):
    """Four items that want two raters each; a rater gets all of them."""
    return factories.make_study(owner=owner, items=4, raters_per_item=2)


# An end and an exclusion at the same moment: one waits for the other, whichever comes first.


class Waiting(Thread):
    """Runs a function in a transaction of its own that stays open until it is let go."""

    def __init__(self, work):
        super().__init__(daemon=True)
        self.work, self.worked, self.go = work, Event(), Event()
        self.start()

    def run(self):
        with transaction.atomic():
            self.work()
            self.worked.set()
            assert self.go.wait(30)
        connection.close()

    def let_go(self):
        self.go.set()
        self.join(30)
        assert not self.is_alive()


@pytest.mark.parametrize("first", ["the end", "the exclusion"])
@pytest.mark.django_db(transaction=True)
def test_an_end_and_an_exclusion_at_once_leave_no_place_filled(study, owner, first):
    ann = begun(study)
    answer_all(ann)
    works = [lambda: session.finish(ann), lambda: exclude(study, owner, ann)]
    ordered = works if first == "the end" else works[::-1]
    one = Waiting(ordered[0])
    assert one.worked.wait(30)
    other = Waiting(ordered[1])
    assert not other.worked.wait(0.5), "it has to wait"
    one.let_go()
    other.let_go()
    assert Session.objects.get().state == State.COMPLETED
    assert states(study) == ["open"] * 8
    assert QualityStep.objects.get().place_count == 4


# Real concurrency: raters finish in processes of their own while a rule is applied and undone.

RATER = """
import sys, django
django.setup()
from django.conf import settings
from django.db import connection
settings.DATABASES["default"]["NAME"] = connection.settings_dict["NAME"] = sys.argv[1]
from annotate.design import access
from annotate.sessions.session import SentAnswer, begin, finish, save_answers
from annotate.models import Session
mine = [s for s in Session.objects.order_by("pk") if s.pk % 6 == int(sys.argv[2])]
print("ready", flush=True)
sys.stdin.readline()
stuck = []
for session in mine:
    if not begin(session):
        continue
    session = Session.objects.select_related("study").get(pk=session.pk)
    questions = list(session.study.questions.all())
    for position in range(1, session.places.count() + 1):
        place = access.place_of_session(session.token, position=position)
        answers = [SentAnswer(question, 3.0) for question in questions]
        save_answers(place, questions, answers)
    if finish(session) is not None:
        stuck.append(session.pk)
print(stuck, flush=True)
"""


def rate_in_processes(study, raters, act, processes=6):
    """Many raters begin, answer and finish while act() is called again and again."""
    people = Rater.objects.bulk_create(Rater(study=study, key=f"r{n}") for n in range(raters))
    Session.objects.bulk_create(
        Session(study=study, rater=rater, state=State.INSTRUCTIONS) for rater in people
    )
    command = [sys.executable, "-c", RATER, connection.settings_dict["NAME"]]
    running = [
        subprocess.Popen(
            [*command, str(n)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for n in range(processes)
    ]
    assert [process.stdout.readline() for process in running] == ["ready\n"] * processes
    for process in running:
        process.stdin.write("go\n")
        process.stdin.flush()
    while any(process.poll() is None for process in running):
        act()
    assert [process.stdout.read() for process in running] == ["[]\n"] * processes
    assert [process.wait() for process in running] == [0] * processes


def straight_liners(study, owner):
    """Everybody answers 3 to everything, so the rule concerns all who have begun."""
    seen = preview(study, RULES["straight_lining"], {"answers": 2})
    if not seen.out:
        return None
    measured = dict.fromkeys([rater.pk for rater, _ in seen.out][::2], 1)
    return excluding.exclude(study, owner, "straight_lining", seen.reason, measured)


def assert_whole(study):
    """No place too many or twice; none is lost with an excluded rater or held by nobody at work."""
    assert not Session.objects.filter(state=State.RATING).exists()
    assert not study.places.filter(state=Place.State.HELD).exists()
    filled = study.places.filter(state=Place.State.FILLED)
    assert not filled.exclude(rater__excluded_because="").exists(), "their places have opened"
    pairs = list(filled.values_list("rater", "item"))
    assert len(pairs) == len(set(pairs))
    for item in study.items.all():
        raters = Rating.objects.for_analysis().filter(item=item).values("session").distinct()
        assert raters.count() <= study.raters_per_item
        assert raters.count() == item.places.filter(state="filled").count()
    for step in QualityStep.objects.filter(kind="applied"):
        places = FreedPlace.objects.filter(exclusion__step=step)
        assert places.count() <= step.place_count


def exclude_and_undo_while_they_rate(owner, raters, items):
    study = factories.make_study(owner=owner, items=items, raters_per_item=3)
    steps = []

    def act():
        if step := straight_liners(study, owner):
            steps.append(step)
        if len(steps) % 3 == 2:
            excluding.undo(steps.pop(), owner)

    rate_in_processes(study, raters, act)
    assert QualityStep.objects.filter(kind="applied").exists()
    assert QualityStep.objects.filter(kind="undone").exists()
    assert_whole(study)
    for step in steps:
        excluding.undo(step, owner)
    assert_whole(study)
    assert not Rater.objects.exclude(excluded_because="").exists()


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_100_raters_rate_while_rules_are_applied_and_undone(owner):
    exclude_and_undo_while_they_rate(owner, raters=100, items=60)


@pytest.mark.sqlite
@pytest.mark.django_db(transaction=True)
def test_20_raters_rate_while_rules_are_applied_and_undone(owner):
    exclude_and_undo_while_they_rate(owner, raters=20, items=12)
