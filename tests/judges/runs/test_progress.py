"""What the page of a run shows of replies about a locked test part: no verdict of any run."""

import json

import pytest

from annotate.design import splits
from judges.methods.profile.method import KEYS
from judges.models import Run
from judges.runs import drive, progress
from judges.runs.plan import plan
from tests import factories
from tests.judges.methods.profile.test_write import listen, podcasts, write  # noqa: F401
from tests.scripted_server import ScriptedServer, chat

pytestmark = pytest.mark.django_db
PROFILE = json.dumps({key: f"likes {key}" for key in KEYS})
TESTED, CHOSEN = "r1", "r2"
# The seed puts r1 into the test part and r2 beside it.
SEED = next(
    seed
    for seed in range(99)
    if [splits.Split(seed, 0.5, ()).side(key) for key in (TESTED, CHOSEN)]
    == [splits.TEST, splits.CHOOSE]
)


def answer(_number, request):
    is_tested = f"{TESTED}-e0" in request["messages"][-1]["content"]
    return chat(PROFILE if is_tested else "I cannot.")


def as_read_now(run):
    return Run.objects.get(pk=run.pk)


def examples(run):
    """{reason: the reply that stands for it, None where none is shown}."""
    found = progress.failures(as_read_now(run))
    return {row["reason"]: row["call"] and row["call"].reply for row in found}


def test_the_example_of_a_failed_verdict_is_none_of_a_locked_test_part(study):
    study.items.exclude(key__in=["item-0", "item-1"]).delete()
    for key, who in (("item-0", TESTED), ("item-1", CHOSEN)):
        recipient, _ = study.recipients.get_or_create(key=who)
        study.items.filter(key=key).update(recipient=recipient)
    with ScriptedServer(lambda number, _: chat(["I say four.", '{"accuracy": '][number])) as server:
        endpoint = factories.make_endpoint(server.url, concurrency=1)
        run = plan(factories.make_judge(study, "judge", endpoint))
        drive.work_through(run.pk)
    both = {"no JSON in the reply": "I say four.", "broken JSON in the reply": '{"accuracy": '}
    assert examples(run) == both
    splits.lock(study, SEED, 0.5, "owner")
    hidden = as_read_now(run).judgments.get(item__key="item-0", question__key="accuracy").reason
    assert examples(run) == both | {hidden: None}


def test_a_profile_is_no_verdict_and_stays_as_readable_as_its_item(podcasts):  # noqa: F811
    """A run that writes profiles while the test part is locked: it tells what was written of a
    history, which every judge and rater is shown, and no judge's verdict on it.
    """
    podcasts.recipients.exclude(key__in=[TESTED, CHOSEN]).delete()
    listen(podcasts, TESTED, 0.5)
    listen(podcasts, CHOSEN, 0.5)
    run, _ = write(podcasts, answer)
    fit = factories.make_question(podcasts, "fits")
    profile = run.writings.get(recipient__key=TESTED).item
    judge = factories.make_judge(podcasts, "reader")
    verdict = factories.make_judgments(judge, {(profile, fit): 4})
    verdict.judgments.update(rationale="SECRET")
    splits.lock(podcasts, SEED, 0.5, "owner")
    assert profile.recipient.key == TESTED and profile.pk in splits.withheld(podcasts)
    assert examples(run) == {"no JSON in the reply": "I cannot."}
    shown = [judgment for _, some in progress.latest(as_read_now(run)) for judgment in some]
    written = {judgment.writing.recipient.key: judgment.rationale for judgment in shown}
    assert written == {TESTED: profile.text, CHOSEN: ""}
    ((_, (about_it,)),) = progress.latest(as_read_now(verdict))
    assert (about_it.value, about_it.rationale, about_it.reason) == (None, "", splits.WITHHELD)
