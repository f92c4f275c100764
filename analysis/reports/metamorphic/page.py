"""Show metamorphic evaluation: tables 2 to 4 of the paper, counts and largest changes."""

from collections import Counter
from math import isnan

from analysis.answers.lists import K_SWEEP, L_SWEEP, RELATIONS_PLAN, Lists
from analysis.figures.boxes import boxes
from analysis.figures.dots import dots
from analysis.figures.frame import span
from analysis.figures.layout import Cell, Figure, Layout, Table, Words, n_words
from analysis.figures.looks import Looks
from analysis.options.choices import ALL
from analysis.reports.kind import Kind, Shown, no_value
from analysis.reports.metamorphic.changed_lists import OVERLAP, RBO, TAU, TAU_COMMON, TAU_OPTIMISTIC
from analysis.reports.metamorphic.list_changes import (
    COUNTS,
    LARGEST,
    NO_LIST,
    OF_ENTRIES,
    SHORT_LIST,
)
from analysis.reports.metamorphic.options import MetamorphicOptions
from analysis.reports.metamorphic.report import label_of, metamorphic
from analysis.reports.words import chance
from annotate.templatetags.concord import interval, leading_point, share
from judges.perturbations.relations import NO_CHANGE, RELATIONS

PARTS = {
    RELATIONS_PLAN: "relations (table 4)",
    K_SWEEP: "number asked for, k (table 2)",
    L_SWEEP: "number shown, l (table 3)",
    COUNTS: "what replies lacked",
    LARGEST: "largest changes",
}
NAMES = {
    TAU: "Kendall’s τ, top k",
    TAU_COMMON: "Kendall’s τ, common",
    RBO: "RBO",
    OVERLAP: "Overlap",
    TAU_OPTIMISTIC: "Kendall’s τ, top k, optimistic",
}
IN_TABLE = (TAU, TAU_COMMON, RBO, OVERLAP)
DIGITS = 4  # as the paper prints them
CAPTIONS = {
    RELATIONS_PLAN: "Table 4. Lists of a changed prompt beside the baseline list",
    K_SWEEP: "Table 2. The same prompt again, by how many contents are asked for",
    L_SWEEP: "Table 3. The same prompt again, by how many rated contents are shown",
}
AGAIN = "the same prompt again"


def list_parts(questions):
    """Return the tables of which the page shows one, or all."""
    return Shown("table", "Table", [(ALL, "all"), *PARTS.items()])


def layout(report, table, looks):
    """Return the page of one table, or of all."""
    entries_by_part: dict = {}
    for entry in report.entries:
        entries_by_part.setdefault(entry.row["part"], []).append(entry)
    tables = []
    for part in CAPTIONS:
        for about, entries in _settings(entries_by_part.get(part, [])).items():
            tables.append(_measures(part, about, entries))
            if part == RELATIONS_PLAN:
                tables.append(_tests(about, entries))
    tables += [
        _counts(entries_by_part.get(COUNTS, [])),
        *_largest(entries_by_part.get(LARGEST, [])),
    ]
    return Layout(_figures(report, entries_by_part), tables)


def _settings(entries):
    """Return {(recommender, k, l): its entries}; what a sweep varies is None."""
    groups: dict = {}
    for entry in entries:
        row = entry.row
        k = None if row["part"] == K_SWEEP else row["k"]
        l = None if row["part"] == L_SWEEP else row["l"]  # noqa: E741 - the literature's name
        groups.setdefault((row["evaluator"], k, l), []).append(entry)
    return groups


def _about(name, k, l):  # noqa: E741
    sizes = [] if k is None else [f"k = {k}"]
    if l is not None:
        sizes.append(f"l = {l}" if l else "all above the run’s threshold shown")
    return ", ".join([name, *sizes])


def _lines(part, entries):
    """Return {words of a line: {measure: entry}}: relations, or the sizes of a sweep."""
    doubled = Counter(e.row["relation"] for e in entries if e.row["measure"] == RBO)
    lines: dict = {}
    for entry in entries:
        row = entry.row
        if part == K_SWEEP:
            name = f"k = {row['k']}"
        elif part == L_SWEEP:
            name = f"l = {row['l'] or 'all'}"
        else:
            name = cell_name(row, doubled[row["relation"]] > 1)
        lines.setdefault(name, {})[row["measure"]] = entry
    return lines


def cell_name(row, is_doubled=False):
    """Name a relation in words, with its options if several cells have it."""
    label, relation = label_of(row), RELATIONS.get(row["relation"])
    is_told = relation is None or label != relation.label
    return f"{label} ({row['cell']})" if is_doubled and not is_told else label


