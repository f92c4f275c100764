"""Loading and exporting: items, rows a second, memory, the longest wait of a saver.

Usage: python -m tests.bench.bench_load [items]. Uses DATABASE_URL's server, SQLite without it.
Ten rows are exported for each item.
"""

import gc
import sys
import tempfile
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.bench.scratch import Scratch, peak_mb

STUDY = """\
study: bench
title: Bench
raters_per_item: 1
questions:
  - {key: q1, text: One., scale: likert5}
  - {key: q2, text: Two., scale: likert5}
"""
MORE_RATERS = 4
# What the export of scores reads, joined by the server and written by it as CSV.
COPY = """
COPY (
    SELECT study.slug, item.key, item.kind, recipient.key, content.key, system.key, question.key,
        'human', rater.key, '', rater.role, '', session.version, rating.value, '', rating.seconds,
        NULL, rating.answered_at, rating.first_side, rater.excluded_because <> '',
        rater.excluded_because, NULL, rating.reason
    FROM annotate_rating rating
    JOIN annotate_question question ON question.id = rating.question_id
    JOIN annotate_session session ON session.id = rating.session_id
    JOIN annotate_rater rater ON rater.id = session.rater_id
    JOIN annotate_item item ON item.id = rating.item_id
    JOIN annotate_study study ON study.id = item.study_id
    LEFT JOIN annotate_recipient recipient ON recipient.id = item.recipient_id
    LEFT JOIN annotate_content content ON content.id = item.content_id
    LEFT JOIN annotate_system system ON system.id = item.system_id
    WHERE study.slug = 'bench' AND rating.value IS NOT NULL
    ORDER BY rating.id
) TO STDOUT WITH (FORMAT csv)
"""


def write_files(folder, items):
    (folder / "study.yaml").write_text(STUDY)
    with (folder / "items.csv").open("w") as file:
        file.write("item,kind,recipient,content,system,text\n")
        for n in range(items):
            file.write(f"i{n},explanation,r{n % 999},c{n % 777},s{n % 8},Text number {n}\n")
    with (folder / "ratings.csv").open("w") as file:
        file.write("item,rater,role,question,value\n")
        for n in range(items):
            file.write(f"i{n},h{n % 50},third_party,q1,{n % 5 + 1}\n")
            file.write(f"i{n},h{n % 50},third_party,q2,{n % 4 + 1}\n")


class Saver:
    """with Saver(rater): somebody saves all the time; `longest` is the longest wait in seconds."""

    def __init__(self, rater):
        self.rater, self.longest, self.stop = rater, 0.0, threading.Event()
        self.thread = threading.Thread(target=self._save)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_error):
        self.stop.set()
        self.thread.join()

    def _save(self):
        from django.db import connection

        from annotate.models import Rater

        while not self.stop.wait(0.05):
            start = time.perf_counter()
            Rater.objects.filter(pk=self.rater.pk).update(excluded_because=str(start))
            self.longest = max(self.longest, time.perf_counter() - start)
        connection.close()


def memory_now():
    """MB in use; peak_mb() counts from here on again."""
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")
    return peak_mb()


def load(folder, *tables):
    """(seconds, MB more than before)"""
    from judges.files import load_files

    before, start = memory_now(), time.perf_counter()
    loading = load_files(folder / "study.yaml", {t: folder / f"{t}.csv" for t in tables})
    if loading.problems:
        raise SystemExit(str(loading.problems.shown[0]))
    return time.perf_counter() - start, peak_mb() - before


def raw_seconds(model):
    """How long the table's rows take when they are ready made: executemany, or COPY."""
    from django.db import connection, transaction

    from annotate.db import bulk

    table = model._meta.db_table
    send = bulk._copy if connection.vendor == "postgresql" else bulk._execute_many
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {table}")
        columns, rows = ", ".join(f'"{c[0]}"' for c in cursor.description), cursor.fetchall()
        # jsonb arrives as a text and is sent as one.
        cursor.execute(f"DELETE FROM {table}")
        start = time.perf_counter()
        for at in range(0, len(rows), bulk.BATCH):
            send(cursor, table, columns, rows[at : at + bulk.BATCH])
        transaction.set_rollback(True)
    return time.perf_counter() - start


