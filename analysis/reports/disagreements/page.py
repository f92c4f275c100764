"""Show the list of disagreements; the page's own template lays out the items."""

from math import isnan

import numpy as np

from analysis.figures.layout import Layout
from analysis.reports.disagreements.options import BOTH, BY_JUDGE, DisagreementsOptions
from analysis.reports.disagreements.report import AVERAGE, disagreements
from analysis.reports.kind import NO_JUDGE, UNDEFINED, Kind, Shown
from analysis.reports.shared.findings import defined
from annotate.templatetags.concord import leading_point


def list_parts(questions):
    """Return the questions, and their mean, of which the page shows one."""
    keys = [question.key for question in questions if question.scale.has_values]
    choices = [(AVERAGE, "mean over the questions"), *((key, key) for key in keys)]
    return Shown("question", "Question", choices if keys else [])


def layout(report, question, looks):
    """Return an empty layout, as the page lists items."""
    return Layout([], [])


def find(report, question):
    """Say on which item a judge and people are furthest apart."""
    own = [row for row in report.rows if row["question"] == question]
    rows = defined(own, "distance")
    if not rows:
        return ""
    first = rows[0]
    others = sum(row["distance"] == first["distance"] for row in rows) - 1
    where = "by the mean over the questions" if question == AVERAGE else f"on {question}"
    also = f"; {others:,} more are as far" if others else ""
    return f"Furthest apart {where}: {first['evaluator']} and people, on {first['item']}{also}."


def headline(answers, options, judges):
    """Return the mean distance from people of the closest judge."""
    if not judges:
        return NO_JUDGE
    assert (options.order, options.direction) == (BY_JUDGE, BOTH)
    distances: dict = {}
    for row in disagreements(answers, options, [AVERAGE]).rows:
        distances.setdefault(row["evaluator"], []).append(row["distance"])
    means = {judge: float(np.mean(values)) for judge, values in distances.items()}
    if not means or all(isnan(mean) for mean in means.values()):
        return UNDEFINED
    judge = min(means, key=lambda name: means[name])
    n = f"n = {len(distances[judge]):,} items"
    words = f"mean distance from people of the judge that is closest: {judge}, {n}"
    return leading_point(means[judge]), "", words


KIND = Kind(
    name="disagreements",
    title="Disagreements",
    method=(
        "The items on which a judge is furthest from people, or on which people are most divided, "
        "with what each of them said. They can be sent to more raters."
    ),
    formula=[
        "difference = judge − mean of the ratings of the reference; distance = |difference|.",
        "Choices of words: distance = share of the raters who chose another one.",
        "spread: standard deviation of the ratings (n − 1); of words the share of pairs of raters "
        "that differ.",
        "average: the mean of distance and of spread over the questions.",
    ],
    source="own definitions.",
    options=DisagreementsOptions,
    build=disagreements,
    list_parts=list_parts,
    layout=layout,
    find=find,
    headline=headline,
    no_figure="a list of items to be read: a figure would hide what was said.",
)
