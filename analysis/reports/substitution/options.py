"""Declare the options of the alternative annotator test."""

from dataclasses import dataclass

from analysis.options.common import Compared, Drawn
from analysis.options.declare import choice, number
from annotate.models import Rater

CLUSTER, PLAIN = "cluster", "plain"
LARGEST_EPSILON = 0.5


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
