"""Choose what the preview of a study shows."""

from django import forms

from annotate.design import around

SUGGESTED = 100  # items offered while one types
SHOW = {
    "item": "An item",
    "consent": "Consent",
    "instructions": "Instructions",
    "check": "Comprehension check",
    "practice": "Practice",
    "exit": "Exit questions",
    "thanks": "Last page",
}
STEPS = {
    "check": ("session_check",),
    "practice": ("session_practice", 1),
    "exit": ("session_exit",),
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
    width = forms.ChoiceField(choices=WIDTH, required=False)

    def __init__(self, shown, data):
        super().__init__({"show": "item", "width": "phone", **data.dict()})
        self.shown = shown
        has = {
            "check": around.check_of(shown.study),
            "practice": around.practice_items(shown.study),
            "exit": around.exit_of(shown.study),
        }
        shows = [(name, label) for name, label in SHOW.items() if has.get(name, True)]
        checks = [check for check in shown.screens if check is not None]
        self.checks = {f"check-{check.check_key}": check for check in checks}
        titles = {
            name: f"Attention check: {check.check_key}" for name, check in self.checks.items()
        }
        self.fields["show"].choices = [*shows, *titles.items()]

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
        show, item = self.cleaned_data["show"], self.cleaned_data["item"]
        if show in STEPS:
            return self.shown.address(*STEPS[show])
        if show in self.checks:
            return self.shown.address("session_item", self.checks[show].position)
        if show and show != "item":
            return f"{self.shown.address('session')}?show={show}"
        chosen = f"?item={item.pk}" if item else ""
        return self.shown.address("session_item", 1) + chosen
