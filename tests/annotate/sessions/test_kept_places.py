"""Of each item whose recipient has a personal link, a place is kept for that recipient."""

import json
import re
import subprocess
import sys
from datetime import timedelta
from threading import Thread

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotate.design.platform import Platform, read_platform
from annotate.models import Item, Place, Rater, Recipient, Session
from annotate.sessions import exclude, links, places
from annotate.sessions import session as sessions
from annotate.sessions.kept_places import kept_places, settle_all
from judges import tasks
from tests import factories
from tests.processes import ROOT, environment

State = Session.State
KINDS = [Item.Kind.EXPLANATION]
PANEL = """
import sys, django
django.setup()
from annotate.sessions import session as sessions
from annotate.models import Study
study = Study.objects.get()
print("ready", flush=True)
sys.stdin.readline()
for _ in range(12):
    sessions.begin(sessions.begin_visit(study, {}, consents=True))
"""
pytestmark = pytest.mark.django_db


@pytest.fixture
def link(study):
    """The session of the personal link of recipient r1, whose all four items are."""
    recipient = study.recipients.get(key="r1")
    links.make(study, [("r1", Rater.Role.RECIPIENT, recipient)])
    return Session.objects.get(source="link")


def visit(study):
    """A member of the panel; how many items they get."""
    session = sessions.begin_visit(study, {}, consents=True)
    return session.places.count() if sessions.begin(session) else 0


def open_link(link):
    sessions.move(link, State.INSTRUCTIONS)
    return sessions.begin(link)


def test_the_panel_leaves_a_place_on_each_item_to_the_recipient(study, link):
    assert [visit(study) for _ in range(3)] == [4, 4, 0]
    assert sessions.why_closed(study) == "full"
    assert sessions.why_closed(study, link.rater) == ""
    assert kept_places(study) == 4
    assert open_link(link) and link.places.count() == 4
    assert not study.places.filter(state="open").exists()
    assert kept_places(study) == 0


def test_a_recipient_who_came_first_keeps_nothing_more(study, link):
    assert open_link(link)
    assert [visit(study) for _ in range(3)] == [4, 4, 0]


def test_other_recipients_and_items_of_nobody_are_not_affected(study, link):
    factories.make_item(study, "other", recipient="r2")
    factories.make_item(study, "nobody", recipient=None)
    study.items_per_session = 6
    study.save()
    assert [visit(study) for _ in range(4)] == [6, 6, 2, 0]


@pytest.mark.parametrize(
    "state", [State.DECLINED, State.SCREENED_OUT, State.RETURNED, State.RATING]
)
def test_nothing_is_kept_for_a_visit_that_claims_no_more(study, link, state):
    for before in (State.INSTRUCTIONS, State.RATING):
        if state not in Session.NEXT[link.state]:
            sessions.move(link, before)
    sessions.move(link, state)
    assert [visit(study) for _ in range(4)] == [4, 4, 4, 0]


@pytest.mark.parametrize("state", [State.CONSENT, State.CHECK, State.PRACTICE, State.ABANDONED])
def test_places_are_kept_while_the_recipient_may_still_come(study, link, state):
    Session.objects.filter(pk=link.pk).update(state=state)
    settle_all()
    assert [visit(study) for _ in range(3)] == [4, 4, 0]


def test_a_withdrawn_link_and_an_excluded_recipient_free_the_places(study, link, owner):
    [visit(study) for _ in range(2)]
    exclude.exclude_by_hand(link.rater, owner, "by hand")
    assert kept_places(study) == 0
    exclude.include(link.rater, owner)
    assert kept_places(study) == 4
    assert links.withdraw(link)
    assert visit(study) == 4


def test_a_link_that_comes_late_gets_what_is_open_then(study):
    assert [visit(study) for _ in range(2)] == [4, 4]
    links.make(study, [("r1", Rater.Role.RECIPIENT, study.recipients.get(key="r1"))])
    assert visit(study) == 0 and kept_places(study) == 4


def test_the_policy_can_be_switched_off_on_the_page(as_owner, study, link):
    page = "/studies/films/settings/platform/"
    box = r'<input type="checkbox" name="keep_for_recipients"[^>]* checked'
    assert re.search(box, as_owner.get(page).content.decode())
    [visit(study) for _ in range(2)]
    assert "switched off: 4 now" in as_owner.get("/studies/films/raters/links/").content.decode()
    as_owner.post(page, {"name": "none", "open_link": "on"})
    study.refresh_from_db()
    assert study.extra["platform"]["keep_for_recipients"] is False
    assert "4 now" not in as_owner.get("/studies/films/raters/links/").content.decode()
    assert visit(study) == 4


