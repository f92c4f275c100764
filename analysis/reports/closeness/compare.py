"""Compare any two evaluators on any measure: paired, by clusters, corrected for their number."""

from dataclasses import dataclass, fields
from math import isnan, nan

from analysis.figures.dots import dot_figure
from analysis.figures.layout import Layout, Table
from analysis.options.choices import role_that_tests
from analysis.options.common import Drawn, Grouped, Positive, Referenced
from analysis.options.declare import number
from analysis.options.evaluators import A_RATER, MEAN_OF, evaluator_or_none, evaluators
from analysis.reports.closeness.engine import (
    ClosenessReport,
    add_tested,
    as_difference,
    test_family,
)
from analysis.reports.closeness.measures import COST, MEASURES, NEITHER, measures_of
from analysis.reports.closeness.sentences import (
    LEVEL,
    call,
    list_notes,
    list_sentences,
    say_interval,
    say_note,
    write,
)
from analysis.reports.closeness.sides import Sides, Undefined
from analysis.reports.kind import Shown
from analysis.reports.lists.selection import SelectionOptions
from analysis.reports.shared.correlations import AVERAGE
from analysis.reports.shared.evaluators import other_roles, overlap
from analysis.reports.shared.few_clusters import FEWEST, or_no_interval
from analysis.reports.verdict.candidates import judges_by_rank
from analysis.reports.verdict.options import VerdictOptions
from analysis.reports.verdict.page import MATRIX
from analysis.reports.verdict.report import VERDICT
from analysis.reports.verdict.sentences import RATE
from analysis.reports.words import NoFinding, p_words
from analysis.stats.comparison.differences import holm, not_worse, paired_difference
from analysis.stats.ensembles.average import average
from analysis.stats.estimate import Estimate

NOTHING_IN_COMMON = "no item has answers of both, and of people"
NOT_WORSE = {True: "yes", False: "not shown", None: "–"}


@dataclass(frozen=True, kw_only=True)
class CompareOptions(Referenced, Grouped, Positive, Drawn):
    """Options of a comparison.

    of: names of the evaluators to compare, () for the first judge of Results; other: the one that
    they are compared with, "" for a usual one; margin: by how much an evaluator may be worse, in
    the unit of the measure, None for no such test.
    """

    of: tuple = evaluators(
        "Compare",
        "evaluator to compare: a judge, a rater, “a rater” (each rating with the mean of the "
        "others'), “mean of ROLE”, or a panel “A + B”; default: the first judge of Results",
        "the first judge",
    )
    other: str = evaluator_or_none(
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
class AskedOptions(SelectionOptions, Grouped):
    """What the measures read of options, the judges that are compared among them."""


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
        given = {field.name: getattr(options, field.name) for field in fields(options)}
        everybody = Sides(answers, AskedOptions.choose(**given))
        of, other = choose_pairs(everybody.scores, options)
        named = [everybody.find(name) for name in (*of, other) if name]
        judges = tuple(dict.fromkeys(judge for own in named for judge in own.judges))
        sides = Sides(answers, AskedOptions.choose(**given, judges=judges))
        pairs = [(first, named[-1]) for first in named[:-1]] if of and other else []
        for key in (parts or measures_of(answers.questions)) if pairs else ():
            _add_measure(report, sides, pairs, MEASURES[key], options.margin)
        report.verdict = list_sentences(report) or [NoFinding(say_note("nobody"))]
        measured = {row["measure"] for row in report.rows}
        notes = list_notes(named, sides, options, measured)
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
    if options.other:
        others = [options.other]
    else:
        has_rater = overlap(scores, scores.raters_of(scores.options.reference))
        others = [A_RATER] if has_rater else []
        others += [f"{MEAN_OF}{role}" for role in other_roles(scores)]
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
    families = {
        question: {pair: _estimate_both(sides, measure, pair, place) for pair in pairs}
        for question, place in measure.places(sides.scores.questions).items()
    }
    shown = {
        question: {pair: both for pair, both in family.items() if _is_shown(both)}
        for question, family in families.items()
    }
    if len(families) > 1:
        by_pair = {pair: [family[pair] for family in families.values()] for pair in pairs}
        shown[AVERAGE] = {pair: _average(own) for pair, own in by_pair.items()}
    margin = None if measure.larger == NEITHER else margin
    for question, family in shown.items():
        margin_p = holm([_margin_p(*both, measure, margin) for both in family.values()]).tolist()
        tests = zip(family, test_family([*family.values()]), margin_p, strict=True)
        for (first, other), tested, p in tests:
            about = {"evaluator": first.name, "other": other.name}
            about |= {"measure": measure.key, "question": question}
            numbers = {"p": tested.p, "p_adjusted": tested.p_adjusted, "margin": margin}
            numbers |= {"margin_p": p, "not_worse": None if isnan(p) else p <= LEVEL}
            judge = next(iter(first.judges), "")
            add_tested(report, about, tested, numbers, judge=judge, kind=first.kind)


def _estimate_both(sides, measure, pair, place):
    """Return the Estimates of both evaluators on the same rows; n is 0 where there are none."""
    try:
        rows = measure.rows(sides, *pair, place).without_gaps()
    except Undefined as why:
        return (Estimate(nan, reason=str(why)),) * 2
    if not len(rows.items):
        return (Estimate(nan, reason=NOTHING_IN_COMMON),) * 2
    both = (measure.estimate(rows, values) for values in (rows.first, rows.other))
    return tuple(or_no_interval(own, sides.scores, rows.items) for own in both)


def _is_shown(both):
    """Return whether two evaluators have a question at all."""
    return both[0].reason != NOTHING_IN_COMMON


def _average(family):
    """Return both means over the questions that both have rows of."""
    usable = [both for both in family if both[0].n]
    if not usable:
        return next(filter(_is_shown, family), family[0])
    return tuple(average(own) for own in zip(*usable, strict=True))


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
        "Evaluator": several and [row["evaluator"] for row in rows],
        measure.symbol if several else names[0]: [write(row["value"], measure) for row in rows],
        rows[0]["other"]: [write(row["other_value"], measure) for row in rows],
        "Difference": [write(row["difference"], measure) for row in rows],
        "95 % interval": [say_interval(row["low"], row["high"], measure) for row in rows],
        "p": [p_words(row["p"]) for row in rows],
        "p (max-T)": several and [p_words(row["p_adjusted"]) for row in rows],
        "Not worse": is_tested and [NOT_WORSE[row["not_worse"]] for row in rows],
        "n": len(sizes) > 1 and [f"{row['n']:,}" for row in rows],
    }
    shown = {heading: cells for heading, cells in columns.items() if cells}
    cells = map(list, zip(*shown.values(), strict=True))
    lines = list(zip((row["question"] for row in rows), cells, strict=True))
    many = f", n = {sizes.pop():,}" if len(sizes) == 1 else ""
    return Table(f"{measure.label}: {less}{many}.", [*shown], lines, [], "Question")


KIND = Compare().kind()
