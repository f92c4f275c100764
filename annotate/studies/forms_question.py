"""Edit a question on the questionnaire page."""

from django import forms
from django.core.validators import MaxLengthValidator
from django.db import IntegrityError, transaction

from annotate.design.versions import same_values
from annotate.models import Item, Question
from annotate.studies.edit import follow_questions
from annotate.studies.questionnaire import renumber
from annotate.values.scales import SCALES, parse_scale, scale_from_dict, spec_of
from annotate.values.scales.base import FARTHEST
from annotate.values.scales.likert import OWN
from annotate.values.texts import LONGEST, one_line_ends

OTHER_VALUES = (
    "The kind and the range of this scale stay, and the options of a choice: it has answers, or an "
    "earlier version asked it, and old values would mean something else. Retire the question and "
    "add one with another key."
)
SCALE_FIELDS = ("scale", "low", "high", "labels")


class QuestionForm(forms.ModelForm):
    """A question of a study. The words of a scale stand one a line."""

    scale = forms.ChoiceField(
        choices=[offer for kind in SCALES.values() for offer in kind.offers.items()]
    )
    low = forms.IntegerField(label="From", required=False, min_value=-FARTHEST, max_value=FARTHEST)
    high = forms.IntegerField(label="To", required=False, min_value=-FARTHEST, max_value=FARTHEST)
    labels = forms.CharField(
        label="Words, one a line",
        required=False,
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=" ".join(kind.words_help for kind in SCALES.values() if kind.words_help),
    )
    applies_to = forms.MultipleChoiceField(
        label="Asked about",
        choices=Item.Kind,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="None chosen: about every kind of item.",
    )

    class Meta:
        model = Question
        fields = [
            "text",
            "key",
            "scale",
            "low",
            "high",
            "labels",
            "required",
            "why",
            "applies_to",
        ]
        labels = {
            "text": "Wording",
            "key": "Key",
            "required": "An answer is required",
            "why": "Ask “Why?” under it",
        }
        help_texts = {
            "text": "What raters read, and judges too.",
            "key": "Its short name in files, exports and figures: lower-case letters, digits, "
            "hyphens.",
            "why": "A field for the rater’s reason, in their words.",
        }
        widgets = {"text": forms.Textarea(attrs={"rows": 2})}

    def __init__(self, study, *args, is_settled=False, **kwargs):
        """Make the form; is_settled: it has answers or is kept, so its values stay."""
        super().__init__(*args, **kwargs)
        self.instance.study = study
        self.is_settled, self.before = is_settled, self.instance.pk and self.instance.scale
        self.fields["key"].disabled = is_settled
        self.fields["text"].validators.append(MaxLengthValidator(LONGEST))
        if self.instance.pk:
            self.initial |= self._stored()

    def clean_text(self):
        return one_line_ends(self.cleaned_data["text"])

    def clean(self):
        """Set the scale, or add the errors."""
        data = super().clean()
        if "scale" not in data or any(name in self.errors for name in SCALE_FIELDS):
            return data
        if self._is_touched(data):
            try:
                scale = parse_scale(typed_spec(data), self.instance.study.language)
                self.instance.scale_spec = scale.as_dict()
            except ValueError as error:
                self.add_error("low" if data["scale"] == OWN else "labels", sentence(error))
                return data
        self._check_scale(scale_from_dict(self.instance.scale_spec))
        return data

    def _check_scale(self, scale):
        if self.is_settled and not same_values(scale, self.before):
            self.add_error("scale", OTHER_VALUES)
        if not scale.has_values and self.cleaned_data.get("why"):
            self.add_error("why", "A free text is no scale: it needs no reason beside it.")

    def _is_touched(self, data):
        """Return whether the scale was edited; a loaded label may keep its own line breaks."""
        if not self.instance.pk:
            return True
        untouched = {"low": None, "high": None, "labels": ""} | self._stored()
        return typed_spec(data) != typed_spec(untouched)

    def _stored(self):
        return as_typed(spec_of(self.instance.scale, self.instance.study.language))

    def saved(self):
        """Save and return the question, or None with the error that its key is taken.

        Not looked up before: between the look and the write somebody else may take it.
        """
        if self.instance.pk is None:
            self.instance.position = self.instance.study.questions.count()
        old = self.initial.get("key", "")
        try:
            with transaction.atomic():
                question = self.save()
        except IntegrityError:
            self.add_error("key", "This study already has a question with that key.")
            return None
        renumber(question.study)
        follow_questions(question.study, renamed=(old, question.key))
        return question


def sentence(error):
    """Turn an error of parse_scale into a sentence for a page."""
    text = str(error)
    return text[:1].upper() + text[1:] + "."


def typed_spec(data):
    """Return the typed scale in the form of study.yaml."""
    words = [line.strip() for line in one_line_ends(data["labels"]).split("\n") if line.strip()]
    if data["scale"] == OWN:
        return {"min": data["low"], "max": data["high"], "labels": words}
    name = data["scale"]
    return SCALES[name].spec_of_words(words) if name in SCALES else name


def as_typed(spec):
    """Return the fields' values of a scale."""
    if isinstance(spec, str):
        return {"scale": spec}
    if "min" in spec:
        labels = "\n".join(spec.get("labels", []))
        return {"scale": OWN, "low": spec["min"], "high": spec["max"], "labels": labels}
    ((kind, words),) = spec.items()
    return {"scale": kind, "labels": "\n".join(words)}
