"""A run's time is that at work: what it waited for somebody is left out."""

from datetime import timedelta

import pytest
from django.utils import timezone

from judges.models import Judgment, Run
from judges.runs.plan import plan
from judges.runs.progress import moving_or_none, progress
from judges.runs.resume import cancel, confirm, reset_failed, resume
from tests import factories

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


def paused(run, state):
    """The run worked for a minute an hour ago, and has waited since."""
    began = timezone.now() - HOUR
    ended = began + timedelta(minutes=1)
    Run.objects.filter(pk=run.pk).update(state=state, started_at=began, ended_at=ended)
    run.refresh_from_db()
    return run


@pytest.fixture
def run(study):
    return plan(factories.make_judge(study, "judge", factories.make_endpoint()))


@pytest.fixture
def pilot(owner):
    study = factories.make_study("many")
    factories.make_items(study, 30)
    return plan(factories.make_judge(study, "judge", factories.make_endpoint()), pilot=True)


def at_work(run):
    """Seconds by both ways that the page asks; the test itself may have taken some of them."""
    _, found = moving_or_none(run.judge.study, run.pk)
    assert found.seconds >= 60 and progress(run).seconds >= found.seconds
    return found.seconds


def test_the_wait_for_a_confirmation_is_no_work(pilot):
    assert confirm(paused(pilot, Run.State.WAITING))
    assert at_work(pilot) < 600


def test_nor_is_that_of_a_run_that_was_stopped(run):
    assert resume(paused(run, Run.State.CANCELLED))
    assert at_work(run) < 600
    cancel(run)
    Run.objects.update(started_at=run.started_at - HOUR, ended_at=run.ended_at - HOUR)
    run.refresh_from_db()
    assert resume(run)
    assert at_work(run) < 600, "each pause is left out"


def test_nor_that_before_the_failed_are_asked_again(run):
    Judgment.objects.update(state="failed", reason="no")
    assert reset_failed(paused(run, Run.State.FINISHED))
    run.refresh_from_db()
    assert at_work(run) < 600


def test_who_cancels_a_run_that_waits_adds_nothing(pilot):
    assert cancel(paused(pilot, Run.State.WAITING))
    assert at_work(pilot) == 60


def test_a_run_that_was_cancelled_before_it_began_has_waited_for_nothing(run):
    cancel(run)
    Run.objects.update(ended_at=timezone.now() - HOUR)
    resume(run)
    began = timezone.now() - timedelta(minutes=1)
    Run.objects.update(started_at=began)
    run.refresh_from_db()
    assert at_work(run) < 600
