"""Define what all scorers share: a score or why it is missing, and which texts can be compared."""

from dataclasses import dataclass

NO_REFERENCE = "the item has no reference text"
MOSTLY = 0.9  # share of the letters


class NotInstalled(ValueError):
    """Raised where something that a scorer needs is missing; the message names it."""


@dataclass(frozen=True)
class Score:
    """A unit's value, or None with the reason.

    rationale: what the value was made from, for the item's page. kept: an Entailment of the unit's
    item that is to be stored with it; its run is not set yet.
    """

    value: float | None = None
    reason: str = ""
    rationale: str = ""
    kept: object = None


def same_for_all(unit, score):
    """Repeat a score that does not depend on the question for each question of the unit."""
    return [score] * len(unit.questions)


def is_latin(text):
    """Whether nearly all letters of a text are Latin; False without any letter."""
    letters = [letter for letter in text if letter.isalpha()]
    latin = sum(letter < "\u0250" or "\u1e00" <= letter <= "\u1eff" for letter in letters)
    return bool(letters) and latin >= MOSTLY * len(letters)
