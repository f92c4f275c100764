"""Count what raters wrote: texts by question and rating, codes, and the coders' agreement."""

from collections import Counter, defaultdict
from itertools import combinations
from math import nan
from typing import NamedTuple

import numpy as np

from analysis.figures.layout import Layout, cross_table, interval_cell, listing
from analysis.reports.base import columns_of, group_by
from analysis.reports.kind import Shown
from analysis.reports.shared.evaluators import interval_note, item_notes
from analysis.reports.shared.measured import MeasuredReport
from analysis.reports.shared.options import PeopleOptions
from analysis.reports.words import notes_beside
from analysis.stats.agreement.cohen_kappa import cohen_kappa
from analysis.stats.agreement.percent_agreement import percent_agreement
from analysis.stats.estimate import Estimate
from analysis.stats.intervals.clustered_mean import clustered_mean
from annotate.coding import codes as coding
from annotate.templatetags.concord import interval, share

say = notes_beside(__file__, "reasons")
# What names a row, in the order of its columns.
BLANK = dict.fromkeys(("code", "other", "question", "rating", "system", "coder"), "")
# Of a table of counts: the rows' kind, its lines, its columns, its caption.
COUNTS = (
    ("texts", "question", "rating", "Texts by question and rating."),
    ("code", "code", "question", "Codes: share of the coded texts."),
    ("rating", "code", "rating", "Codes by rating."),
    ("system", "code", "system", "Codes by system."),
)
OF_CODERS = {
    "κ": lambda entry: interval_cell(entry.row, "kappa"),
    "share of equal answers": lambda entry: interval_cell(entry.row, "percent"),
    "texts": lambda entry: f"{entry.row['n']:,}",
}
# Of codes: what they are counted by.
GROUPINGS = {
    "code": lambda text: {},
    "rating": lambda text: {"question": text.question, "rating": text.rating},
    "system": lambda text: {"system": text.system},
}


class Text(NamedTuple):
    """What a rater wrote: beside which rating, of which item's system and cluster."""

    question: str
    rating: str
    system: str
    cluster: int


class Reasons(MeasuredReport):
    """Rows of texts, of codes (also by rating and system), and of two coders' agreement."""

    name, title, options = "reasons", "Reasons", PeopleOptions
    named_by = ("kind", "code", "question", "rating", "system", "coder", "other")
    of_judges, is_drawn, silent = False, False, "nobody has written anything"
    stamp = staticmethod(coding.Coded.load)  # its text changes with every code

    def list_parts(self, questions):
        return Shown("counts", "Counts", [("all", "texts, codes and agreement")])

    def measure(self, report, scores, parts):
        study = scores.answers.study
        coded, (texts, given) = scores.answers.beside or coding.Coded.load(study), _read(scores)
        counts = Counter((text.question, text.rating) for text in texts.values())
        for (question, rating), n in sorted(counts.items()):
            _add(report, "texts", n, len(texts), question=question, rating=rating)

        def resampling(pks):
            clusters = np.array([texts[pk].cluster for pk in pks], dtype=np.int64)
            return {} if scores.counts is None else {"clusters": clusters, "counts": scores.counts}

        if coded.is_open:
            codes = coded.all_codes()
            by_coder, by_text = defaultdict(dict), defaultdict(set)
            for (pk, coder), names in coding.by_coder(given, codes).items():
                by_coder[coder][pk] = names
                by_text[pk] |= names
            _add_codes(report, texts, by_text, resampling)
            _add_agreement(report, by_coder, [code.name for code in codes.live], resampling)
        return [
            *item_notes(scores),
            say("texts"),
            *([] if coded.is_open else [say("hidden")]),
            say("codes"),
            say("agreement"),
            interval_note(scores),
        ]

    def layout(self, report, chosen, looks):
        """Return the page's tables of counts and of agreement."""
        of = group_by(report.entries, "kind")
        pairs = of["agreement"]
        names = [f"{e.row['code']}: {e.row['coder']} and {e.row['other']}" for e in pairs]
        caption = "Agreement of each two coders on each code."
        tables = [_crossed(of[table[0]], *table) for table in COUNTS]
        tables.append(listing(caption, "Code", names, pairs, OF_CODERS))
        return Layout([], [table for table in tables if table.lines])

    def find(self, report, chosen):
        """Say how many texts raters wrote, and which code is the most frequent."""
        texts = sum(row["n"] for row in report.rows if row["kind"] == "texts")
        codes = [row for row in report.rows if row["kind"] == "code"]
        top = max(codes, key=lambda row: row["n"], default=None)
        code = f"; most frequent code: {top['code']} ({top['n']} of {top['of']})" if top else ""
        return f"Raters wrote {texts:,} texts{code}." if texts else ""


