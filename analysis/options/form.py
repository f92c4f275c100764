"""Parse the options of reports, once, from a query string or a command's arguments."""

from django import forms
from django.http import QueryDict

from analysis.options.declare import declared
from annotate.values.texts import composed

MOST_SUGGESTED = 40  # values of a column that are offered one by one
CONDITIONS = ("exclude", "only")


class OptionsForm(forms.Form):
    """Options of reports on one study; every error says what was given and what is allowed."""

    def __init__(self, data, choices, asked):
        """Set up the form. asked: {name: Option} of what it asks for; choices: of the study."""
        merged = data.copy()
        self.left_out = {name: option for name, option in asked.items() if not data.get(name)}
        for name, option in self.left_out.items():
            if usual := option.usual(choices):
                merged[name] = usual
        super().__init__(merged)
        self.choices = choices
        self.fields |= {name: option.make_field(choices) for name, option in asked.items()}
        for name, field in self.fields.items():
            offered = {value for value, _ in getattr(field, "choices", ())}
            if offered and data.get(name):  # names are in one form of Unicode, as ids are
                texts = merged.getlist(name)
                merged.setlist(name, [t if t in offered else composed(t) for t in texts])

    @property
    def conditions(self):
        """Yield (field, texts asked for and one empty text) of exclude and only."""
        for name in CONDITIONS:
            yield self[name], [*filter(str.strip, self.data.getlist(name)), ""]

    @property
    def suggestions(self):
        """Return column=value for the columns with few values."""
        return [
            f"{column}={value}"
            for column, values in self.choices.filters.items()
            if 1 < len(values) <= MOST_SUGGESTED
            for value in values
        ]

    def clean_judges(self):
        """Return the names of the chosen judges, in the order of the study."""
        chosen = set(self.cleaned_data["judges"])
        return tuple(name for name in self.choices.judges if name in chosen)

    def clean_other(self):
        """Return the evaluator to compare with; nobody is compared with itself."""
        other = self.cleaned_data["other"]
        if other and other in self.cleaned_data.get("of", ()):
            raise forms.ValidationError(
                f"Found “{other}” on both sides; choose two different evaluators."
            )
        return other

    def options(self, options_class):
        """Return a valid form's values as options of a class; the form asks for all of them.

        What was not given is what is usual in that class, of which the form may be one of many.
        """
        own = declared(options_class)
        return options_class(**{name: self._value(name, option) for name, option in own.items()})

    def _value(self, name, option):
        if name not in self.left_out or option == self.left_out[name]:
            return self.cleaned_data[name]
        return option.make_field(self.choices).clean(option.usual(self.choices))

    def errors_in_words(self):
        """Return one line per error, each naming its option."""
        return [
            f"{name}: {message}" if name in self.fields else message
            for name, messages in self.errors.items()
            for message in messages
        ]


def query(values):
    """Return option values by name (lists for repeated options) as the form reads them."""
    data = QueryDict(mutable=True)
    for name, value in values.items():
        if isinstance(value, list):
            data.setlist(name, value)
        elif value is not None:
            data[name] = str(value)
    return data
