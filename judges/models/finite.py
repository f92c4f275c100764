"""Keep settings that are numbers finite: NaN is neither below a least nor above a most value."""

from math import isfinite

from django.core.exceptions import ValidationError
from django.db.models import Q

RANGES = {
    "threshold": (-1, 1),
    "temperature": (0, 2),
    "pool_share": (0.01, 0.9),
    "regularisation": (1e-6, 1e6),
    "confidence": (1, 1e6),
}
NOT_FINITE = "A setting that is a number is not finite, or outside what is allowed for it."


def finite(value):
    """Refuse NaN and the infinities, which pass or confuse validators of ends."""
    if not isfinite(value):
        raise ValidationError("“%(value)s” is not a finite number.", "finite", {"value": value})


def within_ranges():
    """Return the constraint's condition. To PostgreSQL NaN is above all; SQLite has none."""
    condition = Q()
    for name, (low, high) in RANGES.items():
        condition &= Q(**{f"{name}__gte": low, f"{name}__lte": high})
    return condition
