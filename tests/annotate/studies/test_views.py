"""Study list, raters, settings, members: who sees and who may."""

import re

import pytest
from django.core.exceptions import ValidationError
from django.template.loader import render_to_string
from django.test import Client

from annotate.models import Membership, Study
from annotate.recruitment import more_raters
from annotate.recruitment.forms import PlatformForm
from annotate.sessions import session as sessions
from annotate.studies.forms_study import MemberForm, StudyForm
from judges.studies import delete
from tests import factories

pytestmark = pytest.mark.django_db


def login(user):
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def member(study, name, role):
    user = factories.make_user(name)
    Membership.objects.create(study=study, user=user, role=role)
    return user


def test_a_viewer_is_led_to_no_page_that_is_not_theirs(study):
    empty = factories.make_study("empty", items=0)
    for each in (study, empty):
        viewer = login(member(each, f"viewer-of-{each.slug}", "viewer"))
        page = viewer.get(f"/studies/{each.slug}/raters/").content.decode()
        for path in ("settings", "load", "bring"):
            assert f"/studies/{each.slug}/{path}/" not in page
        editor = login(member(each, f"editor-of-{each.slug}", "editor"))
        page = editor.get(f"/studies/{each.slug}/raters/").content.decode()
        for path in ("settings", "bring"):
            assert f"/studies/{each.slug}/{path}/" in page


def test_an_editor_changes_settings_but_not_members(study):
    editor = login(member(study, "ed", "editor"))
    form = {
        "title": "New title",
        "state": "closed",
        "items_per_session": 5,
        "hold_minutes": 30,
        "completion_code": "ABC",
    }
    assert editor.post("/studies/films/settings/", form).status_code == 302
    assert Study.objects.get().title == "New title"
    assert editor.post("/studies/films/settings/members/", {"username": "x"}).status_code == 404


def test_wrong_settings_come_back_with_what_is_wrong(as_owner, study):
    answer = as_owner.post("/studies/films/settings/", {"title": "", "items_per_session": 0})
    assert answer.status_code == 422
    assert "This field is required" in answer.content.decode()


def test_the_last_owner_stays(as_owner, study, owner):
    own = study.memberships.get(user=owner)
    as_owner.post(f"/studies/films/settings/members/{own.pk}/remove/")
    assert study.memberships.filter(pk=own.pk).exists()


def test_an_owner_adds_and_removes_a_member(as_owner, study):
    factories.make_user("new")
    as_owner.post("/studies/films/settings/members/", {"username": "new", "role": "viewer"})
    added = study.memberships.get(user__username="new")
    assert added.role == "viewer"
    as_owner.post(f"/studies/films/settings/members/{added.pk}/remove/")
    assert not study.memberships.filter(user__username="new").exists()


def test_adding_somebody_unknown_says_so(as_owner, study):
    answer = as_owner.post(
        "/studies/films/settings/members/", {"username": "nobody", "role": "viewer"}
    )
    assert answer.status_code == 422 and "no account nobody" in answer.content.decode()


def test_adding_a_member_twice_says_so_even_in_two_windows_at_once(as_owner, study):
    factories.make_user("new")
    given = {"username": "new", "role": "viewer"}
    first, second = MemberForm(study, given), MemberForm(study, given)
    assert first.is_valid() and second.is_valid()
    assert first.save() and not second.save()
    answer = as_owner.post("/studies/films/settings/members/", {**given, "role": "owner"})
    assert answer.status_code == 422 and "new already is a member" in answer.content.decode()
    assert study.memberships.get(user__username="new").role == "viewer"


@pytest.mark.parametrize("name", ["400", "403", "403_csrf", "404", "500"])
def test_error_pages_need_nothing_but_themselves(name):
    page = render_to_string(f"{name}.html")
    heading = re.search("<h1>(.+)</h1><p>(.+)</p><p>", page)[1]
    assert f"<title>{heading} · Concord</title>" in page


def test_what_happened_is_said_in_its_colour(as_owner, study, owner):
    own = study.memberships.get(user=owner)
    refused = as_owner.post(f"/studies/films/settings/members/{own.pk}/remove/", follow=True)
    assert '<div class="notice error"' in refused.content.decode()
    factories.make_user("new")
    given = {"username": "new", "role": "viewer"}
    done = as_owner.post("/studies/films/settings/members/", given, follow=True)
    assert '<div class="notice ok"' in done.content.decode()


def test_deleting_asks_for_the_name_and_takes_everything_along(as_owner, study):
    question = study.questions.first()
    session = factories.make_session(study)
    factories.make_rating(session, study.items.first(), question, 4)
    factories.make_judgments(factories.make_judge(study), {(study.items.first(), question): 3})
    assert as_owner.post("/studies/films/delete/", {"slug": "wrong"}).status_code == 422
    assert Study.objects.exists()
    assert as_owner.post("/studies/films/delete/", {"slug": "films"}).status_code == 302
    assert delete.delete_study(study.pk)
    assert not Study.objects.exists()


