"""Estimate what people's ratings differ by, and how reliable the mean of K raters is."""

from dataclasses import dataclass
from math import ceil, isnan, nan

import numpy as np

from analysis.answers.repeats import people_twice
from analysis.figures.frame import INK
from analysis.figures.layout import Figure, Layout, cell_of, cross_table, interval_cell, listing
from analysis.figures.lines import bars, series
from analysis.figures.looks import PEOPLE
from analysis.options.choices import ALL
from analysis.options.common import Drawn, Referenced
from analysis.reports.base import columns_of, reasons_of
from analysis.reports.kind import of_questions
from analysis.reports.shared.evaluators import policy_notes
from analysis.reports.shared.labels import MOST_LABELS, labels_of
from analysis.reports.shared.measured import MeasuredReport
from analysis.reports.words import notes_beside, worded
from analysis.stats.agreement.cohen_kappa import cohen_kappa
from analysis.stats.agreement.icc import icc
from analysis.stats.agreement.percent_agreement import percent_agreement
from analysis.stats.agreement.variance_components import (
    generalisability,
    shares,
    usable_factors,
    variance_components,
)
from analysis.stats.estimate import Estimate
from analysis.stats.intervals.bootstrap import are_alike, draw_counts
from analysis.stats.intervals.clustered_mean import clustered_mean
from analysis.stats.intervals.jackknife import MOST_BLOCKS, jackknife

say = notes_beside(__file__, "variance")
COMPONENT, GENERALISABILITY, RETEST = PARTS = "component", "generalisability", "retest"
RATER, RESIDUAL = "rater", "residual"
OF_ITEMS = ("recipient", "content", "system", "item")
RATERS = range(1, 11)
RELATIVE, ABSOLUTE = COEFFICIENTS = "relative", "absolute"
VARIANCE, SHARE = "variance", "share"
ENOUGH = 0.8  # a usual aim for the coefficient
MOST_NEEDED = 1000
RETESTS = {
    "exact_agreement": "the same answer again",
    "kappa_quadratic": "κ, quadratic weights",
    "icc_a_1": "ICC(A,1)",
    "mean_change": "mean absolute change",
}
OF_COMPONENTS = {
    "How many": lambda entry: entry.row["levels"],
    "Variance": lambda entry: worded(entry.row),
    "Share": lambda entry: interval_cell(entry.row, "share"),
    "Why none": lambda entry: entry.reason.removeprefix(f"{entry.row['component']}: ") or "–",
}
OF_RETESTS = {
    "Value": lambda entry: worded(entry.row, 2),
    "Answers": lambda entry: entry.row["n"],
    "People": lambda entry: entry.row["levels"],
    "Why none": lambda entry: entry.reason or "–",
}


@dataclass(frozen=True, kw_only=True)
class VarianceOptions(Referenced, Drawn):
    """Options of a report on the raters of one role."""


class Variance(MeasuredReport):
    """Components, the coefficients of the mean of K raters, and people's own test–retest."""

    name, title, options = "variance", "Variance", VarianceOptions
    named_by, of_judges = ("part", "question", "component"), False
    list_parts = staticmethod(of_questions(lambda scale: scale.is_ordered))

    def measure(self, report, scores, keys):
        asked = [q for q in scores.questions if q.scale.is_ordered and (not keys or q.key in keys)]
        designs = [_Design(scores, question) for question in asked]
        for design in designs:
            _add_design(report, design, scores.options)
        _add_retests(report, scores, asked)
        return [
            *policy_notes(scores, compared=False)[:1],
            say("components"),
            say("item"),
            *_interval_notes(designs, scores.options),
            say("relative"),
        ]

    def layout(self, report, question, looks):
        """Return the page of one question: components, generalisability and test–retest."""
        components, coefficients, retests = (
            [entry for entry in report.entries if entry.kind == part] for part in PARTS
        )
        figures = []
        defined = [e.row for e in components if not isnan(e.row["share"])]
        if defined:
            rows = [(r["component"], r["share"], r["share_low"], r["share_high"]) for r in defined]
            plot = bars(rows, f"Share of the variance (n = {defined[0]['n']:,} ratings)")
            caption = f"{question}: what the ratings differ by. Lines: 95 % intervals."
            figures.append(Figure("components", caption, plot))
        if any(not isnan(entry.row["value"]) for entry in coefficients):
            figures.append(_curve(coefficients, question))
        cells = {(e.row["raters"], e.row["component"].title()): cell_of(e) for e in coefficients}
        caption = f"{question}: variance components of people's ratings."
        names = [entry.row["component"] for entry in components]
        by_component = listing(caption, "Component", names, components, OF_COMPONENTS)
        by_k = cross_table(f"{question}: generalisability of the mean of K raters.", "K", cells)
        caption = f"{question}: people who were shown an item twice."
        names = [RETESTS[entry.row["component"]] for entry in retests]
        twice = listing(caption, "Measure", names, retests, OF_RETESTS)
        return Layout(figures, [by_component, by_k, twice])


