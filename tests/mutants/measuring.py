"""A pytest plugin: which lines each test reaches (a coverage context a test), and how long it took.

A test that fails is left out: it could not tell one fault from another.

Used as `coverage run -m pytest -p tests.mutants.measuring`.
"""

import json
import os
import time
from pathlib import Path

import coverage
import pytest

SECONDS: dict = {}
FAILED: set = set()


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


def pytest_runtest_logreport(report):
    if report.failed:
        FAILED.add(report.nodeid)


def pytest_sessionfinish():
    passed = {test: seconds for test, seconds in SECONDS.items() if test not in FAILED}
    Path(os.environ["MUTANTS_SECONDS"]).write_text(json.dumps(passed))
