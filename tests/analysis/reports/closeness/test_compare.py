"""Comparisons recomputed with numpy, scipy and scikit-learn, draw by draw where there are draws."""

import random
from math import isnan

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from analysis.answers import frame
from analysis.reports.shared.scores import Scores
from annotate.models import Rater, Rating
from judges.models import Judgment
from tests import factories
from tests.analysis.small import (
    add_judge,
    add_raters,
    build,
    make_rated_study,
    options_of,
    row_of,
)

pytestmark = pytest.mark.django_db
DRAWS = 60
KEY = "accuracy"
HERE = {"question": KEY, "measure": "pearson-dataset"}


@pytest.fixture
def study():
    study, rng = make_rated_study(recipients=8), random.Random(3)
    add_judge(study, "contrary", lambda item: 1 + item.pk % 3)
    add_judge(study, "coin", lambda item: rng.randint(1, 5))
    return study


def judged(study, name, key=KEY):
    """A judge's values in the order of the items."""
    rows = Judgment.objects.filter(run__judge__key=name, question__key=key, run__judge__study=study)
    return np.array(rows.order_by("item").values_list("value", flat=True), dtype=float)


def rated(study, name, key=KEY):
    rows = Rating.objects.filter(session__rater__key=name, question__key=key)
    return np.array(rows.order_by("item").values_list("value", flat=True), dtype=float)


def table(study, names=("ann", "bob", "cem")):
    return np.column_stack([rated(study, name) for name in names])


def draws_of(study, report="compare"):
    """The items of each draw: recipient g has items 6 g to 6 g + 5."""
    answers = frame.read_answers(study)
    counts = Scores(answers, options_of(answers, report, draws=DRAWS)).counts
    return [
        [6 * g + i for g, n in enumerate(times) for _ in range(int(n)) for i in range(6)]
        for times in counts
    ]


def r(x, y):
    return stats.pearsonr(x, y).statistic


def compared(study, of, other, **options):
    report = build(study, "compare", of=[of] if isinstance(of, str) else of, other=other, **options)
    return report


def test_two_judges_by_scipy_with_their_draws(study):
    row = row_of(compared(study, "close", "random", draws=DRAWS), **HERE)
    people, first, other = (
        table(study).mean(axis=1),
        judged(study, "close"),
        judged(study, "random"),
    )
    assert row["value"] == pytest.approx(r(first, people))
    assert row["other_value"] == pytest.approx(r(other, people))
    assert (row["difference"], row["n"]) == (pytest.approx(r(first, people) - r(other, people)), 48)
    drawn = [r(first[d], people[d]) - r(other[d], people[d]) for d in draws_of(study)]
    assert (row["low"], row["high"]) == pytest.approx(tuple(np.percentile(drawn, [2.5, 97.5])))
    error = np.std(drawn, ddof=1)
    t = abs(row["difference"]) / error
    reached = sum(abs(d - row["difference"]) / error >= t - 1e-9 for d in drawn)
    assert row["p"] == row["p_adjusted"] == pytest.approx((1 + reached) / (DRAWS + 1))


def test_several_share_one_family(study):
    rows = [
        row_of(
            compared(study, ["close", "contrary", "coin"], "random", draws=DRAWS),
            evaluator=name,
            **HERE,
        )
        for name in ("close", "contrary", "coin")
    ]
    people = table(study).mean(axis=1)
    values = {name: judged(study, name) for name in ("close", "contrary", "coin", "random")}
    drawn = {
        row["evaluator"]: np.array(
            [
                r(values[row["evaluator"]][d], people[d]) - r(values["random"][d], people[d])
                for d in draws_of(study)
            ]
        )
        for row in rows
    }
    sizes = {
        row["evaluator"]: abs(row["difference"]) / drawn[row["evaluator"]].std(ddof=1)
        for row in rows
    }
    order, least, expected = sorted(sizes, key=lambda name: -sizes[name]), 0, {}
    by_name = {row["evaluator"]: row for row in rows}
    for place, name in enumerate(order):
        largest = [
            max(
                abs(drawn[o][b] - by_name[o]["difference"]) / drawn[o].std(ddof=1)
                for o in order[place:]
            )
            for b in range(DRAWS)
        ]
        least = max(least, (1 + sum(x >= sizes[name] - 1e-9 for x in largest)) / (DRAWS + 1))
        expected[name] = least
    assert {name: row["p_adjusted"] for name, row in by_name.items()} == pytest.approx(expected)
    assert any(row["p"] < row["p_adjusted"] for row in rows)


