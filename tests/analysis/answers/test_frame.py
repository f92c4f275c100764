"""The frame: every answer once, from the latest run, with what does not count flagged."""

from datetime import timedelta

import pytest
from django.utils import timezone

from analysis.answers import frame
from annotate.models import Rater, Session
from judges.models import Judgment, Run
from tests import factories

pytestmark = pytest.mark.django_db


def add_judgment(run, item, question, value=None, state="done", **fields):
    return Judgment.objects.create(
        run=run, item=item, question=question, value=value, state=state, **fields
    )


@pytest.fixture
def item(study):
    return study.items.first()


@pytest.fixture
def question(study):
    return study.questions.first()


def test_a_row_says_who_answered_what_about_which_item(study, item, question):
    item.data = {"length": 120}
    item.save()
    factories.make_rating(factories.make_session(study, "ann"), item, question, 4)
    answers = frame.read_answers(study)
    row = answers.table.iloc[0].to_dict()
    expected = {
        "item": "item-0",
        "kind": "explanation",
        "recipient": "r1",
        "content": "film-1",
        "system": "good",
        "length": "120",
        "question": "persuasiveness",
        "source": "human",
        "rater": "ann",
        "judge": "",
        "role": "third_party",
        "run": "",
        "value": 4.0,
        "missing_reason": "",
        "excluded": False,
        "exclusion_reason": "",
    }
    assert expected.items() <= row.items()
    assert answers.extra_columns == ["length"]


def test_every_column_is_documented(study, item, question):
    factories.make_rating(factories.make_session(study), item, question, 4)
    answers = frame.read_answers(study)
    documented = {*frame.COLUMNS, *frame.MORE_ITEM_COLUMNS, *answers.extra_columns}
    assert documented - set(answers.table.columns) == {
        "seconds",
        "from_file",
        "cost_usd",
        "answered_at",
        "first_side",
        "weighted_value",
        "reason",
    }
    assert set(answers.table.columns) <= documented


def test_an_extra_column_never_hides_one_of_the_frame(study, item, question):
    item.data = {"value": "7"}
    item.save()
    factories.make_rating(factories.make_session(study), item, question, 4)
    table = frame.read_answers(study).table
    assert (table["value"].iloc[0], table["item_value"].iloc[0]) == (4.0, "7")


def test_excluded_raters_and_unfinished_sessions_are_flagged_with_the_reason(study, item, question):
    factories.make_rating(factories.make_session(study, "ann"), item, question, 4)
    out = factories.make_session(study, "bob")
    Rater.objects.filter(pk=out.rater.pk).update(excluded_because="failed the attention check")
    factories.make_rating(out, item, question, 1)
    still = factories.make_session(study, "cem", state=Session.State.RATING)
    factories.make_rating(still, item, question, 2)
    table = frame.read_answers(study).table
    assert dict(zip(table["rater"], table["exclusion_reason"], strict=True)) == {
        "ann": "",
        "bob": "failed the attention check",
        "cem": "session not completed: rating",
    }
    assert list(table["excluded"]) == [False, True, True]


def test_the_latest_run_with_a_value_counts(study, item, question):
    judge = factories.make_judge(study)
    other = study.questions.last()
    old = factories.make_judgments(judge, {(item, question): 2, (item, other): 3})
    new = factories.make_judgments(judge, {(item, question): 5})
    add_judgment(new, item, other, state="failed", reason="timed out")
    table = frame.read_answers(study).table
    found = sorted((row.question, row.value, row.run) for row in table.itertuples())
    expected = [(question.key, 5.0, str(new.pk)), (other.key, 3.0, str(old.pk))]
    assert found == sorted(expected)


def test_of_two_failures_the_newer_reason_stands(study, item, question):
    judge = factories.make_judge(study)
    for reason in ("no number", "two numbers"):
        run = Run.objects.create(judge=judge, state=Run.State.FINISHED)
        add_judgment(run, item, question, state="unparsable", reason=reason)
    table = frame.read_answers(study).table
    assert list(table["missing_reason"]) == ["two numbers"]
    assert table["value"].isna().all()


@pytest.mark.parametrize("state", Run.State)
def test_what_a_run_settled_counts_however_it_ended(study, item, question, state):
    run = factories.make_judgments(factories.make_judge(study), {(item, question): 2})
    Run.objects.filter(pk=run.pk).update(state=state)
    table = frame.read_answers(study).table
    assert [(row.value, row.run) for row in table.itertuples()] == [(2.0, str(run.pk))]


