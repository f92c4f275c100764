"""The page of metamorphic evaluation: tables 2 to 4 of the paper, and what stands beside them."""

from collections import Counter
from math import isnan

from analysis.answers.lists import K_SWEEP, L_SWEEP, RELATIONS_PLAN, Lists
from analysis.figures.boxes import boxes
from analysis.figures.dots import dots, span
from analysis.figures.layout import Cell, Figure, Layout, Table, Words, n_words
from analysis.figures.looks import Looks
from analysis.options.form import ALL
from analysis.reports.kind import Kind, Shown, no_value
from analysis.reports.metamorphic.changed_lists import OVERLAP, RBO, TAU, TAU_COMMON, TAU_OPTIMISTIC
from analysis.reports.metamorphic.list_changes import (
    COUNTS,
    LARGEST,
    NO_LIST,
    OF_ENTRIES,
    SHORT_LIST,
)
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


def shown(questions):
    return Shown("table", "Table", [(ALL, "all"), *PARTS.items()])


def layout(report, table, looks):
    of: dict = {}
    for entry in report.entries:
        of.setdefault(entry.row["part"], []).append(entry)
    tables = []
    for part in CAPTIONS:
        for about, entries in _settings(of.get(part, [])).items():
            tables.append(_measures(part, about, entries))
            if part == RELATIONS_PLAN:
                tables.append(_tests(about, entries))
    tables += [_counts(of.get(COUNTS, [])), *_largest(of.get(LARGEST, []))]
    return Layout(_figures(report, of), tables)


def _settings(entries):
    """{(recommender, k, l): its entries}; of a sweep what is swept is blank."""
    found: dict = {}
    for entry in entries:
        row = entry.row
        k = None if row["part"] == K_SWEEP else row["k"]
        l = None if row["part"] == L_SWEEP else row["l"]  # noqa: E741 - the literature's name
        found.setdefault((row["evaluator"], k, l), []).append(entry)
    return found


def _about(name, k, l):  # noqa: E741
    sizes = [] if k is None else [f"k = {k}"]
    if l is not None:
        sizes.append(f"l = {l}" if l else "all above the run’s threshold shown")
    return ", ".join([name, *sizes])


def _lines(part, entries):
    """{words of a line: {measure: entry}}: relations, or what is swept."""
    doubled = Counter(e.row["relation"] for e in entries if e.row["measure"] == RBO)
    found: dict = {}
    for entry in entries:
        row = entry.row
        if part == K_SWEEP:
            name = f"k = {row['k']}"
        elif part == L_SWEEP:
            name = f"l = {row['l'] or 'all'}"
        else:
            name = cell_name(row, doubled[row["relation"]] > 1)
        found.setdefault(name, {})[row["measure"]] = entry
    return found


def cell_name(row, is_doubled=False):
    """A relation in words; with its options where it is there with several."""
    label, known = label_of(row), RELATIONS.get(row["relation"])
    is_told = known is None or label != known.label
    return f"{label} ({row['cell']})" if is_doubled and not is_told else label


def _measures(part, about, entries):
    """The paper's table: each measure's mean with the standard deviation of the iterations."""
    lines = []
    for name, found in _lines(part, entries).items():
        cells = [_mean_sd(found.get(measure)) for measure in IN_TABLE]
        row = found[RBO].row
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
    """A line for each relation and measure: what the two tests say, and what is missing."""
    lines = []
    for name, found in _lines(RELATIONS_PLAN, entries).items():
        for measure, entry in found.items():
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
    """A line for each recommender, size and relation: how many of its replies lacked what."""
    rows: dict = {}
    for entry in entries:
        row = entry.row
        key = row["evaluator"], row["k"], row["l"], row["relation"], row["cell"]
        rows.setdefault(key, {})[row["measure"]] = row
    lines = []
    for (name, k, l, _, _), found in rows.items():  # noqa: E741
        missing = found[NO_LIST]
        lost, asked = missing["value"], missing["n"]
        cells = [Words(_about(name, k, l)), f"{lost:,.0f} of {asked:,} ({share(lost, asked)})"]
        cells.append(Words(missing["why"] or "–"))
        cells.append(f"{found[SHORT_LIST]['value']:,.0f}")
        cells += [
            f"{found[measure]['value']:,.0f} of {found[measure]['n']:,}" for measure in OF_ENTRIES
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
    """A table for each recommender and size: both lists side by side."""
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
    return "  ".join(f"{at}. {said}" for at, said in enumerate(text.split(" | "), 1)) or "–"


def _figures(report, of):
    """Table 4 as a picture, then the spread over recipients; sweeps as a picture each."""
    figures = []
    for at, part in enumerate(CAPTIONS):
        for place, (about, entries) in enumerate(_settings(of.get(part, [])).items()):
            figures += _dots(f"{at}-{place}", part, about, entries)
            if part == RELATIONS_PLAN:
                figures += _spreads(report, f"{at}-{place}", about, entries)
    return figures


def _dots(key, part, about, entries):
    drawn = []
    for name, found in _lines(part, entries).items():
        for measure in IN_TABLE:
            if measure in found and not isnan(found[measure].row["value"]):
                row = found[measure].row | {"method": name, "words": NAMES[measure]}
                drawn.append(type(found[measure])(row))
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
    idle=(
        "reference",
        "judges",
        "missing_reference",
        "missing_judgment",
        "undefined",
        "threshold",
        "epsilon",
        "standard_errors",
        "weighted",
        "version",
    ),
    build=metamorphic,
    shown=shown,
    layout=layout,
    headline=headline,
    own=("persistence", "entries"),
    watch=Lists.known_by,
    needs_ratings=False,
)
