"""Arms: sessions are assigned evenly at their consent, keep their arm, and read what is its own."""

import csv
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from analysis.exports.tables import header
from annotate.files.reading.stepspec import read_arms
from annotate.flow import arms
from annotate.models import Session, Study
from annotate.sessions import session as sessions
from annotate.values.wrong import Wrong
from tests import factories
from tests.annotate.raters.test_preview import open_preview
from tests.annotate.sessions.test_steps import text_of

State = Session.State
ARMS = [
    {"name": "long", "instructions": "Read *all* of it.", "layout": "grid"},
    {"name": "short"},
]


@pytest.fixture
def study(study):
    return armed(study, ARMS)


def armed(study, entries):
    study.instructions = "Be quick."
    study.extra = {"arms": entries}
    study.save()
    return study


def visit(study):
    return sessions.begin_visit(study, {}, consents=True)


def arms_taken(study):
    return Counter(study.sessions.values_list("arm", flat=True))


@pytest.mark.django_db
def test_each_session_goes_to_the_arm_with_the_fewest(study):
    for number in range(1, 9):
        visit(study)
        taken = arms_taken(study)
        assert abs(taken["long"] - taken["short"]) == number % 2
    assert [(arm.name, n) for arm, n in arms.list_counts(study)] == [("long", 4), ("short", 4)]


@pytest.mark.django_db
def test_shares_weigh_and_who_stopped_is_made_up_for(study):
    armed(study, [{"name": "long", "share": 3}, {"name": "short"}])
    begun = [visit(study) for _ in range(12)]
    assert arms_taken(study) == {"long": 9, "short": 3}
    (gone, *_) = [session for session in begun if session.arm == "short"]
    sessions.end_early(gone, State.RETURNED)
    assert visit(study).arm == "short"


@pytest.mark.django_db
def test_who_declines_has_no_arm_and_a_study_without_arms_gives_none(study):
    assert sessions.begin_visit(study, {}, consents=False).arm == ""
    study.extra = {}
    study.save()
    assert visit(study).arm == ""
    assert "arm" not in header(study, "sessions")


@pytest.mark.django_db
def test_ties_are_drawn_and_the_first_arm_is_not_always_the_first(study):
    firsts = set()
    for _ in range(12):
        session = visit(study)
        firsts.add(session.arm)
        sessions.end_early(session, State.RETURNED)
    assert firsts == {"long", "short"}


@pytest.mark.django_db
def test_instructions_and_layout_are_those_of_the_arm(client, study):
    for session in (visit(study), visit(study)):
        page = text_of(client.get(f"/r/{session.token}/"))
        client.post(f"/r/{session.token}/begin/")
        item = text_of(client.get(f"/r/{session.token}/item/1/"))
        session.refresh_from_db()
        if session.arm == "long":
            assert "Read <em>all</em> of it." in page and "Be quick." not in page
            assert "Read <em>all</em> of it." in item and session.layout == "grid"
        else:
            assert "Be quick." in page and "Be quick." in item and session.layout == "list"


@pytest.mark.django_db
def test_a_personal_link_is_assigned_when_it_is_used(client, study):
    session = visit(study)
    Session.objects.update(state=State.CONSENT, source="link", arm="")
    client.post(f"/r/{session.token}/consent/", {"consent": "yes"})
    session.refresh_from_db()
    assert session.arm in ("long", "short") and session.state == State.INSTRUCTIONS


@pytest.mark.django_db
def test_a_session_keeps_its_arm_and_withdrawal_forgets_it(client, study):
    session = visit(study)
    armed(study, [{"name": "other"}, {"name": "another"}])
    client.post(f"/r/{session.token}/begin/")
    session.refresh_from_db()
    assert session.arm in ("long", "short") and session.state == State.RATING
    client.post(f"/r/{session.token}/withdraw/")
    assert Session.objects.get().arm == ""


@pytest.mark.django_db
def test_arms_are_a_column_of_sessions_and_lines_of_the_live_page(study, as_owner):
    visit(study)
    assert header(study, "sessions")[-1] == "arm"
    study.extra = {}
    assert header(study, "sessions")[-1] == "arm"  # as long as a session has one
    page = text_of(as_owner.get("/studies/films/"))
    assert "<h2>Arms</h2>" in page and "<dt>long</dt>" in page
    rows = as_owner.get("/studies/films/export/sessions.csv")
    text = b"".join(rows.streaming_content).decode() if rows.streaming else rows.content.decode()
    assert text.splitlines()[1].endswith((",long", ",short"))


def exported(client, table):
    answer = client.get(f"/studies/films/export/{table}.csv")
    parts = answer.streaming_content if answer.streaming else [answer.content]
    return list(csv.DictReader(b"".join(parts).decode().splitlines()))


@pytest.mark.django_db
def test_ratings_have_the_arm_in_which_they_were_given(study, as_owner):
    session = factories.make_session(study, state="completed", arm="long")
    question, item = study.questions.first(), study.items.first()
    factories.make_rating(session, item, question, 4)
    (row,) = exported(as_owner, "ratings")
    assert (row["value"], row["version"], row["arm"]) == ("4", str(session.version), "long")
    meanings = {(line["table"], line["column"]) for line in exported(as_owner, "codebook")}
    assert {("ratings", "arm"), ("sessions", "arm")} <= meanings
    Study.objects.update(extra={})
    Session.objects.update(arm="")
    (row,) = exported(as_owner, "ratings")
    assert "arm" not in row
    assert all(line["column"] != "arm" for line in exported(as_owner, "codebook"))


@pytest.mark.django_db
def test_the_preview_shows_an_arm_and_counts_in_none(study, as_owner):
    assert as_owner.get("/studies/films/preview/?arm=none").status_code == 400
    words = {"long": ("Read <em>all</em>", "Be quick"), "short": ("Be quick", "<em>all</em>")}
    for arm, (own, other) in words.items():
        for show in ("instructions", "item"):
            address = open_preview(as_owner, f"show={show}&arm={arm}")
            page = text_of(as_owner.get(address, follow=True))
            assert own in page and (other not in page)
        assert ("/static/layouts." in page) == (arm == "long")
        consent = open_preview(as_owner, f"show=consent&arm={arm}")
        assert own in text_of(as_owner.post(consent, {"consent": "yes"}, follow=True))
    address = open_preview(as_owner, "show=instructions")
    assert "Be quick" in text_of(as_owner.get(address))
    assert not Session.objects.filter(study=study).exists()
    armed(study, [])
    assert 'name="arm"' not in text_of(as_owner.get("/studies/films/preview/"))


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ([{"name": "a"}], "found one arm"),
        ([{"name": "a"}, {"name": "a"}], "found 'a' twice"),
        ([{"name": "a"}, {"name": ""}], "is missing"),
        ([{"name": "a"}, {"name": "b", "share": 0}], "whole number from 1 to 1000"),
        ([{"name": "a"}, {"name": "b", "layout": "heap"}], "list, one_at_a_time, grid"),
    ],
)
def test_what_cannot_be_arms_is_said(entries, words):
    with pytest.raises(Wrong, match=words):
        read_arms(entries)


@pytest.mark.django_db(transaction=True)
def test_visits_that_begin_at_once_are_assigned_evenly(study):
    def begin(_):
        try:
            return visit(Study.objects.get(pk=study.pk)).arm
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        assert Counter(pool.map(begin, range(24))) == {"long": 12, "short": 12}
