"""Files for paying, and submissions that were returned on the platform."""

import csv
import io
from datetime import timedelta
from decimal import Decimal

import pytest

from annotate.design import platform
from annotate.models import Place, Rater, Rating, RepeatVisit, Session
from annotate.recruitment import pay
from annotate.sessions import exclude
from annotate.sessions.withdraw import withdraw
from tests import factories
from tests.annotate.design.test_platform_links import CODES, on

pytestmark = pytest.mark.django_db
PAY = "/studies/films/raters/pay/"


def visit(study, person, state, items=0, minutes=10, **ids):
    """A session of a platform's participant who rated so many items."""
    session = factories.make_session(study, f"rater-{person}", state=state, source="web")
    ids = ids or {"PROLIFIC_PID": person, "STUDY_ID": "s", "SESSION_ID": f"{person}-v"}
    Rater.objects.filter(pk=session.rater_id).update(platform_ids=ids)
    for item in study.items.all()[:items]:
        factories.make_rating(session, item, study.questions.first(), 4)
    began = session.started_at
    ended = began + timedelta(minutes=minutes)
    over = state in Session.OVER
    Session.objects.filter(pk=session.pk).update(
        ended_at=ended if over else None, last_seen_at=ended
    )
    return session


@pytest.fixture
def paid(study):
    """A study on Prolific: two completed, the others ended otherwise."""
    on(study, "prolific")
    visit(study, "done", "completed", items=4, minutes=12.5)
    visit(study, "brief", "completed", items=1)
    visit(study, "out", "screened_out", minutes=1)
    visit(study, "failed", "failed_attention", items=3)
    visit(study, "gone", "abandoned", items=2)
    visit(study, "=cmd", "returned", PROLIFIC_PID="back", SESSION_ID="back-v", STUDY_ID="s")
    factories.make_session(study, "loaded")
    return study


def download(client, name):
    response = client.get(f"{PAY}{name}")
    assert response.status_code == 200 and "attachment" in response.headers["Content-Disposition"]
    return response.content.decode()


def test_payments_say_who_did_what(as_owner, paid):
    RepeatVisit.objects.create(rater=Rater.objects.get(key="rater-done"), visit="again")
    rows = list(csv.DictReader(io.StringIO(download(as_owner, "payments/"))))
    assert [(row["participant"], row["outcome"], row["code"]) for row in rows] == [
        ("done", "completed", paid.completion_code),
        ("brief", "completed", paid.completion_code),
        ("out", "screened_out", CODES["screened_out"]),
        ("failed", "failed_attention", CODES["failed_attention"]),
        ("gone", "abandoned", ""),
        ("back", "returned", ""),
    ]
    first = rows[0]
    assert (first["visit"], first["platform_study"], first["minutes"], first["items"]) == (
        "done-v",
        "s",
        "12.5",
        "4",
    )
    assert (first["repeat_visits"], first["excluded"], first["answers"]) == ("1", "false", "4")
    assert rows[-1]["rater"] == "rater-=cmd"


def test_formulas_are_guarded(as_owner, paid):
    Rater.objects.filter(key="rater-done").update(key="=1+1", excluded_because="@x")
    rows = list(csv.DictReader(io.StringIO(download(as_owner, "payments/"))))
    assert (rows[0]["rater"], rows[0]["exclusion_reason"]) == ("'=1+1", "'@x")


def test_lists_of_ids_for_prolific(as_owner, paid):
    assert download(as_owner, "prolific-approve/") == "done\nbrief\n"
    assert download(as_owner, "prolific-return/") == "out\nfailed\ngone\n"


def test_a_bonus_by_item_rounds_half_a_cent_up(as_owner, paid):
    # 4 × 0.125 = 0.50; 1 × 0.125 = 0.125, so 0.13; together 0.63
    assert download(as_owner, "bonuses/?amount=0.125") == "done,0.50\nbrief,0.13\n"
    everybody = download(as_owner, "bonuses/?amount=0.1&everybody=on")
    assert everybody == "done,0.40\nbrief,0.10\nfailed,0.30\ngone,0.20\n"
    page = as_owner.get(f"{PAY}?amount=0.125").content.decode()
    assert "<strong>0.63</strong> in all, for 2 raters" in page
    assert download(as_owner, "bonuses/?amount=0.001") == ""


def test_who_withdrew_is_paid_by_items_or_minutes(as_owner, paid):
    for person in ("gone", "done"):
        session = Session.objects.select_related("rater__study").get(rater__key=f"rater-{person}")
        withdraw(session)
    assert not Rating.objects.filter(session__state="withdrawn").exists()
    assert pay.withdrawals(paid) == [("rater-done", "done", 12.5, 4), ("rater-gone", "gone", 10, 2)]
    rows = csv.DictReader(io.StringIO(download(as_owner, "payments/")))
    kept = [(r["participant"], r["minutes"], r["items"]) for r in rows if r["items"] in "42"]
    assert kept == [("done", "12.5", "4"), ("gone", "10.0", "2")]
    everybody = {who: str(money) for who, money in pay.bonuses(paid, Decimal("0.10"), True)}
    assert (everybody["gone"], everybody["done"]) == ("0.20", "0.40")
    assert "gone" not in dict(pay.bonuses(paid, Decimal("0.10")))
    page = as_owner.get(PAY).content.decode()
    assert "Who withdrew" in page and '<td>gone</td><td class="num">10.0</td>' in page


