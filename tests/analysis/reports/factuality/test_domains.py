"""Systems, metrics and failures within each domain, by hand.

item  system domain  P    R    BLEU    pair of
a     good   toys    1/2  1    90      c
c     bad    toys    1/2  1/2  70
b     good   sports  1    1/2  50      d
d     bad    sports  0    0    10
e     bad    sports  0    0    20      nobody
"""

from math import isnan

import pytest
from scipy import stats

from annotate.models import Item
from judges.models import Judge
from tests import factual
from tests.analysis.reports.factuality.test_report import BLEU, VERDICTS, failures, judged
from tests.analysis.small import build, row_of

pytestmark = pytest.mark.django_db
PAGE = "/studies/facts/analysis/factuality/"
DOMAINS = {"a": "toys", "c": "toys", "b": "sports", "d": "sports", "e": "sports"}


@pytest.fixture
def facts(owner):
    study = factual.make_study(owner)
    for item in Item.objects.filter(study=study):
        domain = DOMAINS[item.data.get("explanation", item.key)]
        Item.objects.filter(pk=item.pk).update(data=item.data | {"domain": domain})
    judged(study, "LLM", VERDICTS, factual.SUPPORTED)
    values = {key: value for key, value in BLEU.items() if key in DOMAINS}
    judged(study, "BLEU", values, "overall", kind=Judge.Kind.BLEU_1)
    return study


@pytest.mark.parametrize("column", ["dataset", "category"])
def test_a_domain_may_stand_in_a_column_of_another_name(facts, column):
    for item in Item.objects.filter(study=facts):
        data = {column if name == "domain" else name: value for name, value in item.data.items()}
        Item.objects.filter(pk=item.pk).update(data=data)
    report = build(facts, "factuality")
    row = row_of(report, part="consistency", metric="St2Exp-R", domain="toys", system="good")
    assert (row["value"], row["n"]) == (1, 1)


def test_systems_differ_on_the_pairs_of_a_domain(facts):
    report = build(facts, "factuality", draws=50)
    expected = {
        ("toys", "St2Exp-P"): 0,
        ("sports", "St2Exp-P"): -1,
        ("toys", "St2Exp-R"): -0.5,
        ("sports", "BLEU"): -40,
    }
    for (domain, metric), value in expected.items():
        row = row_of(report, part="difference", domain=domain, metric=metric)
        assert (row["system"], row["other"]) == ("bad", "good")
        assert (row["value"], row["n"]) == (pytest.approx(value), 1)
    both = row_of(report, part="difference", domain="all", metric="St2Exp-P")
    assert (both["value"], both["n"]) == (pytest.approx(-0.5), 2)


def test_similarity_and_consistency_within_a_domain(facts):
    report = build(facts, "factuality")

    def correlation(domain, metric, coefficient="pearson"):
        return row_of(
            report,
            part="correlation",
            domain=domain,
            metric="BLEU",
            other_metric=metric,
            coefficient=coefficient,
        )

    x, y = [50, 10, 20], [1, 0, 0]
    for coefficient, function in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr)):
        row = correlation("sports", "St2Exp-P", coefficient)
        assert (row["value"], row["n"]) == (pytest.approx(function(x, y)[0]), 3)
    assert correlation("toys", "St2Exp-R")["value"] == pytest.approx(1)
    assert isnan(correlation("toys", "St2Exp-P")["value"]), "P is 1/2 of both"
    assert any("metric has the same value for all explanations" in note for note in report.notes)
    assert not any("of the reference are equal" in note for note in report.notes)


def test_the_order_of_systems_within_a_domain(facts):
    report = build(facts, "factuality")
    places = {
        (row["domain"], row["metric"], row["system"]): row["value"]
        for row in report.rows
        if row["part"] == "rank"
    }
    assert (places["toys", "St2Exp-P", "good"], places["toys", "St2Exp-P", "bad"]) == (1, 1)
    assert (places["toys", "St2Exp-R", "good"], places["toys", "St2Exp-R", "bad"]) == (1, 2)
    assert (places["sports", "St2Exp-P", "good"], places["sports", "St2Exp-P", "bad"]) == (1, 2)
    agreement = {
        (row["domain"], row["metric"]): row["value"]
        for row in report.rows
        if row["part"] == "rank_agreement" and row["other_metric"] == "BLEU"
    }
    assert (agreement["toys", "St2Exp-R"], agreement["sports", "St2Exp-P"]) == (1, 1)
    assert isnan(agreement["toys", "St2Exp-P"])


def test_what_is_made_up_and_left_out_within_a_domain(facts):
    report = build(facts, "factuality")
    assert failures(report, "hallucinated", domain="toys") == {
        "build": (0, 1),
        "price": (0.5, 2),
        "sound": (1, 1),
    }
    assert failures(report, "hallucinated", domain="sports") == {"build": (0, 1), "price": (1, 1)}
    assert failures(report, "forgotten", domain="sports") == {"build": (0, 1), "sound": (1, 2)}
    assert failures(report, "forgotten", "sentiment", domain="toys") == {"positive": (1 / 3, 3)}
    good = failures(report, "hallucinated", domain="sports", system="good")
    assert good == {"build": (0, 1)}


def test_the_page_groups_lines_by_domain_and_does_not_repeat_the_only_one(facts, as_owner):
    def lines(measure, **more):
        asked = {"draws": 0, "measure": measure, "only": more.get("only", [])}
        tables = as_owner.get(PAGE, asked).context["layout"].tables
        return [[name for name, _ in table.lines] for table in tables]

    differences = lines("difference")[0]
    assert differences[0] == "St2Exp-P (LLM): bad less good"
    assert differences[4:6] == [
        "sports: St2Exp-P (LLM): bad less good",
        "sports: St2Exp-R (LLM): bad less good",
    ]
    made_up = lines("failure")[0]
    assert made_up[:3] == ["sound", "price", "build"]  # 1, 2/3 and 0
    assert made_up[3:] == [
        "sports: price",
        "sports: build",
        "toys: sound",
        "toys: price",
        "toys: build",
    ]
    assert lines("correlation")[0] == ["BLEU", "sports: BLEU", "toys: BLEU"]
    places, agreement = lines("rank")
    assert "toys: St2Exp-F1 (LLM)" in places
    assert "sports: St2Exp-P (LLM)" in agreement
    assert "toys: St2Exp-P (LLM)" not in agreement, "P is the same of both systems"
    assert lines("correlation", only=["domain=toys"])[0] == ["BLEU"]
    assert not any(":" in name for name in lines("consistency", only=["domain=toys"])[0])


def test_of_two_values_a_correlation_is_said_to_mean_little_and_why_one_is_undefined(
    facts, as_owner
):
    def tables(domain):
        asked = {"draws": 0, "measure": "correlation", "only": [f"domain={domain}"]}
        return as_owner.get(PAGE, asked).context["layout"].tables

    said = "Of two values (n = 2) it can be nothing but 1, −1 or undefined."
    assert [said in table.caption for table in tables("toys")] == [True, True]
    assert [said in table.caption for table in tables("sports")] == [False, False]
    for table in tables("toys"):
        ((_, cells),) = [line for line in table.lines if line[0].endswith("BLEU")]
        found = dict(zip(table.headings, cells, strict=True))
        recall, precision = found["St2Exp-R (LLM)"], found["St2Exp-P (LLM)"]
        assert (recall.value, recall.reason) == (pytest.approx(1), "")
        assert isnan(precision.value), "P is 1/2 of both"
        assert precision.reason == "a metric has the same value for all explanations"
