"""Class an imported measure by its name, and name domains, systems and metrics on pages.

Nothing but the name tells whether a measure is one of consistency, of similarity, or neither: all
of them come in as values of a judge. Source of the two families: Kabongo & Guigue (2025), section
IV-A: SEval, SummaC, AlignScore and QuestEval measure factual consistency; BERTScore, STS, BARTScore
and BLEURT similarity, as word overlaps do.
"""

import re

from analysis.options.choices import ALL
from annotate.templatetags.concord import called

CONSISTENT = re.compile(r"(s[-_ ]?eval|summa[-_ ]?c|align[-_ ]?score|quest[-_ ]?eval)")
SIMILAR = re.compile(
    r"(bleu|rouge|meteor|chrf|sts|bert|bart|bleurt|(bert|bart|mover)[-_ ]?score)(?![a-z])"
)


def is_consistency(name):
    """Return whether a name begins like a measure of factual consistency, in any case."""
    return bool(CONSISTENT.match(name.lower()))


def is_similarity(name):
    """Return whether a name begins like a measure of similarity; "Bart Simpson" does too."""
    return bool(SIMILAR.match(name.lower()))


def are_answers(values, scale):
    """Return whether all values lie on the scale of a question that has ends, as ratings do.

    values: numbers without gaps.
    """
    return scale.has_ends and not scale.is_off(values).any()


def heading(system):
    return "all systems" if system == ALL else system


def within(row):
    """Return the domain that a line begins with; blank for all domains together."""
    return "" if row["domain"] == ALL else f"{row['domain']}: "


def has_evaluator(row, other=""):
    """Return whether somebody else than the metric itself, or the texts, gave the values."""
    return row[f"{other}evaluator"] not in (row[f"{other}metric"], "texts")


def named(row, other=""):
    """Name metric and evaluator; of a judge that is a metric its name, of texts the metric."""
    metric, evaluator = row[f"{other}metric"], row[f"{other}evaluator"]
    return f"{metric} ({called(evaluator)})" if has_evaluator(row, other) else metric


def by_domain(entries):
    """Sort the entries: all domains together first, then each domain."""
    return sorted(entries, key=lambda e: (e.row["domain"] != ALL, e.row["domain"]))