def test_nobody_who_withdrew_is_listed_where_nobody_did(as_owner, paid):
    assert "Who withdrew" not in as_owner.get(PAY).content.decode()


@pytest.mark.parametrize("amount", ["", "0", "-1", "nan", "1e9", "x", "0.00001"])
def test_an_amount_that_is_none_is_refused(as_owner, paid, amount):
    assert as_owner.get(f"{PAY}bonuses/", {"amount": amount}).status_code == 404
    assert "errorlist" in as_owner.get(PAY, {"amount": amount}).content.decode()


def test_the_approval_file_for_mturk(as_owner, study):
    on(study, "mturk")
    states = ["completed", "failed_attention", "screened_out", "abandoned"]
    for n, state in enumerate(states):
        ids = {"workerId": f"w{n}", "hitId": "h", "assignmentId": f"a{n}"}
        visit(study, f"w{n}", state, **ids)
    assert list(csv.reader(io.StringIO(download(as_owner, "mturk-approval/")))) == [
        ["AssignmentId", "HITId", "WorkerId", "Approve", "Reject"],
        ["a0", "h", "w0", "x", ""],
        ["a1", "h", "w1", "", "The attention checks were failed."],
        ["a2", "h", "w2", "", ""],
    ]


def test_no_other_export_holds_them(as_owner, paid):
    for table in ("sessions", "ratings", "scores", "items"):
        for form in ("csv", "jsonl"):
            body = b"".join(as_owner.get(f"/studies/films/export/{table}.{form}").streaming_content)
            assert b"done-v" not in body and b"back-v" not in body


def test_a_file_of_another_name_is_not_found(as_owner, paid):
    assert as_owner.get(f"{PAY}passwords/").status_code == 404


def test_the_page_says_how_visits_ended(as_owner, paid, django_assert_max_num_queries):
    RepeatVisit.objects.create(rater=Rater.objects.get(key="rater-done"), visit="again-7")
    with django_assert_max_num_queries(10):
        page = as_owner.get(PAY).content.decode()
    assert (
        "again-7" in page and "Returned on the platform" in page and CODES["screened_out"] in page
    )


def test_the_page_of_an_empty_study_says_so(as_owner, study):
    assert "Nobody has taken part here yet" in as_owner.get(PAY).content.decode()


# Returned


def hold(study, session):
    for place in study.places.filter(number=1):
        Place.objects.filter(pk=place.pk).update(state="held", session=session, rater=session.rater)


def test_a_returned_submission_frees_its_places(as_owner, client, study):
    session = visit(study, "p1", "rating", items=2)
    hold(study, session)
    url = f"/studies/films/raters/sessions/{session.pk}/return/"
    assert url in as_owner.get("/studies/films/raters/").content.decode()
    page = as_owner.get(url).content.decode()
    assert "4 places open for others" in page and "2 answers remain stored" in page
    assert Place.objects.filter(state="open").count() == 8  # looking ends nothing
    assert as_owner.post(url).status_code == 302
    assert Place.objects.filter(state="open").count() == 12
    assert "This visit has ended" in client.get(f"/r/{session.token}/").content.decode()
    assert client.post(f"/r/{session.token}/begin/")["Location"] == f"/r/{session.token}/"
    assert "There is nothing to end" in as_owner.get(url).content.decode()
    assert "has ended already" in as_owner.post(url, follow=True).content.decode()


def test_a_completed_one_keeps_its_time_and_counts_no_more(study, paid):
    session = Session.objects.get(rater__key="rater-done")
    pay.take_returns(paid, ["done-v"])
    after = Session.objects.get(pk=session.pk)
    assert after.state == "returned" and after.ended_at == session.ended_at
    assert pay.participants(paid, ["completed"]) == ["brief"]


def test_undoing_an_exclusion_gives_a_returned_visit_no_place(study, paid, owner):
    session = Session.objects.get(rater__key="rater-done")
    hold(study, session)
    exclude.exclude_by_hand(session.rater, owner, "too fast")
    pay.take_returns(paid, ["done"])
    session.rater.refresh_from_db()
    exclude.include(session.rater, owner)
    assert not Place.objects.exclude(state="open").exists()