def test_the_list_of_studies_takes_the_same_queries_for_one_and_for_ten(
    as_owner, study, owner, django_assert_num_queries
):
    with django_assert_num_queries(3):
        as_owner.get("/")
    for number in range(9):
        factories.make_study(slug=f"s{number}", owner=owner, items=1)
    with django_assert_num_queries(3):
        assert as_owner.get("/").content.decode().count("<section") == 10


def test_the_raters_page_takes_few_queries(as_owner, study, django_assert_max_num_queries):
    for number in range(30):
        factories.make_session(study, key=f"r{number}")
    with django_assert_max_num_queries(13):
        assert "r29" in as_owner.get("/studies/films/raters/").content.decode()


def test_what_people_typed_is_shown_and_never_run(as_owner, study):
    bad = "<script>alert(1)</script>"
    factories.make_item(study, key="evil", text=bad, system=bad, recipient=bad, content=bad)
    Study.objects.update(title=bad, notice=bad)
    for path in ("", "items/", f"items/{study.items.get(key='evil').pk}/", "raters/"):
        page = as_owner.get(f"/studies/films/{path}").content.decode()
        assert bad not in page, path
        assert "&lt;script&gt;alert(1)" in page, path


@pytest.fixture
def as_operator(db):
    return login(factories.make_user("root", is_staff=True, is_superuser=True))


def test_raters_and_sessions_are_not_deleted_on_the_admin_pages(as_operator, study):
    session = factories.make_session(study)
    for path in (f"rater/{session.rater_id}", f"session/{session.pk}"):
        address = f"/admin/annotate/{path}"
        assert as_operator.get(f"{address}/change/").status_code == 200
        assert as_operator.post(f"{address}/delete/", {"post": "yes"}).status_code == 403
    assert study.sessions.exists()


def test_a_study_is_deleted_with_its_raters_on_the_admin_pages(as_operator, study):
    factories.make_session(study)
    as_operator.post(f"/admin/annotate/study/{study.pk}/delete/", {"post": "yes"})
    assert delete.delete_study(study.pk)
    assert not Study.objects.exists()


def test_the_administration_links_no_page_that_operators_may_not_see(as_operator, study):
    """An operator is a member of no study, so the page of one is not there for them."""
    page = as_operator.get(f"/admin/annotate/study/{study.pk}/change/").content.decode()
    assert "/history/" in page and "/admin/r/" not in page


def test_no_study_may_hide_the_page_that_makes_studies(as_operator, study):
    study.slug = "new"
    with pytest.raises(ValidationError, match="a page of its own"):
        study.full_clean()
    answer = as_operator.get(f"/admin/annotate/study/{study.pk}/change/")
    form = answer.context["adminform"].form
    given = {name: form[name].value() for name in form.fields} | {"slug": "new"}
    assert "slug" in form.__class__(given, instance=study).errors


SETTINGS = {
    "title": "Films",
    "state": "open",
    "items_per_session": 4,
    "hold_minutes": 60,
    "completion_code": "ABC",
}


def numbers(study):
    """{item: numbers of its places}"""
    found = {item.key: [] for item in study.items.all()}
    for item, number in study.places.order_by("number").values_list("item__key", "number"):
        found[item].append(number)
    return found


def test_more_raters_of_each_item_are_asked_for_on_the_page(as_owner, study):
    """Four items with three places each; gold items, those for practice and parts have none."""
    Study.objects.update(extra={"gold": [{"item": "item-0", "answers": {"accuracy": 5}}]})
    study.items.filter(key="item-1").update(is_practice=True)
    factories.make_item(study, "part", parent=study.items.get(key="item-2"))
    study.places.filter(item__key__in=["item-0", "item-1", "part"]).delete()
    page = as_owner.get("/studies/films/settings/").content.decode()
    assert "Raters of each item" in page and 'name="raters_per_item" value="3"' in page
    given = SETTINGS | {"raters_per_item": 5}
    assert as_owner.post("/studies/films/settings/", given).status_code == 302
    five = [1, 2, 3, 4, 5]
    assert numbers(study) == {
        "item-0": [],
        "item-1": [],
        "item-2": five,
        "item-3": five,
        "part": [],
    }
    assert Study.objects.get().raters_per_item == 5
    as_owner.post("/studies/films/settings/", SETTINGS)  # blank is as it was
    assert Study.objects.get().raters_per_item == 5


def test_of_fewer_raters_the_open_places_go_and_no_other(as_owner, owner, study):
    session = sessions.begin_visit(study, {}, consents=True)
    session.places.model.objects.filter(number__lt=3, item__key="item-0").update(state="filled")
    assert sessions.begin(session)  # of the first item it holds the third place
    more_raters.send(study, owner, [study.items.get(key="item-3").pk], 1)
    given = SETTINGS | {"raters_per_item": 1}
    assert as_owner.post("/studies/films/settings/", given).status_code == 302
    assert numbers(study) == {"item-0": [1, 2, 3], "item-1": [1], "item-2": [1], "item-3": [1, 4]}
    assert session.places.count() == 4
    as_owner.post("/studies/films/settings/", SETTINGS | {"raters_per_item": 2})
    assert numbers(study) == {
        "item-0": [1, 2, 3],
        "item-1": [1, 2],
        "item-2": [1, 2],
        "item-3": [1, 2, 4],
    }


