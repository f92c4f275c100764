"""Show judges compared with single raters, on one question."""

from dataclasses import replace
from math import isnan

from analysis.figures.curves import MOST_CURVES, winning_rates
from analysis.figures.dots import dots
from analysis.figures.frame import span
from analysis.figures.layout import Cell, Figure, Layout, Table
from analysis.reports.kind import NO_JUDGE, Kind, best, first_of, no_value, of_questions
from analysis.reports.substitution.options import SubstitutionOptions
from analysis.reports.substitution.report import agreement_words, substitution
from annotate.templatetags.concord import interval, leading_point

list_parts = of_questions(lambda scale: scale.has_values)


def layout(report, question, looks):
    """Return the page of one question: winning rates, advantage, the human ceiling."""
    entries = sorted(report.entries, key=_rank)
    return Layout(_figures(report, entries, question, looks), _tables(entries, question))


def _rank(entry):
    value = entry.row["advantage_probability"]
    return 1 if isnan(value) else -value


def _figures(report, entries, question, looks):
    figures = []
    if any(entry.row["tested"] for entry in entries):
        epsilon = entries[0].row["epsilon"]
        plot = winning_rates(report, question, epsilon, looks)
        caption = (
            f"{question}: for each head start ε, the share of raters to whom the judge is at least "
            "equal in closeness to the other raters. Judges with the same curve share a line; "
            f"{MOST_CURVES} at most."
        )
        figures.append(Figure("epsilon", caption, plot))
        won = _as_values(entries, "advantage_probability", "low", "high", "n")
        title = f"Advantage probability (n = {_span(won)})"
        plot = dots(won, "evaluator", "question", looks, title, unit_interval=True)
        caption = f"{question}: how often a judge is at least as close to the others as a rater is."
        figures.append(Figure("advantage", caption, plot))
    parts = _as_values(entries, "difference", "difference_low", "difference_high", "ceiling_n")
    if parts:
        title = f"Judge's r less people's r (n = {_span(parts)})"
        plot = dots(parts, "evaluator", "question", looks, title)
        caption = f"{question}: the judge beside the human ceiling. Lines: 95 % intervals."
        figures.append(Figure("ceiling", caption, plot))
    return figures


def _as_values(entries, value, low, high, n):
    """Return the entries with these keys as value, low, high and n; undefined ones left out."""
    return [
        replace(
            entry,
            row={
                "evaluator": row["evaluator"],
                "question": row["question"],
                "value": row[value],
                "low": row[low],
                "high": row[high],
                "n": row[n],
            },
        )
        for entry in entries
        if not isnan((row := entry.row)[value])
    ]


def _span(entries):
    return span(entry.row["n"] for entry in entries)


def _tables(entries, question):
    test = [(entry.row["evaluator"], _test_cells(entry)) for entry in entries]
    ceiling = [(entry.row["evaluator"], _ceiling_cells(entry)) for entry in entries]
    headings = ["Passes the test", "Winning rate ω", "Raters", "Advantage probability", "Items"]
    return [
        Table(f"Alternative annotator test for {question}.", headings, test, [], "Judge"),
        Table(
            f"Human ceiling for {question}: Pearson's r with the mean of the other raters.",
            ["Judge", "People (ceiling)", "Difference", "Items"],
            ceiling,
            [],
            "Judge",
        ),
    ]


def _test_cells(entry):
    row = entry.row
    passes = {True: "yes", False: "no", None: "–"}[row["passes"]]
    no_interval = {"low": float("nan"), "high": float("nan")}
    return [
        passes,
        Cell(no_interval, row["winning_rate"], entry.reason),
        f"{row['rejected']} of {row['tested']}",
        Cell(row, row["advantage_probability"], entry.reason),
        row["n"],
    ]


def _ceiling_cells(entry):
    row = entry.row
    cells = [
        Cell({"low": row[f"{name}_low"], "high": row[f"{name}_high"]}, row[name], entry.reason)
        for name in ("agreement", "ceiling", "difference")
    ]
    return [*cells, row["ceiling_n"]]


def headline(answers, options, judges):
    """Return how often the closest judge is at least as close to the others as a rater is."""
    keys = [q.key for q in answers.questions if q.scale.has_values]
    if not judges or not keys:
        return no_value("no question has a scale to compare on") if judges else NO_JUDGE
    rows = substitution(answers, options, keys[:1]).rows
    rows = [row for row in rows if row["tested"]]
    row = best(rows, judges, "difference") or best(rows, judges, "advantage_probability")
    if row is None:
        return no_value(f"no test on {keys[0]}{first_of(keys)}: the report says why")
    words = (
        f"how often {row['evaluator']}, which follows people most closely, is at least as close "
        f"to the other raters as a rater is on {row['question']}{first_of(keys)}, "
        f"n = {row['n']:,} items; ω = {row['winning_rate']:.2f} at ε = {row['epsilon']:g}; "
        f"{agreement_words(row['question'], row)}"
    )
    return leading_point(row["advantage_probability"]), interval(row["low"], row["high"]), words


KIND = Kind(
    name="substitution",
    title="Substitution",
    method=(
        "How judges compare with single raters. The alternative annotator test asks whether the "
        "judge is at least as close to the other raters as each of them is; the human ceiling "
        "says how closely people follow one another. Where people agree little, a judge that "
        "always says the same can pass."
    ),
    formula=[
        "Closeness to the other raters of an item: −√ mean (a − r)² on ordered scales, the share "
        "of equal labels on yes/no and choice questions. The closer one of judge and rater wins "
        "the item; a tie is a win for both. d = rater's wins − judge's wins.",
        "For each rater H₀: mean d ≥ ε; t = (mean d − ε) / se, p = P(T ≤ t). Plain: "
        "se = s / √n, n − 1 degrees of freedom; by cluster: "
        "se = √(G/(G − 1) · Σ_g (Σ_i (d_i − mean d))²) / n, G − 1 degrees of freedom.",
        "ω = share of raters whose H₀ is rejected (Benjamini–Yekutieli, 5 %, all questions at "
        "once); ω ≥ 0.5 passes. Advantage probability (the source's ρ) = mean over raters of the "
        "judge's share of wins.",
        "Human ceiling: mean over raters of r between a rater and the mean of the others; the "
        "judge's r with the same means, on the same items.",
    ],
    source="Calderon, Reichart & Dror (2025), ACL; Benjamini & Yekutieli (2001).",
    options=SubstitutionOptions,
    build=substitution,
    list_parts=list_parts,
    layout=layout,
    headline=headline,
)
