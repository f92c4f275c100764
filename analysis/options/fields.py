"""Define the form fields of a report's options."""

from django import forms

from annotate.values.texts import composed

LARGEST = 1e9  # number that may be put in for a missing one


class DropOrNumber(forms.FloatField):
    """A field for the word drop, which becomes None, or a number that is put in."""

    widget = forms.TextInput
    default_error_messages = {"invalid": "Use drop, or the number to put in."}

    def to_python(self, value):
        return None if str(value or "drop").strip() == "drop" else super().to_python(value)

    def __init__(self, **options):
        super().__init__(min_value=-LARGEST, max_value=LARGEST, **options)


class WordOrNumber(forms.FloatField):
    """A field for a number, or a word that stands for one (or for None)."""

    widget = forms.TextInput

    def __init__(self, words, **options):
        """Set up the field. words: {word: its value}."""
        super().__init__(required=False, **options)
        self.words = words
        self.error_messages["invalid"] = f"Use {', '.join(words)}, or a number."

    def to_python(self, value):
        word = str(value or "").strip()
        return self.words[word] if word in self.words else super().to_python(value)


class ConditionsField(forms.MultipleChoiceField):
    """A field for any number of column=value, each of them true of some item."""

    def __init__(self, columns, **options):
        """Set up the field. columns: {name: values} of the study's items."""
        super().__init__(**options)
        self.columns = columns

    def to_python(self, values):
        return [text.strip() for text in values or [] if text.strip()]

    def validate(self, values):
        """Accept any list: `clean` checks each condition."""

    def clean(self, value):
        return tuple(self._column_and_value(text) for text in super().clean(value))

    def _column_and_value(self, text):
        column, equals, value = text.partition("=")
        if not equals or column not in self.columns:
            raise forms.ValidationError(
                f"Found {text!r}; use column=value with one of the columns "
                f"{', '.join(self.columns)}."
            )
        values = self.columns[column]
        if value not in values:
            value = composed(value)  # as ids are; extra columns stay as they were loaded
        if value not in values:
            shown = ", ".join(str(value) or "(blank)" for value in values[:20])
            raise forms.ValidationError(
                f"No item has {text}; values of {column} are {shown}{' …' * (len(values) > 20)}."
            )
        return column, value
