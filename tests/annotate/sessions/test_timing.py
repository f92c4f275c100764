"""How long raters look at items: what a page may say, what is added up, and what leaves."""

import csv
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.utils import timezone

from annotate.models import ItemTime, Place, Session
from annotate.sessions import browsers, places, timing
from tests import factories
from tests.annotate.raters.test_views import answers, begin, join, post_item

pytestmark = pytest.mark.django_db
ONE, TWO = "view-number-1", "view-number-2"


def said(view=ONE, active="10.5", idle="4.25"):
    return {"view": view, "active": active, "idle": idle}


@pytest.fixture
def token(client, study):
    """A session that began an hour ago and rates."""
    token = begin(client, study)
    Session.objects.update(started_at=timezone.now() - timedelta(hours=1))
    return token


def item_of(token, position=1):
    return Place.objects.get(session__token=token, position=position).item_id


def report(client, token, position=1, **fields):
    return client.post(f"/r/{token}/time/{item_of(token, position)}/", said(**fields))


def stored():
    return [(time.active_seconds, time.idle_seconds) for time in ItemTime.objects.order_by("pk")]


def test_the_leaving_form_brings_the_times_of_its_item(client, study, token):
    post_item(client, token, 1, answers(study) | said())
    assert stored() == [(10.5, 4.25)]
    assert ItemTime.objects.get().item_id == item_of(token)


def test_without_javascript_there_is_no_time_rather_than_none_spent(client, study, token):
    post_item(client, token, 1, answers(study))
    assert stored() == []
    row = exported("sessions")[0]
    assert (row["active_seconds"], row["idle_seconds"]) == ("", "")


@pytest.mark.parametrize(
    "fields",
    [
        {"active": "-1"},
        {"active": "nan"},
        {"idle": "inf"},
        {"idle": "86401"},
        {"active": "x"},
        {"active": ""},
        {"view": ""},
        {"view": "short"},
        {"view": "x" * 41},
        {"view": "a b<c>d e"},
    ],
)
def test_nonsense_counts_nothing_and_loses_no_answer(client, study, token, fields):
    assert post_item(client, token, 1, answers(study) | said(**fields)).status_code == 303
    assert report(client, token, **fields).status_code == 204
    assert stored() == []
    assert Session.objects.get().ratings.count() == 4


def test_what_is_sent_twice_counts_once_and_grows_with_the_page(client, token):
    for _ in range(3):
        report(client, token)
    assert stored() == [(10.5, 4.25)]
    Session.objects.update(started_at=timezone.now() - timedelta(hours=1, seconds=11))
    report(client, token, active="20", idle="5")
    assert stored() == [(20.0, 5.0)]
    report(client, token, active="3", idle="1")  # it was overtaken on its way
    assert stored() == [(20.0, 5.0)]


def test_a_reload_and_a_return_add_up():
    views = timing.with_report([], timing.Report(ONE, 10, 5), age=100)
    views = timing.with_report(views, timing.Report(TWO, 7, 0), age=200)
    assert timing.sums(views) == (17, 5)


def test_two_tabs_open_at_once_count_once():
    """Tab one from second 40 to 100, active throughout; tab two from 50 to 101, hidden mostly."""
    views = timing.with_report([], timing.Report(ONE, 60, 0), age=100)
    views = timing.with_report(views, timing.Report(TWO, 10, 41), age=101)
    assert timing.sums(views) == (61, 0)
    views = timing.with_report([], timing.Report(ONE, 20, 40), age=100)
    views = timing.with_report(views, timing.Report(TWO, 10, 41), age=101)
    assert timing.sums(views) == (30, 31)


def test_nothing_is_longer_than_the_session(client, token):
    Session.objects.update(started_at=timezone.now() - timedelta(seconds=60))
    report(client, token, active="5000", idle="5000")
    assert stored() == [(pytest.approx(60, abs=5), 0.0)]


def test_openings_beyond_fifty_are_not_kept(client, token):
    views = []
    for number in range(60):
        views = timing.with_report(views, timing.Report(f"view-{number:04}", 1, 0), age=3600)
    assert len(views) == 50


def test_times_stay_with_who_lost_the_place(client, study, token):
    report(client, token)
    item = item_of(token)
    places.release([Session.objects.get().pk])
    assert client.post(f"/r/{token}/time/{item}/", said(TWO)).status_code == 204
    assert stored() == [(10.5, 4.25)]


def test_the_last_page_may_say_its_time_just_after_the_end_but_not_later(client, study, token):
    for position in range(1, 5):
        post_item(client, token, position, answers(study))
    assert Session.objects.get().state == "completed"
    report(client, token, 4)
    assert stored() == [(10.5, 4.25)]
    Session.objects.update(ended_at=timezone.now() - timedelta(minutes=2))
    report(client, token, 4, active="100")
    assert stored() == [(10.5, 4.25)]


