"""Model selection and misfits: the printed counts of podcast judges, and the definitions."""

import numpy as np
import pytest

from analysis.stats.intervals.bootstrap import draw_counts
from analysis.stats.replacement.selection import misfit_precision, misfit_recall, model_selection

A, TIE, B = 1.0, 2.0, 3.0


def verdicts(wins, ties, losses):
    """(human, judge) with these outcomes; losses are opposite lists and ties of one side."""
    lost = [(A, B), (TIE, A), (B, TIE), (B, A), (A, TIE)]
    pairs = [(A, A) if at % 2 else (B, B) for at in range(wins)]
    pairs += [(TIE, TIE)] * ties + [lost[at % 5] for at in range(losses)]
    return np.array(pairs).T


# 47 pairs of lists; MSA as printed for a judge with the profile, with the history, and sBERT.
PRINTED = [((30, 1, 16), 0.6596), ((28, 1, 18), 0.6170), ((21, 3, 23), 0.5106)]


@pytest.mark.parametrize(("counts", "msa"), PRINTED)
def test_the_printed_agreements_come_out_of_raw_verdicts(counts, msa):
    human, judge = verdicts(*counts)
    order = np.random.default_rng(1).permutation(47)
    found = model_selection(human[order], judge[order], TIE)
    assert (found.wins, found.ties, found.losses) == counts
    assert found.msa.value == pytest.approx(msa, abs=5e-5)
    assert found.msa.n == 47
    assert found.win_share.value == pytest.approx(counts[0] / 47)


def test_one_sided_ties_are_losses_and_are_counted():
    human, judge = verdicts(3, 2, 5)  # of five losses three are ties of one side
    found = model_selection(human, judge, TIE)
    assert found.losses == 5
    assert found.one_sided_ties.value == pytest.approx(3 / 10)


def test_pairs_without_both_verdicts_are_dropped():
    found = model_selection([A, np.nan, B, TIE], [A, A, np.nan, TIE], TIE)
    assert (found.wins, found.ties, found.losses, found.msa.n) == (1, 1, 0, 2)


def test_without_a_pair_the_agreement_is_undefined():
    found = model_selection([np.nan], [A], TIE)
    assert np.isnan(found.msa.value)
    assert found.msa.reason == "no pair of lists has a verdict of both"


def test_misfits_by_hand():
    ratings = [1, 1, 1, 2, 3, 5, 1]
    misfit = [1, 1, 0, 1, 1, 0, np.nan]
    recall, precision = misfit_recall(ratings, misfit), misfit_precision(ratings, misfit)
    assert (recall.value, recall.n) == (pytest.approx(0.6667, abs=5e-5), 3)
    assert (precision.value, precision.n) == (0.5, 4)
    assert misfit_recall(ratings, misfit, strongly=2).value == 0.75


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda: misfit_recall([3, 4], [1, 0]), "no item is strongly misaligned"),
        (lambda: misfit_precision([1, 1], [0, 0]), "the judge calls no item a misfit"),
    ],
)
def test_misfits_that_nobody_sees_are_undefined(call, reason):
    assert np.isnan(call().value)
    assert call().reason == reason


def test_each_draw_equals_the_share_of_the_repeated_pairs():
    rng = np.random.default_rng(2)
    human, judge = rng.integers(1, 4, (2, 60)).astype(float)
    clusters = rng.integers(0, 8, 60)
    counts = draw_counts(8, 30, rng)
    found = model_selection(human, judge, TIE, clusters=clusters, counts=counts).msa
    recall = misfit_recall(human, judge == 1, clusters=clusters, counts=counts)
    for at, count in enumerate(counts):
        rows = np.repeat(np.arange(60), count[clusters])
        again = model_selection(human[rows], judge[rows], TIE).msa.value
        assert found.draws[at] == pytest.approx(again)
        again = misfit_recall(human[rows], judge[rows] == 1).value
        assert recall.draws[at] == pytest.approx(again, nan_ok=True)
    assert found.low <= found.value <= found.high


def test_the_names_of_the_lists_do_not_matter():
    human, judge = verdicts(30, 1, 16)
    other = {A: 7.0, TIE: 0.0, B: 4.0}
    swapped = [[other[value] for value in side] for side in (human, judge)]
    first, second = model_selection(human, judge, TIE), model_selection(*swapped, 0.0)
    assert first.msa.value == second.msa.value
    assert first.one_sided_ties.value == second.one_sided_ties.value


def test_unequal_lengths_are_refused():
    with pytest.raises(ValueError, match="differ in length"):
        model_selection([A, B], [A], TIE)
