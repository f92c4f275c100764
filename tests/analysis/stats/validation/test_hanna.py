"""HANNA: 16 prompted judges of six questions, and judges that know one thing only."""

from collections import Counter

import numpy as np
import pytest

from analysis.stats.validation.beyond import compare_beyond, take_out_groups
from analysis.stats.validation.evidence import gather_evidence
from analysis.stats.validation.family import correct_family
from analysis.stats.validation.reference import Reference
from analysis.stats.validation.systems import compare_systems
from analysis.stats.validation.verdict import decide, largest_people_p
from tests.analysis.stats.validation.hanna import FIVE, QUESTIONS, load

# question, judge: n, rho (SE), r, theta_2/3 (SE), K_low, rho' (SE), r', theta'_1/2 (SE), b (SE)
ROWS = [
    "complexity;Beluga-13B prompt 1;1056 .277795 .021221 .370519 .185322 .013062 1.8529 "
    ".049403 .017425 .132244 .107543 .016355 -.023360 .033697;may",
    "complexity;Llama-13B prompt 4;1044 .279140 .021856 .175663 -.010430 .025776 .1797 "
    ".051829 .017711 .042303 .016388 .023032 .095467 .039529;undecided",
    "engagement;ChatGPT prompt 1;1056 .180134 .018873 .339166 .219077 .013234 4.9497 "
    ".008328 .015661 .104811 .100647 .018622 -1.304926 .025673;system_only",
    "relevance;Mistral-7B prompt 4;1047 .137582 .021349 .367060 .275338 .013373 19.7034 "
    ".014226 .020609 .161845 .154732 .017871 -.946835 .035672;system_only",
]
REASONS = {
    "relevance": {"system_only": 16},
    "empathy": {"system_only": 13, "undecided": 3},
    "engagement": {"system_only": 13, "undecided": 2, "may_not": 1},
    "complexity": {"may": 5, "undecided": 2, "order_only": 1, "level_off": 8},
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
    kept, beyond = given.agreement.retention(2 / 3), given.beyond[0].agreement
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
    assert answers == {"yes": 5, "not_yet": 8, "no": 9, "people_disagree": 74}
    halves = {v.half for v in verdicts.values() if v.reason == "system_only"}
    assert halves == {"people"}


@pytest.mark.parametrize(
    ("question", "rho", "error"),
    [("relevance", 0.014, 0.021), ("empathy", 0.015, 0.018), ("engagement", 0.008, 0.016)],
)
def test_within_systems_people_hardly_agree(question, rho, error, study):
    """Over all 1,056 items: a judge that answers each of them."""
    _, references, _ = study
    given = gather_evidence(references[question], np.arange(1056) % 5 + 1.0)
    within = given.beyond[0].agreement.rho
    assert (given.n, within.value, within.error) == (
        1056,
        pytest.approx(rho, abs=5e-4),
        pytest.approx(error, abs=5e-4),
    )


def test_the_judges_that_fail_within_systems_agree_there_by_up_to_17_hundredths(evidence, verdicts):
    failed = [pair for pair, verdict in verdicts.items() if verdict.reason == "system_only"]
    within = [evidence[pair].beyond[0].agreement.r.value for pair in failed]
    assert len(within) == 42
    assert (min(within), max(within)) == pytest.approx((0.015, 0.166), abs=5e-4)


def test_the_yeses_are_worth_a_rater_and_four_of_them_hold_in_the_family(study, evidence, verdicts):
    _, references, judges = study
    yes = [pair for pair, verdict in verdicts.items() if verdict.answer == "yes"]
    worth = sorted(evidence[pair].agreement.least_worth() for pair in yes)
    assert (worth[0], worth[-1]) == pytest.approx((1.27, 2.55), abs=5e-3)
    assert {verdicts[pair].grade for pair in yes} == {"rater"}
    everywhere = np.arange(1056) % 5 + 1.0
    people_p = [largest_people_p(gather_evidence(references[q], everywhere)) for q in QUESTIONS]
    pairs = list(verdicts)
    family = correct_family(
        [verdicts[pair].judge_p for pair in pairs],
        people_p,
        [QUESTIONS.index(question) for _, question in pairs],
    )
    assert family.size == 96
    passing = {pair for pair, passes in zip(pairs, family.passes, strict=True) if passes}
    assert len(passing & set(yes)) == 4


def test_the_content_check_fails_none_of_the_five(study, verdicts):
    groupings, references, judges = study
    people = references["complexity"].people
    for pair, verdict in verdicts.items():
        if verdict.answer == "yes":
            scores = FIVE.keep_inside(judges[pair])[people.rows]
            here = people.restrict(~np.isnan(scores))
            within = take_out_groups(here, "content", groupings["content"][here.rows])
            beyond = compare_beyond(within, scores[~np.isnan(scores), None])
            assert beyond.rho.p_above() < 0.05
            assert beyond.retention(0.5).p_above() < 0.05


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
