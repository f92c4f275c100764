"""Choose what the preview of a study shows."""

from urllib.parse import urlencode

from django import forms

from annotate.design import around
from annotate.design.arms import arms_of
from annotate.design.screener import screener_of
from annotate.design.taste import taste_of

SUGGESTED = 100  # items offered while one types
SHOW = {
    "item": "An item",
    "consent": "Consent",
    "screener": "Screener",
    "questions": "Questions before",
    "taste": "What they like",
    "instructions": "Instructions",
    "check": "Comprehension check",
    "practice": "Practice",
    "waiting": "Lists being made",
    "exit": "Exit questions",
    "thanks": "Last page",
    "withdraw": "Stop and withdraw",
    "withdrawn": "End: withdrew",
    "declined": "End: no consent",
    "screened_out": "End: screened out",
    "failed_attention": "End: failed the attention checks",
    "full": "End: came too late",
}
STEPS = {
    "screener": ("session_screener",),
    "questions": ("session_questions",),
    "taste": ("session_taste",),
    "check": ("session_check",),
    "practice": ("session_practice", 1),
    "waiting": ("session_waiting",),
    "exit": ("session_exit",),
    "withdraw": ("session_withdraw",),
}
WIDTH = {"phone": "Phone, 360 px", "wide": "Wide"}


class PreviewForm(forms.Form):
    """A choice of page, item and width; by default the first item on a phone."""

    show = forms.ChoiceField(label="Page", choices=SHOW, required=False)
    item = forms.CharField(
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"list": "items", "placeholder": "the first one"}),
    )
    arm = forms.ChoiceField(
        required=False,
        help_text="Of the first page shown; those that it leads on to are of no arm.",
    )
    width = forms.ChoiceField(choices=WIDTH, required=False)

    def __init__(self, shown, data):
        super().__init__({"show": "item", "width": "phone", **data.dict()})
        self.shown = shown
        has = {
            "screener": screener_of(shown.study).questions,
            "questions": around.before_of(shown.study),
            "taste": taste_of(shown.study),
            "waiting": taste_of(shown.study),
            "check": around.check_of(shown.study),
            "practice": around.practice_items(shown.study),
            "exit": around.exit_of(shown.study),
            "screened_out": screener_of(shown.study).questions or around.check_of(shown.study),
            "failed_attention": shown.study.extra.get("attention"),
        }
        shows = [(name, label) for name, label in SHOW.items() if has.get(name, True)]
        checks = [check for check in shown.screens if check is not None]
        self.checks = {f"check-{check.check_key}": check for check in checks}
        titles = {
            name: f"Attention check: {check.check_key}" for name, check in self.checks.items()
        }
        self.fields["show"].choices = [*shows, *titles.items()]
        names = [arm.name for arm in arms_of(shown.study)]
        self.fields["arm"].choices = [("", "none of them"), *((name, name) for name in names)]
        if not names:
            del self.fields["arm"]

    def clean_item(self):
        """Return the item with that id, or None for a blank field."""
        key = self.cleaned_data["item"]
        if not key:
            return None
        item = self.shown.items.filter(key=key).first()
        if item is None:
            raise forms.ValidationError("No item with this id is shown to raters by itself.")
        return item

    @property
    def suggestions(self):
        """Return ids of items to choose from."""
        return self.shown.items.values_list("key", flat=True)[:SUGGESTED]

    @property
    def address(self):
        """Return the address of the page in the frame; empty for an invalid choice."""
        if not self.is_valid():
            return ""
        path, query = self._page()
        if arm := self.cleaned_data.get("arm"):
            query |= {"arm": arm}
        return f"{path}?{urlencode(query)}" if query else path

    def _page(self):
        """Return (path, query) of the chosen page."""
        show, item = self.cleaned_data["show"], self.cleaned_data["item"]
        if show in STEPS:
            return self.shown.address(*STEPS[show]), {}
        if show in self.checks:
            return self.shown.address("session_item", self.checks[show].position), {}
        if show and show != "item":
            return self.shown.address("session"), {"show": show}
        return self.shown.address("session_item", 1), {"item": item.pk} if item else {}
