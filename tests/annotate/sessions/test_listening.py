"""What raters heard and unfolded: what a page may report, what is joined, and what leaves."""

import csv
import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.utils import timezone

from annotate.models import Content, Listening, Place, Session
from annotate.sessions import listening, withdraw
from annotate.sessions import session as sessions
from tests import podcasts

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(owner):
    return podcasts.make_podcasts(owner)


@pytest.fixture
def place(study):
    """The place of a pair in a session that rates."""
    session = sessions.begin_visit(study, {}, consents=True)
    assert sessions.begin(session)
    pairs = Place.objects.filter(session=session, item__kind="list_pair")
    return pairs.select_related("session", "item").first()


@pytest.fixture
def episode(place):
    return Content.objects.get(key=f"{place.item.key}-A-1")


def report(client, place, told, **fields):
    sent = told if isinstance(told, str) else json.dumps(told)
    path = f"/r/{place.session.token}/time/{place.item_id}/"
    assert client.post(path, {"heard": sent} | fields).status_code == 204


def stored():
    rows = Listening.objects.order_by("content__key")
    return [(row.played_seconds, row.skipped_seconds, row.is_unfolded) for row in rows]


def test_what_a_page_reports_is_kept_by_content(client, place, episode):
    other = Content.objects.get(key=f"{place.item.key}-B-2")
    silent = Content.objects.get(key=f"{place.item.key}-B-3")
    told = {
        episode.pk: [[[0, 30.5], [60, 70]], 120, True],
        other.pk: [[], None, False],
        silent.pk: [None, None, True],  # it has no recording that can be played
    }
    report(client, place, told)
    assert stored() == [(40.5, 29.5, True), (0, 0, False), (None, None, True)]
    row = Listening.objects.get(content=episode)
    assert (row.session, row.item, row.duration_seconds) == (place.session, place.item, 120)


def test_a_report_twice_and_a_second_tab_join_instead_of_adding_up(client, place, episode):
    for ranges, unfolded in (([[0, 10]], True), ([[0, 10]], False), ([[5, 20], [40, 41]], None)):
        report(client, place, {episode.pk: [ranges, 50, unfolded]})
    for parts in ([], None):  # opened again, where it loads or not: nothing is taken back
        report(client, place, {episode.pk: [parts, None, False]})
    assert stored() == [(21, 20, True)]
    row = Listening.objects.get()
    assert row.ranges == [[0, 20], [40, 41]] and row.duration_seconds == 50


def test_the_form_that_leaves_the_item_brings_it_too(client, place, episode):
    path = f"/r/{place.session.token}/item/{place.position}/"
    told = json.dumps({episode.pk: [[[0, 3]], 4, None]})
    client.post(path, {"item": place.item_id, "go": "next", "heard": told})
    assert stored() == [(3, 0, None)]


@pytest.mark.parametrize(
    "told",
    [
        "",
        "[" * 10_000,
        "[1]",
        "null",
        '{"EPISODE": null}',
        '{"EPISODE": [[[3, 1]], 5, null]}',
        '{"EPISODE": [[[0, 1e999]], 5, null]}',
        '{"EPISODE": [[[0, NaN]], 5, null]}',
        '{"EPISODE": [[[true, 2]], 5, null]}',
        '{"EPISODE": [[["0", 2]], 5, null]}',
        '{"EPISODE": [[[0, 1, 2]], 5, null]}',
        '{"EPISODE": [[[0, 1]], -5, null]}',
        '{"EPISODE": [[[0, 99999]], 5, null]}',
        '{"' + "9" * 5000 + '": [[[0, 1]], 5, null]}',
        '{"-1": [[[0, 1]], 5, null], "x": [[], null, null], "": [[], null, null]}',
        json.dumps({n: [[], None, None] for n in range(101)}),
        '{"EPISODE": [' + json.dumps([[n, n] for n in range(201)]) + ", 5, null]}",
        '{"EPISODE": [[[0, 1]], 5, "' + "x" * 20_000 + '"]}',
    ],
    ids=range(18),
)
def test_what_is_no_report_is_not_kept_and_no_fault(client, place, episode, told):
    report(client, place, told.replace("EPISODE", str(episode.pk)))
    assert stored() == []


