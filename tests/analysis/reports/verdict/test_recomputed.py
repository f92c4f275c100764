"""The verdict's reasons, computed a second time from the files that anybody can export."""

from pathlib import Path

import pytest
from django.conf import settings

from analysis.reports.verdict.sentences import RATE
from tests import factories
from tests.analysis.reports.verdict.by_hand import run_by_hand
from tests.analysis.reports.verdict.test_report import (  # noqa: F401
    add_judge,
    crowd,
    make_truth,
    rows_of,
)
from tests.analysis.small import build, load_hanna

pytestmark = [pytest.mark.django_db, pytest.mark.filterwarnings("error::RuntimeWarning")]
SCRIPT = Path(settings.BASE_DIR) / "docs" / "verdict_by_hand.py"
MOST_LINES = 86


@pytest.fixture
def compare(tmp_path, monkeypatch, capsys):
    """Check a study's reasons against those that the script prints; return the script's."""

    def recompute_and_compare(study):
        printed = run_by_hand(SCRIPT, study, tmp_path, monkeypatch, capsys)
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
    assert len(reasons) >= 96 and "may" not in reasons.values()


def test_a_crowd_from_its_export(crowd, compare):  # noqa: F811
    add_judge(crowd, "hardly moves", 3 + 0.01 * make_truth())
    add_judge(crowd, "hardly moves and low", 2 + 0.01 * make_truth())
    reasons, mine, rows = compare(crowd)
    states = {"may", "level_off", "says_nothing", "may_not", "too_few", "order_only"}
    assert set(reasons.values()) == states
    for name in ("hardly moves", "hardly moves and low"):
        row = rows[name, "q"]
        assert (row["verdict"], row["why"], row["p_adjusted"]) == ("order_only", "points", 1)
        assert float(mine[name, "q"]["judge_p"]) == 1


@pytest.mark.parametrize("name", ["verdict_by_hand.py", "systems_by_hand.py"])
def test_a_choice_among_words_is_left_out(crowd, name, tmp_path, monkeypatch, capsys):  # noqa: F811
    run = SCRIPT.with_name(name), crowd, tmp_path, monkeypatch, capsys
    printed = run_by_hand(*run)
    question = factories.make_question(crowd, "which", {"choice": ["A", "tie", "B"]})
    session = factories.make_session(crowd, "another")
    factories.make_ratings(session, [(item, question, 2) for item in crowd.items.all()])
    assert run_by_hand(*run) == printed


def test_the_script_stays_short():
    assert len(SCRIPT.read_text().splitlines()) <= MOST_LINES
