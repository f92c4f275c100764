"""Precision and recall, calibration, thresholds and misjudged items against scikit-learn."""

from math import isnan

import numpy as np
import pytest
from sklearn import metrics

from analysis.figures import curves
from analysis.figures.looks import Looks
from analysis.reports.yes_no import roc
from annotate.models import Rating
from judges.models import Judgment
from tests.analysis.reports.closeness.test_correlation import pairs
from tests.analysis.small import add_judge, build, make_rated_study, row_of

pytestmark = pytest.mark.django_db
CLOSE = {"evaluator": "close", "question": "accuracy"}


@pytest.fixture
def study():
    return make_rated_study()


def rows_of(report, **wanted):
    return [row for row in report.rows if wanted.items() <= row.items()]


def test_the_largest_areas_have_a_band_around_their_curve(study):
    assert build(study, "roc", draws=100).bands["close", "accuracy"].reason  # of one recipient
    report = build(study, "roc", draws=100, threshold=3)
    found = [name for name, question in report.bands if question == "accuracy"]
    areas = {}
    for row in rows_of(report, question="accuracy"):
        areas.setdefault(row["evaluator"], row["auc"])
    assert {*found[:2]} == {"close", "random"}  # judges first
    assert areas[found[0]] >= areas[found[1]]
    assert areas[found[2]] == max(areas[name] for name in ("ann", "bob", "cem"))
    band, curve = report.bands["close", "accuracy"], report.curves["close", "accuracy"]
    at = np.interp(band.grid, curve.false_positive_rate, curve.true_positive_rate)
    inside = (np.array(band.low) <= at + 1e-9) & (at <= np.array(band.high) + 1e-9)
    assert inside.mean() > 0.9
    report.bands = {("close", "accuracy"): band}
    report.entries = [entry for entry in report.entries if entry.row["question"] == "accuracy"]
    page = roc.KIND.layout(report, "accuracy", Looks(["close", "random"]))
    shaded = [trace for trace in page.figures[0].plot["data"] if trace.get("fill") == "toself"]
    assert [trace["y"] for trace in shaded] == [[*band.high, *band.low[::-1]]]
    assert "shaded: 95 % bands of close" in page.figures[0].caption
    assert build(study, "roc").bands == {}  # no draws, no bands


def test_average_precision_equals_scikit_learn(study):
    x, y = pairs(study, "close")
    row = row_of(build(study, "precision_recall"), **CLOSE)
    assert row["average_precision"] == pytest.approx(metrics.average_precision_score(y >= 4, x))
    assert (row["threshold"], row["positives"], row["n"]) == (4, (y >= 4).sum(), 24)
    drawn = row_of(build(study, "precision_recall", draws=100, threshold=3), **CLOSE)
    assert drawn["low"] <= drawn["average_precision"] <= drawn["high"]
    alone = build(study, "precision_recall", draws=100)  # all positives are of one recipient
    assert np.isnan([row_of(alone, **CLOSE)["low"], row_of(alone, **CLOSE)["high"]]).all()
    assert any(note.startswith("No interval: all items of one class") for note in alone.notes)


def test_each_value_of_a_judge_has_its_share_of_positives(study):
    x, y = pairs(study, "close")
    rows = rows_of(build(study, "calibration"), **CLOSE)
    bins = [row for row in rows if row["part"] == "bin"]
    assert [row["mean"] for row in bins] == sorted(set(x))
    for row in bins:
        assert row["value"] == pytest.approx(np.mean(y[x == row["mean"]] >= 4))
        assert row["n"] == (x == row["mean"]).sum()
    gaps = [abs(row["value"] - (row["mean"] - 1) / 4) * row["n"] for row in bins]
    error = next(row for row in rows if row["part"] == "error")
    assert (error["value"], error["n"]) == (pytest.approx(sum(gaps) / 24), 24)


def test_values_on_a_scale_of_their_own_have_bins_and_no_error(study):
    add_judge(study, "chrF", lambda item: 10.0 * item.pk)
    add_judge(study, "share", lambda item: (item.pk % 10) / 10)
    report = build(study, "calibration")
    own = row_of(report, evaluator="chrF", question="accuracy", part="error")
    assert isnan(own["value"])
    assert any("scale of their own" in note for note in report.notes)
    assert rows_of(report, evaluator="chrF", part="bin")
    assert not isnan(row_of(report, evaluator="share", question="accuracy", part="error")["value"])


@pytest.mark.parametrize("criterion", ["youden", "f1"])
def test_a_threshold_is_chosen_on_one_half_and_measured_on_the_other(study, criterion):
    rows = rows_of(build(study, "thresholds", criterion=criterion, threshold="3"), **CLOSE)
    assert [(row["chosen_on"], row["measure"]) for row in rows] == [
        (half, measure) for half in "AB" for measure in ("sensitivity", "specificity", "f1")
    ]
    x, y = pairs(study, "close")
    recipient = np.array([item.recipient.key for item in study.items.order_by("pk")])
    sizes = {row["chosen_on"]: row["n"] for row in rows if row["measure"] == "f1"}
    assert sizes == {"A": 12, "B": 12}  # four recipients of six items each
    # whole recipients: the six halves of four recipients, of which one gives these numbers
    halves = [np.isin(recipient, [a, b]) for a in set(recipient) for b in set(recipient) if a != b]
    found = {row["measure"]: row["value"] for row in rows if row["chosen_on"] == "A"}
    cut = rows[0]["threshold"]
    matching = [
        half
        for half in halves
        if metrics.f1_score(y[half] >= 3, x[half] >= cut) == pytest.approx(found["f1"])
        and metrics.recall_score(y[half] >= 3, x[half] >= cut)
        == pytest.approx(found["sensitivity"])
        and worth(y[~half] >= 3, x[~half], cut, criterion)
        == max(worth(y[~half] >= 3, x[~half], each, criterion) for each in set(x[~half]))
    ]
    assert matching


