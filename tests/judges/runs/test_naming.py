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


@pytest.mark.parametrize("state", ["done", "unparsable", "refused", "failed"])
@pytest.mark.parametrize("rival", ["llm", "imported"])
def test_a_new_prompt_after_results_of_another_judge_is_not_named(study, endpoint, rival, state):
    """A prompt that was tuned on what another judge answered is one of many that were tried."""
    first = factories.make_judge(study, "first", endpoint if rival == "llm" else None)
    better = factories.make_judge(study, "better", endpoint, temperature=0.7)
    file = factories.make_judge(study, "file")
    panel = factories.make_judge(study, "panel", kind="ensemble")
    panel.members.set([better, file])
    answer_once(first, study, "pending", None)
    for judge in (better, file, panel):
        assert why_not_named(judge) == "", "a planned run has shown nothing yet"
    answer_once(first, study, state, 3.0 if state == "done" else None)
    for judge in (better, file, panel):
        with pytest.raises(Refused, match=f"first has judged already, so that {judge} may have"):
            name_beforehand(judge)
    assert "the verdict counts the whole family" in why_not_named(better)
    assert not Judge.objects.filter(named_at__isnull=False).exists()


def test_what_another_study_saw_counts_there_only(study, endpoint):
    elsewhere = factories.make_study(slug="elsewhere")
    answer_once(factories.make_judge(elsewhere, "first"), elsewhere)
    name_beforehand(factories.make_judge(study, "careful", endpoint))


def test_judges_that_compute_count_against_their_own_kind_only(study, judge):
    dice = factories.make_judge(study, "dice", kind="random", seed=4)
    again = factories.make_judge(study, "again", kind="random", seed=5)
    bleu = factories.make_judge(study, "bleu", kind="bleu-4")
    answer_once(dice, study)
    assert why_not_named(judge) == "", "chance tells nothing that a prompt can be fitted to"
    assert why_not_named(bleu) == ""
    assert "dice, of the same kind, has judged already" in why_not_named(again)
    answer_once(judge, study)
    assert why_not_named(bleu) == "", "no result changes what BLEU computes"


def test_an_ensemble_is_chosen_among_judges_of_its_members_kinds(study):
    again = factories.make_judge(study, "again", kind="random", seed=5)
    bleu = factories.make_judge(study, "bleu", kind="bleu-4")
    panel = factories.make_judge(study, "panel", kind="ensemble")
    panel.members.set([again, bleu])
    answer_once(factories.make_judge(study, "rouge", kind="rouge-l"), study)
    assert why_not_named(panel) == ""
    answer_once(factories.make_judge(study, "dice", kind="random", seed=4), study)
    assert why_not_named(panel).startswith("dice has judged already")


def test_writing_profiles_is_no_judging(study, judge, endpoint):
    writer = factories.make_judge(study, "writer", endpoint, method="profile")
    run = Run.objects.create(judge=writer, state="finished")
    Judgment.objects.create(run=run, state="done", value=1.0)
    name_beforehand(judge)


def test_a_name_goes_to_no_judge_that_was_made_after_results(study, judge, endpoint):
    name_beforehand(judge)
    answer_once(factories.make_judge(study, "tried", endpoint), study)
    later = factories.make_judge(study, "later", endpoint)
    with pytest.raises(Refused, match="tried has judged already"):
        name_beforehand(later)
    judge.refresh_from_db()
    assert judge.named_at, "it was named before"


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
    later, other = (factories.make_judge(study, key) for key in ("later", "other"))
    answer_once(other, study)
    page = as_owner.get(reverse("judge", args=[study.slug, other.pk])).text
    assert "Name it for the verdict" not in page and "other has judgments already" in page
    refused = as_owner.post(reverse("judge_name", args=[study.slug, other.pk]), follow=True).text
    assert "before anybody can have seen what it answers" in refused
    page = as_owner.get(reverse("judge", args=[study.slug, later.pk])).text
    assert "Name it for the verdict" not in page and "other has judged already" in page


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
