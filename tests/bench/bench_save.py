"""Saving answers over HTTP: gunicorn, against a view that does one raw upsert on the same server.

Usage: python -m tests.bench.bench_save [requests]. Uses DATABASE_URL's server, SQLite without it.
"""

import http.client
import os
import socket
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from tests.bench.scratch import Scratch

CLIENTS = 8


def raw_application():
    """Concord's WSGI application with one more address, /raw/: one upsert and nothing else."""
    import django

    django.setup()
    from django.db import connection
    from django.http import HttpResponse
    from django.urls import path

    from config import urls, wsgi

    def raw(request):
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO bench_raw (id, value) VALUES (%s, %s) "
                "ON CONFLICT (id) DO UPDATE SET value = excluded.value",
                [int(request.GET["id"]), int(request.GET["value"])],
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
            study=study, item=item, number=number, shuffle=number, state=Place.State.HELD,
            rater=rater, session=session, position=1,
        )  # fmt: skip
        found.append((f"/r/{session.token}/answer/{item.pk}/{question.pk}/", f"q{question.pk}"))
    return found


def drive(port, asks):
    """Seconds each of the requests took, over CLIENTS connections; and all of them together."""
    chunks = [asks[start::CLIENTS] for start in range(CLIENTS)]

    def one(chunk):
        connection, took = http.client.HTTPConnection("127.0.0.1", port), []
        for method, path, body in chunk:
            start = time.perf_counter()
            headers = {"Content-Type": "application/x-www-form-urlencoded", "HX-Request": "true"}
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            response.read()
            if response.status != 200:
                raise SystemExit(f"{path.split('/')[-4:]} answered {response.status}")
            took.append(time.perf_counter() - start)
        return took

    start = time.perf_counter()
    with ThreadPoolExecutor(CLIENTS) as pool:
        every = [took for chunk in pool.map(one, chunks) for took in chunk]
    return every, time.perf_counter() - start


def main(requests):
    with Scratch() as name, socket.socket() as probe:
        from django.db import connection

        found = sessions(40)
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        url = f"sqlite:///{name}"
        if connection.vendor == "postgresql":
            url = os.environ["DATABASE_URL"].rsplit("/", 1)[0] + f"/{name}"
        server = subprocess.Popen(
            [sys.executable, "-m", "gunicorn", "tests.bench.bench_save:raw_application()",
             "--bind", f"127.0.0.1:{port}", "--workers", "2", "--threads", "4",
             "--no-control-socket", "--log-level", "error"],
            env=os.environ | {"DATABASE_URL": url},
        )  # fmt: skip
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
    saves = []
    for n in range(requests):
        path, field = found[n % len(found)]
        saves.append(("POST", path, f"{field}={n // len(found) % 5 + 1}"))
    raws = [("GET", f"/raw/?id={n % 40}&value={n}", "") for n in range(requests)]
    for asks in (saves, raws):
        drive(port, asks[:200])
    save_times, save_all = drive(port, saves)
    _, raw_all = drive(port, raws)
    p95 = statistics.quantiles(save_times, n=20)[18] * 1000
    print(f"database: {vendor}; gunicorn, 2 processes x 4 threads, {CLIENTS} clients at full speed")
    print(f"saves: {requests / save_all:,.0f}/s; raw upserts: {requests / raw_all:,.0f}/s")
    print(f"ratio {raw_all / save_all:.2f} (target .8); p95 of a save at full speed {p95:.0f} ms")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000)
