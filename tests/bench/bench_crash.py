"""A run of 3,000 judgments whose two workers are killed (SIGKILL) at ten random moments.

usage: python -m tests.bench.bench_crash [--judgments 3000] [--kills 10] [--seed 1]
On SQLite with the broker of files, or on DATABASE_URL with REDIS_URL. The scripted server counts
what reaches it. Under way at a kill is what it was sent and no worker had stored a reply of.
"""

import argparse
import os
import tempfile
from pathlib import Path

from tests.bench import scratch

if __name__ == "__main__":
    import django

    django.setup()

from django.conf import settings  # noqa: E402
from django.db import connection  # noqa: E402

from tests import crashes, processes  # noqa: E402
from tests.scripted_server import ScriptedServer  # noqa: E402

CONCURRENCY = 16


def report(found, options):
    broker = "Redis" if settings.REDIS_URL else "files"
    print(
        f"database: {connection.vendor}, broker: {broker}; {CONCURRENCY} calls at once, 0.1 s each"
    )
    print(f"{options.kills} kills of both workers in {options.judgments} judgments:")
    print("none lost, none doubled, finished without a hand")
    print(f"under way at each kill: {_each(found.under_way)}; in all {sum(found.under_way)}")
    print(f"  of these unanswered:  {_each(found.unanswered)}; in all {sum(found.unanswered)}")
    print(
        f"repeated calls at the server: {found.repeated}; {found.seconds:.0f} s in all", flush=True
    )


def _each(counts):
    return ", ".join(map(str, counts))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judgments", type=int, default=3000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    queue = {"CELERY_QUEUE": f"bench-{os.getpid()}"}
    with (
        tempfile.TemporaryDirectory(prefix="concord-crash-") as var,
        scratch.Scratch(),
        ScriptedServer(crashes.slow) as server,
        processes.beat(Path(var), **queue),
    ):
        run = crashes.make_run(server, options.judgments, CONCURRENCY)
        found = crashes.finish_with_kills(
            run, server, Path(var), options.kills, options.seed, **queue
        )
        crashes.check(run, found, options.judgments, CONCURRENCY)
        report(found, options)


if __name__ == "__main__":
    main()
