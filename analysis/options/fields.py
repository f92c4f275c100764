"""Define the form fields of a report's options."""

from django import forms

LARGEST = 1e9  # number that may be put in for a missing one


class DropOrNumber(forms.FloatField):
    """A field for the word drop, which becomes None, or a number that is put in."""

    widget = forms.TextInput
    default_error_messages = {"invalid": "Use drop, or the number to put in."}

    def to_python(self, value):
        return None if str(value or "drop").strip() == "drop" else super().to_python(value)

    def __init__(self, **options):
        super().__init__(min_value=-LARGEST, max_value=LARGEST, **options)


class ConditionsField(forms.MultipleChoiceField):
    """A field for any number of column=value, each of them true of some item."""

    def to_python(self, values):
        return [text.strip() for text in values or [] if text.strip()]

    def validate(self, values):
        """Accept any list: the form checks the values, as it has the items."""
