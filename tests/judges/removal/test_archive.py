"""An archived judge leaves lists and choices, and comes back as it was."""

import pytest
from django.urls import reverse

from judges.models import Judge, JudgeStep
from judges.pages.forms import judge_form
from judges.removal import archive, delete
from judges.runs.plan import PlanError
from judges.runs.resume import start
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def judge(study):
    return factories.make_judge(study, "careful", factories.make_endpoint())


@pytest.fixture
def run(judge, study):
    return factories.make_judgments(judge, {(study.items.first(), study.questions.first()): 4})


def path(name, *arguments):
    return reverse(name, args=arguments)


def test_it_leaves_the_lists_and_is_brought_back_by_a_press(as_owner, study, judge, run):
    page = as_owner.post(path("judge_archive", study.slug, judge.pk), follow=True)
    assert [row.key for row in page.context["archived"]] == ["careful"]
    assert page.context["judges"] == [] and "Bring back" in page.content.decode()
    assert list(as_owner.get(path("runs", study.slug)).context["page"]) == []
    own = as_owner.get(path("judge", study.slug, judge.pk)).content.decode()
    assert "This judge is archived" in own and "Bring it back" in own and 'id="run"' not in own
    page = as_owner.post(path("judge_bring_back", study.slug, judge.pk), follow=True)
    assert "careful is back" in page.content.decode()
    assert list(JudgeStep.objects.values_list("kind", flat=True)) == ["brought_back", "archived"]
    (shown,) = as_owner.get(path("runs", study.slug)).context["page"]
    assert shown == run


def test_it_cannot_be_run_or_chosen_for_an_ensemble_and_the_api_says_so(
    as_owner, owner, study, judge, run
):
    archive.archive(judge, owner)
    judge.refresh_from_db()
    with pytest.raises(PlanError, match="careful is archived. Bring it back first."):
        start(judge)
    form = judge_form(study, Judge.Kind.ENSEMBLE)
    assert not form.fields["members"].queryset.exists()
    rows = as_owner.get(f"/api/v1/studies/{study.slug}/judges/").json()["results"]
    assert [(row["judge"], row["archived"]) for row in rows] == [("careful", True)]


def test_exports_still_have_it_but_not_a_deleted_one(as_owner, owner, study, judge, run):
    address = path("export_table", study.slug, "judgments", "csv")
    whole = b"".join(as_owner.get(address).streaming_content)
    archive.archive(judge, owner)
    assert b"careful" in whole and b"".join(as_owner.get(address).streaming_content) == whole
    delete.delete(judge, owner, "a wrong file")
    assert b"careful" not in b"".join(as_owner.get(address).streaming_content)


def test_a_second_press_changes_nothing(owner, study, judge):
    archive.archive(judge, owner)
    since = Judge.objects.get().archived_at
    archive.archive(judge, owner)
    assert Judge.objects.get().archived_at == since and JudgeStep.objects.count() == 1


def test_the_page_of_judges_costs_as_many_queries_with_a_long_log(
    as_owner, owner, study, judge, django_assert_num_queries
):
    archive.archive(factories.make_judge(study, "j", kind="random"), owner)
    with django_assert_num_queries(QUERIES):
        as_owner.get(path("judges", study.slug))
    for number in range(12):
        archive.archive(factories.make_judge(study, f"j{number}", kind="random"), owner)
    with django_assert_num_queries(QUERIES):
        as_owner.get(path("judges", study.slug))


QUERIES = 9