def _measures(part, about, entries):
    """Tabulate each measure's mean with the standard deviation of the iterations, as the paper."""
    lines = []
    for name, by_measure in _lines(part, entries).items():
        cells = [_mean_sd(by_measure.get(measure)) for measure in IN_TABLE]
        row = by_measure[RBO].row
        lines.append((name, [*cells, f"{row['n']:,}", f"{row['iterations']:,}"]))
    caption = (
        f"{CAPTIONS[part]}: mean over iterations (standard deviation) and 95 % interval by "
        f"recipient. {_about(*about)}."
    )
    headings = [*(f"{NAMES[measure]} (SD)" for measure in IN_TABLE), "Recipients", "Iterations"]
    corner = {K_SWEEP: "k", L_SWEEP: "l"}.get(part, "Method")
    return Table(caption, headings, lines, [], corner)


def _mean_sd(entry):
    if entry is None or isnan(entry.row["value"]):
        return "–"
    row = entry.row
    value, spread = leading_point(row["value"], DIGITS), "–"
    if not isnan(row["sd"]):
        spread = leading_point(row["sd"], DIGITS)
    return f"{value} ({spread}) {interval(row['low'], row['high'])}".rstrip()


def _tests(about, entries):
    """Tabulate both tests of each relation and measure, and what is missing."""
    lines = []
    for name, by_measure in _lines(RELATIONS_PLAN, entries).items():
        for measure, entry in by_measure.items():
            row = entry.row
            changed = row["relation"] != NO_CHANGE
            numbers = [
                chance(row[key]) if changed else ""
                for key in ("p", "p_holm", "p_permutation", "p_permutation_holm")
            ]
            cell = Cell(row, row["value"], entry.reason)
            sizes = [f"{row['n']:,}", f"{row['lists']:,}", Words(row["why"] or "none")]
            lines.append((name, [Words(NAMES[measure]), cell, *numbers, *sizes]))
    headings = [
        Words("Measure"),
        "Mean",
        "Welch p",
        "Holm",
        "Permutation p",
        "Holm",
        "Recipients",
        "Lists",
        Words("Left out"),
    ]
    caption = f"Tests against {AGAIN}, by iteration (Welch) and by recipient. {_about(*about)}."
    return Table(caption, headings, lines, [], "Method")


def _counts(entries):
    """Tabulate missing and short lists, and strange entries, by recommender, size and relation."""
    rows: dict = {}
    for entry in entries:
        row = entry.row
        key = row["evaluator"], row["k"], row["l"], row["relation"], row["cell"]
        rows.setdefault(key, {})[row["measure"]] = row
    lines = []
    for (name, k, l, _, _), by_measure in rows.items():  # noqa: E741
        missing = by_measure[NO_LIST]
        lost, asked = missing["value"], missing["n"]
        cells = [Words(_about(name, k, l)), f"{lost:,.0f} of {asked:,} ({share(lost, asked)})"]
        cells.append(Words(missing["why"] or "–"))
        cells.append(f"{by_measure[SHORT_LIST]['value']:,.0f}")
        cells += [
            f"{by_measure[measure]['value']:,.0f} of {by_measure[measure]['n']:,}"
            for measure in OF_ENTRIES
        ]
        lines.append((cell_name(missing), cells))
    headings = [
        Words("Recommender"),
        "No list",
        Words("Why"),
        "Short",
        "Unmatched",
        "From history",
        "Said twice",
        "Beyond k",
    ]
    caption = "What replies lacked: lists without k entries, and entries of each strange kind."
    return Table(caption, headings, lines, [], "Method")


def _largest(entries):
    """Yield a table for each recommender and size with both lists side by side."""
    for about, some in _settings(entries).items():
        lines = [
            (
                entry.row["recipient"],
                [
                    Words(cell_name(entry.row)),
                    f"{entry.row['iteration']}",
                    Cell(entry.row, entry.row["value"]),
                    Words(_numbered(entry.row["baseline"])),
                    Words(_numbered(entry.row["list"])),
                ],
            )
            for entry in some
        ]
        headings = [Words("Method"), "Iteration", "RBO", Words("Baseline list"), Words("List")]
        caption = (
            "Largest changes: of each relation the recipients with the lowest mean RBO, and their "
            f"list that changed most. {_about(*about)}."
        )
        yield Table(caption, headings, lines, [], "Recipient")


def _numbered(text):
    return (
        "  ".join(f"{number}. {entry}" for number, entry in enumerate(text.split(" | "), 1)) or "–"
    )


