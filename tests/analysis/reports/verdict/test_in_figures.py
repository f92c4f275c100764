"""Baselines are grey in figures of agreement with people, and in nothing else."""

import numpy as np
import pytest

from analysis.answers import frame
from analysis.figures.dots import BASELINE as SOFT
from analysis.figures.looks import Looks
from analysis.reports.registry import REPORTS
from analysis.reports.verdict.baselines import (
    BASELINES,
    COIN,
    CONSTANT,
    DRAW,
    GROUP_MEANS,
    LENGTH,
    MEAN,
    OVERLAP,
)
from annotate.models import Item, Rating, Recipient
from judges.models import Judge
from tests.analysis.reports.verdict.test_report import add_judge, make_crowd
from tests.analysis.small import build, options_of

pytestmark = pytest.mark.django_db
SYSTEMS_MEAN = GROUP_MEANS["system"]
CHOSEN = {
    "correlation": ("pearson", "levels"),
    "agreement": ("alpha_interval", "agreement"),
    "roc": ("q", "auc"),
    "precision_recall": ("q", "average-precision"),
}
# Of these a coefficient is defined for a judge that always gives the same answer.
WITH_CONSTANTS = ("agreement", "roc", "precision_recall")
CURVES = {"roc": "roc", "precision_recall": "precision-recall"}


@pytest.fixture
def crowd():
    study, truth = make_crowd()
    people = [Recipient.objects.create(study=study, key=f"p{number}") for number in range(20)]
    items = list(study.items.order_by("pk"))
    for number, item in enumerate(items):
        item.recipient = people[number % len(people)]
    Item.objects.bulk_update(items, ["recipient"])
    rng = np.random.default_rng(2)
    add_judge(study, "good", np.clip(3 + 0.65 * truth + 0.3 * rng.normal(size=len(truth)), 1, 5))
    add_judge(study, "overlap", 50 + 20 * truth + 30 * rng.normal(size=len(truth)))
    Judge.objects.filter(key="overlap").update(kind="rouge-l")
    return study


def figure_of(report, name):
    chosen, key = CHOSEN[name]
    layout = REPORTS[name].layout(report, chosen, Looks(["good", "overlap"]))
    return next(figure for figure in layout.figures if figure.key == key), layout


def colours_of(figure):
    """{name: its colours} of the dots of a figure, whose texts begin with the name."""
    colours: dict = {}
    for trace in figure.plot["data"]:
        for text, colour in zip(trace.get("text", []), trace["marker"]["color"], strict=True):
            colours.setdefault(text.rpartition(": ")[0], set()).add(colour)
    return colours


@pytest.mark.parametrize("name", CHOSEN)
def test_baselines_and_the_best_text_metric_are_grey_and_other_judges_are_not(crowd, name):
    report = build(crowd, name)
    figure, layout = figure_of(report, name)
    colours = colours_of(figure)
    before = "humans + " if name == "agreement" else ""
    constants = (CONSTANT, MEAN) if name in WITH_CONSTANTS else ()
    for baseline in (COIN, DRAW, *GROUP_MEANS.values(), *constants):
        assert colours[before + baseline] == {SOFT}
    assert SOFT not in colours[f"{before}good"]
    if name != "agreement":  # it has no labels, and is no rater more
        assert colours["overlap"] == {SOFT}
    assert "Grey: what no insight would give" in figure.caption
    lines = [line for table in layout.tables for line, _ in table.lines]
    assert not [line for line in lines if COIN in line or SYSTEMS_MEAN in line or CONSTANT in line]


@pytest.mark.parametrize("name", CURVES)
def test_lines_of_baselines_are_grey_and_have_one_name_in_the_legend(crowd, name):
    layout = REPORTS[name].layout(build(crowd, name), "q", Looks(["good", "overlap"]))
    (plot,) = [figure.plot for figure in layout.figures if figure.key == CURVES[name]]
    grey = [trace for trace in plot["data"] if trace.get("name") == "baselines"]
    assert len(grey) > 5 and {trace["line"]["color"] for trace in grey} == {SOFT}
    assert [trace["showlegend"] for trace in grey] == [True] + [False] * (len(grey) - 1)
    assert plot["data"].index(grey[-1]) < min(
        place for place, trace in enumerate(plot["data"]) if "good" in trace.get("name", "")
    )


@pytest.mark.parametrize("name", CHOSEN)
def test_baselines_are_no_rows_of_the_report(crowd, name):
    report = build(crowd, name)
    names = {row.get("evaluator", row.get("raters")) for row in report.rows}
    every = [CONSTANT, MEAN, COIN, DRAW, LENGTH, *GROUP_MEANS.values()]
    assert not [who for who in names if any(baseline in who for baseline in every)]
    assert report.curves[BASELINES]


def test_the_systems_means_correlate_as_leave_one_out_means_do(crowd):
    """A mean of the other items of the same system, correlated with the item's own mean."""
    means = np.array(
        [
            np.mean(Rating.objects.filter(item=item).values_list("value", flat=True))
            for item in crowd.items.order_by("pk")
        ]
    )
    systems = np.arange(len(means)) % 3
    others = [
        np.mean([means[k] for k in range(len(means)) if systems[k] == systems[i] and k != i])
        for i in range(len(means))
    ]
    report = build(crowd, "correlation")
    (row,) = [
        entry.row
        for entry in report.curves[BASELINES]
        if entry.row["evaluator"] == SYSTEMS_MEAN
        and (entry.row["question"], entry.row["level"]) == ("q", "dataset")
        and entry.row["coefficient"] == "pearson"
    ]
    assert row["value"] == pytest.approx(np.corrcoef(others, means)[0, 1], abs=1e-9)
    assert np.isnan(row["low"])


def test_a_headline_never_computes_them(crowd):
    for name in CHOSEN:
        words = build_headline(crowd, name)
        assert COIN not in words and SYSTEMS_MEAN not in words


def build_headline(study, name):
    answers = frame.read_answers(study)
    options = options_of(answers, name, draws=0)
    return " ".join(REPORTS[name].headline(answers, options, answers.judges))


@pytest.mark.parametrize("name", ["verdict", *CHOSEN])
def test_the_words_shared_with_references_are_a_baseline_although_no_judge_counts_them(crowd, name):
    assert not drawn_grey(build(crowd, name))
    for number, item in enumerate(Item.objects.filter(study=crowd)):
        words = [f"word{place}" for place in range(1 + number % 7)]
        Item.objects.filter(pk=item.pk).update(text=" ".join(words), reference="word0 word1")
    entries = drawn_grey(build(crowd, name))
    assert entries
    if name == "verdict":
        assert {entry.row["answer"] for entry in entries} <= {"no", "not_yet"}


def drawn_grey(report):
    """Return the entries of the baseline, in the verdict's rows or a figure's curves."""
    entries = report.entries if report.name == "verdict" else report.curves[BASELINES]
    return [entry for entry in entries if OVERLAP in str(entry)]
