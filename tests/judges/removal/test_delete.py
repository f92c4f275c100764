"""A judge on which nothing rests is deleted, with a preview, a log and an undo."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotate.models import Item, StoppingPlan
from judges import tasks
from judges.files.study_file import study_yaml
from judges.models import (
    Call,
    Entailment,
    Extraction,
    Judge,
    JudgeStep,
    Judgment,
    Run,
    Statement,
    StoppingPair,
    Writing,
)
from judges.removal import archive, delete, holders, purge
from judges.runs import reuse
from judges.runs.naming import why_not_named
from judges.runs.plan import PlanError, plan
from judges.runs.promised import Refused
from judges.runs.resume import reset_failed
from tests import factories
from tests.sweep.judged import make_judged

pytestmark = pytest.mark.django_db


@pytest.fixture
def judge(study):
    return factories.make_judge(study, "careful", factories.make_endpoint())


@pytest.fixture
def run(judge, study):
    """A judgment by a call, for which 1.5 USD were paid."""
    run = factories.make_judgments(judge, {(study.items.first(), study.questions.first()): 4})
    Judgment.objects.filter(run=run).update(call=factories.make_call(run), lead=True)
    Run.objects.filter(pk=run.pk).update(spent_usd=1.5)
    return run


def path(name, judge):
    return reverse(name, args=[judge.study.slug, judge.pk])


def let_days_pass(days=delete.UNDO_DAYS):
    Judge.with_deleted.exclude(deleted_at=None).update(
        deleted_at=timezone.now() - timedelta(days=days, hours=1)
    )


def test_the_preview_says_what_goes_and_a_reason_is_needed(as_owner, judge, run):
    page = as_owner.get(path("judge_delete", judge))
    text = " ".join(page.content.decode().split())
    assert "1 run or load, 1 judgment and 1 call, for which $1.5" in text
    assert "For 7 days you can undo this" in text
    assert as_owner.post(path("judge_delete", judge), {"because": " "}).status_code == 422
    assert Judge.objects.filter(pk=judge.pk).exists() and not JudgeStep.objects.exists()


def test_it_is_hidden_at_once_and_undone_with_all_that_it_had(as_owner, study, judge, run):
    before = study_yaml(study)
    answer = as_owner.post(path("judge_delete", judge), {"because": "a wrong file"}, follow=True)
    text = answer.content.decode()
    assert "a wrong file" in text and "can be undone until" in text and "1 judgment" in text
    for name in ("judge", "judge_delete", "judge_duplicate"):
        assert as_owner.get(path(name, judge)).status_code == 404, name
    assert as_owner.get(run.get_absolute_url()).status_code == 404
    runs = as_owner.get(reverse("runs", args=[study.slug])).content.decode()
    assert "careful" not in runs and "careful" not in study_yaml(study)
    assert not Judgment.objects.judging().exists() and Judgment.objects.exists()
    answer = as_owner.post(path("judge_undelete", judge), follow=True)
    assert "careful is back" in answer.content.decode()
    assert study_yaml(study) == before and Judgment.objects.judging().count() == 1
    lines = list(JudgeStep.objects.values_list("kind", "name", "by_name"))
    assert lines == [("undone", "careful", "owner"), ("deleted", "careful", "owner")]


def test_its_name_is_free_and_an_undo_finds_another(owner, study, judge, run):
    delete.delete(judge, owner, "a wrong file")
    factories.make_judge(study, "careful")
    assert delete.undo(judge, owner).key == "careful-2"


def test_the_trace_stays_when_the_rows_are_gone(owner, study, judge, run):
    Judge.objects.filter(pk=judge.pk).update(settings_hash="ab" * 32)
    delete.delete(judge, owner, "a wrong file")
    tasks.purge_judges()
    assert Judgment.objects.exists(), "it can be undone for some days"
    let_days_pass()
    tasks.purge_judges()
    assert not (Run.objects.exists() or Judgment.objects.exists() or Call.objects.exists())
    gone = Judge.with_deleted.get(pk=judge.pk)
    assert gone.gone_pairs == [study.questions.first().key]
    step = gone.steps.get(kind=JudgeStep.Kind.DELETED)
    assert (step.name, step.because, step.by_name) == ("careful", "a wrong file", "owner")
    counts = {"runs": 1, "judgments": 1, "calls": 1, "usd": 1.5}
    assert step.facts == {"kind": "llm", "settings_hash": "ab" * 32} | counts
    with pytest.raises(Refused, match="cannot be brought back"):
        delete.undo(judge, owner)
    tasks.purge_judges()
    assert gone.steps.filter(kind=JudgeStep.Kind.PURGED).count() == 1


def test_a_judge_that_is_gone_may_have_shaped_the_next_prompt(owner, study, judge, run):
    fresh = factories.make_judge(study, "fresh", factories.make_endpoint(key="other"))
    assert "careful has judged already" in why_not_named(fresh)
    delete.delete(judge, owner, "it failed")
    let_days_pass()
    tasks.purge_judges()
    assert "has judged already" in why_not_named(fresh)


def test_every_table_of_a_judges_runs_is_emptied(owner):
    """Of the study that the sweep makes, which has a row in nearly each table."""
    study = factories.make_study("swept", owner, items=8)
    make_judged(study, owner)
    Run.objects.filter(state=Run.State.ACTIVE).update(state=Run.State.CANCELLED)
    Judgment.objects.filter(state="leased").update(state="pending", leased_until=None)
    Item.objects.filter(kind=Item.Kind.STATEMENT).delete()
    Writing.objects.update(item=None)
    Statement.objects.update(corrected_at=None, is_removed=False)
    Call.objects.update(reused_from=None)
    tables = [model for model, _ in purge.rows.tables_below(Run, "judge", purge.rows.is_owned)]
    filled = [model for model in tables if model.objects.exists()]
    assert len(filled) >= len(tables) - 1, set(tables) - set(filled)
    Entailment.objects.filter(run=None).delete()
    Statement.objects.filter(run=None).delete()
    for judge in Judge.objects.filter(study=study):
        delete.delete(judge, owner, "all of them")
    let_days_pass()
    tasks.purge_judges()
    assert [model for model in tables if model.objects.exists()] == []


def test_what_is_in_the_way_is_named(owner, study, judge, run):
    other = factories.make_judge(study, "other", factories.make_endpoint(key="other"))
    ensemble = factories.make_judge(study, "both", kind=Judge.Kind.ENSEMBLE)
    ensemble.members.set([judge, other])
    sizes = {"planned": 200, "alpha": 0.05, "decisions": 1, "raters_per_item": 2, "seed": 1}
    promised = StoppingPlan.objects.create(study=study, order=[], role="third_party", **sizes)
    question = study.questions.first()
    StoppingPair.objects.create(plan=promised, judge=judge, question=question)
    Judge.objects.filter(pk=judge.pk).update(named_at=timezone.now())
    judge.refresh_from_db()
    factories.make_call(factories.make_judgments(other, {}), reused_from=run.calls.get())
    first, last = study.items.first(), study.items.last()
    written = {"unit": 1, "wanted": 0, "text": "She listens.", "item": last}
    Writing.objects.create(run=run, recipient=last.recipient, **written)
    stated = {"run": run, "item": first, "side": "generated"}
    said = {"statement": "It fits.", "topic": "fit", "sentiment": "positive"}
    Extraction.objects.create(**stated, unit=2)
    Statement.objects.create(**stated, **said, number=1, is_removed=True)
    made = {"explanation": first.key}
    factories.make_item(study, "s1", kind=Item.Kind.STATEMENT, data=made)
    words = " ".join(holders.what_holds(judge))
    for part in (
        "It was named for the verdict on",
        "The study’s stopping plan decides on it.",
        "It is a member of both.",
        "Its replies were taken over by other, whose evidence they are.",
        "1 profile that it wrote is among the items.",
        "People corrected or removed 1 statement that it extracted.",
        "1 item is made from statements that it extracted.",
    ):
        assert part in words
    with pytest.raises(Refused, match="member of both"):
        delete.delete(judge, owner, "why not")
    assert Judge.objects.filter(pk=judge.pk).exists() and not JudgeStep.objects.exists()


def test_the_page_says_what_is_in_the_way_and_offers_the_archive(as_owner, study, judge, run):
    ensemble = factories.make_judge(study, "both", kind=Judge.Kind.ENSEMBLE)
    ensemble.members.set([judge])
    text = as_owner.get(path("judge_delete", judge)).content.decode()
    assert "It is a member of both." in text and "Archive it instead" in text
    assert "Delete the judge" not in text
    answer = as_owner.post(path("judge_delete", judge), {"because": "why not"})
    assert answer.status_code == 422 and Judge.objects.filter(pk=judge.pk).exists()


def test_a_member_can_be_deleted_once_its_ensemble_is_gone_for_good(owner, study, judge):
    ensemble = factories.make_judge(study, "both", kind=Judge.Kind.ENSEMBLE)
    ensemble.members.set([judge])
    delete.delete(ensemble, owner, "no use")
    assert "It is a member of both (deleted" in holders.what_holds(judge)[0]
    let_days_pass()
    tasks.purge_judges()
    assert holders.what_holds(judge) == []


def test_a_running_judge_is_neither_deleted_nor_archived(owner, study, judge):
    plan(judge)
    for act in (lambda: delete.delete(judge, owner, "?"), lambda: archive.archive(judge, owner)):
        with pytest.raises(Refused, match="careful is running. Cancel its run first."):
            act()
    Run.objects.update(state=Run.State.CANCELLED)
    row = Judgment.objects.filter(lead=True).first()
    Judgment.objects.filter(pk=row.pk).update(state="leased", leased_until=timezone.now())
    with pytest.raises(Refused, match="still under way"):
        delete.delete(judge, owner, "?")


def test_nothing_of_a_deleted_judge_begins_again(owner, study, judge, run):
    Judgment.objects.update(state="failed", value=None, reason="down")
    run.refresh_from_db()
    delete.delete(judge, owner, "a wrong file")
    with pytest.raises(PlanError, match="was deleted"):
        reset_failed(run)
    with pytest.raises(PlanError, match="was deleted"):
        plan(judge)


def test_replies_of_a_deleted_judge_are_not_taken_over(owner, judge, run):
    Call.objects.update(request_hash="x")
    assert reuse.past_calls({"x"}).exists()
    delete.delete(judge, owner, "a wrong file")
    assert not reuse.past_calls({"x"}).exists()


def test_the_purge_waits_for_what_took_its_replies(owner, study, judge, run):
    delete.delete(judge, owner, "a wrong file")
    let_days_pass()
    other = factories.make_judge(study, "other", factories.make_endpoint(key="other"))
    again = factories.make_call(factories.make_judgments(other, {}), reused_from=run.calls.get())
    assert not purge.purge(judge.pk) and Call.objects.filter(run=run).exists()
    again.delete()
    assert purge.purge(judge.pk) and not Run.objects.filter(judge=judge).exists()


@pytest.mark.parametrize("name", ["judge_archive", "judge_bring_back", "judge_undelete"])
def test_a_judge_of_another_study_is_not_found(as_owner, study, stranger, name):
    theirs = factories.make_judge(factories.make_study("other", stranger), "theirs")
    for slug in ("other", study.slug):
        assert as_owner.post(reverse(name, args=[slug, theirs.pk])).status_code == 404
