"""A run ends with the fast tests that took over a CPU second: into slow.txt, or made cheaper.

Fixtures of a module or the session are not counted, nor is a test that imported modules.
Nothing fails by it.
"""

import os
import sys

import pytest

SECONDS = 1


def used():
    """CPU seconds of this process and of those that it has waited for."""
    return sum(os.times()[:4])


class Allowance:
    def __init__(self, tiers):
        self.tiers = tiers
        self.begun = self.modules = 0
        self.over = []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        self.begun, self.modules = used(), len(sys.modules)
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef):
        begun = used()
        found = yield
        if fixturedef.scope != "function":
            self.begun += used() - begun
        return found

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        if call.when == "teardown" and "fast" in self.tiers(item):
            seconds = used() - self.begun
            if seconds > SECONDS and len(sys.modules) == self.modules:
                report.user_properties.append(("cpu", seconds))
        return report

    def pytest_runtest_logreport(self, report):
        """In the process that prints, of whichever process ran the test."""
        self.over += [
            (seconds, report.nodeid) for name, seconds in report.user_properties if name == "cpu"
        ]

    def pytest_terminal_summary(self, terminalreporter):
        if self.over:
            terminalreporter.section(f"fast tests over {SECONDS} CPU second")
        for seconds, name in sorted(self.over, reverse=True):
            terminalreporter.line(f"{seconds:6.1f}  {name}")
