"""The report of biases: differences by hand, contradictions, failures, judges on another scale."""

from math import isnan

import numpy as np
import pytest
from scipy import stats

from analysis.answers.repeats import lengths
from annotate.models import Item, Rating
from judges.models import Judge, Judgment, Run
from tests import factories
from tests.analysis.reports.raters.test_agreement import make_table
from tests.analysis.small import add_judge, build, make_rated_study, row_of

pytestmark = pytest.mark.django_db
KEY = "accuracy"


@pytest.fixture
def study():
    return make_rated_study()


def found(study, bias, judge="close", question=KEY, **options):
    report = build(study, "bias", **options)
    wanted = {"bias": bias, "evaluator": judge, "question": question}
    return [row for row in report.rows if wanted.items() <= row.items()]


def differences(study, judge="close"):
    people: dict = {}
    for item, value in Rating.objects.filter(question__key=KEY).values_list("item__key", "value"):
        people.setdefault(item, []).append(value)
    judged = Judgment.objects.filter(question__key=KEY, run__judge__key=judge)
    return {
        item: value - np.mean(people[item])
        for item, value in judged.values_list("item__key", "value")
    }


def test_the_slope_on_length_is_that_of_scipy(study):
    for item in study.items.all():
        Item.objects.filter(pk=item.pk).update(text="word " * (10 + item.pk % 7 * 30))
    (row,) = found(study, "length", draws=20)
    by_item = differences(study)
    sizes = {item.key: len(item.text.split()) / 100 for item in study.items.all()}
    line = stats.linregress([sizes[key] for key in by_item], list(by_item.values()))
    assert row["value"] == pytest.approx(line.slope)
    assert (row["n"], row["groups"], row["group"]) == (24, 4, "100 words")
    assert row["low"] < row["value"] < row["high"]


def test_the_slope_of_short_texts_is_per_ten_words(study, as_owner, owner):
    study.memberships.create(user=owner, role="owner")
    for item in study.items.all():
        Item.objects.filter(pk=item.pk).update(text="word " * (4 + item.pk % 7))
    (row,) = found(study, "length")
    by_item = differences(study)
    sizes = {item.key: len(item.text.split()) / 10 for item in study.items.all()}
    line = stats.linregress([sizes[key] for key in by_item], list(by_item.values()))
    assert row["value"] == pytest.approx(line.slope)
    assert row["group"] == "10 words"
    page = as_owner.get("/studies/films/analysis/bias/", {"question": KEY, "draws": 0})
    page = page.content.decode()
    assert "per 10 words more" in page and "per 100 words more" not in page


@pytest.mark.parametrize("size, unit", [(49, "10 words"), (50, "100 words")])
def test_the_unit_follows_the_median_of_the_texts(study, size, unit):
    first, *others = study.items.order_by("pk")
    Item.objects.update(text="word " * size)
    Item.objects.filter(pk=first.pk).update(text="word " * 900)
    (row,) = found(study, "length")
    assert row["group"] == unit


def test_only_what_was_asked_and_has_no_value_is_filled():
    """People say 5, 4, 3, 2; the judge says 5, 4 and once nothing, and is not asked the fourth."""
    study = make_table(np.array([[5, 4, 3, 2]]))
    says = dict(zip(study.items.order_by("pk"), (5, 4, 1, 1), strict=True))
    add_judge(study, "gpt", says.get)
    judgments = Judgment.objects.order_by("item__pk")
    judgments.filter(pk=judgments[2].pk).update(state="failed", value=None, reason="timed out")
    judgments.last().delete()
    where = {"bias": "systems", "group": "all", "evaluator": "gpt"}
    dropped = row_of(build(study, "bias"), **where)
    assert (dropped["value"], dropped["n"]) == (0, 2)
    filled = row_of(build(study, "bias", missing_judgment="0"), **where)
    assert (filled["value"], filled["n"]) == (-1, 3), "(0 + 0 − 3) / 3, not (0 + 0 − 3 − 2) / 4"


def test_chinese_texts_are_measured_in_characters(study):
    Item.objects.update(text="我 喜欢这部电影")
    size, unit = lengths(study, ["item-0", "item-1"])
    assert (size.tolist(), unit) == ([7, 7], "characters")
    Item.objects.update(text="I like this 电影 a lot")
    size, unit = lengths(study, ["item-0"])
    assert (size.tolist(), unit) == ([7], "words")
    assert isnan(lengths(study, ["nothing"])[0][0])


def test_texts_of_one_length_have_no_slope(study):
    Item.objects.update(text="the same")
    entries = [e for e in build(study, "bias").entries if e.row["bias"] == "length"]
    assert {e.reason for e in entries} == {"all texts are equally long"}


def test_systems_and_recipients_are_means_of_the_differences(study):
    by_item, items = differences(study), {item.key: item for item in study.items.all()}
    rows = {row["group"]: row for row in found(study, "systems", draws=50)}
    assert rows["all"]["value"] == pytest.approx(np.mean(list(by_item.values())))
    one = [d for key, d in by_item.items() if items[key].system.key == "system-1"]
    assert rows["system-1"]["value"] == pytest.approx(np.mean(one))
    assert rows["system-1"]["low"] <= rows["system-1"]["value"] <= rows["system-1"]["high"]
    assert rows["system-1"]["n"] == 8
    means = [
        np.mean([d for key, d in by_item.items() if items[key].recipient.key == f"r{who}"])
        for who in range(4)
    ]
    spread, *largest = found(study, "recipients")
    assert spread["value"] == pytest.approx(np.std(means, ddof=1))
    assert [abs(row["value"]) for row in largest] == pytest.approx(sorted(np.abs(means))[::-1])


