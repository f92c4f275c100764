"""Second own answers: loops with numerical derivatives, and what a judge of recipients gets."""

import numpy as np
import pytest

from analysis.stats.validation.criteria import Scale
from analysis.stats.validation.decision import decide
from analysis.stats.validation.evidence import Repeats, compare_repeats, gather_repeat_evidence

SEVEN = Scale(-50, 50, step=None)


def study(seed, recipients=60, items=10, share=0.5, own=0.4, retest=0.5):
    """Recipients' answers to their own items; a share `own` of quality belongs to the recipient."""
    rng = np.random.default_rng(seed)
    recipient = np.repeat(np.arange(recipients), items)
    n = len(recipient)
    quality = np.sqrt(own) * rng.normal(size=recipients)[recipient]
    quality += np.sqrt(1 - own) * rng.normal(size=n)
    quality *= np.sqrt(retest)
    first, second = (quality + np.sqrt(1 - retest) * rng.normal(size=n) for _ in range(2))
    second[rng.random(n) >= share] = np.nan
    return first, second, recipient, quality, rng


def quantities(first, second, judge, weight):
    mu, centre = np.average(first, weights=weight), np.average(judge, weights=weight)
    again = ~np.isnan(second)
    z, w = first - mu, weight[again]
    other = second[again] - mu
    rho = (w * z[again] * other).sum() / (w * (z[again] ** 2 + other**2) / 2).sum()
    f = judge - centre
    r = np.average(f * z, weights=weight)
    r /= np.sqrt(np.average(f**2, weights=weight) * np.average(z**2, weights=weight))
    return np.array([r, rho])


def test_values_are_those_of_the_definition():
    first, second, recipient, quality, rng = study(1)
    judge = quality + rng.normal(size=len(first))
    agreement = compare_repeats(first, second, judge, recipient)
    expected = quantities(first, second, judge, np.ones(len(first)))
    assert (agreement.r_value, agreement.rho_value) == pytest.approx(tuple(expected))


def test_the_error_of_r_is_that_of_numerical_derivatives():
    first, second, recipient, quality, rng = study(2, recipients=12)
    judge = quality + rng.normal(size=len(first))
    agreement = compare_repeats(first, second, judge, recipient)
    weight, sums = np.ones(len(first)), np.zeros(12)
    base = quantities(first, second, judge, weight)
    for place, code in enumerate(recipient):
        weight[place] += 1e-6
        sums[code] += (quantities(first, second, judge, weight) - base)[0] / 1e-6
        weight[place] = 1.0
    error = np.sqrt(12 / 11 * (sums**2).sum())
    assert agreement.r.error == pytest.approx(error, rel=1e-4)
    assert agreement.r.df == 11


def test_the_error_of_rho_is_that_of_the_formula():
    first, second, recipient, quality, _ = study(3, recipients=12)
    agreement = compare_repeats(first, second, quality, recipient)
    mu, again, sums, v = first.mean(), ~np.isnan(second), np.zeros(12), []
    for y, y2 in zip(first[again], second[again], strict=True):
        v.append(((y - mu) ** 2 + (y2 - mu) ** 2) / 2)
    for y, y2, a, code in zip(first[again], second[again], v, recipient[again], strict=True):
        c = (y - mu) * (y2 - mu)
        sums[code] += (c - agreement.rho_value * a) / (np.mean(v) * again.sum())
    assert agreement.rho.error == pytest.approx(np.sqrt(12 / 11 * (sums**2).sum()))


def few_ask_again(seed, asked_again, each=3, recipients=20):
    """Of all recipients only the first ones answer twice, so many items each."""
    first, second, recipient, quality, _ = study(seed, recipients=recipients, items=10, share=1)
    is_asked = (recipient < asked_again) & (np.arange(len(first)) % 10 < each)
    return Repeats(first, np.where(is_asked, second, np.nan), recipient, SEVEN), quality


