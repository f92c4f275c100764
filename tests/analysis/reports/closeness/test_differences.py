"""Differences between judges, judges that differ in their example, and tables for LaTeX."""

from math import isnan, nan

import numpy as np
import pytest
from scipy import stats

from analysis.reports.base import Report
from analysis.serving.latex import as_latex, escaped
from judges.models import Judge, Judgment
from tests import factories
from tests.analysis.reports.closeness.test_correlation import pairs
from tests.analysis.small import add_judge, build, make_rated_study, row_of
from tests.analysis.test_analyse_command import KEYS

pytestmark = pytest.mark.django_db
HERE = {"level": "dataset", "coefficient": "pearson"}


@pytest.fixture
def study():
    study = make_rated_study()
    add_judge(study, "contrary", lambda item: 1 + item.pk % 3)
    return study


def test_the_difference_is_that_of_scipys_coefficients(study):
    row = row_of(
        build(study, "differences"), evaluator="close", other="random", question="accuracy", **HERE
    )
    r = [stats.pearsonr(*pairs(study, name)).statistic for name in ("close", "random")]
    assert (row["value"], row["other_value"]) == pytest.approx(tuple(r))
    assert (row["difference"], row["n"]) == (pytest.approx(r[0] - r[1]), 24)
    assert isnan(row["p"]) and isnan(row["low"])  # no draws


def test_p_values_are_adjusted_within_a_question_and_level(study):
    report = build(study, "differences", draws=400)
    wanted = {"question": "accuracy", **HERE}
    rows = [row for row in report.rows if wanted.items() <= row.items()]
    assert [(row["evaluator"], row["other"]) for row in rows] == [
        ("close", "random"),
        ("close", "contrary"),
        ("random", "contrary"),
    ]
    smallest = min(rows, key=lambda row: row["p"])
    assert smallest["p_holm"] == pytest.approx(min(1, 3 * smallest["p"]))
    assert all(row["low"] <= row["difference"] <= row["high"] for row in rows)
    average = row_of(report, evaluator="close", other="random", question="average", **HERE)
    assert average["p"] <= 1 and average["n"] == 96


def test_all_may_be_compared_with_one(study):
    report = build(study, "differences", against="random")
    assert {(row["evaluator"], row["other"]) for row in report.rows} == {
        ("close", "random"),
        ("contrary", "random"),
    }


def test_judges_are_compared_on_the_items_that_all_have(study):
    item = study.items.order_by("pk").first()
    judged = Judgment.objects.filter(item=item, run__judge__key="close")
    judged.update(state="failed", value=None, reason="timed out")
    report = build(study, "differences")
    assert {row["n"] for row in report.rows if row["question"] == "accuracy"} == {23}
    x, y = pairs(study, "random")
    row = row_of(report, evaluator="random", other="contrary", question="accuracy", **HERE)
    assert row["value"] == pytest.approx(stats.pearsonr(x[1:], y[1:]).statistic)


def test_a_judge_without_values_is_left_out_and_named(study):
    Judgment.objects.filter(run__judge__key="random").update(
        state="failed", value=None, reason="timed out"
    )
    report = build(study, "differences")
    assert {(row["evaluator"], row["other"]) for row in report.rows} == {("close", "contrary")}
    assert any("no value of any question: random" in note for note in report.notes)


def test_too_few_draws_for_the_number_of_pairs_are_said(study):
    few, many = (
        build(study, "differences", draws=draws, correction="holm").notes for draws in (20, 400)
    )
    assert any("no p_holm of 3 pairs can be below 0.29" in note for note in few)
    assert not any("no p_holm" in note for note in many)
    # By max-T the number of pairs does not matter: 1 / 21 and 1 / 11.
    few, fewer = (build(study, "differences", draws=draws).notes for draws in (20, 10))
    assert not any("can be below" in note for note in few)
    assert any("With 10 draws no p_adjusted can be below 0.09: take" in note for note in fewer)


def test_two_judges_differ_as_in_compare_two():
    study = make_rated_study(recipients=6)
    rows = build(study, "differences", draws=40).rows
    own = {row["question"]: row for row in rows if HERE.items() <= row.items()}
    compared = build(study, "compare", of=["close"], other="random", draws=40)
    found = [row for row in compared.rows if row["measure"] == "pearson-dataset"]
    assert len(found) == len(own) == 5
    same = ("value", "other_value", "difference", "low", "high", "p", "p_adjusted", "n")
    for row in found:
        expected = [own[row["question"]][name] for name in same]
        assert [row[name] for name in same] == pytest.approx(expected)


@pytest.fixture
def prompted(study):
    """Judges of one endpoint that differ in the example, and one that differs in more."""
    endpoint, rng = factories.make_endpoint(), np.random.default_rng(1)
    items, question = list(study.items.all()), study.questions.get(key="accuracy")
    settings = {
        "gpt": {"shots": "zero"},
        "gpt personalised": {"shots": "personalised", "seed": 9},
        "gpt one": {"shots": "one"},
        "gpt alone": {"shots": "one", "temperature": 0.7},
    }
    for name, fields in settings.items():
        judge = factories.make_judge(study, name, endpoint, **fields)
        values = {(item, question): int(rng.integers(1, 6)) for item in items}
        factories.make_judgments(judge, values)
    return study