def _read(scores):
    """Read texts and codes in one query: {rating id: Text}, [(rating id, coder, code id)]."""
    clusters = dict(zip(scores.item_ids, scores.clusters.tolist(), strict=True))
    ratings, version = coding.texts(scores.answers.study), scores.options.version
    ratings = ratings if version is None else ratings.filter(session__version=version)
    names = ("question__key", "value", "item__system__key", "item", "data")
    codes = ("codings__coder_name", "codings__code_id")
    texts, given = {}, []
    for pk, question, value, system, item, data, *code in ratings.values_list("pk", *names, *codes):
        if item in clusters and scores.takes(data, scores.answers.rating_columns):
            rating = "" if value is None else f"{value:g}"
            texts[pk] = Text(question, rating, system or "", clusters[item])
            given += [(pk, *code)] if code[0] is not None else []
    return texts, given


def _add(report, kind, n, of, numbers=None, **about):
    """Add one row. numbers: {name: Estimate} of `percent` and `kappa`, where it has them."""
    row = {"kind": kind} | BLANK | about | {"n": n, "of": of}
    for name in ("percent", "kappa"):
        row |= columns_of(name, (numbers or {}).get(name, Estimate(nan)))
    report.add(row, numbers, kind="rater")


def _add_codes(report, texts, by_text, resampling):
    """Add the share of each code, of all coded texts and by rating and system."""
    every = sorted(set().union(*by_text.values()))
    for kind, grouping in GROUPINGS.items():
        groups = defaultdict(list)
        for pk in by_text:
            groups[tuple(grouping(texts[pk]).items())].append(pk)
        for name in every:
            for about, pks in sorted(groups.items()):
                has = np.array([name in by_text[pk] for pk in pks], dtype=float)
                percent = clustered_mean(has, is_share=True, **resampling(pks))
                own = {"code": name} | dict(about)
                numbers = {"percent": percent}
                _add(report, kind, int(has.sum()), len(pks), numbers, **own)


def _add_agreement(report, by_coder, codes, resampling):
    """Add how far each two coders agree on each code."""
    for first, second in combinations(sorted(by_coder), 2):
        both = sorted(by_coder[first].keys() & by_coder[second].keys())
        for code in codes if both else []:
            has = [[code in by_coder[who][pk] for who in (first, second)] for pk in both]
            table, again = np.array(has, dtype=float), resampling(both)
            numbers = {"percent": percent_agreement(table, **again)}
            numbers["kappa"] = cohen_kappa(table, [0, 1], **again)
            about = {"code": code, "coder": first, "other": second}
            _add(report, "agreement", len(both), len(both), numbers, **about)


def _crossed(entries, kind, line, column, caption):
    """Tabulate counts by two keys of the rows, summed over the rest; of codes with their share."""
    cells = {
        place: _count([entry.row for entry in own], with_share=kind != "texts")
        for place, own in group_by(entries, line, column).items()
    }
    columns = sorted({name for _, name in cells})
    table = cross_table(caption, line.capitalize(), cells, columns)
    blank = "–" if len(columns) > 1 else "all"
    table.headings = [name or blank for name in columns]
    return table


def _count(rows, with_share):
    n, of = (sum(row[name] for row in rows) for name in ("n", "of"))
    # Sums of several rows, as of questions, have no interval of their own.
    ends = "" if rows[1:] else interval(rows[0]["percent_low"], rows[0]["percent_high"])
    return f"{n:,} of {of:,} ({share(n, of)}) {ends}".rstrip() if with_share else f"{n:,}"


KIND = Reasons().kind()
