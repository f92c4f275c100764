"""The substitution report: from the database to a verdict, and what it says of poor data."""

from math import isnan

import krippendorff
import numpy as np
import pandas as pd
import pytest
from django.db.models import F
from scipy import stats

from analysis.answers import frame
from analysis.figures.curves import winning_rates
from analysis.figures.looks import Looks
from analysis.reports.verdict.options import SubstitutionOptions
from analysis.reports.verdict.substitution import SUBSTITUTION
from annotate.models import Item, Rater, Rating
from judges.models import Judgment
from tests import factories
from tests.analysis.reports.raters.test_agreement import make_table
from tests.analysis.small import add_judge, build, load_hanna, make_rated_study, row_of
from tests.analysis.stats.replacement.test_substitution import HUMANS, JUDGE

pytestmark = pytest.mark.django_db


def make_worked(scale="likert5"):
    """The worked example as a study: every item stands alone."""
    study = make_table(np.array([[int(digit) for digit in text] for text in HUMANS]), scale)
    study.items.update(recipient=None, content=None)
    keys = list(study.items.order_by("pk"))
    add_judge(study, "gpt", lambda item: int(JUDGE[keys.index(item)]))
    return study


def make_study(**sizes):
    """30 items of five recipients, so that raters are tested."""
    return make_rated_study(**({"recipients": 5} | sizes))


@pytest.mark.parametrize(
    ("options", "rejected", "passes"), [({}, 1, False), ({"epsilon": "0.15"}, 3, True)]
)
def test_the_worked_example_comes_out_of_the_database(options, rejected, passes):
    row = row_of(build(make_worked(), "substitution", **options), evaluator="gpt")
    assert (row["rejected"], row["tested"], row["passes"]) == (rejected, 3, passes)
    assert row["winning_rate"] == pytest.approx(rejected / 3)
    assert row["n"] == 60
    assert row["epsilon"] == float(options.get("epsilon", 0.1))


def test_the_verdict_turns_on_the_head_start_and_says_where():
    # the second smallest p has se .0836: t(.13) = -2.149, p = .0179 < .01818, and t(.12) = -2.03
    study = make_worked()
    report = build(study, "substitution")
    against = "q: the alternative annotator test against a rater of the role third_party, at ε ="
    assert report.verdict[1] == (
        f"{against} 0.1, is not passed by gpt (ω = 0.33, passes from ε = 0.13 on)."
    )
    assert report.verdict[-1].startswith("The alternative annotator test asks who is closer to")
    passing = build(study, "substitution", epsilon="0.15").verdict[1]
    assert passing.startswith(f"{against} 0.15, is passed by gpt")


def test_people_s_agreement_stands_beside_the_test():
    study = make_worked()
    report = build(study, "substitution", draws=100)
    table = [[int(digit) for digit in text] for text in HUMANS]
    alpha = krippendorff.alpha(table, level_of_measurement="ordinal")
    row = row_of(report, evaluator="gpt")
    assert row["people_alpha"] == pytest.approx(alpha)
    assert row["people_alpha_low"] < alpha < row["people_alpha_high"]
    assert report.verdict[0].startswith(f"Agreement among people: α = {alpha:.2f} [")


def test_a_judge_that_always_says_the_same_is_called_nothing_and_stands_last():
    """It passes where people agree little: the words say so, and no page calls it the best."""
    study = make_study(recipients=8)
    Rating.objects.update(value=1 + F("id") * 7 % 5)  # nobody follows anybody
    add_judge(study, "always two", lambda item: 2)
    add_judge(study, "follows", lambda item: 1 + item.pk % 5)
    report = build(study, "substitution", epsilon="0.3")
    words = " ".join(report.verdict)
    for claim in ("take the place", "stand in", "the best", "may "):
        assert claim not in words
    assert "agreement among people: α = " in words.lower()
    assert "always gives the same answer is closer and passes, though it tells nothing" in words


def test_the_curve_is_the_winning_rate_at_every_head_start():
    report = build(make_worked(), "substitution")
    curve = report.curves["gpt", "q"]
    rates = dict(zip(curve["epsilon"], curve["winning_rate"], strict=True))
    assert (rates[0.1], rates[0.15]) == (pytest.approx(1 / 3), 1)
    assert sorted(curve["winning_rate"]) == curve["winning_rate"]


