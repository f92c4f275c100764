"""Raters and revisions as tables: what they count, what they say, and whom they do not name."""

import csv
import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from analysis.exports import tables, write
from annotate.models import Membership, Place, Rater, Rating, RatingRevision, Session
from annotate.sessions import exclude
from tests import factories

pytestmark = pytest.mark.django_db


def rows(table, *arguments):
    out = StringIO()
    call_command("export", "films", table, *arguments, stdout=out)
    return list(csv.DictReader(StringIO(out.getvalue())))


@pytest.fixture
def ann(study):
    """Two answers to item-0, one of them changed twice, and one answer without its place."""
    session = factories.make_session(study, "ann", source="web")
    Rater.objects.update(
        platform_ids={"PROLIFIC_PID": "5f3c", "SESSION_ID": "v1", "approval_rate": 98}
    )
    first, second = study.items.all()[:2]
    place = first.places.first()
    Place.objects.filter(pk=place.pk).update(state="filled", rater=session.rater, session=session)
    for item, key, values in (
        (first, "accuracy", [2, 5, 4]),
        (first, "satisfaction", [3]),
        (second, "accuracy", [1]),
    ):
        question = study.questions.get(key=key)
        rating = factories.make_rating(session, item, question, values[-1])
        for number, value in enumerate(values):
            at = rating.answered_at + timedelta(minutes=number)
            RatingRevision.objects.create(rating=rating, value=value, at=at)
    return session


def test_a_row_a_rater_with_everything_counted_for_itself(study, ann, owner):
    factories.make_session(study, "ann", state="abandoned", source="web")
    bob = factories.make_session(study, "bob").rater
    exclude.exclude_by_hand(bob, owner, "=asleep")
    found = {row["rater"]: row for row in rows("raters")}
    created = Rater.objects.get(key="ann").created_at.isoformat()
    assert found["ann"] | {"participant": "", "visit": ""} == {
        "rater": "ann",
        "role": "third_party",
        "recipient": "",
        "participant": "",
        "visit": "",
        "approval_rate": "98",
        "task_count": "",
        "excluded": "false",
        "exclusion_reason": "",
        "sessions": "2",
        "completed": "1",
        "items": "2",
        "ratings": "3",
        "counted": "2",
        "changes": "2",
        "first_seen_at": created,
        "active_seconds": "",
        "idle_seconds": "",
        "browser": "",
        "device": "",
        "screen_width": "",
    }
    assert (found["bob"]["excluded"], found["bob"]["exclusion_reason"]) == ("true", "'=asleep")
    assert (found["bob"]["participant"], found["bob"]["ratings"]) == ("", "0")


def test_platform_ids_are_pseudonyms_that_are_the_same_every_time(study, ann):
    again = factories.make_session(study, "again")
    Rater.objects.filter(pk=again.rater_id).update(
        platform_ids={"workerId": "5f3c", "assignmentId": "v2"}
    )
    first, second = rows("raters")
    assert "5f3c" not in str((first, second)) and "v1" not in str(first)
    assert first["participant"] == second["participant"] and len(first["participant"]) == 12
    assert first["visit"] != second["visit"] and first["visit"] != first["participant"]
    assert rows("raters") == [first, second]
    other = factories.make_study("other")
    Rater.objects.create(study=other, key="ann", platform_ids={"PROLIFIC_PID": "5f3c"})
    elsewhere = "".join(write.pieces(other, "raters", "jsonl"))
    assert json.loads(elsewhere)["participant"] not in ("5f3c", first["participant"])


def test_the_platforms_own_ids_only_on_request(study, ann):
    found = rows("raters", "--platform-ids")[0]
    assert (found["participant"], found["visit"]) == ("5f3c", "v1")
    with pytest.raises(CommandError, match="belongs to the table raters"):
        rows("sessions", "--platform-ids")


@pytest.mark.parametrize(("role", "status"), [("viewer", 404), ("editor", 404), ("owner", 200)])
def test_only_owners_may_ask_for_them(study, ann, stranger, as_stranger, role, status):
    Membership.objects.create(study=study, user=stranger, role=role)
    address = "/studies/films/export/raters.csv"
    plain = as_stranger.get(address)
    assert plain.status_code == 200 and "5f3c" not in plain.getvalue().decode()
    asked = as_stranger.get(address, {"ids": "platform"})
    assert asked.status_code == status
    if status == 200:
        assert "5f3c" in asked.getvalue().decode()
    page = as_stranger.get("/studies/films/export/").content.decode()
    assert ("ids=platform" in page) == (role == "owner")
    assert Client().get(address).status_code == 302


