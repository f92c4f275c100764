"""Saving answers over HTTP: gunicorn, against a view that does one raw upsert on the same server.

Usage: python -m tests.bench.bench_save [requests]. Uses DATABASE_URL's server, SQLite without it.
Both views are POSTs of a small form through the same middleware. At full speed they take turns;
then both are sent as 200 raters would, an answer every two seconds each, whose times are counted
from when each was due, not from when it could be sent.
"""

import http.client
import os
import socket
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import count, islice

from tests.bench.scratch import Scratch

CLIENTS, ROUNDS = 8, 5
RATERS, PAUSE, PACED_CLIENTS, PACED_SECONDS = 200, 2.0, 16, 20


def raw_application():
    """Concord's WSGI application with one more address, /raw/: one upsert and nothing else."""
    import django

    django.setup()
    from django.db import connection
    from django.http import HttpResponse
    from django.urls import path
    from django.views.decorators.csrf import csrf_exempt

    from config import urls, wsgi

    @csrf_exempt
    def raw(request):
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO bench_raw (id, value) VALUES (%s, %s) "
                "ON CONFLICT (id) DO UPDATE SET value = excluded.value",
                [int(request.POST["id"]), int(request.POST["value"])],
            )
        return HttpResponse("saved")

    urls.urlpatterns.append(path("raw/", raw))
    return wsgi.application


def sessions(count):
    """Addresses of one question each: (path, field)."""
    from django.db import connection

    from annotate.models import Item, Place, Rater, Session
    from tests import factories

    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE bench_raw (id integer PRIMARY KEY, value integer)")
    study = factories.make_study(slug="bench", raters_per_item=count)
    question = study.questions.first()
    item = Item.objects.create(study=study, key="i", kind="explanation", text="A text.")
    found = []
    for number in range(1, count + 1):
        rater = Rater.objects.create(study=study, key=f"r{number}")
        session = Session.objects.create(study=study, rater=rater, state=Session.State.RATING)
        Place.objects.create(
            study=study,
            item=item,
            number=number,
            shuffle=number,
            state=Place.State.HELD,
            rater=rater,
            session=session,
            position=1,
        )
        found.append((f"/r/{session.token}/answer/{item.pk}/{question.pk}/", f"q{question.pk}"))
    return found


def client_of(port):
    """A function that sends one form and waits for its answer, always on the same connection."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    headers = {"Content-Type": "application/x-www-form-urlencoded", "HX-Request": "true"}

    def send(path, body):
        connection.request("POST", path, body, headers)
        response = connection.getresponse()
        response.read()
        if response.status != 200:
            raise SystemExit(f"{path.split('/')[-4:]} answered {response.status}")

    return send


def at_full_speed(port, asks):
    """Seconds all of the requests took, and each of them, over CLIENTS connections."""

    def one(chunk):
        send, took = client_of(port), []
        for ask in chunk:
            start = time.perf_counter()
            send(*ask)
            took.append(time.perf_counter() - start)
        return took

    start = time.perf_counter()
    with ThreadPoolExecutor(CLIENTS) as pool:
        chunks = pool.map(one, [asks[first::CLIENTS] for first in range(CLIENTS)])
        every = [took for chunk in chunks for took in chunk]
    return time.perf_counter() - start, every


def at_pace(port, asks):
    """Seconds each of the requests took from when it was due; RATERS of them every PAUSE."""
    begin = time.perf_counter() + 0.5
    due = [begin + number * PAUSE / RATERS for number in range(len(asks))]

    def one(mine):
        send, took = client_of(port), []
        for at, ask in mine:
            time.sleep(max(at - time.perf_counter(), 0))
            send(*ask)
            took.append(time.perf_counter() - at)
        return took

    plan = list(zip(due, asks, strict=True))
    with ThreadPoolExecutor(PACED_CLIENTS) as pool:
        chunks = pool.map(one, [plan[first::PACED_CLIENTS] for first in range(PACED_CLIENTS)])
        return [took for chunk in chunks for took in chunk]


def main(requests):
    with Scratch() as name, socket.socket() as probe:
        from django.db import connection

        found = sessions(RATERS)
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        url = f"sqlite:///{name}"
        if connection.vendor == "postgresql":
            url = os.environ["DATABASE_URL"].rsplit("/", 1)[0] + f"/{name}"
        server = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "gunicorn",
                "tests.bench.bench_save:raw_application()",
                "--bind",
                f"127.0.0.1:{port}",
                "--workers",
                "2",
                "--threads",
                "4",
                "--no-control-socket",
                "--log-level",
                "error",
            ],
            env=os.environ | {"DATABASE_URL": url},
        )
        try:
            measure(port, found, requests, connection.vendor)
        finally:
            server.terminate()
            server.wait()


def measure(port, found, requests, vendor):
    for _ in range(100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.1)
    turns = count()

    def saves(number):
        """Every answer differs from the one before of the same rater."""
        for n in islice(turns, number):
            path, field = found[n % RATERS]
            yield path, f"{field}={n // RATERS % 5 + 1}"

    def raws(number):
        return [("/raw/", f"id={n % RATERS}&value={n}") for n in range(number)]

    for asks in (saves, raws):
        at_full_speed(port, list(asks(400)))
    totals, times = {saves: 0.0, raws: 0.0}, {saves: [], raws: []}
    for _ in range(ROUNDS):
        for asks in (saves, raws):
            total, every = at_full_speed(port, list(asks(requests // ROUNDS)))
            totals[asks] += total
            times[asks] += every
    print(f"database: {vendor}; gunicorn, 2 processes x 4 threads, {CLIENTS} clients at full speed")
    print(
        f"saves: {requests / totals[saves]:,.0f}/s; raw upserts: {requests / totals[raws]:,.0f}/s"
    )
    print(
        f"ratio {totals[raws] / totals[saves]:.2f} (target .8); "
        f"p95 {p95(times[saves])} of a save, {p95(times[raws])} of a raw upsert"
    )
    number = int(PACED_SECONDS * RATERS / PAUSE)
    paced = {asks: p95(at_pace(port, list(asks(number)))) for asks in (saves, raws)}
    print(
        f"{RATERS} raters, one answer each {PAUSE:.0f} s, {PACED_SECONDS} s long: "
        f"p95 {paced[saves]} of a save (target 50 ms), {paced[raws]} of a raw upsert"
    )


def p95(seconds):
    return f"{statistics.quantiles(seconds, n=20)[18] * 1000:.0f} ms"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4_000)
