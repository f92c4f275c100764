"""St2Exp, StEnt, StEnt-bin, StCoh, SummaC-ZS, AlignScore's aggregation: by hand, empty sides too.

Kabongo & Guigue (2025), equations 4 to 11. The paper prints no example of an item, so that all
expected values are worked out in the comments.
"""

import numpy as np
import pytest

from analysis.stats.statements.best_match import Pairs, align_score, mean_of_best, summac_zs
from analysis.stats.statements.consistency import f1_of, settled
from analysis.stats.statements.statement_entailment import statement_entailment
from analysis.stats.statements.statement_support import statement_support

NAN = np.nan


def same(found, expected):
    return found == pytest.approx(expected, nan_ok=True)


# Items: 0 has 2 generated and 4 reference statements, 1 none, 2 only generated ones,
# 3 only reference ones, 4 nothing supported.
GENERATED = [0, 0, 2, 2, 2, 4], [1, 0, 1, 1, 0, 0]
REFERENCE = [0, 0, 0, 0, 3, 4, 4], [1, 1, 1, 0, 1, 0, 0]


def test_support_by_hand():
    """Item 0: P = 1/2, R = 3/4, F1 = 2·.375/1.25 = .6."""
    found = statement_support(GENERATED, REFERENCE, 5)
    assert same(found.precision, [0.5, NAN, 0, 0, 0])
    assert same(found.recall, [0.75, NAN, 0, 0, 0])
    assert same(found.f1, [0.6, NAN, 0, 0, 0])


def test_both_sides_empty_are_skipped_and_one_empty_is_zero_and_both_are_counted():
    found = statement_support(GENERATED, REFERENCE, 5)
    assert found.both_empty.tolist() == [False, True, False, False, False]
    assert found.one_empty.tolist() == [False, False, True, True, False]
    assert not found.incomplete.any()


def test_a_statement_without_a_verdict_makes_its_item_incomplete_not_wrong():
    found = statement_support(([0, 0, 1], [1, NAN, 1]), ([0, 1], [1, 1]), 2)
    assert found.incomplete.tolist() == [True, False]
    assert same(found.precision, [NAN, 1])
    assert same(found.recall, [1, 1])
    assert same(found.f1, [NAN, 1])


def test_a_gap_opposite_an_empty_side_does_not_matter():
    """The rule for one empty side needs no verdict."""
    found = statement_support(([0], [NAN]), ([], []), 1)
    assert same(found.f1, [0])
    assert not found.incomplete.any()


def test_the_order_of_statements_changes_nothing():
    dice = np.random.default_rng(3)
    items, verdicts = dice.integers(0, 30, 200), dice.integers(0, 2, 200)
    order = dice.permutation(200)
    one = statement_support((items, verdicts), (items, 1 - verdicts), 30)
    other = statement_support((items[order], verdicts[order]), (items, 1 - verdicts), 30)
    assert same(one.f1, other.f1)


def test_swapped_sides_swap_precision_and_recall():
    one = statement_support(GENERATED, REFERENCE, 5)
    other = statement_support(REFERENCE, GENERATED, 5)
    assert same(one.precision, other.recall)
    assert same(one.f1, other.f1)


def test_the_means_of_several_people_are_shares_of_support():
    found = statement_support(([0, 0], [2 / 3, 1 / 3]), ([0], [1.0]), 1)
    assert same(found.precision, [0.5])
    assert same(found.f1, [2 / 3])


@pytest.mark.parametrize(
    ("generated", "words"),
    [(([0], [1.5]), "within 0..1"), (([7], [1]), "none of 5"), (([0, 1], [1]), "expected 1 codes")],
)
def test_strange_verdicts_are_refused(generated, words):
    with pytest.raises(ValueError, match=words):
        statement_support(generated, REFERENCE, 5)


def test_f1_of_nothing_is_nothing_and_of_a_gap_a_gap():
    assert same(f1_of([0, 1, 1, NAN], [0, 0, 0.5, 1]), [0, 0, 2 / 3, NAN])
    with pytest.raises(ValueError, match="no negative"):
        f1_of([-0.1], [1])
    with pytest.raises(ValueError, match="differ in length"):
        f1_of([1, 1], [1])


def test_a_measure_that_can_be_negative_has_no_worst_value_for_one_empty_side():
    found = settled([NAN, NAN], [NAN, NAN], [0, 0], [3, 0], is_share=False)
    assert same(found.precision, [NAN, NAN])
    assert found.f1 is None
    assert found.one_empty.tolist() == [True, False]


# One item: 2 generated statements (hypotheses of the first), 3 of the reference.
# Rows: hypothesis 1 with premises 1 to 3, then hypothesis 2. E, N, C.
FORWARD = [
    [0.7, 0.2, 0.1],
    [0.1, 0.1, 0.8],
    [0.3, 0.3, 0.4],
    [0.2, 0.7, 0.1],
    [0.4, 0.3, 0.3],
    [0.05, 0.05, 0.9],
]
# Reference statement 1 with generated 1 and 2, then 2, then 3. Not FORWARD transposed.
BACKWARD = [
    [0.5, 0.25, 0.25],
    [0.1, 0.8, 0.1],
    [0.0, 0.2, 0.8],
    [0.3, 0.6, 0.1],
    [0.2, 0.2, 0.6],
    [0.1, 0.1, 0.8],
]


