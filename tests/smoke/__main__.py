"""python -m tests.smoke: start the installed product and open all of it."""

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import django

WAYS = ("demo", "production")


def main() -> int:
    """Run the ways that are asked for; the last line counts what passed and what failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.smoke", description=__doc__)
    parser.add_argument(
        "--short",
        action="store_true",
        help="one link where the whole takes all; each page in all roles, and each form that "
        "chooses what its own page shows, in one of the ways",
    )
    parser.add_argument(
        "--gate",
        action="store_true",
        help="the short form, but other roles open no pages of the owner, forms that choose what "
        "their own page shows are not sent, and the demo is opened only where its links lead",
    )
    parser.add_argument("--way", choices=WAYS, help="one of the two alone")
    parser.add_argument("--answers", help="a folder for all answers, as JSON lines")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that all is ended and removed
    began = time.monotonic()
    passed, failed = run_one(options) if options.way else run_both(sys.argv[1:])
    print(f"{passed} passed, {failed} failed in {time.monotonic() - began:.0f} s")
    return 1 if failed else 0


def run_one(options: argparse.Namespace) -> tuple[int, int]:
    """Run one way in this process; return how many checks passed and failed."""
    with tempfile.TemporaryDirectory(prefix="concord-smoke-var-") as var:
        os.environ["CONCORD_VAR"] = var  # of this process, which only reads the urlconf
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
        django.setup()
        from tests.smoke.running import run

        answers = Path(options.answers) if options.answers else None
        return run(options.way, options.short or options.gate, options.gate, answers)


def run_both(arguments: list[str]) -> tuple[int, int]:
    """Run both ways at the same time, each in a process: most of it waits for pages."""
    command = [sys.executable, "-u", "-m", "tests.smoke", *arguments]
    children = [
        subprocess.Popen([*command, "--way", way], stdout=subprocess.PIPE, text=True)
        for way in WAYS
    ]
    try:
        with ThreadPoolExecutor(len(children)) as pool:
            counts = list(pool.map(read_counts, children))
    finally:
        for child in children:
            child.terminate()
            child.wait()
    return sum(passed for passed, _ in counts), sum(failed for _, failed in counts)


def read_counts(child: subprocess.Popen) -> tuple[int, int]:
    """Print what a way writes, but for its last line: return the counts of that one."""
    last = None
    for line in child.stdout or ():
        last = re.fullmatch(r"(\d+) passed, (\d+) failed in \d+ s\n", line)
        if last is None:
            print(line, end="", flush=True)
    return (int(last[1]), int(last[2])) if last else (0, 1)


if __name__ == "__main__":
    sys.exit(main())
