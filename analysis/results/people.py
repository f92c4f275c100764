"""Say in one sentence how far raters agree."""

from math import isnan

from analysis.reports.raters.agreement import HUMANS, POOLED
from annotate.templatetags.concord import interval, leading_point

MEASURES = ("alpha_ordinal", "alpha_nominal", "alpha_interval")
# The first two lines are Krippendorff's own (2004); below them the words are a convention.
LINES = ((0.8, "agree well"), (2 / 3, "agree fairly well"), (0.4, "agree moderately"))
LOWER = ((0.2, "agree weakly"), (float("-inf"), "hardly agree"))


def say_people(agreement, role, pooled=(), several=""):
    """Return the sentence on Krippendorff's α, and its words.

    agreement: the Report, of people alone; role: whose ratings are meant; pooled: keys of the
    questions that share a scale; several: the role in words, where several roles have rated.
    """
    whom = f"Raters ({several})" if several else "Raters"
    alphas, reason = _alphas(agreement, role)
    if not alphas:
        return f"How far raters agree has no number: {reason or 'nobody has rated a question'}."
    single = {key: row for key, row in alphas.items() if key != POOLED}
    if POOLED in alphas and {*single} <= {*pooled}:
        single = {POOLED: alphas[POOLED]}
    if len(single) == 1:
        (row,) = single.values()
        ends = interval(row["low"], row["high"])
        value = f"Krippendorff’s α {leading_point(row['value'])}{f' {ends}' if ends else ''}"
        return f"{whom} {words_of(row['value'])} ({value})."
    values = sorted(row["value"] for row in single.values())
    span = f"Krippendorff’s α {leading_point(values[0])} to {leading_point(values[-1])}"
    low, high = words_of(values[0]), words_of(values[-1])
    words = low if low == high else f"{low} to {high.removeprefix('agree ')}"
    return f"{whom} {words}, by question ({span})."


def words_of(alpha):
    """Return how far raters agree, in words."""
    return next(words for least, words in LINES + LOWER if alpha >= least)


def _alphas(agreement, role):
    """Return ({question: row} of the first defined α of each question, why there is none)."""
    names = {row["raters"] for row in agreement.rows}
    own = f"{HUMANS} ({role})"
    raters = own if own in names else HUMANS
    alphas, reason = {}, ""
    for measure in MEASURES:
        for entry in agreement.entries:
            row = entry.row
            if (row["raters"], row["measure"]) != (raters, measure):
                continue
            if isnan(row["value"]):
                reason = reason or entry.reason
            else:
                alphas.setdefault(row["question"], row)
    return alphas, reason
