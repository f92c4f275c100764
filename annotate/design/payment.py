"""Read what a study pays for a session: keys of study.yaml, kept in Study.extra."""

import re
from dataclasses import dataclass

from annotate.values.wrong import quoted

AMOUNT, CURRENCY, TOLD = "pays_per_session", "pay_currency", "tell_pay"
USD = "USD"
LARGEST = 100_000
CURRENCY_CODE = re.compile(r"[A-Z]{3}")


@dataclass(frozen=True)
class Pay:
    """A sum for a session, in a currency by its three letters."""

    amount: float
    currency: str = USD

    def __str__(self):
        return f"{self.amount:,.2f} {self.currency}"


def read_currency(value):
    """Return a valid currency code; ValueError says what is allowed."""
    if not isinstance(value, str) or not CURRENCY_CODE.fullmatch(value):
        allowed = f"allowed are the three letters of a currency, such as {USD}"
        raise ValueError(f"found {quoted(value, 40)}; {allowed}")
    return value


def pay_of(study):
    """Return the Pay of a study, or None."""
    amount = study.extra.get(AMOUNT)
    return None if amount is None else Pay(float(amount), study.extra.get(CURRENCY) or USD)


def told_pay(study):
    """Return the Pay that raters are told of, or None."""
    return pay_of(study) if study.extra.get(TOLD) else None