def test_recipients_who_answered_once_are_no_clusters_of_rho():
    """Four of twenty recipients answered twice: errors by 4/3, and the t of three degrees."""
    repeats, quality = few_ask_again(3, asked_again=4)
    evidence = gather_repeat_evidence(repeats, quality)
    agreement = evidence.agreement
    assert (evidence.n, evidence.n_clusters, evidence.n_raters) == (12, 4, 20)
    assert [q.df for q in (agreement.rho, agreement.r, agreement.retention(2 / 3))] == [3, 3, 3]
    again = ~np.isnan(repeats.second)
    y, y2 = (own[again] - repeats.first.mean() for own in (repeats.first, repeats.second))
    psi = (y * y2 - agreement.rho_value * (y**2 + y2**2) / 2) / np.mean((y**2 + y2**2) / 2) / 12
    squares = sum(psi[3 * k : 3 * k + 3].sum() ** 2 for k in range(4))
    assert agreement.rho.error == pytest.approx(np.sqrt(4 / 3 * squares))
    t_of_three = 3.182446  # two-sided .05, from a table of t
    reach = t_of_three * np.sqrt(4 / 3 * squares)
    assert agreement.rho.reach(0.025) == pytest.approx(reach, rel=1e-6)
    ((_, inside),) = evidence.beyond.parts
    assert inside.rho.df == 3
    assert evidence.level.largest.df == 19, "the level rests on the first answers of all"


@pytest.mark.parametrize(("asked_again", "is_enough"), [(9, False), (10, True)])
def test_ten_recipients_have_to_answer_twice(asked_again, is_enough):
    repeats, quality = few_ask_again(1, asked_again, each=10, recipients=60)
    verdict = decide(gather_repeat_evidence(repeats, quality))
    assert (verdict.reason != "too_few") == is_enough


def test_one_recipient_who_answers_twice_is_no_test():
    repeats, quality = few_ask_again(1, asked_again=1, each=10)
    agreement = gather_repeat_evidence(repeats, quality).agreement
    assert np.isnan([agreement.rho.error, agreement.r.error, agreement.rho.p_above()]).all()


def answer(seed, make_judge, share=0.5):
    first, second, recipient, quality, rng = study(seed, share=share)
    judge = make_judge(quality, recipient, rng)
    return decide(gather_repeat_evidence(Repeats(first, second, recipient, SEVEN), judge))


def test_a_good_judge_passes():
    verdict = answer(1, lambda quality, recipient, rng: quality)
    assert (verdict.answer, verdict.grade) == ("yes", "rater")


def test_a_judge_that_knows_only_the_recipient_fails():
    def by_recipient(quality, recipient, rng):
        return (np.bincount(recipient, quality) / np.bincount(recipient))[recipient]

    def noisily(quality, recipient, rng):
        return by_recipient(quality, recipient, rng) + 0.1 * rng.normal(size=len(quality))

    for judge in (by_recipient, noisily):
        verdicts = [answer(seed, judge) for seed in range(8)]
        assert {verdict.answer.value for verdict in verdicts} <= {"no", "not_yet"}
        assert "known_features" in {verdict.reason.value for verdict in verdicts}
        halves = {v.half for v in verdicts if v.reason == "known_features"}
        assert halves == {"judge"}


def test_what_is_almost_the_recipients_mean_counts_as_that():
    def nearly(quality, recipient, rng):
        means = (np.bincount(recipient, quality) / np.bincount(recipient))[recipient]
        return means + 1e-5 * quality

    assert {answer(seed, nearly).reason for seed in range(4)} == {"known_features"}


def test_a_constant_judge_says_nothing():
    assert answer(1, lambda quality, recipient, rng: 0 * quality).reason == "says_nothing"


def test_a_judge_off_by_more_than_the_margin():
    assert answer(1, lambda quality, recipient, rng: quality + 30).reason == "level_off"


def test_few_repeats_are_too_few():
    assert answer(1, lambda quality, recipient, rng: quality, share=0.03).reason == "too_few"


def test_without_a_second_answer_nothing_can_be_said():
    verdict = answer(1, lambda quality, recipient, rng: quality, share=0.0)
    assert verdict.reason == "not_comparable"


def test_equal_answers_have_no_agreement():
    first = np.full(60, 3.0)
    repeats = Repeats(first, first, np.repeat(range(12), 5), SEVEN)
    verdict = decide(gather_repeat_evidence(repeats, np.arange(60) % 7.0))
    assert verdict.reason == "raters_disagree"


