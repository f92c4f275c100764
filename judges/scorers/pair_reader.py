"""Read pairs of texts with the model of an operator's folder: its logits."""

from itertools import islice

import numpy as np

from judges.models.entailment import MOST_PAIRS
from judges.scorers.bert_files import TOKENIZER_FILE, model_file
from judges.scorers.onnx_models import first_output, open_model

BATCH = 16
BLOCK = 4096  # pairs whose texts are held at once


class PairReader:
    """Turns (first, second) texts into the first output of the ONNX model of a folder."""

    def __init__(self, folder, word_pieces, outputs, called):
        self.outputs, self.called, self.word_pieces = outputs, called, word_pieces
        self.cut = 0  # pairs that were longer than what the model reads
        files = folder / TOKENIZER_FILE, model_file(folder)
        self.tokenizer, self.session = open_model(*files, word_pieces, called)

    def __call__(self, pairs):
        """Compute logits (pairs, outputs); each pair once, similar lengths together."""
        distinct = sorted(set(pairs), key=lambda pair: len(pair[0]) + len(pair[1]))
        by_pair = {}
        for start in range(0, len(distinct), BATCH):
            some = distinct[start : start + BATCH]
            by_pair |= zip(some, self._logits(some), strict=True)
        return np.array([by_pair[pair] for pair in pairs]).reshape(-1, self.outputs)

    def _logits(self, pairs):
        encoded = self.tokenizer.encode_batch(pairs)
        self.cut += sum(bool(encoding.overflowing) for encoding in encoded)
        logits = first_output(self.session, encoded)
        if logits.shape != (len(pairs), self.outputs):
            number = {1: "one number", 3: "three logits"}.get(
                self.outputs, f"{self.outputs} logits"
            )
            raise OSError(f"the first output of {self.called} is not {number} a pair")
        return logits.astype("f8")


def in_blocks(model, premises, hypotheses, size=None):
    """Run a model on every pair, hypothesis by hypothesis, a block of pairs at a time.

    model: [(premise, hypothesis)] -> (pairs, ...). Only its numbers are held of all of them.
    """
    pairs = ((premise, hypothesis) for hypothesis in hypotheses for premise in premises)
    blocks = [model(some) for some in iter(lambda: list(islice(pairs, size or BLOCK)), [])]
    return np.concatenate(blocks) if blocks else model([])


def cut_since(model, before=0):
    """Return ("; how many pairs were cut", their number) of a model that has a reader."""
    reader = getattr(model, "reader", None)
    if reader is None or reader.cut == before:
        return "", before
    n = reader.cut - before
    pairs = "pair" if n == 1 else "pairs"
    return f"; {n:,} {pairs} cut to {reader.word_pieces} word pieces", reader.cut


def too_many(n, m):
    """Return why so many by so many parts are not compared; "" where they are."""
    if n * m <= MOST_PAIRS:
        return ""
    return f"too many pairs: {n:,} by {m:,}; of an item {MOST_PAIRS:,} are compared at most"


def softmax(logits):
    """Turn logits into probabilities (N, outputs)."""
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)
