"""One judge of a study is named for the verdict before anybody can see what it answers."""

from datetime import UTC, datetime

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from annotate.models import Membership
from judges.files.study_file import study_yaml
from judges.models import Judge, Judgment, Run
from judges.runs.naming import Refused, name_beforehand, why_not_named
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def judge(study):
    return factories.make_judge(study, "careful")


def answer_once(judge, study, state="done", value=3.0):
    """A run in which the judge settled, or began, one judgment."""
    item = study.items.first() or factories.make_item(study, "i1")
    run = Run.objects.create(judge=judge, state="finished")
    Judgment.objects.create(
        run=run, item=item, question=study.questions.first(), state=state, value=value
    )


def test_a_judge_without_judgments_is_named_with_its_time(study, judge):
    before = datetime.now(UTC)
    name_beforehand(judge)
    judge.refresh_from_db()
    assert before <= judge.named_at <= datetime.now(UTC)
    kept = judge.named_at
    with pytest.raises(Refused, match="careful was named on"):
        name_beforehand(judge)
    judge.refresh_from_db()
    assert judge.named_at == kept


@pytest.mark.parametrize("state", ["done", "unparsable", "refused", "failed"])
def test_a_judge_that_answered_anything_is_refused_in_words(study, judge, state):
    answer_once(judge, study, state, 3.0 if state == "done" else None)
    with pytest.raises(Refused, match="careful has judgments already"):
        name_beforehand(judge)
    assert not Judge.objects.filter(named_at__isnull=False).exists()


def test_a_planned_run_has_shown_nothing_yet(study, judge):
    answer_once(judge, study, "pending", None)
    assert why_not_named(judge) == ""


def test_an_ensemble_of_judges_that_answered_could_have_been_seen(study, judge):
    other = factories.make_judge(study, "other")
    panel = factories.make_judge(study, "panel", kind="ensemble")
    panel.members.set([judge, other])
    assert why_not_named(panel) == ""
    answer_once(other, study)
    assert why_not_named(panel).startswith("panel has judgments already")


def test_a_study_names_one_judge_and_another_only_while_the_first_is_unseen(study, judge):
    other = factories.make_judge(study, "other")
    name_beforehand(judge)
    name_beforehand(other)
    named = Judge.objects.filter(study=study, named_at__isnull=False)
    assert list(named.values_list("key", flat=True)) == ["other"]
    answer_once(other, study)
    with pytest.raises(Refused, match="other was named on .* A study names one judge"):
        name_beforehand(judge)
    elsewhere = factories.make_judge(factories.make_study(slug="elsewhere"), "careful")
    name_beforehand(elsewhere)


def test_the_database_keeps_one_name_a_study(study, judge):
    name_beforehand(judge)
    factories.make_judge(study, "other")
    with pytest.raises(IntegrityError), transaction.atomic():
        Judge.objects.update(named_at=datetime.now(UTC))


def test_a_judge_that_answers_no_question_has_no_verdict_to_be_named_for(study):
    endpoint = factories.make_endpoint()
    writer = factories.make_judge(study, "writer", endpoint, method="profile")
    with pytest.raises(Refused, match="answers no question"):
        name_beforehand(writer)


def test_the_button_names_the_judge_and_is_gone_once_it_has_judged(as_owner, study, judge):
    page, name = (reverse(url, args=[study.slug, judge.pk]) for url in ("judge", "judge_name"))
    assert "Name it for the verdict" in as_owner.get(page).text
    shown = as_owner.post(name, follow=True).text
    assert "careful is named beforehand: the verdict tests it alone." in shown
    assert "before it had judged anything" in shown and "Name it for the verdict" not in shown
    other = factories.make_judge(study, "other")
    answer_once(other, study)
    page = as_owner.get(reverse("judge", args=[study.slug, other.pk])).text
    assert "Name it for the verdict" not in page and "other has judgments already" in page
    refused = as_owner.post(reverse("judge_name", args=[study.slug, other.pk]), follow=True).text
    assert "before anybody can have seen what it answers" in refused


def test_viewers_see_no_button_and_cannot_press_it(study, stranger, client, judge):
    Membership.objects.create(study=study, user=stranger, role=Membership.Role.VIEWER)
    client.force_login(stranger)
    page = client.get(reverse("judge", args=[study.slug, judge.pk])).text
    assert "Named beforehand" in page and "Name it for the verdict" not in page
    assert client.post(reverse("judge_name", args=[study.slug, judge.pk])).status_code == 404


def test_the_file_of_a_study_does_not_carry_the_name(study, judge):
    before = study_yaml(study)
    name_beforehand(judge)
    assert study_yaml(study) == before