def test_a_list_of_returned_submissions(as_owner, study, paid):
    hold(study, Session.objects.get(rater__key="rater-gone"))
    ids = "gone, done-v\nunknown<b> back gone"
    page = as_owner.post(f"{PAY}returned/", {"ids": ids}, follow=True).content.decode()
    assert "2 sessions ended; 4 places are open again." in page
    assert "2 of the ids" in page and "unknown&lt;b&gt;, back" in page
    states = dict(Session.objects.values_list("rater__key", "state"))
    assert states["rater-gone"] == states["rater-done"] == "returned"
    assert states["rater-brief"] == "completed"


def test_a_returned_participant_cannot_begin_again(client, paid):
    query = "?PROLIFIC_PID=back&STUDY_ID=s&SESSION_ID="
    assert "take part already" in client.get(f"/join/films/{query}other").content.decode()
    own = client.get(f"/join/films/{query}back-v", follow=True).content.decode()
    assert "This visit has ended" in own


def test_loaded_sessions_cannot_be_returned(as_owner, paid):
    loaded = Session.objects.get(source="file")
    url = f"/studies/films/raters/sessions/{loaded.pk}/return/"
    assert as_owner.post(url).status_code == 404


def test_names_of_the_platform_agree(paid):
    assert platform.participant({"workerId": "w", "assignmentId": "a"}) == ("workerId", "w")
    assert platform.visit({"PROLIFIC_PID": "p", "SESSION_ID": "v"}) == ("SESSION_ID", "v")


# Who came too late on MTurk

AT_MTURK = "hitId=h&turkSubmitTo=https%3A%2F%2Fwww.mturk.com"


def come(client, name, **data):
    address = f"/join/films/?workerId=w-{name}&assignmentId=a-{name}&{AT_MTURK}"
    return client.post(address, data) if data else client.get(address)


def late_rows(client):
    rows = csv.reader(io.StringIO(download(client, "mturk-approval/")))
    return [row for row in rows if row[0] != "AssignmentId"]


@pytest.fixture
def late(client, study):
    """On MTurk: eve consented, then the last place went; fay came after that, and looked twice."""
    on(study, "mturk", codes={"too_late": "L4"})
    eve = come(client, "eve", consent="yes")["Location"]
    study.places.update(state="filled")
    assert "externalSubmit" in client.post(f"{eve}begin/").content.decode()
    for _ in range(2):
        assert "externalSubmit" in come(client, "fay").content.decode()
    return study


def test_who_came_too_late_and_submitted_is_approved(as_owner, late):
    assert late_rows(as_owner) == [
        ["a-eve", "h", "w-eve", "x", ""],
        ["a-fay", "h", "w-fay", "x", ""],
    ]
    rows = csv.DictReader(io.StringIO(download(as_owner, "payments/")))
    assert [
        (row["participant"], row["visit"], row["outcome"], row["code"], row["rater"] != "")
        for row in rows
    ] == [("w-eve", "a-eve", "instructions", "", True), ("w-fay", "a-fay", "too_late", "L4", False)]
    page = as_owner.get(PAY).content.decode()
    assert '<td>Came too late: no place was left</td><td class="num">2</td><td>L4</td>' in page


@pytest.mark.parametrize(
    ("state", "stays"),
    [
        ("completed", False),
        ("rating", False),
        ("returned", False),
        ("failed_attention", False),
        ("screened_out", False),
        ("abandoned", True),
        ("practice", True),
    ],
)
def test_who_got_a_place_after_all_stands_there_once(as_owner, late, state, stays):
    Session.objects.update(state=state)
    eve = [row for row in late_rows(as_owner) if row[0] == "a-eve"]
    assert len(eve) == (state not in ("rating", "returned"))
    assert (["a-eve", "h", "w-eve", "x", ""] in eve) == (stays or state == "completed")


def test_a_preview_and_a_forged_address_are_no_latecomers(client, as_owner, study):
    on(study, "mturk")
    study.places.update(state="filled")
    client.get("/join/films/?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=h")
    client.get("/join/films/?workerId=w&assignmentId=a&hitId=h&turkSubmitTo=https://evil.example")
    client.get("/join/films/")
    assert late_rows(as_owner) == []


def test_made_up_latecomers_do_not_fill_the_database(client, late, monkeypatch):
    monkeypatch.setattr(platform, "MOST_LATE", 3)
    for number in range(5):
        come(client, f"made-up-{number}")
    assert late.latecomers.count() == 3


def test_who_has_a_rater_forgotten_forgets_that_they_came_late(late, owner):
    exclude.forget(Rater.objects.get(participant="w-eve"), owner)
    assert [one.participant for one in late.latecomers.all()] == ["w-fay"]


def test_nobody_is_late_on_prolific_where_the_code_settles_it(client, as_owner, study):
    on(study, "prolific")
    study.places.update(state="filled")
    client.get("/join/films/?PROLIFIC_PID=p&STUDY_ID=s&SESSION_ID=v")
    assert study.latecomers.count() == 0
