"""Make the form field of a judge's setting from its declaration."""

from django import forms

from annotate.files.reading.faults import choices_of, limit_of
from judges.values.settings import label_of, may_be_empty, may_be_none

NUMBERS: dict = {
    int: forms.IntegerField,
    float: forms.FloatField,
    float | None: forms.FloatField,
}


def setting_field(settings_class, name):
    """Return the form field of a setting, with its label, help, range and default."""
    declared = settings_class.model_fields[name]
    kind, more = declared.annotation, field_words(settings_class, name)
    if kind is bool:
        return forms.BooleanField(required=False, **more)
    more["required"] = not (may_be_empty(settings_class, name) or may_be_none(settings_class, name))
    if choices := choices_of(settings_class, name):
        return forms.ChoiceField(choices=choices, **more)
    if kind in NUMBERS:
        low, high = (limit_of(settings_class, name, which) for which in ("ge", "le"))
        return NUMBERS[kind](min_value=low, max_value=high, **more)
    return forms.CharField(max_length=limit_of(settings_class, name, "max_length"), **more)


def field_words(settings_class, name):
    """Return the label, the help and the default of a setting as a form field takes them."""
    declared = settings_class.model_fields[name]
    return {
        "label": label_of(settings_class, name),
        "help_text": declared.description or "",
        "initial": declared.get_default(call_default_factory=True),
    }
