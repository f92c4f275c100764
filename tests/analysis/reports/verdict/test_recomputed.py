"""The verdict's reasons, computed a second time from the files that anybody can export."""

from io import StringIO

import pandas as pd
import pytest
from django.core.management import call_command

from analysis.reports.verdict.report import RATE
from tests.analysis.reports.verdict.recomputed import recompute
from tests.analysis.reports.verdict.test_report import crowd, rows_of  # noqa: F401
from tests.analysis.small import build, load_hanna

pytestmark = pytest.mark.django_db


def exported(study, table):
    out = StringIO()
    call_command("export", study.slug, table, stdout=out)
    return pd.read_csv(StringIO(out.getvalue()), dtype={"item": str}, low_memory=False)


def compare(study):
    mine = recompute(exported(study, "scores"), exported(study, "items"))
    theirs = {key: row["verdict"] for key, row in rows_of(build(study, "verdict"), RATE).items()}
    theirs = {key: theirs[key] for key in mine}
    assert mine == theirs
    return mine


def test_hanna_from_its_export(shared_data):
    reasons = compare(load_hanna(shared_data / "hanna"))
    assert len(reasons) >= 96 and list(reasons.values()).count("may") == 4


def test_a_crowd_from_its_export(crowd):  # noqa: F811
    reasons = compare(crowd)
    assert set(reasons.values()) == {"may", "level_off", "says_nothing", "may_not", "too_few"}
