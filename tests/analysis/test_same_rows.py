"""Results changed its pages and not its numbers: rows are those of the commit before them.

tests/data/films_rows.json has of each report of the study films-demo, with 50 draws where it takes
draws, the number of rows and the count and sum of each number. Commit c49e86cf wrote it first; it
was written anew when the demo's texts came to differ more (the code gave the former rows of the
former files) and, of the verdict, with its third version.
"""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from tests import factories

pytestmark = pytest.mark.django_db
ROOT = Path(settings.BASE_DIR)
FILMS = ROOT / "analysis" / "demo" / "films"
BEFORE = json.loads((ROOT / "tests" / "data" / "films_rows.json").read_text())
TABLES = ("contents", "interactions", "items", "ratings")
LATER = ",Simulated judge,"  # a judge that the study has since
LATER_BASELINE = "the words shared with the reference"  # of the verdict, since


@pytest.fixture
def films(tmp_path, owner):
    factories.make_endpoint(key="local-demo")
    lines = (FILMS / "judgments.csv").read_text().splitlines(keepends=True)
    judgments = tmp_path / "judgments.csv"
    judgments.write_text("".join(line for line in lines if LATER not in line))
    files = [f"--{table}={FILMS / table}.csv" for table in TABLES]
    files += [f"--judgments={judgments}", f"--owner={owner.username}"]
    call_command("load_study", str(FILMS / "study.yaml"), *files, stdout=StringIO())


def rows_of(report):
    """Return the rows as `manage.py analyse` writes them."""
    for options in (["--draws", "50"], []):
        written = StringIO()
        try:
            call_command(
                "analyse", "films-demo", report, "--format", "json", *options, stdout=written
            )
        except CommandError:
            continue
        rows = json.loads(written.getvalue())["rows"]
        return [row for row in rows if row.get("evaluator") != LATER_BASELINE]
    raise AssertionError(f"{report} cannot be computed")


def numbers_of(rows):
    columns = {}
    for row in rows:
        for name, value in row.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                columns.setdefault(name, []).append(value)
    return columns


def test_every_report_has_the_rows_that_it_had(films):
    for report, before in BEFORE.items():
        rows = rows_of(report)
        assert len(rows) == before["rows"], report
        columns = numbers_of(rows)
        assert set(columns) == set(before["columns"]), report
        for name, (count, total) in before["columns"].items():
            assert len(columns[name]) == count, (report, name)
            assert sum(columns[name]) == pytest.approx(total, rel=1e-7, abs=1e-7), (report, name)
