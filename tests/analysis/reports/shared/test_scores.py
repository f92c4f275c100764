"""Ensembles in the analysis: computed from their members' judgments, never stored."""

import csv

import pytest
from django.core.management import call_command
from django.urls import reverse
from scipy.stats import pearsonr

from analysis.answers import frame
from analysis.reports.shared.scores import Scores
from annotate.models import Rating
from annotate.values.scales.base import BINARY, GRADED, NOMINAL
from judges.models import Judge, Judgment, Run
from tests import factories
from tests.analysis.small import add_judge, build, options_of, row_of

pytestmark = pytest.mark.django_db
LOW, HIGH, HUMAN = [1, 2, 3, 4], [3, 5, 4, 4], [1, 4, 2, 5]


def of(values):
    return lambda item: values[int(item.key.removeprefix("item-"))]


@pytest.fixture
def study(owner):
    """Four items and one question; a rater and the judges low and high."""
    study = factories.make_study(owner=owner, items=4, questions={"fits": "It fits."})
    session, question = factories.make_session(study, "ann"), study.questions.get()
    for item in study.items.all():
        factories.make_rating(session, item, question, of(HUMAN)(item))
    add_judge(study, "low", of(LOW))
    add_judge(study, "high", of(HIGH))
    return study


@pytest.fixture
def panel(study):
    return make_panel(study, "low", "high")


def make_panel(study, *members, key="panel", **fields):
    judge = factories.make_judge(study, key, kind=Judge.Kind.ENSEMBLE, **fields)
    judge.members.set(Judge.objects.filter(study=study, key__in=members))
    return judge


def values(study, name="panel", **options):
    answers = frame.read_answers(study)
    chosen = options_of(answers, "correlation", **{"draws": 0} | options)
    return Scores(answers, chosen).judge(name)[:, 0].tolist()


def take_away(judge, item):
    Judgment.objects.filter(run__judge__key=judge, item__key=item).update(
        state=Judgment.State.FAILED, value=None, reason="gone"
    )


def test_an_ensemble_is_the_mean_of_its_members(study, panel):
    assert values(study) == [2, 3.5, 3.5, 4]


@pytest.mark.parametrize(
    "rule, expected", [("median", [2, 3, 3, 4]), ("majority", [2, None, 3, 4])]
)
def test_other_rules(study, rule, expected):
    add_judge(study, "middle", of([2, 3, 3, 4]))
    add_judge(study, "fourth", of([2, 4, 3, 1]))
    odd = ("low", "high", "middle") if rule == "median" else ("low", "middle", "fourth")
    make_panel(study, *odd, rule=rule)
    assert values(study) == pytest.approx(
        [float("nan") if v is None else v for v in expected], nan_ok=True
    )


def test_it_stands_in_every_report_beside_its_members(study, panel):
    report = build(study, "correlation")
    row = row_of(report, evaluator="panel", question="fits", level="dataset", coefficient="pearson")
    assert row["value"] == pytest.approx(pearsonr([2, 3.5, 3.5, 4], HUMAN).statistic)
    for name, key in (("roc", "evaluator"), ("confusion", "evaluator")):
        assert "panel" in {row[key] for row in build(study, name).rows}
    assert "panel vs third_party" in {row["raters"] for row in build(study, "agreement").rows}
    note = "panel: mean of low, high, computed anew; where a member has no judgment the ensemble"
    assert any(text.startswith(note) for text in report.notes)


def test_a_missing_member_drops_the_item_and_is_counted(study, panel):
    take_away("high", "item-1")
    assert values(study) == pytest.approx([2, float("nan"), 3.5, 4], nan_ok=True)
    report = build(study, "correlation")
    row = row_of(report, evaluator="panel", question="fits", level="dataset", coefficient="pearson")
    assert row["n"] == 3
    assert "Missing judgments are dropped (high: 1 of 4; panel: 1 of 4)." in report.notes


def test_what_one_member_was_never_asked_was_the_ensemble_never_asked(study, panel):
    Judgment.objects.filter(run__judge__key="high", item__key="item-1").delete()
    gap = "1 of 4, of these 1 never asked"
    policy = f"Missing judgments are dropped (high: {gap}; panel: {gap})."
    assert policy in build(study, "correlation").notes


def test_a_missing_member_counts_as_the_number_that_is_put_in(study, panel):
    """As Zhang et al. have it: an unreadable rating is a 0, also within the mean."""
    take_away("high", "item-1")
    assert values(study, missing_judgment=0) == [2, 1, 3.5, 4]
    report = build(study, "correlation", missing_judgment=0)
    assert any("the ensemble counts it as 0" in note for note in report.notes)


def test_an_ensemble_with_a_silent_member_is_left_out_and_said_to_be(study):
    factories.make_judge(study, "silent", kind=Judge.Kind.BLEU_1)
    make_panel(study, "low", "silent")
    report = build(study, "correlation")
    assert "panel" not in {row["evaluator"] for row in report.rows}
    assert "panel is left out: no judgment of silent." in report.notes
    assert frame.read_answers(study).judges == ["low", "high"]


@pytest.mark.parametrize("report", ["confusion", "agreement", "substitution"])
def test_a_score_is_no_label_even_where_it_looks_like_one(study, report):
    """BLEU-4 of 1, 2, 3 and 4 per cent is no answer to the question, nor is a mean with it."""
    question = study.questions.get()
    bleu = factories.make_judge(study, "bleu", kind=Judge.Kind.BLEU_4)
    factories.make_judgments(bleu, {(item, question): of(LOW)(item) for item in study.items.all()})
    make_panel(study, "bleu", "low")
    names = {row.get("evaluator", row.get("raters", "")) for row in build(study, report).rows}
    told = " ".join(build(study, report).notes)
    assert any("low" in name for name in names)
    assert not [name for name in names if "bleu" in name or "panel" in name]
    assert "Not on the questions' scale, so that labels cannot be compared: bleu, panel." in told


