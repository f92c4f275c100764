"""Raters × raters, raters one by one, what exclusion rules would change, pooled agreement."""

from math import isnan

import krippendorff
import numpy as np
import pytest
from django.core.cache import caches
from django.utils import timezone
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from analysis.answers import frame
from analysis.figures.looks import Looks
from analysis.reports.registry import REPORTS
from analysis.reports.shared.options import PeopleOptions
from analysis.reports.shared.scores import Scores
from analysis.stats.replacement.outliers import low_outliers
from annotate.models import (
    Rater,
    Screen,
)
from tests import factories
from tests.analysis.small import build, make_rated_study, row_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _empty_cache():
    caches["reports"].clear()


def make_table(table, questions=1, owner=None, **fields):
    """Raters × items, the same ratings of each question; 0 is missing."""
    study = factories.make_study(owner=owner, questions={})
    asked = [factories.make_question(study, f"q{n}", position=n) for n in range(questions)]
    items = [factories.make_item(study, f"i{n}") for n in range(len(table[0]))]
    for at, ratings in enumerate(table):
        session = factories.make_session(study, f"r{at}")
        for question in asked:
            for item, value in zip(items, ratings, strict=True):
                if value:
                    factories.make_rating(session, item, question, value, **fields)
    return study


FOUR = [
    [1, 2, 3, 4, 5, 1, 2, 3],
    [1, 2, 3, 4, 5, 2, 2, 3],
    [1, 2, 4, 4, 5, 1, 2, 3],
    [5, 4, 3, 2, 1, 5, 4, 0],
]


def test_each_two_raters_have_scikit_learns_weighted_kappa():
    report = build(make_table(FOUR), "rater_pairs")
    row = row_of(report, first="r0", second="r1", measure="kappa_quadratic")
    expected = cohen_kappa_score(FOUR[0], FOUR[1], weights="quadratic", labels=[1, 2, 3, 4, 5])
    assert row["value"] == pytest.approx(expected)
    assert row["n"] == 8
    percent = row_of(report, first="r0", second="r3", measure="percent")
    assert (percent["value"], percent["n"]) == (pytest.approx(1 / 7), 7)


def test_two_raters_interval_is_that_of_items_drawn_again():
    """Against the definition: each draw's items repeated, and measured by scikit-learn's kappa."""
    study = make_table(FOUR, questions=2)
    study.items.update(recipient=None, content=None)
    report = build(study, "rater_pairs", draws=200)
    for measure in ("kappa_quadratic", "percent"):
        row = row_of(report, first="r0", second="r1", measure=measure)
        assert row["low"] <= row["value"] <= row["high"]
    scores = Scores(frame.read_answers(study), PeopleOptions(draws=200))
    drawn = []
    for counts in scores.counts:
        one, other = (np.repeat(FOUR[at], counts) for at in (0, 3))
        drawn.append((one == other)[other > 0].mean())
    row = row_of(report, first="r0", second="r3", measure="percent")
    assert (row["low"], row["high"]) == pytest.approx(np.nanquantile(drawn, [0.025, 0.975]))
    drawn = [
        cohen_kappa_score(
            *(np.repeat(FOUR[at], counts) for at in (0, 1)),
            weights="quadratic",
            labels=[1, 2, 3, 4, 5],
        )
        for counts in scores.counts
    ]
    row = row_of(report, first="r0", second="r1", measure="kappa_quadratic")
    assert (row["low"], row["high"]) == pytest.approx(np.nanquantile(drawn, [0.025, 0.975]))


def test_two_raters_of_one_recipient_or_without_draws_have_no_interval():
    study = make_table(FOUR)
    report = build(study, "rater_pairs", draws=50)
    entry = next(e for e in report.entries if e.row["measure"] == "percent")
    assert isnan(entry.row["low"]) and "one cluster" in entry.reason
    study.items.update(recipient=None, content=None)
    assert isnan(build(study, "rater_pairs", draws=0).rows[0]["low"])


