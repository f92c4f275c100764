"""List misjudged items: the judge finds good what people do not, or the reverse."""

from collections import Counter
from dataclasses import replace
from math import isnan, nan

import numpy as np
from django.urls import reverse

from analysis.figures.dots import dot_figure
from analysis.figures.layout import Layout, Link, Table, cell_of, cross_table
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
        return [
            say("kinds"),
            say("share"),
            *labels.sentences(),
        ]

    def _add_items(self, report, pair, own):
        """Add the misjudged items of one judge and question, and the shares by system.

        own: the OwnScale of a judge that says fit or not; else None.
        """
        values, people, good = pair.values, pair.reference, pair.positive
        called = own.fits(values) if own else at_least(values, pair.cut)
        apart = np.abs(people - (pair.cut if own else values))
        has_both = ~np.isnan(called) & ~np.isnan(good)
        items, of = pair.scores.items, int(has_both.sum())
        systems = items["system"].astype(str)
        for kind, wrong in ((FALSE_POSITIVE, called > good), (FALSE_NEGATIVE, called < good)):
            rows = np.flatnonzero(has_both & wrong)
            for row in rows[np.argsort(-apart[rows], kind="stable")]:
                first = {
                    "threshold": pair.cut,
                    "kind": kind,
                    "item": str(items["item"].iat[row]),
                    "system": systems.iat[row],
                    "people": float(people[row]),
                    "judge": float(values[row]),
                    "of": of,
                }
                self.add(report, pair, Estimate(nan), first, {}, item=pair.scores.item_ids[row])
        wrong = np.where(has_both, called > good, nan)
        for system, share in _shares(pair.scores, wrong):
            first = {
                "threshold": pair.cut,
                "kind": SHARE,
                "item": "",
                "system": system,
                "people": nan,
                "judge": nan,
                "of": share.n,
            }
            self.add(report, pair, share, first, {})

    def layout(self, report, question, looks):
        """Return the page of one question: shares by system, counts, and the farthest items."""
        shares = [entry for entry in report.entries if entry.row["kind"] == SHARE]
        systems = list(dict.fromkeys(e.row["system"] for e in shares))[: MOST_SYSTEMS + 1]
        cells = {
            (e.row["evaluator"], e.row["system"]): cell_of(e, f"n = {e.row['of']:,}")
            for e in shares
        }
        caption = f"Judge aligned, people not, for {question}: share of the items, by system."
        tables = [
            _counts(report, question),
            cross_table(caption, "Judge", cells, systems),
            *(_items(report, question, kind) for kind in CAPTIONS),
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


def _shares(scores, wrong):
    """Yield (system, share of the flagged items), first over all items, then of each system."""
    yield EVERYTHING, clustered_mean(wrong, is_share=True, **scores.resampling())
    rows = np.flatnonzero(scores.systems >= 0)
    names = scores.items["system"].cat.categories
    shares = means_by_group(
        wrong[rows], scores.systems[rows], is_share=True, **scores.resampling(rows)
    )
    yield from ((str(names[code]), estimate) for code, estimate in shares.items())


def _sizes(report):
    """Return {judge: how many items have a value of it and of people}."""
    return {
        row["evaluator"]: row["of"]
        for row in report.rows
        if (row["kind"], row["system"]) == (SHARE, EVERYTHING)
    }


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


def _counts(report, question):
    counts = Counter((row["evaluator"], row["kind"]) for row in report.rows)
    lines = [
        (name, [*(counts[name, kind] for kind in CAPTIONS), of])
        for name, of in _sizes(report).items()
    ]
    headings = [*(words.capitalize() for words in CAPTIONS.values()), "Items with both"]
    return Table(f"Misjudged items for {question}.", headings, lines, [], "Judge")


def _items(report, question, kind):
    """Tabulate the farthest items by turns: the first of each judge, then the second."""
    wrong = [entry for entry in report.entries if entry.row["kind"] == kind]
    seen: Counter = Counter()
    turns = {}
    for place, entry in enumerate(wrong):
        turns[place] = seen[entry.judge]
        seen[entry.judge] += 1
    first = [wrong[place] for place in sorted(turns, key=turns.__getitem__)[:MOST_ITEMS]]
    lines = []
    for entry in first:
        row = entry.row
        link = Link(row["item"], reverse("item", args=[report.study, entry.item]))
        lines.append((row["evaluator"], [link, f"{row['people']:.3g}", f"{row['judge']:.3g}"]))
    many = f"{len(wrong):,}" if len(wrong) <= MOST_ITEMS else f"{MOST_ITEMS} of {len(wrong):,}"
    caption = f"{CAPTIONS[kind].capitalize()}, for {question}: {many}, the farthest first."
    return Table(caption, ["Item", "People", "Judge"], lines, [], "Judge")


KIND = Misjudged().kind()