class _Design:
    """The ratings of one question: values and clusters (N,), codes by factor, what to expect.

    usable: factors whose variance can be told apart; reasons: why the others' cannot.
    """

    def __init__(self, scores, question):
        self.key, self.raters_per_item = question.key, scores.answers.study.raters_per_item
        place, reference = scores.questions.index(question), scores.options.reference
        ratings = scores.ratings(place, reference)
        items, raters = np.nonzero(~np.isnan(ratings))
        self.values, self.clusters = ratings[items, raters], scores.clusters[items]
        codes = {name: scores.codes(name) for name in ("recipient", "content", "system")}
        codes["item"] = np.arange(len(ratings))
        present = {name: of[items] for name, of in codes.items() if not (of < 0).all()}
        self.codes = {RATER: raters} | present
        self.usable, self.reasons = usable_factors(self.codes, len(items))
        self.reasons |= {name: f"no item has a {name}" for name in codes if name not in present}

    @property
    def names(self):
        """Name the facts in their order: (variance or share, factor), then (K, coefficient)."""
        factors = [*self.usable, RESIDUAL]
        components = [(part, name) for part in (VARIANCE, SHARE) for name in factors]
        return components + [(k, name) for k in RATERS for name in COEFFICIENTS]

    def facts(self, rows=slice(None)):
        """Return components, shares, and the coefficients of each K, as one array."""
        components = variance_components(
            self.values[rows], [self.codes[n][rows] for n in self.usable]
        )
        coefficients = [generalisability(*self.sides(components), k) for k in RATERS]
        return np.concatenate([components, shares(components), np.ravel(coefficients)])

    def sides(self, components):
        """Return the variance of items, of raters and of the rest, those below 0 as 0.

        That of items is NaN where it cannot be estimated.
        """
        named = dict(zip([*self.usable, RESIDUAL], np.maximum(components, 0.0), strict=True))
        of_items = [named[name] for name in OF_ITEMS if name in named]
        return sum(of_items) if of_items else nan, named.get(RATER, 0.0), named[RESIDUAL]

    def estimates(self, options):
        """Return {name: Estimate} of the facts, their intervals all from one jackknife."""
        n, facts = len(self.values), self.facts()
        halves, blocks = np.full(len(facts), nan), None
        if options.draws and not np.isnan(facts).all():
            halves, blocks = jackknife(self.facts, self.clusters)
        unsolved = "the factors cannot be told apart" if n > 1 else "too few ratings"
        unknown = {VARIANCE: unsolved, SHARE: "no variance is above 0"}
        estimates = {}
        for (part, name), value, half in zip(self.names, facts, halves, strict=True):
            reason = "" if blocks is None else _why_no_interval(value, half, blocks)
            if isnan(value):
                reason = unknown.get(part, "no variance of items could be estimated")
            ends = np.array([-half, half]) + (nan if reason else value)
            low, high = ends if part == VARIANCE else np.clip(ends, 0, 1)
            estimates[part, name] = Estimate(
                float(value), float(low), float(high), n, reason=reason
            )
        return estimates


def _why_no_interval(value, half, blocks):
    if isnan(half):
        single, unstable = "all ratings are in one block", "undefined without one of the blocks"
        return f"no interval: {single if blocks < 2 else unstable}"
    alike = are_alike(value, value + half)
    return "no interval: the same without any of the blocks" if alike else ""


