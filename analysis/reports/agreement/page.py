"""Show agreement: all measures among people, and a chosen measure with each judge."""

from math import isnan

from analysis.figures.dots import dots
from analysis.figures.layout import Figure, Layout, details, n_words, table_of
from analysis.reports.agreement.report import HUMANS, OF_PAIRS, POOLED, agreement
from analysis.reports.kind import OF_SUBSTITUTION, Kind, Shown, no_value
from annotate.templatetags.concord import interval, leading_point

MEASURES = {
    "alpha_ordinal": "Krippendorff's α, ordinal",
    "alpha_nominal": "Krippendorff's α, nominal",
    "alpha_interval": "Krippendorff's α, interval",
    "percent": "percent agreement",
    "kappa": "Cohen's κ",
    "kappa_linear": "Cohen's κ, linear",
    "kappa_quadratic": "Cohen's κ, quadratic",
    "fleiss_kappa": "Fleiss' κ",
    "ac1": "Gwet's AC1",
    "ac2_quadratic": "Gwet's AC2, quadratic",
    "icc_1_1": "ICC(1)",
    "icc_a_1": "ICC(A,1)",
    "icc_c_1": "ICC(C,1)",
    "icc_1_k": "ICC(k)",
    "icc_a_k": "ICC(A,k)",
    "icc_c_k": "ICC(C,k)",
    "kendall_w": "Kendall's W",
}


def list_parts(questions):
    """Return the measures of which the page shows one with each judge."""
    return Shown("measure", "Measure with judges", list(MEASURES.items()))


def layout(report, measure, looks):
    """Return the page: a figure of the chosen measure, and tables of people and judges."""
    words = MEASURES[measure]
    people = [entry for entry in report.entries if entry.kind == HUMANS]
    joined = [entry for entry in report.entries if entry.kind == "joined"]
    chosen = [entry for entry in [*people, *joined] if entry.row["measure"] == measure]
    title = f"{words} ({n_words(chosen, 'n_units')})"
    chart = dots(chosen, "raters", "question", looks, title)
    figure = Figure("agreement", f"{words} by question. Lines: 95 % intervals.", chart)
    tables = [
        _by_measure([entry for entry in people if entry.row["raters"] == group], group)
        for group in dict.fromkeys(entry.row["raters"] for entry in people)
    ]
    tables.append(_by_raters(joined, f"{words}: people with each judge as one more rater."))
    if measure in OF_PAIRS:
        versus = [entry for entry in report.entries if entry.kind == "versus"]
        tables.append(_by_raters(versus, f"{words}: each judge with the raters of the reference."))
    return Layout([figure], [table for table in tables if table.lines], *details(report))


def _by_measure(entries, group):
    return table_of(entries, "measure", f"Agreement of {group}.", "Measure", MEASURES)


def _by_raters(entries, caption):
    return table_of(entries, "raters", caption, "Raters", {})


def headline(answers, options, judges):
    """Return ordinal α of people on the median question, with its interval."""
    report = agreement(answers, options, [])
    rows = [row for row in report.rows if row["measure"] == "alpha_ordinal"]
    rows = [row for row in rows if row["question"] != POOLED]
    rows = [row for row in rows if row["raters"] == "humans" and not isnan(row["value"])]
    if not rows:
        ordinal = any(q.scale.kind in ("likert", "binary") for q in answers.questions)
        why = "α is undefined for every question: the report says why"
        return no_value(why if ordinal else "no question has an ordinal scale for α")
    row = sorted(rows, key=lambda row: row["value"])[len(rows) // 2]
    words = (
        f"Krippendorff's ordinal α of people on {row['question']}, the median question, "
        f"n = {row['n_units']:,} items"
    )
    return leading_point(row["value"]), interval(row["low"], row["high"]), words


KIND = Kind(
    name="agreement",
    title="Agreement",
    method=(
        "How far people agree among themselves, with each judge as one more rater, and each judge "
        "with the raters of a role; several coefficients, as each has its blind spot."
    ),
    formula=[
        "percent: share of agreeing pairs of ratings, over all pairs on all items.",
        "Krippendorff's α = 1 − observed / expected disagreement; distance δ² nominal "
        "1[c ≠ k], interval (c − k)², ordinal (Σ n_g from c to k − (n_c + n_k)/2)².",
        "Cohen's κ over the whole scale: plain, linear or quadratic weights.",
        "Fleiss' κ, AC1 and AC2 = (p − e) / (1 − e): p the mean over items of the (weighted) share "
        "of agreeing pairs; with π_k the mean share of label k, e = Σ π_k² for Fleiss' κ and "
        "Σw / (q (q − 1)) · Σ π_k (1 − π_k) for AC over q labels; quadratic weights "
        "w = 1 − (places apart / (q − 1))².",
        "ICC in McGraw and Wong's forms (1), (A) and (C), of one rater and of the mean of k; "
        "with unequal k, ICC(1) takes k₀ = (N − Σk²/N)/(n − 1).",
        "Kendall's W = 12 S / (m² (n³ − n) − m Σ (t³ − t)): S the squared deviations of the rank "
        "sums of n items by m raters, t the sizes of ties.",
    ],
    source="Krippendorff (2011); Cohen (1960, 1968); Light (1971); Fleiss (1971); Gwet (2008, "
    "2014); McGraw & Wong (1996); Kendall & Gibbons (1990).",
    idle=("threshold", "undefined", "missing_reference", *OF_SUBSTITUTION),
    build=agreement,
    list_parts=list_parts,
    layout=layout,
    headline=headline,
)
