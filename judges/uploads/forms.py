"""Check the forms of the upload page."""

from django import forms

from annotate.files.reading.encoding import too_large
from judges.files import TABLES
from judges.files.off_scale import CLIP, KEEP, MEANINGS, MISSING

TO_CHOOSE = (MISSING, CLIP, KEEP)  # who wants to refuse the file discards it


class FilesForm(forms.Form):
    """Take study.yaml and a file for each table; empty files get a problem of their own later."""

    def __init__(self, *args, new, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["study"] = _field("study.yaml", ".yaml,.yml", required=new)
        for table in TABLES:
            self.fields[table] = _field(f"{table}.csv", ".csv,.jsonl,.ndjson", required=False)

    def clean(self):
        """Refuse files that are too large by their size alone."""
        cleaned = super().clean()
        for name, file in list(cleaned.items()):
            if file and (refused := too_large(file.size)):
                self.add_error(name, refused)
        if not any(cleaned.values()) and not self.errors:
            raise forms.ValidationError("Choose at least one file.")
        return cleaned

    @property
    def files_given(self):
        """Return the files that were given, by name."""
        return {name: file for name, file in self.cleaned_data.items() if file}


class OffScaleForm(forms.Form):
    """Choose what becomes of judgments outside their question's scale."""

    out_of_range = forms.ChoiceField(
        label="Judgments outside their question’s scale",
        choices=[(name, MEANINGS[name]) for name in TO_CHOOSE],
        initial=MISSING,
        widget=forms.RadioSelect,
    )


def _field(label, accept, required):
    return forms.FileField(
        label=label,
        required=required,
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": accept}),
        error_messages={"required": "A new study needs its study.yaml."},
    )
