"""Differences corrected by max-T, and by Holm: p-values recomputed draw by draw with scipy."""

import random
from collections import defaultdict
from itertools import combinations
from math import isnan

import numpy as np
import pytest
from scipy import stats

from analysis.answers import frame
from analysis.reports.shared.scores import Scores
from tests.analysis.reports.closeness.test_correlation import pairs
from tests.analysis.small import add_judge, build, make_rated_study, options_of

pytestmark = pytest.mark.django_db
DRAWS = 60
HERE = {"question": "accuracy", "level": "dataset", "coefficient": "pearson"}
NAMES = ("close", "random", "contrary", "coin")
PAIRS = [*combinations(NAMES, 2)]


@pytest.fixture
def study():
    study, rng = make_rated_study(recipients=8), random.Random(3)
    add_judge(study, "contrary", lambda item: 1 + item.pk % 3)
    add_judge(study, "coin", lambda item: rng.randint(1, 5))
    return study


def rows_of(report, **wanted):
    return [row for row in report.rows if wanted.items() <= row.items()]


def drawn_differences(study):
    """Each pair's difference of Pearson r and its draws, with recipients drawn as the report did.

    Items stand in the order of their creation: recipient g has items 6 g to 6 g + 5.
    """
    answers = frame.read_answers(study)
    scores = Scores(answers, options_of(answers, "differences", draws=DRAWS))
    values = {name: pairs(study, name) for name in NAMES}
    r = {name: stats.pearsonr(*values[name]).statistic for name in NAMES}
    drawn = defaultdict(list)
    for times in scores.counts:
        items = [
            6 * recipient + item
            for recipient, n in enumerate(times)
            for _ in range(int(n))
            for item in range(6)
        ]
        for name in NAMES:
            x, y = (np.array(side)[items] for side in values[name])
            drawn[name].append(stats.pearsonr(x, y).statistic)
    return {
        (first, other): (
            r[first] - r[other],
            [a - b for a, b in zip(drawn[first], drawn[other], strict=True)],
        )
        for first, other in PAIRS
    }


def stepped_down(differences):
    """Max-T by loops: {pair: (single p, adjusted p)}."""
    sizes, sizes_drawn = {}, {}
    for pair, (value, draws) in differences.items():
        error = np.std(draws, ddof=1)
        sizes[pair] = abs(value / error)
        sizes_drawn[pair] = [abs((draw - value) / error) for draw in draws]
    adjusted, least = {}, 0
    order = sorted(PAIRS, key=lambda pair: -sizes[pair])
    for place, pair in enumerate(order):
        largest = [max(sizes_drawn[other][b] for other in order[place:]) for b in range(DRAWS)]
        least = max(least, (1 + sum(t >= sizes[pair] for t in largest)) / (DRAWS + 1))
        single = (1 + sum(t >= sizes[pair] for t in sizes_drawn[pair])) / (DRAWS + 1)
        adjusted[pair] = single, least
    return adjusted


def by_holm(p):
    """Holm by loops: {pair: adjusted p}."""
    adjusted, least = {}, 0
    for place, pair in enumerate(sorted(p, key=p.get)):
        least = max(least, min(1, (len(p) - place) * p[pair]))
        adjusted[pair] = least
    return adjusted


def test_p_is_that_of_the_draws_stepped_down(study):
    rows = rows_of(build(study, "differences", draws=DRAWS), **HERE)
    expected = stepped_down(drawn_differences(study))
    single = by_holm({pair: p for pair, (p, _) in expected.items()})
    assert sum(p < adjusted for p, adjusted in expected.values()) > 1
    for row in rows:
        pair = row["evaluator"], row["other"]
        assert (row["p"], row["p_adjusted"]) == pytest.approx(expected[pair])
        assert row["p_holm"] == pytest.approx(single[pair])
    assert len(rows) == 6


def test_with_holm_p_counts_the_draws_on_the_other_side_of_0(study):
    rows = rows_of(build(study, "differences", draws=DRAWS, correction="holm"), **HERE)
    p = {}
    for pair, (_, draws) in drawn_differences(study).items():
        fewer = min(sum(draw <= 0 for draw in draws), sum(draw >= 0 for draw in draws))
        p[pair] = min(1, 2 * (fewer + 1) / (DRAWS + 1))
    adjusted = by_holm(p)
    for row in rows:
        pair = row["evaluator"], row["other"]
        assert row["p"] == pytest.approx(p[pair])
        assert row["p_holm"] == row["p_adjusted"] == pytest.approx(adjusted[pair])


def test_only_max_t_can_tell_many_pairs_apart():
    """Of 28 pairs with 200 draws Holm cannot go below 28 · 2 / 201 = .28."""
    study = make_rated_study(recipients=12)
    for seed in range(6):
        rng = random.Random(seed)
        add_judge(study, f"coin {seed}", lambda item, rng=rng: rng.randint(1, 5))
    for correction, can in (("max_t", True), ("holm", False)):
        rows = rows_of(build(study, "differences", draws=200, correction=correction), **HERE)
        assert len(rows) == 28
        with_close = [row["p_adjusted"] for row in rows if row["evaluator"] == "close"]
        assert len(with_close) == 7
        assert (max(with_close) <= 0.05) == can
        assert min(row["p_adjusted"] for row in rows) >= (1 / 201 if can else 56 / 201) - 1e-12


def test_a_pair_that_differs_by_nothing_is_not_tested_and_says_why(study):
    twin = dict(zip(study.items.order_by("pk"), pairs(study, "random")[0], strict=True))
    add_judge(study, "twin", twin.__getitem__)
    report = build(study, "differences", draws=DRAWS)
    entry = next(
        entry
        for entry in report.entries
        if {**HERE, "evaluator": "random", "other": "twin"}.items() <= entry.row.items()
    )
    assert entry.row["difference"] == 0
    assert isnan(entry.row["p"]) and isnan(entry.row["p_adjusted"])
    assert entry.reason == "no interval: the same in every draw"
    others = rows_of(report, **HERE, evaluator="close")
    assert not any(isnan(row["p_adjusted"]) for row in others)


def test_the_notes_say_how_p_is_corrected_and_how_often_it_errs(study):
    notes = "\n".join(build(study, "differences", draws=DRAWS).notes)
    assert "step-down max-T of the same draws, over the 6 pairs" in notes
    assert ".080 with 100 clusters and in .072 with 400" in notes
    by_holm = "\n".join(build(study, "differences", draws=DRAWS, correction="holm").notes)
    assert "adjusted for the 6 pairs" in by_holm and "max-T" not in by_holm


def test_without_draws_no_reason_is_given_but_the_number_of_draws(study):
    report = build(study, "differences")
    assert not any(entry.reason for entry in report.entries)
    assert all(isnan(row["p"]) and isnan(row["p_adjusted"]) for row in report.rows)


@pytest.mark.parametrize(("correction", "words"), [("max_t", "p (max-T)"), ("holm", "p (Holm)")])
def test_the_page_names_the_correction(study, owner, as_owner, correction, words):
    study.memberships.create(user=owner, role="owner")
    given = {"draws": 20, "correction": correction}
    text = as_owner.get("/studies/films/analysis/differences/", given).content.decode()
    assert f"bold where {words} is below .05" in text
