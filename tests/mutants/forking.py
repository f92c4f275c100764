"""Run pytest in a fork of a process that has imported the libraries: seconds less for each mutant.

Nothing of the project is imported before the fork, so that each run reads the changed file.
"""

import multiprocessing
import os
import signal
import sys

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(
    [
        "pytest",
        "hypothesis",
        "schemathesis",
        "numpy",
        "pandas",
        "scipy.stats",
        "sklearn.isotonic",
        "sklearn.linear_model",
        "nltk",
        "openai",
        "celery",
        "psycopg",
        "redis",
        "rapidfuzz",
        "django.test",
        "django.db.models",
        "playwright.sync_api",
    ]
)


def run_pytest(folder, env, arguments, seconds):
    """Return pytest's exit code, or None where it did not end within so many seconds."""
    process = FORKS.Process(target=_run, args=(str(folder), env, arguments))
    process.start()
    process.join(seconds)
    try:
        return process.exitcode
    finally:
        if process.is_alive():
            os.killpg(process.pid, signal.SIGKILL)
            process.join()


def _run(folder, env, arguments):
    os.setsid()
    before = os.getcwd()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    sys.dont_write_bytecode = False
    sys.path[:] = [folder, *(path for path in sys.path if path not in ("", before))]
    for name in [name for name in sys.modules if name.partition(".")[0] == "tests"]:
        del sys.modules[name]  # this module's package is of another folder
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)

    import pytest

    sys.exit(pytest.main(arguments))
