"""Choose items to send to more raters."""

from django import forms

from annotate.recruitment.more_raters import MOST_AT_ONCE

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
