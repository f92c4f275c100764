"""The report of costs: sums by hand, single against multiple aspects, people, the frontier."""

import re
from decimal import Decimal
from math import isnan

import numpy as np
import pytest
from django.core.cache import caches
from scipy import stats

from annotate.models import Rating, Study
from judges.models import Call, Judge, Judgment, Run
from tests import factories
from tests.analysis.small import build, make_rated_study, row_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(owner):
    return make_rated_study(owner)


def add_calling_judge(study, name, aspects, cost, endpoint, **fields):
    """A judge with one priced call a unit: an item, or an item and question; value 1 to 5."""
    judge = factories.make_judge(study, name, endpoint, aspects=aspects, **fields)
    run = Run.objects.create(judge=judge, state=Run.State.FINISHED)
    items, questions = list(study.items.all()), list(study.questions.all())
    unit = 0
    for place, item in enumerate(items):
        for group in [[q] for q in questions] if aspects == "single" else [questions]:
            call = factories.make_call(
                run, unit, cost_usd=cost, tokens_in=100, tokens_out=10, latency_seconds=0.5
            )
            Judgment.objects.bulk_create(
                Judgment(
                    run=run,
                    item=item,
                    question=question,
                    unit=unit,
                    call=call,
                    state="done",
                    value=1 + (place + len(name)) % 5,
                    lead=question == group[0],
                )
                for question in group
            )
            unit += 1
    return judge


@pytest.fixture
def called(study):
    endpoint = factories.make_endpoint()
    add_calling_judge(study, "gpt (S)", "single", Decimal("0.001"), endpoint)
    add_calling_judge(study, "gpt (M)", "multiple", Decimal("0.0015"), endpoint)
    return study


def row(report, name, question="average"):
    return row_of(report, evaluator=name, question=question)


def test_an_item_costs_what_its_calls_cost(called):
    report = build(called, "cost", draws=50)
    single, multiple = row(report, "gpt (S)"), row(report, "gpt (M)")
    assert (single["cost"], multiple["cost"]) == (pytest.approx(0.004), pytest.approx(0.0015))
    assert (single["calls"], multiple["calls"]) == (4, 1)
    assert (single["tokens_in"], multiple["tokens_out"]) == (400, 10)
    assert (single["seconds"], single["n_items"]) == (2, 24)
    assert report.curves["pairs"] == [("test-model", "gpt (S)", "gpt (M)")]


def test_failed_and_repeated_calls_count(called):
    run = Run.objects.get(judge__key="gpt (M)")
    factories.make_call(run, 3, attempt=2, cost_usd=Decimal("0.024"))
    factories.make_call(run, 4, attempt=2, failure="timeout")
    found = row(build(called, "cost"), "gpt (M)")
    assert found["cost"] == pytest.approx(0.0015 + 0.001)
    assert found["calls"] == pytest.approx(26 / 24)


def test_the_interval_is_over_clusters_of_items(called):
    run = Run.objects.get(judge__key="gpt (M)")
    Call.objects.filter(run=run, unit__lt=6).update(cost_usd=Decimal("0.004"))
    found = row(build(called, "cost", draws=200), "gpt (M)")
    assert found["cost_low"] < found["cost"] < found["cost_high"]


def test_an_ensemble_costs_what_its_members_cost(called):
    both = factories.make_judge(called, "both", kind=Judge.Kind.ENSEMBLE, prompt="")
    both.members.set(Judge.objects.filter(key__startswith="gpt"))
    found = row(build(called, "cost"), "both")
    assert (found["kind"], found["cost"]) == ("ensemble", pytest.approx(0.0055))
    assert found["calls"] == 5


def test_a_cost_that_nobody_knows_is_said_and_not_0(called):
    Call.objects.filter(run__judge__key="gpt (S)", unit=7).update(cost_usd=None)
    report = build(called, "cost")
    entry = next(e for e in report.entries if e.row["evaluator"] == "gpt (S)")
    assert isnan(entry.row["cost"])
    assert "1 of 96 calls have no price" in entry.reason
    assert entry.row["frontier"] is None
    imported = next(e for e in report.entries if e.row["evaluator"] == "close")
    assert isnan(imported.row["cost"])
    assert "imported without cost_usd" in imported.reason


def test_loaded_costs_and_judges_that_compute(called):
    Judgment.objects.filter(run__judge__key="close").update(cost_usd=Decimal("0.002"))
    Judge.objects.filter(key="random").update(kind=Judge.Kind.RANDOM)
    report = build(called, "cost")
    assert row(report, "close")["cost"] == pytest.approx(0.008)  # four questions
    assert row(report, "random")["cost"] == 0
    assert any("so counted as 0: random" in note for note in report.notes)


