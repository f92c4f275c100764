"""Runs that compute their scores: the same rows, states and buttons as those of an LLM."""

import threading
import time
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils.html import escape

from judges.models import Call, Judge, Judgment, Run
from judges.runs import drive, lease
from judges.runs import score as scoring
from judges.runs.plan import PlanError, hash_of, plan, settings_of
from judges.runs.resume import cancel, reset_failed, resume, start
from judges.scorers.base import NO_REFERENCE
from tests import factories
from tests.files import ITEMS, STUDY, load, messages

pytestmark = pytest.mark.django_db
State = Judgment.State


@pytest.fixture
def judge(study):
    """BLEU-1 on four items, of which the first has no reference."""
    study.items.update(reference="Because you like films")
    study.items.filter(key="item-0").update(reference="")
    return factories.make_judge(study, "BLEU-1", kind=Judge.Kind.BLEU_1)


@pytest.fixture
def run(judge):
    return plan(judge)


def states(run):
    return sorted(run.judgments.values_list("state", flat=True))


def test_a_run_gives_every_judgment_a_score_or_a_reason(run):
    drive.work_through(run.pk)
    run.refresh_from_db()
    assert run.state == Run.State.FINISHED
    assert states(run) == ["done"] * 12 + ["failed"] * 4
    missing = run.judgments.filter(item__key="item-0")
    assert {(row.value, row.reason) for row in missing} == {(None, NO_REFERENCE)}
    # "Because you like films (item-1)." is 4 words and, by 13a, ( item-1 ) . : 4 of 8 count.
    scored = run.judgments.filter(item__key="item-1")
    assert [row.value for row in scored] == [pytest.approx(50)] * 4
    assert not Call.objects.exists()
    assert run.spent_usd == run.reserved_usd == 0
    assert run.started_at and run.ended_at
    assert {row.cost_usd for row in scored} == {0}
    assert all(row.settled_at and not row.leased_by for row in scored)


def test_the_judge_is_frozen_by_its_first_run_and_the_run_keeps_its_settings(run, judge):
    judge.refresh_from_db()
    assert judge.settings_hash == run.settings_hash == hash_of(settings_of(judge))
    assert (run.frozen["tokenizer"], run.frozen["smoothing"]) == ("13a", "exp")
    drive.work_through(run.pk)
    factories.change_settings(judge, language="zh")
    with pytest.raises(PlanError, match="has been run with other settings"):
        plan(judge)


def test_a_budget_is_refused_where_nothing_costs(judge):
    with pytest.raises(PlanError, match="costs nothing"):
        start(judge, budget=1)


def test_a_cancelled_run_scores_nothing_more_and_goes_on_when_it_is_resumed(run):
    cancel(run)
    drive.work_through(run.pk)
    assert states(run) == ["pending"] * 16
    resume(run)
    drive.work_through(run.pk)
    assert "pending" not in states(run)


@pytest.mark.django_db(transaction=True)
def test_a_score_that_takes_longer_than_a_lease_is_kept(run, monkeypatch, settings):
    monkeypatch.setattr(scoring, "LEASE_SECONDS", 1)
    settings.LEASE_MARGIN_SECONDS = 0
    score, returned = scoring._scorer(run), []

    def slowly(units):
        time.sleep(2.5)
        returned.append(lease.return_expired())
        return score(units)

    monkeypatch.setattr(scoring, "_scorer", lambda run: slowly)
    drive.work_through(run.pk)
    assert returned == [0]
    assert states(run) == ["done"] * 12 + ["failed"] * 4


def test_cancelling_between_two_batches_keeps_what_is_scored(run, monkeypatch):
    monkeypatch.setattr(scoring, "FIRST", 1)
    monkeypatch.setattr(scoring, "MOST", 1)
    settle = scoring.settle

    def settle_and_cancel(*args):
        settle(*args)
        cancel(run)

    monkeypatch.setattr(scoring, "settle", settle_and_cancel)
    drive.work_through(run.pk)
    assert states(run) == ["failed"] * 4 + ["pending"] * 12


