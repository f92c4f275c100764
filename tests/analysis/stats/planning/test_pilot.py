"""Studies drawn from a pilot get the verdicts that the same studies get one by one."""

import numpy as np
import pytest

from analysis.stats.planning.design import Targets, predict_power
from analysis.stats.planning.pilot import make_pilot, predict_states, states_of
from analysis.stats.validation.answers import Reason
from analysis.stats.validation.beyond import RATERS, describe_items, take_out
from analysis.stats.validation.criteria import SHARES, Criteria, Scale
from analysis.stats.validation.evidence import gather_evidence
from analysis.stats.validation.gather import indicators
from analysis.stats.validation.reference import gather_reference
from analysis.stats.validation.verdict import decide

SCALE = Scale(1, 5)


def simulate(seed, *, contents=24, a_content=3, m=3, n_raters=30, share=0.5, judge=0.7, step=True):
    """Ratings of items of three systems about contents, and a judge with some insight.

    Returns a dictionary of long columns (ratings, item, rater) and columns of items.
    """
    rng = np.random.default_rng(seed)
    n = contents * a_content
    quality = rng.normal(size=n)
    raters = np.concatenate([rng.permutation(n_raters)[:m] for _ in range(n)])
    items = np.repeat(np.arange(n), m)
    values = 3 + np.sqrt(share) * quality[items] + np.sqrt(1 - share) * rng.normal(size=n * m)
    scores = 3 + judge * np.sqrt(share) * quality + 0.4 * rng.normal(size=n)
    return {
        "values": np.clip(np.round(values), 1, 5) if step else values,
        "items": items,
        "raters": raters,
        "judge": np.clip(scores, 1, 5) if step else scores,
        "cluster": np.repeat(np.arange(contents), a_content),
        "system": np.arange(n) % a_content,
        "length": rng.integers(40, 400, n).astype(float),
    }


def reference_of(study, scale=SCALE, **more):
    n = len(study["judge"])
    return gather_reference(
        study["values"],
        study["items"],
        study["raters"],
        n,
        scale,
        groupings={"system": study["system"], "content": study["cluster"]},
        clusters=study["cluster"],
        **more,
    )


def copy_study(study, counts):
    """Write out a study with so many copies of each cluster, copy by copy.

    Copies are new contents; ten raters or more are new raters in each copy.
    """
    is_crowd = len(np.unique(study["raters"])) >= 10
    n_clusters, n_raters = len(counts), study["raters"].max() + 1
    out = {name: [] for name in (*study, "origin")}
    n = 0
    for copy in range(int(max(counts))):
        for cluster in range(n_clusters):
            if counts[cluster] <= copy:
                continue
            for item in np.flatnonzero(study["cluster"] == cluster):
                rows = study["items"] == item
                out["values"] += list(study["values"][rows])
                out["raters"] += list(study["raters"][rows] + is_crowd * copy * n_raters)
                out["items"] += [n] * int(rows.sum())
                for name in ("judge", "system", "length"):
                    out[name].append(study[name][item])
                out["cluster"].append(cluster + copy * n_clusters)
                out["origin"].append(item)
                n += 1
    return {name: np.array(column) for name, column in out.items()}


def one_by_one(study, counts, scale=SCALE, criteria=None):
    """The verdict on each drawn study, by the functions of the verdict itself.

    By design a drawn study keeps what the pilot knows of items, not what it would find anew.
    """
    reasons, known = [], reference_of(study, scale).left.features
    for row in counts:
        drawn = copy_study(study, row)
        reference = reference_of(drawn, scale)
        origin = np.array(drawn["origin"])[reference.people.rows]
        names = {name: codes[reference.people.rows] for name, codes in reference.groupings.items()}
        pilots = {"pilot": known.columns[origin]} if RATERS in known.names else None
        features = describe_items(reference.people.n, None, names, pilots)
        reference.__dict__["left"] = take_out(reference.people, features)
        evidence = gather_evidence(reference, drawn["judge"], criteria)
        reasons.append(decide(evidence, criteria).reason)
    return reasons


