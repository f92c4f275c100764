"""From an address to a report: its form, its options and, once computed, its rows from the cache.

A report is kept under a hash of the study's answers and of all options, so that it is computed
again exactly when one of these has changed.
"""

import hashlib
from functools import cached_property

from django import forms
from django.core.cache import cache

from analysis import frames
from analysis.options import Choices, OptionsForm

KEPT_FOR = 24 * 3600  # seconds
LARGEST_KEPT = 20_000  # rows


class Source:
    """A study's answers, read from the database only when something is not in the cache."""

    def __init__(self, study):
        self.study, self.reader = study, frames.Reader(study)

    @cached_property
    def answers(self):
        return self.reader.answers()

    @cached_property
    def fingerprint(self):
        return self.reader.fingerprint()

    @cached_property
    def choices(self):
        """What the options may name."""
        return self.kept("choices", lambda: Choices.of(self.answers))

    def kept(self, name, make):
        """The cached value of this name for these answers, else a new one."""
        words = f"{self.study.pk} {self.fingerprint} {name}"
        key = f"report-{hashlib.sha256(words.encode()).hexdigest()}"
        value = cache.get(key)
        if value is None:
            value = make()
            if len(getattr(value, "rows", ())) <= LARGEST_KEPT:
                cache.set(key, value, KEPT_FOR)
        return value


class ReportForm(OptionsForm):
    """The options of a report page, and what the page shows of it."""

    def __init__(self, data, source, kind):
        self.shown = kind.shown(source.reader.questions)
        self.idle = {"exclude", *kind.idle}
        super().__init__(data, source.choices)
        if self.shown.choices and not self.data.get(self.shown.name):
            self.data[self.shown.name] = self.shown.choices[0][0]
        field = forms.ChoiceField(
            choices=self.shown.choices, label=self.shown.label, required=bool(self.shown.choices)
        )
        self.fields = {self.shown.name: field} | self.fields

    @property
    def asked(self):
        """The fields that the report takes notice of, without the items left out."""
        return [field for field in self if field.name not in self.idle]

    @property
    def chosen(self):
        return self.cleaned_data[self.shown.name]

    def query_string(self):
        """The query string that reproduces the page."""
        return self.options().query_string(**{self.shown.name: self.chosen})


def report_of(source, form, kind):
    """The report that a valid form asks for, from the cache or computed."""
    name = f"{kind.name} {form.query_string()}"
    return source.kept(name, lambda: kind.part(source.answers, form.options(), form.chosen))
