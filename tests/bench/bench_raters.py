"""200 raters at once, each a whole session over HTTP on the web server as it is deployed.

Usage: python -m tests.bench.bench_raters [raters]. Uses DATABASE_URL's server; SQLite without it,
then with 20 raters. First one rater alone, at full speed; then all of them, who answer every two
seconds; then all of them again while workers of the server and once its master are killed
(SIGKILL). After each round it is checked that no place was taken twice and no confirmed answer is
lost. Times are those of requests that were answered, each counted from when it was sent last.

All raters arrive in one moment. What is sent until each of them has a first item is the stampede;
what is sent from then on until the first of them has done, the steady state. Both are told apart.
"""

import os
import statistics
import sys
import tempfile

from tests.bench.scratch import Scratch

PAUSE = 2.0
KINDS = {
    "arrival": "arrivals",
    "join": "consents",
    "page": "pages",
    "save": "saves",
    "next": "whole forms",
    "begin": "claims of four items",
}


def main(raters):
    with Scratch(), tempfile.TemporaryDirectory(prefix="concord-raters-") as var:
        from django.db import connection

        from tests.web_server import WebServer

        raters = raters or (200 if connection.vendor == "postgresql" else 20)
        with WebServer(var, LOG_LEVEL="ERROR") as web:
            print(f"database: {connection.vendor}; 2 processes x 4 threads of gunicorn")
            print(f"load average: {os.getloadavg()[0]:.1f}", flush=True)
            alone = measure(web, 20, 0.0, "20 raters one after the other, at full speed")
            paced = measure(web, raters, PAUSE, f"{raters} raters, an answer every {PAUSE:.0f} s")
            steady = (paced.all_there, paced.steady_until)
            for kind in ("page", "save"):
                at_once, single = paced.seconds(kind, *steady), alone.seconds(kind)
                if at_once:
                    ratio = statistics.median(at_once) / statistics.median(single)
                    print(f"  median of a {kind} in the steady state to one at a time: {ratio:.1f}")
            kills = [web.kill_worker, web.kill_workers, web.kill_master, web.kill_worker]
            words = "the same; killed: a worker, both, the master (started again), a worker"
            measure(web, raters, PAUSE, words, kills)


def measure(web, count, pause, words, kills=()):
    """The Times of one round, whose outcome is checked and printed."""
    from annotate.models import Study
    from tests import simulated_raters as simulated

    study = simulated.make_study(count, short_of=max(count // 20, 1))
    raters, times = simulated.make_raters(web.port, study.slug, count, pause)
    if pause:
        simulated.walk_all(raters, kills)
    else:
        for rater in raters:
            rater.walk()
    simulated.check(study, raters)
    late, again = (sum(getattr(one, name) for one in raters) for name in ("is_late", "tries_again"))
    saves = sum(rater.saves for rater in raters)
    print(f"{words}:")
    print(f"  {count - late} completed, {late} came too late, no place too many")
    print(f"  {saves:,} saves confirmed, none lost; requests sent again: {again}")
    if pause:
        begun = min(when for _, when, _ in times.sent)
        there, until = times.all_there - begun, times.steady_until - begun
        tell(f"  stampede, all in one moment; {there:.1f} s", times, 0.0, times.all_there)
        words = f"  steady state, {until - there:.1f} s"
        tell(words, times, times.all_there, times.steady_until)
    else:
        tell("  each request", times)
    Study.objects.all().delete()
    return times


def tell(words, times, *window):
    print(f"{words} (load average {os.getloadavg()[0]:.1f}):")
    for kind, what in KINDS.items():
        if seconds := times.seconds(kind, *window):
            print(f"    {what}: {spread(seconds)}", flush=True)


def spread(seconds):
    if len(seconds) < 20:
        return f"median {statistics.median(seconds) * 1000:.0f} ms of {len(seconds)}"
    cuts = statistics.quantiles(seconds, n=100, method="inclusive")
    shown = ", ".join(f"p{n} {cuts[n - 1] * 1000:.0f}" for n in (50, 95, 99))
    return f"{shown}, most {max(seconds) * 1000:.0f} ms of {len(seconds):,}"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
