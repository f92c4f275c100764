"""Report how far a recommender's lists change with changes of its prompt that should not matter.

Tables 2 to 4 of Khirbat, Ren, Castells & Sanderson (2024), with counts and largest changes.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from math import isnan, nan

import numpy as np

from analysis.answers.lists import K_SWEEP, L_SWEEP, RELATIONS_PLAN, Lists
from analysis.figures.boxes import boxes
from analysis.figures.dots import dot_figure
from analysis.figures.frame import span
from analysis.figures.layout import Figure, Layout, Table, Words, cell_of, listing
from analysis.figures.looks import Looks
from analysis.options.choices import ALL
from analysis.options.common import Drawn
from analysis.options.declare import choice, number
from analysis.reports.base import (
    Entry,
    Report,
    draw_notes,
    group_by,
    pivot,
    reason_notes,
)
from analysis.reports.kind import ReportObject, Shown
from analysis.reports.metamorphic.changed_lists import (
    MATCHED,
    MEASURES,
    OVERLAP,
    RBO,
    TAU,
    TAU_COMMON,
    TAU_OPTIMISTIC,
    ComparedLists,
    why_no_list,
)
from analysis.reports.words import chance, notes_beside
from analysis.stats.comparison.differences import holm
from analysis.stats.intervals.bootstrap import draw_counts
from analysis.stats.ranked_lists.iterations import MOST_EXACT, sign_flip, welch
from annotate.templatetags.concord import interval, leading_point, share
from judges.perturbations.relations import NO_CHANGE, RELATIONS

COUNTS, LARGEST = "counts", "largest_change"
PARTS = {
    RELATIONS_PLAN: "relations (table 4)",
    K_SWEEP: "number asked for, k (table 2)",
    L_SWEEP: "number shown, l (table 3)",
    COUNTS: "what replies lacked",
    LARGEST: "largest changes",
}
SETTING = ("evaluator", "plan", "k", "l")
CELL = ("evaluator", "relation", "cell", "k", "l")
P_VALUES = ("p", "p_holm", "p_permutation", "p_permutation_holm")
BLANK = (
    dict.fromkeys(("part", "evaluator", "relation", "cell", "measure"), "")
    | dict.fromkeys(("k", "l", "n", "iterations", "lists", "skipped", "iteration"))
    | dict.fromkeys(("value", "low", "high", "sd", *P_VALUES), nan)
    | dict.fromkeys(("why", "recipient", "baseline", "list"), "")
)
NO_LIST, SHORT_LIST = "no_list", "short"
# What a row of counts is of, by the attribute of a list that has it.
OF_ENTRIES = {
    "unmatched": "unmatched",
    "from_history": "known",
    "repeated": "repeated",
    "extra": "extra",
}
MOST_CHANGED = 3  # recipients of a relation
BETWEEN = " | "
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
NO_LISTS = (
    "No recommender has been asked for lists: make a judge of the method recommender and run it "
    "with relations, or with a sweep of k or l."
)
NO_LIST_COMPARED = (
    "no list can be compared with its recipient’s baseline list; what replies lacked says why."
)
NO_NOISE = (
    "The same prompt was not asked again, so that a change cannot be told from the noise of "
    "sampling: no p."
)
DEFAULT_PERSISTENCE = 0.9
say = notes_beside(__file__, "metamorphic")


@dataclass(frozen=True, kw_only=True)
class MetamorphicOptions(Drawn):
    """Options of comparing lists.

    persistence: of rank-biased overlap; entries: that are compared, "all" or those "matched" to
    the catalogue.
    """

    persistence: float = number(
        DEFAULT_PERSISTENCE,
        0.01,
        0.99,
        "Persistence p of RBO",
        f"p of rank-biased overlap; default {DEFAULT_PERSISTENCE}",
    )
    entries: str = choice(
        ALL,
        "Entries compared",
        "all (default), or matched: those of the catalogue alone",
        [(ALL, "all"), (MATCHED, "matched to the catalogue")],
    )


class Metamorphic(ReportObject):
    """Rows of one fact each, told apart by `part`; none where nobody was asked for lists."""

    name, title, options = "metamorphic", "Metamorphic evaluation", MetamorphicOptions
    watch, needs_ratings, of_judges = Lists.known_by, False, False

    def list_parts(self, questions):
        """Return the tables of which the page shows one, or all."""
        return Shown("table", "Table", [(ALL, "all"), *PARTS.items()])

    def build(self, answers, options, parts=None):
        """Compute the report. parts: some of PARTS; all where none is named."""
        report = Report(self.name, answers.study.slug, options.as_dict())
        beside = answers.beside or Lists(answers.study)
        lists = [own for own in beside.select_part(options.part) if _is_asked_for(own, options)]
        for _, some in groupby(lists, key=lambda listed: facts_of(listed, SETTING)):
            _add_setting(report, list(some), options)
        wanted = PARTS if not parts or ALL in parts else parts
        report.entries = [entry for entry in report.entries if entry.row["part"] in wanted]
        # What the pages show last comes last; within a part the order stays.
        parts_there = dict.fromkeys(row["part"] for row in report.rows)
        order = sorted(parts_there, key=lambda part: part in (COUNTS, LARGEST))
        report.entries.sort(key=lambda entry: order.index(entry.row["part"]))
        report.verdict = [*_sentences(report)] if lists else [NO_LISTS]
        report.notes = [*_notes(report, lists, options)] if lists else []
        return report

    def layout(self, report, table, looks):
        """Return the page of one table, or of all."""
        by_part = group_by(report.entries, "part")
        figures, tables = [], []
        for number_of_part, part in enumerate(CAPTIONS):
            settings = _by_setting(by_part[part])
            for place, (about, entries) in enumerate(settings.items()):
                key, lines = f"{number_of_part}-{place}", _lines(part, entries)
                figures += _means(key, part, about, lines)
                tables.append(_table_of_means(part, about, lines))
                if part == RELATIONS_PLAN:
                    figures += _spreads(report, key, about, entries)
                    tables.append(_table_of_tests(about, lines))
        tables.append(_table_of_counts(by_part[COUNTS]))
        for about, entries in _by_setting(by_part[LARGEST]).items():
            names = [entry.row["recipient"] for entry in entries]
            caption = (
                "Largest changes: of each relation the recipients with the lowest mean RBO, and "
                f"their list that changed most. {_in_words(*about)}."
            )
            tables.append(listing(caption, "Recipient", names, entries, LARGEST_COLUMNS))
        return Layout(figures, tables)


def facts_of(listed, names=CELL):
    return {name: getattr(listed, name) for name in names}


def _is_asked_for(listed, options):
    """Return whether the options leave the list's recipient in.

    Conditions on other columns are about items, which lists are not.
    """
    kept = [value for column, value in options.only if column == "recipient"]
    left = [value for column, value in options.exclude if column == "recipient"]
    return listed.recipient not in left and all(listed.recipient == value for value in kept)


def _add(report, part, facts, reason="", undefined_draws=0):
    row = BLANK | {"part": part} | facts
    report.add(row, reason=reason, kind="judge", undefined_draws=undefined_draws)


def _add_setting(report, lists, options):
    """Add the rows of one recommender, plan and size: each cell against the baseline lists."""
    people = sorted({listed.recipient for listed in lists if not listed.is_baseline})
    baselines = {listed.recipient: listed for listed in lists if listed.is_baseline}
    counts, cells = None, []
    if options.draws and people:
        counts = draw_counts(len(people), options.draws, np.random.default_rng(options.seed))
    for _, some in groupby(lists, key=lambda listed: listed.cell):
        own = list(some)
        _add_counts(report, own)
        if asked := [listed for listed in own if not listed.is_baseline]:
            cells.append(ComparedLists(asked, baselines, people, options, counts))
    for measure in MEASURES:
        _add_measure(report, measure, cells, options.seed)
    if lists[0].plan == RELATIONS_PLAN:
        for own in cells:
            if own.listed.relation != NO_CHANGE:
                _add_largest(report, own, baselines)


def _add_measure(report, measure, cells, seed):
    """Add a row for each cell on one measure; Holm over the cells compared with no change."""
    relations = [own for own in cells if own.listed.plan == RELATIONS_PLAN]
    unchanged = next((own for own in relations if own.listed.relation == NO_CHANGE), None)
    changed = [own for own in relations if own.listed.relation != NO_CHANGE]
    tests = {own.listed.cell: _test(measure, own, unchanged, seed) for own in changed}
    p, p_permutation = ([test[place] for test in tests.values()] for place in (0, 1))
    columns = p, holm(p).tolist(), p_permutation, holm(p_permutation).tolist()
    p_values = dict(zip(tests, zip(*columns, strict=True), strict=True))
    for own in cells:
        of_iterations, skipped = own.means[measure], own.skipped[measure]
        mean, n_skipped = of_iterations.mean, skipped.total()
        facts = {"value": mean.value, "low": mean.low, "high": mean.high, "sd": of_iterations.sd}
        facts |= {"measure": measure, "n": mean.n, "iterations": mean.groups - mean.skipped}
        facts |= {"lists": len(own.by_place) - n_skipped, "skipped": n_skipped}
        facts |= {"why": _counted(skipped)} | facts_of(own.listed)
        reasons = [mean.reason]
        if own.listed.cell in tests:
            facts |= dict(zip(P_VALUES, p_values[own.listed.cell], strict=True))
            reasons.append(tests[own.listed.cell][-1])
        reason = "; ".join(filter(None, reasons))
        _add(report, own.listed.plan, facts, reason, mean.undefined_draws)
        key = own.listed.plan, own.listed.evaluator, own.listed.k, own.listed.l, measure
        means = own.of_people(measure)
        report.curves.setdefault(key, {})[own.listed.cell] = means[~np.isnan(means)].tolist()


def _test(measure, own, unchanged, seed):
    """Return (p of Welch's test, p of the permutation test, why the first is undefined)."""
    if unchanged is None:
        return nan, nan, "no p: the same prompt was not asked again"
    tested = welch(own.means[measure].means, unchanged.means[measure].means)
    apart = own.of_people(measure) - unchanged.of_people(measure)
    why = f"no p of Welch's test: {tested.reason}" if tested.reason else ""
    return tested.p, sign_flip(apart, np.random.default_rng(seed)).p, why


def _add_counts(report, lists):
    """Add rows of one cell: lists that are missing or short, and entries of each strange kind."""
    there = [listed for listed in lists if listed.is_parsed]
    short = sum(len(listed.entries) < listed.k for listed in there)
    totals = {
        measure: sum(getattr(listed, name) for listed in there)
        for measure, name in OF_ENTRIES.items()
    }
    kept = sum(len(listed.entries) for listed in there)
    named = kept + totals["repeated"] + totals["extra"]
    sizes = {NO_LIST: len(lists), SHORT_LIST: len(there), "repeated": named, "extra": named}
    for measure, n in ({NO_LIST: len(lists) - len(there), SHORT_LIST: short} | totals).items():
        why = _no_lists(lists) if measure == NO_LIST else ""
        facts = {"measure": measure, "value": float(n), "n": sizes.get(measure, kept), "why": why}
        _add(report, COUNTS, facts | {"lists": len(lists)} | facts_of(lists[0]))


def _add_largest(report, own, baselines):
    """Add the recipients of a relation with the lowest mean RBO, and their lowest list."""
    values = own.values[RBO]
    defined = ~np.isnan(values)
    means = [
        row[some].mean() if some.any() else np.inf
        for row, some in zip(values, defined, strict=True)
    ]
    for place in np.argsort(means, kind="stable")[:MOST_CHANGED]:
        if np.isinf(means[place]):
            continue
        lowest = int(np.nanargmin(values[place]))
        shown = own.by_place[int(place), lowest]
        facts = {"measure": RBO, "value": float(values[place, lowest])}
        facts |= {"n": int(defined[place].sum()), "recipient": shown.recipient}
        facts |= {"iteration": shown.iteration, "list": BETWEEN.join(shown.titles)}
        facts |= {"baseline": BETWEEN.join(baselines[shown.recipient].titles)}
        _add(report, LARGEST, facts | facts_of(own.listed))


def _counted(reasons):
    """Write how many there are of each reason, the most frequent first."""
    return "; ".join(f"{why}: {n}" for why, n in reasons.most_common())


def _no_lists(lists):
    return _counted(Counter(why_no_list(listed) for listed in lists if not listed.is_parsed))


def _sentences(report):
    """Tell under which relation each recommender's lists change most, and the noise next to it."""
    rows = [row for row in report.rows if row["part"] == RELATIONS_PLAN and row["measure"] == RBO]
    for about, some in groupby(rows, key=lambda row: (row["evaluator"], row["k"], row["l"])):
        shown = "all rated contents above the run's threshold shown"
        where = f"{about[0]}, k = {about[1]}, {f'l = {about[2]}' if about[2] else shown}"
        defined = [row for row in some if not isnan(row["value"])]
        again = [row for row in defined if row["relation"] == NO_CHANGE]
        changed = [row for row in defined if row["relation"] != NO_CHANGE]
        if not defined:
            yield f"{where}: {NO_LIST_COMPARED}"
        if not changed:
            continue
        worst = min(changed, key=lambda row: row["value"])
        of = (
            f", against {again[0]['value']:.2f} where the same prompt is asked again"
            if again
            else ""
        )
        yield (
            f"{where}: lists change most under “{label_of(worst)}”, to a mean rank-biased overlap "
            f"(RBO) of {worst['value']:.2f}{of}."
        )
        if not again:
            yield f"{where}: {NO_NOISE}"


def label_of(row):
    """Name a relation in words; another wording also by the name of its prompt."""
    relation = RELATIONS.get(row["relation"])
    if relation and relation.acts_on == "words":
        return f"{relation.label}: {row['cell'].partition('=')[2]}"
    return relation.label if relation else row["cell"]


def _notes(report, lists, options):
    yield from (say("compared"), say("measures"), say("rbo", p=options.persistence))
    yield say(options.entries)
    if any(row["part"] == RELATIONS_PLAN for row in report.rows):
        yield say("tests", most=MOST_EXACT)
    if lost := _no_lists(lists):
        yield f"No list to compare, of {len(lists):,}: {lost}."
    columns = {column for column, _ in (*options.only, *options.exclude) if column != "recipient"}
    if columns or options.by not in ("", "recipient"):
        yield say("no_items")
    yield from draw_notes(report, options.draws)
    yield from reason_notes(report, ["part", "evaluator", "cell", "measure"])


def _by_setting(entries):
    """Return {(recommender, k, l): its entries}; what a sweep varies is None."""
    groups: dict = {}
    for entry in entries:
        row = entry.row
        k = None if row["part"] == K_SWEEP else row["k"]
        l = None if row["part"] == L_SWEEP else row["l"]  # noqa: E741 - the literature's name
        groups.setdefault((row["evaluator"], k, l), []).append(entry)
    return groups


def _in_words(name, k, l):  # noqa: E741
    sizes = [] if k is None else [f"k = {k}"]
    if l is not None:
        sizes.append(f"l = {l}" if l else "all above the run’s threshold shown")
    return ", ".join([name, *sizes])


def _lines(part, entries):
    """Return {words of a line: {measure: entry}}: relations, or the sizes of a sweep.

    A relation is named with its options where several cells have it.
    """
    cells = Counter(e.row["relation"] for e in entries if e.row["measure"] == RBO)
    lines: dict = {}
    for entry in entries:
        row, relation = entry.row, RELATIONS.get(entry.row["relation"])
        name = label_of(row)
        if part == K_SWEEP:
            name = f"k = {row['k']}"
        elif part == L_SWEEP:
            name = f"l = {row['l'] or 'all'}"
        elif cells[row["relation"]] > 1 and relation and name == relation.label:
            name = f"{name} ({row['cell']})"
        lines.setdefault(name, {})[row["measure"]] = entry
    return lines


def _table_of_means(part, about, lines):
    """Tabulate each measure's mean with the standard deviation of the iterations, as the paper."""
    cells = []
    for name, by_measure in lines.items():
        row = by_measure[RBO].row
        means = [_mean_sd(by_measure[measure].row) for measure in IN_TABLE]
        cells.append((name, [*means, f"{row['n']:,}", f"{row['iterations']:,}"]))
    caption = (
        f"{CAPTIONS[part]}: mean over iterations (standard deviation) and 95 % interval by "
        f"recipient. {_in_words(*about)}."
    )
    headings = [*(f"{NAMES[measure]} (SD)" for measure in IN_TABLE), "Recipients", "Iterations"]
    return Table(caption, headings, cells, [], {K_SWEEP: "k", L_SWEEP: "l"}.get(part, "Method"))


def _mean_sd(row):
    if isnan(row["value"]):
        return "–"
    spread = "–" if isnan(row["sd"]) else leading_point(row["sd"], DIGITS)
    mean = f"{leading_point(row['value'], DIGITS)} ({spread})"
    return f"{mean} {interval(row['low'], row['high'])}".rstrip()


def _table_of_tests(about, lines):
    """Tabulate both tests of each relation and measure, and what is missing."""
    cells = []
    for name, by_measure in lines.items():
        for measure, entry in by_measure.items():
            row = entry.row
            is_changed = row["relation"] != NO_CHANGE
            numbers = [chance(row[key]) if is_changed else "" for key in P_VALUES]
            sizes = [f"{row['n']:,}", f"{row['lists']:,}", Words(row["why"] or "none")]
            cells.append((name, [Words(NAMES[measure]), cell_of(entry), *numbers, *sizes]))
    headings = [Words("Measure"), "Mean", "Welch p", "Holm", "Permutation p", "Holm"]
    headings += ["Recipients", "Lists", Words("Left out")]
    caption = (
        "Tests against the same prompt again, by iteration (Welch) and by recipient. "
        f"{_in_words(*about)}."
    )
    return Table(caption, headings, cells, [], "Method")


def _table_of_counts(entries):
    """Tabulate missing and short lists, and strange entries, by recommender, size and relation."""
    lines = []
    for by_measure in pivot(entries, *CELL, column="measure").values():
        own = {measure: entry.row for measure, entry in by_measure.items()}
        lost, asked = own[NO_LIST]["value"], own[NO_LIST]["n"]
        about = _in_words(*(own[NO_LIST][name] for name in ("evaluator", "k", "l")))
        cells = [Words(about), f"{lost:,.0f} of {asked:,} ({share(lost, asked)})"]
        cells += [Words(own[NO_LIST]["why"] or "–"), f"{own[SHORT_LIST]['value']:,.0f}"]
        cells += [f"{own[key]['value']:,.0f} of {own[key]['n']:,}" for key in OF_ENTRIES]
        lines.append((label_of(own[NO_LIST]), cells))
    headings = [Words("Recommender"), "No list", Words("Why"), "Short"]
    headings += ["Unmatched", "From history", "Said twice", "Beyond k"]
    caption = "What replies lacked: lists without k entries, and entries of each strange kind."
    return Table(caption, headings, lines, [], "Method")


def _numbered(text):
    entries = enumerate(text.split(BETWEEN), 1)
    return Words("  ".join(f"{number}. {entry}" for number, entry in entries) or "–")


LARGEST_COLUMNS = {
    Words("Method"): lambda entry: Words(label_of(entry.row)),
    "Iteration": lambda entry: f"{entry.row['iteration']}",
    "RBO": cell_of,
    Words("Baseline list"): lambda entry: _numbered(entry.row["baseline"]),
    Words("List"): lambda entry: _numbered(entry.row["list"]),
}


def _means(key, part, about, lines):
    """Draw the means of each line with their intervals."""
    drawn = [
        Entry(by_measure[measure].row | {"method": name, "words": NAMES[measure]})
        for name, by_measure in lines.items()
        for measure in IN_TABLE
    ]
    caption = f"{CAPTIONS[part]}. {_in_words(*about)}. Lines: 95 % intervals by recipient."
    shown = drawn, "method", "words", Looks([]), "Likeness to the baseline list"
    return dot_figure(f"means-{key}", caption, *shown, of="recipients")


def _spreads(report, key, about, entries):
    """Draw how the recipients' means spread, of each relation."""
    name, k, l = about  # noqa: E741
    names = {entry.row["cell"]: label_of(entry.row) for entry in entries}
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
                f"and the mean as a dashed line. {_in_words(*about)}."
            )
            yield Figure(f"spread-{measure}-{key}", caption, plot)


METAMORPHIC = Metamorphic()
KIND = METAMORPHIC.kind()
