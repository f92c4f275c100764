"""The judge that a study named beforehand is tested alone, and the report says since when."""

from datetime import UTC, datetime

import numpy as np
import pytest

from analysis.answers import frame
from judges.models import Judge
from tests.analysis.reports.verdict.test_report import add_judge, make_crowd, rows_of
from tests.analysis.small import build

pytestmark = pytest.mark.django_db
WHEN = datetime(2026, 3, 4, 5, 6, tzinfo=UTC)


@pytest.fixture
def crowd():
    """One judge of insight, and thirty that guess."""
    study, truth = make_crowd()
    rng = np.random.default_rng(2)
    add_judge(study, "good", np.clip(3 + 0.65 * truth + 0.3 * rng.normal(size=len(truth)), 1, 5))
    for number in range(30):
        add_judge(study, f"guess {number}", rng.integers(1, 6, len(truth)))
    return study


def p_of(report, name="good"):
    return rows_of(report)[name, "q"]["p_adjusted"]


def test_the_stored_name_is_tested_alone_without_being_asked_for(crowd):
    """Benjamini-Hochberg of 31, at half the level: the smallest p is multiplied by 62."""
    corrected = p_of(build(crowd, "verdict"))
    alone = p_of(build(crowd, "verdict", named="good"))
    Judge.objects.filter(key="good").update(named_at=WHEN)
    report = build(crowd, "verdict")
    assert p_of(report) == alone < corrected
    assert report.options["named"] == ""
    (note,) = [note for note in report.notes if "tested alone" in note]
    assert note == (
        "Named beforehand on 2026-03-04 05:06 UTC, before it had judged anything, and tested "
        "alone: “good”. On several questions it is tested on each, without a correction for their "
        "number."
    )


def test_a_name_given_as_an_option_says_that_no_time_proves_it(crowd):
    Judge.objects.filter(key="good").update(named_at=WHEN)
    report = build(crowd, "verdict", named="guess 1")
    (note,) = [note for note in report.notes if "ested alone" in note]
    assert "No time is stored for this name" in note and "guess 1" in note
    assert "2026" not in note
    same = build(crowd, "verdict", named="good")
    assert any("Named beforehand on 2026-03-04 05:06 UTC" in note for note in same.notes)


def test_naming_a_judge_changes_what_is_kept_of_reports(crowd):
    before = frame.Reader(crowd).fingerprint()
    Judge.objects.filter(key="good").update(named_at=WHEN)
    assert frame.Reader(crowd).fingerprint() != before


UNPROVEN = "as if “good” had been named beforehand, for which there is no proof"


def test_a_yes_that_rests_on_the_option_says_so_in_its_sentence_and_in_the_summary(crowd):
    report = build(crowd, "verdict", named="good")
    sentences = {
        entry.judge: entry.reason for entry in report.entries if entry.row["use"] == "rate_items"
    }
    assert rows_of(report)["good", "q"]["answer"] == "yes"
    assert sentences["good"].endswith(f"This is {UNPROVEN}.")
    assert UNPROVEN in report.verdict[0]
    assert "no proof" not in sentences["guess 1"]
    Judge.objects.filter(key="good").update(named_at=WHEN)
    in_time = build(crowd, "verdict", named="good")
    assert rows_of(in_time)["good", "q"]["answer"] == "yes"
    assert "no proof" not in " ".join([*in_time.verdict, *(e.reason for e in in_time.entries)])
