"""Judges that were archived or deleted are shown nowhere, and the family counts them still."""

from datetime import timedelta

import numpy as np
import pytest
from django.utils import timezone

from analysis.answers import frame
from analysis.options.choices import Choices
from judges.models import Judge, Judgment
from judges.removal import archive, delete, purge
from tests import factories
from tests.analysis.reports.verdict.test_report import add_judge, make_crowd, rows_of
from tests.analysis.small import build

pytestmark = pytest.mark.django_db
GUESSES = 4


@pytest.fixture
def crowd():
    """A judge of some insight, and four that guess."""
    study, truth = make_crowd()
    rng = np.random.default_rng(2)
    add_judge(study, "fair", np.clip(3 + 0.5 * truth + 0.6 * rng.normal(size=len(truth)), 1, 5))
    for number in range(GUESSES):
        add_judge(study, f"guess {number}", rng.integers(1, 6, len(truth)))
    return study


def guesses(study):
    return list(Judge.objects.filter(study=study, key__startswith="guess"))


def row_of(study, name="fair", **options):
    return rows_of(build(study, "verdict", **options))[name, "q"]


def let_days_pass(days):
    Judge.with_deleted.exclude(deleted_at=None).update(
        deleted_at=timezone.now() - timedelta(days=days, hours=1)
    )


def test_whatever_becomes_of_the_losers_they_count(crowd, owner):
    """Benjamini-Hochberg of 5, each at half the level: the smallest p is multiplied by 10."""
    before, alone = row_of(crowd), row_of(crowd, named="fair")["p_adjusted"]
    assert before["family"] == GUESSES + 1
    assert before["p_adjusted"] == pytest.approx(10 * alone) and 10 * alone < 1
    for judge in guesses(crowd)[:2]:
        archive.archive(judge, owner)
    for judge in guesses(crowd)[2:]:
        delete.delete(judge, owner, "wrong file")
    report = build(crowd, "verdict")
    rows = rows_of(report)
    assert repr(rows["fair", "q"]) == repr(before)
    assert not [name for name, _ in rows if name.startswith("guess")]
    assert f"{GUESSES} judges were archived or deleted." in " ".join(report.notes)
    let_days_pass(delete.UNDO_DAYS)
    assert all(purge.purge(pk) for pk in purge.due()) and not purge.due()
    kept = set(Judgment.objects.values_list("run__judge__key", flat=True))
    assert kept == {"fair", "guess 0", "guess 1"}
    assert repr(row_of(crowd)) == repr(before)


def test_an_archived_judge_is_no_choice_of_a_report_and_comes_back(crowd, owner):
    judge = guesses(crowd)[0]
    archive.archive(judge, owner)
    assert judge.key not in Choices.from_answers(frame.read_answers(crowd)).judges
    assert judge.key not in {row["evaluator"] for row in build(crowd, "correlation").rows}
    archive.bring_back(judge, owner)
    assert judge.key in Choices.from_answers(frame.read_answers(crowd)).judges
    assert judge.key in {row["evaluator"] for row in build(crowd, "correlation").rows}


def test_setting_a_judge_aside_changes_what_is_kept_of_reports(crowd, owner):
    prints = [frame.Reader(crowd).fingerprint()]
    archive.archive(guesses(crowd)[0], owner)
    prints.append(frame.Reader(crowd).fingerprint())
    delete.delete(guesses(crowd)[1], owner, "wrong file")
    prints.append(frame.Reader(crowd).fingerprint())
    assert len(set(prints)) == 3


def test_ensembles_have_the_values_of_archived_members_and_count_when_they_are_gone(crowd, owner):
    members = [Judge.objects.get(key="fair"), guesses(crowd)[0]]
    ensemble = factories.make_judge(crowd, "both", kind=Judge.Kind.ENSEMBLE)
    ensemble.members.set(members)
    rows = rows_of(build(crowd, "verdict"))
    archive.archive(members[1], owner)
    assert repr(row_of(crowd, "both")) == repr(rows["both", "q"])
    delete.delete(ensemble, owner, "no use")
    let_days_pass(delete.UNDO_DAYS)
    assert purge.purge(ensemble.pk)
    assert row_of(crowd)["family"] == rows["fair", "q"]["family"] == GUESSES + 2
