"""Run the simulation study and write its page.

python -m tests.calibration [--short] [--most SECTION=N ...] [--seed N] [-o docs/CALIBRATION.md]
"""

import argparse
import os
import sys
import time
from pathlib import Path

# Two processes have a core each: threads of linear algebra would only take it from each other.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

from tests.calibration.experiments import PROCESSES, SEED, run_experiments  # noqa: E402
from tests.calibration.page import Cost, write_page  # noqa: E402


def cpu_seconds():
    """Return the CPU seconds of this process and of the children that have ended."""
    return sum(os.times()[:4])


def main(arguments=None):
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="tests.calibration", description=__doc__)
    parser.add_argument("--short", action="store_true", help="few studies, in less than a minute")
    parser.add_argument(
        "--most",
        nargs="*",
        default=[],
        metavar="SECTION=N",
        type=lambda text: text.split("="),
        help="of each design of these sections at most so many studies",
    )
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--processes", type=int, default=PROCESSES)
    parser.add_argument("-o", "--output", type=Path, help="file of the page; else it is printed")
    options = parser.parse_args(arguments)
    began, began_cpu = time.monotonic(), cpu_seconds()
    most = {section: int(count) for section, count in options.most}
    tallies = run_experiments(
        options.seed, is_short=options.short, most=most, processes=options.processes
    )
    cost = Cost(time.monotonic() - began, cpu_seconds() - began_cpu, options.processes)
    page = write_page(tallies, options.seed, options.short, cost, most)
    if options.output:
        options.output.write_text(page)
    else:
        sys.stdout.write(page)


if __name__ == "__main__":
    main()