def test_a_worker_that_stops_gives_back_what_it_has_not_scored(run):
    stopping = threading.Event()
    stopping.set()
    scoring.drive(run, "worker", stopping)
    assert states(run) == ["pending"] * 16


def test_a_scorer_that_breaks_leaves_no_lease_behind(run, monkeypatch):
    def breaks(run):
        def score(units):
            raise ZeroDivisionError

        return score

    monkeypatch.setattr(scoring, "_scorer", breaks)
    with pytest.raises(ZeroDivisionError):
        drive.work_through(run.pk)
    assert states(run) == ["pending"] * 16
    assert not run.judgments.exclude(leased_by="").exists()


def test_a_run_ends_where_the_scorer_cannot_be_loaded(run, monkeypatch):
    def unloadable(*_):
        raise ImportError("no module named sacrebleu")

    monkeypatch.setattr("judges.scorers.Scorer.load", unloadable)
    drive.work_through(run.pk)
    run.refresh_from_db()
    assert run.state == Run.State.FINISHED
    reasons = set(run.judgments.values_list("reason", flat=True))
    assert reasons == {"the scorer cannot be loaded: no module named sacrebleu"}


def test_scores_of_a_lease_that_was_lost_are_not_written(run):
    units = lease.lease_free(run, "slow", 4, run.created_at)
    lease.return_expired()
    lease.lease_free(run, "quick", 4, run.created_at)
    scoring.settle(run, "slow", units, [[scoring.Score(1.0)] * 4] * 4)
    assert not run.judgments.exclude(state=State.LEASED, leased_by="quick").exists()
    scoring.settle(run, "quick", units, [[scoring.Score(2.0)] * 4] * 4)
    scoring.settle(run, "slow", units, [[scoring.Score(1.0)] * 4] * 4)
    assert set(run.judgments.values_list("value", flat=True)) == {2.0}


def test_two_batches_have_no_unit_in_common(run):
    until = run.created_at
    taken = [lease.lease_free(run, name, 3, until) for name in ("one", "two", "three")]
    assert [[unit.number for unit in units] for units in taken] == [[0, 1, 2], [3], []]


def test_a_score_that_is_no_number_is_missing(run):
    units = lease.lease_free(run, "w", 1, run.created_at)
    scoring.settle(run, "w", units, [[scoring.Score(float("nan"))] * 4])
    found = run.judgments.filter(unit=0)
    assert {(row.state, row.value, row.reason) for row in found} == {
        (State.FAILED, None, "the score is no finite number")
    }


def test_what_has_no_score_can_be_scored_again(run, study):
    drive.work_through(run.pk)
    study.items.update(reference="Because you like films")
    run.refresh_from_db()
    assert reset_failed(run) == 4
    drive.work_through(run.pk)
    assert states(run) == ["done"] * 16


def test_run_judge_runs_it_from_the_command_line(judge):
    out = StringIO()
    call_command("run_judge", "films", "BLEU-1", "--wait", "--limit=2", stdout=out)
    assert "4 judged, 4 without a value" in out.getvalue()
    with pytest.raises(CommandError, match="costs nothing"):
        call_command("run_judge", "films", "BLEU-1", "--budget=1")


# Pages


@pytest.mark.parametrize("kind", [kind for kind in Judge.Kind if kind != Judge.Kind.IMPORTED])
def test_each_kind_has_a_form(as_owner, study, kind):
    factories.make_endpoint()
    page = as_owner.get(reverse("judge_new", args=[study.slug]), {"kind": kind}).content.decode()
    way = "Rate items on the study’s questions." if kind == Judge.Kind.LLM else escape(kind.label)
    assert way in page and "Make the judge" in page
    assert 'name="key"' in page


@pytest.mark.parametrize("kind", ["imported", "robot", "é"])
def test_a_kind_that_cannot_be_made_is_not_found(as_owner, study, kind):
    assert as_owner.get(f"/studies/{study.slug}/judges/new/?kind={kind}").status_code == 404