def test_every_change_says_who_when_what_before_and_after(study, ann):
    why = factories.make_question(study, "why", scale="text", required=False)
    rating = factories.make_rating(ann, study.items.first(), why, None, text="+ And so")
    for text in ("So", "+ And so"):
        RatingRevision.objects.create(rating=rating, text=text, at=rating.answered_at)
    found = rows("revisions")
    assert [
        (row["rater"], row["item"], row["question"], row["change"], row["old"], row["new"])
        for row in found
    ] == [
        ("ann", "item-0", "accuracy", "0", "", "2"),
        ("ann", "item-0", "accuracy", "1", "2", "5"),
        ("ann", "item-0", "accuracy", "2", "5", "4"),
        ("ann", "item-0", "satisfaction", "0", "", "3"),
        ("ann", "item-1", "accuracy", "0", "", "1"),
        ("ann", "item-0", "why", "0", "", "So"),
        ("ann", "item-0", "why", "1", "So", "'+ And so"),
    ]
    assert {row["session"] for row in found} == {str(ann.pk)}
    first = Rating.objects.get(item__key="item-0", question__key="accuracy")
    assert found[1]["at"] == (first.answered_at + timedelta(minutes=1)).isoformat()


def test_the_export_of_scores_says_surplus_in_words(study, ann):
    found = {
        (row["item"], row["excluded"], row["exclusion_reason"])
        for row in rows("scores")
        if row["rater"] == "ann"
    }
    assert found == {
        ("item-0", "false", ""),
        ("item-1", "true", "surplus: the place had gone to another rater"),
    }
    assert {row["item"] for row in rows("ratings")} == {"item-0"}


def test_the_page_counts_the_rows_that_the_tables_have(study, ann):
    study.items.filter(key="item-0").update(data={"pages": 3})
    why = factories.make_question(study, "why", scale="text", required=False)
    factories.make_rating(ann, study.items.first(), why, None, text="So")  # no number: no score
    for number in range(2):
        factories.make_session(study, f"r{number}", state="active")
    counted = tables.counts(study)
    assert counted["ratings"] == counted["scores"] == 3  # one surplus, one in words
    for table in ("ratings", "items", "sessions", "scores", "judgments"):
        assert len(rows(table)) == counted[table], table


def test_extra_columns_stand_in_order_of_appearance(study):
    keys = list(study.items.order_by("pk").values_list("key", flat=True))
    for key, data in zip(keys, ({"b": 1}, {"c": "x", "b": 2}, {"a": None}), strict=False):
        study.items.filter(key=key).update(data=data)
    factories.make_study("other", items=1).items.update(data={"none": "of this study"})
    assert tables.extra_columns(study, "items") == ["b", "c", "a"]


def test_raters_take_one_query_however_many_they_are(study, django_assert_num_queries):
    for number in range(20):
        factories.make_session(study, f"r{number}")
    assert Session.objects.count() == 20
    with django_assert_num_queries(1):
        assert len("".join(write.pieces(study, "raters", "csv")).splitlines()) == 21


def test_the_layout_is_a_column_of_sessions_where_not_all_were_asked_in_the_usual_one(study, ann):
    assert "layout" not in rows("sessions")[0]
    assert not [row for row in rows("codebook") if row["column"] == "layout"]
    Session.objects.filter(rater__key="ann").update(layout="grid")
    assert {row["layout"] for row in rows("sessions") if row["rater"] == "ann"} == {"grid"}
    assert list(rows("sessions")[0])[-2:] == ["check_answers", "layout"]
    (meaning,) = [row for row in rows("codebook") if row["column"] == "layout"]
    assert meaning["table"] == "sessions" and "one_at_a_time or grid" in meaning["meaning"]


def test_sessions_say_where_they_were_given_up_once_one_was(study, ann):
    assert "stopped_in" not in rows("sessions")[0]
    factories.make_session(study, "bob", state="abandoned", stopped_in="taste")
    assert [row["stopped_in"] for row in rows("sessions")] == ["", "taste"]
