"""Declare the options of the report on counterfactual scores."""

from dataclasses import dataclass

from django import forms

from analysis.options.declare import TEXT, option, whole_number
from analysis.reports.shared.options import DeviationOptions
from annotate.models import Rater

DEFAULT_SPLITS, MOST_SPLITS = 200, 2000
TOGETHER, RECIPIENT = "together", str(Rater.Role.RECIPIENT)


def _clusters(choices):
    columns = ((name, f"by {name}") for name in choices.columns if name != RECIPIENT)
    usual = [(TOGETHER, "what a session takes together"), (RECIPIENT, "recipients")]
    return forms.ChoiceField(choices=[*usual, *columns], label="Intervals draw")


@dataclass(frozen=True, kw_only=True)
class CounterfactualOptions(DeviationOptions):
    """Options of the report.

    splits: how many random splits into a training and a test part a regression is tried on;
    cluster: what the bootstrap draws, items that a session takes "together", those of a
    "recipient", or of one value of a column.
    """

    splits: int = whole_number(
        DEFAULT_SPLITS,
        1,
        MOST_SPLITS,
        "Random 70/30 splits",
        f"random 70/30 splits; default {DEFAULT_SPLITS}",
    )
    cluster: str = option(
        TOGETHER,
        label="Intervals draw",
        about="what intervals draw: together (default: what a session takes), recipient, or a "
        "COLUMN",
        make_field=_clusters,
        schema=TEXT,
        usual=lambda choices: TOGETHER,
        of_study=True,
    )
