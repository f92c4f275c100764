"""Claims a second with several processes: python -m tests.bench.bench_claims [processes]

Uses a scratch database beside the one of DATABASE_URL (SQLite without it). Every process begins
sessions of ten items each, until all have begun; the result is checked: no place too many.
"""

import os
import subprocess
import sys
import time

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
ITEMS, RATERS_PER_ITEM, ITEMS_PER_SESSION = 2_000, 5, 10

WORKER = """
import sys, django
django.setup()
from django.conf import settings
from django.db import connection
settings.DATABASES["default"]["NAME"] = connection.settings_dict["NAME"] = sys.argv[1]
from annotate.sessions import session as sessions
from annotate.models import Session
worker, workers = int(sys.argv[2]), int(sys.argv[3])
mine = [session for session in Session.objects.order_by("pk") if session.pk % workers == worker]
print("ready", flush=True)
sys.stdin.readline()
for session in mine:
    sessions.begin(session)
"""


def make_rows():
    """A study whose sessions want exactly all of its places."""
    from annotate.models import Item, Place, Question, Rater, Session, Study
    from annotate.values.scales import parse_scale

    study = Study.objects.create(
        slug="bench", items_per_session=ITEMS_PER_SESSION, raters_per_item=RATERS_PER_ITEM
    )
    Question.objects.create(study=study, key="q", scale_spec=parse_scale("likert5").as_dict())
    items = Item.objects.bulk_create(
        Item(study=study, key=str(n), kind=Item.Kind.EXPLANATION) for n in range(ITEMS)
    )
    Place.objects.bulk_create(
        Place(study=study, item=item, number=number, shuffle=(item.pk * 7919 + number) % 10_007)
        for item in items
        for number in range(1, RATERS_PER_ITEM + 1)
    )
    sessions = ITEMS * RATERS_PER_ITEM // ITEMS_PER_SESSION
    raters = Rater.objects.bulk_create(Rater(study=study, key=str(n)) for n in range(sessions))
    Session.objects.bulk_create(
        Session(study=study, rater=rater, state=Session.State.INSTRUCTIONS) for rater in raters
    )


def run_workers(name, workers):
    """Seconds from the start signal until the last process has ended."""
    running = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, name, str(n), str(workers)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for n in range(workers)
    ]
    for process in running:
        process.stdout.readline()
    begun = time.perf_counter()
    for process in running:
        process.stdin.write("go\n")
        process.stdin.flush()
    codes = [process.wait() for process in running]
    if any(codes):
        raise SystemExit(f"a process failed: {codes}")
    return time.perf_counter() - begun


def main(workers=8):
    """Print one line: the database, how many claims, how fast."""
    django.setup()
    from django.db import connection

    from annotate.models import Place

    name = connection.creation.create_test_db(verbosity=0, autoclobber=True)
    try:
        make_rows()
        seconds = run_workers(name, workers)
        held = Place.objects.filter(state="held").count()
        pairs = Place.objects.filter(state="held").values("item", "rater").distinct().count()
        print(
            f"{connection.vendor}: {held} places claimed by {workers} processes in {seconds:.2f} s"
            f" = {held / seconds:,.0f} claims/s; items twice for a rater: {held - pairs}"
        )
    finally:
        connection.creation.destroy_test_db(name, verbosity=0)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