def test_too_little_in_common_is_blank_with_the_reason():
    table = [[1, 2, 3, 4, 0, 0], [1, 2, 3, 4, 0, 0], [0, 0, 0, 1, 2, 3]]
    report = build(make_table(table), "rater_pairs")
    assert isnan(row_of(report, first="r0", second="r1", measure="kappa_quadratic")["value"])
    assert row_of(report, first="r0", second="r1", measure="percent")["value"] == 1
    assert isnan(row_of(report, first="r0", second="r2", measure="percent")["value"])
    assert {e.reason for e in report.entries} >= {"fewer than 5 answers in common"}


def test_who_agrees_with_nobody_is_named():
    good = [
        [1, 2, 3, 4, 5, 1, 2, 3],
        [1, 2, 3, 4, 5, 1, 2, 4],
        [1, 2, 3, 4, 5, 1, 3, 3],
        [1, 2, 3, 4, 4, 1, 2, 3],
        [1, 1, 3, 4, 5, 1, 2, 3],
        [1, 2, 2, 4, 5, 2, 2, 3],
    ]
    report = build(make_table([*good, [5, 4, 3, 2, 1, 5, 4, 3]]), "rater_pairs")
    assert any("Apart from the rest: r6 (" in sentence for sentence in report.verdict)


def test_outliers_lie_below_the_median_less_three_scaled_deviations():
    # Median 4, deviations 3 2 1 0 1 2 3 and more: the MAD is 1, the limit 4 - 3 * 1.4826.
    values = [4, 5, 3, 4, 5, 3, 4, -1]
    found = low_outliers(values)
    assert (found.median, found.limit) == (4, pytest.approx(4 - 3 * 1.4826, abs=1e-4))
    assert found.places == (7,)
    assert low_outliers([4, 5, 3, 4, 5, 3, 4, 0]).places == ()
    assert low_outliers([1, 1, 1, 1, 0]).reason and low_outliers([1, 2, 3]).reason
    assert low_outliers(values[::-1]).places == (0,)


def test_a_raters_row_has_pace_answers_and_r_with_the_others():
    study = make_table(FOUR, seconds=7.0)
    row = row_of(build(study, "raters"), rater="r0", question="q0")
    table = np.array(FOUR, dtype=float)
    table[table == 0] = np.nan
    expected = stats.pearsonr(table[0], np.nanmean(table[1:], axis=0)).statistic
    assert row["r"] == pytest.approx(expected)
    assert (row["n_items"], row["n_answers"], row["seconds"]) == (8, 8, 7)
    assert row["counts"] == [2, 2, 2, 1, 1]
    assert row["excluded"] is False


def test_straight_lines_are_items_with_equal_answers_to_all_likert_questions():
    study = make_table([[1, 2, 3], [3, 2, 1]], questions=2)
    study.sessions.get(rater__key="r0").ratings.filter(item__key="i0", question__key="q1").update(
        value=5
    )
    rows = build(study, "raters").rows
    found = {row["rater"]: (row["straight"], row["straight_n"]) for row in rows}
    assert found == {"r0": (pytest.approx(2 / 3), 3), "r1": (1, 3)}


def test_pace_and_straight_lines_have_intervals_of_items_drawn_again():
    """Items are their own clusters; against the rows of each draw, repeated."""
    study = make_table([[1, 2, 3, 4], [3, 2, 1, 4]], questions=2)
    study.items.update(recipient=None, content=None)
    session = study.sessions.get(rater__key="r0")
    for at, seconds in enumerate((4.0, 9.0, 20.0, 6.0)):
        session.ratings.filter(item__key=f"i{at}").update(seconds=seconds)
    session.ratings.filter(item__key="i0", question__key="q1").update(value=5)
    row = row_of(build(study, "raters", draws=300), rater="r0", question="q0")
    counts = Scores(frame.read_answers(study), PeopleOptions(draws=300)).counts
    for name, drawn in (
        ("seconds", [np.median(np.repeat([4, 9, 20, 6], c)) for c in counts]),
        ("straight", [np.mean(np.repeat([0, 1, 1, 1], c)) for c in counts]),
    ):
        ends = row[f"{name}_low"], row[f"{name}_high"]
        assert ends == pytest.approx(np.quantile(drawn, [0.025, 0.975]))
    assert (row["seconds"], row["seconds_n"], row["straight"]) == (7.5, 4, 0.75)
    table = REPORTS["raters"].layout(build(study, "raters", draws=300), "q0", Looks([])).tables[0]
    cells = dict(table.lines)["r0"]
    assert cells[2] == f"7.5 s [{row['seconds_low']:.1f} s, {row['seconds_high']:.1f} s]"
    assert (cells[4].value, cells[4].size) == (0.75, "n = 4") and cells[4].interval


