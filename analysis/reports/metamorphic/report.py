"""Report how far a recommender's lists change with changes of its prompt that should not matter.

Tables 2 to 4 of Khirbat, Ren, Castells & Sanderson (2024), with counts and largest changes.
"""

from collections import Counter
from itertools import groupby
from math import nan

import numpy as np

from analysis.answers.lists import RELATIONS_PLAN, Lists
from analysis.options.choices import ALL
from analysis.reports.base import Report, draw_notes, reason_notes
from analysis.reports.metamorphic import list_changes
from analysis.reports.metamorphic.changed_lists import MEASURES, RBO, compared, why_no_list
from analysis.reports.metamorphic.list_changes import COUNTS, LARGEST
from analysis.stats.comparison.differences import holm
from analysis.stats.intervals.bootstrap import draw_counts
from analysis.stats.ranked_lists.iterations import MOST_EXACT, mean_of_iterations, sign_flip, welch
from judges.perturbations.relations import NO_CHANGE, RELATIONS

TEXTS = ("part", "evaluator", "relation", "cell", "measure")
NUMBERS = (
    "value",
    "low",
    "high",
    "sd",
    "p",
    "p_holm",
    "p_permutation",
    "p_permutation_holm",
)
SIZES = ("k", "l", "n", "iterations", "lists", "skipped", "iteration")
WORDS = ("why", "recipient", "baseline", "list")
MATCHED = "matched"
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


def metamorphic(answers, options, parts=None):
    """Compute rows of one fact each, told apart by `part`.

    parts: relations (table 4), k_sweep (2), l_sweep (3), counts, largest_change; all where none is
    named. No rows where no recommender was asked for lists.
    """
    beside = answers.beside or Lists(answers.study)
    lists = [
        listed for listed in beside.select_part(options.part) if _is_asked_for(listed, options)
    ]
    work = Work(answers.study, options, parts)
    for _, some in groupby(
        lists, key=lambda listed: (listed.evaluator, listed.plan, listed.k, listed.l)
    ):
        _add_setting(work, list(some))
    _in_order(work.report)
    work.report.verdict = [*_verdict(work.report)] if lists else [NO_LISTS]
    work.report.notes = [*_notes(work, lists)] if lists else []
    return work.report


def _is_asked_for(listed, options):
    """Return whether the options leave the list's recipient in.

    Conditions on other columns are about items, which lists are not.
    """
    kept = [value for column, value in options.only if column == "recipient"]
    left = [value for column, value in options.exclude if column == "recipient"]
    return listed.recipient not in left and all(listed.recipient == value for value in kept)


class Work:
    """Holds what the parts of one report share."""

    def __init__(self, study, options, parts):
        self.options = options
        self.report = Report("metamorphic", study.slug, options.as_dict())
        self.wanted = None if not parts or ALL in parts else set(parts)

    def add(self, part, *, reason="", undefined_draws=0, **facts):
        """Add one row of a wanted part; columns that are not given are blank, or NaN."""
        if self.wanted is not None and part not in self.wanted:
            return
        row = {name: "" for name in TEXTS} | {name: None for name in SIZES}
        row |= {name: nan for name in NUMBERS} | {name: "" for name in WORDS}
        self.report.add(
            row | {"part": part} | facts,
            reason=reason,
            kind="judge",
            undefined_draws=undefined_draws,
        )


def _add_setting(work, lists):
    """Add the rows of one recommender, plan and size: each cell against the baseline lists."""
    options = work.options
    people = sorted({listed.recipient for listed in lists if not listed.is_baseline})
    baselines = {listed.recipient: listed for listed in lists if listed.is_baseline}
    counts = None
    if options.draws and people:
        counts = draw_counts(len(people), options.draws, np.random.default_rng(options.seed))
    cells = {}
    for cell, some in groupby(lists, key=lambda listed: listed.cell):
        own = list(some)
        list_changes.add_counts(work, own)
        if asked := [listed for listed in own if not listed.is_baseline]:
            comparison = compared(
                asked, baselines, people, options.persistence, options.entries == MATCHED
            )
            cells[cell] = (
                asked[0],
                comparison,
                {
                    measure: mean_of_iterations(comparison.values[measure], counts=counts)
                    for measure in MEASURES
                },
            )
    for measure in MEASURES:
        _add_measure(work, measure, cells)
    if lists[0].plan == RELATIONS_PLAN:
        list_changes.add_largest(work, cells, baselines)


