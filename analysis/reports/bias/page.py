"""Show the biases: where judges err in one direction, question by question."""

from math import isnan

from analysis.figures.curves import MOST_CURVES
from analysis.figures.dots import dots
from analysis.figures.frame import span
from analysis.figures.layout import Cell, Figure, Layout, Table
from analysis.figures.lines import maps
from analysis.reports.bias.report import (
    CALIBRATION,
    FAILURES,
    LENGTH,
    POSITION,
    RECIPIENTS,
    RETEST,
    SYSTEMS,
    bias,
)
from analysis.reports.kind import NO_JUDGE, Kind, first_of, no_value, of_questions
from analysis.reports.shared.findings import defined, pick, with_interval
from analysis.reports.shared.options import DeviationOptions
from analysis.reports.words import worded
from annotate.templatetags.concord import interval, leading_point

ERRORS = {"mae_before": "Error before", "mae_after": "Error after", "gain": "Gain"}
SAMPLES = {"exact_agreement": "Same answer", "icc_1_1": "ICC(1,1)", "mean_sd": "Mean SD"}
STATES = {
    "unparsable": "Not understood",
    "refused": "Refused",
    "failed": "Failed",
    "no_value": "Without a value",
}
MOST_SYSTEMS = 30
list_parts = of_questions(lambda scale: scale.is_ordered)


def layout(report, question, looks):
    """Return the page of one question: figures of length, systems and calibration; all tables."""
    entries_by_bias: dict = {}
    for entry in report.entries:
        entries_by_bias.setdefault(entry.row["bias"], []).append(entry)
    tables = [
        _lengths(entries_by_bias, question),
        _systems(entries_by_bias, question),
        _recipients(entries_by_bias, question),
        _measures(
            entries_by_bias,
            CALIBRATION,
            ERRORS,
            f"{question}: mean absolute error before and after the "
            "map, measured where it was not fitted.",
        ),
        _measures(
            entries_by_bias,
            POSITION,
            {"flip_rate": "Another answer"},
            "Share of the answers that change when the order is turned round.",
        ),
        _measures(entries_by_bias, RETEST, SAMPLES, "Several samples of the same answer."),
        _measures(
            [e for e in entries_by_bias.get(FAILURES, []) if e.row["group"] == "all"],
            FAILURES,
            STATES,
            f"{question}: share of the judgments without a value, by why.",
        ),
        _failing_systems(entries_by_bias, question),
    ]
    return Layout(_figures(report, entries_by_bias, question, looks), tables)


def _figures(report, entries_by_bias, question, looks):
    figures = []
    slopes = _defined(entries_by_bias.get(LENGTH, []))
    if slopes:
        unit = slopes[0].row["group"]
        title = f"judge − people per {unit} (n = {span(e.row['n'] for e in slopes)})"
        caption = f"{question}: what a longer text gains with a judge. Lines: 95 % intervals."
        plot = dots(slopes, "evaluator", "question", looks, title)
        figures.append(Figure("length", caption, plot))
    overall = [e for e in _defined(entries_by_bias.get(SYSTEMS, [])) if e.row["group"] == "all"]
    if overall:
        title = f"Mean of judge − people (n = {span(e.row['n'] for e in overall)})"
        caption = f"{question}: is a judge kinder or stricter than people? Lines: 95 % intervals."
        plot = dots(overall, "evaluator", "question", looks, title)
        figures.append(Figure("kindness", caption, plot))
    # On a scale of their own the curves would not share an axis.
    shared = {
        e.row["evaluator"]
        for e in _defined(entries_by_bias.get(CALIBRATION, []))
        if e.row["measure"] == "mae_before"
    }
    curves = {
        j: curve for (j, key), curve in report.curves.items() if key == question and j in shared
    }
    if curves:
        ends = [end for c in curves.values() for end in (c["judge"][0], c["judge"][-1])]
        caption = (
            f"{question}: which rating of people stands behind a judge's; {MOST_CURVES} "
            "judges at most."
        )
        plot = maps(curves, (min(ends), max(ends)), looks)
        figures.append(Figure("calibration", caption, plot))
    return figures


def _defined(entries):
    return [entry for entry in entries if not isnan(entry.row["value"])]


def _lengths(entries_by_bias, question):
    entries = entries_by_bias.get(LENGTH, [])
    unit = next((e.row["group"] for e in entries if e.row["group"]), "100 words")
    lines = [
        (e.row["evaluator"], [worded(e.row), e.row["n"], e.row["groups"], e.reason or "–"])
        for e in sorted(
            entries, key=lambda e: -abs(e.row["value"]) if not isnan(e.row["value"]) else 1
        )
    ]
    caption = f"{question}: judge − people, per {unit} more."
    return Table(caption, ["Slope", "Items", "Clusters", "Why none"], lines, [], "Judge")


def _systems(entries_by_bias, question):
    entries = entries_by_bias.get(SYSTEMS, [])
    names = list(dict.fromkeys(e.row["group"] for e in entries if e.row["group"]))[
        : MOST_SYSTEMS + 1
    ]
    return _by_group(entries, names, f"{question}: mean of judge − people, by system.")


def _failing_systems(entries_by_bias, question):
    entries = [e for e in entries_by_bias.get(FAILURES, []) if e.row["measure"] == "no_value"]
    names = list(dict.fromkeys(e.row["group"] for e in entries))[: MOST_SYSTEMS + 1]
    caption = f"{question}: share of the judgments without a value, by system."
    return _by_group(entries, names if len(names) > 1 else [], caption)


