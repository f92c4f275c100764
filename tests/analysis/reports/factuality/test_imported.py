"""Which imported measures are of consistency, which of similarity, and which are answers.

Kabongo & Guigue (2025), section IV-A and tables V and VI.
"""

import pytest

from analysis.reports.factuality.names import is_consistency, is_similarity
from judges.models import Judge
from tests import factual
from tests.analysis.reports.factuality.test_report import VERDICTS, judged
from tests.analysis.small import build, row_of

pytestmark = pytest.mark.django_db
HALF = dict.fromkeys("abcde", 0.5)
LIKERT = {"a": 4, "b": 2, "c": 3, "d": 1, "e": 2}
PARTLY = {"a": 0.25, "b": 0.5, "c": 1.0, "d": 0.75, "e": 0.0}


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("SEval-P", "consistency"),
        ("seval", "consistency"),
        ("SummaC-Conv", "consistency"),
        ("SummaCConv", "consistency"),
        ("AlignScore large", "consistency"),
        ("align_score", "consistency"),
        ("QuestEval", "consistency"),
        ("QUESTEVAL", "consistency"),
        ("BERT-F1", "similarity"),
        ("BERTScore", "similarity"),
        ("bert_score F1", "similarity"),
        ("BART", "similarity"),
        ("BARTScore", "similarity"),
        ("BLEURT-20", "similarity"),
        ("STS", "similarity"),
        ("BLEU4", "similarity"),
        ("ROUGE-2", "similarity"),
        ("GPT-4", ""),
        ("Bartholomew", ""),
        ("stsuite", ""),
        ("my AlignScore", ""),
    ],
)
def test_a_measure_is_known_by_how_its_name_begins(name, family):
    assert is_consistency(name) == (family == "consistency")
    assert is_similarity(name) == (family == "similarity")


@pytest.fixture
def facts(owner):
    study = factual.make_study(owner)
    judged(study, "LLM", VERDICTS, factual.SUPPORTED)
    return study


def correlated(report):
    """(lines, columns) of RQ2."""
    rows = [row for row in report.rows if row["part"] == "correlation"]
    return {row["metric"] for row in rows}, {row["other_metric"] for row in rows}


ST2EXP = {"St2Exp-P", "St2Exp-R", "St2Exp-F1"}


def test_consistency_is_what_similarity_is_compared_with(facts):
    judged(facts, "AlignScore", PARTLY, "overall")
    judged(facts, "BARTScore", {key: -3.5 - value for key, value in PARTLY.items()}, "overall")
    report = build(facts, "factuality")
    assert correlated(report) == ({"BARTScore"}, ST2EXP | {"AlignScore"})
    row = row_of(
        report,
        part="correlation",
        domain="all",
        metric="BARTScore",
        other_metric="AlignScore",
        coefficient="pearson",
    )
    assert row["value"] == pytest.approx(-1)
    mean = row_of(report, part="consistency", metric="AlignScore", domain="all", system="all")
    assert (mean["value"], mean["n"]) == (pytest.approx(0.5), 5)


def test_models_of_pairs_count_too_by_their_names(facts):
    model = {"kind": Judge.Kind.PAIR_MODEL, "model": "some"}
    judged(facts, "SummaC-Conv", PARTLY, "overall", **model)
    judged(facts, "regression", LIKERT, "overall", **model)
    assert correlated(build(facts, "factuality")) == ({"regression"}, ST2EXP | {"SummaC-Conv"})


def test_means_that_differ_by_rounding_share_their_place(facts):
    """(.1 + .2 + .3) / 3 is not .2 in numbers of 64 bits."""
    values = {"a": 0.2, "b": 0.2, "c": 0.1, "d": 0.2, "e": 0.3}
    judged(facts, "AlignScore", values, "overall")
    rows = [row for row in build(facts, "factuality", draws=20).rows if row["domain"] == "all"]
    places = [row for row in rows if (row["part"], row["metric"]) == ("rank", "AlignScore")]
    assert {row["system"]: row["value"] for row in places} == {"good": 1, "bad": 1}
    alike = [
        row
        for row in rows
        if row["part"] == "rank_agreement" and "AlignScore" in (row["metric"], row["other_metric"])
    ]
    assert alike and not [row for row in alike if row["value"] == row["value"]]


def test_answers_on_the_scale_of_the_question_are_no_similarity_but_where_named_so(facts):
    judged(facts, "GPT-4", LIKERT, "overall")
    judged(facts, "STS times four", LIKERT, "overall")
    judged(facts, "cosine", HALF, "overall")
    report = build(facts, "factuality")
    assert correlated(report)[0] == {"STS times four", "cosine"}
    assert not [row for row in report.rows if row["evaluator"] == "GPT-4"]
    assert any("answers to the question: GPT-4." in note for note in report.notes)


def test_a_number_for_missing_judgments_makes_no_measure_of_answers(facts):
    judged(facts, "GPT-4", {"a": 4, "b": 2}, "overall")
    report = build(facts, "factuality", missing_judgment="0")
    assert not [row for row in report.rows if row["evaluator"] == "GPT-4"]


def test_each_stands_in_its_table(facts, as_owner):
    judged(facts, "QuestEval", PARTLY, "overall")
    judged(facts, "BLEURT", {key: value - 1 for key, value in PARTLY.items()}, "overall")
    answer = as_owner.get("/studies/facts/analysis/factuality/", {"draws": 0})
    found = {
        table.caption[:9]: [name for name, _ in table.lines]
        for table in answer.context["layout"].tables
    }
    assert "all domains: QuestEval" in found["Table V. "]
    assert "all domains: BLEURT" in found["Table VI."]
    assert "all domains: QuestEval" not in found["Table VI."]


def test_of_two_systems_the_page_says_that_an_order_says_little(facts, as_owner):
    judged(facts, "AlignScore", PARTLY, "overall")
    asked = {"draws": 0}
    tables = as_owner.get("/studies/facts/analysis/factuality/", asked).context["layout"].tables
    said = {table.caption[:20]: "be nothing but 1, −1 or" in table.caption for table in tables}
    assert [caption for caption, is_said in said.items() if is_said] == ["Do metrics order the"]


def test_a_probability_is_a_verdict_above_half_of_an_nli_model_and_a_share_of_an_imported_judge(
    facts,
):
    said = dict.fromkeys(VERDICTS, 0.6)
    judged(facts, "imported", said, factual.SUPPORTED)
    judged(facts, "NLI", said, factual.SUPPORTED, kind=Judge.Kind.NLI)
    report = build(facts, "factuality")
    about = {"part": "consistency", "metric": "St2Exp-P", "domain": "all", "system": "all"}
    share = row_of(report, evaluator="imported", **about)
    verdict = row_of(report, evaluator="NLI", **about)
    assert share["n"] == verdict["n"]
    assert share["value"] == pytest.approx(0.6 * verdict["value"])
    (note,) = [note for note in report.notes if note.startswith("St2Exp: answers to supported")]
    assert "An NLI model that runs here supports a statement above .5" in note
    assert "as they are, fractions too: an imported judge’s probabilities" in note
