"""Compute BERTScore: how well the words of two texts match, by embeddings in context.

Zhang et al. (ICLR 2020), section 3. As in the authors' package, the marks at the ends of a text
(such as [CLS]) count for nothing themselves, but a word may match them best.
"""

from dataclasses import dataclass

import numpy as np

from judges.scorers import bert_files
from judges.scorers.base import NO_REFERENCE, Score, same_for_all
from judges.scorers.onnx_models import first_output, open_model

BATCH = 8  # texts; attention takes memory by the square of the longest one's length
MOST_UNKNOWN = 0.5  # share of a text's pieces
UNKNOWN = ("[UNK]", "<unk>")


@dataclass(frozen=True)
class Match:
    """Precision, recall and F1 of a text against a reference."""

    precision: float
    recall: float
    f1: float

    def rescaled(self, baseline):
        """Rescale against unrelated texts: (x - b) / (1 - b), each value by its own baseline."""
        values = (self.precision, self.recall, self.f1)
        return Match(*((x - b) / (1 - b) for x, b in zip(values, baseline, strict=True)))


def match(text, reference, text_weights=None, reference_weights=None):
    """Match two texts' unit vectors (pieces, size) greedily.

    Each piece of the text has the precision of its best match in the reference, each of the
    reference the recall; both are averaged by the weights (such as idf), alike without. P and R
    may be negative; where they add up to 0 so does F1.
    """
    cosines = text @ reference.T
    precision = float(np.average(cosines.max(axis=1), weights=text_weights))
    recall = float(np.average(cosines.max(axis=0), weights=reference_weights))
    both = precision + recall
    return Match(precision, recall, 2 * precision * recall / both if both else 0.0)


@dataclass(frozen=True)
class _Text:
    """A text as the model sees it.

    vectors: unit vectors. weights: 0 for the marks and 1 for pieces. unknown: the share of unknown
    pieces.
    """

    vectors: np.ndarray
    weights: np.ndarray
    unknown: float


class BertScore:
    """Computes the F1 of each unit's text against its reference, with P and R in the rationale."""

    def __init__(self, frozen):
        folder = bert_files.folder()
        if bert_files.facts()["model_sha256"] != frozen["model_sha256"]:
            raise OSError("the model of BERT_SCORE_MODEL is another one than when this was planned")
        self.baseline = frozen["baseline"]
        files = folder / bert_files.TOKENIZER_FILE, bert_files.model_file(folder)
        called = "the model of BERT_SCORE_MODEL"
        self.tokenizer, self.session = open_model(*files, frozen["word_pieces"], called)
        self.unknown = {self.tokenizer.token_to_id(name) for name in UNKNOWN} - {None}

    def __call__(self, units):
        items = [unit.item for unit in units if unit.item.reference.strip()]
        texts = list(dict.fromkeys(t for item in items for t in (item.text, item.reference)))
        seen = self.seen(sorted(texts, key=len))
        return [same_for_all(unit, self.score(unit.item, seen)) for unit in units]

    def score(self, item, seen):
        if not item.reference.strip():
            return Score(reason=NO_REFERENCE)
        text, reference = seen[item.text], seen[item.reference]
        for name, words in (("text", text), ("reference", reference)):
            if not words.weights.any():
                return Score(reason=f"the {name} has no words")
            if words.unknown > MOST_UNKNOWN:
                return Score(reason=f"the {name} is in words that the model does not know")
        matched = match(text.vectors, reference.vectors, text.weights, reference.weights)
        if self.baseline:
            matched = matched.rescaled(self.baseline)
        rationale = f"Precision {matched.precision:.4f}, recall {matched.recall:.4f}"
        return Score(matched.f1, rationale=rationale)

    def seen(self, texts):
        """Compute {text: _Text}, a handful of about the same length together."""
        by_text = {}
        for start in range(0, len(texts), BATCH):
            some = texts[start : start + BATCH]
            by_text |= dict(zip(some, self._seen(some), strict=True))
        return by_text

    def _seen(self, texts):
        encoded = self.tokenizer.encode_batch(texts)
        states = first_output(self.session, encoded)
        if states.ndim != 3:
            raise OSError("the first output of the model is not one vector for each token")
        for encoding, vectors in zip(encoded, states.astype("f8"), strict=True):
            yield self._text(encoding, vectors)

    def _text(self, encoded, vectors):
        real = np.array(encoded.attention_mask, dtype=bool)
        vectors = vectors[real]
        weights = 1.0 - np.array(encoded.special_tokens_mask, dtype="f8")[real]
        pieces = [piece for piece, w in zip(np.array(encoded.ids)[real], weights, strict=True) if w]
        unknown = sum(piece in self.unknown for piece in pieces) / max(1, len(pieces))
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return _Text(vectors / np.maximum(lengths, 1e-12), weights, unknown)
