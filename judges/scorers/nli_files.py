"""Find the NLI model: a folder that an operator names. Light: it loads no library."""

import json

from judges.scorers.base import NotInstalled
from judges.scorers.bert_files import (
    TOKENIZER_FILE,
    model_file,
    most_pieces,
    named_folder,
    sha256,
)

SETTING = "NLI_MODEL"
CONFIG_FILE = "config.json"
# As the columns of what is kept; how the labels of models begin, in any case.
CLASSES = {"entailment": "entail", "neutral": "neutral", "contradiction": "contradict"}
ADVICE = (
    "an operator sets it to a folder with model.onnx (a sequence classification model that reads "
    f"pairs, its first output the logits), {TOKENIZER_FILE} and {CONFIG_FILE}"
)


def folder():
    """Return the folder that NLI_MODEL names; NotInstalled says what it should hold."""
    return named_folder(SETTING, ADVICE, (TOKENIZER_FILE, CONFIG_FILE))


def facts():
    """Return what is frozen of the model: its name, its hash, and what its outputs are."""
    place = folder()
    return {
        "model": place.resolve().name,
        "model_sha256": sha256(model_file(place)),
        "word_pieces": most_pieces(place),
        "labels": labels(place),
    }


def labels(place):
    """Read the name of each of the model's outputs, in their order, from id2label of its config."""
    try:
        by_number = json.loads((place / CONFIG_FILE).read_text(encoding="utf-8"))["id2label"]
        names = [str(by_number[str(number)]).lower() for number in range(len(by_number))]
    except (ValueError, LookupError, TypeError):
        names = []
    classes = [
        name for label in names for name, start in CLASSES.items() if label.startswith(start)
    ]
    if len(names) != len(CLASSES) or sorted(classes) != sorted(CLASSES):
        words = ", ".join(names) if names else "nothing that can be read"
        raise NotInstalled(
            f"{CONFIG_FILE} beside the model of {SETTING} has id2label: {words[:200]}; expected "
            f"are three labels: {', '.join(CLASSES)}, in the order of the model’s outputs"
        )
    return classes
