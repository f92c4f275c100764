"""A model in ONNX, byte by byte: three logits a text, its sum of token ids times three weights."""

import json
import struct
from importlib import import_module
from importlib.util import find_spec

from tests.conftest import missing

FLOAT, INT64 = 1, 7


def varint(number):
    found = bytearray()
    while True:
        number, low = number >> 7, number & 127
        found.append(low | (128 if number else 0))
        if not number:
            return bytes(found)


def number(field, value):
    return varint(field << 3) + varint(value)


def block(field, content):
    content = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(content)) + content


def node(op, inputs, output, attributes=b""):
    names = b"".join(block(1, name) for name in inputs)
    return block(1, names + block(2, output) + block(4, op) + attributes)


def tensor(name, kind, shape, raw):
    dims = b"".join(number(1, size) for size in shape)
    return block(5, dims + number(2, kind) + block(8, name) + block(9, raw))


def value(field, name, kind, shape):
    dims = b"".join(block(1, block(2, size)) for size in shape)
    return block(field, block(1, name) + block(2, block(1, number(1, kind) + block(2, dims))))


def model(weights):
    """The bytes of the file."""
    to_float = block(5, block(1, "to") + number(3, FLOAT) + number(20, 2))
    graph = (
        node("Cast", ["input_ids"], "floats", to_float)
        + node("ReduceSum", ["floats", "axes"], "sums")
        + node("MatMul", ["sums", "weights"], "logits")
        + block(2, "tiny")
        + tensor("axes", INT64, [1], struct.pack("<q", 1))
        + tensor("weights", FLOAT, [1, len(weights)], struct.pack(f"<{len(weights)}f", *weights))
        + value(11, "input_ids", INT64, ["n", "length"])
        + value(12, "logits", FLOAT, ["n", "three"])
    )
    return number(1, 8) + block(7, graph) + block(8, block(1, "") + number(2, 13))


def nli_folder(folder, weights=(-0.5, 0.0, 0.5)):
    """A folder as NLI_MODEL names one: words are tokens, whose ids the model adds up.

    The test is skipped where the libraries are not installed.
    """
    absent = [name for name in ("onnxruntime", "tokenizers") if find_spec(name) is None]
    if absent:
        missing(f"not installed (requirements-models.txt): {', '.join(absent)}")
    tokenizers = import_module("tokenizers")
    words = {"[PAD]": 0, "[UNK]": 1}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    folder.mkdir()
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "model.onnx").write_bytes(model(weights))
    labels = {"0": "CONTRADICTION", "1": "NEUTRAL", "2": "ENTAILMENT"}
    (folder / "config.json").write_text(json.dumps({"id2label": labels}))
    return folder