def _figures(report, entries_by_part):
    """Draw table 4, the spread over recipients, and each sweep."""
    figures = []
    for number, part in enumerate(CAPTIONS):
        for place, (about, entries) in enumerate(_settings(entries_by_part.get(part, [])).items()):
            figures += _dots(f"{number}-{place}", part, about, entries)
            if part == RELATIONS_PLAN:
                figures += _spreads(report, f"{number}-{place}", about, entries)
    return figures


def _dots(key, part, about, entries):
    drawn = []
    for name, by_measure in _lines(part, entries).items():
        for measure in IN_TABLE:
            if measure in by_measure and not isnan(by_measure[measure].row["value"]):
                row = by_measure[measure].row | {"method": name, "words": NAMES[measure]}
                drawn.append(type(by_measure[measure])(row))
    if not drawn:
        return []
    title = f"Likeness to the baseline list (n = {n_words(drawn).removeprefix('n = ')} recipients)"
    plot = dots(drawn, "method", "words", Looks([]), title)
    caption = f"{CAPTIONS[part]}. {_about(*about)}. Lines: 95 % intervals by recipient."
    return [Figure(f"means-{key}", caption, plot)]


def _spreads(report, key, about, entries):
    name, k, l = about  # noqa: E741
    names = {entry.row["cell"]: cell_name(entry.row, is_doubled=False) for entry in entries}
    if len(set(names.values())) < len(names):
        names = {cell: cell for cell in names}
    for measure in (RBO, TAU):
        spreads = report.curves.get((RELATIONS_PLAN, name, k, l, measure), {})
        some = {cell: values for cell, values in spreads.items() if values and cell in names}
        if some:
            sizes = span(len(values) for values in some.values())
            plot = boxes(some, f"{NAMES[measure]} of a recipient (n = {sizes})", names)
            caption = (
                f"{NAMES[measure]} by recipient, each the mean over iterations: quartiles, median, "
                f"and the mean as a dashed line. {_about(*about)}."
            )
            yield Figure(f"spread-{measure}-{key}", caption, plot)


def headline(answers, options, judges):
    """Return the lowest mean RBO under a relation."""
    report = metamorphic(answers, options, [RELATIONS_PLAN])
    rows = [row for row in report.rows if row["measure"] == RBO and not isnan(row["value"])]
    changed = [row for row in rows if row["relation"] != NO_CHANGE]
    if not report.rows:
        return no_value("no recommender has been asked for lists")
    if not changed:
        return no_value("no list of a changed prompt can be compared")
    worst = min(changed, key=lambda row: row["value"])
    words = (
        f"lowest mean RBO under a relation: {cell_name(worst)}, {worst['evaluator']}, "
        f"n = {worst['n']:,} recipients"
    )
    return leading_point(worst["value"]), interval(worst["low"], worst["high"]), words


KIND = Kind(
    name="metamorphic",
    title="Metamorphic evaluation",
    method=(
        "How far a recommender’s lists change where its prompt is changed in a way that should not "
        "matter, or not at all: each list beside the recipient’s baseline list, by Kendall’s τ, "
        "rank-biased overlap and overlap."
    ),
    formula=[
        "tau_topk = 1 − 2K/(k² + k(k − 1)/2), K = Fagin’s K^(½) (optimistic: K^(0)); tau_common = "
        "Kendall’s τ on the intersection; overlap = |A ∩ B|/k.",
        "RBO = (1 − p)/p · (Σ_d≤l X_d/d · p^d + Σ_s<d≤l X_s(d − s)/(s d) · p^d) + ((X_l − X_s)/l + "
        "X_s/s) · p^l, X_d entries that the first d places share, s and l the lists’ lengths.",
        "An observation is an iteration’s mean over recipients; mean and SD (ddof 1) over "
        "iterations; interval: recipients drawn again, percentiles.",
        "Welch: t = (x̄ − ȳ)/√(s²_x/R + s²_y/R′) over iterations; permutation: signs of recipients’ "
        "differences from the same prompt again; Holm over relations.",
    ],
    source=(
        "Khirbat, Ren, Castells & Sanderson (2024), Metamorphic Evaluation of ChatGPT as a "
        "Recommender System; Fagin, Kumar & Sivakumar (2003); Webber, Moffat & Zobel (2010); "
        "Welch (1947); Fisher (1935); Holm (1979)."
    ),
    options=MetamorphicOptions,
    build=metamorphic,
    list_parts=list_parts,
    layout=layout,
    headline=headline,
    watch=Lists.known_by,
    needs_ratings=False,
)
