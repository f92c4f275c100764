"""Ensembles: made on a page or in study.yaml, changed at any time, never run."""

import pytest
from django.urls import reverse

from judges.models import Judge
from judges.runs import plan, resume
from tests import factories
from tests.files import ITEMS, JUDGMENTS, STUDY, load, messages

pytestmark = pytest.mark.django_db


@pytest.fixture
def two(study):
    return [factories.make_judge(study, name) for name in ("a", "b")]


def send(client, study, judges, at=None, **fields):
    at = at or reverse("judge_new", args=[study.slug]) + "?kind=ensemble"
    sent = {"key": "panel", "rule": "median", "members": [judge.pk for judge in judges]}
    return client.post(at, sent | fields)


def test_it_is_made_and_changed_by_the_form(as_owner, study, two):
    assert send(as_owner, study, two).status_code == 302
    panel = Judge.objects.get(key="panel")
    assert (panel.kind, panel.rule, [*panel.members.all()]) == ("ensemble", "median", two)
    third = factories.make_judge(study, "c", kind=Judge.Kind.BLEU_4)
    edit = reverse("judge_edit", args=[study.slug, panel.pk])
    assert send(as_owner, study, [two[0], third], edit, rule="mean").status_code == 302
    panel.refresh_from_db()
    assert (panel.rule, [*panel.members.all()]) == ("mean", [two[0], third])
    page = as_owner.get(reverse("judge", args=[study.slug, panel.pk])).content.decode()
    assert "do not weigh alike. Here they are that of each question; 0 to 100." in page
    assert "None of them has judged anything yet." in page


def test_members_on_one_scale_need_no_warning(as_owner, study, two):
    rouge = [factories.make_judge(study, kind, kind=kind) for kind in ("rouge-1", "rouge-l")]
    for number, members in enumerate((two, rouge)):
        panel = factories.make_judge(study, f"panel {number}", kind=Judge.Kind.ENSEMBLE)
        panel.members.set(members)
        page = as_owner.get(reverse("judge", args=[study.slug, panel.pk])).content.decode()
        assert "do not weigh alike" not in page


def test_one_member_is_no_ensemble(as_owner, study, two):
    answer = send(as_owner, study, two[:1])
    assert answer.status_code == 422
    assert "Choose two judges or more." in answer.content.decode()
    assert send(as_owner, study, []).status_code == 422


def test_members_are_judges_of_the_study_and_no_ensembles(as_owner, owner, study, two):
    foreign = factories.make_judge(factories.make_study("other", owner), "c")
    assert send(as_owner, study, [two[0], foreign]).status_code == 422
    send(as_owner, study, two)
    panel = Judge.objects.get(key="panel")
    assert send(as_owner, study, [two[0], panel], key="second").status_code == 422
    edit = reverse("judge_edit", args=[study.slug, panel.pk])
    assert send(as_owner, study, [two[0], panel], edit).status_code == 422


def test_it_is_never_run(as_owner, study, two):
    send(as_owner, study, two)
    panel = Judge.objects.get(key="panel")
    with pytest.raises(plan.PlanError, match="Run its members instead"):
        resume.start(panel)
    assert as_owner.post(reverse("judge_run", args=[study.slug, panel.pk])).status_code == 404


def test_a_list_with_ensembles_takes_few_queries(
    as_owner, study, two, django_assert_max_num_queries
):
    for number in range(5):
        panel = factories.make_judge(study, f"panel {number}", kind=Judge.Kind.ENSEMBLE)
        panel.members.set(two)
    for name, more in (("judges", []), ("judge", [panel.pk])):
        with django_assert_max_num_queries(12):
            as_owner.get(reverse(name, args=[study.slug, *more]))


# study.yaml

PANEL = """\
judges:
  - {judge: R, kind: random}
  - {judge: panel, kind: ensemble, members: [R, a judge], rule: majority}
"""


def put(tmp_path, text=PANEL):
    judgments = JUDGMENTS.replace("BLEU", "a judge")
    return load(tmp_path, study=STUDY + text, items=ITEMS, judgments=judgments)


def test_members_may_stand_in_either_file(tmp_path):
    assert messages(put(tmp_path)) == []
    panel = Judge.objects.get(key="panel")
    assert (panel.kind, panel.rule) == ("ensemble", "majority")
    assert {judge.key for judge in panel.members.all()} == {"R", "a judge"}
    again = put(tmp_path)
    assert (again.counts["judges"].unchanged, again.counts["judges"].changed) == (2, 0)


def test_it_may_change_at_any_time(tmp_path):
    put(tmp_path)
    more = PANEL.replace("[R, a judge]", "[R, a judge, B]").replace(
        "  - {judge: p", "  - {judge: B, kind: bleu-1}\n  - {judge: p"
    )
    loading = put(tmp_path, more)
    assert messages(loading) == []
    assert loading.counts["judges"].changed == 1
    assert Judge.objects.get(key="panel").members.count() == 3
    put(tmp_path, more.replace("majority", "mean"))
    assert Judge.objects.get(key="panel").rule == "mean"


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("[R, a judge]", "[R, robot]", "column judges.members: found 'robot' in 'panel'; judges"),
        ("[R, a judge]", "[R, panel]", "found 'panel' in 'panel'; judges that can be members: R"),
        ("[R, a judge]", "[R]", "expected is a list of two different judges or more"),
        ("[R, a judge]", "[R, R]", "expected is a list of two different judges or more"),
        ("[R, a judge]", "R", "expected is a list of two different judges or more"),
        (", members: [R, a judge]", "", "expected is a list of two different judges or more"),
        ("majority", "best", "allowed is mean, median, majority, learned"),
        ("rule: majority", "seed: 1", "is not a known key of kind ensemble; allowed are judge, "),
    ],
)
def test_a_bad_ensemble_is_named(tmp_path, old, new, message):
    loading = put(tmp_path, PANEL.replace(old, new))
    assert message in messages(loading)[0]
    assert not Judge.objects.exists()


def test_judgments_of_a_file_are_no_ensembles(tmp_path):
    put(tmp_path)
    loading = load(tmp_path, judgments="item,judge,question,value\ne1,panel,,1\n")
    assert "found 'panel', which is a judge of this study that is not" in messages(loading)[0]
