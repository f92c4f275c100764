"""List misjudged items: the judge finds good what people do not, or the reverse."""

from collections import Counter
from dataclasses import replace
from itertools import chain, islice, zip_longest
from math import isnan, nan

import numpy as np
from django.urls import reverse

from analysis.figures.dots import dot_figure
from analysis.figures.layout import Layout, Link, Table, cell_of, cross_table
from analysis.reports.base import group_by
from analysis.reports.shared.evaluators import evaluators
from analysis.reports.shared.labels import LabelNotes
from analysis.reports.words import notes_beside
from analysis.reports.yes_no.engine import YesNoReport, pairs_of
from analysis.stats.classification.classification import at_least
from analysis.stats.estimate import Estimate
from analysis.stats.intervals.clustered_mean import clustered_mean, means_by_group

say = notes_beside(__file__, "misjudged")
FALSE_POSITIVE, FALSE_NEGATIVE = "false positive", "false negative"
SHARE = "share"  # of false positives, over all items and per system
EVERYTHING = "all"  # in the place of a system
NOTHING = Estimate(nan)
MOST_ITEMS = 50
MOST_DRAWN = 6  # judges of the figure
MOST_SYSTEMS = 30
CAPTIONS = {
    FALSE_POSITIVE: "judge aligned, people not",
    FALSE_NEGATIVE: "people aligned, judge not",
}


class Misjudged(YesNoReport):
    """A row for each item that a judge calls positive and people do not, or the reverse.

    The farthest from people come first; then follow the shares of false positives by system.
    """

    name, title, what = "misjudged", "Misjudged items", "list"

    def judge_items(self, report, scores, cuts, is_page):
        labels = LabelNotes(scores.options.missing_judgment, scores.answers.own_scale)
        judges = [evaluator for evaluator in evaluators(scores) if evaluator.judge]
        for pair in pairs_of(scores, cuts, judges):
            own = labels.verdict(pair.evaluator.name, pair.question)
            if own or labels.fits(pair.evaluator.name, pair.values, pair.question):
                self._add_items(report, pair, own)
        return [say("kinds"), say("share"), *labels.sentences()]

    def _add_items(self, report, pair, own):
        """Add the misjudged items of one judge and question, and the shares by system.

        own: the OwnScale of a judge that says fit or not; else None.
        """
        scores, values, people, good = pair.scores, pair.values, pair.reference, pair.positive
        called = own.fits(values) if own else at_least(values, pair.cut)
        apart = np.abs(people - (pair.cut if own else values))
        has_both = ~np.isnan(called) & ~np.isnan(good)
        keys, systems = (scores.items[name].astype(str) for name in ("item", "system"))

        def add(kind, item, system, people, judge, of, estimate=NOTHING, pk=0):
            first = {"threshold": pair.cut, "kind": kind, "item": item, "system": system}
            first |= {"people": people, "judge": judge, "of": of}
            self.add(report, pair, estimate, first, {}, item=pk)

        for kind, wrong in ((FALSE_POSITIVE, called > good), (FALSE_NEGATIVE, called < good)):
            rows = np.flatnonzero(has_both & wrong)
            for row in rows[np.argsort(-apart[rows], kind="stable")]:
                numbers = float(people[row]), float(values[row]), int(has_both.sum())
                add(kind, keys.iat[row], systems.iat[row], *numbers, pk=scores.item_ids[row])
        wrong = np.where(has_both, called > good, nan)
        overall = clustered_mean(wrong, is_share=True, **scores.resampling())
        rows, names = np.flatnonzero(scores.systems >= 0), scores.items["system"].cat.categories
        again = scores.resampling(rows)
        shares = means_by_group(wrong[rows], scores.systems[rows], is_share=True, **again)
        of_systems = ((str(names[code]), share) for code, share in shares.items())
        for system, share in ((EVERYTHING, overall), *of_systems):
            add(SHARE, "", system, nan, nan, share.n, share)

    def layout(self, report, question, looks):
        """Return the page of one question: shares by system, counts, and the farthest items."""
        by_kind = group_by(report.entries, "kind")
        shares = by_kind[SHARE]
        systems = list(dict.fromkeys(e.row["system"] for e in shares))[: MOST_SYSTEMS + 1]
        cells = {
            (e.row["evaluator"], e.row["system"]): cell_of(e, f"n = {e.row['of']:,}")
            for e in shares
        }
        counts = Counter((row["evaluator"], row["kind"]) for row in report.rows)
        sizes = {e.judge: e.row["of"] for e in shares if e.row["system"] == EVERYTHING}
        of_judges = [
            (judge, [*(counts[judge, kind] for kind in CAPTIONS), of])
            for judge, of in sizes.items()
        ]
        headings = [*(words.capitalize() for words in CAPTIONS.values()), "Items with both"]
        caption = f"Judge aligned, people not, for {question}: share of the items, by system."
        tables = [
            Table(f"Misjudged items for {question}.", headings, of_judges, [], "Judge"),
            cross_table(caption, "Judge", cells, systems),
            *(_items(report, question, by_kind[kind], words) for kind, words in CAPTIONS.items()),
        ]
        figures = _figures(shares, question, looks)
        return Layout(figures, [table for table in tables if table.lines])

    def find(self, report, question):
        """Say which judge misjudges the most items, and to which side."""
        own = [entry for entry in report.entries if entry.row["question"] == question]
        wrong = [entry for entry in own if entry.row["kind"] in CAPTIONS]
        counts = Counter(entry.judge for entry in wrong)
        if not counts:
            return ""
        (judge, count), *others = counts.most_common()
        sides = Counter(entry.row["kind"] for entry in wrong if entry.judge == judge)
        most = " the most items" if others else f" {count:,} item{'s' * (count != 1)}"
        return (
            f"{judge} misjudges{most} on {question}: {sides[FALSE_POSITIVE]:,} too high and "
            f"{sides[FALSE_NEGATIVE]:,} too low."
        )


