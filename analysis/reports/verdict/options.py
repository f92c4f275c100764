"""Declare the options of the verdict and of the published test."""

from dataclasses import dataclass

from analysis.options.common import (
    Compared,
    Drawn,
    Judged,
    Referenced,
    column_of_groups,
    judge_or_none,
    reference_role,
)
from analysis.options.declare import choice, number
from analysis.stats.validation.criteria import USUAL, Criteria
from analysis.stats.validation.decision import MOST_GROUPS
from annotate.models import Rater

SHARES = {"1/2": 1 / 2, "2/3": 2 / 3, "4/5": 4 / 5}
HIDE, SHOW = "hide", "show"
CLUSTER, PLAIN = "cluster", "plain"
LARGEST_EPSILON = 0.5


@dataclass(frozen=True, kw_only=True)
class Conventions(Referenced, Judged):
    """Options of reports that decide, or plan, whether a judge may rate items.

    reference: unless given, the role that can test judges on most items. retention: the share of
    a rater's agreement that a judge has to keep; level: how far its mean may be off, None = by the
    scale; floor: least agreement of two raters; alpha: of each check.
    """

    reference: str = reference_role(lambda choices: choices.testing_reference)
    retention: str = choice(
        "2/3",
        "To be kept of a rater's agreement",
        "share of a rater's agreement that a judge has to keep: 1/2, 2/3 (default) or 4/5",
        [(share, share) for share in SHARES],
    )
    level: float | None = number(
        None,
        1e-9,
        1e9,
        "Level within",
        "how far a judge's mean may be off; default: .25 on five points, else 5 % of the range",
    )
    floor: float = number(
        USUAL.floor,
        0,
        0.9,
        "Raters agree by at least",
        f"least agreement of two raters; default {USUAL.floor:g}",
    )
    alpha: float = number(
        USUAL.alpha,
        0.001,
        0.2,
        "Level of each check",
        f"level of each check, one-sided; default {USUAL.alpha:g}",
    )

    @property
    def criteria(self):
        """Return the Criteria that these options ask for."""
        return Criteria(
            alpha=self.alpha,
            family_alpha=self.alpha / 2,
            retention=SHARES[self.retention],
            floor=self.floor,
            level_margin=self.level,
        )


@dataclass(frozen=True, kw_only=True)
class VerdictOptions(Conventions):
    """Options of the verdict.

    named: a judge in the place of the one that the study named beforehand, which no family corrects
    (named.py); pairs: whether every two systems have a row; groups: a column of the items, in each
    of whose values each judge is tested.
    """

    named: str = judge_or_none(
        "Judge named beforehand",
        "judge named before any judgment was seen, to be tested alone; default: the one that the "
        "study named on the judge's page",
        "as the study named it",
        metavar="JUDGE",
    )
    pairs: str = choice(
        HIDE,
        "Rows of pairs of systems",
        "hide (default) or show: a row for every two systems",
        [(HIDE, "leave out"), (SHOW, "show")],
    )
    groups: str = column_of_groups(
        "Groups of items",
        f"column with 2 to {MOST_GROUPS} values, in each of which the judges are tested: language, "
        "topic, kind of recipient",
        MOST_GROUPS,
        "none",
    )


def usual_epsilon(role):
    """Return the usual head start of a judge in the test, by the role that it is to replace."""
    return 0.2 if role == Rater.Role.EXPERT else 0.1


@dataclass(frozen=True, kw_only=True)
class SubstitutionOptions(Compared, Drawn):
    """Options of the test.

    epsilon: head start of a judge, None = by the reference role; standard_errors: by "cluster" or
    "plain".
    """

    epsilon: float | None = number(
        None,
        0,
        LARGEST_EPSILON,
        "Head start ε",
        "head start of a judge, 0 to 0.5; default: by the reference role",
    )
    standard_errors: str = choice(
        CLUSTER,
        "Standard errors",
        "cluster (default) or plain",
        [(CLUSTER, "by recipient, else content"), (PLAIN, "plain")],
    )
