"""Notes that say why rows have no number name these rows, without gaps."""

from types import SimpleNamespace

import numpy as np
import pytest

from analysis.reports.base import reason_notes
from analysis.reports.shared.evaluators import interval_note


def entry(reason="", **row):
    return SimpleNamespace(reason=reason, row=row)


def test_a_row_that_is_about_no_judge_is_named_by_the_rest():
    rows = [entry("it is constant", question="mood", judge=""), entry(question="mood", judge="a")]
    notes = reason_notes(SimpleNamespace(entries=rows), ["question", "judge"])
    assert notes == ["It is constant: 1 of 2 rows, such as mood."]


@pytest.mark.parametrize(
    ("clusters", "caution"),
    [
        (4, "They rest on 4 clusters only and are narrower than they should be."),
        (5, "With fewer than 30 clusters they may hold the truth less often than in 95 %."),
        (29, "With fewer than 30 clusters they may hold the truth less often than in 95 %."),
        (30, ""),
    ],
)
def test_intervals_of_few_clusters_come_with_a_caution(clusters, caution):
    counts, options = np.ones((7, clusters)), SimpleNamespace(seed=1)
    note = interval_note(SimpleNamespace(counts=counts, drawn_by="", options=options))
    assert note.split("seed 1.")[1].strip() == caution
