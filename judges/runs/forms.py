"""Make form fields that several forms of runs share."""

from decimal import Decimal

from django import forms


def budget_field(help_text):
    """Return a field for what a run may cost; empty means no cap."""
    return forms.DecimalField(
        label="Budget in USD",
        required=False,
        min_value=Decimal("0.000001"),
        max_digits=12,
        decimal_places=6,
        help_text=help_text,
    )
