"""Find models that score pairs of texts: folders that an operator names. Loads no library."""

import json
import re
from pathlib import Path

from django.conf import settings

from judges.scorers.base import NotInstalled
from judges.scorers.bert_files import TOKENIZER_FILE, model_file, most_pieces, sha256

SETTING = "PAIR_MODELS"
FOLDER_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}"
CONFIG_FILE = "config.json"
ADVICE = (
    "an operator sets it to a folder with a folder for each model, which holds model.onnx (a "
    "sequence classification or regression model that reads pairs, its first output the logits), "
    f"{TOKENIZER_FILE} and {CONFIG_FILE}"
)
# How the labels begin that say that the second text follows from the first, in any case.
GOOD = ("aligned", "entail", "consistent", "support", "factual")
MULTI_LABEL = "multi_label_classification"  # as transformers calls it: each output by itself
SIGMOID, SOFTMAX = "sigmoid", "softmax"  # one output without the former is the score as it is


def names():
    """List the names of the folders there are, sorted; [] where nothing is set."""
    root = Path(getattr(settings, SETTING) or "/nowhere")
    entries = root.iterdir() if root.is_dir() else ()
    return sorted(
        entry.name for entry in entries if entry.is_dir() and re.fullmatch(FOLDER_NAME, entry.name)
    )


def folder(name):
    """Return the folder of one model; NotInstalled says what is missing."""
    if not getattr(settings, SETTING):
        raise NotInstalled(f"{SETTING} is not set; {ADVICE}")
    if name not in names():
        there = ", ".join(names()) or "none"
        raise NotInstalled(f"{SETTING} has no folder {name[:100]}; there: {there}; {ADVICE}")
    place = Path(getattr(settings, SETTING)) / name
    missing = [] if model_file(place) else ["model.onnx"]
    missing += [file for file in (TOKENIZER_FILE, CONFIG_FILE) if not (place / file).is_file()]
    if missing:
        raise NotInstalled(f"the folder {name} of {SETTING} has no {' and no '.join(missing)}")
    return place


def facts(judge):
    """Return what is frozen of a judge's model besides its name, and which output is the score."""
    frozen = facts_of(judge.settings.model)
    return frozen | {"output": _score_of(frozen["labels"], judge)}


def facts_of(name):
    """Return a model's hash, outputs and activation, and how much of a pair it reads."""
    place = folder(name)
    config = _config(place)
    return {
        "model_sha256": sha256(model_file(place)),
        "labels": _labels(config, name),
        "activation": SIGMOID if config.get("problem_type") == MULTI_LABEL else SOFTMAX,
        "word_pieces": most_pieces(place),
    }


def _config(place):
    try:
        config = json.loads((place / CONFIG_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        config = None
    return config if isinstance(config, dict) else {}


def _labels(config, name):
    """Return the names of the model's outputs, in their order, as its config gives them."""
    try:
        labels = [str(config["id2label"][str(number)]) for number in range(len(config["id2label"]))]
    except (LookupError, TypeError):
        labels = []
    if not labels:
        raise NotInstalled(f"{CONFIG_FILE} of the model {name} of {SETTING} has no id2label")
    return labels


def _score_of(labels, judge):
    if judge.settings.output:
        chosen = [label for label in labels if label.lower() == judge.settings.output.lower()]
    elif len(labels) == 1:
        chosen = labels
    else:
        chosen = [label for label in labels if label.lower().startswith(GOOD)]
    if len(chosen) == 1:
        return chosen[0]
    outputs = (
        f"the model {judge.settings.model} of {SETTING} has the outputs {', '.join(labels)[:200]}"
    )
    if judge.settings.output:
        raise NotInstalled(f"{outputs}, and no {judge.settings.output[:100]}")
    raise NotInstalled(f"{outputs}; the judge has to be set to the one that is the score")