def _by_group(entries, names, caption):
    """Return a table with a line per judge and a column per group.

    Judges all of whose cells are undefined are left out.
    """
    cells = {(e.row["evaluator"], e.row["group"]): _cell(e) for e in entries}
    judges = dict.fromkeys(e.row["evaluator"] for e in _defined(entries))
    lines = [(judge, [cells.get((judge, name)) for name in names]) for judge in judges if names]
    return Table(caption, names, lines, [], "Judge")


def _recipients(entries_by_bias, question):
    """Tabulate the spread over recipients of each judge, and its largest recipients."""
    lines: dict = {}
    for entry in entries_by_bias.get(RECIPIENTS, []):
        row = entry.row
        if row["measure"] == "sd":
            lines[row["evaluator"]] = [_cell(entry), row["groups"], ""]
        else:
            words = f"{row['group']} {row['value']:+.2f} (n = {row['n']:,})"
            cells_of_judge = lines[row["evaluator"]]
            cells_of_judge[2] = f"{cells_of_judge[2]}, {words}" if cells_of_judge[2] else words
    lines = {judge: cells for judge, cells in lines.items() if cells[2]}
    caption = f"{question}: mean of judge − people over recipients."
    headings = ["SD over recipients", "Recipients", "The largest"]
    return Table(caption, headings, list(lines.items()), [], "Judge")


def _measures(entries_by_bias, name, words, caption):
    """Tabulate the measures of one bias: a line per judge and question, a column per measure."""
    entries = (
        entries_by_bias.get(name, []) if isinstance(entries_by_bias, dict) else entries_by_bias
    )
    if not _defined(entries):
        return Table(caption)  # the notes say why
    cells = {(e.row["evaluator"], e.row["question"], e.row["measure"]): e for e in entries}
    who = dict.fromkeys((e.row["evaluator"], e.row["question"]) for e in entries)
    lines = []
    for judge, key in who:
        own = [cells.get((judge, key, measure)) for measure in words]
        why = next((e.reason for e in own if e and isnan(e.row["value"])), "")
        lines.append((judge, [*(e and _cell(e) for e in own), why or "–"]))
    return Table(caption, [*words.values(), "Why none"], lines, [], "Judge")


def _cell(entry):
    return Cell(entry.row, entry.row["value"], entry.reason, f"n = {entry.row['n']:,}")


def find(report, question):
    """Say which judge is furthest from people on one system, and to which side."""
    rows = defined(pick(report, "judge", bias=SYSTEMS, question=question), "value")
    rows = [row for row in rows if row["group"] != "all"]
    if not rows:
        return ""
    worst = max(rows, key=lambda row: abs(row["value"]))
    if not worst["value"]:
        return f"No judge differs from people on any system, on {question}."
    side = "above" if worst["value"] > 0 else "below"
    return (
        f"{worst['evaluator']} is furthest from people on {worst['group']}: {question} "
        f"{with_interval(worst | _far(worst), 'far')} points {side} their mean."
    )


def _far(row):
    """Return a row's distance without its sign, and the ends of the interval of that distance."""
    ends = (row["low"], row["high"]) if row["value"] > 0 else (-row["high"], -row["low"])
    return {"far": abs(row["value"]), "low": ends[0], "high": ends[1]}


def headline(answers, options, judges):
    """Return the largest difference of a judge from people on a system, on the first question."""
    keys = [q.key for q in answers.questions if q.scale.is_ordered]
    if not judges or not keys:
        return no_value("no question has a scale with an order") if judges else NO_JUDGE
    report = bias(answers, options, keys[:1], [SYSTEMS])
    rows = [row for row in report.rows if not isnan(row["value"]) and row["group"] != "all"]
    if not rows:
        return no_value(f"no difference from people on {keys[0]}{first_of(keys)}")
    worst = max(rows, key=lambda row: abs(row["value"]))
    how = "above" if worst["value"] > 0 else "below"
    words = (
        f"largest bias for a system: {worst['evaluator']} stands {how} people on {worst['group']}, "
        f"{keys[0]}{first_of(keys)}, n = {worst['n']:,} items"
    )
    return leading_point(worst["value"]), interval(worst["low"], worst["high"]), words


KIND = Kind(
    name="bias",
    title="Bias",
    method=(
        "Where judges err in one direction: with long texts, with single systems or recipients, by "
        "the place of a list; how far a map onto people's scale would help; and how often a judge "
        "contradicts itself or says nothing that can be read."
    ),
    formula=[
        "Length: least squares of judge − people on the text's length; se by cluster, "
        "se² = c · Σ_g (Σ_i (x_i − x̄) e_i)² / Sxx², c = G/(G − 1) · (N − 1)/(N − 2), t with G − 1 "
        "degrees of freedom.",
        "Systems, recipients: mean of judge − people; over recipients the standard deviation of "
        "their means.",
        "Calibration: least-squares map that never falls, fitted on other folds; mean |map − "
        "people| against mean |judge − people| on the same items.",
        "Position: share of the answers that differ between two orders. Test–retest: share of "
        "equal pairs of samples, ICC(1,1), mean SD of an answer's samples.",
        "Failures: judgments without a value / all that were asked and settled.",
    ],
    source=(
        "Liang & Zeger (1986), Cameron & Miller (2015); Barlow et al. (1972); Chernozhukov et al. "
        "(2018) for cross-fitting; Wilson (1927)."
    ),
    options=DeviationOptions,
    build=bias,
    list_parts=list_parts,
    layout=layout,
    find=find,
    headline=headline,
)
