"""Values of a file for a judge that can be asked here: they never stand beside a model's."""

import pytest

from analysis.answers import frame, judged
from analysis.answers.repeats import repeats_and_outcomes
from analysis.answers.spending import spending
from judges.models import Judge, Judgment, Run
from judges.models.run import FROM_FILE
from tests import factories
from tests.analysis.exports.test_tables import rows
from tests.analysis.small import build, make_rated_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(owner):
    """The judge `copied` answers every item with 2 in a file that came with it."""
    study = make_rated_study(owner)
    judge = factories.make_judge(study, "copied", factories.make_endpoint())
    add_run(judge, [2] * study.items.count(), frozen={"kind": FROM_FILE, "judge": "copied"})
    return study


def add_run(judge, values, *, frozen=None, version=1, unasked=Judgment.State.FAILED):
    """A run with an answer to each item's first question; None is one without a value."""
    items, question = judge.study.items.order_by("pk"), judge.study.questions.first()
    run = Run.objects.create(
        judge=judge, state=Run.State.FINISHED, frozen=frozen or {"kind": "llm"}, version=version
    )
    Judgment.objects.bulk_create(
        Judgment(
            run=run,
            item=item,
            question=question,
            unit=unit,
            value=value,
            state=unasked if value is None else Judgment.State.DONE,
            cost_usd="0.5" if run.is_from_file else None,
        )
        for unit, (item, value) in enumerate(zip(items, values, strict=False))
    )
    return run


def values(study, version=None):
    """What the frame has of the judge: {value or reason: how many}."""
    table = frame.read_answers(study, version).table
    table = table[table["judge"] == "copied"]
    return table["value"].astype(object).fillna(table["missing_reason"]).value_counts().to_dict()


def copied():
    return Judge.objects.get(key="copied")


def test_the_file_speaks_until_the_judge_is_asked_and_the_report_says_so(study):
    assert values(study) == {2.0: 24}
    notes = build(study, "correlation").notes
    assert "From a file, nothing was asked here: all values of copied." in notes
    assert {row["from_file"] for row in rows("films", "scores")} == {"", "true"}


def test_a_file_s_value_fills_no_failure_of_the_model(study):
    run = add_run(copied(), [5] * 10 + [None] * 14)
    assert values(study) == {5.0: 10, "Failed": 14}
    notes = build(study, "correlation").notes
    assert (
        "Asked here since a file was loaded, so that no value of the file counts or fills a gap: "
        "copied." in notes
    )
    found = [row for row in rows("films", "scores") if row["judge"] == "copied"]
    assert {(row["run"], row["from_file"]) for row in found} == {(str(run.pk), "false")}
    assert len(found) == 24
    assert run.pk in judged.judge_of_runs(study)


def test_items_that_the_model_was_not_asked_about_have_no_value_of_the_file(study):
    add_run(copied(), [5] * 3)
    assert values(study) == {5.0: 3}
    assert spending(study)["copied"].items.index.size == 3, "and cost nothing"
    _, states = repeats_and_outcomes(study)
    assert states.loc[states["judge"] == "copied", "n"].sum() == 3


@pytest.mark.parametrize("state", [Judgment.State.PENDING, Judgment.State.NOT_ASKED])
def test_a_run_that_asked_nothing_leaves_the_file_s_values(study, state):
    add_run(copied(), [None] * 24, unasked=state)
    assert values(study)[2.0] == 24


def test_where_everything_failed_the_file_does_not_hide_it(study):
    add_run(copied(), [None] * 24)
    assert values(study) == {"Failed": 24}


def test_a_version_that_was_never_asked_here_keeps_what_the_file_says_of_it(study):
    study.questionnaire_version = 2
    study.save()
    add_run(copied(), [5] * 24, version=2)
    assert values(study, 1) == {2.0: 24}
    assert values(study, 2) == values(study) == {5.0: 24}


def test_a_check_for_drift_is_no_run_that_speaks(study):
    first = Run.objects.get(judge__key="copied")
    add_run(copied(), [5] * 24)
    Run.objects.exclude(pk=first.pk).filter(judge__key="copied").update(checked=first)
    assert values(study) == {2.0: 24}


def test_the_item_page_says_which_values_are_of_a_file(study, as_owner):
    add_run(copied(), [5] * 24)
    page = as_owner.get(f"/studies/films/items/{study.items.first().pk}/").content.decode()
    assert page.count("from a file") == 1
