"""Say in sentences how two evaluators compare, and how that was computed."""

from math import isnan

from analysis.options.evaluators import MEAN
from analysis.reports.base import pivot
from analysis.reports.closeness.engine import CERTAIN, HOW_P
from analysis.reports.closeness.measures import BETTER, COST, EVERYTHING, MEASURES, NEITHER
from analysis.reports.shared.correlations import AVERAGE
from analysis.reports.words import money, p_words
from annotate.templatetags.concord import called, leading_point

LEVEL = 0.025  # one-sided, of a margin: the lower end of a 95 % interval
MOST_SENTENCES = 5
NOBODY = (
    "There is nobody to compare: this takes a judge that has run, and a second judge or raters who "
    "rated the same items."
)


def list_sentences(report):
    """Return a sentence for each pair and measure, of the first MOST_SENTENCES of them.

    It is on the average of the questions; where only one question is there, on that. Where there
    are several measures, it is of those that are defined.
    """
    shown = pivot(report.entries, "evaluator", "measure", column="question")
    told = [_told(entries) for entries in shown.values()]
    if len({measure for _, measure in shown}) > 1:
        told = [own for own in told if not isnan(own[0].row["difference"])] or told[:1]
    return [say(e.row, _where(e.row, n), e.reason) for e, n in told[:MOST_SENTENCES]]


def _told(entries):
    """Return the entry of the average and of how many questions; of the only question, if it is."""
    usable = [name for name, e in entries.items() if name != AVERAGE and e.row["n"]]
    is_mean = AVERAGE in entries and len(usable) != 1
    return entries[AVERAGE if is_mean else next(iter(usable or entries))], len(usable)


def say(row, where, reason=""):
    """Say one row's finding; where: on which question, with a space before it."""
    measure = MEASURES[row["measure"]]
    first, other, numbers = call(row["evaluator"]), call(row["other"]), _numbers(row, measure)
    by = "" if row["margin"] is None else write(row["margin"], measure)
    larger = row["difference"] > 0
    if isnan(row["difference"]):
        words = f"{first} and {other} cannot be compared{where}: {reason}"
    elif isnan(row["p_adjusted"]):
        why = reason or "there is no interval"
        words = f"{first} and {other} cannot be tested{where} ({numbers}; {why})"
    elif row["p_adjusted"] < CERTAIN and not row["low"] <= 0 <= row["high"]:
        is_worse = measure.larger != NEITHER and larger != (measure.larger == BETTER)
        also = f", but not by more than {by}" if is_worse and row["not_worse"] else ""
        does = measure.more if larger else measure.less
        words = f"{first} {does} {other}{where}{also} ({numbers})"
    elif row["not_worse"]:
        words = f"{first} is not worse than {other} by more than {by}{where} ({numbers})"
    else:
        is_open = row["not_worse"] is False
        also = f"; that it is worse by {by} is not ruled out" if is_open else ""
        words = f"{first} and {other} cannot be told apart{where} ({numbers}){also}"
    if words.startswith(("a rater ", "the mean of ")):  # else it begins with a name
        words = words[0].upper() + words[1:]
    return f"{words}."


def call(name):
    """Return an evaluator's name as a sentence has it."""
    return f"the {called(name)}" if name.startswith("mean of ") else name


def _where(row, n):
    """Say on which question a row is, with a space before it; n: the questions of an average."""
    average = f" on average over {n} questions" if n else ""
    where = {AVERAGE: average, EVERYTHING: ""}
    return where.get(row["question"], f" on {row['question']}")


def _numbers(row, measure):
    """Write the difference with its interval and p."""
    value, p = write(row["difference"], measure), row["p_adjusted"]
    ends = "" if isnan(row["low"]) else f" {say_interval(row['low'], row['high'], measure)}"
    words = f"difference in {measure.symbol} {value}{ends}"
    if isnan(p):
        return words
    return f"{words}, p {p_words(p) if p < 0.0005 else f'= {p_words(p)}'}"


def say_interval(low, high, measure):
    """Write the ends of an interval in a measure's unit; – where there is none."""
    return "–" if isnan(low) else f"[{write(low, measure)}, {write(high, measure)}]"


def write(value, measure):
    """Write a value in a measure's unit."""
    return money_of(value) if measure is COST else leading_point(value)


def money_of(amount):
    """Write an amount that may be negative: −$0.12."""
    return f"−{money(-amount)}" if amount < 0 else money(amount)


NOTES = {
    "each": "A rater: each rating of the reference against the mean of the item's other ratings; "
    "who is compared with a rater meets the same mean of the others, a row a rating.",
    "mean": "The mean of the reference: of the item's other ratings, against each rating in turn; "
    "who is compared with it meets the same rating.",
    "raters": "The reference leaves out the ratings of the raters who are compared.",
    "mae": "Mean absolute error: what says little is close to people who disagree, a constant too.",
    "panel": "A panel is the mean of its members, of a choice of words their most frequent answer; "
    "it has no value where one of them has none.",
    "rows": "Each pair is compared on the items that both answered, question by question; average "
    "is over the questions that both have, unrounded.",
    "p": f"{HOW_P}evaluators that are compared on one question and measure. A sentence names the "
    "better where p_adjusted is below .05 and the interval leaves out 0.",
    "margin": "Not worse: one-sided at 2.5 %, which for one evaluator means that the lower end of "
    "the 95 % interval lies above −{margin:g} (for errors and costs the upper end below "
    "{margin:g}); for several margin_p is adjusted by Holm. A margin is to be chosen before the "
    "numbers are seen.",
}


def list_notes(named, sides, options, measures):
    """Write the notes on who is compared, on which items, and on the test."""
    told = {"rows", "p", *measures} | {own.kind for own in named} - {MEAN}
    told |= {"raters" for own in named if own.raters}
    told |= {MEAN for own in named if own.kind == MEAN and sides.is_measured_on_itself(own)}
    told |= {"margin"} if options.margin is not None else set()
    notes = [text.format(margin=options.margin) for key, text in NOTES.items() if key in told]
    if len(named) < 2:
        return notes
    *of, other = (own.name for own in named)
    whom = f"Compared: {', '.join(of)} with {other}."
    if not options.of:
        whom += f" {of[0]} is the first judge on the page Results."
    return [whom if options.other else f"{whom} The other is the usual yardstick.", *notes]