def test_a_named_rater_meets_the_mean_of_the_others_and_so_does_the_judge(study):
    row = row_of(compared(study, "close", "bob"), **HERE)
    others = table(study, ["ann", "cem"]).mean(axis=1)
    assert row["value"] == pytest.approx(r(judged(study, "close"), others))
    assert row["other_value"] == pytest.approx(r(rated(study, "bob"), others))


def stacked(study):
    """Each rating, the mean of the item's two others, and the item: one rater below the other."""
    people = table(study)
    own = np.concatenate([people[:, j] for j in range(3)])
    others = np.concatenate([np.delete(people, j, axis=1).mean(axis=1) for j in range(3)])
    return own, others, np.tile(np.arange(len(people)), 3)


def test_a_rater_is_each_rating_against_the_mean_of_the_others(study):
    report = compared(study, "close", "a rater", draws=DRAWS)
    row = row_of(report, **HERE)
    own, others, items = stacked(study)
    error = row_of(report, question=KEY, measure="mae")["other_value"]
    assert error == pytest.approx(np.abs(own - others).mean())
    judge = judged(study, "close")[items]
    assert row["value"] == pytest.approx(r(judge, others))
    assert row["other_value"] == pytest.approx(r(own, others))
    assert row["n"] == 3 * 48
    drawn = []
    for items_drawn in draws_of(study):
        rows = np.concatenate([np.flatnonzero(items == item) for item in items_drawn])
        drawn.append(r(judge[rows], others[rows]) - r(own[rows], others[rows]))
    assert (row["low"], row["high"]) == pytest.approx(tuple(np.percentile(drawn, [2.5, 97.5])))


def test_the_mean_of_the_reference_meets_each_rating_that_is_not_in_it(study):
    row = row_of(compared(study, "mean of third_party", "close"), **HERE)
    own, others, items = stacked(study)
    assert row["value"] == pytest.approx(r(others, own))
    assert row["other_value"] == pytest.approx(r(judged(study, "close")[items], own))


def test_the_mean_of_another_role_is_compared_with_the_reference(study):
    """As in P0: recipients are the ground truth, annotators and judges predict it."""
    quality = {item: 1 + item.pk % 4 for item in study.items.all()}
    add_raters(study, ["ida"], quality, random.Random(2), Rater.Role.RECIPIENT)
    report = compared(study, "mean of third_party", "close", reference="recipient")
    row = row_of(report, **HERE)
    truth = rated(study, "ida")
    assert row["value"] == pytest.approx(r(table(study).mean(axis=1), truth))
    assert row["other_value"] == pytest.approx(r(judged(study, "close"), truth))


def test_a_panel_is_the_mean_of_judges_and_raters(study):
    row = row_of(compared(study, "ann + close", "random"), **HERE)
    others = table(study, ["bob", "cem"]).mean(axis=1)
    panel = (judged(study, "close") + rated(study, "ann")) / 2
    assert row["evaluator"] == "close + ann"  # in one order, however it was written
    assert row["value"] == pytest.approx(r(panel, others))
    assert row["other_value"] == pytest.approx(r(judged(study, "random"), others))


def test_swapping_both_flips_the_sign_and_nothing_else(study):
    one = compared(study, "close", "a rater", draws=DRAWS)
    two = compared(study, "a rater", "close", draws=DRAWS)
    for first, second in zip(one.rows, two.rows, strict=True):
        assert (first["measure"], first["question"]) == (second["measure"], second["question"])
        flipped = [-second["difference"], -second["high"], -second["low"]]
        flipped += [second["other_value"], second["value"], second["p"], second["n"]]
        own = [first[name] for name in ("difference", "low", "high")]
        own += [first[name] for name in ("value", "other_value", "p", "n")]
        assert own == pytest.approx(flipped, nan_ok=True)


