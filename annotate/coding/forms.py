"""Name codes."""

from django import forms

from annotate.coding.codes import MOST_CODES
from annotate.models import Code


class CodeForm(forms.Form):
    """The name of a new code, or a new name of a code."""

    name = forms.CharField(max_length=60, label="New code")

    def __init__(self, study, data=None, code=None):
        super().__init__(data)
        self.study, self.code = study, code

    def clean_name(self):
        """Require a name that no code has, or had: it must not mean two things in a table."""
        name = " ".join(self.cleaned_data["name"].split())
        others = Code.objects.filter(study=self.study)
        if self.code is None and others.count() >= MOST_CODES:
            raise forms.ValidationError(f"A study has at most {MOST_CODES} codes.")
        others = others.exclude(pk=self.code.pk) if self.code else others
        if others.filter(name__iexact=name).exists():
            raise forms.ValidationError(f"There is, or was, a code “{name}”.")
        return name

    def save(self):
        """Make the code, or rename it."""
        if self.code is None:
            return Code.objects.create(study=self.study, name=self.cleaned_data["name"])
        Code.objects.filter(pk=self.code.pk).update(name=self.cleaned_data["name"])
        return self.code