def _figures(shares, question, looks):
    """Draw shares by system for the judges that misjudge least, over all items without systems."""
    defined = [
        replace(entry, row=entry.row | {"n": entry.row["of"]})
        for entry in shares
        if not isnan(entry.row["value"])
    ]
    all_items = [entry for entry in defined if entry.row["system"] == EVERYTHING]
    all_items.sort(key=lambda entry: entry.row["value"])
    judges = [entry.judge for entry in all_items[:MOST_DRAWN]]
    systems = list(dict.fromkeys(entry.row["system"] for entry in defined))[: MOST_SYSTEMS + 1]
    drawn = [entry for entry in defined if entry.judge in judges and entry.row["system"] in systems]
    some = f"; the {MOST_DRAWN} judges with the fewest" if len(all_items) > MOST_DRAWN else ""
    caption = (
        f"{question}: share of a system's items that a judge finds good and people do not{some}. "
        "Lines: 95 % intervals."
    )
    title = "Judge aligned, people not"
    return dot_figure("misjudged", caption, drawn, "system", "evaluator", looks, title)


def _items(report, question, wrong, words):
    """Tabulate the farthest items by turns: the first of each judge, then the second."""
    turns = chain(*zip_longest(*group_by(wrong, "evaluator").values()))
    lines = []
    for entry in islice(filter(None, turns), MOST_ITEMS):
        row = entry.row
        link = Link(row["item"], reverse("item", args=[report.study, entry.item]))
        lines.append((row["evaluator"], [link, f"{row['people']:.3g}", f"{row['judge']:.3g}"]))
    many = f"{len(wrong):,}" if len(wrong) <= MOST_ITEMS else f"{MOST_ITEMS} of {len(wrong):,}"
    caption = f"{words.capitalize()}, for {question}: {many}, the farthest first."
    return Table(caption, ["Item", "People", "Judge"], lines, [], "Judge")


KIND = Misjudged().kind()
