"""Run models of texts that stand in ONNX files, on the processor and in one thread."""

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

COLUMNS = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}


def open_model(tokenizer_file, model_file, word_pieces, called):
    """Return (tokenizer, session) of a model; raise OSError that says by name what is broken."""
    try:
        return _open_tokenizer(tokenizer_file, word_pieces), _open_session(model_file)
    except Exception as error:  # both libraries raise plain Exceptions: raised again with the name
        raise OSError(f"{called} cannot be read: {error}") from error


def _open_tokenizer(path, most):
    """Open a tokenizer that cuts texts after so many word pieces and pads them to one length."""
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.enable_truncation(most)
    tokenizer.enable_padding()
    return tokenizer


def _open_session(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # else the memory of the longest batch is kept
    return onnxruntime.InferenceSession(str(path), options, ["CPUExecutionProvider"])


def first_output(session, encoded):
    """Return a model's first output for encoded texts; it is sent the inputs that it takes."""
    sent = {
        taken.name: np.array([getattr(text, COLUMNS[taken.name]) for text in encoded], dtype="i8")
        for taken in session.get_inputs()
        if taken.name in COLUMNS
    }
    return session.run(None, sent)[0]