def test_what_is_missing_or_off_the_scale_is_counted():
    first, second, recipient, quality, _ = study(4)
    judge = quality.copy()
    judge[:3], judge[5] = np.nan, 99
    repeats = Repeats(first, second, recipient, SEVEN, {"system": recipient % 3}, np.abs(first))
    evidence = gather_repeat_evidence(repeats, judge)
    assert evidence.n_missing == 4
    assert evidence.share_missing == pytest.approx(4 / 600)  # of all, not of those asked again
    kept = [place for place in range(600) if place not in (0, 1, 2, 5)]
    assert evidence.n == (~np.isnan(second[kept])).sum()
    b = evidence.level.largest
    assert b.value == pytest.approx(np.mean(judge[kept] - first[kept]))
    assert evidence.beyond.names == ("length", "system", "recipient")


def test_the_fit_of_first_answers_is_taken_from_both():
    first, second, recipient, quality, _ = study(5)
    evidence = gather_repeat_evidence(Repeats(first, second, recipient, SEVEN), quality)
    means = (np.bincount(recipient, first) / 10)[recipient]
    own = (np.bincount(recipient, quality) / 10)[recipient]
    expected = quantities(first - means, second - means, quality - own, np.ones(600))
    ((_, left),) = evidence.beyond.parts
    assert (left.r_value, left.rho_value) == pytest.approx(tuple(expected))


def test_columns_of_other_lengths_are_refused():
    with pytest.raises(ValueError, match="same number"):
        Repeats(np.zeros(3), np.zeros(4), np.zeros(3, int), SEVEN)
    repeats = Repeats(np.zeros(3), np.zeros(3), np.zeros(3, int), SEVEN)
    with pytest.raises(ValueError, match="expected 3 values"):
        gather_repeat_evidence(repeats, [1.0])


def test_a_scale_of_its_own_has_no_level_and_leaves_nothing_out():
    first, second, recipient, quality, _ = study(6)
    repeats = Repeats(first, second, recipient, SEVEN)
    evidence = gather_repeat_evidence(repeats, 1000 * quality, has_own_scale=True)
    plain = gather_repeat_evidence(repeats, quality)
    assert evidence.level is None and evidence.n_missing == 0
    assert evidence.agreement.r_value == pytest.approx(plain.agreement.r_value)
    assert decide(evidence).reason == "order_only"


def test_a_judge_fitted_on_these_answers_is_no_candidate():
    first, second, recipient, quality, _ = study(6)
    repeats = Repeats(first, second, recipient, SEVEN)
    evidence = gather_repeat_evidence(repeats, quality, is_fitted=True)
    assert decide(evidence).reason == "not_comparable"
    squared = np.corrcoef(first, quality)[0, 1] ** 2
    assert evidence.r_squared == pytest.approx(squared)


def test_the_rarer_answer_of_a_binary_question_is_counted_in_first_answers():
    first, second, recipient, quality, rng = study(7)
    limit = np.quantile(first, 0.8)
    again = np.where(np.isnan(second), np.nan, second > limit)
    judge = (quality + 0.3 * rng.normal(size=600) > limit / 2).astype(float)
    repeats = Repeats((first > limit).astype(float), again, recipient, Scale(0, 1))
    rare = gather_repeat_evidence(repeats, judge).rare_class
    hits = sum(y > limit and f == 1 for y, f in zip(first, judge, strict=True))
    assert (rare.n_majority, rare.n_marked, rare.n_hits) == (120, judge.sum(), hits)


@pytest.mark.parametrize("seed", [0, 3])
def test_a_judge_that_is_a_line_of_the_first_answers_correlates_fully_and_not_more(seed):
    first, second, recipient, *_ = study(seed, recipients=6, items=5)
    evidence = gather_repeat_evidence(Repeats(first, second, recipient, SEVEN), 1 + first / 3)
    assert evidence.agreement.r_value <= 1 and evidence.r_squared <= 1
    assert evidence.r_squared == pytest.approx(1)
