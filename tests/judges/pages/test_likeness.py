"""A judge is duplicated with one setting changed; the new page says by what the two differ."""

import pytest
from django.urls import reverse

from judges.models import Judge
from judges.pages.likeness import initial_of, likeness_of
from judges.values.settings import label_of
from tests import factories
from tests.judges.files.test_every_kind import ON_PAGES, as_sent, loaded, settings_of

pytestmark = pytest.mark.django_db
__all__ = ["loaded"]
# A setting of each kind that has one, and values that are allowed, as a form sends them.
OTHERS = {
    "max_tokens": ["999"],
    "language": ["en", "zh"],
    "against": ["reference", "review"],
    "seed": ["77"],
    "measure": ["ent_p", "ent_r"],
    "threshold": ["0.25", "0.75"],
}


def duplicate(as_owner, judge, query="", **changed):
    """Send the form of a duplicate as it is shown, but for what is changed."""
    address = reverse("judge_duplicate", args=[judge.study.slug, judge.pk]) + query
    shown = {field.html_name: as_sent(field) for field in as_owner.get(address).context["form"]}
    given = {name: value for name, value in shown.items() if value is not False} | changed
    answer = as_owner.post(address, given)
    assert answer.status_code == 302, answer.context["form"].errors
    return Judge.objects.get(study=judge.study, key=given["key"])


@pytest.mark.parametrize("case", ON_PAGES)
def test_a_duplicate_of_every_kind_differs_by_its_name_alone(loaded, as_owner, case):
    judge = Judge.objects.get(study=loaded, key=case)
    twin = duplicate(as_owner, judge)
    assert twin.key == f"{case}-2" and twin.like == judge
    kept = settings_of(case, loaded)
    assert settings_of(twin.key, loaded) == kept | {"like_id": judge.pk}
    assert likeness_of(twin).differences == []


@pytest.mark.parametrize("case", ON_PAGES)
def test_one_setting_of_every_kind_is_changed_and_no_other(loaded, as_owner, case):
    judge = Judge.objects.get(study=loaded, key=case)
    names = [name for name in OTHERS if name in judge.settings_class.names()]
    if not names:
        changed = {"rule": "median"} if case == "ensemble" else {}
        twin = duplicate(as_owner, judge, **changed)
        assert len(likeness_of(twin).differences) == len(changed)
        return
    name, before = names[0], judge.settings.stored
    value = next(value for value in OTHERS[name] if value != str(before[name]))
    twin = duplicate(as_owner, judge, **{name: value})
    after = twin.settings.stored
    assert str(after.pop(name)) == value and before.pop(name) is not None and after == before
    (difference,) = likeness_of(twin).differences
    assert difference.label == label_of(judge.settings_class, name)


def test_its_page_says_what_differs(as_owner, study):
    judge = factories.make_judge(study, "gpt-small", factories.make_endpoint())
    twin = duplicate(as_owner, judge, max_tokens="512")
    page = as_owner.get(reverse("judge", args=[study.slug, twin.pk])).content.decode()
    assert ">gpt-small</a>, but most tokens of a reply <strong>512</strong> (there 400)." in page
    again = duplicate(as_owner, twin)
    assert again.key == "gpt-small-3"
    page = as_owner.get(reverse("judge", args=[study.slug, again.pk])).content.decode()
    assert ">gpt-small-2</a> in every setting." in page


def test_a_setting_in_the_address_is_filled_in_and_shown_at_once(as_owner, study):
    judge = factories.make_judge(study, "gpt-small", factories.make_endpoint())
    address = reverse("judge_duplicate", args=[study.slug, judge.pk])
    form = as_owner.get(f"{address}?max_tokens=800&no_such=1&key=other").context["form"]
    assert [field.name for field in form.opened] == ["key", "max_tokens"]
    assert form["max_tokens"].value() == "800" and form["key"].value() == "gpt-small-2"
    twin = duplicate(as_owner, judge, "?max_tokens=800")
    assert twin.settings == judge.settings.changed(max_tokens=800)


def test_the_frozen_judge_stays_and_its_duplicate_is_not_frozen(as_owner, study):
    judge = factories.make_judge(study, "gpt-small", factories.make_endpoint())
    Judge.objects.filter(pk=judge.pk).update(settings_hash="ab" * 32)
    twin = duplicate(as_owner, judge, max_tokens="512")
    judge.refresh_from_db()
    assert judge.is_frozen and judge.settings.max_tokens == 400 and not twin.is_frozen


def test_an_imported_judge_cannot_be_duplicated(as_owner, study):
    judge = factories.make_judge(study, "file")
    page = as_owner.get(reverse("judge", args=[study.slug, judge.pk])).content.decode()
    assert ">Duplicate</a>" not in page
    assert as_owner.get(reverse("judge_duplicate", args=[study.slug, judge.pk])).status_code == 404


@pytest.mark.parametrize(
    ("taken", "name", "free"),
    [
        (["a"], "a", "a-2"),
        (["a", "a-2"], "a", "a-3"),
        (["a", "a-2"], "a-2", "a-3"),
        (["gpt-4"], "gpt-4", "gpt-4-2"),
        (["gpt", "gpt-4"], "gpt-4", "gpt-5"),
        (["b"], "a", "a"),
    ],
)
def test_the_next_free_name(study, taken, name, free):
    for key in taken:
        factories.make_judge(study, key)
    assert Judge.objects.filter(study=study).free_name(name) == free


def test_a_name_is_never_too_long(study):
    judge = factories.make_judge(study, "x" * 200)
    assert initial_of(judge)["key"] == "x" * 190 + "-2"
