"""Say in sentences how two evaluators compare, and how that was computed."""

from math import isnan

from analysis.options.evaluators import MEAN
from analysis.reports.base import pivot
from analysis.reports.closeness.engine import CERTAIN
from analysis.reports.closeness.measures import BETTER, COST, EVERYTHING, MEASURES, NEITHER
from analysis.reports.shared.correlations import AVERAGE
from analysis.reports.words import money, notes_beside, p_words
from annotate.templatetags.concord import called, leading_point

LEVEL = 0.025  # one-sided, of a margin: the lower end of a 95 % interval
MOST_SENTENCES = 5
say_note = notes_beside(__file__, "compare")


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
    measure, larger = MEASURES[row["measure"]], row["difference"] > 0
    is_worse = measure.larger != NEITHER and larger != (measure.larger == BETTER)
    if isnan(row["difference"]):
        case = "undefined"
    elif isnan(row["p_adjusted"]):
        case, reason = "untested", reason or "there is no interval"
    elif row["p_adjusted"] < CERTAIN and not row["low"] <= 0 <= row["high"]:
        case = "worse_within" if is_worse and row["not_worse"] else "differs"
    else:
        case = {True: "not_worse", False: "open", None: "alike"}[row["not_worse"]]
    words = say_note(
        case,
        first=call(row["evaluator"]),
        other=call(row["other"]),
        does=measure.more if larger else measure.less,
        where=where,
        numbers=_numbers(row, measure),
        by="" if row["margin"] is None else write(row["margin"], measure),
        reason=reason,
    )
    is_name = not words.startswith(("a rater ", "the mean of "))
    return words if is_name else words[0].upper() + words[1:]


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


# In the order of the page.
NOTES = ("each", "mean", "raters", "mae", "panel", "rows", "p", "margin")


def list_notes(named, sides, options, measures):
    """Write the notes on who is compared, on which items, and on the test."""
    told = {"rows", "p", *measures} | {own.kind for own in named} - {MEAN}
    told |= {"raters" for own in named if own.raters}
    told |= {MEAN for own in named if own.kind == MEAN and sides.is_measured_on_itself(own)}
    told |= {"margin"} if options.margin is not None else set()
    notes = [say_note(key, margin=options.margin) for key in NOTES if key in told]
    if len(named) < 2:
        return notes
    *of, other = (own.name for own in named)
    whom = [say_note("compared", of=", ".join(of), other=other)]
    whom += [] if options.of else [say_note("first", name=of[0])]
    whom += [] if options.other else [say_note("usual")]
    return [" ".join(whom), *notes]
