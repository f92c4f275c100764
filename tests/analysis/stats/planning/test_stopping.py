"""The state of the stopping rule at a look."""

import numpy as np
import pytest

from analysis.stats.planning.stopping import (
    Check,
    State,
    StoppingRule,
    agreement_check,
    complete_clusters,
    level_check,
    look,
    retention_check,
)

RULE = StoppingRule()
# At 100 clusters the bounds lie 2.839679 standard errors away.
AGREEMENT, RETENTION = agreement_check(0.3, 0.05), retention_check(0.3, 0.4, 0.05)


def state(agreement=AGREEMENT, retention=RETENTION, *others, clusters=100, **options):
    return look(
        options.pop("rule", RULE), agreement, retention, others, clusters=clusters, **options
    )


def test_the_worked_look():
    # 120 items of 3 ratings, rho = r = .30: theta .1, sd .612620
    error = 0.612620 / np.sqrt(120)
    seen = state(agreement_check(0.3, 0.05), retention_check(0.3, 0.3, error), clusters=120)
    assert seen.state == State.CONTINUE
    assert seen.low[1] == pytest.approx(-0.057303, abs=1e-6)
    assert seen.is_open.tolist() == [False, True]


def test_all_checks_shown_is_may():
    seen = state()
    assert seen.state == "may"
    assert seen.low == pytest.approx([0.3 - 0.05 * 2.839679, 0.2 - 0.05 * 2.839679], abs=1e-6)
    assert seen.high == pytest.approx([0.3 + 0.05 * 2.839679, 0.2 + 0.05 * 2.839679], abs=1e-6)


def test_every_check_has_to_be_shown_at_one_look():
    within = retention_check(0.2, 0.15, 0.05, k=0.5, name="retention within system")
    assert within.value == pytest.approx(0.05)
    seen = state(AGREEMENT, RETENTION, within)
    assert (seen.state, seen.is_open.tolist()) == (State.CONTINUE, [False, False, True])


def test_the_level_needs_both_its_bounds():
    # .25 - .1 = .15 is 3 standard errors of .05, and 2.5 of .06
    def level(bias, error):
        return state(AGREEMENT, RETENTION, level_check(bias, error, 0.25, 0.3, 0.4)).state

    assert level(0.1, 0.05) == level(-0.1, 0.05) == State.MAY
    assert level(0.1, 0.06) == level(-0.1, 0.06) == State.CONTINUE
    assert level(0.7, 0.05) == State.CONTINUE


def test_a_judge_below_its_bound_may_not():
    assert state(AGREEMENT, retention_check(0.3, 0.05, 0.05)).state == State.MAY_NOT
    assert state(AGREEMENT, retention_check(0.3, 0.06, 0.05)).state == State.CONTINUE


def test_raters_below_the_floor_disagree_whatever_the_judge_does():
    agreement = agreement_check(0.04, 0.02)
    for r in (-0.5, 0.5):
        assert state(agreement, retention_check(0.04, r, 0.02)).state == State.RATERS_DISAGREE
    assert state(agreement_check(0.05, 0.02)).state == State.CONTINUE


def test_an_estimate_below_the_floor_is_no_may_however_certain():
    agreement = agreement_check(0.099, 0.01)
    seen = state(agreement)
    assert (seen.state, seen.is_open.tolist()) == (State.CONTINUE, [True, False])
    assert state(agreement_check(0.1, 0.01)).state == State.MAY
    assert state(agreement, rule=StoppingRule(floor=0)).state == State.MAY


def test_the_budget_ends_only_what_is_undecided():
    unsure = retention_check(0.3, 0.3, 0.05)
    assert state(AGREEMENT, unsure, is_budget_spent=True).state == State.LIMIT
    assert state(is_budget_spent=True).state == State.MAY
    assert state(clusters=40, is_budget_spent=True).state == State.LIMIT


def test_nothing_is_decided_before_fifty_clusters():
    early = state(agreement_check(0.9, 0.0001), retention_check(0.9, 0.9, 0.0001), clusters=49)
    assert (early.state, early.is_open.all()) == (State.CONTINUE, True)
    assert np.isnan(early.low).all() and np.isnan(early.high).all()
    assert state(agreement_check(0.0, 0.0001), clusters=0).state == State.CONTINUE
    assert state(clusters=50).state == State.MAY


