"""Declare the options of the alternative annotator test."""

from dataclasses import dataclass

from analysis.options.common import Compared, Drawn
from analysis.options.declare import choice, number
from annotate.models import Rater

CLUSTER, PLAIN = "cluster", "plain"
# The usual head start of a judge by whom it is to replace, in the alternative annotator test.
EPSILONS = {str(Rater.Role.EXPERT): 0.2}
LARGEST_EPSILON = 0.5


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
