"""Show raters × raters: a heat map, each rater's mean agreement with the rest, and outliers."""

from dataclasses import replace
from math import isnan

import numpy as np

from analysis.figures.heat import MOST_RATERS, rater_heat_map
from analysis.figures.layout import Cell, Figure, Layout, Table, details
from analysis.reports.kind import Kind, Shown, no_value
from analysis.reports.rater_pairs.report import KAPPA, PERCENT, rater_pairs
from analysis.reports.shared.findings import defined, pick, with_interval
from analysis.reports.shared.options import PeopleOptions
from annotate.templatetags.concord import leading_point

MEASURES = {KAPPA: "weighted κ", PERCENT: "share of equal answers"}


def list_parts(questions):
    """Return the measures of agreement of which the page shows one."""
    has_labels = any(question.scale.points for question in questions)
    return Shown("measure", "Agreement", list(MEASURES.items()) if has_labels else [])


def layout(report, measure, looks):
    """Return the page of one measure: the heat map and each rater's mean."""
    pairs, words = report.curves[measure], MEASURES[measure]
    if not report.rows:
        return Layout([], [])
    means = pairs.means
    order = np.argsort(np.where(np.isnan(means), -np.inf, -means), kind="stable")
    first = order[:MOST_RATERS]
    names = [pairs.names[place] for place in first]
    square = np.ix_(first, first)
    plot = rater_heat_map(names, pairs.values[square], pairs.n[square], words)
    caption = f"{words} of each two raters; who agrees most with the rest comes first."
    if len(order) > MOST_RATERS:
        caption += f" The {MOST_RATERS} of {len(order)} raters who agree most; all are below."
    return Layout(
        [Figure("rater_pairs", caption, plot)], [_means(pairs, means, words)], *details(report)
    )


def _means(pairs, means, words):
    is_compared = ~np.isnan(pairs.values) & ~np.eye(len(means), dtype=bool)
    lowest_first = sorted(range(len(means)), key=lambda place: (isnan(means[place]), means[place]))
    lines = [
        (
            pairs.names[place],
            [Cell({"value": 1}, float(means[place])), int(is_compared[place].sum())],
        )
        for place in lowest_first
    ]
    caption = f"Mean {words} of each rater with the rest; the lowest first."
    return Table(caption, ["mean", "raters compared with"], lines, [], "Rater")


def find(report, measure):
    """Say which two raters agree most, and which least."""
    rows = defined(pick(report, "rater", measure=measure), "value")
    if not rows[1:]:
        return ""
    most, least, words = rows[0], rows[-1], dict(list_parts([]).choices)[measure]
    return (
        f"{most['first']} and {most['second']} agree most "
        f"({words} {with_interval(most, 'value')}), "
        f"{least['first']} and {least['second']} least ({with_interval(least, 'value')})."
    )


def headline(answers, options, judges):
    """Return the median over raters of their mean weighted κ with the rest."""
    report = rater_pairs(answers, replace(options, draws=0), [KAPPA])
    means = report.curves[KAPPA].means
    if not (~np.isnan(means)).any():
        return no_value("no two raters have five answers in common")
    words = f"median over raters of their mean weighted κ with the rest. {report.verdict[0]}"
    return leading_point(float(np.nanmedian(means))), "", words


KIND = Kind(
    name="rater_pairs",
    title="Raters × raters",
    method=(
        "How far each two raters agree on what both answered, and which raters agree with the "
        "rest far less than is usual here."
    ),
    formula=[
        "weighted κ: Cohen's κ with quadratic weights (plain for choices of words), over all "
        "answers that both raters gave.",
        "Intervals: cluster bootstrap of their answers in common (recipient, content, item).",
        "outlier: mean agreement with the rest below median − 3 · 1.4826 · MAD of these means.",
    ],
    source="Cohen (1968); Leys et al. (2013).",
    options=PeopleOptions,
    build=rater_pairs,
    list_parts=list_parts,
    layout=layout,
    find=find,
    headline=headline,
)
