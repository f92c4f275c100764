"""Check the forms of judges, each of a kind that the pages make."""

from django import forms
from django.db import IntegrityError
from django.db.models import Q

from annotate.files.reading.columns import refuse_unseen
from annotate.values.texts import composed
from judges.models import Judge
from judges.models.judge import NAME_TAKEN
from judges.runs.promised import Refused, watching_settings
from judges.scorers import pair_files
from judges.values.setting_fields import field_words, setting_field
from judges.values.settings import SettingsError, is_opened, may_be_none

MOST_OPEN = 5  # fields of a form; the others are folded


class KindForm(forms.ModelForm):
    """Take a judge of a study and its settings; refuse changes once the judge has been run.

    A setting has the field that its declaration makes, or the one of this class, which then takes
    the label, the help and the default from the declaration. lost_name: the judges that are named
    beforehand no more, as saving changed their settings.
    """

    lost_name: list[Judge] = []
    opens: tuple[str, ...] = ()  # the fields that are shown at once, where others than usual are

    def __init__(self, study, kind, *args, method=Judge.Method.QUESTIONS, **kwargs):
        super().__init__(*args, **kwargs)
        self.instance.study, self.instance.kind, self.instance.method = study, kind, method
        self.settings_class = self.instance.settings_class
        for name in self.settings_class.names():
            self._add_setting(name)

    @property
    def opened(self):
        """Return the fields that are shown at once: at most five, those that matter most."""
        names = self.opens or self._usually_open()
        return [self[name] for name in self.fields if name in names]

    @property
    def folded(self):
        """Return the fields that stand under "More settings"."""
        shown = {field.name for field in self.opened}
        return [self[name] for name in self.fields if name not in shown]

    @property
    def has_folded_errors(self):
        """Whether a folded field has an error, so that all are to be shown."""
        return any(field.errors for field in self.folded)

    def _usually_open(self):
        names = list(self.fields)
        if len(names) <= MOST_OPEN:
            return names
        settings = self.settings_class.names()
        matter = [name for name in settings if is_opened(self.settings_class, name)]
        first = [name for name in names if name not in settings or name in matter]
        return (first if matter else names)[:MOST_OPEN]

    def _add_setting(self, name):
        if name not in self.fields:
            self.fields[name] = setting_field(self.settings_class, name)
        else:
            for word, value in field_words(self.settings_class, name).items():
                setattr(self.fields[name], word, value)
        if self.instance.pk:
            self.initial.setdefault(name, getattr(self.instance.settings, name))

    def _post_clean(self):
        """Give the judge its settings, once it has the other fields' values."""
        super()._post_clean()
        if self.errors:
            return
        values = {name: self.cleaned_data[name] for name in self.settings_class.names()}
        try:
            self.instance.settings = {
                name: value
                for name, value in values.items()
                if value not in (None, "") or may_be_none(self.settings_class, name)
            }
        except SettingsError as error:
            for name, problem in error.problems.items():
                self.add_error(name if name in self.fields else None, problem)

    def clean(self):
        frozen = Judge.objects.filter(pk=self.instance.pk).exclude(settings_hash="")
        if self.instance.pk and frozen.exists():
            raise forms.ValidationError(
                "This judge has been run, so its settings are frozen. Make a new judge instead."
            )
        return super().clean()

    def clean_key(self):
        """Refuse a new name with invisible letters; a name that stands already may stay."""
        key = self.cleaned_data["key"]
        if key != self.instance.key:
            key = composed(key)
            try:
                refuse_unseen(key)
            except ValueError as error:
                raise forms.ValidationError(str(error)) from None
        return key

    def saved(self):
        """Save and return the judge; None with an error in the form where that is refused.

        Whether its name is taken is not looked up before: between the look and the write somebody
        else may take it.
        """
        try:
            with watching_settings(self.instance.study) as lost:
                judge = self.save()
        except IntegrityError:
            self.add_error("key", NAME_TAKEN)
            return None
        except Refused as refused:
            self.add_error(None, str(refused))
            return None
        self.lost_name = lost
        return judge


class ScorerForm(KindForm):
    """Take a judge that computes its scores: its name and the settings of its kind."""

    class Meta:
        model = Judge
        fields = ["key"]

    def __init__(self, study, kind, *args, **kwargs):
        super().__init__(study, kind, *args, **kwargs)
        if "model" in self.fields:
            self._offer_models()
        self.fields["key"].initial = Judge.Kind(kind).label.split(":")[0]

    def _offer_models(self):
        """Offer the folders there are, and where there are none a field for a name."""
        model, there = self.fields["model"], pair_files.names()
        if not there:
            model.help_text += " There: none yet."
            return
        # The folder of a judge, or of the one that it is a duplicate of, may be gone.
        kept = [self.initial["model"]] if self.initial.get("model") else []
        choices = [(name, name) for name in dict.fromkeys([*there, *kept])]
        self.fields["model"] = forms.ChoiceField(
            label=model.label, help_text=model.help_text, choices=[("", "Choose one"), *choices]
        )


class EnsembleForm(KindForm):
    """Take a judge made of other judges; never frozen, as nothing of it is stored."""

    class Meta:
        model = Judge
        fields = ["key", "members", "rule"]
        widgets = {"members": forms.CheckboxSelectMultiple}
        field_classes = {"members": forms.ModelMultipleChoiceField}

    def __init__(self, study, kind, *args, **kwargs):
        super().__init__(study, kind, *args, **kwargs)
        others = Judge.objects.filter(study=study).exclude(kind=Judge.Kind.ENSEMBLE)
        others = others.exclude(method__in=Judge.JUDGING_NOTHING)
        begun = [getattr(member, "pk", member) for member in self.initial.get("members") or []]
        self.fields["members"].queryset = others.filter(Q(archived_at=None) | Q(pk__in=begun))
        self.fields["members"].required = True

    def clean_members(self):
        members = self.cleaned_data["members"]
        if len(members) < 2:
            raise forms.ValidationError("Choose two judges or more.")
        return members