def test_the_order_of_raters_changes_nothing(study):
    before = compared(study, "close", "a rater", draws=DRAWS).rows
    for old, new in (("ann", "zoe"), ("cem", "abe")):
        Rater.objects.filter(key=old).update(key=new)
    after = compared(study, "close", "a rater", draws=DRAWS).rows
    for first, second in zip(before, after, strict=True):
        assert first == pytest.approx(second, nan_ok=True)


def test_auc_and_error_are_those_of_scikit_learn_and_numpy(study):
    report = compared(study, "close", "random")
    people = table(study).mean(axis=1)
    close, other = judged(study, "close"), judged(study, "random")
    row = row_of(report, question=KEY, measure="auc")
    expected = roc_auc_score(people >= 4, close), roc_auc_score(people >= 4, other)
    assert (row["value"], row["other_value"]) == pytest.approx(expected)
    row = row_of(report, question=KEY, measure="mae")
    assert row["value"] == pytest.approx(np.abs(close - people).mean())
    row = row_of(report, question=KEY, measure="accuracy")
    rounded = np.ceil(people - 0.5)  # halves down
    assert row["other_value"] == pytest.approx((other == rounded).mean())
    row = row_of(report, question=KEY, measure="rsm")
    worst = people <= 1
    assert row["value"] == pytest.approx((close[worst] < 3).mean(), nan_ok=True)


def ordinal_alpha(x, y):
    """Krippendorff's alpha of two raters by loops over all pairs, as in Krippendorff (2011)."""
    values = np.concatenate([x, y])
    scale, counts = np.unique(values, return_counts=True)

    def squared(a, b):
        low, high = sorted((a, b))
        between = counts[(scale >= low) & (scale <= high)].sum()
        ends = counts[scale == a].sum() + counts[scale == b].sum()
        return (between - ends / 2) ** 2 if a != b else 0

    observed = sum(squared(a, b) for a, b in zip(x, y, strict=True)) / len(x)
    n = len(values)
    expected = sum(squared(a, b) for a in values for b in values) / (n * (n - 1))
    return 1 - observed / expected


def test_alpha_is_of_the_evaluator_and_the_rounded_reference(study):
    row = row_of(compared(study, "close", "random"), question=KEY, measure="alpha")
    rounded = np.ceil(table(study).mean(axis=1) - 0.5)
    assert row["value"] == pytest.approx(ordinal_alpha(judged(study, "close"), rounded))
    assert row["other_value"] == pytest.approx(ordinal_alpha(judged(study, "random"), rounded))


def test_levels_are_those_of_scipy_within_groups(study):
    report = compared(study, "close", "random")
    people, close = table(study).mean(axis=1), judged(study, "close")
    own = [
        stats.kendalltau(close[6 * g : 6 * g + 6], people[6 * g : 6 * g + 6]).statistic
        for g in range(8)
    ]
    row = row_of(report, question=KEY, measure="kendall-user")
    assert row["value"] == pytest.approx(np.nanmean(own))
    systems = [np.arange(48) % 3 == s for s in range(3)]
    means = [[side[s].mean() for s in systems] for side in (close, people)]
    row = row_of(report, question=KEY, measure="spearman-system")
    assert row["value"] == pytest.approx(stats.spearmanr(*means).statistic)


def test_the_average_is_over_the_questions_that_both_answered(study):
    """No judge has to answer everything: pairs are formed by question."""
    first, second, third, fourth = study.questions.order_by("position")
    Judgment.objects.filter(run__judge__key="close", question__in=[first, second]).delete()
    Judgment.objects.filter(run__judge__key="random", question=fourth).delete()
    report = compared(study, "close", "random")
    rows = [row for row in report.rows if row["measure"] == "pearson-dataset"]
    assert [row["question"] for row in rows] == [third.key, "average"]
    assert rows[0]["difference"] == pytest.approx(rows[1]["difference"])
    assert "on accuracy (" in report.verdict[0]


