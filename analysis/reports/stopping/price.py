"""Tell what all ratings of an item cost: as asked for, else by the study's own pay or time."""

from dataclasses import dataclass

from annotate.design.payment import USD, pay_of
from annotate.design.planner_link import HOUR
from annotate.recruitment.costs import USUAL_PAY, item_seconds


@dataclass(frozen=True)
class Price:
    """The cost of all ratings of one item. item: None where none is known; source: in words."""

    item: float | None
    source: str
    currency: str = USD

    @property
    def sign(self):
        """Return what stands before an amount."""
        return "$" if self.currency == USD else f"{self.currency} "


def price_of(study, m, item_cost=None):
    """Return the Price of an item with m ratings. item_cost: asked for by the report's option."""
    if item_cost is not None:
        return Price(item_cost, "as the option Cost of an item says")
    if pay := pay_of(study):
        session = f"a session of {study.items_per_session} items pays {pay.amount:,.2f}"
        return Price(
            m * pay.amount / study.items_per_session,
            f"by the study’s own pay: {session} {pay.currency}; a platform’s fee comes on top",
            pay.currency,
        )
    if seconds := item_seconds(study):
        return Price(
            m * seconds * USUAL_PAY / HOUR,
            f"by the study’s own time, {seconds:.0f} seconds a rating, if an hour pays "
            f"{USUAL_PAY}; Settings say what a session pays",
        )
    return Price(None, "not known: Settings do not say what a session pays, and few have ended")
