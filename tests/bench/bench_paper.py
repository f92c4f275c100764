"""The paper of a study as large as HANNA: sections, seconds, words.

Usage: python -m tests.bench.bench_paper. Uses DATABASE_URL's server, SQLite without it. The study
is that of bench_verdict: 21 judges, 6 questions, 1,056 items with three ratings each. Nothing is
kept at first; then the same sections are written anew with other digits.
"""

import re
import time

from tests.bench.bench_verdict import HANNA, make_study
from tests.bench.scratch import Scratch, peak_mb


def main():
    with Scratch():
        from django.db import connection, transaction
        from django.http import QueryDict

        from analysis.answers.moment import one_moment
        from analysis.paper.build import paper_of
        from analysis.paper.files import Looks, as_html, as_zip
        from analysis.paper.sections import offered
        from analysis.paper.table import Style
        from analysis.serving.source import Source

        with transaction.atomic():
            study = make_study(HANNA)
        print(f"database: {connection.vendor}; {HANNA.ratings:,} ratings, {HANNA.judges} judges")
        with one_moment():
            sections = offered(Source(study))
        choices = {
            "usual": [section.name for section in sections if section.is_usual],
            "all": [section.name for section in sections],
        }
        for label, names in choices.items():
            query = QueryDict(f"sections={','.join(names)}")
            start = time.perf_counter()
            with one_moment():
                html = as_html(paper_of(Source(study), query), Looks())
            built = time.perf_counter() - start
            start = time.perf_counter()
            with one_moment():
                archive = as_zip(paper_of(Source(study), query), Looks(Style(digits=3)))
            again = time.perf_counter() - start
            words = len(
                re.sub(r"<style.*?</style>|<svg.*?</svg>|<[^>]+>", " ", html, flags=re.S).split()
            )
            print(
                f"{label:5} {len(names):2} sections: built {built:5.1f} s, {words:,} words; as an "
                f"archive once kept {again:4.1f} s, {len(archive) / 1000:,.0f} kB",
                flush=True,
            )
        print(f"memory, most {peak_mb():,.0f} MB")


if __name__ == "__main__":
    main()
