"""Show ensembles: every subset of the judges, for one coefficient and level."""

from math import isnan

from analysis.figures import scatter
from analysis.figures.layout import Cell, Figure, Layout, Table, cross_table, details
from analysis.reports.correlation.page import LABELS
from analysis.reports.correlation.report import AVERAGE
from analysis.reports.differences.page import list_parts
from analysis.reports.ensembles.report import BEST, BEST_SINGLE, SIZE, SUBSET, ensembles
from analysis.reports.kind import NO_JUDGE, UNDEFINED, Kind
from analysis.reports.shared.options import CorrelationOptions
from annotate.design.splits import TEST
from annotate.templatetags.concord import interval, leading_point

MOST_LINES = 15  # of the table of the best subsets
WINNERS = {BEST: "of all subsets", BEST_SINGLE: "of single judges"}


def layout(report, measure, looks):
    """Return the page of one coefficient and level: the subsets by size, the best of them."""
    coefficient, level = measure.split()
    words = f"{LABELS[coefficient]}, {level} level"
    entries_by_kind = {
        kind: [e for e in report.entries if e.kind == kind] for kind in (SUBSET, SIZE)
    }
    averages = [
        e
        for e in entries_by_kind[SUBSET]
        if e.row["question"] == AVERAGE and not isnan(e.row["value"])
    ]
    caption = (
        f"{words}, mean of the questions: each dot is the mean of one subset of the judges; the "
        "line joins the means of each size, with their 95 % intervals where they have any."
    )
    means = [entry for entry in entries_by_kind[SIZE] if entry.row["question"] == AVERAGE]
    figures = [Figure("ensembles", caption, scatter.subsets(averages, means, words))]
    tables = [_sizes(entries_by_kind[SIZE], words), _leaders(averages, words), _best(report, words)]
    return Layout(figures if averages else [], tables, *details(report))


def _sizes(entries, words):
    """Tabulate P0's figure 4: a line per size, a column per question."""
    cells = {(e.row["size"], e.row["question"]): _spread(e) for e in entries}
    caption = f"{words}: mean over the subsets of a size [smallest, largest]; mean: 95 % interval."
    return cross_table(caption, "Judges", cells)


def _spread(entry):
    row = entry.row
    ends = {"low": row["min"], "high": row["max"]}
    words = f"{row['of']} subset{'' if row['of'] == 1 else 's'}"
    around = interval(row["low"], row["high"])
    return Cell(ends, row["value"], entry.reason, f"{words}; mean: {around}" if around else words)


def _leaders(averages, words):
    best = sorted(averages, key=lambda entry: -entry.row["value"])[:MOST_LINES]
    lines = [(e.row["members"], [e.row["size"], _subset(e), _skipped(e.row)]) for e in best]
    caption = f"{words}, mean of the questions: the {len(best)} subsets that look best."
    return Table(caption, ["Judges", "Value", "Groups skipped"], lines, [], "Subset")


def _best(report, words):
    """Tabulate the best subsets, and their values on items on which they were not chosen."""
    best = [entry for entry in report.entries if entry.kind in WINNERS]
    lines = [
        (
            WINNERS[entry.kind],
            [entry.row["members"], _plain(entry), _crossed(entry), entry.row["of"]],
        )
        for entry in best
    ]
    caption = f"{words}, mean of the questions: the winners, where they were not chosen."
    return Table(caption, ["Judges", "Looks like", "Is worth", "Folds"], lines, [], "Best")


def _crossed(entry):
    row = entry.row
    ends = {"low": row["cross_validated_low"], "high": row["cross_validated_high"]}
    return Cell(ends, row["cross_validated"], entry.reason)


def _subset(entry):
    return Cell(entry.row, entry.row["value"], entry.reason)


def _skipped(row):
    return "–" if row["groups"] is None else f"{row['skipped']:,} of {row['groups']:,}"


def _plain(entry):
    return Cell({"value": entry.row["value"]}, entry.row["value"], entry.reason)


def headline(answers, options, judges):
    """Return the Pearson r of the best subset, and what that choice is worth elsewhere."""
    if len(judges) < 2:
        return NO_JUDGE if not judges else ("–", "", "needs two judges")
    report = ensembles(answers, options, ["pearson dataset"])
    best = next((entry.row for entry in report.entries if entry.kind == BEST), None)
    if best is None:
        return UNDEFINED
    single = next(entry.row for entry in report.entries if entry.kind == BEST_SINGLE)
    chosen = "on the choose part" if options.part == TEST else "on other recipients"
    words = (
        f"Pearson r of the best mean of judges ({best['members']}), mean of the questions; chosen "
        f"{chosen} {leading_point(best['cross_validated'])}, the single judge with the highest "
        f"r: {leading_point(single['cross_validated'])}"
    )
    return leading_point(best["value"]), "", words


KIND = Kind(
    name="ensembles",
    title="Ensembles",
    method=(
        "How closely the mean of several judges follows the reference: every subset of every "
        "size, and what the best of them is worth on recipients it was not chosen on."
    ),
    formula=[
        "A subset's value on an item is the unweighted mean of its judges; all subsets are "
        "compared on the same items, those that every chosen judge and the reference have.",
        "Per size: mean, smallest and largest coefficient over the subsets of that size; the "
        "mean's interval takes the mean of the subsets in each draw.",
        "Cross-validated: for each fold of recipients the subset that is best on the other folds "
        "is measured on the fold; the mean over the folds. The plain best is chosen on the data "
        "that praises it.",
    ],
    source="Three-level meta-evaluation of explanation texts by LLMs (2024), figure 4.",
    options=CorrelationOptions,
    build=ensembles,
    list_parts=list_parts,
    layout=layout,
    headline=headline,
)