def _add_measure(work, measure, cells):
    """Add a row for each cell on one measure; Holm over the cells compared with no change."""
    unchanged = next(
        (
            compared_cell
            for compared_cell in cells.values()
            if compared_cell[0].relation == NO_CHANGE
        ),
        None,
    )
    tests = {
        cell: _tested(work, measure, compared_cell, unchanged)
        for cell, compared_cell in cells.items()
        if compared_cell[0].plan == RELATIONS_PLAN and compared_cell[0].relation != NO_CHANGE
    }
    adjusted = [holm([test[number] for test in tests.values()]).tolist() for number in (0, 1)]
    places = {cell: number for number, cell in enumerate(tests)}
    for cell, (listed, compared_cell, means) in cells.items():
        mean, why = means[measure].mean, compared_cell.skipped[measure]
        facts = list_changes.facts_of(listed) | {
            "measure": measure,
            "value": mean.value,
            "n": mean.n,
        }
        facts |= {"low": mean.low, "high": mean.high, "sd": means[measure].sd}
        facts |= {
            "iterations": mean.groups - mean.skipped,
            "lists": compared_cell.n_lists - why.total(),
        }
        facts |= {"skipped": why.total(), "why": in_words(why)}
        reason = mean.reason
        if cell in tests:
            p, p_permutation, undefined = tests[cell]
            facts |= {"p": p, "p_permutation": p_permutation}
            facts |= {"p_holm": adjusted[0][places[cell]]}
            facts |= {"p_permutation_holm": adjusted[1][places[cell]]}
            reason = "; ".join(filter(None, (reason, undefined)))
        _keep_spread(work, measure, listed, compared_cell)
        work.add(listed.plan, reason=reason, undefined_draws=mean.undefined_draws, **facts)


def _tested(work, measure, compared_cell, unchanged):
    """Return (p of Welch's test, p of the permutation test, why the first is undefined)."""
    if unchanged is None:
        return nan, nan, "no p: the same prompt was not asked again"
    _, compared_lists, means = compared_cell
    tested = welch(means[measure].means, unchanged[2][measure].means)
    apart = of_people(compared_lists, measure) - of_people(unchanged[1], measure)
    rng = np.random.default_rng(work.options.seed)
    why = f"no p of Welch's test: {tested.reason}" if tested.reason else ""
    return tested.p, sign_flip(apart, rng).p, why


def of_people(comparison, measure):
    """Return each person's mean over the iterations (people,); NaN without any."""
    values = comparison.values[measure]
    has_value = ~np.isnan(values)
    sums = np.where(has_value, values, 0.0).sum(axis=1)
    return sums / np.where(has_value.any(axis=1), has_value.sum(axis=1), np.nan)


def _keep_spread(work, measure, listed, comparison):
    """Keep the values of people, for the figures."""
    means = of_people(comparison, measure)
    key = listed.plan, listed.evaluator, listed.k, listed.l, measure
    work.report.curves.setdefault(key, {})[listed.cell] = means[~np.isnan(means)].tolist()


def in_words(reasons):
    """Write how many there are of each reason, the most frequent first."""
    return "; ".join(f"{why}: {n}" for why, n in Counter(reasons).most_common())


def _in_order(report):
    """Sort the rows by part, as the pages have them; within a part they keep their order."""
    parts = [*dict.fromkeys(row["part"] for row in report.rows)]
    last = [part for part in (COUNTS, LARGEST) if part in parts]
    order = [part for part in parts if part not in last] + last
    report.entries.sort(key=lambda entry: order.index(entry.row["part"]))


