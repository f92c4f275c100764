"""Loading and exporting: items, rows a second, memory.

Usage: python -m tests.bench.bench_load [items]. Uses DATABASE_URL's server, SQLite without it.
"""

import sys
import tempfile
import time
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


def load(folder, *tables):
    from judges.loading import load_files

    before, start = peak_mb(), time.perf_counter()
    loading = load_files(folder / "study.yaml", {t: folder / f"{t}.csv" for t in tables})
    if loading.problems:
        raise SystemExit(str(loading.problems.shown[0]))
    return time.perf_counter() - start, peak_mb() - before


def export(table):
    from analysis import writing
    from annotate.models import Study

    before, start = peak_mb(), time.perf_counter()
    size = sum(
        len(piece) for piece in writing.pieces(Study.objects.get(slug="bench"), table, "csv")
    )
    return time.perf_counter() - start, size, peak_mb() - before


def main(items):
    with Scratch(), tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder, items)
        from django.db import connection

        print(f"database: {connection.vendor}; {items:,} items, {2 * items:,} ratings")
        seconds, grown = load(folder, "items")
        print(f"load of items, places made too: {items / seconds:,.0f} items/s, +{grown:.0f} MB")
        seconds, grown = load(folder, "ratings")
        print(f"load of ratings: {2 * items / seconds:,.0f} rows/s, +{grown:.0f} MB")
        seconds, size, grown = export("scores")
        rate = 2 * items / seconds
        print(f"export of scores: {rate:,.0f} rows/s, {size / 1e6:.0f} MB of CSV, +{grown:.0f} MB")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
