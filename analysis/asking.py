"""From an address to a report: its form, its options and, once computed, its rows from the cache.

A report is kept under a hash of the study's answers and of all options, so that it is computed
again exactly when one of these has changed.
"""

import hashlib
from dataclasses import dataclass
from functools import cached_property

from django import forms
from django.core.cache import cache

from analysis import frames
from analysis.options import Choices, OptionsForm
from analysis.reports.labels import ORDERED

KEPT_FOR = 24 * 3600  # seconds
LARGEST_KEPT = 20_000  # rows
COEFFICIENTS = {"pearson": "Pearson's r", "spearman": "Spearman's ρ", "kendall": "Kendall's τ-b"}
MEASURES = {
    "alpha_ordinal": "Krippendorff's α, ordinal",
    "alpha_nominal": "Krippendorff's α, nominal",
    "alpha_interval": "Krippendorff's α, interval",
    "percent": "percent agreement",
    "kappa": "Cohen's κ",
    "kappa_linear": "Cohen's κ, linear",
    "kappa_quadratic": "Cohen's κ, quadratic",
    "icc_1_1": "ICC(1)",
    "icc_a_1": "ICC(A,1)",
    "icc_c_1": "ICC(C,1)",
    "icc_1_k": "ICC(k)",
    "icc_a_k": "ICC(A,k)",
    "icc_c_k": "ICC(C,k)",
}

# Options without a meaning for a report: they are not asked for on its page.
IDLE = {
    "correlation": ["threshold"],
    "agreement": ["threshold", "undefined", "missing_reference"],
    "roc": ["undefined"],
    "confusion": ["undefined", "draws", "seed"],
}


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


@dataclass(frozen=True)
class Shown:
    """The part of a report that its page shows: which field chooses it, and among what."""

    name: str
    label: str
    choices: list

    def build(self, kind, answers, options, chosen):
        """The report with no more numbers than the page shows."""
        return kind.build(answers, options, [chosen] if chosen else None)


def shown(source, kind):
    """What one may choose to see of a report, the first choice being the usual one."""
    if kind.name == "correlation":
        return Shown("coefficient", "Coefficient", list(COEFFICIENTS.items()))
    if kind.name == "agreement":
        return Shown("measure", "Measure with judges", list(MEASURES.items()))
    kinds = ORDERED if kind.name == "roc" else ("likert", "binary", "choice")
    keys = [question.key for question in source.reader.questions if question.scale.kind in kinds]
    return Shown("question", "Question", [(key, key) for key in keys])


class ReportForm(OptionsForm):
    """The options of a report page, and what the page shows of it."""

    def __init__(self, data, source, kind):
        self.shown, self.idle = shown(source, kind), {"exclude", *IDLE[kind.name]}
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
    return source.kept(
        name, lambda: form.shown.build(kind, source.answers, form.options(), form.chosen)
    )
