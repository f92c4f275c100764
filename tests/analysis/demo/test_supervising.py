"""The demo's supervisor starts again what ends, and waits longer for what ends at once."""

import sys
import time

from analysis.demo.supervising import Process


def test_what_ends_at_once_is_started_again_after_one_and_two_seconds(tmp_path):
    process = Process("worker", [sys.executable, "-c", ""], tmp_path / "log")
    process.start()
    begun, starts = time.monotonic(), []
    while time.monotonic() - begun < 5 and len(starts) < 2:
        if process.restart_if_dead():
            starts.append(time.monotonic() - begun)
        time.sleep(0.05)
    process.child.wait()
    assert len(starts) == 2 and starts[0] >= 1 and starts[1] - starts[0] >= 2
    assert process.wait == 2
