"""What a report is called, how it is computed, what its page shows: one Kind a report."""

from collections.abc import Callable
from dataclasses import dataclass
from math import isnan

NO_JUDGE = ("–", "", "no judge has scored an item yet")
OF_SUBSTITUTION = ("epsilon", "standard_errors")  # options of that report alone
UNDEFINED = ("–", "", "undefined for every judge: the report says why")


@dataclass(frozen=True)
class Shown:
    """The part of a report that its page shows: which field chooses it, and among what."""

    name: str
    label: str
    choices: list


@dataclass(frozen=True)
class Kind:
    """A report: all that the pages, the index and the command need to know of it.

    idle: options without a meaning for it, which its page does not ask for; own: those of
    options.OF_ONE_REPORT that it asks for.
    build(answers, options, parts) gives the Report, of all parts where none are named.
    shown(questions) is what one may choose to see, the first choice being the usual one.
    layout(report, chosen, looks) is the page; headline(answers, options, judges) its
    (value, interval, words) on the index. asks: options that this report alone has. stamp(study)
    is a text that changes with what it reads beside the answers; watch(reader) the same for one
    that knows by the frames.Reader whether there is anything to read. no_figure: why its page never
    has one, blank where it has. needs_ratings: whether it says nothing without items and ratings.
    """

    name: str
    title: str
    method: str
    formula: list
    source: str
    idle: tuple
    build: Callable
    shown: Callable
    layout: Callable
    headline: Callable
    own: tuple = ()
    stamp: Callable = lambda study: ""
    watch: Callable | None = None
    no_figure: str = ""
    needs_ratings: bool = True


def of_questions(*scales):
    """What is shown of a report that one sees a question at a time: those of these scales."""

    def shown(questions):
        keys = [question.key for question in questions if question.scale.kind in scales]
        return Shown("question", "Question", [(key, key) for key in keys])

    return shown


def no_value(words):
    """A headline that says why it has no number."""
    return "–", "", words


def best(rows, judges, key):
    """The judges' row with the largest value under the key; None where all are undefined."""
    rows = [row for row in rows if row["evaluator"] in judges and not isnan(row[key])]
    return max(rows, key=lambda row: row[key], default=None)


def first_of(keys):
    """Says which question was taken where there are several."""
    return "" if len(keys) == 1 else f" (the first of {len(keys)} questions)"