def test_the_policy_comes_back_from_the_file():
    for keep in (True, False):
        platform = Platform(keep_for_recipients=keep)
        assert read_platform(platform.as_data()) == platform
    assert read_platform("prolific").keep_for_recipients
    with pytest.raises(ValueError, match="keep_for_recipients is true or false"):
        read_platform({"keep_for_recipients": "no"})


# However many are kept


def study_with_kept(slug, kept):
    """Items with one place each: those of invited recipients, and then five of nobody.

    Ten are of the recipient r7, however many there are.
    """
    study = factories.make_study(slug, raters_per_item=1, items_per_session=4)
    people = Recipient.objects.bulk_create(Recipient(study=study, key=f"r{n}") for n in range(20))
    owners = [people[8 if n % 20 == 7 and n > 200 else n % 20] for n in range(kept)] + [None] * 5
    items = Item.objects.bulk_create(
        Item(study=study, key=f"i{n}", kind=Item.Kind.EXPLANATION, recipient=owner)
        for n, owner in enumerate(owners)
    )
    Place.objects.bulk_create(
        Place(study=study, item=item, number=1, shuffle=n) for n, item in enumerate(items)
    )
    links.make(study, [(one.key, Rater.Role.RECIPIENT, one) for one in people])
    return study


def steps_of(work):
    """How many steps SQLite's machine took for work()."""
    count = 0

    def step():
        nonlocal count
        count += 1

    connection.connection.set_progress_handler(step, 1)
    try:
        with transaction.atomic():
            work()
            transaction.set_rollback(True)
    finally:
        connection.connection.set_progress_handler(None, 0)
    return count


def rows_of(work):
    """How many rows PostgreSQL met, taken or passed over, for the statements of work()."""
    with CaptureQueriesContext(connection) as queries, transaction.atomic():
        work()
        transaction.set_rollback(True)
    (sql,) = [one["sql"] for one in queries if "annotate_place" in one["sql"]]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}")
        plan = cursor.fetchone()[0]
        transaction.set_rollback(True)
    return _rows(plan[0]["Plan"] if isinstance(plan, list) else json.loads(plan)[0]["Plan"])


def _rows(node):
    met = node["Actual Rows"] + node.get("Rows Removed by Filter", 0)
    return met * node["Actual Loops"] + sum(_rows(part) for part in node.get("Plans", ()))


@pytest.mark.parametrize("what", ["claim", "any_open", "recipient"])
def test_the_work_of_a_claim_does_not_grow_with_the_places_that_are_kept(what):
    costs = []
    for slug, kept in (("few", 200), ("many", 2000)):
        study = study_with_kept(slug, kept)
        session = factories.make_session(study, state=State.INSTRUCTIONS, source="web")
        if what == "recipient":
            session = Session.objects.get(study=study, rater__key="r7")
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
        work = {
            "claim": lambda: places.claim(session, KINDS, 4),  # noqa: B023
            "recipient": lambda: places.claim(session, KINDS, 4),  # noqa: B023
            "any_open": lambda: places.any_open(study, KINDS),  # noqa: B023
        }[what]
        costs.append(rows_of(work) if connection.vendor == "postgresql" else steps_of(work))
        work()
        assert what == "any_open" or session.places.count() == 4
    assert costs[1] < 2 * costs[0], costs


# For how long


def quiet_for(link, days):
    Session.objects.filter(pk=link.pk).update(last_seen_at=timezone.now() - timedelta(days=days))


@pytest.mark.parametrize("state", [State.CONSENT, State.ABANDONED])
def test_a_link_of_which_nothing_is_heard_keeps_places_for_two_weeks(as_owner, study, link, state):
    Session.objects.filter(pk=link.pk).update(state=state)
    quiet_for(link, 13)
    settle_all()
    assert [visit(study) for _ in range(3)] == [4, 4, 0]
    page = "/studies/films/raters/links/"
    assert "14 days" in (before := as_owner.get(page).content.decode())
    assert "waited for longer" not in before
    quiet_for(link, 15)
    settle_all()
    assert kept_places(study) == 0
    assert "1 link has waited for longer" in as_owner.get(page).content.decode()
    assert visit(study) == 4


