"""The live part of the overview: its numbers by hand, in few queries."""

from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse

from analysis.overview import live
from annotate.models import Content, Item, MissingMedia, Place, Session, Study
from judges.models import Run
from tests import factories
from tests.analysis.small import make_rated_study

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 5, 6, 14, 20, tzinfo=UTC)  # a Wednesday
LIVE = "/studies/films/live/"


def visit(study, key, state="completed", minutes=10, source="web", **fields):
    """A session that ended, or was last seen, at NOW."""
    session = factories.make_session(study, key, state=state, source=source, **fields)
    times = {"started_at": NOW - timedelta(minutes=minutes), "last_seen_at": NOW}
    times["ended_at"] = NOW if state in Session.OVER else None
    Session.objects.filter(pk=session.pk).update(**times)
    return session


def fill(study, session, ago, items=1, first=0):
    """Places of that session, each filled by an answer that long ago."""
    for item in study.items.order_by("pk")[first : first + items]:
        place = item.places.filter(state="open").first()
        Place.objects.filter(pk=place.pk).update(
            state="filled", session=session, rater=session.rater, position=1
        )
        factories.make_rating(session, item, study.questions.first(), 4, answered_at=NOW - ago)


def seen(study):
    return live.context(study, NOW)


# Sessions


def test_the_median_time_is_of_completed_visits_by_the_open_link(study):
    assert (seen(study)["timed"], seen(study)["median_time"]) == (0, None)
    for number, minutes in enumerate((2, 10, 3)):
        visit(study, f"r{number}", minutes=minutes)
    visit(study, "link", minutes=9_000, source="link")
    visit(study, "file", minutes=9_000, source="file")
    visit(study, "gone", minutes=9_000, state="abandoned", stopped_in="rating")
    assert (seen(study)["timed"], seen(study)["median_time"]) == (3, 180)
    visit(study, "r4", minutes=4)
    assert (seen(study)["timed"], seen(study)["median_time"]) == (4, 210)


def test_visits_stop_on_screens_in_the_order_of_the_visit(study):
    visit(study, "a", "declined", stopped_in="consent")
    visit(study, "b", "abandoned", stopped_in="instructions")
    visit(study, "c", "abandoned", stopped_in="rating", current=3)
    visit(study, "d", "returned", stopped_in="rating", current=3)
    visit(study, "e", "screened_out", stopped_in="rating", current=1)
    visit(study, "f", "rating", current=3)
    visit(study, "g", "instructions")
    visit(study, "h", "abandoned")  # from before it was kept
    visit(study, "i", "declined")
    visit(study, "j", "completed")
    visit(study, "k", "completed", source="file")
    visit(study, "l", "consent", source="link")  # nobody has used it
    found = seen(study)
    assert found["dropouts"] == [
        ("Reads the consent", 2, 0),
        ("Reads the instructions", 1, 1),
        ("Item 1", 1, 0),
        ("Item 3", 2, 1),
        ("Not known", 1, 0),
    ]
    assert found["stopped"] == 7
    assert ("Completed", 2) in found["sessions"] and ("Declined consent", 2) in found["sessions"]


def test_a_state_that_is_added_gets_a_row_of_its_own(study):
    """Whatever states a session may have: the table knows only that raters at work have an item."""
    for state in Session.State.values:
        if state not in ("rating", "completed"):
            visit(study, f"x-{state}", "abandoned", stopped_in=state)
    labels = [Session.State(state).label for state in Session.State.values]
    expected = [label for label in labels if label not in ("Rates", "Completed")]
    assert [name for name, *_ in seen(study)["dropouts"]] == expected


def test_devices_and_browsers_are_counted(study):
    visit(study, "a", device="phone", browser="Safari")
    visit(study, "b", device="phone", browser="Chrome")
    visit(study, "c", device="desktop", browser="Chrome")
    visit(study, "d")
    assert seen(study)["devices"] == [("phone", 2), ("desktop", 1)]
    assert seen(study)["browsers"] == [("Chrome", 2), ("Safari", 1)]


# When it is ready


@pytest.fixture
def long_study(owner):
    """A hundred items with one place each."""
    return factories.make_study(owner=owner, items=100, raters_per_item=1)


def test_the_rate_of_the_last_hours_says_when_it_is_ready(long_study):
    """20 places since 11:00, at 14:20: 6 an hour; 80 are left: 13 h 20 min, so 3:40."""
    fill(long_study, visit(long_study, "ann"), timedelta(minutes=90), 20)
    forecast = seen(long_study)["forecast"]
    assert forecast.per_hour == pytest.approx(6)
    assert forecast.finished_at == datetime(2026, 5, 7, 3, 40, tzinfo=UTC)


