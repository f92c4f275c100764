"""Name the answers of a verdict, their reasons and their grades."""

from dataclasses import dataclass
from enum import StrEnum
from math import nan


class Answer(StrEnum):
    """The five answers."""

    YES = "yes"
    NOT_YET = "not_yet"
    NO = "no"
    PEOPLE_DISAGREE = "people_disagree"
    NOT_TESTABLE = "not_testable"


class Reason(StrEnum):
    """Why an answer was given, in the order in which conditions are asked."""

    NOT_COMPARABLE = "not_comparable"
    HOLDS_RATINGS = "holds_ratings"
    SAYS_NOTHING = "says_nothing"
    TOO_FEW = "too_few"
    RATERS_DISAGREE = "raters_disagree"
    PEOPLE_UNSURE = "people_unsure"
    MAY_NOT = "may_not"
    UNDECIDED = "undecided"
    KNOWN_FEATURES = "known_features"
    EXTREMES_ONLY = "extremes_only"
    LEVEL_OFF = "level_off"
    ORDER_ONLY = "order_only"
    MAY = "may"
    NO_DIFFERENCE = "no_difference"  # these three: of systems
    FAVOURS = "favours"
    FEW_SYSTEMS = "few_systems"


class Half(StrEnum):
    """Which half of the check beyond all that is known of an item failed."""

    PEOPLE = "people"
    JUDGE = "judge"


class Grade(StrEnum):
    """How much a yes says: a share of a rater, one rater, or a panel as large as the raters'."""

    SHARE = "share"
    RATER = "rater"
    PANEL = "panel"


@dataclass(frozen=True)
class Verdict:
    """An answer with its reason.

    half: of a failed check beyond what is known of items; grouping: the small one in which it
    failed, blank where it is the joint check. missing: what else a "not yet" waits for
    ("correction", "scale", "points", "groups"). grade: of a yes.
    judge_p, people_p: the largest p of the judge's checks and of the people's. warnings:
    "missing".
    """

    answer: Answer
    reason: Reason
    grouping: str = ""
    half: Half | None = None
    missing: str = ""
    grade: Grade | None = None
    judge_p: float = nan
    people_p: float = nan
    warnings: tuple[str, ...] = ()
