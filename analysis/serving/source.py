"""Turn an address into a report: its form, its options and its rows, computed or from the cache.

A report is kept under a hash of the study's answers, its pay, all options and the code that
computes it, so that it is computed again exactly when one of these has changed.
"""

import hashlib
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from django import forms
from django.core.cache import caches
from django.utils import timezone

from analysis.answers import frame
from analysis.options.choices import Choices, part_asked, version_asked
from analysis.options.declare import declared
from analysis.options.form import CONDITIONS, OptionsForm
from analysis.reports.registry import EVERY_OPTION, KINDS
from analysis.serving.grouping import computed
from annotate.design.payment import pay_of

KEPT_FOR = 24 * 3600  # seconds
LARGEST_KEPT = 200_000  # rows
MOST_NAMED = 5  # unknown options in a sentence
# What an address of a report may say beside its options and its part.
OF_PAGE = ("group_page", "page")
# Options that are told whatever they are, and how.
TOLD = {"reference": "{}", "retention": "{} to be kept", "draws": "{} draws"}


@cache
def code():
    """Return a hash of code and texts of reports: another version's results do not count."""
    root = Path(__file__).parent.parent.parent
    folders = ("analysis", "annotate", "judges")
    paths_by_kind = [
        (root / name).rglob(f"*.{kind}") for name in folders for kind in ("py", "yaml")
    ]
    files = [file for paths in paths_by_kind for file in sorted(paths)]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


@dataclass(frozen=True)
class Kept:
    """A result with the time it was computed and the moment that its data are of."""

    value: Any
    read_at: datetime
    computed_at: datetime


class Source:
    """A study's answers, read from the database only when something is not in the cache.

    Made and used within `one_moment`: the answers are then those of the hash.
    """

    def __init__(self, study, asked=None):
        """Set up reading. asked: the options of an address; version and part say what is read."""
        self.study, self.asked = study, asked or {}
        self.had_no_worker = False  # a large report was computed here for want of one
        self.reader = frame.Reader(study, *which(study, self.asked))
        self.read_at = timezone.now()
        self._stamps: dict = {}
        self._found: dict = {}
        self._made: dict = {}

    @cached_property
    def answers(self):
        return self.reader.answers()

    @cached_property
    def fingerprint(self):
        return self.reader.fingerprint()

    @cached_property
    def choices(self):
        """Return what the options may name."""
        return self.kept("choices", lambda: Choices.from_answers(self.answers))

    def stamp(self, kind):
        """Return a text that changes with all else that a kind of report reads; built once."""
        if kind.name not in self._stamps:
            watched = kind.watch and kind.watch(self.reader)
            self._stamps[kind.name] = watched or kind.stamp(self.study)
        return self._stamps[kind.name]

    def key(self, name):
        """Return the hash of a name, these answers, and the code."""
        study = self.study
        settings = pay_of(study), study.items_per_session, study.raters_per_item, study.extra
        words = f"{code()} {study.pk} {self.fingerprint} {settings} {name}"
        return hashlib.sha256(words.encode()).hexdigest()

    def has(self, name):
        """Return whether a value of this name is kept for these answers; a value read stays."""
        return self._look_up(self.key(name)) is not None

    def kept(self, name, make):
        """Return the kept value of this name for these answers, else make and keep one."""
        key = self.key(name)
        entry = self._look_up(key)
        if entry is None:
            value = make()
            entry = self._made[key] = Kept(value, self.read_at, timezone.now())
            if len(getattr(value, "rows", ())) <= LARGEST_KEPT:
                caches["reports"].set(key, entry, KEPT_FOR, version=self.study.pk)
        return entry.value

    def when(self, name):
        """Return the Kept of this name, once `has` or `kept` was asked for it; else None."""
        key = self.key(name)
        return self._found.get(key) or self._made.get(key)

    def _look_up(self, key):
        if key not in self._found:
            entry = caches["reports"].get(key, version=self.study.pk)
            if entry is not None:
                self._found[key] = entry
        return self._found.get(key)


def which(study, asked):
    """Return the (version, part) of the answers that options by name ask for."""
    return version_asked(study, asked.get("version")), part_asked(study, asked.get("part"))