CASES = {
    "crowd": {"seed": 1},
    "weak judge": {"seed": 2, "judge": 0.2},
    "people who disagree": {"seed": 3, "share": 0.05},
    "panel": {"seed": 4, "n_raters": 3},
    "two of five": {"seed": 5, "n_raters": 5, "m": 2, "contents": 30},
    "few raters a rating": {"seed": 6, "n_raters": 60, "share": 0.3},
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("size", [0.7, 2.5])
def test_each_drawn_study_gets_the_verdict_of_the_study_written_out(case, size):
    study = simulate(**CASES[case])
    n_clusters = study["cluster"].max() + 1
    rng = np.random.default_rng(11)
    counts = rng.multinomial(int(n_clusters * size), np.full(n_clusters, 1 / n_clusters), size=12)
    pilot = make_pilot(reference_of(study), study["judge"])
    pairs = zip(states_of(pilot, counts), one_by_one(study, counts), strict=True)
    # the rest check is not drawn
    assert all(written in (drawn, Reason.EXTREMES_ONLY) for drawn, written in pairs)


def test_the_cases_meet_many_different_verdicts():
    reasons = set()
    for case in CASES.values():
        study = simulate(**case)
        pilot = make_pilot(reference_of(study), study["judge"])
        n_clusters = pilot.people.n_clusters
        for size in (8, 17, 60):
            counts = np.random.default_rng(11).multinomial(
                size, np.full(n_clusters, 1 / n_clusters), size=12
            )
            reasons |= set(states_of(pilot, counts))
    assert len(reasons) >= 6, reasons


def test_a_choice_is_drawn_like_numbers():
    study = simulate(7, contents=30)
    labels = np.clip(study["values"], 2, 4).astype(int) - 2
    study["judge"] = indicators(np.clip(np.round(study["judge"]), 2, 4).astype(int) - 2, 3)
    study["values"] = indicators(labels, 3)
    pilot = make_pilot(reference_of(study, SHARES), study["judge"])
    counts = np.random.default_rng(3).multinomial(70, np.full(30, 1 / 30), size=8)
    assert list(states_of(pilot, counts)) == one_by_one(study, counts, SHARES)


def test_a_binary_question_asks_for_the_rare_answer():
    study = simulate(8, contents=30, share=0.7)
    study["values"] = (study["values"] > 4).astype(float)
    study["judge"] = (study["judge"] > 3.7).astype(float)
    scale, criteria = Scale(0, 1), Criteria(level_margin=0.3)
    pilot = make_pilot(reference_of(study, scale), study["judge"])
    counts = np.random.default_rng(3).multinomial(40, np.full(30, 1 / 30), size=12)
    states = list(states_of(pilot, counts, criteria))
    assert states == one_by_one(study, counts, scale, criteria)


def test_a_constant_judge_says_nothing_whatever_the_size():
    study = simulate(1)
    study["judge"] = np.full(len(study["judge"]), 3.0)
    pilot = make_pilot(reference_of(study), study["judge"])
    (forecast,) = predict_states(pilot, [200], np.random.default_rng(1))
    assert forecast.shares == {Reason.SAYS_NOTHING: 1.0} and forecast.yes == forecast.high == 0


def test_the_check_of_length_is_close_to_the_one_with_deciles_of_its_own():
    """A judge that knows the length alone never passes; the deciles are those of the pilot."""
    study = simulate(9, contents=40, share=0.6)
    study["judge"] = np.log1p(study["length"])
    study["values"] = study["values"] + 2.0 * (np.log1p(study["length"])[study["items"]] - 5)
    reference = reference_of(study, Scale(-20, 20, None), lengths=study["length"])
    (forecast,) = predict_states(
        make_pilot(reference, study["judge"]), [300], np.random.default_rng(1)
    )
    assert set(forecast.shares) <= {Reason.KNOWN_FEATURES, Reason.UNDECIDED, Reason.MAY_NOT}


def test_judgments_that_lack_are_left_out():
    study = simulate(1)
    study["judge"][:10] = np.nan
    study["judge"][10] = 9.0
    pilot = make_pilot(reference_of(study), study["judge"])
    assert pilot.people.n == len(study["judge"]) - 11 == len(pilot.judge)


def test_more_items_decide_more_often_and_the_band_holds_the_assurance():
    study = simulate(12, contents=30, judge=0.9, share=0.4)
    pilot = make_pilot(reference_of(study), study["judge"])
    forecasts = predict_states(pilot, [40, 160, 640], np.random.default_rng(1))
    assert forecasts[0].yes < forecasts[1].yes < forecasts[2].yes
    for forecast in forecasts:
        assert sum(forecast.shares.values()) == pytest.approx(1)
        # Of twenty shares, nearly all 1, the mean may be just below their 10th percentile.
        assert forecast.low - 0.01 <= forecast.assurance <= forecast.high + 0.01
    # A pilot of 90 items leaves much open.
    assert max(forecast.high - forecast.low for forecast in forecasts) > 0.2


def test_the_same_seed_gives_the_same_forecast():
    pilot = make_pilot(reference_of(study := simulate(1)), study["judge"])
    first, second = (predict_states(pilot, [90], np.random.default_rng(5)) for _ in range(2))
    assert first == second


def test_predicted_and_simulated_power_agree_within_five_hundredths():
    """Normal scores, rho .3, a judge like a rater, 3 ratings: power of retention at 150 items.

    A large pilot (4,000 items) stands for the truth; draws of it decide as the formula predicts.
    """
    n, m, rho = 4000, 3, 0.3
    rng = np.random.default_rng(21)
    quality = rng.normal(size=n)

    def rate(size):
        noise = rng.normal(size=(n, size))
        return np.sqrt(rho) * quality[:, None] + np.sqrt(1 - rho) * noise

    reference = gather_reference(
        rate(m).ravel(),
        np.repeat(np.arange(n), m),
        np.arange(n * m),
        n,
        Scale(-50, 50, None),
        is_sample=False,
    )
    pilot = make_pilot(reference, rate(1)[:, 0])
    counts = rng.multinomial(150, np.full(n, 1 / n), size=300)
    states = states_of(pilot, counts, Criteria(level_margin=40))
    simulated = np.isin(states, [Reason.MAY]).mean()
    predicted = predict_power(rho, rho, m, 150, Targets()).retention
    assert simulated == pytest.approx(float(predicted), abs=0.05)