def test_excluded_raters_are_listed_and_no_part_of_the_others():
    study = make_table(FOUR)
    Rater.objects.filter(key="r3").update(excluded_because="too fast")
    report = build(study, "raters")
    row = row_of(report, rater="r3")
    assert (row["excluded"], row["reason"]) == (True, "too fast") and isnan(row["r"])
    others = (np.array(FOUR[1]) + np.array(FOUR[2])) / 2
    expected = stats.pearsonr(FOUR[0], others).statistic
    assert row_of(report, rater="r0")["r"] == pytest.approx(expected)


def test_what_a_rule_would_change_equals_the_headline_without_these_raters():
    table = [*FOUR[:3], [5, 4, 3, 2, 1, 5, 4, 3]]
    study = make_table(table)
    row = row_of(build(study, "exclusions"), rule="low_agreement")
    assert (row["excluded"], row["raters"]) == (1, 4)
    for key, of in (("alpha", table), ("alpha_after", table[:3])):
        expected = krippendorff.alpha(np.array(of, dtype=float), level_of_measurement="ordinal")
        assert row[key] == pytest.approx(expected)
    assert not Rater.objects.exclude(excluded_because="").exists()


def test_before_and_after_have_the_intervals_of_the_reports_that_they_come_from():
    study = make_rated_study()
    row = build(study, "exclusions", draws=60).rows[0]
    r = row_of(
        build(study, "correlation", draws=60),
        evaluator="close",
        question="average",
        level="dataset",
        coefficient="pearson",
    )
    assert (row["r"], row["r_low"], row["r_high"]) == (r["value"], r["low"], r["high"])
    assert row["r_low"] < row["r"] < row["r_high"]
    scores = Scores(frame.read_answers(study), PeopleOptions(draws=60))
    drawn = []  # each draw's items repeated, and measured by the krippendorff package
    for counts in scores.counts:
        repeated = np.repeat(np.arange(len(scores.items)), counts[scores.clusters])
        each = [
            krippendorff.alpha(
                scores.ratings(at, "all")[repeated].T,
                value_domain=[1, 2, 3, 4, 5],
                level_of_measurement="ordinal",
            )
            for at in range(len(scores.questions))
        ]
        drawn.append(np.mean(each))
    assert (row["alpha_low"], row["alpha_high"]) == pytest.approx(
        np.quantile(drawn, [0.025, 0.975])
    )
    assert isnan(build(study, "exclusions").rows[0]["alpha_low"])


def test_the_best_judge_is_measured_before_and_after():
    study = make_rated_study()
    row = build(study, "exclusions").rows[0]
    assert row["judge"] == row["judge_after"] == "close"
    assert row["r"] == row["r_after"] > 0.3


def test_pooled_agreement_takes_every_item_and_question_as_a_unit():
    study = make_rated_study()
    report = build(study, "agreement")
    units: dict = {}
    for rating in study.sessions.first().ratings.model.objects.select_related("session__rater"):
        units.setdefault((rating.item_id, rating.question_id), {})[rating.session.rater.key] = (
            rating.value
        )
    table = np.array([[unit[name] for unit in units.values()] for name in ("ann", "bob", "cem")])
    expected = krippendorff.alpha(table, level_of_measurement="ordinal")
    row = row_of(report, raters="humans", question="pooled", measure="alpha_ordinal")
    assert row["value"] == pytest.approx(expected)
    assert row["n_units"] == len(units) == 96
    assert row_of(report, raters="humans + close", question="pooled", measure="ac1")