def test_judges_that_differ_in_the_example_alone_stand_together(prompted):
    report = build(prompted, "examples")
    assert list(report.rows[0]) == KEYS["examples"].split()
    found = dict.fromkeys((row["family"], row["example"], row["evaluator"]) for row in report.rows)
    assert list(found) == [
        ("gpt", "zero", "gpt"),
        ("gpt", "one", "gpt one"),
        ("gpt", "personalised", "gpt personalised"),
    ]
    plain = build(prompted, "correlation")
    for name in ("gpt", "gpt one"):
        same = {"evaluator": name, "question": "accuracy", **HERE}
        assert row_of(report, **same)["value"] == row_of(plain, **same)["value"]


def test_chosen_judges_alone_make_a_family(prompted):
    rows = build(prompted, "examples", judges=["gpt", "gpt one"]).rows
    assert {row["example"] for row in rows} == {"zero", "one"}
    assert build(prompted, "examples", judges=["gpt", "gpt alone"]).rows == []


def test_without_a_family_the_notes_say_what_it_would_be(study):
    report = build(study, "examples")
    assert report.rows == []
    assert report.notes[0].startswith("No two LLM judges with answers differ in nothing but")


def test_the_page_of_examples_draws_each_level(prompted, owner, as_owner):
    prompted.memberships.create(user=owner, role="owner")
    page = as_owner.get("/studies/films/analysis/examples/", {"draws": 20})
    keys = [figure.key for figure in page.context["layout"].figures]
    assert keys == [f"examples-1-{level}" for level in ("dataset", "user", "pair", "system")]
    assert "gpt one (one-shot)" in page.content.decode()


def test_the_heat_map_has_a_cell_for_each_evaluator_and_question(study, owner, as_owner):
    study.memberships.create(user=owner, role="owner")
    page = as_owner.get("/studies/films/analysis/correlation/", {"draws": 0})
    heat = page.context["layout"].figures[1].plot["data"][0]
    rows = {
        (row["evaluator"], row["question"]): row["value"]
        for row in page.context["report"].rows
        if row["level"] == "dataset"
    }
    for name, line in zip(heat["y"], heat["z"], strict=True):
        for question, value in zip(heat["x"], line, strict=True):
            assert value == pytest.approx(rows[name, question])


SPECIAL = r"\ { } & % $ # _ ~ ^ < > | [ ] * -"


def test_every_special_character_is_escaped():
    assert escaped(SPECIAL) == (
        r"\textbackslash{} \{ \} \& \% \$ \# \_ \textasciitilde{} \textasciicircum{} "
        r"\textless{} \textgreater{} \textbar{} {[} {]} {*} {-}"
    )
    assert escaped("two\nlines\x00 and\tmore") == "two lines and more"
    assert escaped('τ "') == r"$\tau$ \char34{}"
    assert escaped("`x") == r"\textasciigrave{}x"


def made(rows, notes=()):
    report = Report("roc", "films", {})
    for row in rows:
        report.add(row)
    report.notes = list(notes)
    return report


def test_a_table_of_booktabs_by_hand():
    rows = [
        {"evaluator": "a_b", "auc": 0.414, "low": 0.35, "high": 0.47, "n": 40},
        {"evaluator": "c", "auc": -0.1, "low": nan, "high": nan, "n": 7},
        {"evaluator": "d", "auc": nan, "low": nan, "high": nan, "n": None},
    ]
    assert as_latex(made(rows, ["100 % of\nall."])).splitlines() == [
        r"% roc of films; needs \usepackage{booktabs}",
        "% 100 % of all.",
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"evaluator & auc & n \\",
        r"\midrule",
        r"a\_b & .41 [.35, .47] & 40 \\",
        r"c & $-$.10 & 7 \\",
        r"d & -- & -- \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_other_intervals_stand_with_their_numbers():
    row = {"evaluator": "a", "rsm": 0.5, "rsm_low": -0.25, "rsm_high": 1.0, "rsm_n": 4}
    line = as_latex(made([row])).splitlines()[-3]
    assert line == r"a & .50 [$-$.25, 1.00] & 4 \\"


def test_what_the_product_writes_beyond_ascii_is_printed_by_every_latex():
    row = {"system": "a − b", "labels": "fit, ≥ 4", "value": 1.0}
    line = as_latex(made([row])).splitlines()[-3]
    assert line == r"a $-$ b & fit, $\geq$ 4 & 1.00 \\"


def test_long_tables_break_over_pages_and_no_rows_are_said():
    long = as_latex(made([{"evaluator": str(at), "n": at} for at in range(46)]))
    assert r"\begin{longtable}{lr}" in long and r"\endhead" in long
    assert as_latex(made([], ["Why."])).splitlines()[1:] == ["% Why.", "% No rows."]


@pytest.mark.parametrize("name", ["correlation", "confusion", "selection", "thresholds"])
def test_a_page_gives_its_rows_as_latex(study, owner, as_owner, name):
    study.memberships.create(user=owner, role="owner")
    Judge.objects.filter(key="close").update(key=r"50% \input{x} & _")
    response = as_owner.get(f"/studies/films/analysis/{name}/rows.tex", {"draws": 0})
    text = response.content.decode()
    assert response["Content-Disposition"] == f'attachment; filename="films-{name}.tex"'
    assert r"50\% \textbackslash{}input\{x\} \& \_ &" in text
    table = [line for line in text.splitlines() if line.endswith(r" \\")]
    columns = {line.replace(r"\&", "").count("&") for line in table}
    assert len(columns) == 1
    assert "nan" not in text