def test_people_cost_their_pay_and_are_compared_with_the_others(called):
    Study.objects.update(extra={"pays_per_session": 2}, items_per_session=4)
    report = build(Study.objects.get(), "cost")
    one, two = row(report, "1 rater", "accuracy"), row(report, "mean of 2 raters", "accuracy")
    assert (one["cost"], two["cost"], one["currency"]) == (0.5, 1.0, "USD")
    assert (one["n"], two["n"], two["raters"]) == (24, 24, 2)
    # One against two and two against one are the same splits, drawn anew.
    assert one["value"] == pytest.approx(two["value"], abs=0.05)
    table = np.array(
        [
            [r.value for r in Rating.objects.filter(item=item, question__key="accuracy")]
            for item in called.items.all()
        ]
    )
    fixed = [stats.pearsonr(table[:, at], np.delete(table, at, 1).mean(1))[0] for at in range(3)]
    assert min(fixed) - 0.05 < one["value"] < max(fixed) + 0.05
    three = row(report, "mean of 3 raters", "accuracy")
    assert three["cost"] == 1.5
    assert isnan(three["value"])


def test_people_paid_in_another_currency_are_not_compared(called):
    Study.objects.update(extra={"pays_per_session": 2, "pay_currency": "EUR"})
    report = build(Study.objects.get(), "cost")
    assert row(report, "1 rater")["currency"] == "EUR"
    assert row(report, "1 rater")["frontier"] is None
    assert any("they are not compared" in note for note in report.notes)


def test_without_a_pay_people_are_unpriced(called):
    entry = next(e for e in build(called, "cost").entries if e.row["evaluator"] == "1 rater")
    assert isnan(entry.row["cost"])
    assert "does not say what a session pays" in entry.reason


def test_where_no_cost_is_known_one_sentence_says_so_in_place_of_a_column(called, as_owner):
    Judge.objects.exclude(key__in=["close", "far"]).delete()
    assert build(called, "cost").verdict == [
        "What an item costs is not known, neither with a judge nor with people."
    ]
    page = as_owner.get("/studies/films/analysis/cost/").content.decode()
    headings = [text.strip() for text in re.findall(r"<th[^>]*>([^<]*)<", page)]
    assert "Pearson&#x27;s r" in headings
    assert not {"An item costs", "Asked", "Calls an item", "Tokens in / out"} & {*headings}
    Study.objects.update(extra={"pays_per_session": 2}, items_per_session=4)
    page = as_owner.get("/studies/films/analysis/cost/").content.decode()
    assert "An item costs" in page


def test_the_frontier_leaves_out_what_is_dearer_and_worse(called):
    Judgment.objects.filter(run__judge__key="close").update(cost_usd=Decimal("0.002"))
    report = build(called, "cost")
    close, single = row(report, "close"), row(report, "gpt (S)")
    assert close["value"] > single["value"]
    priced = [r for r in report.rows if r["question"] == "average" and r["frontier"] is not None]
    for one in priced:
        beaten = any(
            o["cost"] <= one["cost"]
            and o["value"] >= one["value"]
            and (o["cost"], o["value"]) != (one["cost"], one["value"])
            for o in priced
        )
        assert one["frontier"] is not beaten


def test_the_page_follows_the_pay_at_once(called, as_owner):
    caches["reports"].clear()
    before = as_owner.get("/studies/films/analysis/cost/").content.decode()
    assert "does not say what a session pays" in before
    assert "Single-aspect against multiple-aspect" in before
    Study.objects.update(extra={"pays_per_session": 3})
    after = as_owner.get("/studies/films/analysis/cost/").content.decode()
    assert "3 USD a session / 4 items a session" in after
    assert "frontier" in after


def test_a_weighted_value_costs_what_its_judge_costs(called):
    factories.change_settings(Judge.objects.get(key="gpt (M)"), weighted=True)
    Judgment.objects.filter(run__judge__key="gpt (M)").update(weighted_value=3.5, weighted_mass=0.9)
    report = build(called, "cost")
    assert row(report, "gpt (M) weighted")["cost"] == pytest.approx(0.0015)
    assert row(report, "gpt (M) weighted")["aspects"] == "multiple"


def test_a_judge_that_was_never_asked_has_no_cost_and_says_so(called):
    unasked = Judgment.objects.filter(run__judge__key="gpt (M)")
    unasked.update(state="not_asked", value=None, reason="no example", call=None)
    Call.objects.filter(run__judge__key="gpt (M)").delete()
    report = build(called, "cost")
    (entry,) = [
        entry
        for entry in report.entries
        if (entry.row["evaluator"], entry.row["question"]) == ("gpt (M)", "average")
    ]
    assert isnan(entry.row["cost"])
    assert entry.reason.startswith("it was never asked")