def test_a_link_that_waited_too_long_still_works_and_gets_what_is_open(study, link):
    quiet_for(link, 15)
    settle_all()
    assert visit(study) == 4
    assert open_link(link) and link.places.count() == 4


def test_the_number_of_days_is_a_setting(as_owner, study, link):
    quiet_for(link, 15)
    settle_all()
    assert kept_places(study) == 0
    page, data = "/studies/films/settings/platform/", {"name": "none", "keep_for_recipients": "on"}
    assert as_owner.post(page, data | {"keep_days": "366"}).status_code == 422
    as_owner.post(page, data | {"keep_days": "16"})
    study.refresh_from_db()
    assert study.extra["platform"]["keep_days"] == 16 and kept_places(study) == 4
    for wrong in (0, 366, "3", True, 1.5):
        with pytest.raises(ValueError, match="keep_days is a whole number from 1 to 365"):
            read_platform({"keep_days": wrong})
    assert read_platform({"keep_days": 3}).keep_days == 3


# What opens, comes, or goes later


def test_a_place_that_opens_again_is_kept_where_none_was_left(study):
    panel = [sessions.begin_visit(study, {}, consents=True) for _ in range(3)]
    assert all(sessions.begin(session) for session in panel)
    links.make(study, [("r1", Rater.Role.RECIPIENT, study.recipients.get(key="r1"))])
    assert kept_places(study) == 0
    sessions.end_early(panel[0], State.RETURNED)
    assert kept_places(study) == 4 and visit(study) == 0
    sessions.end_early(panel[1], State.RETURNED)
    assert kept_places(study) == 4 and visit(study) == 4


def test_an_abandoned_visit_of_the_recipient_is_waited_for_again(study, link):
    assert open_link(link)
    assert [visit(study) for _ in range(3)] == [4, 4, 0]
    quiet_for(link, 1)
    assert places.release_expired(timezone.now()) == 1
    assert kept_places(study) == 4 and visit(study) == 0


def test_places_that_are_added_and_items_that_come_later_are_kept_too(study, link):
    assert [visit(study) for _ in range(2)] == [4, 4] and open_link(link)
    late = factories.make_item(study, "late", recipient="r2")
    links.make(study, [("r2", Rater.Role.RECIPIENT, late.recipient)])
    assert kept_places(study) == 1
    late.places.all().delete()
    with transaction.atomic():
        places.add(study, [late.pk], 1)
    tasks.release_places()
    assert kept_places(study) == 1 and visit(study) == 0


def test_what_was_filled_is_kept_for_nobody(study, link):
    place = study.places.filter(kept_for=link.rater).first()
    with pytest.raises(IntegrityError, match="kept_place_is_open"), transaction.atomic():
        Place.objects.filter(pk=place.pk).update(state="filled")


@pytest.mark.django_db(transaction=True)
def test_a_panel_of_many_processes_leaves_exactly_the_kept_places(tmp_path, owner):
    study = factories.make_study(owner=owner, items=12, raters_per_item=6, items_per_session=5)
    links.make(study, [("r1", Rater.Role.RECIPIENT, study.recipients.get(key="r1"))])
    env = environment(tmp_path) | {"DJANGO_SETTINGS_MODULE": "config.settings"}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    panel = [
        subprocess.Popen([sys.executable, "-c", PANEL], cwd=ROOT, env=env, **pipes)
        for _ in range(3)
    ]
    for process in panel:
        assert process.stdout.readline() == "ready\n"
    for process in panel:
        process.stdin.write("go\n")
        process.stdin.flush()
    assert [process.wait(120) for process in panel] == [0, 0, 0]
    held = Place.objects.exclude(state="open").values_list("item", flat=True)
    per_item = sorted(list(held).count(item.pk) for item in study.items.all())
    assert per_item == [5] * 12


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_nothing_is_kept_for_a_rater_whose_link_is_being_withdrawn(study, link):
    Place.objects.update(kept_for=None)
    failed = []

    def sweep():
        try:
            with connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = '5s'")  # that it waits is a fault
            settle_all()
        except DatabaseError as error:
            failed.append(error)
        finally:
            connection.close()

    with transaction.atomic():
        assert links.withdraw(link)
        beside = Thread(target=sweep)
        beside.start()
        beside.join()
    assert not failed and kept_places(study) == 0