def _verdict(report):
    """Tell under which relation each recommender's lists change most, and the noise next to it."""
    rows = [row for row in report.rows if row["part"] == RELATIONS_PLAN and row["measure"] == RBO]
    for about, some in groupby(rows, key=lambda row: (row["evaluator"], row["k"], row["l"])):
        where = f"{about[0]}, k = {about[1]}, {shown_contents(about[2])}"
        defined = [row for row in some if not np.isnan(row["value"])]
        again = [row for row in defined if row["relation"] == NO_CHANGE]
        changed = [row for row in defined if row["relation"] != NO_CHANGE]
        if not defined:
            yield f"{where}: {NO_LIST_COMPARED}"
        if not changed:
            continue
        worst = min(changed, key=lambda row: row["value"])
        of = f"{again[0]['value']:.2f} where the same prompt is asked again" if again else ""
        yield (
            f"{where}: lists change most under “{label_of(worst)}”, to a mean RBO "
            f"of {worst['value']:.2f}{f', against {of}' if of else ''}."
        )
        if not again:
            yield f"{where}: {NO_NOISE}"


def label_of(row):
    """Name a relation in words; another wording also by the name of its prompt."""
    relation = RELATIONS.get(row["relation"])
    if relation and relation.acts_on == "words":
        return f"{relation.label}: {row['cell'].partition('=')[2]}"
    return relation.label if relation else row["cell"]


def shown_contents(l):  # noqa: E741 - the literature's name for it
    """Tell in words how many rated contents the prompt shows."""
    return f"l = {l}" if l else "all rated contents above the run's threshold shown"


def _notes(work, lists):
    options, report = work.options, work.report
    yield (
        "Each list is compared with the recipient's baseline list: the first one of the prompt as "
        "it is, with the same k and l. An observation is an iteration's mean over recipients; "
        "value and sd (ddof 1) are over iterations, low and high from recipients drawn again."
    )
    yield (
        "tau_topk: 1 − 2K/(k² + k(k − 1)/2), Fagin's K with ½ for two entries that one list lacks "
        "(neutral), tau_topk_optimistic with 0 over the same denominator; a reversed top 5 has "
        ".43. tau_common: τ on the entries of both lists, whatever else they have; a reversed top "
        "5 has −1. overlap: entries of both over k, also of short replies."
    )
    yield (
        f"RBO is extrapolated, with p = {options.persistence:g}: equal lists have 1. The truncated "
        "sum would give two equal lists of 5 no more than .41 at p = .9."
    )
    yield _entries_note(options)
    yield from _test_notes(report)
    lost = Counter(why_no_list(listed) for listed in lists if not listed.is_parsed)
    if lost:
        words = "; ".join(f"{why}: {n}" for why, n in lost.most_common())
        yield f"No list to compare, of {len(lists):,}: {words}."
    columns = {column for column, _ in (*options.only, *options.exclude) if column != "recipient"}
    if columns or options.by not in ("", "recipient"):
        yield "Lists are of recipients, not items: conditions on other columns change nothing here."
    yield from draw_notes(report, options.draws)
    yield from reason_notes(report, ["part", "evaluator", "cell", "measure"])


def _entries_note(options):
    if options.entries == MATCHED:
        return "Only entries that match a content of the catalogue are compared."
    return (
        "An entry is compared as the content of the catalogue that it matches, else by its "
        "normalised text: the same unknown title twice is the same entry."
    )


def _test_notes(report):
    if not any(row["part"] == RELATIONS_PLAN for row in report.rows):
        return
    yield (
        "p: Welch's unpaired t-test of the iterations' means against those of the same prompt "
        "asked again, as in the paper; its units are iterations of these recipients, so it says "
        "nothing of other recipients. p_permutation does: differences of each recipient's mean "
        f"with random signs, all of them up to {MOST_EXACT} recipients. p_holm and "
        "p_permutation_holm: adjusted for the relations of one recommender and measure."
    )
