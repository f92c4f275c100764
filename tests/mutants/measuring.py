"""A pytest plugin: which lines each test reaches (a coverage context a test), and how long it took.

Used as `coverage run -m pytest -p tests.mutants.measuring`.
"""

import json
import os
import time
from pathlib import Path

import coverage
import pytest

SECONDS = {}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """With its fixtures: what only they reach counts as reached by the test."""
    measured, began = coverage.Coverage.current(), time.monotonic()
    measured.switch_context(item.nodeid)
    try:
        return (yield)
    finally:
        measured.switch_context("")
        SECONDS[item.nodeid] = round(time.monotonic() - began, 3)


def pytest_sessionfinish():
    Path(os.environ["MUTANTS_SECONDS"]).write_text(json.dumps(SECONDS))
