"""Count yes and misses where recipients answer a tenth or a fifth of their own items again."""

from functools import partial
from math import sqrt

import numpy as np

from analysis.stats.validation.decision import decide
from analysis.stats.validation.evidence import Repeats, gather_repeat_evidence
from tests.analysis.stats.validation.simulated import FIVE
from tests.calibration.crowds import KEPT, RELIABILITIES, compute_truth
from tests.calibration.experiments import Experiment
from tests.calibration.tables import Line, Table
from tests.calibration.targets import between, most, not_above

NAME = "own answers"
TITLE = "Recipients' own second answers"
STUDIES, FEW = 1000, 12
RECIPIENTS, ITEMS, REPEATED, SHARE = 60, 10, 0.2, 0.4
FALSE = ("constant", "coin", "recipient", "people's own recipient means")
GOOD = ("equal to a second answer", "q = .9")
SIZE = "theta > 0 at theta = 0"
COVERED = ("rho", "r", "theta", "level")


def try_judges(reliability, rng):
    """Ask about every judge in a study of recipients who rate their own items."""
    recipients = np.repeat(np.arange(RECIPIENTS), ITEMS)
    n = len(recipients)
    by_recipient = rng.normal(size=RECIPIENTS)[recipients]
    quality = sqrt(SHARE) * by_recipient + sqrt(1 - SHARE) * rng.normal(size=n)

    def answer():
        noise = rng.normal(size=n)
        latent = sqrt(reliability) * quality + sqrt(1 - reliability) * noise
        return np.clip(np.round(3 + latent), 1, 5)

    def follow(q):
        return 3 + 0.5 * (q * quality + sqrt(1 - q**2) * rng.normal(size=n))

    first, second = answer(), answer()
    is_repeated = rng.random((RECIPIENTS, ITEMS)).argsort(axis=1) < REPEATED * ITEMS
    repeats = Repeats(first, np.where(is_repeated.ravel(), second, np.nan), recipients, FIVE)
    truth = compute_truth(reliability)
    means = np.bincount(recipients, first) / ITEMS
    judges = {
        "constant": np.full(n, 3.0),
        "coin": rng.integers(1, 6, n).astype(float),
        "recipient": 3 + 0.5 * by_recipient,
        "people's own recipient means": means[recipients],
        "equal to a second answer": answer(),
        "q = .9": follow(0.9),
        SIZE: follow(truth.q_of_boundary),
    }
    evidence = {name: gather_repeat_evidence(repeats, judge) for name, judge in judges.items()}
    outcomes = {name: decide(own).answer == "yes" for name, own in evidence.items()}
    outcomes[SIZE] = evidence[SIZE].agreement.retention(KEPT).p_above() < 0.05
    return outcomes | _cover(evidence["q = .9"], truth)


def _cover(evidence, truth):
    """Say which 95 % intervals hold the truth of the judge with q = .9."""
    agreement = evidence.agreement
    quantities = agreement.rho, agreement.r, agreement.retention(KEPT), evidence.level.largest
    values = truth.rho, truth.agreement(0.9), truth.retention(0.9), 3 - truth.mean
    return {
        f"covers {name}": abs(own.value - value) <= own.reach(0.025)
        for name, own, value in zip(COVERED, quantities, values, strict=True)
    }


def experiments():
    """Return the design at every reliability."""
    return [Experiment(_name(rho), partial(try_judges, rho), STUDIES, FEW) for rho in RELIABILITIES]


def _name(reliability):
    return f"own answers at reliability {reliability}"


def tables(tallies):
    """Return the one table of the design."""
    lines = [
        *((name, most(0.01)) for name in FALSE),
        (SIZE, not_above(0.05)),
        *((name, None) for name in GOOD),
        *((f"covers {name}", between(0.93, 0.97)) for name in COVERED),
    ]
    text = (
        f"{RECIPIENTS} recipients rate {ITEMS} items of their own, one rating per item, and answer "
        f"{REPEATED:.0%} of them again; recipients carry .4 of quality and are the clusters. The "
        "columns are reliabilities; coverage is of 95 % intervals of the judge with q = .9."
    )
    rows = [
        Line(
            (label,),
            tuple(tallies[_name(rho), label] for rho in RELIABILITIES),
            (target,),
            "The report Verdict says it beside such a verdict.",
        )
        for label, target in lines
    ]
    columns = ("what", *(f"{rho:g}"[1:] for rho in RELIABILITIES))
    return [Table("Judges of recipients' own ratings", text, columns, rows)]
