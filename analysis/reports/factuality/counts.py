"""Count explanations, their recipients and contents, and their statements, as in table II."""

from math import isnan, nan

import numpy as np

from analysis.figures.layout import cross_table
from analysis.options.choices import ALL
from analysis.reports.factuality.items import GENERATED, REFERENCE

PER = {GENERATED: "explanation", REFERENCE: "interaction"}
UNNAMED = "none of them is named"
UNKNOWN_TEXTS = "the texts of some statements are not known"
SIDES = {GENERATED: "explanations", REFERENCE: "references"}
HEADINGS = {
    "statements": "Statements of {}",
    "unique": "Different statements of {}",
    "per_explanation": "Statements per explanation",
    "per_interaction": "Statements per reference",
    "per_recipient": "Statements of {} per recipient",
    "per_content": "Statements of {} per content",
}


def add(work):
    """Add the counts of every domain, and the explanations' statements of every system.

    An interaction is a recipient and a content. Its reference counts once, as the first of its
    explanations has it.
    """
    explained = work.explained
    alone = int(explained.pairs.max(initial=-1)) + 1 + np.arange(len(explained))
    codes = {
        "explanation": np.arange(len(explained)),
        "interaction": np.where(explained.is_paired, explained.pairs, alone),
        "recipient": explained.scores.recipients[explained.rows],
        "content": explained.contents,
    }

    def n_of(what, chosen):
        present = np.unique(codes[what][chosen])
        return len(present[present >= 0])

    for domain, system, inside in work.groups:
        complete = inside & explained.are_known
        n, missing = int(complete.sum()), int(inside.sum() - complete.sum())
        about = {"domain": domain, "system": system, "n": n, "missing": missing}
        for what in codes if system == ALL else ():
            work.add("counts", metric=f"{what}s", value=float(n_of(what, complete)), **about)
        for side in SIDES if system == ALL else (GENERATED,):
            places = np.flatnonzero(complete)
            if side == REFERENCE:
                _, first = np.unique(codes["interaction"][places], return_index=True)
                places = places[np.sort(first)]
            total = int(explained.sizes[places, [*SIDES].index(side)].sum())
            texts = [
                text for place in places for text in explained.statement_texts[place].get(side, [])
            ]
            is_unknown = len(texts) != total
            numbers = {"statements": (float(total), "")}
            numbers["unique"] = (nan, UNKNOWN_TEXTS) if is_unknown else (len({*texts}), "")
            for what in (PER[side], "recipient", "content"):
                many = n_of(what, places)
                numbers[f"per_{what}"] = (total / many, "") if many else (nan, UNNAMED)
            for metric, (value, reason) in numbers.items():
                facts = {"metric": metric, "value": value, "by": "side", "name": side}
                work.add("counts", reason=reason, **about | facts)


def tables(entries):
    """Yield the tables of the counts by domain, and of each system's statements."""
    whole = [e for e in entries if e.row["system"] == ALL]
    caption = "Table II. What there is: explanations, what they are about, and their statements."
    yield _table(whole, "domain", "all domains", caption)
    own = [e for e in entries if e.row["name"] == GENERATED and e.row["domain"] == ALL]
    if any(e.row["system"] != ALL for e in own):
        yield _table(own, "system", "all systems", "What the explanations of each system say.")


def _table(entries, by, everything, caption):
    cells = {}
    for row in (entry.row for entry in entries):
        metric, value = row["metric"], row["value"]
        heading = HEADINGS.get(metric, metric.capitalize()).format(SIDES.get(row["name"], ""))
        # A mean has two decimals, as in the paper.
        number = f"{value:,.2f}" if metric.startswith("per_") else f"{value:,.0f}"
        column = everything if row[by] == ALL else row[by]
        cells[heading, column] = "–" if isnan(value) else number
    return cross_table(caption, "Number", cells)
