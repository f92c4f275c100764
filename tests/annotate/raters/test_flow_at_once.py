"""A whole flow by many raters at once over HTTP, while the processes of the web server are killed.

Screener with quotas, questions before, arms, items, last questions and the debriefing.
"""

import re
from collections import Counter

import pytest
from django.db import connection

from annotate.models import (
    Answer,
    Place,
    Screen,
    Session,
)
from tests import simulated_raters
from tests.web_server import WebServer

State = Session.State
STEP = re.compile(r"/r/[^/]+/(screener|questions|exit)/")
VERSION = re.compile(r'<input type="hidden" name="version" value="([^"]*)"')
CHOICE = re.compile(r'<input type="radio" name="(q[a-z]+)" value="(\d+)"')
DEBRIEF = "Half of these texts were written by a program."
SEXES = ("a woman", "a man")


class FlowRater(simulated_raters.SimulatedRater):
    """A rater who goes through all steps: women have even numbers, and each fifth is a minor."""

    is_turned_away = False

    @property
    def is_minor(self):
        return self.number % 5 == 0

    def rate(self, path, text):
        return super().rate(path, text) if not STEP.search(path) else self.answer_step(path, text)

    def go_on(self, path):
        path, text = self.page(path)
        while self.had_code_after is None and not self.has_come_late(text):
            asks = STEP.search(path) or simulated_raters.POSITION.search(path)
            path, text = self.page(self.rate(path, text) if asks else self.begin())
            self.is_turned_away = self.is_turned_away or "looking for other people" in text
            if self.is_turned_away:
                return
        assert self.is_late or DEBRIEF in text

    def answer_step(self, path, text):
        """Send the answers of a page about the rater; a second try may find them stored."""
        self.think()
        chosen = {name: value for name, value in CHOICE.findall(text)}  # the last option
        own = {"qadult": "1" if self.is_minor else "2", "qsex": str(self.number % 2 + 1)}
        sent = chosen | {name: own[name] for name in own if name in chosen}
        assert sent, path
        sent |= [("version", version) for version in VERSION.findall(text)]
        status, leads, _ = self.ask("step", "POST", path, sent | {"go": "next"})
        assert status == 303, (status, STEP.search(path).group(1))
        return leads


def make_flow(raters, most):
    """Return a study with all steps, places enough, and room for `most` women and `most` men."""
    study = simulated_raters.make_study(raters, short_of=0, slug="flow")
    adult = {
        "key": "adult",
        "text": "How old are you?",
        "options": ["under 18", "18 or over"],
        "screens_out": ["under 18"],
    }
    sex = {"key": "sex", "text": "Are you …", "options": list(SEXES)}
    study.extra |= {
        "screener": {
            "questions": [adult, sex],
            "quotas": [
                {"name": name, "question": "sex", "options": [name], "most": most} for name in SEXES
            ],
        },
        "questions_before": ["familiarity"],
        "exit": ["gender"],
        "arms": [{"name": "short"}, {"name": "alone", "layout": "one_at_a_time"}],
        "debrief": DEBRIEF,
    }
    study.save()
    return study


@pytest.mark.django_db(transaction=True)
def test_no_quota_is_passed_and_no_answer_lost_while_the_web_server_is_killed(tmp_path):
    count = 60 if connection.vendor == "postgresql" else 20
    most = count // 3  # two fifths of all are adult women, as many adult men
    study = make_flow(count, most)
    ids, times = "?PROLIFIC_PID=p{0}&STUDY_ID=s1&SESSION_ID=v{0}", simulated_raters.Times()
    with WebServer(tmp_path) as web:
        raters = [
            FlowRater(web.port, study.slug, number, times, 0.0, ids.format(number))
            for number in range(count)
        ]
        simulated_raters.walk_all(raters, [web.kill_worker, web.kill_master, web.kill_worker])
        log = web.output()
    assert sum(rater.tries_again for rater in raters) > 0, "no kill was felt by anybody"
    assert "Traceback" not in log, log
    assert Session.objects.count() == count and not any(rater.is_late for rater in raters)
    check_quotas(study, raters, most)
    check_arms()
    simulated_raters.check_answers([rater for rater in raters if rater.had_code_after])
    left = Place.objects.filter(study=study).exclude(state=Place.State.OPEN)
    assert set(left.values_list("session__state", flat=True)) == {State.COMPLETED}


def check_quotas(study, raters, most):
    """Each quota is full to the last room, and whoever was turned away found it full or is out."""
    finished = [rater for rater in raters if rater.had_code_after]
    assert all(rater.had_code_after == len(rater.ledger) > 0 for rater in finished)
    assert Counter(rater.number % 2 for rater in finished) == {0: most, 1: most}
    assert not any(rater.is_minor for rater in finished)
    assert all(rater.is_turned_away for rater in raters if rater not in finished)
    states = Counter(Session.objects.values_list("state", flat=True))
    assert states == {
        State.COMPLETED: 2 * most,
        State.SCREENED_OUT: len(raters) - 2 * most,
    }
    # Every answer about a rater is there once: two of the screener, and two of who went on.
    steps = Counter(Answer.objects.values_list("screen__kind", flat=True))
    step = Screen.Kind
    assert steps == {step.SCREENER: 2 * len(raters), step.BEFORE: 2 * most, step.EXIT: 2 * most}


def check_arms():
    """Both arms have sessions, each in its own layout."""
    finished = Session.objects.filter(state=State.COMPLETED)
    shown = set(finished.values_list("arm", "layout"))
    assert shown == {("short", "list"), ("alone", "one_at_a_time")}
