"""Figures as plain data: names that stand whole, axes that begin where they should."""

from math import nan

import numpy as np
import pytest

from analysis.figures import wrapping
from analysis.figures.boxes import boxes
from analysis.figures.dots import dots
from analysis.figures.heat import confusion_matrices, question_heat_map, rater_heat_map
from analysis.figures.layout import Figure
from analysis.figures.lines import frontier, series
from analysis.figures.looks import Looks
from analysis.reports.base import Entry, Report
from analysis.reports.yes_no import roc

LONG = "gpt-4.1-mini-2025-04-14 zero-shot with rationale, history of 20"
LONGER = LONG + " and profile_of_50_episodes/" + "x" * 80


def entry(name, value=0.5, low=nan, high=nan, **keys):
    row = {"evaluator": name, "question": "q", "value": value, "low": low, "high": high, "n": 9}
    return Entry(row | keys, judge=name, kind="judge")


def whole(text):
    """The letters of a label: without its breaks and the blanks about them."""
    return text.replace("<br>", "").replace(" ", "")


@pytest.mark.parametrize("name", ["", "BLEU", LONG, LONGER, "y" * 200, "a b " * 50, "我" * 70])
@pytest.mark.parametrize("length", [14, 28, 44])
def test_a_wrapped_name_has_all_letters_in_lines_that_fit(name, length):
    label = wrapping.wrapped(name, length)
    assert whole(label) == whole(name)
    lines = label.split("<br>")
    assert max(map(len, lines)) <= max(length, -(-len(name) // 3))
    assert len(lines) <= 6
    assert (len(lines) == 1) == (len(name.rstrip()) <= length)


def test_lines_break_at_blanks_and_marks():
    assert wrapping.wrapped("humans + gpt") == "+ gpt"
    assert wrapping.wrapped("llama-3.1-8b-instruct, personalised") == (
        "llama-3.1-8b-instruct,<br>personalised"
    )


def test_names_beside_above_and_within_figures_are_whole():
    looks, names = Looks([LONG, LONGER]), [LONG, LONGER]
    entries = [entry(name) for name in names]
    drawn = dots(entries, "evaluator", "question", looks, "r")
    assert [*map(whole, drawn["layout"]["yaxis"]["ticktext"])] == [*map(whole, names)]
    above = [note["text"] for note in drawn["narrow"]["annotations"]]
    assert [*map(whole, above)] == [*map(whole, names)]
    heat = question_heat_map(entries, "r")
    assert [*map(whole, heat["data"][0]["y"])] == [*map(whole, names)]
    lines = series([(LONG, "#000000", [(1, 0.5, nan, nan)])], "K", "r")
    assert whole(lines["data"][-1]["name"]) == whole(LONG)
    cells = boxes({"a": [1, 2], "b": [3, 4]}, "RBO", {"a": LONG, "b": LONGER})
    assert [whole(box["y"][0]) for box in cells["data"]] == [*map(whole, names)]
    matrix = {"labels": [0, 1], "shares": [[1, 0], [0, 1]], "matrix": [[3, 0], [0, 3]]}
    matrices = confusion_matrices([entry(name, **matrix) for name in names])
    assert [whole(note["text"]) for note in matrices["layout"]["annotations"]] == [
        *map(whole, names)
    ]


def test_a_figure_is_higher_where_names_need_more_lines():
    looks = Looks([LONG])
    low, high = (
        dots([entry(name), entry("b"), entry("c")], "evaluator", "question", looks, "r")
        for name in ("a", LONG)
    )
    assert low["layout"]["height"] == 110 + 3 * 26
    assert low["layout"]["yaxis"]["tickvals"] == [0, 1, 2]
    assert low["layout"]["yaxis"]["range"] == [2.6, -0.6]
    # Only the row of the long name is higher: 3 lines of 16 pixels and 4 more, not 26.
    assert high["layout"]["height"] == 110 + 2 * 26 + 52
    assert high["layout"]["yaxis"]["tickvals"] == [0.5, 2, 3]
    assert high["layout"]["yaxis"]["range"] == [3.6, -0.6]
    assert high["data"][-1]["y"] == [0.5, 2, 3]
    assert high["narrow"]["height"] > low["narrow"]["height"] + 26


def test_raters_whose_names_begin_alike_keep_a_line_each():
    names = ["participant-number-0001", "participant-number-0002"]
    heat = rater_heat_map(names, np.array([[1, 0.5], [0.5, 1]]), np.ones((2, 2)), "α")
    assert len({*heat["data"][0]["y"]}) == 2


# The area under the ROC curve


def areas(*values):
    """The figure of areas on the page of ROC: (name, auc, low, high) each."""
    report = Report("roc", "films", {})
    for name, auc, low, high in values:
        row = {
            "evaluator": name,
            "question": "q",
            "threshold": 4.0,
            "auc": auc,
            "low": low,
            "high": high,
            "n": 9,
            "positives": 4,
            "negatives": 5,
        }
        report.add(row, judge=name, kind="judge")
        report.curves[name, "q"] = np.rec.array(
            ([0.0, 1.0], [0.0, 1.0]), names="false_positive_rate,true_positive_rate"
        )
    return roc.KIND.layout(report, "q", Looks([name for name, *_ in values])).figures[1].plot


def test_areas_begin_at_chance_which_has_a_line_with_its_name():
    plot = areas(("a", 0.9, 0.8, 0.95), ("b", 0.6, 0.52, 0.7))
    low, high = plot["layout"]["xaxis"]["range"]
    assert 0.4 < low < 0.5 and high > 1
    (line,) = plot["layout"]["shapes"]
    assert (line["x0"], line["x1"]) == (0.5, 0.5)
    for layout in (plot["layout"], plot["narrow"]):
        assert [note["x"] for note in layout["annotations"] if "chance" in note["text"]] == [0.5]


def test_areas_below_chance_and_their_intervals_are_shown():
    low, _ = areas(("a", 0.9, 0.8, 0.95), ("b", 0.3, 0.12, 0.5))["layout"]["xaxis"]["range"]
    assert 0 < low < 0.12
    low, _ = areas(("a", 0.2, nan, nan))["layout"]["xaxis"]["range"]
    assert low < 0.2


@pytest.mark.parametrize(
    ("costs", "across", "ticks"),
    [
        ([0.0, 0.0], "Cost of an item", ["free"]),
        ([0.0, 0.2], "Cost of an item in US dollars (log), the leftmost are free", None),
        ([0.1, 0.2], "Cost of an item in US dollars (log)", None),
    ],
)
def test_an_axis_of_costs_has_numbers_only_where_something_costs(costs, across, ticks):
    entries = [entry(f"j{cost}", cost=cost, frontier=False) for cost in costs]
    axis = frontier(entries, Looks([]), "r")["layout"]["xaxis"]
    assert (axis["title"]["text"], axis.get("ticktext")) == (across, ticks)


def test_a_judge_s_dot_leads_to_its_items_and_no_other_does():
    of_judge, of_people = entry("gpt 4"), Entry(entry("eva").row, kind="rater")
    plot = dots([of_judge, of_people], "evaluator", "question", Looks(["gpt 4"]), "r")
    assert plot["data"][-1]["customdata"] == ["judges=gpt+4&question=q", ""]


def test_only_a_figure_with_judges_dots_says_that_they_open_items():
    of_people, both = Entry(entry("eva").row, kind="rater"), np.array([[1, 0.5], [0.5, 1]])
    plots = [
        dots([entry("gpt 4"), of_people], "evaluator", "question", Looks(["gpt 4"]), "r"),
        dots([of_people], "evaluator", "question", Looks([]), "r"),
        rater_heat_map(["ann", "bob"], both, np.ones((2, 2)), "α"),
    ]
    assert [Figure("r", "r.", plot).opens_items for plot in plots] == [True, False, False]
