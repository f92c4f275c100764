"""Price what is to be collected: by a study's own pay and time, or by assumed ones."""

from dataclasses import dataclass
from math import ceil, isfinite

from analysis.reports.how_many.words import say
from annotate.design.payment import USD, pay_of
from annotate.design.planner_link import HOUR, USUAL_SECONDS
from annotate.recruitment.costs import USUAL_PAY, item_seconds

PRICED = ("ratings", "sessions", "cost")


@dataclass(frozen=True)
class Prices:
    """What raters take and get.

    item_seconds: of one rating; fee: a share of the pay, on top; is_known: whether the study says
    what it pays, or its sessions how long a rating takes; source: both in words.
    """

    session_items: int
    item_seconds: float
    hourly_pay: float
    fee: float = 0.0
    currency: str = USD
    is_known: bool = True
    source: str = ""

    @property
    def sign(self):
        """Return what stands before an amount."""
        return "$" if self.currency == USD else f"{self.currency} "

    def collect(self, items, m):
        """Return {ratings, sessions, cost} of m ratings of every item; inf for infinite items.

        A session is a rater's whole work and paid whole; an item needs m different raters.
        """
        if not isfinite(items):
            return dict.fromkeys(PRICED, items)
        sessions = max(ceil(items * m / self.session_items), ceil(m))
        hours = sessions * self.session_items * self.item_seconds / HOUR
        numbers = items * m, float(sessions), hours * (self.hourly_pay * (1 + self.fee))
        return dict(zip(PRICED, numbers, strict=True))

    def of_item(self, m):
        """Return what m ratings of one item cost, without a fee; None where nothing is known."""
        return m * self.item_seconds * self.hourly_pay / HOUR if self.is_known else None


def prices_of(study):
    """Return the Prices of a study: by its own pay and time, else what is usual."""
    own, pay = item_seconds(study), pay_of(study)
    seconds, hourly, items = own or USUAL_SECONDS, USUAL_PAY, study.items_per_session
    if pay:
        hourly = pay.amount * HOUR / (items * seconds)
    timed, paid = (
        say("cost", "timed" if own else "assumed"),
        say("cost", "paid" if pay else "unpaid"),
    )
    source = say(
        "cost", "source", seconds=seconds, timed=timed, hourly=hourly, paid=paid, items=items
    )
    currency = pay.currency if pay else USD
    return Prices(items, seconds, hourly, 0.0, currency, bool(own or pay), source)