def add_ratings():
    """Everybody's answers once more by other raters, now with times.

    From a file: answers of sessions on the web would have to have places, or be surplus.
    """
    from django.db import transaction

    from annotate.db import bulk
    from annotate.models import Rater, Rating, Session, Study

    study = Study.objects.get(slug="bench")
    names = ["session_id", "item_id", "question_id", "value", "seconds", "answered_at"]
    start = datetime(2026, 1, 1, tzinfo=UTC)
    with transaction.atomic():
        for number in range(MORE_RATERS):
            rater = Rater.objects.create(study=study, key=f"more-{number}")
            session = Session.objects.create(
                study=study, rater=rater, state="completed", source=Session.Source.FILE
            ).pk
            rows = Rating.objects.filter(session__rater__key__startswith="h").order_by("pk")
            more = (
                (session, item, question, value, n % 700 / 10, start + timedelta(seconds=n))
                for n, (item, question, value) in enumerate(
                    rows.values_list("item_id", "question_id", "value").iterator(5000)
                )
            )
            bulk.insert(Rating, names, more)


def export(table):
    """(seconds, characters, MB more than before)"""
    from analysis.exports import write as writing
    from annotate.models import Study

    before, start = memory_now(), time.perf_counter()
    size = sum(
        len(piece) for piece in writing.pieces(Study.objects.get(slug="bench"), table, "csv")
    )
    return time.perf_counter() - start, size, peak_mb() - before


def copy_seconds():
    """The cells of an export by COPY alone: no guard against formulas, times as they are."""
    from django.db import connection

    start = time.perf_counter()
    with connection.cursor() as cursor, cursor.copy(COPY) as copy:
        for _ in copy:
            pass
    return time.perf_counter() - start


def bench_loads(folder, items):
    from annotate.models import Item, Place, Rater, Rating, Study

    elsewhere = Study.objects.create(slug="elsewhere", title="Elsewhere")
    with Saver(Rater.objects.create(study=elsewhere, key="somebody")) as saver:
        seconds, grown = load(folder, "items")
    raw = raw_seconds(Item) + raw_seconds(Place)
    print(f"load of items, places made too: {items / seconds:,.0f} items/s, +{grown:.0f} MB")
    print(f"  ready-made rows alone: {items / raw:,.0f} items/s, ratio {raw / seconds:.2f}")
    print(f"  longest wait of somebody who saves meanwhile: {saver.longest:.2f} s")
    seconds, grown = load(folder, "ratings")
    raw = raw_seconds(Rating)
    print(f"load of ratings: {2 * items / seconds:,.0f} rows/s, +{grown:.0f} MB")
    print(f"  ready-made rows alone: {2 * items / raw:,.0f} rows/s, ratio {raw / seconds:.2f}")


def bench_export(items):
    from django.db import connection

    add_ratings()
    count = 2 * items * (1 + MORE_RATERS)
    export("codebook")  # whatever has to be imported
    for _ in range(3):
        seconds, size, grown = export("scores")
        line = f"export of scores: {count / seconds:,.0f} rows/s, {size / 1e6:.0f} MB of CSV"
        if connection.vendor == "postgresql":
            copied = copy_seconds()
            line += f"; COPY: {count / copied:,.0f} rows/s, ratio {copied / seconds:.2f}"
        print(f"{line}; +{grown:.0f} MB")


def main(items):
    with Scratch(), tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder, items)
        from django.db import connection

        print(f"database: {connection.vendor}; {items:,} items, {2 * items:,} ratings")
        bench_loads(folder, items)
        bench_export(items)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