def test_a_slow_study_is_told_by_the_hour_from_the_whole_day(long_study):
    """10 places since 15:00 yesterday: 23 h 20 min; 90 left: 8.75 days and so on, rounded up."""
    fill(long_study, visit(long_study, "ann"), timedelta(hours=10), 10)
    forecast = seen(long_study)["forecast"]
    assert forecast.per_hour == pytest.approx(10 / (23 + 1 / 3))
    # 90 / 10 * 23.3333 h = 210 h = 8 days 18 h, from 14:20: 8:20, told as 9:00.
    assert forecast.finished_at == datetime(2026, 5, 15, 9, 0, tzinfo=UTC)


def test_it_cannot_be_said_and_why(long_study, owner):
    assert "fewer than 5 places" in seen(long_study)["forecast"].reason
    fill(long_study, visit(long_study, "ann"), timedelta(minutes=5), 4)
    assert "fewer than 5 places" in seen(long_study)["forecast"].reason
    Place.objects.filter(item__key="item-0").update(state="filled")
    long_study.state = "closed"
    assert seen(long_study)["forecast"].reason == "the study is closed for raters"
    Place.objects.update(state="filled")
    assert seen(long_study)["forecast"].reason == "all places are filled"
    assert "no places yet" in seen(factories.make_study("empty", owner))["forecast"].reason


def test_a_date_far_off_is_not_given(owner):
    study = factories.make_study(owner=owner, items=12, raters_per_item=1000)
    fill(study, visit(study, "ann"), timedelta(hours=12), 5)
    assert "more than 90 days" in seen(study)["forecast"].reason


def test_loaded_and_older_answers_are_no_present_rate(long_study):
    fill(long_study, visit(long_study, "ann", source="file"), timedelta(minutes=5), 10)
    fill(long_study, visit(long_study, "bob"), timedelta(hours=30), 10, first=10)
    assert seen(long_study)["bars"] == [] and seen(long_study)["forecast"].finished_at is None


def test_the_chart_counts_a_place_in_the_hour_of_its_last_answer(long_study):
    ann = visit(long_study, "ann")
    fill(long_study, ann, timedelta(minutes=10), 3)
    fill(long_study, ann, timedelta(minutes=70), 6, first=3)
    item = long_study.items.order_by("pk").first()
    for question in long_study.questions.all()[1:]:
        factories.make_rating(ann, item, question, 4, answered_at=NOW - timedelta(hours=5))
    found = seen(long_study)["bars"]
    assert len(found) == 24
    assert [(bar.hour.hour, bar.count, bar.height) for bar in found[-2:]] == [
        (13, 6, 10),
        (14, 3, 5),
    ]
    assert sum(bar.count for bar in found) == 9


def test_a_pair_is_filled_by_answers_about_its_parts(owner):
    study = factories.make_study(owner=owner, raters_per_item=1)
    pair = factories.make_item(study, "pair", content=None, kind="list_pair")
    part = factories.make_item(study, "part", parent=pair, side="A", kind="recommendation")
    part.places.all().delete()
    session = visit(study, "ann")
    pair.places.update(state="filled", session=session, rater=session.rater)
    factories.make_rating(session, part, study.questions.first(), 4, answered_at=NOW)
    assert seen(study)["filled_lately"] == 1


# What needs attention


def sentences(study):
    return [sentence for sentence, _ in seen(study)["attention"]]


def test_what_needs_attention(study):
    assert sentences(study) == []
    Content.objects.update(image_url="upload:no.png", audio_url="https://x.org/a.mp3")
    MissingMedia.objects.create(
        study=study,
        content=Content.objects.get(),
        kind="audio",
        address="https://x.org/a.mp3",
        first_at=NOW,
        last_at=NOW,
    )
    session = visit(study, "ann", "failed_attention", stopped_in="rating")
    Place.objects.filter(item__key="item-0", number=1).update(
        state="held", session=session, rater=session.rater
    )
    study.state = Study.State.CLOSED
    assert sentences(study) == [
        "1 session failed the attention checks",
        "1 picture named, but not uploaded",
        "1 recording could not be loaded",
        "The study is closed, and raters at work hold 1 place",
    ]


def test_a_run_that_its_account_stopped(study):
    """A check for drift says so on its own page; nobody has to resume one."""
    judge = factories.make_judge(study, "judge")
    run = Run.objects.create(judge=judge, state=Run.State.STOPPED)
    said = "A run was stopped before its end: its page says why"
    assert sentences(study) == [said]
    run.state = Run.State.FINISHED
    run.save()
    Run.objects.create(judge=judge, state=Run.State.STOPPED, checked=run)
    assert sentences(study) == []


def test_places_that_no_worker_opens_are_said(study):
    """The study holds places for an hour; the sweep of a worker comes every minute."""
    session = visit(study, "ann", "rating")
    Place.objects.filter(number=1).update(state="held", session=session, rater=session.rater)
    words = "4 places held by raters who are gone: no worker opens them"
    for minutes, is_said in ((59, False), (64, False), (66, True)):
        Session.objects.update(last_seen_at=NOW - timedelta(minutes=minutes))
        assert (words in sentences(study)) is is_said
    visit(study, "bob", "rating")
    assert words not in sentences(study)