def _add_design(report, design, options):
    """Add the components and coefficients of a question, and what they imply for K."""
    estimates = design.estimates(options)
    for name in [*design.usable, RESIDUAL]:
        levels = len(np.unique(design.codes[name])) if name in design.codes else None
        own = estimates[VARIANCE, name], estimates[SHARE, name]
        _add(report, COMPONENT, design.key, name, *own, levels=levels)
    for name in (RATER, *OF_ITEMS):
        if name in design.reasons:
            none = Estimate(nan, n=len(design.values), reason=f"{name}: {design.reasons[name]}")
            _add(report, COMPONENT, design.key, name, none)
    for k in RATERS:
        for name in COEFFICIENTS:
            _add(report, GENERALISABILITY, design.key, name, estimates[k, name], raters=k)
    components = [estimates[VARIANCE, name].value for name in [*design.usable, RESIDUAL]]
    unit, rater, residual = design.sides(components)
    if unit > 0:
        k = design.raters_per_item
        reached = generalisability(unit, rater, residual, k).absolute
        needed = ceil(ENOUGH / (1 - ENOUGH) * (rater + residual) / unit - 1e-9)
        many = f"{max(needed, 1)}" if needed <= MOST_NEEDED else f"more than {MOST_NEEDED:,}"
        facts = {"k": k, "reached": reached, "enough": ENOUGH, "many": many}
        report.verdict.append(say("reached", question=design.key, **facts))


def _add(report, part, question, component, estimate, share=None, raters=None, levels=None):
    lacks_share = share is None or isnan(estimate.value)
    reason = estimate.reason if lacks_share else reasons_of({VARIANCE: estimate, SHARE: share})
    first = {"part": part, "question": question, "component": component, "raters": raters}
    last = columns_of("share", share or Estimate(nan)) | {"levels": levels, "n": estimate.n}
    report.add_estimate(first, estimate, last, kind=part, reason=reason)


def _add_retests(report, scores, questions):
    """Add how far people repeat their answers to an item shown twice; clusters are people."""
    options, kept = scores.options, set(scores.item_ids)
    role = None if options.reference == ALL else options.reference
    twice = people_twice(scores.answers.study, role, options.version) if questions else []
    for question in questions:
        rows = [row for row in twice if row[1] in kept and row[2] == question.pk]
        levels = len({row[0] for row in rows}) or None
        for name, estimate in _retests(rows, question, options).items():
            _add(report, RETEST, question.key, name, estimate, levels=levels)


def _retests(rows, question, options):
    """Return {measure: Estimate} of answers given twice: (rater, item, question, both values)."""
    if not rows:
        return dict.fromkeys(RETESTS, Estimate(nan, reason="no item was repeated"))
    both = np.array([row[3:5] for row in rows], dtype=float)
    _, raters = np.unique([row[0] for row in rows], return_inverse=True)
    resampling, points = {}, labels_of(question)
    if options.draws:
        rng = np.random.default_rng(options.seed)
        counts = draw_counts(int(raters.max()) + 1, options.draws, rng)
        resampling = {"clusters": raters, "counts": counts}
    kappa = Estimate(nan, n=len(both), reason="κ needs a scale of two to eleven points")
    if 1 < len(points) <= MOST_LABELS:
        kappa = cohen_kappa(both, points, weights="quadratic", **resampling)
    return {
        "exact_agreement": percent_agreement(both, **resampling),
        "kappa_quadratic": kappa,
        "icc_a_1": icc(both, "A,1", **resampling),
        "mean_change": clustered_mean(np.abs(both[:, 1] - both[:, 0]), **resampling),
    }


def _interval_notes(designs, options):
    if not options.draws:
        return [say("no_draws")]
    blocks = max([min(len(np.unique(d.clusters)), MOST_BLOCKS) for d in designs], default=0)
    how = say("intervals", blocks=blocks, draws=options.draws, seed=options.seed)
    return [how, say("few_blocks")] if 0 < blocks < MOST_BLOCKS else [how]


def _curve(entries, question):
    """Draw both coefficients over the number of raters."""
    lines = []
    for name, colour in ((RELATIVE, PEOPLE), (ABSOLUTE, INK)):
        rows = [entry.row for entry in entries if entry.row["component"] == name]
        lines.append((name, colour, [(r["raters"], r["value"], r["low"], r["high"]) for r in rows]))
    title = f"Coefficient (n = {entries[0].row['n']:,} ratings)"
    caption = (
        f"{question}: how far the mean of K raters stands for all raters; relative where the same "
        "raters rate all items, absolute where each item has its own. Lines: 95 % intervals."
    )
    plot = series(lines, "Raters per item", title, [-0.02, 1.02])
    return Figure("generalisability", caption, plot)


KIND = Variance().kind()
