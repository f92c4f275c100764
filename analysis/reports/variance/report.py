"""Estimate what people's ratings differ by, and how reliable the mean of K raters is."""

from dataclasses import dataclass

import numpy as np

from analysis.answers.repeats import people_twice
from analysis.options.choices import ALL
from analysis.reports.base import Report, draw_notes, reason_notes, reasons_of
from analysis.reports.shared.evaluators import policy_notes
from analysis.reports.shared.labels import MOST_LABELS, labels_of
from analysis.reports.shared.scores import Scores
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

COMPONENT, GENERALISABILITY, RETEST = "component", "generalisability", "retest"
RATER, RESIDUAL = "rater", "residual"
OF_ITEMS = ("recipient", "content", "system", "item")
FACTORS = (RATER, *OF_ITEMS)
RATERS = range(1, 11)
ENOUGH = 0.8  # a usual aim for the coefficient
MOST_NEEDED = 1000
NEVER_TWICE = "no item was repeated"
MEASURES = ("exact_agreement", "kappa_quadratic", "icc_a_1", "mean_change")
NO_SHARE = "no variance is above 0"
ONE_BLOCK = "no interval: all ratings are in one block"
UNSTABLE = "no interval: undefined without one of the blocks"
ALIKE = "no interval: the same without any of the blocks"


def variance(answers, options, parts=None, retest=True):
    """Compute components, coefficients of K raters, and people's own test–retest.

    parts: keys of questions, all where none are named.
    """
    scores = Scores(answers, options)
    report = Report("variance", answers.study.slug, options.as_dict())
    places = [
        place
        for place, question in enumerate(scores.questions)
        if question.scale.is_ordered and (not parts or question.key in parts)
    ]
    designs = [_design(scores, place) for place in places]
    for design in designs:
        _add_components(report, design, options)
    if retest and places:
        _add_retest(report, scores, places)
    report.verdict = [sentence for design in designs for sentence in _verdict(report, design)]
    report.notes = [
        *policy_notes(scores, compared=False)[:1],
        *_notes(designs, options),
        *draw_notes(report, options.draws),
        *reason_notes(report, ["part", "question", "component"]),
    ]
    return report


@dataclass
class _Design:
    """The ratings of one question: values and clusters (N,), codes by factor, and what to expect.

    usable: factors whose variance can be told apart; reasons: why the others' cannot.
    """

    key: str
    values: np.ndarray
    codes: dict
    clusters: np.ndarray
    usable: list
    reasons: dict
    raters_per_item: int


def _design(scores, place):
    ratings = scores.ratings(place, scores.options.reference)
    items, raters = np.nonzero(~np.isnan(ratings))
    codes = {RATER: raters}
    own = {
        "recipient": scores.recipients,
        "system": scores.systems,
        "item": np.arange(len(ratings)),
    }
    contents = scores.items["content"].cat
    own["content"] = np.where(contents.categories[contents.codes] == "", -1, contents.codes)
    reasons = {}
    for name in OF_ITEMS:
        if (own[name] < 0).all():
            reasons[name] = f"no item has a {name}"
        else:
            codes[name] = own[name][items]
    usable, others = usable_factors(codes, len(items))
    return _Design(
        scores.questions[place].key,
        ratings[items, raters],
        codes,
        scores.clusters[items],
        usable,
        reasons | others,
        scores.answers.study.raters_per_item,
    )


def _add_components(report, design, options):
    """Add components, shares and coefficients with their intervals, all from one jackknife."""
    n_factors = len(design.usable) + 1
    facts = _facts(design, np.ones(len(design.values), dtype=bool))
    half, blocks = np.full(len(facts), np.nan), None
    if options.draws and not np.isnan(facts).all():
        half, blocks = jackknife(lambda rows: _facts(design, rows), design.clusters)
    unsolved = "the factors cannot be told apart" if len(design.values) > 1 else "too few ratings"
    for place, name in enumerate([*design.usable, RESIDUAL]):
        value, share = (
            _estimate(facts[number], half[number], len(design.values), unknown, blocks)
            for number, unknown in ((place, unsolved), (n_factors + place, NO_SHARE))
        )
        levels = len(np.unique(design.codes[name])) if name in design.codes else None
        _row(report, COMPONENT, design.key, name, value, share=share, levels=levels)
    for name in FACTORS:
        if name in design.reasons:
            reason = f"{name}: {design.reasons[name]}"
            none = Estimate(np.nan, n=len(design.values), reason=reason)
            _row(report, COMPONENT, design.key, name, none)
    _add_coefficients(report, design, facts[2 * n_factors :], half[2 * n_factors :], blocks)


def _add_coefficients(report, design, facts, half, blocks):
    n, unknown = len(design.values), "no variance of items could be estimated"
    for place, k in enumerate(RATERS):
        for column, name in enumerate(("relative", "absolute")):
            where = 2 * place + column
            estimate = _estimate(facts[where], half[where], n, unknown, blocks, limit=True)
            _row(report, GENERALISABILITY, design.key, name, estimate, raters=k)


def _estimate(value, half, n, unknown, blocks, limit=False):
    """Return a value with its jackknife interval ± half, or with why it has none.

    unknown: why, where the value is NaN; blocks: left out in turn, None where none were.
    """
    reason = unknown if np.isnan(value) else _why_none(value, half, blocks)
    if reason:
        return Estimate(float(value), n=n, reason=reason)
    low, high = value - half, value + half
    if limit:
        low, high = np.clip([low, high], 0, 1)
    return Estimate(float(value), float(low), float(high), n=n)


