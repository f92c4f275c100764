"""How much there is: explanations, what they are about, and what is said, as in table II."""

import numpy as np

from analysis.reports.factuality.items import GENERATED, REFERENCE

ALL = "all"
SIDE = "side"
PER = {GENERATED: "explanation", REFERENCE: "interaction"}
UNNAMED = "none of them is named"
UNKNOWN_TEXTS = "the texts of some statements are not known"


def add(work):
    """Rows of every domain; what explanations say of every system too."""
    counted = Counted(work.explained)
    for domain, system, inside in work.groups:
        known = inside & work.explained.are_known
        about = {
            "domain": domain,
            "system": system,
            "n": int(known.sum()),
            "missing": int(inside.sum() - known.sum()),
        }
        if system == ALL:
            for metric, count in counted.things(known).items():
                work.add("counts", metric=metric, value=float(count), **about)
        for side in (GENERATED, REFERENCE) if system == ALL else (GENERATED,):
            for metric, value, reason in counted.said(known, side):
                work.add(
                    "counts", metric=metric, value=value, by=SIDE, name=side, reason=reason, **about
                )


class Counted:
    """What groups of explanations (E,) hold. An interaction is a recipient and a content.

    The reference of an interaction counts once, as the first of its explanations has it.
    """

    def __init__(self, explained):
        self.explained = explained
        rows = explained.rows
        recipients = explained.scores.recipients[rows]
        self.of = {
            "recipient": recipients,
            "content": explained.contents,
            "interaction": _own_where(~explained.is_paired, explained.pairs),
            "explanation": np.arange(len(explained)),
        }
        self.sizes = dict(zip((GENERATED, REFERENCE), explained.sizes.T, strict=True))

    def things(self, known):
        """{what: how many different ones} of some explanations."""
        order = ("explanation", "interaction", "recipient", "content")
        return {f"{what}s": len(self._present(known, what)) for what in order}

    def _present(self, known, what):
        codes = np.unique(self.of[what][known])
        return codes[codes >= 0]

    def said(self, known, side):
        """(metric, value, why it is undefined) of the statements of one side."""
        places = np.flatnonzero(known)
        if side == REFERENCE:
            _, first = np.unique(self.of["interaction"][places], return_index=True)
            places = places[np.sort(first)]
        total = int(self.sizes[side][places].sum())
        yield "statements", float(total), ""
        texts = self._texts(places, side)
        unknown = len(texts) != total
        yield "unique", np.nan if unknown else len(set(texts)), UNKNOWN_TEXTS if unknown else ""
        for what in (PER[side], "recipient", "content"):
            n = len(self._present(known, what))
            yield f"per_{what}", total / n if n else np.nan, "" if n else UNNAMED

    def _texts(self, places, side):
        """All statements of one side, as far as their texts are known."""
        found = self.explained.said
        return [text for at in places for text in found[at].get(side, [])]


def _own_where(alone, codes):
    """The codes, with one of its own for each that stands alone."""
    most = int(codes.max(initial=-1)) + 1
    return np.where(alone, most + np.arange(len(codes)), codes)
