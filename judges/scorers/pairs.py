"""Score by one output of a model of pairs, whatever the model was trained for."""

import numpy as np

from judges.scorers import pair_files
from judges.scorers.base import NO_REFERENCE, Score, same_for_all
from judges.scorers.nli_texts import chunks, sentences
from judges.scorers.pair_reader import PairReader, cut_since, in_blocks, softmax, too_many
from judges.scorers.settings import Direction
from judges.scorers.settings import Parts as Cut

NO_TEXT = "the item has no text"
FROZEN = ("model_sha256", "labels", "activation")


class Model:
    """Computes one number of each pair of texts."""

    def __init__(self, frozen):
        facts = pair_files.facts_of(frozen["model"])
        if any(facts[name] != frozen[name] for name in FROZEN):
            raise OSError(
                f"the model {frozen['model']} of {pair_files.SETTING} is another one than when "
                "this was planned"
            )
        called = f"the model {frozen['model']} of {pair_files.SETTING}"
        folder, self.n = pair_files.folder(frozen["model"]), len(frozen["labels"])
        self.reader = PairReader(folder, frozen["word_pieces"], self.n, called)
        self.column = frozen["labels"].index(frozen["output"])
        self.activation = frozen["activation"]

    def __call__(self, pairs):
        """Compute the numbers (pairs,) of (first, second) texts."""
        logits = self.reader(pairs)
        if self.activation == pair_files.SIGMOID:
            return 1 / (1 + np.exp(-logits[:, self.column]))
        return (logits if self.n == 1 else softmax(logits))[:, self.column]


class PairScore:
    """Scores each item's text and reference by the model's number."""

    def __init__(self, frozen, model=None):
        self.direction, self.parts = Direction(frozen["direction"]), Cut(frozen["parts"])
        self.model = model or Model(frozen)

    def __call__(self, units):
        items = {unit.item.pk: unit.item for unit in units}
        scores = {pk: self.score(item) for pk, item in items.items()}
        return [same_for_all(unit, scores[unit.item.pk]) for unit in units]

    def score(self, item):
        if not item.reference.strip():
            return Score(reason=NO_REFERENCE)
        if not item.text.strip():
            return Score(reason=NO_TEXT)
        first, second = item.reference, item.text
        if self.direction == Direction.TEXT_FIRST:
            first, second = second, first
        _, before = cut_since(self.model)
        if self.parts == Cut.WHOLE:
            value = float(self.model([(first, second)])[0])
            return Score(value, rationale=cut_since(self.model, before)[0].removeprefix("; "))
        return self.by_sentence(chunks(first), sentences(second))

    def by_sentence(self, before, after):
        """Score as AlignScore does: each sentence has its best chunk, the score is their mean."""
        if reason := too_many(len(before), len(after)):
            return Score(reason=reason)
        _, cut = cut_since(self.model)
        numbers = in_blocks(self.model, before, after)
        best = numbers.reshape(len(after), len(before)).max(axis=1)
        rationale = f"{len(after)} sentences by {len(before)} chunks compared"
        rationale += cut_since(self.model, cut)[0]
        return Score(float(best.mean()), rationale=rationale)
