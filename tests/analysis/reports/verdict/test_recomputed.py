"""The verdict's reasons, computed a second time from the files that anybody can export."""

import csv
import runpy
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command

from analysis.reports.verdict.report import RATE
from tests.analysis.reports.verdict.test_report import crowd, rows_of  # noqa: F401
from tests.analysis.small import build, load_hanna

pytestmark = [pytest.mark.django_db, pytest.mark.filterwarnings("error::RuntimeWarning")]
SCRIPT = Path(settings.BASE_DIR) / "docs" / "verdict_by_hand.py"
MOST_LINES = 59


@pytest.fixture
def compare(tmp_path, monkeypatch, capsys):
    """Check a study's reasons against those that the script prints; return the script's."""

    def recompute_and_compare(study):
        for table in ("scores", "items"):
            with (tmp_path / f"{table}.csv").open("w") as out:
                call_command("export", study.slug, table, stdout=out)
        monkeypatch.chdir(tmp_path)
        capsys.readouterr()
        runpy.run_path(str(SCRIPT))
        printed = list(csv.DictReader(StringIO(capsys.readouterr().out.strip())))
        mine = {(line["judge"], line["question"]): line for line in printed}
        reasons = {key: line["reason"] for key, line in mine.items()}
        rows = rows_of(build(study, "verdict"), RATE)
        assert reasons == {key: rows[key]["verdict"] for key in mine}
        return reasons, mine, rows

    return recompute_and_compare


def test_hanna_from_its_export(shared_data, compare):
    reasons, mine, rows = compare(load_hanna(shared_data / "hanna"))
    for key, line in mine.items():  # a p of .025 of the family is said to be one of .05
        p = min(1, 2 * float(line["p"]))
        assert p == pytest.approx(rows[key]["p_adjusted"], rel=1e-6, abs=1e-12), key
    assert len(reasons) >= 96 and list(reasons.values()).count("may") == 4


def test_a_crowd_from_its_export(crowd, compare):  # noqa: F811
    reasons, _, _ = compare(crowd)
    assert set(reasons.values()) == {"may", "level_off", "says_nothing", "may_not", "too_few"}


def test_the_script_has_fewer_than_60_lines():
    assert len(SCRIPT.read_text().splitlines()) <= MOST_LINES
