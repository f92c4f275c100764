"""Count explanations, their recipients and contents, and their statements, as in table II."""

import numpy as np

from analysis.reports.factuality.items import GENERATED, REFERENCE

ALL = "all"
SIDE = "side"
PER = {GENERATED: "explanation", REFERENCE: "interaction"}
UNNAMED = "none of them is named"
UNKNOWN_TEXTS = "the texts of some statements are not known"


def add(work):
    """Add the counts of every domain, and the explanations' statements of every system."""
    counted = Counted(work.explained)
    for domain, system, inside in work.groups:
        complete = inside & work.explained.are_known
        about = {
            "domain": domain,
            "system": system,
            "n": int(complete.sum()),
            "missing": int(inside.sum() - complete.sum()),
        }
        if system == ALL:
            for metric, count in counted.things(complete).items():
                work.add("counts", metric=metric, value=float(count), **about)
        for side in (GENERATED, REFERENCE) if system == ALL else (GENERATED,):
            for metric, value, reason in counted.statement_numbers(complete, side):
                work.add(
                    "counts", metric=metric, value=value, by=SIDE, name=side, reason=reason, **about
                )


class Counted:
    """Counts within groups of explanations (E,). An interaction is a recipient and a content.

    The reference of an interaction counts once, as the first of its explanations has it.
    """

    def __init__(self, explained):
        self.explained = explained
        rows = explained.rows
        recipients = explained.scores.recipients[rows]
        self.codes = {
            "recipient": recipients,
            "content": explained.contents,
            "interaction": _own_where(~explained.is_paired, explained.pairs),
            "explanation": np.arange(len(explained)),
        }
        self.sizes = dict(zip((GENERATED, REFERENCE), explained.sizes.T, strict=True))

    def things(self, chosen):
        """Return {what: how many different ones} of the chosen explanations."""
        order = ("explanation", "interaction", "recipient", "content")
        return {f"{what}s": len(self._present(chosen, what)) for what in order}

    def _present(self, chosen, what):
        codes = np.unique(self.codes[what][chosen])
        return codes[codes >= 0]

    def statement_numbers(self, chosen, side):
        """Yield (metric, value, why it is undefined) of the statements of one side."""
        places = np.flatnonzero(chosen)
        if side == REFERENCE:
            _, first = np.unique(self.codes["interaction"][places], return_index=True)
            places = places[np.sort(first)]
        total = int(self.sizes[side][places].sum())
        yield "statements", float(total), ""
        texts = self._texts(places, side)
        unknown = len(texts) != total
        yield "unique", np.nan if unknown else len(set(texts)), UNKNOWN_TEXTS if unknown else ""
        for what in (PER[side], "recipient", "content"):
            n = len(self._present(chosen, what))
            yield f"per_{what}", total / n if n else np.nan, "" if n else UNNAMED

    def _texts(self, places, side):
        """Return the texts of all statements of one side, if they are known."""
        texts_by_place = self.explained.statement_texts
        return [text for place in places for text in texts_by_place[place].get(side, [])]


def _own_where(alone, codes):
    """Return the codes, with a code of its own for each explanation that stands alone."""
    most = int(codes.max(initial=-1)) + 1
    return np.where(alone, most + np.arange(len(codes)), codes)