def test_undefined_checks_stay_open():
    seen = state(agreement_check(np.nan, np.nan), retention_check(np.nan, np.nan, np.nan))
    assert (seen.state, seen.is_open.tolist()) == (State.CONTINUE, [True, True])
    seen = state(AGREEMENT, RETENTION, Check("level", 0.0, np.nan, -0.25, 0.25))
    assert (seen.state, seen.is_open.tolist()) == (State.CONTINUE, [False, False, True])


def test_without_an_error_the_estimate_decides():
    assert state(agreement_check(0.3, 0.0), retention_check(0.3, 0.21, 0.0)).state == State.MAY
    assert state(AGREEMENT, Check("retention", 0.0, 0.0)).state == State.CONTINUE
    assert state(AGREEMENT, Check("retention", -0.01, 0.0)).state == State.MAY_NOT
    assert state(agreement_check(0.1, 0.0)).state == State.MAY
    for bias, expected in [(0.25, State.CONTINUE), (-0.25, State.CONTINUE), (0.24, State.MAY)]:
        level = Check("level", bias, 0.0, -0.25, 0.25)
        assert state(AGREEMENT, RETENTION, level).state == expected


def test_many_decisions_together_ask_for_more():
    retention = retention_check(0.3, 0.35, 0.05)
    assert state(AGREEMENT, retention).state == State.MAY
    assert state(AGREEMENT, retention, rule=StoppingRule(alpha=0.05 / 16)).state == State.CONTINUE


def test_the_order_of_further_checks_changes_nothing():
    others = [
        level_check(0.1, 0.05, 0.25, 0.3, 0.4),
        agreement_check(0.1, 0.05, "agreement within system"),
        retention_check(0.1, 0.3, 0.05, 0.5, "retention within system"),
    ]
    first, second = state(AGREEMENT, RETENTION, *others), state(AGREEMENT, RETENTION, *others[::-1])
    assert first.state == second.state == State.CONTINUE
    assert first.low[2:].tolist() == second.low[:1:-1].tolist()
    assert first.is_open.tolist() == [False, False, False, True, False]
    assert second.is_open.tolist() == [False, False, False, True, False]


def test_impossible_rules_are_refused():
    for rule in ({"alpha": 0.6}, {"planned": 0}, {"floor": -0.1}, {"floor": 1.0}):
        with pytest.raises(ValueError, match=f"{next(iter(rule))}: expected"):
            StoppingRule(**rule)
    with pytest.raises(ValueError, match="clusters: expected"):
        state(clusters=-1)


RANKS = [1, 1, 2, 0, 0, 3]  # of the clusters of six items in the stored order


def test_the_run_ends_at_the_first_unfinished_cluster():
    assert complete_clusters(RANKS, [3, 3, 2, 3, 3, 3], 3) == 2
    assert complete_clusters(RANKS, [3, 2, 3, 3, 3, 3], 3) == 1
    assert complete_clusters(RANKS, [3, 3, 3, 2, 3, 3], 3) == 0


def test_all_may_be_complete_and_have_more_than_enough():
    assert complete_clusters(RANKS, [3, 4, 3, 3, 5, 3], 3) == 4


def test_a_rating_more_never_shortens_the_run():
    rng = np.random.default_rng(5)
    ratings = rng.integers(0, 3, 6)
    for _ in range(20):
        before = complete_clusters(RANKS, ratings, 2)
        ratings[rng.integers(6)] += 1
        assert complete_clusters(RANKS, ratings, 2) >= before


def test_the_order_of_items_changes_nothing():
    rng = np.random.default_rng(6)
    ranks, ratings = np.repeat(rng.permutation(10), 3), rng.integers(2, 9, 30)
    shuffled = rng.permutation(30)
    expected = complete_clusters(ranks, ratings, 3)
    assert complete_clusters(ranks[shuffled], ratings[shuffled], 3) == expected


def test_missing_counts_are_not_complete():
    assert complete_clusters([0, 0], [3, np.nan], 3) == 0


def test_nothing_is_complete_without_an_order():
    assert complete_clusters([], [], 3) == 0
