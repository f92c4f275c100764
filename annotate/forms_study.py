"""Forms of the researchers' study pages."""

from django import forms
from django.contrib.auth import get_user_model

from annotate.models import Membership, Study


class StudyForm(forms.ModelForm):
    class Meta:
        model = Study
        fields = [
            "title", "state", "notice", "consent", "instructions", "items_per_session",
            "hold_minutes", "completion_code",
        ]  # fmt: skip
        widgets = {
            name: forms.Textarea(attrs={"rows": rows})
            for name, rows in (("notice", 2), ("consent", 6), ("instructions", 8))
        }
        labels = {"hold_minutes": "Minutes a rater may pause", "state": "For raters"}


class MemberForm(forms.Form):
    username = forms.CharField(max_length=150, label="User name")
    role = forms.ChoiceField(choices=Membership.Role)

    def __init__(self, study, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.study = study
        self.fields["role"].initial = Membership.Role.VIEWER

    def clean_username(self):
        """The account of that name."""
        name = self.cleaned_data["username"]
        user = get_user_model().objects.filter(username=name, is_active=True).first()
        if user is None:
            raise forms.ValidationError(f"There is no account {name}. An operator can make one.")
        self.user = user
        return name

    def save(self):
        """True; False, with the reason among the errors, if the person is a member already."""
        membership, is_new = Membership.objects.get_or_create(
            study=self.study, user=self.user, defaults={"role": self.cleaned_data["role"]}
        )
        if not is_new:
            self.add_error("username", f"{membership.user} already is a member.")
        return is_new