def _why_none(value, half, blocks):
    """Return why the jackknife gives no interval; blank if it does, or was not asked."""
    if blocks is None:
        return ""
    if np.isnan(half):
        return ONE_BLOCK if blocks < 2 else UNSTABLE
    return ALIKE if are_alike(value, value + half) else ""


def _facts(design, rows):
    """Return components, shares, relative and absolute coefficients of each K, as one array."""
    codes = [design.codes[name][rows] for name in design.usable]
    components = variance_components(design.values[rows], codes)
    named = dict(zip([*design.usable, RESIDUAL], components, strict=True))
    unit = sum(max(named[name], 0.0) for name in OF_ITEMS if name in named)
    solved = any(name in named for name in OF_ITEMS) and not np.isnan(components).any()
    coefficients = [
        value
        for k in RATERS
        for value in generalisability(unit, named.get(RATER, 0.0), named[RESIDUAL], k)
    ]
    coefficients_or_nan = np.array(coefficients) if solved else np.full(2 * len(RATERS), np.nan)
    return np.concatenate([components, shares(components), coefficients_or_nan])


def _row(report, part, question, component, estimate, share=None, raters=None, levels=None):
    shown = {"variance": estimate} | ({"share": share} if share else {})
    reason = estimate.reason if np.isnan(estimate.value) else reasons_of(shown)
    share = share or Estimate(np.nan)
    low, high = np.clip([share.low, share.high], 0, 1)
    report.add(
        {
            "part": part,
            "question": question,
            "component": component,
            "raters": raters,
            "value": estimate.value,
            "low": estimate.low,
            "high": estimate.high,
            "share": share.value,
            "share_low": float(low),
            "share_high": float(high),
            "levels": levels,
            "n": estimate.n,
        },
        reason=reason,
        kind=part,
        undefined_draws=estimate.undefined_draws,
    )


def _add_retest(report, scores, places):
    """Add how far people repeat their answers to an item shown twice; clusters are people."""
    options, kept = scores.options, set(scores.item_ids)
    role = None if options.reference == ALL else options.reference
    twice = people_twice(scores.answers.study, role, options.version)
    for place in places:
        question = scores.questions[place]
        rows = [row for row in twice if row[1] in kept and row[2] == question.pk]
        for name, estimate in _retest(rows, question, options):
            levels = len({row[0] for row in rows}) or None
            _row(report, RETEST, question.key, name, estimate, levels=levels)


def _retest(rows, question, options):
    if not rows:
        return [(name, Estimate(np.nan, reason=NEVER_TWICE)) for name in MEASURES]
    both = np.array([row[3:5] for row in rows], dtype=float)
    _, raters = np.unique([row[0] for row in rows], return_inverse=True)
    resampling = {}
    if options.draws:
        rng = np.random.default_rng(options.seed)
        counts = draw_counts(int(raters.max()) + 1, options.draws, rng)
        resampling = {"clusters": raters, "counts": counts}
    points = labels_of(question)
    kappa = Estimate(np.nan, n=len(both), reason="κ needs a scale of two to eleven points")
    if 1 < len(points) <= MOST_LABELS:
        kappa = cohen_kappa(both, points, weights="quadratic", **resampling)
    change = clustered_mean(np.abs(both[:, 1] - both[:, 0]), **resampling)
    estimates = [
        percent_agreement(both, **resampling),
        kappa,
        icc(both, "A,1", **resampling),
        change,
    ]
    return list(zip(MEASURES, estimates, strict=True))


def _verdict(report, design):
    """Tell what the components imply for the number of raters."""
    named = {
        row["component"]: max(row["value"], 0.0)
        for row in report.rows
        if (row["question"], row["part"]) == (design.key, COMPONENT) and not np.isnan(row["value"])
    }
    unit = sum(named.get(name, 0.0) for name in OF_ITEMS)
    if RESIDUAL not in named or not unit:
        return
    rater, residual = named.get(RATER, 0.0), named[RESIDUAL]
    error = rater + residual
    k = design.raters_per_item
    reached = generalisability(unit, rater, residual, k).absolute
    needed = int(np.ceil(ENOUGH / (1 - ENOUGH) * error / unit - 1e-9))
    many = f"{max(needed, 1)}" if needed <= MOST_NEEDED else f"more than {MOST_NEEDED:,}"
    yield (
        f"{design.key}: the mean of {k} raters an item, as the study asks for, stands for all "
        f"raters with {reached:.2f} (absolute coefficient); {ENOUGH:g} takes {many}."
    )


def _notes(designs, options):
    yield (
        "Components: MINQUE(0), the variance of each factor in a model of crossed random effects; "
        "unbiased in unbalanced designs, equal to the analysis of variance in balanced ones. An "
        "estimate below 0 is shown as it is, and counts as 0 in shares and coefficients."
    )
    yield (
        "Item: what an item has beyond its recipient, content and system. Residual: what is left, "
        "raters' own tastes and chance."
    )
    if options.draws:
        blocks = {min(len(np.unique(design.clusters)), MOST_BLOCKS) for design in designs} or {0}
        yield (
            f"Intervals of components: 95 %, jackknife over {max(blocks)} blocks of recipients "
            "(else contents, else items), raters and systems being those they are. Of test–retest: "
            f"95 % percentile, {options.draws:,} bootstrap draws of people, seed {options.seed}."
        )
        if 0 < max(blocks) < MOST_BLOCKS:
            yield (
                "With so few blocks the interval of the variance of the blocks may hold the truth "
                "less often than in 95 %: it did in .91 of simulated studies with 30, in .86 with "
                "10 (docs/CALIBRATION.md)."
            )
    else:
        yield "No intervals: 0 draws."
    yield (
        "Relative: the same raters rate all items; absolute: each item has raters of its own, so "
        "that a strict rater costs an item its rank."
    )
