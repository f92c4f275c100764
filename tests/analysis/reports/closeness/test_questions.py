"""Judges that answer some of the questions are compared on the questions that both answered."""

import numpy as np
import pytest
from scipy import stats

from analysis.answers import frame
from analysis.reports.shared.scores import Scores
from annotate.models import Item
from judges.models import Judgment
from tests.analysis.reports.closeness.test_correlation import pairs
from tests.analysis.small import add_judge, build, make_rated_study, options_of, row_of

pytestmark = pytest.mark.django_db
HERE = {"level": "dataset", "coefficient": "pearson"}
DRAWS = 40


def forget(judge, *questions):
    """Take a judge's answers to these questions away."""
    Judgment.objects.filter(run__judge__key=judge, question__key__in=questions).delete()


@pytest.fixture
def study():
    """Of the four questions `close` answers three, `random` three others, `contrary` one."""
    study = make_rated_study()
    add_judge(study, "contrary", lambda item: 1 + item.pk % 3)
    first, second, third, fourth = study.questions.order_by("position")
    study.keys = [first.key, second.key, third.key, fourth.key]
    forget("close", fourth.key)
    forget("random", first.key)
    forget("contrary", first.key, second.key, third.key)
    return study


def compared(report, question):
    rows = (row for row in report.rows if row["question"] == question)
    return {(row["evaluator"], row["other"]) for row in rows}


def test_each_question_compares_the_judges_that_answer_it(study):
    report = build(study, "differences")
    first, second, third, fourth = study.keys
    assert compared(report, first) == set()
    assert compared(report, second) == compared(report, third) == {("close", "random")}
    assert compared(report, fourth) == {("random", "contrary")}
    assert compared(report, "average") == {("close", "random"), ("random", "contrary")}
    numbers = f"{first} 1, {second} 2, {third} 2, {fourth} 2"
    assert any(f"(judges: {numbers})" in note for note in report.notes)
    assert not any(note.startswith("Left out, as they") for note in report.notes)


def test_the_common_items_are_those_of_the_judges_of_the_question(study):
    """What `contrary` lacks of the fourth question takes no item from the third."""
    item = study.items.order_by("pk").first()
    Judgment.objects.filter(item=item, run__judge__key="contrary").delete()
    report = build(study, "differences")
    _, _, third, fourth = study.keys
    n = {row["question"]: row["n"] for row in report.rows if row["level"] == "dataset"}
    assert (n[third], n[fourth]) == (24, 23)
    x, y = pairs(study, "random", fourth)
    row = row_of(report, evaluator="random", other="contrary", question=fourth, **HERE)
    assert row["value"] == pytest.approx(stats.pearsonr(x[1:], y[1:]).statistic)


def test_an_average_is_over_the_questions_that_both_answer_draw_by_draw(study):
    report = build(study, "differences", draws=DRAWS)
    answers = frame.read_answers(study)
    counts = Scores(answers, options_of(answers, "differences", draws=DRAWS)).counts
    assert counts.shape == (DRAWS, 4)  # recipients, of six items
    row = row_of(report, evaluator="close", other="random", question="average", **HERE)
    _, *both, _ = study.keys
    values = {(name, key): pairs(study, name, key) for name in ("close", "random") for key in both}

    def mean_r(name, items):
        own = [[np.array(side)[items] for side in values[name, key]] for key in both]
        return np.mean([stats.pearsonr(x, y).statistic for x, y in own])

    drawn = []
    for times in counts:
        items = [6 * g + i for g, n in enumerate(times) for _ in range(int(n)) for i in range(6)]
        drawn.append(mean_r("close", items) - mean_r("random", items))
    everything = list(range(24))
    expected = mean_r("close", everything) - mean_r("random", everything)
    assert row["difference"] == pytest.approx(expected)
    assert (row["low"], row["high"]) == pytest.approx(tuple(np.percentile(drawn, [2.5, 97.5])))
    assert row["n"] == 48


def test_judges_of_different_kinds_of_items_are_compared_within_each_kind():
    """As in a study of profiles and episodes, where no judge answers all questions."""
    study = make_rated_study()
    first, second, *others = study.questions.order_by("position")
    for question, kind, place in ((first, "profile", 0), (second, "explanation", 1)):
        ids = list(study.items.order_by("pk").values_list("pk", flat=True))[place::2]
        Item.objects.filter(pk__in=ids).update(kind=kind)
        question.applies_to = [kind]
        question.save()
        Judgment.objects.filter(question=question).exclude(item__in=ids).delete()
    for name, question in (("taste", first), ("sense", second)):
        add_judge(study, name, lambda item: 1 + item.pk % 4)
        Judgment.objects.filter(run__judge__key=name).exclude(question=question).delete()
        Judgment.objects.filter(run__judge__key=name).exclude(
            item__kind=question.applies_to[0]
        ).delete()
    forget("close", second.key, *(question.key for question in others))
    forget("random", first.key, *(question.key for question in others))
    report = build(study, "differences", draws=DRAWS)
    assert compared(report, first.key) == {("close", "taste")}
    assert compared(report, second.key) == {("random", "sense")}
    assert {row["n"] for row in report.rows if row["level"] == "dataset"} == {12}


def test_without_a_common_question_there_is_no_difference(study):
    Judgment.objects.filter(run__judge__key="random").update(
        state="failed", value=None, reason="timed out"
    )
    forget("contrary", study.keys[3])
    report = build(study, "differences")
    assert report.rows == []
    assert "A difference needs two judges with values of one question." in report.notes
    assert "Left out, as they have no value of any question: random." in report.notes


def test_the_page_has_a_dash_where_a_pair_has_no_such_question(study, owner, as_owner):
    study.memberships.create(user=owner, role="owner")
    page = as_owner.get("/studies/films/analysis/differences/", {"draws": 20})
    [table] = page.context["layout"].tables
    cells = dict(table.lines)
    assert cells["random − contrary"][4:6] == ["–", "–"]
    assert page.status_code == 200 and cells["close − random"][6] == "–"