def test_only_contents_of_that_page_are_kept(client, place, study, episode):
    elsewhere = Content.objects.exclude(key__startswith=place.item.key).first()
    report(client, place, {elsewhere.pk: [[[0, 1]], 5, None], 10**17: [[], None, None]})
    assert stored() == []
    assert client.post("/r/no-such-session/time/1/", {"heard": "{}"}).status_code == 404


def test_more_parts_than_can_be_kept_leave_what_is_there(place, episode):
    now = timezone.now()
    for offset in (0, 400, 800):  # 150 parts each, a second long
        parts = tuple((offset + 2.0 * n, offset + 2.0 * n + 1) for n in range(150))
        listening.keep(place, {episode.pk: listening.Report(parts, None, None)}, now)
    row = Listening.objects.get()
    assert len(row.ranges) == 150 and row.played_seconds == 150 and row.skipped_seconds == 149


def test_just_after_the_end_it_counts_and_later_not(client, place, episode):
    Session.objects.update(state="completed", ended_at=timezone.now())
    report(client, place, {episode.pk: [[[0, 1]], 5, None]})
    assert stored() == [(1, 0, None)]
    Session.objects.update(ended_at=timezone.now() - timedelta(minutes=2))
    report(client, place, {episode.pk: [[[0, 5]], 5, None]})
    assert stored() == [(1, 0, None)]


def test_who_withdrew_is_no_longer_listened_to(client, place, episode):
    told = {episode.pk: listening.Report(((0.0, 1.0),), None, None)}
    listening.keep(place, told, timezone.now())
    withdraw.withdraw(Session.objects.get())
    assert stored() == []
    listening.keep(place, told, timezone.now())  # a place that was read before
    report(client, place, {episode.pk: [[[0, 1]], 5, None]})
    assert stored() == []


@pytest.mark.parametrize(
    ("ranges", "joined", "sums"),
    [
        ([], [], (0, 0)),
        ([[0, 10]], [[0, 10]], (10, 0)),
        ([[5, 10], [0, 6]], [[0, 10]], (10, 0)),
        ([[0, 10], [2, 3]], [[0, 10]], (10, 0)),
        ([[0, 10], [10.4, 12]], [[0, 12]], (12, 0)),  # paused, and gone on
        ([[0, 10], [10.5, 12]], [[0, 10], [10.5, 12]], (11.5, 0.5)),
        ([[30, 40]], [[30, 40]], (10, 30)),
    ],
    ids=range(7),
)
def test_parts_are_joined(ranges, joined, sums):
    assert listening.union(ranges) == joined
    assert listening.sums(joined) == sums


def test_it_leaves_by_session_item_and_content(client, place, episode):
    report(client, place, {episode.pk: [[[0, 3], [5, 9]], 60, True]})
    out = StringIO()
    call_command("export", "podcasts", "listening", stdout=out)
    (row,) = csv.DictReader(StringIO(out.getvalue()))
    assert row == {
        "session": str(place.session_id),
        "rater": place.session.rater.key,
        "item": place.item.key,
        "content": episode.key,
        "played_seconds": "7.0",
        "skipped_seconds": "2.0",
        "duration_seconds": "60.0",
        "description_unfolded": "true",
    }


def test_the_raters_page_shows_it(as_owner, client, place, episode):
    report(client, place, {episode.pk: [[[0, 65]], 600, False]}, view="view-one", active=1, idle=0)
    rater = place.session.rater_id
    page = as_owner.get(f"/studies/podcasts/raters/{rater}/").content.decode()
    table = page.partition("What was heard and unfolded")[2]
    assert episode.title in table and "1 min 5 s" in table and "10 min 0 s" in table
