"""HANNA: 16 prompted judges of six questions, and judges that know one thing only."""

from collections import Counter

import numpy as np
import pytest

from analysis.stats.validation.decision import (
    correct_family,
    decide,
    largest_judge_p,
    largest_people_p,
)
from analysis.stats.validation.evidence import Reference, gather_evidence
from analysis.stats.validation.systems import compare_systems
from tests.analysis.stats.validation.hanna import FIVE, QUESTIONS, load

# question, judge: n, rho (SE), r, theta_2/3 (SE), K_low, beyond systems and contents at once
# rho' (SE), r', theta'_1/2 (SE), then b (SE)
ROWS = [
    "complexity;Beluga-13B prompt 1;1056 .277795 .021221 .370519 .185322 .013062 1.8529 "
    ".035977 .017466 .136043 .118055 .016028 -.023360 .033697;may",
    "complexity;Llama-13B prompt 4;1044 .279140 .021856 .175663 -.010430 .025776 .1797 "
    ".038089 .017777 .048825 .029781 .021814 .095467 .039529;undecided",
    "engagement;ChatGPT prompt 1;1056 .180134 .018873 .339166 .219077 .013234 4.9497 "
    "-.000914 .017005 .105348 .105805 .019318 -1.304926 .025673;known_features",
    "relevance;Mistral-7B prompt 4;1047 .137582 .021349 .367060 .275338 .013373 19.7034 "
    "-.016705 .020443 .166002 .174354 .016608 -.946835 .035672;known_features",
]
REASONS = {
    "relevance": {"known_features": 16},
    "empathy": {"known_features": 13, "undecided": 3},
    "engagement": {"known_features": 13, "undecided": 2, "may_not": 1},
    "complexity": {
        **{"may": 5, "undecided": 2, "order_only": 1, "level_off": 6},
        **{"known_features": 1, "extremes_only": 1},
    },
    "coherence": {"raters_disagree": 16},
    "surprise": {"raters_disagree": 16},
}


@pytest.fixture(scope="module")
def study(shared_data):
    return load(shared_data / "hanna")


@pytest.fixture(scope="module")
def evidence(study):
    _, references, judges = study
    return {
        (judge, question): gather_evidence(references[question], answers)
        for (judge, question), answers in judges.items()
    }


@pytest.fixture(scope="module")
def verdicts(evidence):
    return {pair: decide(given) for pair, given in evidence.items()}


@pytest.mark.parametrize("row", ROWS)
def test_printed_rows(row, evidence, verdicts):
    question, judge, digits, reason = row.split(";")
    given = evidence[judge, question]
    kept, beyond = given.agreement.retention(2 / 3), given.beyond.parts[0][1]
    half, (b,) = beyond.retention(1 / 2), given.level.offsets
    values = [given.n, given.agreement.rho.value, given.agreement.rho.error]
    values += [given.agreement.r.value, kept.value, kept.error, given.agreement.least_worth()]
    values += [beyond.rho.value, beyond.rho.error, beyond.r.value, half.value, half.error]
    values += [b.value, b.error]
    for value, printed in zip(values, digits.split(), strict=True):
        decimals = len(printed.partition(".")[2])
        assert value == pytest.approx(float(printed), abs=0.5 * 10**-decimals + 1e-12)
    assert given.n_clusters == 96
    assert verdicts[judge, question].reason == reason


def test_reasons_and_answers_of_all_96(verdicts):
    counts = {question: Counter() for question in QUESTIONS}
    for (_, question), verdict in verdicts.items():
        counts[question][verdict.reason.value] += 1
    assert counts == REASONS
    answers = Counter(verdict.answer.value for verdict in verdicts.values())
    assert answers == {"yes": 5, "not_yet": 9, "no": 8, "people_disagree": 74}
    halves = [(pair, v.half) for pair, v in verdicts.items() if v.half != "people" and v.half]
    assert halves == [(("Llama-13B prompt 1", "complexity"), "judge")]


def test_the_yeses_are_worth_a_rater_and_none_of_them_holds_in_the_family(
    study, evidence, verdicts
):
    _, references, judges = study
    yes = [pair for pair, verdict in verdicts.items() if verdict.answer == "yes"]
    worth = sorted(evidence[pair].agreement.least_worth() for pair in yes)
    assert (worth[0], worth[-1]) == pytest.approx((1.27, 2.55), abs=5e-3)
    assert {verdicts[pair].grade for pair in yes} == {"rater"}
    everywhere = np.arange(1056) % 5 + 1.0
    people_p = [largest_people_p(gather_evidence(references[q], everywhere)) for q in QUESTIONS]
    pairs = list(verdicts)
    family = correct_family(
        [largest_judge_p(evidence[pair]) for pair in pairs],
        people_p,
        [QUESTIONS.index(question) for _, question in pairs],
    )
    assert family.size == 96
    passing = {pair for pair, passes in zip(pairs, family.passes, strict=True) if passes}
    assert not passing & set(yes), "people agree too little beyond systems and contents"


def test_no_judge_may_compare_the_systems(study):
    groupings, references, judges = study
    comparisons = []
    for (_, question), answers in judges.items():
        people = references[question].people
        given = ~np.isnan(FIVE.keep_inside(answers))[people.rows]
        here = people.restrict(given)
        systems = groupings["system"][here.rows]
        comparisons.append(compare_systems(here, answers[here.rows], systems, FIVE))
    assert {len(comparison.pairs) for comparison in comparisons} == {55}
    assert "yes" not in {comparison.answer.value for comparison in comparisons}
    equal = [sum(pair.p_within < 0.05 for pair in c.pairs) for c in comparisons]
    off = [
        sum(abs(pair.offset.value) - pair.offset.reach(0.05) > 0.3 for pair in c.pairs)
        for c in comparisons
    ]
    assert (np.median(equal), np.median(off)) == (15, 10)
    largest = [max(abs(pair.offset.value) for pair in c.pairs) for c in comparisons]
    assert (min(largest), max(largest)) == pytest.approx((0.44, 1.87), abs=5e-3)


def make_baselines(groupings, means, rng):
    """Judges that know the system, the content, or nothing."""
    system, content = groupings["system"], groupings["content"]
    of_system = np.bincount(system, means) / np.bincount(system)
    of_content = np.bincount(content, means) / np.bincount(content)
    return {
        "system means": of_system[system],
        "rounded system means": np.round(of_system)[system],
        "is it the human's story": 1.0 + 4 * groupings["human"],
        "content means": of_content[content],
        "random score per content": rng.uniform(1, 5, 96)[content],
        "system means dealt at random": rng.permutation(of_system)[system],
        "random whole score per system": rng.integers(1, 6, 11)[system].astype(float),
        "always 2": np.full(len(means), 2.0),
        "coin": rng.integers(1, 6, len(means)).astype(float),
        "marginal draw": rng.permutation(np.round(means)),
    }


@pytest.mark.parametrize("question", QUESTIONS)
def test_no_judge_that_knows_one_thing_passes(question, study):
    groupings, references, _ = study
    people = references[question].people
    checks = {name: groupings[name] for name in ("system", "content")}
    reference = Reference(people, FIVE, checks)
    for seed in range(10):
        judges = make_baselines(groupings, people.means[:, 0], np.random.default_rng(seed))
        answers = {
            name: decide(gather_evidence(reference, judge)).answer.value
            for name, judge in judges.items()
        }
        assert "yes" not in answers.values(), answers
    assert np.bincount(groupings["human"]).tolist() == [960, 96]
