"""python -m tests.smoke: start the installed product and open all of it."""

import argparse
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

import django


def main() -> int:
    """Run the ways that are asked for; the last line counts what passed and what failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.smoke", description=__doc__)
    parser.add_argument("--short", action="store_true", help="one link where the whole takes all")
    parser.add_argument("--way", choices=["demo", "production"], help="one of the two alone")
    parser.add_argument("--answers", help="a folder for all answers, as JSON lines")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that all is ended and removed
    with tempfile.TemporaryDirectory(prefix="concord-smoke-var-") as var:
        os.environ["CONCORD_VAR"] = var  # of this process, which only reads the urlconf
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
        django.setup()
        from tests.smoke.running import run

        began = time.monotonic()
        passed, failed = run(
            [options.way] if options.way else ["demo", "production"],
            options.short,
            options.answers and Path(options.answers),
        )
    print(f"{passed} passed, {failed} failed in {time.monotonic() - began:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
