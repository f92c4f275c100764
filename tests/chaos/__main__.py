"""The product in the production way while its parts are killed: a ledger of what it kept.

usage: python -m tests.chaos --minutes M --seed S [--database sqlite|postgres] [--short]

Raters, judges, loads and exports work at once over HTTP; web processes, workers, the clock,
connections to the database and Redis are killed, and the disk fills, by a schedule that the seed
draws. Then calm returns, and what the clients were told is compared with what the database holds.
Exit code 1 when any check failed. Schedule, ledger and logs are kept under var/chaos/.
"""

import argparse
import os
import signal
import sys


def arguments():
    """Return the options of the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--database", choices=("sqlite", "postgres"), default="postgres")
    parser.add_argument("--short", action="store_true", help="two minutes in all")
    parser.add_argument(
        "--delete-studies", action="store_true", help="delete studies while their judges run"
    )
    return parser.parse_args()


def main():
    """Run the whole of it; return the exit code."""
    options = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that nothing is left running
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from tests.chaos.ground import prepare, scratch

    ground = prepare(options.database, options.seed)
    ground.mount()
    try:
        with scratch.Scratch():
            from tests.chaos.running import run

            ledger = run(options, ground)
    finally:
        ground.unmount()
    return 1 if ledger.failed else 0


if __name__ == "__main__":
    sys.exit(main())
