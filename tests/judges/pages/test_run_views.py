"""What the page of a run says while it is under way: time left, latest judgments, failures."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from judges.models import Judgment, Run
from judges.runs import progress
from judges.runs.plan import plan
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(study, monkeypatch):
    """Its clock stands still, so that no slow machine makes it later."""
    now = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: now)
    return plan(factories.make_judge(study, "careful", factories.make_endpoint()))


def settled(run, units, ago, **fields):
    """These units were settled so many seconds ago."""
    at = timezone.now() - timedelta(seconds=ago)
    fields = {"state": Judgment.State.DONE, "value": 3, "settled_at": at} | fields
    run.judgments.filter(unit__in=units).update(**fields)


def started(run, ago):
    Run.objects.filter(pk=run.pk).update(started_at=timezone.now() - timedelta(seconds=ago))
    run.refresh_from_db()


def words_of(client, run):
    address = reverse("run_moving", args=[run.judge.study.slug, run.pk])
    return " ".join(client.get(address).content.decode().split())


def test_the_time_left_is_what_is_open_at_the_rate_of_the_last_minute(as_owner, run):
    """Four a minute of late, though twelve in five: four are left, a minute."""
    started(run, 300)
    settled(run, [0, 1], ago=200)
    settled(run, [2], ago=30)
    found = progress.progress(run)
    assert found.per_minute == pytest.approx(4)
    assert found.seconds_left == pytest.approx(60)
    words = words_of(as_owner, run)
    assert "4 judgments a minute" in words
    assert "5 min 0 s, about 1 min 0 s left" in words


def test_a_run_that_has_just_begun_is_measured_over_its_own_time(as_owner, run):
    """Eight in ten seconds: the other eight take another ten."""
    started(run, 10)
    settled(run, [0, 1], ago=1)
    assert "10 s, about 10 s left" in words_of(as_owner, run)


def test_before_anything_came_back_nothing_is_foretold(as_owner, run):
    started(run, 20)
    words = words_of(as_owner, run)
    assert "left" not in words and "Rate</dt><dd>–" in words


def test_the_latest_judgments_stand_with_their_rationales_the_newest_first(as_owner, run):
    for unit, why in enumerate(["It is vague.", "It names <b>two</b> films."]):
        call = factories.make_call(run, unit, reply="{}")
        settled(run, [unit], ago=1, call=call, value=2 + unit, rationale=why)
    page = as_owner.get(reverse("run_progress", args=[run.judge.study.slug, run.pk]))
    words = page.content.decode().split("Latest judgments", 1)[1]
    assert words.index("It names &lt;b&gt;two&lt;/b&gt; films.") < words.index("It is vague.")
    assert words.count("accuracy: <strong>3</strong>") == 1
    assert words.count("accuracy: <strong>2</strong>") == 1
    for number in (0, 1):
        item = run.judge.study.items.get(key=f"item-{number}")
        assert f'<a href="{item.get_absolute_url()}">item-{number}</a>' in words


def test_each_reason_has_its_count_and_an_example_of_its_own(as_owner, run):
    """Three ways to fail: what came is shown, with its call and attempt."""
    cut = factories.make_call(run, 0, reply='{"accuracy": 4, "sat', finish_reason="length")
    down = factories.make_call(
        run, 1, failure="server", failure_detail="503: <b>busy</b>", attempt=5
    )
    settled(run, [0], 1, state="unparsable", value=None, reason="cut off", call=cut)
    settled(run, [1], 1, state="failed", value=None, reason="server error (5xx)", call=down)
    settled(run, [2], 1, state="not_asked", value=None, reason="no context")
    found = progress.failures(run)
    assert {(row["reason"], row["count"]) for row in found} == {
        ("cut off", 4),
        ("server error (5xx)", 4),
        ("no context", 4),
    }
    page = as_owner.get(run.get_absolute_url()).content.decode()
    rows = page.split("Without a value</h3>", 1)[1].split("<tr>")
    by_reason = {
        reason: row
        for row in rows
        for reason in ("cut off", "server", "no context")
        if f"<td>{reason}" in row
    }
    assert "{&quot;accuracy&quot;: 4, &quot;sat" in by_reason["cut off"]
    assert f"Call {down.pk}, attempt 5" in by_reason["server"]
    assert "503: &lt;b&gt;busy&lt;/b&gt;" in by_reason["server"]
    assert "<details" not in by_reason["no context"]