def test_judges_with_the_same_curve_share_a_line():
    study = make_worked()
    keys = list(study.items.order_by("pk"))
    add_judge(study, "twin", lambda item: int(JUDGE[keys.index(item)]))
    add_judge(study, "other", lambda item: 1)
    figure = winning_rates(build(study, "substitution"), "q", 0.1, Looks(["gpt", "twin", "other"]))
    names = [trace["name"] for trace in figure["data"]]
    assert names == ["gpt and 1 more", "other", "ε = 0.1", "passes from here up"]


def test_items_that_share_recipients_get_errors_by_cluster():
    study = make_study()
    robust, plain = (
        build(study, "substitution", epsilon="0.1", standard_errors=kind)
        for kind in ("cluster", "plain")
    )
    assert any(note.startswith("Standard errors: by cluster") for note in robust.notes)
    assert any("so that they are too small" in note for note in plain.notes)
    study.items.update(recipient=None, content=None)
    alone = build(study, "substitution", epsilon="0.1")
    assert any("no two items share" in note for note in alone.notes)
    assert alone.rows == plain.rows


def test_all_questions_are_corrected_together_whichever_is_shown():
    answers = frame.read_answers(make_study())
    options = SubstitutionOptions(reference="third_party", draws=0)
    whole = SUBSTITUTION.build(answers, options)
    one = SUBSTITUTION.build(answers, options, ["accuracy"])
    assert one.rows == [row for row in whole.rows if row["question"] == "accuracy"]


@pytest.mark.parametrize(("role", "epsilon"), [("third_party", 0.1), ("expert", 0.2)])
def test_the_usual_head_start_follows_the_role(role, epsilon):
    study = make_study()
    Rater.objects.update(role=role)
    assert {row["epsilon"] for row in build(study, "substitution").rows} == {epsilon}


def test_the_ceiling_is_on_the_same_references():
    study = make_study()
    ratings = Rating.objects.filter(session__study=study, question__key="accuracy")
    table = {
        rater: dict(ratings.filter(session__rater__key=rater).values_list("item", "value"))
        for rater in ("ann", "bob", "cem")
    }
    judged = Judgment.objects.filter(run__judge__key="close", question__key="accuracy")
    judge, items = dict(judged.values_list("item", "value")), sorted(table["ann"])
    people, machine = [], []
    for rater in table:
        others = [np.mean([table[o][i] for o in table if o != rater]) for i in items]
        people.append(stats.pearsonr([table[rater][i] for i in items], others).statistic)
        machine.append(stats.pearsonr([judge[i] for i in items], others).statistic)
    report = build(study, "substitution", draws=100)
    row = row_of(report, evaluator="close", question="accuracy")
    assert row["ceiling"] == pytest.approx(np.mean(people))
    assert row["agreement"] == pytest.approx(np.mean(machine))
    assert row["difference"] == pytest.approx(np.mean(machine) - np.mean(people))
    assert row["difference_low"] <= row["difference"] <= row["difference_high"]
    assert row["low"] <= row["advantage_probability"] <= row["high"]
    assert (row["n"], row["ceiling_n"]) == (30, 30)


def test_a_close_judge_passes_and_a_random_one_does_not():
    report = build(make_study(recipients=20), "substitution", epsilon="0.25")
    assert row_of(report, evaluator="close", question="accuracy")["passes"] is True
    assert row_of(report, evaluator="random", question="accuracy")["passes"] is False


def test_choices_are_compared_by_equal_labels_and_have_no_ceiling():
    study = make_worked({"choice": ["a", "b", "c", "d", "e"]})
    row = row_of(build(study, "substitution"), evaluator="gpt")
    same = [
        [(a == b) + (a == c), (j == b) + (j == c)]
        for a, b, c, j in zip(*HUMANS, JUDGE, strict=True)
    ]
    own = np.mean([judge >= rater for rater, judge in same])
    assert row["tested"] == 3
    assert not isnan(row["advantage_probability"])
    assert abs(row["advantage_probability"] - own) < 0.2  # one rater of three
    assert isnan(row["ceiling"])


