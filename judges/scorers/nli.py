"""Score by NLI: how far a reference entails what a text says, by a classification model.

Every pair of an item's statements (or sentences) is scored; the probabilities are kept, so that
all measures of analysis/stats can be computed from them without the model.
"""

import numpy as np

from analysis.stats.statements.best_match import Pairs, align_score, summac_zs
from analysis.stats.statements.statement_entailment import statement_entailment
from annotate.models import Item
from judges.models import Entailment, Grain, Measure
from judges.models.entailment import as_bytes
from judges.scorers import nli_files
from judges.scorers.base import NO_REFERENCE, Score, same_for_all
from judges.scorers.nli_texts import Parts
from judges.scorers.pair_reader import PairReader, cut_since, in_blocks, softmax, too_many

NOTHING = {
    Grain.STATEMENT: "neither text has a statement",
    Grain.SENTENCE: "neither text has a sentence",
    Grain.CHUNK: "neither text has a sentence",
}
ONE_SIDE = "only one of the texts has any, and this measure has no worst value"


class Model:
    """Computes probabilities of entailment, neutral and contradiction of pairs of texts."""

    def __init__(self, frozen):
        folder = nli_files.folder()
        facts = nli_files.facts()
        if any(facts[name] != frozen[name] for name in ("model_sha256", "labels")):
            raise OSError("the model of NLI_MODEL is another one than when this was planned")
        self.columns = [frozen["labels"].index(name) for name in nli_files.CLASSES]
        called = "the model of NLI_MODEL"
        self.reader = PairReader(folder, frozen["word_pieces"], len(self.columns), called)

    def __call__(self, pairs):
        """Compute the probabilities (pairs, 3) of (premise, hypothesis) texts."""
        return softmax(self.reader(pairs))[:, self.columns]


class Nli:
    """Computes a measure of each explanation, and P(entailment) of statements by references."""

    def __init__(self, frozen, model=None):
        self.measure = Measure(frozen["measure"])
        self.grain = Grain(frozen["grain"])
        self.model = model or Model(frozen)

    def __call__(self, units):
        items = {unit.item.pk: unit.item for unit in units}
        statements = [i for i in items.values() if i.kind == Item.Kind.STATEMENT]
        others = [i for i in items.values() if i.kind != Item.Kind.STATEMENT]
        parts = Parts(others, self.grain)
        scores = {item.pk: self.of_statement(item) for item in statements}
        scores |= {item.pk: self.of_texts(item, parts) for item in others}
        return [same_for_all(unit, scores[unit.item.pk]) for unit in units]

    def of_statement(self, item):
        """Score a statement by P(entailment) by its reference."""
        if not item.reference.strip():
            return Score(reason=NO_REFERENCE)
        _, before = cut_since(self.model)
        e, n, c = self.model([(item.reference, item.text)])[0]
        rationale = f"Entailment {e:.4f}, neutral {n:.4f}, contradiction {c:.4f}"
        rationale += cut_since(self.model, before)[0]
        return Score(float(e), rationale=rationale)

    def of_texts(self, item, parts):
        """Score an explanation by the measure over all pairs of its parts."""
        if item.pk in parts.reasons:
            return Score(reason=parts.reasons[item.pk])
        generated, reference = parts.by_item[item.pk]
        if not generated and not reference:
            return Score(reason=NOTHING[self.grain])
        if not reference and self.grain != Grain.STATEMENT:  # of statements an empty side is a fact
            return Score(reason=NO_REFERENCE)
        if reason := too_many(len(generated), len(reference)):
            return Score(reason=reason)
        both, (_, before) = self.grain == Grain.STATEMENT, cut_since(self.model)
        forward = in_blocks(self.model, reference, generated)
        backward = in_blocks(self.model, generated, reference if both else [])
        kept = Entailment(
            item=item,
            grain=self.grain,
            n_generated=len(generated),
            n_reference=len(reference),
            generated=generated,
            reference=reference,
            forward=as_bytes(forward),
            backward=as_bytes(backward),
        )
        value = value_of(self.measure, forward, backward, len(generated), len(reference))
        rationale = f"{len(generated)} of the text and {len(reference)} of the reference compared"
        rationale += cut_since(self.model, before)[0]
        if np.isnan(value):
            return Score(reason=ONE_SIDE, rationale=rationale, kept=kept)
        return Score(value, rationale=rationale, kept=kept)


def value_of(measure, forward, backward, n, m):
    """Compute one measure of one item; NaN where it is undefined."""
    if measure == Measure.SUMMAC_ZS:
        return float(summac_zs(Pairs(forward, [n], [m]))[0])
    if measure == Measure.ALIGN_SCORE:
        return float(align_score(Pairs(forward, [n], [m]))[0])
    name, side = measure.value.rsplit("_", 1)
    measured = statement_entailment(Pairs(forward, [n], [m]), Pairs(backward, [m], [n]))[name]
    return float({"p": measured.precision, "r": measured.recall, "f1": measured.f1}[side][0])
