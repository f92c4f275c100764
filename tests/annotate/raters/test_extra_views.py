"""The rater's pages with extra screens over HTTP, their preview, and the word about time."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from annotate.design.minutes import pace_of
from annotate.models import Answer, Place, Rating, Screen, Session
from tests import factories
from tests.annotate.raters.test_preview import begun, normal, open_preview
from tests.annotate.raters.test_views import answers
from tests.annotate.sessions.test_screens import BOTH, DISAGREE, begin, set_gold

pytestmark = pytest.mark.django_db


def page_of(client, session, position):
    return client.get(f"/r/{session.token}/item/{position}/").content.decode()


def send(client, session, position, data, go="next"):
    """Send the page that stands at a position, with its hidden fields."""
    page = page_of(client, session, position)
    hidden = dict(re.findall(r'type="hidden" name="(item|screen|shown)" value="(\d*)"', page))
    return client.post(f"/r/{session.token}/item/{position}/", hidden | {"go": go, **data})


def test_a_walk_through_all_kinds_of_screens_counts_them_all(client, study):
    entries = [{"item": "item-0", "answers": {"accuracy": 5}}]
    set_gold(study, entries)
    session = begin(study, attention=[BOTH, DISAGREE], gold_per_session=1, repeats=1)
    kinds = dict(session.screens.among_items().values_list("position", "key"))
    for position in range(1, 8):
        page = client.get(f"/r/{session.token}/", follow=True).content.decode()
        assert f"Page {position} of 7" in page
        given = {"both": {"q0": ["A", "D"]}, "read": {"q0": "2"}}
        data = given.get(kinds.get(position, ""), answers(study))
        assert send(client, session, position, data).status_code == 303
    assert study.completion_code in client.get(f"/r/{session.token}/").content.decode()
    assert Rating.objects.count() == 12 == Rating.objects.for_analysis().count()
    assert Answer.objects.count() == 2 + 4 + 4
    assert Screen.objects.filter(kind="attention", passed=True).count() == 2
    assert Place.objects.filter(state="filled").count() == 3


def test_a_check_shows_boxes_says_what_is_missing_and_remembers(client, study):
    session = begin(study, attention=[BOTH])
    at = session.screens.among_items().get().position
    page = page_of(client, session, at)
    assert "Please choose both A and D." in page and page.count('type="checkbox"') == 4
    assert 'type="radio"' not in page and "checked" not in page
    refused = send(client, session, at, {})
    assert refused.status_code == 422 and "1 answer missing" in refused.content.decode()
    assert send(client, session, at, {"q0": ["A", "B"]}).status_code == 303
    page = page_of(client, session, at)
    assert re.findall(r'value="(.)" aria-keyshortcuts="." checked', page) == ["A", "B"]
    assert "Saved ✓" in page
    again = send(client, session, at, {})
    assert again.status_code == 422 and Answer.objects.get().text == "A | B"


def test_a_back_button_saves_what_is_there_and_asks_for_nothing(client, study):
    session = begin(study, attention=[BOTH])
    at = session.screens.among_items().get().position
    back = send(client, session, at, {}, go="back")
    assert back.url == f"/r/{session.token}/item/{at - 1}/"
    send(client, session, at, {"q0": "B"}, go="back")
    assert Answer.objects.get().text == "B"


def test_each_choice_is_saved_at_once(client, study):
    session = begin(study, attention=[BOTH, DISAGREE])
    for key, wrong, right in (("both", "Z", ["A", "D"]), ("read", "9", "2")):
        extra = session.screens.among_items().get(key=key)
        path = f"/r/{session.token}/screen/{extra.pk}/0/0/"
        assert path in page_of(client, session, extra.position)
        assert client.post(path, {"q0": wrong}).status_code == 422
        assert client.post(path, {}).status_code == 422
        assert "Saved ✓" in client.post(path, {"q0": right}).content.decode()
    assert set(Answer.objects.values_list("passed", flat=True)) == {True}


def test_a_gold_item_cannot_be_told_from_another(client, study):
    set_gold(study, [{"item": "item-0", "answers": {"accuracy": 5}}])
    session = begin(study, gold_per_session=1)
    extra, place = (
        session.screens.among_items().select_related("item").get(),
        session.places.first(),
    )
    pages = []
    for one in (extra, place):
        page = page_of(client, session, one.position)
        page = re.sub(r'name="shown" value="\d+"', "", page).replace(one.item.key, "KEY")
        # What stands at the first and the last position only.
        page = re.sub(r'<button.*?</button>|<p class="muted small hint".*?</p>', "", page)
        page = page.replace(f"/answer/{one.item_id}/", "/answer/ITEM/")
        page = page.replace(f"/time/{one.item_id}/", "/time/ITEM/")
        page = page.replace(f'name="item" value="{one.item_id}"', "ITEM")
        page = re.sub(r"about \d+ min left", "LEFT", page)
        before = one.position - 1
        page = page.replace(f'value="{before}" data-before="{before}"', "BEFORE")
        at = rf"(Page |/item/){one.position}\b"
        pages.append("".join(re.sub(at, "AT", page).split()))
    assert pages[0] == pages[1] and "gold" not in pages[0].lower()
    question = study.questions.first()
    path = f"/r/{session.token}/answer/{extra.item_id}/{question.pk}/"
    assert "Saved ✓" in client.post(path, {f"q{question.pk}": "3"}).content.decode()
    assert Answer.objects.get().item == extra.item and not Rating.objects.exists()


def test_a_repeat_is_shown_without_the_first_answers_and_saved_apart(client, study):
    session = begin(study, repeats=1)
    extra = session.screens.among_items().select_related("item").get()
    first = session.places.get(item=extra.item)
    send(client, session, first.position, answers(study, "5"))
    page = page_of(client, session, extra.position)
    assert extra.item.text in page and "checked" not in page
    question = study.questions.first()
    path = f"/r/{session.token}/screen/{extra.pk}/{extra.item_id}/{question.pk}/"
    assert path in page
    assert client.post(path, {f"q{question.pk}": "2"}).status_code == 200
    assert set(Rating.objects.values_list("value", flat=True)) == {5}
    assert Answer.objects.get().value == 2
    assert "checked" in page_of(client, session, extra.position)


def test_what_is_no_screen_of_the_session_is_not_saved(client, study):
    session = begin(study, attention=[BOTH], repeats=1)
    other = begin(factories.make_study("other", items=2), attention=[BOTH])
    theirs, repeat = (
        other.screens.among_items().get(),
        session.screens.among_items().get(kind="repeat"),
    )
    question = study.questions.first()
    elsewhere = study.items.exclude(pk=repeat.item_id).first()
    for path in (
        f"screen/{theirs.pk}/0/0/",
        f"screen/{repeat.pk}/{elsewhere.pk}/{question.pk}/",
        f"screen/{repeat.pk}/{repeat.item_id}/0/",
        "screen/0/0/0/",
        f"answer/{theirs.pk + 10**6}/{question.pk}/",
    ):
        assert client.post(f"/r/{session.token}/{path}", {"q0": "A"}).status_code == 409, path
    sent = client.post(f"/r/{session.token}/item/1/", {"screen": theirs.pk, "q0": "A"})
    assert sent["Location"] == f"/r/{session.token}/item/1/?lost=1"
    assert not (Answer.objects.exists() or Rating.objects.exists())


def test_two_tabs_keep_the_newest_answer_and_both_are_remembered(client, study):
    session = begin(study, attention=[BOTH])
    extra = session.screens.among_items().get()
    path = f"/r/{session.token}/screen/{extra.pk}/0/0/"
    client.post(path, {"q0": ["A", "D"]})
    send(client, session, extra.position, {"q0": ["B", "D"]})
    one = Answer.objects.get()
    assert (one.text, [old for old, _ in one.changes], one.passed) == ("B | D", ["A | D"], False)


def test_the_failure_that_was_set_leads_out_with_its_own_code(client, study):
    study.extra["platform"] = {"name": "none", "codes": {"failed_attention": "ATTN"}}
    session = begin(study, attention=[BOTH], attention_failures=1)
    at = session.screens.among_items().get().position
    client.post(f"/r/{session.token}/screen/{session.screens.get().pk}/0/0/", {"q0": "B"})
    assert Session.objects.get().state == "rating"
    out = send(client, session, at, {"q0": "B"})
    assert out.url == f"/r/{session.token}/"
    page = client.get(out.url).content.decode()
    assert Session.objects.get().state == "failed_attention" and "ATTN" in page
    assert study.completion_code not in page


def test_a_check_needs_few_queries(client, study, django_assert_max_num_queries):
    session = begin(study, attention=[BOTH] + [DISAGREE | {"key": f"k{n}"} for n in range(8)])
    extra = session.screens.among_items().get(key="both")
    pace_of(study)  # kept for five minutes
    with django_assert_max_num_queries(6):
        page_of(client, session, extra.position)
    with django_assert_max_num_queries(14):
        client.post(f"/r/{session.token}/screen/{extra.pk}/0/0/", {"q0": "A"})


# Minimum time


def leave(client, session, position, ago):
    place = Place.objects.get(session=session, position=position)
    shown = int((timezone.now() - timedelta(seconds=ago)).timestamp() * 1000)
    data = {"item": place.item_id, "shown": shown, "go": "next", **answers(session.study)}
    return client.post(f"/r/{session.token}/item/{position}/", data)


def test_who_hurries_is_asked_once_to_take_their_time(client, study):
    session = begin(study, minimum_seconds=10)
    slow = leave(client, session, 1, ago=11)
    assert slow.url.endswith("/item/2/")
    first = leave(client, session, 2, ago=3)
    assert first.status_code == 303 and first.url.endswith("/item/3/?pace=slow")
    assert "Please take your time" in client.get(first.url).content.decode()
    assert "Please take your time" not in page_of(client, session, 3)
    assert leave(client, session, 3, ago=3).url.endswith("/item/4/")
    assert Session.objects.get().hurried_at


def test_coming_back_to_an_item_and_going_on_is_no_hurry(client, study):
    session = begin(study, minimum_seconds=10)
    leave(client, session, 1, ago=11)
    assert leave(client, session, 1, ago=1).url.endswith("/item/2/")
    assert not Session.objects.get().hurried_at


def test_without_a_minimum_nobody_is_asked(client, study):
    session = begin(study)
    assert leave(client, session, 1, ago=1).url.endswith("/item/2/")


# Preview


def test_the_preview_shows_the_checks_as_raters_see_them(as_owner, client, study):
    session = begin(study, attention=[BOTH, DISAGREE | {"after": 1}])
    for key, position in (("both", 4), ("read", 2)):
        real = page_of(client, session, position)
        address = open_preview(as_owner, f"show=check-{key}")
        page = as_owner.get(address, follow=True).content.decode()
        assert normal(page, begun().token) == normal(real, session.token)
        assert f"Page {position} of 6" in page


def test_a_walk_through_the_preview_meets_the_checks_and_counts_nowhere(as_owner, study):
    study.extra |= {"attention": [BOTH], "repeats": 1}
    study.save()
    open_preview(as_owner)
    session = begun()
    for position in range(1, 7):
        is_check = (
            session.screens.among_items().filter(position=position, kind="attention").exists()
        )
        data = {"q0": ["A", "B"]} if is_check else answers(session.study)
        assert send(as_owner, session, position, data).status_code == 303
    session.refresh_from_db()
    assert session.state == "completed" and session.screens.among_items().count() == 2
    assert not Answer.objects.filter(screen__session__study=study).exists()
    assert not Session.objects.filter(study=study).exists()