class ReportForm(OptionsForm):
    """The options of a report page, and the choice of what the page shows of it."""

    def __init__(self, data, source, kind):
        self.kind = kind
        self.shown = kind.list_parts(source.reader.questions)
        parts = {other.list_parts([]).name for other in KINDS}
        self.unknown = sorted({*data} - {*EVERY_OPTION, *parts, *OF_PAGE})
        self.aside = {*CONDITIONS}
        if not source.choices.weighted:
            self.aside.add("weighted")
        if source.study.questionnaire_version == 1:
            self.aside.add("version")
        if source.choices.split is None:
            self.aside.add("part")
        super().__init__(data, source.choices, declared(kind.options))
        if self.shown.choices and not self.data.get(self.shown.name):
            self.data[self.shown.name] = self.shown.choices[0][0]
        field = forms.ChoiceField(
            choices=self.shown.choices, label=self.shown.label, required=bool(self.shown.choices)
        )
        self.fields = {self.shown.name: field} | self.fields

    def clean(self):
        """Refuse names that are no report's option: a number would not be of what was asked."""
        if self.unknown:
            names = ", ".join(f"“{name[:40]}”" for name in self.unknown[:MOST_NAMED])
            allowed = ", ".join([self.shown.name, *declared(self.kind.options)])
            raise forms.ValidationError(f"Found the option {names}; allowed are {allowed}.")
        return super().clean()

    @property
    def folded(self):
        """List the options with a choice in this study, without the conditions on items."""
        open_ones = (self.shown.name, *self.kind.in_front)
        return [field for field in self if field.name not in (*self.aside, *open_ones)]

    @property
    def in_front(self):
        """Yield (field, its texts) of the options that stand open; one more of what may repeat."""
        options = declared(self.kind.options)
        for name in self.kind.in_front:
            texts = self._given(name)
            yield self[name], [*texts, ""] if options[name].is_repeated else texts or [""]

    @property
    def evaluator_names(self):
        """Return the names of evaluators that the page suggests, if it asks for any."""
        return next((f.names for f in self.fields.values() if hasattr(f, "names")), [])

    @property
    def part_shown(self):
        """Return the field that chooses the part of the report; None where there is no choice."""
        return self[self.shown.name] if self.shown.choices else None

    @property
    def in_words(self):
        """Say the options in a sentence: the usual ones that matter most, and all changed ones."""
        told = [
            self._say(name)
            for name, option in declared(self.kind.options).items()
            if name not in self.kind.in_front
            and (name in TOLD or self._given(name) != [*filter(None, [option.usual(self.choices)])])
        ]
        return f"{', '.join(told)}; the others as usual" if told else "as usual"

    def _given(self, name):
        return [text for text in self.data.getlist(name) if text.strip()]

    def _say(self, name):
        """Write one option: its value, with its label unless the value speaks for itself."""
        labels = {str(value): label for value, label in getattr(self.fields[name], "choices", ())}
        values = ", ".join(labels.get(text, text) for text in self._given(name)) or "none"
        if name == "draws" and values.isdecimal():
            values = f"{int(values):,}"
        if name in TOLD:
            return TOLD[name].format(values[0].lower() + values[1:])
        label = self.fields[name].label.split(" (")[0]
        return f"{label[0].lower()}{label[1:]}: {values}"

    @property
    def chosen(self):
        """Return the part of the report that the page shows, such as a question."""
        return self.cleaned_data[self.shown.name]

    def options(self):
        """Return a valid form's values as its report's options."""
        return super().options(self.kind.options)

    def query_string(self):
        """Return the query string that reproduces the page."""
        return self.options().query_string(**{self.shown.name: self.chosen})


def name_of(source, form, kind):
    """Return the name under which the report that a valid form asks for is kept."""
    return f"{kind.name} {source.stamp(kind)} {form.query_string()}"


def report_of(source, form, kind):
    """Return the report that a valid form asks for, from the cache or computed."""
    parts = [form.chosen] if form.chosen else None
    return _kept(source, kind, form.options(), form.query_string(), parts)


def is_kept(source, form, kind):
    """Return whether the report that a valid form asks for is there already."""
    return source.has(name_of(source, form, kind))


def whole_report_of(source, options, kind):
    """Return the report with every part, as `manage.py analyse` gives it."""
    return _kept(source, kind, options, f"whole {options.query_string()}")


def _kept(source, kind, options, query, parts=None):
    beside = source.stamp(kind)

    def compute():
        return computed(kind, replace(source.answers, beside=beside), options, parts)

    return source.kept(f"{kind.name} {beside} {query}", compute)
