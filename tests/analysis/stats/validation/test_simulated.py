"""Errors of the verdict where the truth is known: its size, its power, and judges of one trick."""

import numpy as np
import pytest

from analysis.stats.validation.decision import decide
from analysis.stats.validation.evidence import gather_evidence
from analysis.stats.validation.people import compare_judge, gather_people
from analysis.stats.validation.systems import compare_systems
from tests.analysis.stats.validation.simulated import FIVE, simulate, tricks


def share_of_yes(seeds, make_judge, **options):
    yes = 0
    for seed in seeds:
        study = simulate(seed, **options)
        verdict = decide(gather_evidence(study.reference, make_judge(study)))
        yes += verdict.answer == "yes"
    return yes / len(seeds)


@pytest.mark.parametrize("clusters", [1, 4])
def test_a_judge_at_the_boundary_passes_as_often_as_the_level(clusters):
    rng, passes, runs = np.random.default_rng(clusters), 0, 400
    rho, n = 0.3, 240
    q = 2 / 3 * np.sqrt(rho)  # r = q sqrt(rho) = 2/3 rho
    items = np.repeat(np.arange(n), 3)
    for _ in range(runs):
        quality = rng.normal(size=n)
        values = np.sqrt(rho) * quality[items] + np.sqrt(1 - rho) * rng.normal(size=3 * n)
        raters = rng.permutation(3 * n) // 10
        people = gather_people(values, items, raters, n, clusters=np.arange(n) // clusters)
        judge = q * quality + np.sqrt(1 - q**2) * rng.normal(size=n)
        theta = compare_judge(people, judge[people.rows, None]).retention(2 / 3)
        passes += theta.p_above() < 0.05
    assert 0.02 <= passes / runs <= 0.085  # measured before: .04 to .08


@pytest.mark.parametrize(
    "options",
    [
        {"reliability": 0.3},
        {"reliability": 0.5},
        {"reliability": 0.3, "system_share": 0.0},
        # fifteen recipients by twenty contents; contents, or recipients, carry .4 of quality
        {"system_share": 0.0, "content_share": 0.4, "contents": 20, "systems": 15},
        {"system_share": 0.4, "contents": 20, "systems": 15},
        # contents of four items carry .4
        {"system_share": 0.0, "content_share": 0.4},
    ],
)
def test_no_judge_of_one_trick_passes(options):
    passing = set()
    for seed in range(20):
        study = simulate(seed, **options)
        for name, judge in tricks(study).items():
            if decide(gather_evidence(study.reference, judge)).answer == "yes":
                passing.add((name, seed))
    assert passing == set()


PAIRS = {"system_share": 0.0, "content_share": 0.4, "contents": 150, "systems": 2}


@pytest.mark.parametrize("n_missing", [0, 1, 15])
@pytest.mark.parametrize(
    ("passes", "make_judge"),
    [
        (False, lambda study: 3 + study.by_content[study.content]),
        (True, lambda study: study.follow(0.8)),
    ],
    ids=["content", "good"],
)
def test_a_missing_judgment_spares_no_judge_the_check_of_contents(n_missing, passes, make_judge):
    """Contents of two items: without one of them the other is alone, and the rest is checked."""

    def judge_some(study):
        judge = np.clip(make_judge(study), 1, 5)
        judge[study.rng.permutation(len(judge))[:n_missing]] = np.nan
        return judge

    yes = share_of_yes(range(8), judge_some, reliability=0.5, **PAIRS)
    assert yes >= 7 / 8 if passes else yes == 0


def test_good_judges_pass():
    # the joint check costs one more rater .75 to .5 at a system share of .2, more at .4
    assert share_of_yes(range(20), lambda study: study.follow(0.8)) >= 0.9
    assert 0.25 <= share_of_yes(range(40), lambda study: study.draw_rating(0.3)) <= 0.9


def test_a_good_judge_that_is_too_high_is_off_level():
    assert share_of_yes(range(20), lambda study: study.follow(0.8) + 0.75) == 0


def test_a_judge_that_favours_a_system_may_not_compare_systems():
    favoured = 0
    for seed in range(20):
        study = simulate(seed)
        judge = study.follow(0.8) + 0.5 * (study.system == 0)
        rows = study.reference.people.rows
        comparison = compare_systems(study.reference.people, judge[rows], study.system[rows], FIVE)
        assert comparison.answer != "yes"
        favoured += comparison.favoured
    assert favoured >= 8