def test_each_pair_has_the_items_that_both_answered(study):
    lost = study.items.order_by("pk")[:5]
    Judgment.objects.filter(run__judge__key="coin", item__in=list(lost)).delete()
    report = compared(study, ["close", "coin"], "random")
    assert row_of(report, evaluator="close", **HERE)["n"] == 48
    assert row_of(report, evaluator="coin", **HERE)["n"] == 43


def test_without_common_items_it_says_so(study):
    items = list(study.items.order_by("pk"))
    Judgment.objects.filter(run__judge__key="close", item__in=items[:24]).delete()
    Judgment.objects.filter(run__judge__key="random", item__in=items[24:]).delete()
    report = compared(study, "close", "random", draws=DRAWS)
    words = "close and random cannot be compared: no item has answers of both, and of people."
    rows = [row for row in report.rows if row["measure"] == "pearson-dataset"]
    assert [(row["question"], row["n"]) for row in rows] == [("average", 0)]
    assert any("No item has answers of both" in note for note in report.notes)
    assert report.verdict == [words]


def test_a_rater_of_no_item_that_is_left_in_is_not_compared(study):
    Rating.objects.filter(session__rater__key="ann", item__recipient__key="r1").delete()
    options = {"draws": DRAWS, "only": ["recipient=r1"]}
    report = compared(study, ["ann", "close + ann"], "bob", **options)
    assert {row["n"] for row in report.rows if row["measure"] == "alpha"} == {0}


def test_a_constant_judge_has_no_correlation_but_an_error(study):
    add_judge(study, "constant", lambda item: 3)
    report = compared(study, "constant", "random", draws=DRAWS)
    row = row_of(report, **HERE)
    assert isnan(row["difference"]) and isnan(row["p"])
    assert any("ll values of the judge are equal" in note for note in report.notes)
    assert row_of(report, question=KEY, measure="mae")["low"] < 10


@pytest.mark.parametrize(("recipients", "has_interval"), [(1, False), (4, False), (5, True)])
def test_few_clusters_give_no_interval_and_no_p(recipients, has_interval):
    study = make_rated_study(recipients=recipients)
    report = compared(study, "close", "random", draws=DRAWS, margin=0.1)
    row = row_of(report, **HERE)
    assert isnan(row["low"]) != has_interval
    assert isnan(row["p"]) != has_interval
    assert (row["not_worse"] is None) != has_interval
    assert ("cannot be tested" in report.verdict[0]) != has_interval


def test_a_twin_is_not_worse_and_has_no_p(study):
    values = dict(zip(study.items.order_by("pk"), judged(study, "close"), strict=True))
    add_judge(study, "twin", values.__getitem__)
    row = row_of(compared(study, "close", "twin", draws=DRAWS, margin=0.01), **HERE)
    assert row["difference"] == 0 and isnan(row["p"])
    assert (row["margin_p"], row["not_worse"]) == (pytest.approx(1 / (DRAWS + 1)), True)


@pytest.mark.parametrize("margin", [0.05, 0.5])
def test_the_margin_counts_the_draws_below_it(study, margin):
    row = row_of(compared(study, "contrary", "random", draws=DRAWS, margin=margin), **HERE)
    people = table(study).mean(axis=1)
    first, other = judged(study, "contrary"), judged(study, "random")
    drawn = [r(first[d], people[d]) - r(other[d], people[d]) for d in draws_of(study)]
    p = (1 + sum(d <= -margin for d in drawn)) / (DRAWS + 1)
    assert (row["margin"], row["margin_p"]) == (margin, pytest.approx(p))
    assert row["not_worse"] == (p <= 0.025)


def test_of_an_error_more_is_worse(study):
    report = compared(study, "close", "random", draws=DRAWS, margin=0.1)
    row = row_of(report, question=KEY, measure="mae")
    assert row["high"] < 0.1 and row["not_worse"] is True
    other = compared(study, "random", "close", draws=DRAWS, margin=0.1)
    assert row_of(other, question=KEY, measure="mae")["not_worse"] is False


