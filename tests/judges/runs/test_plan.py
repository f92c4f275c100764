"""Starting, resuming and asking again: one run at a time, and never another one than meant."""

import re
import threading
from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.urls import reverse

from judges.models import Judgment, Run
from judges.pages.judge_preview import preview
from judges.runs import resume as going_on
from judges.runs.plan import PlanError, plan
from tests import factories

pytestmark = pytest.mark.django_db
FAILED = {"state": Judgment.State.FAILED, "reason": "server error (5xx)"}


@pytest.fixture
def judge(study):
    return factories.make_judge(study, "careful", factories.make_endpoint())


@pytest.fixture
def priced(study):
    endpoint = factories.make_endpoint(key="priced", price_in=Decimal(1), price_out=Decimal(1))
    return factories.make_judge(study, "priced", endpoint)


def ended(judge, state=Run.State.FINISHED, **fields):
    """A run of the judge that ended, its first item without a value."""
    run = plan(judge, **fields)
    run.judgments.filter(item__key="item-0").update(**FAILED)
    Run.objects.filter(pk=run.pk).update(state=state)
    run.refresh_from_db()
    return run


def state_of(run):
    return Run.objects.get(pk=run.pk).state


NOT_FINISHED = [Run.State.ACTIVE, Run.State.CANCELLED, Run.State.OUT_OF_BUDGET]


@pytest.mark.parametrize("state", NOT_FINISHED)
def test_only_a_finished_run_is_asked_again(as_owner, study, judge, state):
    run = ended(judge, state)
    with pytest.raises(PlanError, match=f"Run {run.pk} is not finished"):
        going_on.reset_failed(run)
    assert 'id="ask-again"' not in as_owner.get(run.get_absolute_url()).content.decode()
    again = reverse("run_ask_again", args=[study.slug, run.pk])
    page = as_owner.post(again, follow=True).content.decode()
    assert "is not finished, so nothing of it is asked again" in page
    assert state_of(run) == state
    assert run.judgments.filter(state=Judgment.State.FAILED).count() == 4


def test_a_finished_run_offers_to_ask_again(as_owner, study, judge):
    run = ended(judge)
    assert 'id="ask-again"' in as_owner.get(run.get_absolute_url()).content.decode()
    again = reverse("run_ask_again", args=[study.slug, run.pk])
    assert "4 judgments are asked again." in as_owner.post(again, follow=True).content.decode()
    assert state_of(run) == Run.State.ACTIVE


def test_the_database_refuses_a_second_active_run_of_a_judge(judge):
    plan(judge)
    with pytest.raises(IntegrityError), transaction.atomic():
        Run.objects.create(judge=judge)
    with pytest.raises(PlanError, match="careful is running already"):
        plan(judge)


ACTS = {
    "resume": (going_on.resume, "run_resume", Run.State.CANCELLED),
    "ask again": (going_on.reset_failed, "run_ask_again", Run.State.FINISHED),
}


@pytest.mark.parametrize("case", ACTS)
def test_no_old_run_goes_on_beside_an_active_one(as_owner, study, judge, case):
    act, name, state = ACTS[case]
    old = ended(judge, state)
    plan(judge)
    with pytest.raises(PlanError, match="careful is running already"):
        act(old)
    page = as_owner.post(reverse(name, args=[study.slug, old.pk]), follow=True).content.decode()
    assert "careful is running already" in page
    assert state_of(old) == state
    assert old.judgments.filter(state=Judgment.State.FAILED).count() == 4, "nothing was reset"


@pytest.mark.django_db(transaction=True)
def test_of_two_resumed_at_once_one_goes_on(owner):
    study = factories.make_study("two", items=2)
    judge = factories.make_judge(study, "judge", factories.make_endpoint())
    runs = [ended(judge, Run.State.CANCELLED) for _ in range(2)]
    said = []

    def resume(run):
        try:
            said.append(going_on.resume(run))
        except PlanError as error:
            said.append(str(error))
        connection.close()

    threads = [threading.Thread(target=resume, args=[run]) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, said)) == ["The judge judge is running already.", "True"]


def by_button(client, judge, **options):
    at = reverse("judge_run", args=[judge.study.slug, judge.pk])
    return client.post(at, options, follow=True).content.decode()


def by_command(client, judge, **options):
    output = StringIO()
    try:
        call_command("run_judge", judge.study.slug, judge.key, stdout=output, **options)
    except CommandError as error:
        return str(error)
    return output.getvalue()


@pytest.fixture(params=[by_button, by_command], ids=["button", "command"])
def press(request, as_owner):
    return lambda judge, **options: request.param(as_owner, judge, **options)


def test_the_first_press_plans(press, judge):
    said = press(judge)
    assert f"Run {Run.objects.get().pk} of careful is planned: 16 judgments." in said


def test_after_a_finished_run_a_new_one_is_planned_whatever_stands_before_it(press, judge):
    old = ended(judge, Run.State.CANCELLED)
    ended(judge)
    said = press(judge, limit=1)
    new = Run.objects.first()
    assert f"Run {new.pk} of careful is planned: 4 judgments." in said
    assert (Run.objects.count(), state_of(old)) == (3, Run.State.CANCELLED)


def test_the_newest_run_is_resumed_if_it_was_cancelled(press, judge):
    run = ended(judge, Run.State.CANCELLED)
    assert f"Run {run.pk} is resumed" in press(judge)
    assert Run.objects.get().state == Run.State.ACTIVE


def test_a_run_under_way_goes_on(press, judge):
    run = plan(judge)
    assert f"Run {run.pk} is running already; it goes on." in press(judge)
    assert Run.objects.count() == 1


def test_a_limit_is_for_new_runs(press, judge):
    run = ended(judge, Run.State.CANCELLED)
    assert "is unfinished: resume it without a limit" in press(judge, limit=2)
    assert state_of(run) == Run.State.CANCELLED
    going_on.resume(run)
    assert "its limit and budget stay as they are" in press(judge, limit=2)


def test_a_run_stopped_at_its_budget_needs_a_higher_one(press, priced):
    run = ended(priced, Run.State.OUT_OF_BUDGET, budget=Decimal("2.5"))
    assert re.search(r"stopped at its budget of 2\.5\s+USD", press(priced))
    assert f"Run {run.pk} is resumed" in press(priced, budget=Decimal(5))
    run.refresh_from_db()
    assert (run.state, run.budget_usd) == (Run.State.ACTIVE, 5)


# Practice items


def test_practice_items_are_not_judged_and_the_run_says_so(as_owner, study, judge):
    item = study.items.first()
    study.items.filter(pk=item.pk).update(is_practice=True)
    shown = preview(judge)
    assert shown.item != item
    assert shown.items == study.items.count() - 1
    assert preview(judge, item.key) is None
    run = plan(judge)
    judged = set(run.judgments.values_list("item", flat=True))
    assert judged == set(study.items.values_list("pk", flat=True)) - {item.pk}
    assert run.frozen["left_out"]["practice_items"] == 1
    assert run.frozen["left_out"]["items_without_text"] == 0
    assert "1 practice item<" in as_owner.get(run.get_absolute_url()).content.decode()


def test_a_study_of_practice_items_has_nothing_to_judge(study, judge):
    study.items.update(is_practice=True)
    with pytest.raises(PlanError, match="only practice items"):
        plan(judge)
