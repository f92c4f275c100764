"""Compare any two evaluators on any measure: paired, by clusters, corrected for their number."""

from dataclasses import dataclass
from math import isnan, nan

from analysis.figures.dots import dot_figure
from analysis.figures.layout import Layout, listing
from analysis.options.choices import role_that_tests
from analysis.options.common import Drawn, Grouped, Positive, Referenced
from analysis.options.declare import number
from analysis.options.evaluators import A_RATER, MEAN, MEAN_OF, evaluator
from analysis.reports.base import pivot
from analysis.reports.closeness.engine import CERTAIN, ClosenessReport, add_family, as_difference
from analysis.reports.closeness.measures import (
    BETTER,
    COST,
    EVERYTHING,
    MEASURES,
    NEITHER,
    measures_of,
)
from analysis.reports.closeness.sides import Sides, Undefined, find
from analysis.reports.kind import Shown
from analysis.reports.shared.correlations import AVERAGE
from analysis.reports.shared.evaluators import other_roles, overlap
from analysis.reports.shared.few_clusters import FEWEST, or_no_interval
from analysis.reports.verdict.candidates import judges_by_rank
from analysis.reports.verdict.options import VerdictOptions
from analysis.reports.verdict.page import MATRIX
from analysis.reports.verdict.report import VERDICT
from analysis.reports.verdict.sentences import RATE
from analysis.reports.words import NoFinding, money, notes_beside, p_words
from analysis.stats.comparison.differences import holm, not_worse, paired_difference
from analysis.stats.ensembles.average import average
from analysis.stats.estimate import Estimate
from annotate.templatetags.concord import called, leading_point

NOTHING_IN_COMMON = "no item has answers of both, and of people"
NOT_WORSE = {True: "yes", False: "not shown", None: "–"}
LEVEL = 0.025  # one-sided, of a margin: the lower end of a 95 % interval
MOST_SENTENCES = 5
NOTES = ("each", "mean", "raters", "mae", "panel", "rows", "p", "margin")  # as the page has them
say_note = notes_beside(__file__, "compare")


@dataclass(frozen=True, kw_only=True)
class CompareOptions(Referenced, Grouped, Positive, Drawn):
    """Options of a comparison.

    of: names of the evaluators to compare, () for the first judge of Results; other: the one that
    they are compared with, "" for a usual one; margin: by how much an evaluator may be worse, in
    the unit of the measure, None for no such test.
    """

    of: tuple = evaluator(
        "Compare",
        "evaluator to compare: a judge, a rater, “a rater” (each rating with the mean of the "
        "others'), “mean of ROLE”, or a panel “A + B”; default: the first judge of Results; may be "
        "repeated",
        "the first judge",
        many=True,
    )
    other: str = evaluator(
        "With",
        "evaluator to compare with; default: a rater, else the mean of another role, else the next "
        "judge",
        "the usual",
        flag="--with",
    )
    margin: float | None = number(
        None,
        0,
        1e6,
        "Not worse by",
        "how much worse it may be, in the unit of the measure, to be called not worse; default: no "
        "such test",
    )


@dataclass(frozen=True, kw_only=True)
class AskedOptions(CompareOptions):
    """What the measures read beside the options: the judges that are compared, and no choice."""

    judges: tuple = ()
    strong: int = 1