def test_choices_of_words_take_the_majority_whatever_the_rule(study):
    question = factories.make_question(study, "better", {"choice": ["A", "tie", "B"]})
    item = study.items.first()
    for name, value in (("low", 1), ("high", 1), ("third", 3)):
        judge = Judge.objects.filter(study=study, key=name).first() or factories.make_judge(
            study, name
        )
        factories.make_judgments(judge, {(item, question): value})
    make_panel(study, "low", "high", "third")
    answers = frame.read_answers(study)
    chosen = options_of(answers, "correlation", **{"draws": 0})
    assert Scores(answers, chosen).judge("panel")[0, 1] == 1  # 5/3 by the mean


def test_nothing_of_it_is_stored_or_exported(study, panel, tmp_path):
    assert not Run.objects.filter(judge=panel).exists()
    for table in ("scores", "judgments"):
        call_command("export", study.slug, table, "-o", str(tmp_path / table))
        with (tmp_path / table).open() as file:
            assert {row["judge"] for row in csv.DictReader(file)} - {""} == {"low", "high"}


def test_figures_follow_a_changed_ensemble(study, panel, as_owner):
    before = frame.Reader(study).fingerprint()
    panel.rule = Judge.Rule.MEDIAN
    panel.save()
    assert (after := frame.Reader(study).fingerprint()) != before
    third = add_judge(study, "third", of(LOW))
    panel.members.add(third)
    assert frame.Reader(study).fingerprint() != after


def test_the_pages_show_it(study, panel, as_owner):
    take_away("high", "item-1")
    page = as_owner.get(reverse("judge", args=[study.slug, panel.pk])).content.decode()
    assert "Of 4 answers that some member gave, all members gave 3." in page
    assert "Run<" not in page.split("<main")[1]
    judges = as_owner.get(reverse("judges", args=[study.slug])).content.decode()
    assert "Mean of low, high" in judges
    report = as_owner.get(reverse("report", args=[study.slug, "correlation"])).content.decode()
    assert "panel" in report


# Learned weights


@pytest.fixture
def many(owner):
    """Twelve recipients of three items; ann's ratings, and two judges of which one knows them."""
    study = factories.make_study(owner=owner, questions={"fits": "It fits."})
    session, question = factories.make_session(study, "ann"), study.questions.get()
    for n in range(36):
        item = factories.make_item(study, f"item-{n}", recipient=f"r{n % 12}", content=f"c{n}")
        factories.make_rating(session, item, question, 1 + n * 7 % 5)
    number = lambda item: int(item.key.removeprefix("item-"))  # noqa: E731
    add_judge(study, "knows", lambda item: (1 + number(item) * 7 % 5) / 2 + 1)
    add_judge(study, "noise", lambda item: 1 + number(item) * 11 % 3)
    make_panel(study, "knows", "noise", rule="learned")
    return study


def test_learned_weights_find_who_knows(many):
    """The rating is 2·knows − 2, whoever is left out."""
    assert values(many) == pytest.approx([1 + n * 7 % 5 for n in range(36)])
    notes = build(many, "correlation").notes
    assert any(note.startswith("panel, fits: knows 2 (2 to 2), noise ") for note in notes)
    assert any("5 folds by recipient (else content, else item), seed 1" in note for note in notes)


def test_learned_values_are_on_the_people_s_scale_whatever_the_members_are_on(many):
    Judge.objects.update(kind=Judge.Kind.BLEU_1)
    Judge.objects.filter(key="panel").update(kind=Judge.Kind.ENSEMBLE)
    own = frame.read_answers(many).own_scale
    assert own["knows"].levels == (GRADED, BINARY, NOMINAL)
    assert own["panel"].levels == (NOMINAL,), "there it is the members' majority"
    rows = {row["evaluator"]: row["matrix"] for row in build(many, "confusion").rows}
    assert "knows" not in rows
    counts = [[1 + n * 7 % 5 for n in range(36)].count(value) for value in range(1, 6)]
    assert rows["panel"] == [[counts[r] if r == c else 0 for c in range(5)] for r in range(5)]


def test_nobody_s_rating_is_in_the_value_of_an_own_item(many):
    before = values(many)
    own = [n for n in range(36) if n % 12 == 4]
    for n in own:
        Rating.objects.filter(item__key=f"item-{n}").update(value=5)
    after = values(many)
    assert [after[n] for n in own] == [before[n] for n in own]
    assert after != before


def test_with_few_recipients_there_is_no_value_and_a_reason(study):
    make_panel(study, "low", "high", rule="learned")
    assert values(study) == pytest.approx([float("nan")] * 4, nan_ok=True)
    notes = build(study, "correlation").notes
    assert any(
        note.startswith("panel, fits: too few recipients to learn weights from") for note in notes
    )


def test_the_pages_say_how_weights_are_learned(many, as_owner):
    judge = Judge.objects.get(key="panel")
    page = as_owner.get(reverse("judge", args=[many.slug, judge.pk])).content.decode()
    assert "learned from the ratings of the reference role" in page
    report = as_owner.get(reverse("report", args=[many.slug, "correlation"])).content.decode()
    assert "panel, fits: knows" in report