def test_a_metric_needs_no_endpoint_and_is_made_run_and_read_on_the_pages(as_owner, study):
    new = reverse("judge_new", args=[study.slug])
    page = as_owner.get(f"{new}?kind=llm").content.decode()
    assert "No model is connected to this study yet" in page
    sent = {"key": "chinese", "language": "zh"}
    page = as_owner.post(f"{new}?kind=rouge-1", sent, follow=True).content.decode()
    judge = Judge.objects.get()
    assert (judge.kind, judge.settings.language, judge.endpoint) == ("rouge-1", "zh", None)
    assert "What is measured" in page
    assert "0 to 1" in page
    assert 'name="budget"' not in page
    page = as_owner.post(reverse("judge_run", args=[study.slug, judge.pk]), follow=True)
    run = Run.objects.get()
    drive.work_through(run.pk)
    page = as_owner.get(run.get_absolute_url()).content.decode()
    assert NO_REFERENCE in page
    assert "Score the 16 without a value again" in page
    assert "<dt>Tokenizer</dt><dd>sacrebleu zh, lower case</dd>" in page
    assert "<dt>Tokens</dt>" not in page
    assert 'id="cancel-run"' not in page
    judges = as_owner.get(reverse("judges", args=[study.slug])).content.decode()
    assert "ROUGE-1-F" in judges


def test_the_latest_scores_stand_on_the_run_page(as_owner, run):
    drive.work_through(run.pk)
    page = as_owner.get(run.get_absolute_url()).content.decode()
    assert "Latest judgments" in page
    assert "Because you like films (item-3)." in page
    assert "<strong>50" in page


def test_a_metric_can_be_changed_until_it_is_run(as_owner, study, judge):
    edit = reverse("judge_edit", args=[study.slug, judge.pk])
    assert as_owner.post(edit, {"key": "B", "language": "words"}).status_code == 302
    judge.refresh_from_db()
    assert (judge.key, judge.kind, judge.settings.language) == ("B", "bleu-1", "words")
    plan(judge)
    assert as_owner.post(edit, {"key": "C", "language": "zh"}).status_code == 422
    judge.refresh_from_db()
    assert judge.key == "B"


@pytest.mark.parametrize("seed", ["-1", "2147483648", "x", ""])
def test_a_wrong_seed_is_refused(as_owner, study, seed):
    new = reverse("judge_new", args=[study.slug]) + "?kind=random"
    assert as_owner.post(new, {"key": "r", "seed": seed}).status_code == 422
    assert not Judge.objects.exists()


# study.yaml

METRICS = """\
judges:
  - {judge: B, kind: bleu-4, language: zh}
  - {judge: R, kind: random, seed: 7}
"""


def test_metrics_of_the_study_file(tmp_path):
    assert messages(load(tmp_path, study=STUDY + METRICS, items=ITEMS)) == []
    rows = Judge.objects.order_by("id").values_list("key", "kind", "settings", "endpoint")
    assert list(rows) == [
        ("B", "bleu-4", {"language": "zh", "against": "reference"}, None),
        ("R", "random", {"seed": 7}, None),
    ]
    again = load(tmp_path, study=STUDY + METRICS, items=ITEMS)
    assert again.counts["judges"].unchanged == 2
    load(tmp_path, study=STUDY + METRICS.replace("7", "8"), items=ITEMS)
    assert Judge.objects.get(key="R").settings.seed == 8
    Judge.objects.update(settings_hash="abc")
    loading = load(tmp_path, study=STUDY + METRICS.replace("zh", "en"), items=ITEMS)
    assert "found other settings for 'B', which are frozen" in messages(loading)[0]


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("language: zh", "language: klingon", "allowed is en, zh, words, characters"),
        ("seed: 7", "seed: -1", "found '-1'; allowed is a whole number from 0 to 2147483647"),
        ("seed: 7", "language: zh", "judges.language: is not a known key of kind random"),
        ("language: zh", "endpoint: x", "judges.endpoint: is not a known key of kind bleu-4"),
        ("bleu-4", "bleu", "found 'bleu'; allowed is llm, random, bleu-1, bleu-4, rouge-1, "),
    ],
)
def test_a_bad_metric_is_named(tmp_path, old, new, message):
    assert message in messages(load(tmp_path, study=STUDY + METRICS.replace(old, new)))[0]