def test_waiting_judgments_do_not_count(study, item, question):
    active = Run.objects.create(judge=factories.make_judge(study), state=Run.State.ACTIVE)
    add_judgment(active, item, question, state="pending")
    assert frame.read_answers(study).table.empty


def test_samples_are_averaged(study, item, question):
    run = Run.objects.create(judge=factories.make_judge(study), state=Run.State.FINISHED)
    add_judgment(run, item, question, state="failed", sample=0)
    add_judgment(run, item, question, 2, sample=1)
    add_judgment(run, item, question, 5, sample=2)
    table = frame.read_answers(study).table
    assert len(table) == 1
    assert table["value"].iloc[0] == 3.5
    assert table["missing_reason"].iloc[0] == ""


def test_categories_follow_the_order_of_items_and_questions(study, item, question):
    """Ids of questions need not rise with their position."""
    question.position = 99
    question.save()
    factories.make_rating(factories.make_session(study), item, question, 4)
    answers = frame.read_answers(study)
    assert list(answers.table["question"]) == [question.key]
    assert list(answers.table["question"].cat.categories)[-1] == question.key


def test_reading_takes_six_queries_however_many_answers(study, django_assert_num_queries):
    judge = factories.make_judge(study)
    session = factories.make_session(study)
    for item in study.items.all():
        for question in study.questions.all():
            factories.make_rating(session, item, question, 3)
    factories.make_judgments(
        judge, {(i, q): 2 for i in study.items.all() for q in study.questions.all()}
    )
    with django_assert_num_queries(6):
        assert len(frame.read_answers(study).table) == 32


def test_a_study_without_anything_gives_an_empty_frame(db):
    answers = frame.read_answers(factories.make_study("empty", questions={}))
    assert answers.table.empty
    assert answers.questions == []


def changed(study, change):
    before = frame.Reader(study).fingerprint()
    change()
    return frame.Reader(study).fingerprint() != before


def test_the_fingerprint_changes_with_answers_items_and_who_counts(study, item, question):
    session = factories.make_session(study)
    rating = factories.make_rating(session, item, question, 3)
    assert not changed(study, lambda: None)

    def answer_again():
        rating.value = 4
        rating.save()

    def exclude():
        Rater.objects.filter(pk=session.rater.pk).update(excluded_because="too fast")

    def relabel():
        item.data = {"genre": "drama"}
        item.save()

    def judge():
        factories.make_judgments(factories.make_judge(study), {(item, question): 3})

    for change in (answer_again, exclude, relabel, judge):
        assert changed(study, change), change.__name__


def test_the_fingerprint_changes_when_what_failed_is_asked_again(study, item, question):
    run = factories.make_judgments(factories.make_judge(study), {(item, question): 3})
    others = [each for each in study.questions.all() if each != question]
    late = timezone.now()
    run.judgments.update(settled_at=late)
    early = late - timedelta(hours=1)
    failed = {"item": item, "question": others[0], "state": "failed", "settled_at": early}
    one = Judgment.objects.create(run=run, unit=7, lead=True, **failed)

    def ask_again():
        Judgment.objects.filter(pk=one.pk).update(state="pending", settled_at=None)

    assert changed(study, ask_again)


def test_the_sum_of_values_is_the_same_in_whatever_order_they_are_read(owner):
    totals, values = set(), [0.1, 0.2, 0.3]
    assert sum(values) != sum(reversed(values)), "as floats"
    for slug, ordered in [("up", values), ("down", values[::-1]), ("others", [0.1, 0.2, 0.4])]:
        study = factories.make_study(slug, owner)
        item, question = factories.make_item(study, "i1"), study.questions.first()
        for number, value in enumerate(ordered):
            session = factories.make_session(study, f"ann-{number}")
            factories.make_rating(session, item, question, value)
        ((_, n, _, total, _),) = frame.Reader(study).sums
        assert n == 3
        totals.add(total)
    assert len(totals) == 2, "one for both orders, another one for other values"


def test_the_fingerprint_takes_five_queries(study, item, question, django_assert_num_queries):
    factories.make_judgments(factories.make_judge(study), {(item, question): 3})
    with django_assert_num_queries(5):
        frame.Reader(study).fingerprint()
