"""BERTScore: how well the words of two texts match, by the cosine of their embeddings in context.

Zhang et al. (ICLR 2020), section 3. As in the authors' package, the marks at the ends of a text
(such as [CLS]) count for nothing themselves, but a word may match them best.
"""

from dataclasses import dataclass

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from judges.scorers import bert_files
from judges.scorers.base import NO_REFERENCE, Score, same_for_all

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
        """Against what unrelated texts have: (x - b) / (1 - b), each by its own baseline."""
        values = (self.precision, self.recall, self.f1)
        return Match(*((x - b) / (1 - b) for x, b in zip(values, baseline, strict=True)))


def match(text, reference, text_weights=None, reference_weights=None):
    """The Match of two texts' unit vectors (pieces, size) by greedy matching.

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
    """A text as the model sees it: unit vectors, 0 for the marks and 1 for pieces, unknown share"""

    vectors: np.ndarray
    weights: np.ndarray
    unknown: float


def _tokenizer(folder, most):
    tokenizer = Tokenizer.from_file(str(folder / bert_files.TOKENIZER_FILE))
    tokenizer.enable_truncation(most)
    tokenizer.enable_padding()
    return tokenizer


def _session(folder):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # else the memory of the longest batch is kept
    path = str(bert_files.model_file(folder))
    return onnxruntime.InferenceSession(path, options, ["CPUExecutionProvider"])


class BertScore:
    """The F1 of each unit's text against its reference; P and R are said beside it."""

    def __init__(self, frozen):
        folder = bert_files.folder()
        if bert_files.facts()["model_sha256"] != frozen["model_sha256"]:
            raise OSError("the model of BERT_SCORE_MODEL is another one than when this was planned")
        self.baseline = frozen["baseline"]
        try:
            self.tokenizer = _tokenizer(folder, frozen["word_pieces"])
            self.session = _session(folder)
        except Exception as error:  # a broken file: these two libraries raise plain Exceptions
            raise OSError(f"the model of BERT_SCORE_MODEL cannot be read: {error}") from error
        self.unknown = {self.tokenizer.token_to_id(name) for name in UNKNOWN} - {None}
        self.inputs = {given.name for given in self.session.get_inputs()}

    def __call__(self, units):
        items = [unit.item for unit in units if unit.item.reference.strip()]
        texts = list(dict.fromkeys(t for item in items for t in (item.text, item.reference)))
        seen = self.seen(sorted(texts, key=len))
        return [same_for_all(unit, self.score(unit.item, seen)) for unit in units]

    def score(self, item, seen):
        if not item.reference.strip():
            return Score(reason=NO_REFERENCE)
        text, reference = seen[item.text], seen[item.reference]
        for name, each in (("text", text), ("reference", reference)):
            if not each.weights.any():
                return Score(reason=f"the {name} has no words")
            if each.unknown > MOST_UNKNOWN:
                return Score(reason=f"the {name} is in words that the model does not know")
        found = match(text.vectors, reference.vectors, text.weights, reference.weights)
        if self.baseline:
            found = found.rescaled(self.baseline)
        said = f"Precision {found.precision:.4f}, recall {found.recall:.4f}"
        return Score(found.f1, rationale=said)

    def seen(self, texts):
        """{text: _Text}, a handful of about the same length together."""
        found = {}
        for start in range(0, len(texts), BATCH):
            some = texts[start : start + BATCH]
            found |= dict(zip(some, self._seen(some), strict=True))
        return found

    def _seen(self, texts):
        encoded = self.tokenizer.encode_batch(texts)
        sent = {
            "input_ids": np.array([each.ids for each in encoded], dtype="i8"),
            "attention_mask": np.array([each.attention_mask for each in encoded], dtype="i8"),
            "token_type_ids": np.array([each.type_ids for each in encoded], dtype="i8"),
        }
        states = self.session.run(None, {name: sent[name] for name in self.inputs & sent.keys()})[0]
        if states.ndim != 3:
            raise OSError("the first output of the model is not one vector for each token")
        for each, vectors in zip(encoded, states.astype("f8"), strict=True):
            yield self._text(each, vectors)

    def _text(self, encoded, vectors):
        real = np.array(encoded.attention_mask, dtype=bool)
        vectors = vectors[real]
        weights = 1.0 - np.array(encoded.special_tokens_mask, dtype="f8")[real]
        pieces = [piece for piece, w in zip(np.array(encoded.ids)[real], weights, strict=True) if w]
        unknown = sum(piece in self.unknown for piece in pieces) / max(1, len(pieces))
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return _Text(vectors / np.maximum(lengths, 1e-12), weights, unknown)