def test_strangers_learn_nothing(client, study, token):
    assert client.post("/r/no-such-session/time/1/", said()).status_code == 404
    other = factories.make_item(factories.make_study("other"), "x")
    assert client.post(f"/r/{token}/time/{other.pk}/", said()).status_code == 204
    assert client.get(f"/r/{token}/time/{other.pk}/").status_code == 405
    assert stored() == []


# Exports


def exported(table):
    out = StringIO()
    call_command("export", "films", table, stdout=out)
    return list(csv.DictReader(StringIO(out.getvalue())))


def test_times_leave_by_item_session_and_rater(client, study, token):
    report(client, token, 1)
    report(client, token, 2, active="1", idle="0.5")
    key = study.items.get(pk=item_of(token)).key
    rows = exported("times")
    assert (rows[0]["item"], rows[0]["active_seconds"], rows[0]["idle_seconds"]) == (
        key,
        "10.5",
        "4.25",
    )
    assert [row["views"] for row in rows] == ["1", "1"]
    session, rater = exported("sessions")[0], exported("raters")[0]
    assert rows[0]["rater"] == rater["rater"] and rows[0]["session"] == session["session"]
    for row in (session, rater):
        assert (row["active_seconds"], row["idle_seconds"]) == ("11.5", "4.75")


def test_the_raters_page_says_the_times(as_owner, client, study, token):
    report(client, token, active="70", idle="3000")
    rater = Session.objects.get().rater_id
    page = as_owner.get(f"/studies/films/raters/{rater}/").content.decode()
    assert "1 min 10 s" in page and "50 min 0 s" in page


# Browsers

CHROME = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/140.0.0.0 Safari/537.36"
)
AGENTS = {
    CHROME: ("Chrome", "desktop"),
    CHROME + " Edg/140.0.0.0": ("Edge", "desktop"),
    CHROME + " OPR/120.0.0.0": ("other", "desktop"),
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0": (
        "Firefox",
        "desktop",
    ),
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like "
    "Gecko) Version/18.0 Mobile/15E148 Safari/604.1": ("Safari", "phone"),
    "Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "CriOS/140.0 Mobile/15E148 Safari/604.1": ("Chrome", "tablet"),
    "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/140.0.0.0 Mobile Safari/537.36": ("Chrome", "phone"),
    "Mozilla/5.0 (Linux; Android 15; SM-X910) AppleWebKit/537.36 (KHTML, like Gecko) "
    "SamsungBrowser/28.0 Chrome/130.0.0.0 Safari/537.36": ("other", "tablet"),
    "": ("other", "desktop"),
    "curl/8": ("other", "desktop"),
}


@pytest.mark.parametrize("agent", AGENTS)
def test_a_browser_is_named_in_classes(agent):
    assert (browsers.browser_of(agent), browsers.device_of(agent)) == AGENTS[agent]


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("360", 360),
        ("413", 360),
        ("1279", 1024),
        ("99999", 2560),
        ("200", None),
        ("", None),
        ("-5", None),
        ("1e3", None),
        ("٣٦٠", None),
        ("123456", None),
    ],
)
def test_a_width_is_rounded_down_to_a_class(text, width):
    assert browsers.width_class(text) == width


def test_classes_are_kept_at_consent_and_nothing_that_identifies(client, study):
    agent = next(iter(AGENTS))
    client.post("/join/films/", {"consent": "yes", "width": "1300"}, headers={"User-Agent": agent})
    row = exported("sessions")[0]
    assert (row["browser"], row["device"], row["screen_width"]) == ("Chrome", "desktop", "1280")
    assert exported("raters")[0]["device"] == "desktop"
    stored = Session.objects.values().get()
    assert not any("Mozilla" in str(value) or str(value) == "1300" for value in stored.values())


def test_a_personal_link_is_noted_at_consent_and_a_browser_without_width_has_none(client, study):
    session = factories.make_session(study, state="consent", source="link")
    client.post(f"/r/{session.token}/consent/", {"consent": "yes"})
    session.refresh_from_db()
    assert (session.browser, session.device, session.screen_width) == ("other", "desktop", None)
    join(client, study)
    assert exported("raters")[1]["screen_width"] == ""


def test_what_a_session_stopped_in_is_kept(client, study, token):
    from annotate.sessions import session as sessions

    session = Session.objects.get()
    Session.objects.update(last_seen_at=timezone.now() - timedelta(hours=2))
    assert places.release_expired(timezone.now()) == 1
    session.refresh_from_db()
    assert (session.state, session.stopped_in) == ("abandoned", "rating")
    sessions.resume(session)
    session.refresh_from_db()
    assert session.stopped_in == ""
    declined = Session.objects.get(token=join(client, study, choice="no"))
    assert (declined.state, declined.stopped_in) == ("declined", "consent")