def test_a_day_without_anybody_is_said_while_places_are_open(study):
    session = visit(study, "ann")
    Session.objects.filter(pk=session.pk).update(last_seen_at=NOW - timedelta(hours=25))
    assert sentences(study) == ["Nobody has been here for a day; open: 12 places"]
    Session.objects.filter(pk=session.pk).update(last_seen_at=NOW - timedelta(hours=23))
    assert sentences(study) == []
    Session.objects.update(last_seen_at=NOW - timedelta(hours=25))
    Place.objects.update(state="filled")
    assert sentences(study) == []


# The page


def test_the_fragment_is_sent_only_where_something_changed(study, as_owner):
    page = as_owner.get("/studies/films/")
    seen = page.context["seen"]
    assert f'hx-get="{LIVE}?seen={seen}"' in page.content.decode()
    assert 'hx-trigger="every 5s"' in page.content.decode()
    assert as_owner.get(LIVE, {"seen": seen}).status_code == 204
    visit(study, "ann", "rating")
    changed = as_owner.get(LIVE, {"seen": seen})
    assert changed.status_code == 200 and changed.context["seen"] != seen
    text = changed.content.decode()
    assert 'hx-swap-oob="innerHTML:#live-line"' in text and text.count("aria-live") == 0
    assert as_owner.get(LIVE, {"seen": changed.context["seen"]}).status_code == 204


def test_the_page_is_whole_without_javascript(study, as_owner):
    fill(study, visit(study, "ann"), timedelta(0), 2)
    text = as_owner.get("/studies/films/").content.decode()
    assert "2 of 12 places filled, 0 held by raters at work, 10 open" in text
    assert "cannot be said: fewer than 5 places" in text
    assert text.count('aria-live="polite"') == 1


def test_the_fragment_takes_the_same_few_queries_however_large(
    owner, as_owner, django_assert_num_queries
):
    study = make_rated_study(owner)
    for number in range(12):
        visit(study, f"v{number}", "abandoned", stopped_in="rating", current=number + 1)
        visit(study, f"w{number}")
    with django_assert_num_queries(11):
        as_owner.get(LIVE)


def test_a_pair_of_lists_shows_what_it_lists_and_its_parts_lead_back(study, as_owner):
    pair = factories.make_item(study, "pair", content=None, kind="list_pair")
    for side, position, title in (("B", 1, "Last"), ("A", 2, "Second"), ("A", 1, "First")):
        fields = {"kind": "recommendation", "parent": pair, "side": side, "position": position}
        part = factories.make_item(study, title.lower(), content=title, **fields)
    listed = as_owner.get("/studies/films/items/").content.decode()
    assert "A: First · Second<br>B: Last" in listed
    page = as_owner.get(f"/studies/films/items/{pair.pk}/").content.decode()
    assert page.index("First") < page.index("Second") < page.index("List B") < page.index("Last")
    page = as_owner.get(f"/studies/films/items/{part.pk}/").content.decode()
    assert ">pair</a>, list A" in page


# Items by their places


@pytest.fixture
def by_places(study):
    """item-0 all filled, item-1 one held, item-2 one filled, item-3 open; and a part."""
    session = factories.make_session(study, "ann", state="rating", source="web")
    Place.objects.filter(item__key="item-0").update(state="filled")
    Place.objects.filter(item__key="item-1", number=1).update(
        state="held", session=session, rater=session.rater
    )
    Place.objects.filter(item__key="item-2", number=1).update(state="filled")
    return study


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ("", ["item-0", "item-1", "item-2", "item-3"]),
        ("places=filled", ["item-0"]),
        ("places=held", ["item-1"]),
        ("places=open", ["item-1", "item-2", "item-3"]),
        ("places=no-such", []),
        ("order=most+open", ["item-3", "item-1", "item-2", "item-0"]),
        ("order=most+filled", ["item-0", "item-2", "item-1", "item-3"]),
        ("order=no-such", ["item-0", "item-1", "item-2", "item-3"]),
    ],
)
def test_items_by_their_places(by_places, as_owner, query, keys):
    response = as_owner.get(f"/studies/films/items/?{query}")
    assert [item.key for item, *_ in response.context["rows"]] == keys


def test_each_item_says_its_places_and_a_part_has_none(by_places, as_owner):
    whole = Item.objects.get(key="item-3")
    factories.make_item(by_places, "part", parent=whole).places.all().delete()
    rows = as_owner.get(reverse("items", args=["films"])).context["rows"]
    assert [places for *_, places in rows] == [
        {"filled": 3, "held": 0, "open": 0},
        {"filled": 0, "held": 1, "open": 2},
        {"filled": 1, "held": 0, "open": 2},
        {"filled": 0, "held": 0, "open": 3},
        None,
    ]
