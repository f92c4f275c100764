"""Say what a share of studies has to be, and whether it is."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.calibration.experiments import Tally


def decimals(value, digits=3):
    """Write a share without the zero before its point."""
    text = f"{value:.{digits}f}"
    return text[1:] if text.startswith("0.") else text


@dataclass(frozen=True)
class Target:
    """What a share has to be: its words, and how far beyond the target it is, at most 0 if met."""

    words: str
    excess: Callable[[Tally], float]

    def is_met(self, tally):
        """Say whether the share meets the target."""
        return self.excess(tally) <= 0

    def is_possible(self, tally, errors=3.5):
        """Say whether the share is as near to the target as chance may have put it."""
        return self.excess(tally) <= errors * tally.error


def most(limit):
    """Ask for a share of at most the limit."""
    return Target(f"≤ {decimals(limit, 2)}", lambda tally: tally.share - limit)


def least(limit):
    """Ask for a share of at least the limit."""
    return Target(f"≥ {decimals(limit, 2)}", lambda tally: limit - tally.share)


def not_above(limit):
    """Ask for a share that is not shown to be above the limit, by two Monte Carlo errors."""
    return Target(
        f"≤ {decimals(limit, 2)} + 2 errors",
        lambda tally: tally.share - limit - 2 * tally.error,
    )


def between(low, high):
    """Ask for a share that is not shown to be outside low..high, by two Monte Carlo errors."""
    return Target(
        f"{decimals(low, 2)} to {decimals(high, 2)} ± 2 errors",
        lambda tally: max(low - tally.share, tally.share - high) - 2 * tally.error,
    )


def near(value, width=0.05):
    """Ask for a share within a distance of a prediction."""
    words = f"{decimals(value)} ± {decimals(width, 2)}"
    return Target(words, lambda tally: abs(tally.share - value) - width)


def not_below(value, width=0.05):
    """Ask for a share that is at most a distance below a prediction, which is a lower bound."""
    words = f"≥ {decimals(value)} − {decimals(width, 2)}"
    return Target(words, lambda tally: value - width - tally.share)
