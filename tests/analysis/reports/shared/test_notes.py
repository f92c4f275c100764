"""Notes that say why rows have no number name these rows, without gaps."""

from types import SimpleNamespace

from analysis.reports.base import reason_notes


def entry(reason="", **row):
    return SimpleNamespace(reason=reason, row=row)


def test_a_row_that_is_about_no_judge_is_named_by_the_rest():
    rows = [entry("it is constant", question="mood", judge=""), entry(question="mood", judge="a")]
    notes = reason_notes(SimpleNamespace(entries=rows), ["question", "judge"])
    assert notes == ["It is constant: 1 of 2 rows, such as mood."]