class Compare(ClosenessReport):
    """A row for each pair, measure and question; the pairs of one question are a family."""

    name, title, options = "compare", "Compare two", CompareOptions
    in_front = ("of", "other", "margin")
    singles, least = False, FEWEST
    named_by = ("evaluator", "other", "question", "measure")

    def list_parts(self, questions):
        choices = [(key, MEASURES[key].label) for key in measures_of(questions)]
        return Shown("measure", "Measure", choices)

    def compare(self, report, scores, parts):
        answers, options = scores.whole, scores.options
        of, other = choose_pairs(scores, options)
        named = [find(answers, name) for name in (*of, other) if name]
        judges = tuple(dict.fromkeys(judge for own in named for judge in own.judges))
        sides = Sides(answers, AskedOptions(**vars(options), judges=judges))
        pairs = [(first, named[-1]) for first in named[:-1]] if of and other else []
        for key in (parts or measures_of(answers.questions)) if pairs else ():
            _add_measure(report, sides, pairs, MEASURES[key], options.margin)
        report.verdict = list_sentences(report) or [NoFinding(say_note("nobody"))]
        notes = list_notes(named, sides, options, {row["measure"] for row in report.rows})
        return sides.scores, [*notes, *sides.labels.sentences()]

    def layout(self, report, measure, looks):
        """Return the page of one measure: differences by question, the average first."""
        entries = sorted(report.entries, key=lambda entry: entry.row["question"] != AVERAGE)
        if not entries:
            return Layout([], [])
        own, names = MEASURES[measure], list(dict.fromkeys(e.row["evaluator"] for e in entries))
        less = f"{names[0] if len(names) == 1 else 'each'} less {call(entries[0].row['other'])}"
        figures = []
        if own is not COST:
            marks, margin = {0: "no difference"}, report.options["margin"]
            if margin and own.larger != NEITHER:
                marks[-own.larger * margin] = f"margin ({-own.larger * margin:g})"
            words = ", and the ".join(marks.values())
            # A legend leaves the lines' names no room.
            named = [(value, "" if len(names) > 1 else name) for value, name in marks.items()]
            caption = f"{own.label}: {less}. Lines: 95 % intervals; dashed: {words}."
            drawn = map(as_difference, entries), "question", "pair", looks
            title = f"Difference of {own.symbol}"
            figures = dot_figure("compare", caption, *drawn, title, marks=named)
        return Layout(figures, [_table([entry.row for entry in entries], own, names, less)])


def choose_pairs(scores, options):
    """Return (names to compare, the name to compare them with); a blank where there is nobody.

    scores: of all judges.
    """
    has_rater = overlap(scores, scores.raters_of(scores.options.reference))
    usual = [A_RATER] if has_rater else []
    usual += [f"{MEAN_OF}{role}" for role in other_roles(scores)]
    others = [options.other] if options.other else usual
    ranked = [] if options.of and others else rank_judges(scores.answers, options)
    of = options.of or next(((name,) for name in ranked if name not in others[:1]), ())
    return of, next((name for name in [*others, *ranked] if name not in of), "")


def rank_judges(answers, options):
    """Return the judges' names, the best first: as on the page Results."""
    people = answers.select_source("human")
    role = role_that_tests(answers.study, people[~people["excluded"]]) or options.reference
    given = {name: getattr(options, name) for name in ("exclude", "only", "part", "version")}
    report = VERDICT.build(answers, VerdictOptions.choose(reference=role, **given), [])
    rows = [row for row in report.curves[MATRIX] if not row["systems"] and row["use"] == RATE]
    return judges_by_rank(rows)


def _add_measure(report, sides, pairs, measure, margin):
    """Add the rows of one measure: of each question, whose pairs are one family, and on average."""
    margin = None if measure.larger == NEITHER else margin
    families = {
        question: [_estimate_both(sides, measure, pair, place) for pair in pairs]
        for question, place in measure.places(sides.scores.questions).items()
    }
    if len(families) > 1:
        families[AVERAGE] = [_average(own) for own in zip(*families.values(), strict=True)]
    for question, family in families.items():
        shown = [
            (*pair, both)
            for pair, both in zip(pairs, family, strict=True)
            if question == AVERAGE or both[0].reason != NOTHING_IN_COMMON
        ]
        margin_p = holm([_margin_p(*both, measure, margin) for *_, both in shown]).tolist()
        for place, p in enumerate(margin_p):
            is_so = None if isnan(p) else p <= LEVEL
            shown[place] += ({"margin": margin, "margin_p": p, "not_worse": is_so},)
        about = {"measure": measure.key, "question": question}
        add_family(report, about, shown, ("p", "p_adjusted"))