def test_a_judge_that_adds_one_everywhere_is_mapped_back(study):
    exact = {item.pk: 1 + item.pk % 4 for item in study.items.all()}
    for rating in Rating.objects.all():
        Rating.objects.filter(pk=rating.pk).update(value=exact[rating.item_id])
    add_judge(study, "plus one", lambda item: exact[item.pk] + 1)
    rows = {row["measure"]: row for row in found(study, "calibration", "plus one", draws=20)}
    assert rows["mae_before"]["value"] == 1
    assert rows["mae_after"]["value"] == pytest.approx(0)
    assert rows["gain"]["value"] == pytest.approx(1)
    curve = build(study, "bias").curves["plus one", KEY]
    assert curve == {"judge": [2, 3, 4, 5], "human": [1, 2, 3, 4]}


def test_a_scale_of_its_own_has_no_difference_but_a_map(study):
    add_judge(study, "percent", lambda item: 20.0 * (1 + item.pk % 5))
    report = build(study, "bias")
    own = [e for e in report.entries if e.row["evaluator"] == "percent"]
    undefined = {e.row["bias"] for e in own if "scale of its own" in e.reason}
    assert undefined == {"length", "systems", "recipients", "calibration"}
    after = [e.row["value"] for e in own if e.row["measure"] == "mae_after"]
    assert not any(map(isnan, after))


def asked_twice(study, values, **fields):
    """A judge with samples (by number) or orders (by name): {sample or order: value of item}."""
    judge = factories.make_judge(study, "again", factories.make_endpoint(), **fields)
    run = Run.objects.create(judge=judge, state=Run.State.FINISHED)
    question = study.questions.get(key=KEY)
    for place, item in enumerate(study.items.order_by("pk")):
        for which, value_of in values.items():
            order = {"order": which} if isinstance(which, str) else {"sample": which}
            Judgment.objects.create(
                run=run, item=item, question=question, state="done", value=value_of(place), **order
            )


def test_flips_are_counted_where_both_orders_were_asked(study):
    asked_twice(study, {"AB": lambda place: 1, "BA": lambda place: 1 + (place < 6)})
    (row,) = found(study, "position", "again", draws=20)
    assert (row["value"], row["n"]) == (0.25, 24)
    assert row["low"] <= 0.25 <= row["high"]


def test_samples_are_compared_with_each_other(study):
    asked_twice(
        study,
        {0: lambda place: place % 5, 1: lambda place: place % 5 + (place < 12)},
        samples=2,
        temperature=1,
    )
    rows = {row["measure"]: row["value"] for row in found(study, "retest", "again")}
    assert rows["exact_agreement"] == 0.5
    assert rows["mean_sd"] == pytest.approx(np.sqrt(0.5) / 2)
    assert 0 < rows["icc_1_1"] < 1


def test_without_orders_or_samples_it_is_said(study):
    report = build(study, "bias")
    reasons = {e.row["bias"]: e.reason for e in report.entries if e.row["question"] == "all"}
    assert reasons == {
        "position": "no judgment was asked in two orders",
        "retest": "each answer was asked once",
    }


def test_failures_by_why_and_by_system(study):
    lost = Judgment.objects.filter(
        run__judge__key="close", question__key=KEY, item__system__key="system-1"
    ).order_by("pk")
    for place, pk in enumerate(lost.values_list("pk", flat=True)[:4]):
        state = "unparsable" if place < 3 else "refused"
        Judgment.objects.filter(pk=pk).update(state=state, value=None, reason="no number")
    rows = {(r["measure"], r["group"]): r for r in found(study, "failures")}
    assert rows["unparsable", "all"]["value"] == 3 / 24
    assert rows["refused", "all"]["value"] == 1 / 24
    assert rows["no_value", "system-1"]["value"] == 4 / 8
    # Wilson's interval of 4 of 8: (.215, .785), Newcombe (1998) method 3.
    assert rows["no_value", "system-1"]["low"] == pytest.approx(0.215, abs=5e-4)
    assert rows["no_value", "system-0"]["value"] == 0
    assert ("no_value", "system-1") not in {
        (r["measure"], r["group"]) for r in found(study, "failures", "random")
    }


def test_what_was_never_asked_is_no_failure(study):
    asked = Judgment.objects.filter(run__judge__key="close", question__key=KEY)
    Judgment.objects.filter(pk=asked.first().pk).update(state="not_asked", value=None)
    rows = {(r["measure"], r["group"]): r for r in found(study, "failures")}
    assert (rows["no_value", "all"]["value"], rows["no_value", "all"]["n"]) == (0, 23)


def test_an_ensemble_has_differences_but_is_not_asked(study):
    both = factories.make_judge(study, "both", kind=Judge.Kind.ENSEMBLE)
    both.members.set(Judge.objects.exclude(pk=both.pk))
    biases = {r["bias"] for r in build(study, "bias").rows if r["evaluator"] == "both"}
    assert biases == {"length", "systems", "recipients", "calibration"}
    assert (
        row_of(build(study, "bias"), evaluator="both", bias="systems", question=KEY, group="all")[
            "n"
        ]
        == 24
    )