def test_margins_of_several_are_adjusted_by_holm(study):
    names = ["close", "contrary", "coin"]
    report = compared(study, names, "random", draws=DRAWS, margin=0.05)
    single = {}
    for name in names:
        alone = compared(study, name, "random", draws=DRAWS, margin=0.05)
        single[name] = row_of(alone, **HERE)["margin_p"]
    least = 0
    for place, name in enumerate(sorted(names, key=single.get)):
        least = max(least, min(1, (3 - place) * single[name]))
        assert row_of(report, evaluator=name, **HERE)["margin_p"] == pytest.approx(least)


def test_without_names_the_best_judge_meets_a_rater(study):
    report = build(study, "compare")
    assert {(row["evaluator"], row["other"]) for row in report.rows} == {("close", "a rater")}
    assert any("close is the first judge on the page Results." in n for n in report.notes)


def test_where_nobody_rated_an_item_twice_the_best_judge_meets_another_role_or_the_next(study):
    Rating.objects.exclude(session__rater__key="ann").delete()
    report = build(study, "compare")
    (pair,) = {(row["evaluator"], row["other"]) for row in report.rows}
    assert "close" in pair and "a rater" not in pair
    quality = {item: 1 + item.pk % 4 for item in study.items.all()}
    add_raters(study, ["ida"], quality, random.Random(2), Rater.Role.RECIPIENT)
    report = build(study, "compare", reference="recipient")
    assert {row["other"] for row in report.rows} == {"mean of third_party"}


def test_with_nobody_to_compare_it_says_what_it_takes():
    study = factories.make_study(items=3)
    report = build(study, "compare")
    assert report.rows == [] and report.verdict[0].startswith("There is nobody to compare")


def test_a_scale_of_its_own_has_no_label_and_no_distance(study):
    add_judge(study, "percent", lambda item: 20 * (1 + item.pk % 4))
    report = compared(study, "percent", "random")
    assert not isnan(row_of(report, **HERE)["difference"])
    for measure in ("alpha", "accuracy", "mae"):
        assert isnan(row_of(report, question=KEY, measure=measure)["difference"])
    assert any("Percent answers on a scale of its own" in note for note in report.notes)


def test_a_number_without_ends_has_distances_and_needs_a_threshold_for_auc():
    study = factories.make_study(questions={}, items=12)
    question = factories.make_question(study, "minutes", "number")
    for rater, step in (("ann", 1), ("bob", 2)):
        session = factories.make_session(study, rater)
        factories.make_ratings(
            session, ((item, question, step * k) for k, item in enumerate(study.items.all()))
        )
    add_judge(study, "flat", lambda item: 10)
    add_judge(study, "low", lambda item: item.pk % 5)
    report = compared(study, "flat", "low")
    row = row_of(report, measure="mae")
    assert row["value"] == pytest.approx(np.abs(10 - 1.5 * np.arange(12)).mean())
    assert any("A number without ends needs a threshold" in note for note in report.notes)
    with_cut = row_of(compared(study, "flat", "low", threshold="9"), measure="auc")
    assert with_cut["value"] == 0.5


def test_a_panel_on_two_scales_is_refused(study):
    from judges.models import Judge

    add_judge(study, "rouge", lambda item: (item.pk % 4) / 4)
    Judge.objects.filter(key="rouge").update(kind=Judge.Kind.ROUGE_1)
    report = compared(study, "rouge + close", "random")
    assert isnan(row_of(report, **HERE)["difference"])
    words = "members of close + rouge are on different scales"
    assert any(words in note for note in report.notes)


def test_a_rater_and_the_mean_of_the_same_raters_have_no_common_people(study):
    report = compared(study, "a rater", "mean of third_party")
    assert isnan(row_of(report, **HERE)["difference"])
    assert any("not compared with the same people" in note for note in report.notes)


def test_a_rater_has_a_name_of_its_own_beside_a_judge_of_its_name(study):
    add_judge(study, "ann", lambda item: 1 + item.pk % 5)
    row = row_of(compared(study, "ann (rater)", "ann"), **HERE)
    others = table(study, ["bob", "cem"]).mean(axis=1)
    assert row["value"] == pytest.approx(r(rated(study, "ann"), others))
    assert row["other_value"] == pytest.approx(r(judged(study, "ann"), others))
