"""Find the model of BERTScore: a folder that an operator names. Light: it loads no library."""

import csv
import hashlib
import json
import math
from functools import lru_cache
from pathlib import Path

from django.conf import settings

from judges.scorers.base import NotInstalled

MODEL_FILES = ("model.onnx", "onnx/model.onnx")
TOKENIZER_FILE = "tokenizer.json"
BASELINE_FILE = "baseline.tsv"
MOST_PIECES = 512
ADVICE = (
    f"an operator sets it to a folder with model.onnx (its first output the states of the tokens) "
    f"and {TOKENIZER_FILE}"
)


def folder():
    """Return the folder that BERT_SCORE_MODEL names; NotInstalled says what it should hold."""
    return named_folder("BERT_SCORE_MODEL", ADVICE)


def named_folder(setting, advice, others=(TOKENIZER_FILE,)):
    """Return the folder that a setting names, with a model and the other files."""
    if not getattr(settings, setting):
        raise NotInstalled(f"{setting} is not set; {advice}")
    place = Path(getattr(settings, setting))
    if not place.is_dir():
        raise NotInstalled(f"{setting} names no folder; {advice}")
    missing = [] if model_file(place) else [MODEL_FILES[0]]
    missing += [name for name in others if not (place / name).is_file()]
    if missing:
        raise NotInstalled(f"the folder of {setting} has no {' and no '.join(missing)}")
    return place


def model_file(place):
    """Return the file of a folder's model, or None."""
    return next((place / name for name in MODEL_FILES if (place / name).is_file()), None)


def most_pieces(place):
    """Return how many word pieces a folder's model reads, as its own files say; 512 at most.

    Some tokenizers say a number beyond all measure instead of none.
    """
    numbers = [
        _setting_in(place / "config.json", "max_position_embeddings"),
        _setting_in(place / "tokenizer_config.json", "model_max_length"),
    ]
    return min([MOST_PIECES, *(n for n in numbers if type(n) is int and n > 0)])


def _setting_in(file, name):
    try:
        return json.loads(file.read_text(encoding="utf-8")).get(name)
    except (OSError, ValueError, AttributeError):
        return None


def facts():
    """Return what is frozen of the model: its name, its hash, and whether scores are rescaled."""
    place = folder()
    file = model_file(place)
    return {
        "model": place.resolve().name,
        "model_sha256": sha256(file),
        "word_pieces": MOST_PIECES,
        "idf": False,
        "baseline": baseline(place),
    }


def sha256(file):
    """Hash a file's content; computed once, unless the file changes."""
    return _sha256(file, file.stat().st_mtime_ns)


@lru_cache(maxsize=4)
def _sha256(file, _changed):
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def baseline(place):
    """Read [P, R, F] to rescale by, of the last layer as bert-score writes them; or None."""
    file = place / BASELINE_FILE
    if not file.is_file():
        return None
    try:
        with file.open(encoding="utf-8", newline="") as opened:
            last = list(csv.DictReader(opened))[-1]
        values = [float(last[name]) for name in ("P", "R", "F")]
    except (ValueError, LookupError, TypeError, csv.Error):
        values = [math.nan]
    if not all(value < 1 for value in values):
        raise NotInstalled(
            f"{BASELINE_FILE} beside the model of BERT_SCORE_MODEL cannot be read; expected is a "
            "header LAYER,P,R,F and a line with numbers below 1 for each layer"
        )
    return values