def _estimate_both(sides, measure, pair, place):
    """Return the Estimates of both evaluators on the same rows; n is 0 where there are none."""
    try:
        rows = measure.rows(sides, *pair, place).without_gaps()
        if not len(rows.items):
            raise Undefined(NOTHING_IN_COMMON)
    except Undefined as why:
        return (Estimate(nan, reason=str(why)),) * 2
    both = (measure.estimate(rows, values) for values in (rows.first, rows.other))
    return tuple(or_no_interval(own, sides.scores, rows.items) for own in both)


def _average(family):
    """Return both means over the questions that both have rows of; else why there is none."""
    if usable := [both for both in family if both[0].n]:
        return tuple(average(own) for own in zip(*usable, strict=True))
    return min(family, key=lambda both: both[0].reason == NOTHING_IN_COMMON)


def _margin_p(first, other, measure, margin):
    """Return the one-sided p of being worse by the margin or more; NaN without a test."""
    draws = None if margin is None else paired_difference(first, other).estimate.draws
    return nan if draws is None else not_worse(measure.larger * draws, margin)


def _table(rows, measure, names, less):
    """Tabulate the differences, one line a cell; what is the same in all rows has no column."""
    several = len(names) > 1
    sizes = {row["n"] for row in rows if row["question"] != AVERAGE}
    is_tested = any(row["not_worse"] is not None for row in rows)
    columns = {
        "Evaluator": several and (lambda row: row["evaluator"]),
        measure.symbol if several else names[0]: lambda row: write(row["value"], measure),
        rows[0]["other"]: lambda row: write(row["other_value"], measure),
        "Difference": lambda row: write(row["difference"], measure),
        "95 % interval": lambda row: say_interval(row["low"], row["high"], measure),
        "p": lambda row: p_words(row["p"]),
        "p (max-T)": several and (lambda row: p_words(row["p_adjusted"])),
        "Not worse": is_tested and (lambda row: NOT_WORSE[row["not_worse"]]),
        "n": len(sizes) > 1 and (lambda row: f"{row['n']:,}"),
    }
    shown = {heading: of for heading, of in columns.items() if of}
    many = f", n = {sizes.pop():,}" if len(sizes) == 1 else ""
    questions = [row["question"] for row in rows]
    return listing(f"{measure.label}: {less}{many}.", "Question", questions, rows, shown)


def list_sentences(report):
    """Return a sentence for each pair and measure, of the first MOST_SENTENCES of them.

    It is on the average of the questions; where only one question is there, on that. Where there
    are several measures, it is of those that are defined.
    """
    shown, told = pivot(report.entries, "evaluator", "measure", column="question"), []
    for own in shown.values():
        usable = [name for name, entry in own.items() if name != AVERAGE and entry.row["n"]]
        is_mean = AVERAGE in own and len(usable) != 1
        question = AVERAGE if is_mean else next(iter(usable or own))
        average = f" on average over {len(usable)} questions" if usable else ""
        where = {AVERAGE: average, EVERYTHING: ""}.get(question, f" on {question}")
        told.append((own[question], where))
    if len({measure for _, measure in shown}) > 1:
        told = [own for own in told if not isnan(own[0].row["difference"])] or told[:1]
    return [say(entry.row, where, entry.reason) for entry, where in told[:MOST_SENTENCES]]


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


def _numbers(row, measure):
    """Write the difference with its interval and p."""
    p = p_words(row["p_adjusted"])
    ends = "" if isnan(row["low"]) else f" {say_interval(row['low'], row['high'], measure)}"
    words = f"difference in {measure.symbol} {write(row['difference'], measure)}{ends}"
    return words if p == "–" else f"{words}, p {p if p.startswith('<') else f'= {p}'}"


def say_interval(low, high, measure):
    """Write the ends of an interval in a measure's unit; – where there is none."""
    return "–" if isnan(low) else f"[{write(low, measure)}, {write(high, measure)}]"


def write(value, measure):
    """Write a value in a measure's unit."""
    return money(value) if measure is COST else leading_point(value)


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


KIND = Compare().kind()
