"""Read what a study pays for a session: two keys of study.yaml, kept in Study.extra."""

import re
from dataclasses import dataclass

AMOUNT, CURRENCY = "pays_per_session", "pay_currency"
USD = "USD"
LARGEST = 100_000
CURRENCY_CODE = re.compile(r"[A-Z]{3}")


@dataclass(frozen=True)
class Pay:
    """A sum for a session, in a currency by its three letters."""

    amount: float
    currency: str = USD


def read_currency(value):
    """Return a valid currency code; ValueError says what is allowed."""
    if not isinstance(value, str) or not CURRENCY_CODE.fullmatch(value):
        allowed = f"allowed are the three letters of a currency, such as {USD}"
        raise ValueError(f"found {str(value)[:40]!r}; {allowed}")
    return value


def pay_of(study):
    """Return the Pay of a study, or None."""
    amount = study.extra.get(AMOUNT)
    return None if amount is None else Pay(float(amount), study.extra.get(CURRENCY) or USD)
