"""Make a token of the HTTP API."""

from django import forms

from annotate.models import ApiToken, Study
from annotate.models.token import MOST_DAYS

USUAL_DAYS = 90
MOST_TOKENS = 50
ALL, CHOSEN = "all", "chosen"
READ, WRITE = "read", "write"


class TokenForm(forms.Form):
    """The name of a token, what it may do, where, and for how long."""

    name = forms.CharField(max_length=100, help_text="What it is for, such as: notebook on laptop.")
    scope = forms.ChoiceField(
        label="It may",
        choices=[(READ, "read"), (WRITE, "read and write")],
        initial=READ,
        widget=forms.RadioSelect,
        help_text="Never more than you may in a study at the time of the call.",
    )
    reach = forms.ChoiceField(
        label="In",
        choices=[(CHOSEN, "the studies chosen below"), (ALL, "all my studies, later ones too")],
        widget=forms.RadioSelect,
    )
    studies = forms.ModelMultipleChoiceField(
        Study.objects.none(), required=False, widget=forms.CheckboxSelectMultiple
    )
    days = forms.IntegerField(
        label="Days until it expires", min_value=1, max_value=MOST_DAYS, initial=USUAL_DAYS
    )

    def __init__(self, user, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.user = user
        self.fields["studies"].queryset = Study.objects.visible_to(user)

    def clean(self):
        """Require a study for a token for chosen studies, and limit the tokens of a person."""
        data = super().clean()
        if data.get("reach") == CHOSEN and "studies" in data and not data["studies"]:
            self.add_error("studies", "Choose a study at least, or “all my studies”.")
        if self.user.api_tokens.count() >= MOST_TOKENS:
            self.add_error(None, f"You have {MOST_TOKENS} tokens; revoke one that is not used.")
        return data

    def issue(self):
        """Create the token; return (token, its secret)."""
        data = self.cleaned_data
        return ApiToken.objects.issue(
            self.user,
            data["days"],
            None if data["reach"] == ALL else data["studies"],
            name=data["name"],
            may_write=data["scope"] == WRITE,
        )