def entailment():
    return statement_entailment(Pairs(FORWARD, [2], [3]), Pairs(BACKWARD, [3], [2]))


def test_entailment_by_hand():
    """P: best E .7 and .4, mean .55. R: .5, .3, .2, mean 1/3. F1 = 2·.55/3 / (.55 + 1/3)."""
    found = entailment()["ent"]
    assert same(found.precision, [0.55])
    assert same(found.recall, [1 / 3])
    assert same(found.f1, [2 * 0.55 / 3 / (0.55 + 1 / 3)])


def test_binary_entailment_by_hand():
    """E is the largest of (.7 .2 .1) and of (.4 .3 .3): P = 1. Of the reverse only once: R = 1/3"""
    found = entailment()["ent_bin"]
    assert same(found.precision, [1])
    assert same(found.recall, [1 / 3])
    assert same(found.f1, [0.5])


def test_a_tie_with_another_class_counts_as_entailed():
    pairs = Pairs([[0.4, 0.4, 0.2], [0.3, 0.4, 0.3]], [2], [1])
    assert same(mean_of_best(pairs.is_entailed, pairs), [0.5])


def test_coherence_by_hand_and_without_f1():
    """E − C forward: .6 −.7 −.1 | .1 .1 −.85, so P = (.6 + .1)/2.

    Backward: .25 0 | −.8 .2 | −.4 −.7, so R = (.25 + .2 − .4)/3 = 1/60.
    """
    found = entailment()["coh"]
    assert same(found.precision, [0.35])
    assert same(found.recall, [0.05 / 3])
    assert found.f1 is None


def test_recall_is_not_the_transposed_precision():
    """The transpose of FORWARD would give (.7 + .4 + .3)/3 = .4667, not 1/3."""
    transposed = np.array(FORWARD).reshape(2, 3, 3).swapaxes(0, 1).reshape(6, 3)
    of_one = statement_entailment(Pairs(FORWARD, [2], [3]), Pairs(transposed, [3], [2]))["ent"]
    assert same(of_one.recall, [1.4 / 3])
    assert not same(of_one.recall, entailment()["ent"].recall)


# Four items: the one by hand; none on either side; only generated; only reference statements.
SIZES = [2, 0, 2, 0], [3, 0, 0, 1]


def test_empty_sides_of_entailment():
    generated, reference = SIZES
    both = Pairs(FORWARD, generated, reference), Pairs(BACKWARD, reference, generated)
    found = statement_entailment(*both)
    assert same(found["ent"].precision, [0.55, NAN, 0, 0])
    assert same(found["ent"].f1[1:], [NAN, 0, 0])
    assert same(found["ent_bin"].recall, [1 / 3, NAN, 0, 0])
    assert same(found["coh"].precision, [0.35, NAN, NAN, NAN])
    assert found["coh"].both_empty.tolist() == [False, True, False, False]
    assert found["coh"].one_empty.tolist() == [False, False, True, True]


def test_the_order_of_premises_and_of_items_changes_nothing():
    dice = np.random.default_rng(4)
    n, m = dice.integers(0, 5, 40), dice.integers(0, 5, 40)
    parts = [dice.dirichlet([1, 1, 1], (a, b)) for a, b in zip(n, m, strict=True)]
    flat = np.concatenate([part.reshape(-1, 3) for part in parts])
    plain = summac_zs(Pairs(flat, n, m))
    turned = np.concatenate([part[:, ::-1].reshape(-1, 3) for part in parts])
    assert same(summac_zs(Pairs(turned, n, m)), plain)
    order = dice.permutation(40)
    moved = np.concatenate([parts[at].reshape(-1, 3) for at in order])
    assert same(summac_zs(Pairs(moved, n[order], m[order])), plain[order])
    loop = [np.mean(np.max(p[..., 0] - p[..., 2], axis=1)) if p.size else NAN for p in parts]
    assert same(plain, loop)


def test_sentences_and_chunks_by_hand():
    """SummaC-ZS: (.6 + .1)/2; AlignScore's mean of best E: (.7 + .4)/2."""
    pairs = Pairs(FORWARD, *SIZES)
    assert same(summac_zs(pairs), [0.35, NAN, NAN, NAN])
    assert same(align_score(pairs), [0.55, NAN, 0, 0])


def test_statements_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"expected shape \(6, 3\), found \(5, 3\)"):
        Pairs(FORWARD[:5], [2], [3])
    with pytest.raises(ValueError, match="within 0..1"):
        Pairs([[1.2, 0, 0]], [1], [1])
    with pytest.raises(ValueError, match="within 0..1"):
        Pairs([[NAN, 0, 0]], [1], [1])
    with pytest.raises(ValueError, match="the same statements"):
        statement_entailment(Pairs(FORWARD, [2], [3]), Pairs(BACKWARD, [2], [3]))
    with pytest.raises(ValueError, match="expected 6 scores"):
        mean_of_best([1.0], Pairs(FORWARD, [2], [3]))


def test_no_items_at_all():
    none = Pairs(np.empty((0, 3)), np.array([], dtype=int), np.array([], dtype=int))
    assert len(statement_entailment(none, none)["ent"].f1) == 0
    assert len(statement_support(([], []), ([], []), 0).f1) == 0