@pytest.mark.parametrize("most, status", [(4, 422), (5, 302)])
def test_the_most_raters_are_more_than_what_is_asked_for_now(as_owner, study, most, status):
    given = SETTINGS | {"raters_per_item": 4, "raters_per_item_max": most}
    assert as_owner.post("/studies/films/settings/", given).status_code == status
    assert Study.objects.get().raters_per_item == (4 if status == 302 else 3)
    assert study.places.count() == (16 if status == 302 else 12)


def test_what_somebody_else_sets_meanwhile_stays(as_owner, study, monkeypatch):
    """Both pages keep a key among what others keep there."""
    checks = [{"key": "both"}]

    def as_somebody_sets_checks(form):
        Study.objects.update(extra=Study.objects.get().extra | {"attention": checks})
        return real(form)

    for page, form, given in (
        ("platform", PlatformForm, {"name": "prolific"}),
        ("", StudyForm, SETTINGS | {"pays_per_session": "2.5", "pay_currency": "CHF"}),
    ):
        Study.objects.update(extra={})
        real = form.is_valid
        with monkeypatch.context() as patched:
            patched.setattr(form, "is_valid", as_somebody_sets_checks)
            address = f"/studies/films/settings/{page and page + '/'}"
            assert as_owner.post(address, given).status_code == 302
        extra = Study.objects.get().extra
        assert extra.pop("attention") == checks and extra, page


def test_the_layout_is_chosen_on_the_settings_page_and_the_usual_one_is_not_kept(as_owner, study):
    for layout, kept in (("grid", "grid"), ("list", None)):
        assert (
            as_owner.post("/studies/films/settings/", SETTINGS | {"layout": layout}).status_code
            == 302
        )
        assert Study.objects.get().extra.get("layout") == kept
    assert (
        as_owner.post("/studies/films/settings/", SETTINGS | {"layout": "table"}).status_code == 422
    )


def test_the_surplus_goes_whichever_places_raters_have(as_owner, owner, study):
    """Of item-0 the first place came back and the third is filled; item-1 has one added by hand."""
    session = sessions.begin_visit(study, {}, consents=True)
    third = study.places.filter(item__key="item-0", number=3)
    third.update(state="filled", session=session, rater=session.rater)
    step = more_raters.send(study, owner, [study.items.get(key="item-1").pk], 1)
    as_owner.post("/studies/films/settings/", SETTINGS | {"raters_per_item": 1})
    assert numbers(study) == {"item-0": [3], "item-1": [1, 4], "item-2": [1], "item-3": [1]}
    as_owner.post("/studies/films/settings/", SETTINGS | {"raters_per_item": 4})
    assert {len(of_item) for of_item in numbers(study).values()} == {4, 5}
    more_raters.undo(step, owner)
    assert {len(of_item) for of_item in numbers(study).values()} == {4}


@pytest.mark.parametrize(
    ("language", "consent", "task"),
    [
        ("en", "This is a research study. Taking part is voluntary", "one text after the other"),
        ("zh-hans", "这是一项学术研究。参与完全自愿", "答案没有对错之分"),
    ],
)
def test_settings_show_what_raters_read_where_nothing_is_written(
    as_owner, study, language, consent, task
):
    Study.objects.update(language=language)
    page = as_owner.get("/studies/films/settings/").content.decode()
    usual = "<details open><summary>What raters read where this is empty</summary>"
    assert page.count(usual) == 2 and consent in page and task in page
    assert consent in as_owner.get("/join/films/").content.decode()
    Study.objects.update(consent="Own words.")
    page = as_owner.get("/studies/films/settings/").content.decode()
    assert page.count(usual) == 1 and consent in page


def test_settings_stand_in_groups_with_every_field_once_and_in_order(as_owner, study):
    form = StudyForm(instance=study)
    shown = [field.name for _, fields, _ in form.groups for field in fields]
    assert shown == list(form.fields)
    page = as_owner.get("/studies/films/settings/").content.decode()
    summaries = re.findall(r"<details( open)?><summary>([^<]+)</summary><div", page)
    assert summaries == [(" open" * is_open, legend) for legend, _, is_open in form.groups]
    names = re.findall(r'<(?:input|select|textarea)[^>]* ?name="(\w+)"', page)
    assert [name for name in names if name in shown] == shown


def test_a_group_of_settings_with_an_error_is_unfolded(as_owner, study):
    page = as_owner.post("/studies/films/settings/", {"delete_on": "yesterday"}).content.decode()
    assert "<details open><summary>What an ethics board asks for" in page
    assert "<details><summary>History, pictures and recordings</summary>" in page
