"""The NLI model: a folder that an operator names. Light: it loads no library."""

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
    """The folder that NLI_MODEL names; NotInstalled says what it should hold."""
    return named_folder(SETTING, ADVICE, (TOKENIZER_FILE, CONFIG_FILE))


def facts():
    """What is frozen of the model: its name, its hash, and what its outputs are."""
    found = folder()
    return {
        "model": found.resolve().name,
        "model_sha256": sha256(model_file(found)),
        "word_pieces": most_pieces(found),
        "labels": labels(found),
    }


def labels(found):
    """The name of each of the model's outputs, in their order, from id2label of its config."""
    try:
        said = json.loads((found / CONFIG_FILE).read_text(encoding="utf-8"))["id2label"]
        names = [str(said[str(at)]).lower() for at in range(len(said))]
    except (ValueError, LookupError, TypeError):
        names = []
    known = [name for label in names for name, start in CLASSES.items() if label.startswith(start)]
    if len(names) != len(CLASSES) or sorted(known) != sorted(CLASSES):
        words = ", ".join(names) if names else "nothing that can be read"
        raise NotInstalled(
            f"{CONFIG_FILE} beside the model of {SETTING} has id2label: {words[:200]}; expected "
            f"are three labels: {', '.join(CLASSES)}, in the order of the model’s outputs"
        )
    return known
