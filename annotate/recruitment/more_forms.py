"""Choose items to send to more raters, and how many ratings per item."""

from django import forms

from annotate.recruitment.more_raters import MOST_AT_ONCE
from annotate.recruitment.raise_ratings import MOST_RATINGS

MOST_ITEMS = 500


class MoreForm(forms.Form):
    """How many more places to give to which items, and why."""

    count = forms.IntegerField(min_value=1, max_value=MOST_AT_ONCE, required=False)
    words = forms.CharField(max_length=200, required=False)
    back = forms.CharField(max_length=4000, required=False)

    def __init__(self, data):
        super().__init__(data)
        self.items = [int(pk) for pk in data.getlist("item") if pk.isascii() and pk.isdigit()]

    def clean_count(self):
        """Return the count; a blank field means 1."""
        return self.cleaned_data["count"] or 1

    def clean(self):
        """Require at least one item, and no more than a page can have."""
        if not 0 < len(self.items) <= MOST_ITEMS or max(self.items) >= 2**63:
            raise forms.ValidationError(f"Choose 1 to {MOST_ITEMS} items.")
        return super().clean()


class RaiseForm(forms.Form):
    """To how many ratings each item of a question is to be raised."""

    ratings = forms.IntegerField(
        min_value=2,
        max_value=MOST_RATINGS,
        label="Ratings per item",
        help_text="Items with fewer places get the places that they lack; others get none.",
    )
    question = forms.ModelChoiceField(
        None,
        required=False,
        to_field_name="key",
        label="Items of the question",
        empty_label="all items",
    )

    def __init__(self, study, data):
        """Set up the form from a query string or a POST; one more than today is the usual."""
        usual = min(study.raters_per_item + 1, MOST_RATINGS)
        super().__init__({"ratings": usual} | data.dict())
        self.fields["question"].queryset = study.questions.filter(retired=False)
