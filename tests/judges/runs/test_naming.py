"""One judge of a study is named for the verdict before anybody can see what it answers."""

from datetime import UTC, datetime

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from annotate.models import Membership, StoppingPlan
from judges.files.study_file import study_yaml
from judges.models import Judge, Judgment, Run, StoppingPair
from judges.pages.forms import judge_form
from judges.prompting import fill, own
from judges.runs import plan
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


@pytest.fixture
def endpoint():
    return factories.make_endpoint()


def ran(judge, study):
    """Run the judge as far as freezing its settings, and let it answer once."""
    run = plan.plan(judge)
    item = Judgment.objects.filter(run=run).first()
    Judgment.objects.filter(pk=item.pk).update(state="done", value=3.0)
    return run


def test_a_copy_of_a_judge_that_answered_could_have_been_seen(study, endpoint):
    factories.make_item(study, "i1")
    first = factories.make_judge(study, "first", endpoint)
    copy = factories.make_judge(study, "copy", endpoint)
    plan.plan(first)
    assert why_not_named(copy) == "", "a planned run has shown nothing yet"
    Judgment.objects.filter(run__judge=first).update(state="done", value=3.0)
    with pytest.raises(Refused, match="first has the same settings and has judgments already"):
        name_beforehand(copy)
    endpoint.json_schema = not endpoint.json_schema
    endpoint.save()
    copy.refresh_from_db()
    assert why_not_named(copy).startswith("first has the same settings"), "only replies differ"
    other = factories.make_judge(study, "other", endpoint, temperature=0.7)
    assert why_not_named(other) == ""


def test_a_prompt_of_another_name_and_the_same_text_makes_no_other_judge(study, endpoint):
    factories.make_item(study, "i1")
    text = fill.load("explanation.v1").text
    for name in ("mine", "copied"):
        own.save_new(study, name, "questions", text, None)
    ran(factories.make_judge(study, "first", endpoint, prompt="own/mine.v1"), study)
    copy = factories.make_judge(study, "copy", endpoint, prompt="own/copied.v1")
    assert why_not_named(copy).startswith("first has the same settings")


def test_a_copy_that_computes_and_an_ensemble_of_copies_could_have_been_seen(study, endpoint):
    factories.make_item(study, "i1")
    ran(factories.make_judge(study, "dice", kind="random", seed=4), study)
    again = factories.make_judge(study, "again", kind="random", seed=4)
    assert why_not_named(again).startswith("dice has the same settings")
    assert why_not_named(factories.make_judge(study, "five", kind="random", seed=5)) == ""
    panel = factories.make_judge(study, "panel", kind="ensemble")
    panel.members.set([again, factories.make_judge(study, "other", endpoint)])
    assert why_not_named(panel).startswith("dice has the same settings of its member again")


def edit(client, judge, **changes):
    form = judge_form(judge.study, judge.kind, instance=judge, method=judge.method)
    values = {name: form[name].value() for name in form.fields} | changes
    data = {k: v for k, v in values.items() if v is not None and v is not False}
    address = reverse("judge_edit", args=[judge.study.slug, judge.pk])
    return client.post(address, data, follow=True)


def test_a_changed_setting_takes_the_name_back_and_a_new_word_for_the_judge_does_not(
    as_owner, study, endpoint
):
    judge = factories.make_judge(study, "careful", endpoint)
    name_beforehand(judge)
    judge.refresh_from_db()
    assert "Saved." in edit(as_owner, judge, key="cautious").text
    judge.refresh_from_db()
    assert (judge.key, judge.named_at is None) == ("cautious", False)
    shown = edit(as_owner, judge, temperature="0.3").text
    judge.refresh_from_db()
    assert (judge.settings.temperature, judge.named_at) == (0.3, None)
    assert "cautious is not named beforehand any more: its settings were changed." in shown


def test_an_ensemble_loses_its_name_when_a_member_changes(as_owner, study, endpoint):
    member = factories.make_judge(study, "member", endpoint)
    panel = factories.make_judge(study, "panel", kind="ensemble")
    panel.members.set([member, factories.make_judge(study, "other")])
    name_beforehand(panel)
    assert "panel is not named beforehand any more" in edit(as_owner, member, max_tokens="99").text
    panel.refresh_from_db()
    assert panel.named_at is None


def test_the_own_prompt_of_a_named_judge_is_changed_by_a_new_version_only(study, endpoint):
    prompt = own.save_new(study, "mine", "questions", fill.load("explanation.v1").text, None)
    name_beforehand(factories.make_judge(study, "careful", endpoint, prompt="own/mine.v1"))
    prompt.refresh_from_db()
    changed = own.save_version(prompt, prompt.text + " Be strict.", own.sha256(prompt.text), None)
    assert changed.key == "own/mine.v2"


def test_a_judge_of_the_stopping_plan_keeps_its_settings(as_owner, study, endpoint):
    judge = factories.make_judge(study, "careful", endpoint)
    sizes = {"planned": 60, "alpha": 0.05, "decisions": 1, "raters_per_item": 3, "seed": 1}
    fixed = StoppingPlan.objects.create(study=study, order=[], **sizes)
    StoppingPair.objects.create(plan=fixed, judge=judge, question=study.questions.first())
    response = edit(as_owner, judge, temperature="0.3")
    assert response.status_code == 422
    assert "careful stands in this study&#x27;s stopping plan" in response.text
    judge.refresh_from_db()
    assert judge.settings.temperature == 0
    assert "Saved." in edit(as_owner, judge, key="cautious").text


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
