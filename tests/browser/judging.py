"""A researcher at the pages of judges: a judge is made by its form, run, watched and read."""

import hashlib
import json
import os
from contextlib import contextmanager

from django.conf import settings

from judges.models import Heartbeat, Judge, Run
from judges.pages.purposes import PURPOSES
from tests import processes

PROMPTS = settings.BASE_DIR / "judges" / "prompting" / "prompts"
LONG = 900_000  # ms: the small model's replies, on a machine that is busy otherwise


@contextmanager
def working(folder):
    """A worker, and the clock that tells it what waits."""
    extra = {"CELERY_QUEUE": f"test-{os.getpid()}-{folder.name}"}
    with processes.beat(folder, **extra), processes.worker(folder, **extra):
        processes.wait_for(Heartbeat.objects.alive().exists, "the worker's heartbeat")
        yield


def run_judge(page, study, kind, key, limit="", **fields):
    """The run of a judge made by its kind's form; fields: {label: text, or what is chosen}."""
    page.goto(f"/studies/{study.slug}/judges/")
    page.get_by_role("link", name="New judge").click()
    choose(page, kind)
    page.get_by_label("Name", exact=True).fill(key)
    page.get_by_role("button", name="Make the judge").wait_for()
    more = page.locator("#more-settings > summary")
    if more.count():  # forms of up to five fields fold none
        more.click()
    for label, value in fields.items():
        _enter(page.get_by_label(label, exact=True), value)
    page.get_by_role("button", name="Make the judge").click()
    page.get_by_role("heading", name=key, exact=True).wait_for()
    page.get_by_label("First items only").fill(str(limit))
    page.get_by_role("button", name="Run", exact=True).click()
    page.locator("#progress").wait_for()
    return Run.objects.get(judge=Judge.objects.get(study=study, key=key))


def choose(page, kind):
    """Choose on the page "New judge" what it should do, and then the way that has these words."""
    purpose, way = next(
        (purpose, way) for purpose in PURPOSES for way in purpose.ways if way.words == kind
    )
    page.get_by_role("link", name=purpose.words).click()
    page.locator("#purpose").wait_for()
    ways = page.get_by_label("How")
    if ways.count():
        ways.get_by_role("link", name=way.words, exact=True).click()
        ways.locator("[aria-current=page]", has_text=way.words).wait_for()


def _enter(field, value):
    is_list = field.evaluate("one => one.tagName") == "SELECT"
    field.select_option(label=value) if is_list else field.fill(str(value))


def watch(page, run):
    """The run's page, once it says by itself that all is judged."""
    page.goto(run.get_absolute_url())
    page.locator("#progress .badge", has_text="Finished").first.wait_for(timeout=LONG)
    count = run.judgments.count()
    page.get_by_text(f"{count} of {count} judgments").wait_for()
    assert set(run.judgments.values_list("state", flat=True)) == {"done"}, run.judge
    assert page.get_by_role("heading", name="Without a value").count() == 0


def sha256(name):
    """The hash of a prompt's file, or of a part's: parts/NAME."""
    return hashlib.sha256((PROMPTS / f"{name}.txt").read_bytes()).hexdigest()


def text(name):
    return (PROMPTS / f"{name}.txt").read_text(encoding="utf-8")


def check_frozen(run, asked, **kept):
    """What the run keeps is what was chosen, value by value, and its hash is of nothing else.

    asked: what makes the judge what it is; kept: what the run keeps besides.
    """
    run.refresh_from_db()
    assert run.frozen == asked | kept
    plain = json.dumps(asked, sort_keys=True)
    assert run.settings_hash == hashlib.sha256(plain.encode()).hexdigest()
    assert run.judge.settings_hash == run.settings_hash
