"""A table says which targets are met, and what the product says of the others."""

import re

import numpy as np
import pytest

from tests.calibration import page
from tests.calibration.experiments import Tally
from tests.calibration.stopping import M, collect
from tests.calibration.tables import SILENT, Line, Table
from tests.calibration.targets import (
    between,
    decimals,
    least,
    most,
    near,
    not_above,
    not_below,
)


def test_a_share_has_an_error_even_where_nothing_happened():
    assert Tally(0, 300).share == 0
    assert Tally(0, 300).error == pytest.approx(0.00463, abs=1e-5)  # p = 2/304, n = 304
    assert Tally(150, 300).error == pytest.approx(0.0287, abs=1e-4)
    assert np.isnan(Tally(0, 0).share)


@pytest.mark.parametrize(
    ("target", "met", "missed"),
    [
        (most(0.01), 10, 11),
        (least(0.93), 930, 929),
        (not_above(0.05), 64, 66),
        (between(0.93, 0.97), 912, 911),
        (between(0.93, 0.97), 979, 980),
        (near(0.8), 849, 851),
        (near(0.8), 751, 749),
        (not_below(0.8), 1000, 749),
    ],
)
def test_targets_are_met_up_to_their_limits(target, met, missed):
    assert target.is_met(Tally(met, 1000))
    assert not target.is_met(Tally(missed, 1000))
    assert target.is_possible(Tally(missed, 1000))


def test_a_share_far_from_its_target_is_not_chance():
    assert not most(0.01).is_possible(Tally(6, 12))
    assert not least(0.93).is_possible(Tally(2, 10))


def test_a_missed_target_is_bold_and_has_a_sentence():
    columns = ("judge", "a", "b")
    lines = [
        Line(("coin",), (Tally(0, 300), Tally(30, 300)), (most(0.01),), "The page says it."),
        Line(("draw",), (Tally(3, 300), Tally(30, 300)), (most(0.01), None)),
        Line(("echo",), (Tally(9, 300), Tally(9, 300)), (most(0.01), most(0.05))),
    ]
    text = Table("Judges", "Some.", columns, lines).write()
    assert "| coin | .000 (.005) | **.100 (.018)** | ≤ .01 | not met (1 of 2) |" in text
    assert "| draw | .010 (.007) | .100 (.018) | ≤ .01 | met |" in text
    assert "Not met: coin. The page says it." in text
    assert f"Not met: echo. {SILENT}" in text
    assert "300 studies a cell." in text


def test_the_page_says_its_day_and_the_commit_of_the_program(monkeypatch, tmp_path):
    commit = rf"[0-9a-f]{{7,}}({page.CHANGED})?|unknown"
    form = rf"Made on \d{{4}}-\d\d-\d\d, commit ({commit})\."
    assert re.fullmatch(form, page.write_origin())
    monkeypatch.setattr(page, "ROOT", tmp_path)  # no repository
    assert page.write_origin().endswith(", commit unknown.")


def test_a_cell_without_studies_is_a_dash_and_not_counted():
    text = Table("Means", "Some.", ("mean", "10"), [Line(("of t",), (Tally(0, 0), Tally(9, 10)))])
    assert "| of t | – | .900 (.110) |" in text.write()
    assert "Some. 10 studies a cell." in text.write()


def test_decimals_have_no_zero_before_the_point():
    assert (decimals(0.05, 2), decimals(1.0), decimals(0.0)) == (".05", "1.000", ".000")


@pytest.mark.parametrize("drop_out", [0.0, 0.4])
def test_looks_come_every_ten_items_at_runs_of_complete_items(drop_out):
    looks = list(collect(np.random.default_rng(1), 120, 1, drop_out))
    counts = [t for t, _, _ in looks]
    assert counts == sorted(counts) and counts[0] >= 50 and counts[-1] == 120
    for t, items, raters in looks:
        pairs = set(zip(items.tolist(), raters.tolist(), strict=True))
        assert len(pairs) == len(items)  # nobody rates an item twice
        assert (np.bincount(items, minlength=t)[:t] == M).all()


def test_a_session_that_ends_early_leaves_no_ratings():
    *_, (_, _, raters) = collect(np.random.default_rng(2), 120, 1, 0.4)
    sizes = np.bincount(raters)
    assert (sizes == 0).any()  # those who dropped out
    assert sizes.sum() == 120 * M


def test_the_figures_in_notes_of_reports_stand_on_the_page():
    """Plan: .73 to .78 of the bands; Variance: .91 with 30 blocks and .86 with 10."""
    text = (page.ROOT / "docs" / "CALIBRATION.md").read_text()
    bands = re.findall(r"^\| .* \| \d+ \| (\.\d+) .* \| \.75 to \.85 ", text, re.MULTILINE)
    assert (min(bands), max(bands)) == (".730", ".780")
    of_clusters = r"^\| variance of clusters \| jackknife \| \.860 .*\.913 "
    assert re.search(of_clusters, text, re.MULTILINE)
    for path, figures in (
        ("how_many/words.yaml", ("about three of four such bands held the true chance",)),
        ("raters/about.yaml", (".91 of simulated studies with 30, in .86 with", "10 ")),
    ):
        words = " ".join((page.ROOT / "analysis" / "reports" / path).read_text().split())
        assert all(figure in words for figure in figures), path