def test_one_question_alone_is_not_pooled():
    rows = build(make_table(FOUR), "agreement").rows
    assert {row["question"] for row in rows} == {"q0"}


def test_the_pages_say_what_is_missing_and_escape_names(owner, as_owner):
    study = make_table(FOUR, owner=owner)
    Rater.objects.filter(key="r3").update(key="<b>r3")
    for report in ("rater_pairs", "raters", "exclusions"):
        page = as_owner.get(f"/studies/{study.slug}/analysis/{report}/", {"draws": 20})
        assert page.status_code == 200
        assert "<b>r3" not in page.content.decode()


def visit(client, study, rule):
    """The row of a rule on the page of exclusions, None where it is not offered."""
    page = client.get(f"/studies/{study.slug}/analysis/exclusions/", {"draws": 20})
    rows = {row["rule"]: row for row in page.context["report"].rows}
    return rows.get(rule) and rows[rule]["excluded"]


def test_what_a_platform_told_changes_the_report_at_once(owner, as_owner):
    study = make_table(FOUR, owner=owner)
    assert visit(as_owner, study, "approval_rate") is None
    Rater.objects.filter(key="r0").update(platform_ids={"approval_rate": 90})
    assert visit(as_owner, study, "approval_rate") == 0
    Rater.objects.filter(key="r0").update(platform_ids={"approval_rate": 20})
    assert visit(as_owner, study, "approval_rate") == 1


def test_an_exit_answer_changes_the_report_at_once(owner, as_owner):
    study = make_table(FOUR, owner=owner)
    study.extra = {"exit": ["movies_per_month"]}
    study.save()
    assert visit(as_owner, study, "few_movies") == 0
    session = study.sessions.first()
    answer = factories.make_about(session, "movies_per_month", value=0)
    assert visit(as_owner, study, "few_movies") == 1
    answer.value = 4
    answer.save()
    assert visit(as_owner, study, "few_movies") == 0


def test_a_check_that_was_answered_changes_the_report_at_once(owner, as_owner):
    study = make_table(FOUR, owner=owner)
    study.extra = {"attention": []}
    study.save()
    one, two = (
        Screen.objects.create(session=session, kind=Screen.Kind.ATTENTION, position=9, key="c")
        for session in study.sessions.all()[:2]
    )
    one.answers.create(key="c", value=1, passed=True, answered_at=timezone.now())
    assert visit(as_owner, study, "attention_checks") == 0
    two.answers.create(key="c", value=1, passed=False, answered_at=timezone.now())
    assert visit(as_owner, study, "attention_checks") == 1


@pytest.mark.parametrize(
    ("scale", "labels"),
    [
        ("binary", ["No", "Yes"]),
        ({"min": 0, "max": 2, "labels": ["none", "all"]}, ["none", "1", "all"]),
        ({"choice": ["calm", "loud"]}, None),
    ],
)
def test_bars_name_the_points_of_an_order_and_words_have_none(owner, as_owner, scale, labels):
    study = factories.make_study("films", owner, items=3, questions={})
    question = factories.make_question(study, "fits", scale)
    for name in ("ann", "bob"):
        session = factories.make_session(study, name)
        for place, item in enumerate(study.items.all()):
            first = question.scale.points[0][0]
            factories.make_rating(session, item, question, first + place % 2)
    page = as_owner.get("/studies/films/analysis/raters/", {"draws": 0})
    figures = {figure.key: figure for figure in page.context["groups"][0][2].figures}
    assert ("bars" in figures) == (labels is not None)
    if labels:
        traces = figures["bars"].plot["data"]
        named = {trace["legendrank"]: trace["name"] for trace in traces if trace["showlegend"]}
        assert [named[place] for place in sorted(named)] == labels