def worth(positive, scores, cut, criterion):
    called = scores >= cut
    if criterion == "f1":
        return metrics.f1_score(positive, called)
    return round(metrics.balanced_accuracy_score(positive, called), 12)


def test_the_halves_follow_the_seed(study):
    def chosen(seed):
        return [row["value"] for row in build(study, "thresholds", seed=seed).rows]

    np.testing.assert_array_equal(chosen(1), chosen(1))
    assert any(str(chosen(seed)) != str(chosen(1)) for seed in (2, 3, 4))


def test_a_half_of_one_class_has_no_threshold(study):
    Rating.objects.update(value=4)
    report = build(study, "thresholds")
    assert all(isnan(row["value"]) and isnan(row["threshold"]) for row in report.rows)
    assert any(note.startswith("The half has one class only") for note in report.notes)


def test_misjudged_items_are_named(study):
    x, y = pairs(study, "close")
    keys = np.array([item.key for item in study.items.order_by("pk")])
    report = build(study, "misjudged")
    for kind, wrong in (
        ("false positive", (x >= 4) & (y < 4)),
        ("false negative", (x < 4) & (y >= 4)),
    ):
        rows = rows_of(report, kind=kind, **CLOSE)
        assert {row["item"] for row in rows} == set(keys[wrong])
        distances = [abs(row["judge"] - row["people"]) for row in rows]
        assert distances == sorted(distances, reverse=True)
    assert {row["of"] for row in report.rows if row["system"] in ("all", "")} == {24}


def test_the_share_of_false_positives_is_told_for_each_system(study):
    x, y = pairs(study, "close")
    systems = np.array([item.system.key for item in study.items.order_by("pk")])
    report = build(study, "misjudged", draws=200)
    wrong = (x >= 4) & (y < 4)
    assert wrong.any()
    for system, chosen in [("all", systems != ""), *((s, systems == s) for s in set(systems))]:
        (row,) = rows_of(report, kind="share", system=system, **CLOSE)
        assert row["value"] == pytest.approx(wrong[chosen].mean())
        assert row["of"] == chosen.sum()
        assert row["low"] <= row["value"] <= row["high"]


def test_the_shares_by_system_are_a_figure(owner, as_owner):
    make_rated_study(owner, slug="drawn")
    page = as_owner.get("/studies/drawn/analysis/misjudged/", {"question": "accuracy"})
    (figure,) = page.context["groups"][0][2].figures
    assert "a judge finds good and people do not" in figure.caption
    assert figure.plot["layout"]["yaxis"]["ticktext"] == ["all", "system-0", "system-1", "system-2"]


def test_misjudged_items_lead_to_their_pages_and_no_stranger_sees_them(
    owner, as_owner, as_stranger
):
    study = make_rated_study(owner, slug="linked")
    address = "/studies/linked/analysis/misjudged/"
    response = as_owner.get(address, {"question": "accuracy"})
    text = response.content.decode()
    row = response.context["report"].rows[0]
    item = study.items.get(key=row["item"])
    link = f"/studies/linked/items/{item.pk}/"
    assert f'<a href="{link}">{item.key}</a>' in text
    assert as_owner.get(link).status_code == 200
    assert as_stranger.get(address).status_code == as_stranger.get(link).status_code == 404


@pytest.mark.parametrize("report", ["roc", "precision_recall", "calibration"])
def test_curves_of_a_figure_differ_by_their_marks_alone(owner, as_owner, report):
    study = make_rated_study(owner, slug="marks")
    for number in range(5):
        add_judge(study, f"j{number}", lambda item, k=number: 1 + (item.pk * (k + 2)) % 5)
    query = {"question": "accuracy", "draws": 0}
    page = as_owner.get(f"/studies/marks/analysis/{report}/", query)
    traces = page.context["groups"][0][2].figures[0].plot["data"]
    symbols = [trace["marker"]["symbol"] for trace in traces if "marker" in trace]
    assert len(symbols) > 5
    assert len({*symbols}) == len(symbols)


def test_no_more_than_fifty_are_listed_and_the_judges_take_turns(owner, as_owner):
    study = make_rated_study(owner, recipients=12, slug="many")
    add_judge(study, "glad", lambda item: 5)
    page = as_owner.get("/studies/many/analysis/misjudged/", {"question": "accuracy"})
    counts, _, first, _ = page.context["layout"].tables
    assert len(first.lines) == 50
    assert {name for name, _ in first.lines[:3]} == {"close", "random", "glad"}
    named = dict(counts.lines)["glad"]
    rows = rows_of(page.context["report"], evaluator="glad", kind="false positive")
    assert named[0] == len(rows) > 16


def test_a_value_off_the_scale_moves_no_point_of_the_figure(study):
    """Missing judgments count as 0, which a scale from 1 to 5 has no place for."""
    study.items.first().delete()
    gone = Judgment.objects.filter(run__judge__key="close", item__in=study.items.all()[:6])
    gone.update(value=None, state="unparsable")
    report = build(study, "calibration", missing_judgment=0)
    bins = [row for row in rows_of(report, **CLOSE) if row["part"] == "bin"]
    assert bins[0]["mean"] == 0 and bins[0]["n"] >= 6
    report.entries = [entry for entry in report.entries if entry.row["question"] == "accuracy"]
    plot = curves.calibration(report, "accuracy", Looks(["close", "random"]))
    (line,) = [trace for trace in plot["data"] if trace["name"] == "close"]
    assert line["x"] == [None, *((row["mean"] - 1) / 4 for row in bins[1:])]
    assert line["y"] == [row["value"] for row in bins]
