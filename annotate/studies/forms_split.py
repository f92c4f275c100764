"""Lock and unlock a test split."""

from django import forms

from annotate.design.splits import LARGEST, LARGEST_SEED, SMALLEST


class LockForm(forms.Form):
    """The seed and share of a split that is locked at once."""

    share = forms.FloatField(
        min_value=SMALLEST,
        max_value=LARGEST,
        initial=0.3,
        label="Share of the recipients",
        help_text="From 0.01 to 0.99. Few recipients can fall far from it.",
        widget=forms.TextInput(attrs={"inputmode": "decimal"}),
    )
    seed = forms.IntegerField(
        min_value=0,
        max_value=LARGEST_SEED,
        initial=1,
        help_text="Any whole number; the same one gives the same split.",
    )

    def __init__(self, split, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if split:
            self.initial = {"share": split.share, "seed": split.seed}


class UnlockForm(forms.Form):
    """The reason why a test part is unlocked."""

    reason = forms.CharField(
        max_length=500,
        label="Why now",
        help_text="Such as: the prompt and the judge are final. It is shown with every number of "
        "the test part from now on.",
    )
