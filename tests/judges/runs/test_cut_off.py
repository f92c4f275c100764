"""Pages say how many replies were cut off, and offer a duplicate with a higher limit."""

import pytest
from django.urls import reverse

from judges.models import Judgment
from judges.replies.parse import Reason
from judges.runs.cut_off import cut_off_in
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def judge(study):
    return factories.make_judge(study, "wordy", factories.make_endpoint(), max_tokens=600)


@pytest.fixture
def run(judge, study):
    """Three calls with two answers each; two of them were cut off."""
    questions = list(study.questions.all()[:2])
    answers = {(item, question): 3 for item in study.items.all()[:3] for question in questions}
    run = factories.make_judgments(judge, answers)
    items = [item.pk for item in study.items.all()[:2]]
    Judgment.objects.filter(run=run, question=questions[0]).update(lead=True)
    Judgment.objects.filter(run=run, item__in=items).update(
        state="unparsable", value=None, reason=Reason.CUT_OFF
    )
    return run


def test_replies_are_counted_and_the_field_is_named(judge, run):
    cut = cut_off_in(judge, run.judgments)
    assert (cut.replies, cut.label) == (2, "Most tokens of a reply")
    assert (cut.value, cut.more) == (600, 1200)


@pytest.mark.parametrize("name", ["run", "run_progress", "judge"])
def test_pages_offer_the_duplicate(as_owner, study, judge, run, name):
    pk = judge.pk if name == "judge" else run.pk
    page = as_owner.get(reverse(name, args=[study.slug, pk])).content.decode()
    assert "2 replies were cut off at the limit, so that they give no value." in page
    assert "The setting “Most tokens of a reply” is 600." in page
    address = reverse("judge_duplicate", args=[study.slug, judge.pk])
    assert f'href="{address}?max_tokens=1200"' in page and "Duplicate with 1,200" in page


def test_a_limit_cannot_be_passed(study):
    judge = factories.make_judge(study, "j", factories.make_endpoint(), max_tokens=90_000)
    run = factories.make_judgments(judge, {})
    Judgment.objects.create(
        run=run,
        item=study.items.first(),
        question=study.questions.first(),
        lead=True,
        state="unparsable",
        reason=Reason.CUT_OFF,
    )
    assert cut_off_in(judge, run.judgments).more == 100_000


def test_other_failures_and_judges_without_a_limit_say_nothing(as_owner, study, judge, run):
    Judgment.objects.filter(state="unparsable").update(reason=Reason.NO_JSON)
    assert cut_off_in(judge, run.judgments) is None
    page = as_owner.get(reverse("run", args=[study.slug, run.pk])).content.decode()
    assert 'id="cut-off"' not in page
    coin = factories.make_judge(study, "coin", kind="random")
    assert cut_off_in(coin, Judgment.objects.all()) is None
