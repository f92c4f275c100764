"""What recipients are asked again: which of their items, how late, drawn once, and never told."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from annotate.design.checks import Settings
from annotate.files.reading import Problems
from annotate.files.reading.studyfile import read_study
from annotate.flow.own_answers import count_repeats
from annotate.models import Answer, Rater, Rating, Screen, Session
from annotate.sessions import links, places
from annotate.sessions import session as sessions
from annotate.studies.study_file import as_yaml, study_data
from tests import factories
from tests.annotate.raters.test_views import answers
from tests.annotate.sessions.test_screens import BOTH, begin, screens

pytestmark = pytest.mark.django_db
State, Kind = Session.State, Screen.Kind


def make_study(owner, items, recipients=1, **extra):
    """A study in which each recipient has so many items, all in one session."""
    study = factories.make_study("own", owner=owner, items_per_session=items, raters_per_item=1)
    for number in range(recipients):
        for item in range(items):
            factories.make_item(study, f"r{number}-{item}", f"r{number}")
    study.extra = extra
    study.save()
    who = [(row.key, Rater.Role.RECIPIENT, row) for row in study.recipients.order_by("pk")]
    links.make(study, who)
    return study


def begin_own(study):
    """Let every recipient open their link; return the sessions."""
    opened = list(study.sessions.filter(source="link").order_by("pk"))
    for session in opened:
        sessions.move(session, State.INSTRUCTIONS)
        assert sessions.begin(session)
    return list(study.sessions.select_related("study", "rater").order_by("pk"))


def gaps_of(session):
    """How many other items stand between each repeated item and its repeat."""
    shown = [key for key in screens(session) if not key.startswith("attention")]
    again = [key for key in shown if key.startswith("repeat:")]
    return {key: shown.index(key) - shown.index(key.removeprefix("repeat:")) - 1 for key in again}


@pytest.mark.parametrize(
    ("share", "items", "count"),
    [(0.1, 10, 1), (0.2, 20, 4), (0.1, 3, 1), (0.1, 15, 2), (0.5, 5, 3)],
)
def test_a_share_is_rounded_and_at_least_one(share, items, count):
    settings = Settings(repeat_share=share)
    assert count_repeats(settings, Rater.Role.RECIPIENT, items) == count
    assert count_repeats(settings, Rater.Role.THIRD_PARTY, items) == 0
    assert count_repeats(Settings(), Rater.Role.RECIPIENT, items) == 0
    assert count_repeats(settings, Rater.Role.RECIPIENT, 0) == 0


def test_twenty_other_items_stand_in_between_where_there_are_so_many(owner):
    study = make_study(owner, 40, 4, repeat_share=0.2, attention=[BOTH, BOTH | {"key": "late"}])
    chosen = [gaps_of(session) for session in begin_own(study)]
    assert [len(gaps) for gaps in chosen] == [8] * 4
    assert min(gap for gaps in chosen for gap in gaps.values()) >= 20
    places_of = [{int(key.split("-")[1]) for key in gaps} for gaps in chosen]
    assert len(set(map(frozenset, places_of))) == 4  # each recipient has a draw of their own


def test_a_short_session_asks_items_of_its_first_half_again_at_its_end(owner):
    first_half = set()
    for session in begin_own(make_study(owner, 10, 12, repeat_share=0.1)):
        shown = screens(session)
        assert len(shown) == 11 and shown[-1].startswith("repeat:")
        assert shown.index(shown[-1].removeprefix("repeat:")) < 5
        first_half.add(shown.index(shown[-1].removeprefix("repeat:")))
    assert len(first_half) > 2  # not always the one that came first


def test_a_single_item_is_not_asked_again_right_after_itself(owner):
    (session,) = begin_own(make_study(owner, 1, repeat_share=0.1))
    assert screens(session) == ["r0-0"]


def test_the_share_takes_the_place_of_the_number_for_recipients_alone(owner):
    study = make_study(owner, 10, repeat_share=0.3, repeats=1)
    (session,) = begin_own(study)
    assert session.screens.among_items().count() == 3
    other = factories.make_study("crowd", owner=owner, items=10, items_per_session=10)
    assert begin(other, repeat_share=0.3).screens.among_items().count() == 0
    assert begin(other, repeat_share=0.3, repeats=2).screens.among_items().count() == 2


def test_the_draw_is_stored_before_the_first_answer_and_the_seed_decides_it(owner):
    study = make_study(owner, 12, repeat_share=0.25, order_seed=7)
    (session,) = begin_own(study)
    drawn = screens(session)
    assert session.screens.among_items().count() == 3 and not Rating.objects.exists()
    Screen.objects.all().delete()
    places.put_in_order(session, [])
    assert screens(session) == drawn
    Screen.objects.all().delete()
    session.study.extra["order_seed"] = 8
    places.put_in_order(session, [])
    assert screens(session) != drawn


def test_what_was_drawn_stays_drawn_after_a_pause(owner):
    (session,) = begin_own(make_study(owner, 12, repeat_share=0.25))
    drawn = set(session.screens.among_items().values_list("pk", "item"))
    Session.objects.filter(pk=session.pk).update(last_seen_at=timezone.now() - timedelta(hours=9))
    places.release_expired(timezone.now())
    assert sessions.resume(Session.objects.get(pk=session.pk))
    assert set(session.screens.among_items().values_list("pk", "item")) == drawn


def without_place(page):
    """The page without its place in the session, hidden inputs, and addresses that save."""
    page = re.sub(r'<input type="hidden"[^>]*>', "", page)
    page = re.sub(r'(hx-post|data-time-url)="[^"]*"', "", page)
    return re.sub(r"\d+", "N", " ".join(page.split()))


def test_the_page_of_a_repeated_item_is_that_of_the_first_time(owner, client):
    """The first screen of a session says more, and the last one has another button."""
    (session,) = begin_own(make_study(owner, 10, repeat_share=0.3))
    position_of = dict(session.places.values_list("item", "position"))
    repeats = session.screens.among_items().select_related("item").filter(position__lt=13)
    extra = next(extra for extra in repeats if position_of[extra.item_id] > 1)
    pages = {}
    for position in range(1, 14):
        page = client.get(f"/r/{session.token}/item/{position}/").content.decode()
        pages[position] = page
        kind, number = re.search(r'name="(item|screen)" value="(\d+)"', page).groups()
        data = {kind: number, "shown": 0, "go": "next", **answers(session.study)}
        assert client.post(f"/r/{session.token}/item/{position}/", data).status_code == 303
    first, again = pages[position_of[extra.item_id]], pages[extra.position]
    assert without_place(first) == without_place(again) and "checked" not in again
    assert Rating.objects.count() == 40 and Answer.objects.count() == 12


def test_the_key_is_read_kept_and_written(owner, study, tmp_path):
    plain = as_yaml(study_data(study, list(study.questions.all())))
    assert "repeat_share" not in plain
    study.extra["repeat_share"] = 0.1
    written = as_yaml(study_data(study, list(study.questions.all())))
    assert [line for line in written.splitlines() if line not in plain.splitlines()] == [
        "repeat_share: 0.1"
    ]
    path, problems = tmp_path / "study.yaml", Problems()
    path.write_text(written)
    assert read_study(path, path.name, problems).fields["extra"]["repeat_share"] == 0.1
    assert not problems.shown


@pytest.mark.parametrize("wrong", ["0.6", "-0.1", "many", "true"])
def test_a_wrong_share_is_named_with_its_line(tmp_path, wrong):
    path, problems = tmp_path / "study.yaml", Problems()
    path.write_text(f"study: films\nrepeat_share: {wrong}\n")
    read_study(path, path.name, problems)
    (message,) = map(str, problems.shown)
    assert "line 2, column repeat_share" in message and "a number from 0 to 0.5" in message


def test_the_page_of_the_settings_takes_the_share(as_owner, study):
    page = "/studies/films/settings/sessions/"
    numbers = {"order": "random", "order_seed": 0, "repeats": 0, "minimum_seconds": 0}
    numbers |= {"attention_failures": 0, "gold_per_session": 0}
    for share, status, kept in (("", 302, None), ("0.1", 302, 0.1), ("0.6", 422, 0.1)):
        assert as_owner.post(page, numbers | {"repeat_share": share}).status_code == status
        study.refresh_from_db()
        assert study.extra.get("repeat_share") == kept
    assert (
        "items of its first half are asked again at its end" in as_owner.get(page).content.decode()
    )