def test_a_judge_on_another_scale_is_left_out_and_named():
    study = make_worked()
    add_judge(study, "BLEU", lambda item: 0.1)
    report = build(study, "substitution")
    assert {row["evaluator"] for row in report.rows} == {"gpt"}
    assert any("cannot be compared: BLEU" in note for note in report.notes)


def one_rater(study):
    Rating.objects.exclude(session__rater__key="ann").delete()


def everything_failed(study):
    Judgment.objects.update(state="failed", value=None, reason="timed out")


def nobody_answered(study):
    Rating.objects.filter(question__key="accuracy").delete()


def one_recipient(study):
    study.items.update(recipient=study.recipients.first())


TOO_FEW = "accuracy: nothing can be said. No rater has 30 items that another rater rated too."


@pytest.mark.parametrize(
    ("case", "words"),
    [
        (one_rater, TOO_FEW),
        (everything_failed, TOO_FEW),
        (nobody_answered, TOO_FEW),
        (
            one_recipient,
            "accuracy: nothing can be said. No test: all items belong to one recipient or content.",
        ),
    ],
)
def test_poor_data_say_what_cannot_be_said(case, words):
    study = make_study()
    case(study)
    report = build(study, "substitution")
    assert words in report.verdict
    row = row_of(report, evaluator="close", question="accuracy")
    assert isnan(row["winning_rate"])
    assert row["passes"] is None


def test_constant_answers_leave_a_test_and_no_ceiling():
    study = make_study()
    Rating.objects.update(value=4)
    report = build(study, "substitution")
    row = row_of(report, evaluator="close", question="accuracy")
    assert row["tested"] == 3
    assert isnan(row["ceiling"])
    assert any("is constant" in note for note in report.notes)


def test_without_a_judge_there_is_no_row_and_no_verdict():
    study = make_study()
    Judgment.objects.all().delete()
    report = build(study, "substitution")
    assert (report.rows, report.verdict) == ([], [])


def test_raters_of_few_items_are_not_tested():
    study = make_study()
    session = factories.make_session(study, "dan")
    question = study.questions.get(key="accuracy")
    for item in Item.objects.filter(study=study)[:29]:
        factories.make_rating(session, item, question, 3)
    row = row_of(build(study, "substitution"), evaluator="close", question="accuracy")
    assert row["tested"] == 3


@pytest.mark.shared_data
def test_hannas_sixteen_judges_are_tested_as_by_hand(shared_data):
    study = load_hanna(shared_data / "hanna")
    report = build(study, "substitution", standard_errors="plain")
    assert len({row["evaluator"] for row in report.rows}) == 16
    assert {row["tested"] for row in report.rows} == {3}
    name, question = "ChatGPT prompt 4", "empathy"
    table, judge = hanna_tables(shared_data / "hanna", name, question)
    won, r = [], []
    for rater in table:
        others = table.drop(columns=rater)
        far = (others.sub(judge, axis=0) ** 2).mean(axis=1).round(9)
        own = (others.sub(table[rater], axis=0) ** 2).mean(axis=1).round(9)
        won.append((far <= own).mean())
        r.append(np.corrcoef(table[rater], others.mean(axis=1))[0, 1])
    row = row_of(report, evaluator=name, question=question)
    assert row["advantage_probability"] == pytest.approx(np.mean(won))
    assert row["ceiling"] == pytest.approx(np.mean(r))


def hanna_tables(folder, judge, question):
    """Ratings (items, raters) and the judge's values of one question, straight from the files."""
    ratings, scores = (pd.read_csv(folder / f"{name}.csv") for name in ("ratings", "judgments"))
    ratings = ratings[ratings["question"] == question]
    table = ratings.pivot_table(index="item", columns="rater", values="value")
    scores = scores[(scores["question"] == question) & (scores["judge"] == judge)]
    scores = scores[scores["value"].between(1, 5)]  # what lies outside is loaded as missing
    table = table[table.index.isin(scores["item"])]
    return table, scores.set_index("item")["value"].reindex(table.index)
