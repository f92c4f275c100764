"""The form above the preview of a study."""

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
    """Which page, which item, how wide; without a choice the first item on a phone."""

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
        checks = [one for one in shown.screens if one is not None]
        self.checks = {f"check-{one.check_key}": one for one in checks}
        titles = {name: f"Attention check: {one.check_key}" for name, one in self.checks.items()}
        self.fields["show"].choices = [*shows, *titles.items()]

    def clean_item(self):
        """The item of that id; None where none was named."""
        key = self.cleaned_data["item"]
        if not key:
            return None
        item = self.shown.items.filter(key=key).first()
        if item is None:
            raise forms.ValidationError("No item with this id is shown to raters by itself.")
        return item

    @property
    def suggestions(self):
        """Ids of items."""
        return self.shown.items.values_list("key", flat=True)[:SUGGESTED]

    @property
    def address(self):
        """Of the page in the frame; empty where the choice is none."""
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
