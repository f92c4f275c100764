"""Prolific and MTurk over HTTP: who gets in, what leads out, and what a stranger's guess opens."""

import logging

import pytest
from django.test import Client

from annotate.design import platform
from annotate.http.headers import TokenFilter
from annotate.models import Place, Rater, Rating, RepeatVisit, Session, Study
from annotate.sessions.session import end_early
from tests import factories
from tests.annotate.raters.test_views import answers, begin, join, post_item

pytestmark = pytest.mark.django_db
P = "?PROLIFIC_PID=p1&STUDY_ID=s1&SESSION_ID=v1"
M = "?assignmentId=a1&hitId=h1&workerId=w1&turkSubmitTo=https%3A%2F%2Fworkersandbox.mturk.com"
CODES = {"screened_out": "OUT1", "failed_attention": "FAIL2", "no_consent": "NO3", "too_late": "L4"}
AGREES = {"consent": "yes"}
DONE = "https://app.prolific.com/submissions/complete?cc="
EVERY_FRAME = (
    "frame-ancestors https://worker.mturk.com https://www.mturk.com https://workersandbox.mturk.com"
)


def on(study, name, **more):
    study.extra = {"platform": {"name": name, "codes": CODES} | more}
    study.save()
    return study


@pytest.fixture
def prolific(study):
    return on(study, "prolific")


@pytest.fixture
def mturk(study):
    return on(study, "mturk")


def finish(client, study, query):
    token = begin(client, study, query)
    for position in range(1, 5):
        post_item(client, token, position, answers(study))
    return token


def policy(response, name):
    parts = response.headers["Content-Security-Policy"].split("; ")
    return next(part for part in parts if part.startswith(name))


# Prolific


def test_who_completes_sees_the_code_and_the_way_back(client, prolific):
    token = finish(client, prolific, P)
    response = client.get(f"/r/{token}/")
    assert f">{prolific.completion_code}</output>" in response.content.decode()
    assert policy(response, "form-action") == "form-action 'self' https://app.prolific.com"
    left = client.post(f"/r/{token}/leave/")
    assert (left.status_code, left["Location"]) == (303, DONE + prolific.completion_code)


@pytest.mark.parametrize(
    ("state", "code"), [("screened_out", "OUT1"), ("failed_attention", "FAIL2")]
)
def test_each_end_has_its_own_code(client, prolific, state, code):
    token = begin(client, prolific, P)
    end_early(Session.objects.get(), state)
    page = client.get(f"/r/{token}/").content.decode()
    assert f">{code}</output>" in page and prolific.completion_code not in page
    assert client.post(f"/r/{token}/leave/")["Location"] == DONE + code
    assert not Place.objects.exclude(state="open").exists()


def test_who_declines_gets_the_code_of_that_and_no_id_is_kept(client, prolific):
    token = join(client, prolific, P, choice="no")
    assert ">NO3</output>" in client.get(f"/r/{token}/").content.decode()
    assert client.post(f"/r/{token}/leave/")["Location"] == DONE + "NO3"
    assert Rater.objects.get().platform_ids == {}


def test_who_comes_too_late_gets_the_code_of_that(client, prolific):
    prolific.places.update(state="filled")
    page = client.get(f"/join/films/{P}").content.decode()
    assert f'href="{DONE}L4"' in page and ">L4</output>" in page


def test_who_consents_and_then_finds_no_place_goes_back_with_the_code_of_that(client, prolific):
    token = join(client, prolific, P)
    prolific.places.update(state="filled")
    assert ">L4</output>" in client.get(f"/r/{token}/").content.decode()
    assert client.post(f"/r/{token}/leave/")["Location"] == DONE + "L4"


def test_without_a_code_for_an_end_raters_are_asked_to_return_the_study(client, study):
    on(study, "prolific", codes={})
    token = join(client, study, P, choice="no")
    response = client.get(f"/r/{token}/")
    assert "return the study there" in response.content.decode()
    assert policy(response, "form-action") == "form-action 'self'"
    assert client.post(f"/r/{token}/leave/")["Location"] == f"/r/{token}/"


def test_nobody_leaves_before_the_last_answer_is_saved(client, prolific):
    token = begin(client, prolific, P)
    for position in range(1, 5):
        page = client.get(f"/r/{token}/item/{position}/")
        assert prolific.completion_code not in page.content.decode()
        assert client.post(f"/r/{token}/leave/")["Location"] == f"/r/{token}/"
        post_item(client, token, position, answers(prolific))
    assert Rating.objects.count() == 16
    assert client.post(f"/r/{token}/leave/")["Location"].startswith(DONE)


def test_only_all_three_values_resume(client, prolific):
    token = begin(client, prolific, P)
    assert client.get(f"/join/films/{P}")["Location"] == f"/r/{token}/"
    guesses = [P.replace("v1", "v2"), P.replace("s1", "s2"), P.replace("p1", "")]
    for guess in [*guesses, "?PROLIFIC_PID=p1", "?SESSION_ID=v1&STUDY_ID=s1"]:
        for send in (client.get, client.post):
            response = send(
                f"/join/films/{guess}", {"consent": "yes"} if send == client.post else {}
            )
            body = response.content.decode()
            assert response.status_code == 200 and token not in body and "/r/" not in body
    assert Session.objects.count() == 1


def test_a_duplicate_is_told_politely_and_recorded_once(client, prolific):
    begin(client, prolific, P)
    for visit in ("v2", "v2", "v3"):
        page = client.get(f"/join/films/?PROLIFIC_PID=p1&STUDY_ID=s1&SESSION_ID={visit}")
        assert "You take part already" in page.content.decode()
    assert list(RepeatVisit.objects.values_list("visit", flat=True)) == ["v2", "v3"]
    for number in range(50):
        client.get(f"/join/films/?PROLIFIC_PID=p1&STUDY_ID=s1&SESSION_ID=x{number}")
    assert RepeatVisit.objects.count() == platform.MOST_REPEATS


@pytest.mark.parametrize(
    "query",
    [
        "?PROLIFIC_PID=p1",
        "?PROLIFIC_PID=p1&STUDY_ID=s1",
        P.replace("v1", "{{%SESSION_ID%}}"),
        P.replace("p1", "p 1"),
        P.replace("p1", ""),
    ],
)
def test_an_incomplete_address_says_so_and_saves_nothing(client, prolific, query):
    for response in (
        client.get(f"/join/films/{query}"),
        client.post(f"/join/films/{query}", {"consent": "yes"}),
    ):
        assert "missing in the address" in response.content.decode()
    assert not Rater.objects.exists()


def test_the_open_link_of_a_study_on_a_platform_is_off(client, prolific):
    page = client.post("/join/films/", {"consent": "yes"}).content.decode()
    assert "by invitation" in page and "Prolific" in page and not Rater.objects.exists()
    on(prolific, "prolific", open_link=True)
    assert client.post("/join/films/", {"consent": "yes"}).status_code == 303


def test_an_open_link_that_is_off_lets_no_made_up_id_in(client, study):
    on(study, "none", open_link=False)
    page = client.post(f"/join/films/{P}", {"consent": "yes"}).content.decode()
    assert "by invitation" in page and not Rater.objects.exists()


# MTurk


def test_the_preview_shows_the_task_and_saves_nothing(client, mturk):
    query = "?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=h1"
    for response in (
        client.get(f"/join/films/{query}"),
        client.post(f"/join/films/{query}", {"consent": "yes"}),
    ):
        page = response.content.decode()
        assert "This is a preview" in page and "Because you like films" in page
        assert "This explanation is convincing to me." in page and "disabled" in page
        assert policy(response, "frame-ancestors") == EVERY_FRAME
    assert not Rater.objects.exists() and not Place.objects.exclude(state="open").exists()


def test_the_end_is_a_form_to_mturk_itself(client, mturk):
    token = finish(client, mturk, M)
    response = client.get(f"/r/{token}/")
    page = response.content.decode()
    assert 'action="https://workersandbox.mturk.com/mturk/externalSubmit"' in page
    for name, value in (("assignmentId", "a1"), ("code", mturk.completion_code)):
        assert f'name="{name}" value="{value}"' in page
    assert policy(response, "form-action") == "form-action 'self' https://workersandbox.mturk.com"
    assert client.post(f"/r/{token}/leave/")["Location"] == f"/r/{token}/"


@pytest.mark.parametrize("codes", [CODES, {}])
@pytest.mark.parametrize("why", ["filled", "closed"])
def test_who_comes_too_late_for_a_task_they_accepted_submits_it(client, mturk, codes, why):
    on(mturk, "mturk", codes=codes)
    mturk.places.update(state="filled")
    Study.objects.update(state="closed" if why == "closed" else "open")
    for response in (client.get(f"/join/films/{M}"), client.post(f"/join/films/{M}", AGREES)):
        page = response.content.decode()
        assert 'action="https://workersandbox.mturk.com/mturk/externalSubmit"' in page
        for name, value in (
            ("assignmentId", "a1"),
            ("code", codes.get("too_late", "")),
            ("outcome", "too_late"),
        ):
            assert f'name="{name}" value="{value}"' in page
        # Both at once: MTurk's frame, and the one site to which the form goes.
        assert policy(response, "frame-ancestors") == EVERY_FRAME
        assert policy(response, "form-action").endswith("'self' https://workersandbox.mturk.com")
    assert not Rater.objects.exists()


def test_who_began_and_comes_too_late_for_the_items_submits_too(client, mturk):
    on(mturk, "mturk", codes={})
    token = join(client, mturk, M)
    mturk.places.update(state="filled")
    page = client.post(f"/r/{token}/begin/").content.decode()
    assert "externalSubmit" in page and 'name="outcome" value="too_late"' in page


def test_nobody_submits_from_a_preview_or_by_a_made_up_address(client, mturk):
    mturk.places.update(state="filled")
    preview = M.replace("a1", "ASSIGNMENT_ID_NOT_AVAILABLE")
    forged = "?assignmentId=a1&hitId=h1&workerId=w1&turkSubmitTo=https%3A%2F%2Fevil.example"
    for query in (preview, forged):
        response = client.get(f"/join/films/{query}")
        assert "<form" not in response.content.decode()
        assert policy(response, "form-action") == "form-action 'self'"


@pytest.mark.parametrize(
    "host",
    [
        "https://evil.example",
        "https://www.mturk.com.evil.example",
        "http://www.mturk.com",
        "https://www.mturk.com@evil.example",
        "//www.mturk.com",
        "javascript:alert(1)",
        "https://www.mturk.com/x",
        "https://worker.mturk.com",
        "",
    ],
)
def test_a_forged_submit_address_is_refused(client, mturk, host):
    query = {"assignmentId": "a1", "hitId": "h1", "workerId": "w1", "turkSubmitTo": host}
    response = client.get("/join/films/", query)
    assert "missing in the address" in response.content.decode()
    assert "evil" not in response.content.decode()
    assert "mturk" not in response.headers["Content-Security-Policy"]
    assert client.post("/join/films/", {"consent": "yes"}, query_params=query).status_code == 200
    assert not Rater.objects.exists()


def test_a_forged_submit_address_in_the_database_leads_nowhere(client, mturk):
    token = finish(client, mturk, M)
    rater = Rater.objects.get()
    rater.platform_ids["turkSubmitTo"] = "https://evil.example"
    rater.save()
    response = client.get(f"/r/{token}/")
    assert "evil" not in response.content.decode() + str(response.headers)
    assert mturk.completion_code in response.content.decode()


def test_a_worker_with_another_assignment_is_a_duplicate(client, mturk):
    token = begin(client, mturk, M)
    assert client.get(f"/join/films/{M}")["Location"] == f"/r/{token}/"
    for guess in (M.replace("a1", "a2"), M.replace("h1", "h2"), M.replace("workersandbox", "www")):
        page = client.get(f"/join/films/{guess}").content.decode()
        assert "take part already" in page and token not in page
    assert RepeatVisit.objects.count() == 2  # a2, and a1 under other names


# Headers


def test_mturks_pages_alone_may_be_framed_and_set_no_cookie(client, mturk):
    first = client.get(f"/join/films/{M}")
    token = join(client, mturk, M)
    pages = [first, client.get(f"/r/{token}/")]
    client.post(f"/r/{token}/begin/")
    pages.append(client.get(f"/r/{token}/item/1/"))
    pages.append(post_item(client, token, 1, {}))  # 422: the page again
    for position in range(1, 5):
        post_item(client, token, position, answers(mturk))
    pages.append(client.get(f"/r/{token}/"))
    declined = join(client, mturk, M.replace("w1", "w2"), choice="no")
    pages.append(client.get(f"/r/{declined}/"))
    assert [response.status_code for response in pages] == [200, 200, 200, 422, 200, 200]
    for response in pages:
        assert policy(response, "frame-ancestors") == EVERY_FRAME
        assert "X-Frame-Options" not in response.headers
    assert not client.cookies


def test_no_other_page_may_be_framed_or_posts_anywhere_else(client, as_owner, study):
    on(study, "prolific")
    token = finish(client, study, P)
    last = client.get(f"/r/{token}/")
    going = join(client, study, P.replace("p1", "p2"))
    client.post(f"/r/{going}/begin/")
    others = [
        client.get(f"/join/films/{P.replace('p1', 'p3')}"),
        client.get("/join/films/"),
        client.get(f"/r/{going}/item/1/"),
        client.get("/accounts/login/"),
        client.get("/r/x/"),
        as_owner.get("/studies/films/raters/"),
        as_owner.get("/studies/films/raters/pay/"),
        as_owner.get("/studies/films/settings/platform/"),
    ]
    for response in [last, *others]:
        assert policy(response, "frame-ancestors") == "frame-ancestors 'none'"
        assert response.headers["X-Frame-Options"] == "DENY"
    for response in others:
        assert policy(response, "form-action") == "form-action 'self'"


def test_a_personal_link_of_a_study_on_mturk_may_not_be_framed(client, mturk):
    session = factories.make_session(mturk, state="consent", source="link")
    response = client.get(f"/r/{session.token}/")
    assert policy(response, "frame-ancestors") == "frame-ancestors 'none'"


# What a stranger's guess opens


@pytest.mark.parametrize("name", ["prolific", "mturk"])
def test_knowing_somebodys_id_opens_nothing(study, name):
    query = {"prolific": P, "mturk": M}[name]
    token = begin(Client(), on(study, name), query)
    guesses = {
        "prolific": "?PROLIFIC_PID=p1&STUDY_ID=s1&SESSION_ID=guess",
        "mturk": M.replace("a1", "guess"),
    }
    stranger = Client()
    for response in (
        stranger.get(f"/join/films/{guesses[name]}"),
        stranger.post(f"/join/films/{guesses[name]}", {"consent": "yes"}),
        stranger.get(f"/r/{'p1' if name == 'prolific' else 'w1'}/"),
        stranger.get(f"/r/{'v1' if name == 'prolific' else 'a1'}/"),
    ):
        assert response.status_code in (200, 404)
        assert token not in response.content.decode() and "/r/" not in str(response.headers)
    assert Session.objects.count() == 1 and Rater.objects.count() == 1


@pytest.mark.parametrize("extra", ["next", "url", "redirect", "cc", "turkSubmitTo", "to"])
def test_no_parameter_decides_where_a_rater_is_sent(client, prolific, extra):
    evil = f"&{extra}=https://evil.example"
    token = finish(client, prolific, P + evil)
    for response in (
        client.post(f"/r/{token}/leave/?{evil}", {extra: "https://evil.example"}),
        client.get(f"/r/{token}/?{evil}"),
        client.get(f"/join/films/{P}{evil}"),
    ):
        assert "evil" not in response.headers.get("Location", "") + response.content.decode()


def test_a_completion_code_of_any_kind_stays_one_parameter(client, prolific):
    Study.objects.update(completion_code="A&b=/../#x y")
    token = finish(client, prolific, P)
    location = client.post(f"/r/{token}/leave/")["Location"]
    assert location == DONE + "A%26b%3D%2F..%2F%23x+y"


@pytest.mark.parametrize(
    "line",
    [
        '"GET /join/films/?PROLIFIC_PID=5f3c&STUDY_ID=5f3c&SESSION_ID=5f3c HTTP/1.1" 200',
        "Not Found: /join/x/?workerId=5f3c&assignmentId=5f3c&hitId=5f3c&turkSubmitTo=https%3A5f3c",
        "ids {'PROLIFIC_PID': '5f3c', 'SESSION_ID': '5f3c'}",
        "/r/5f3c/leave/ was opened",
    ],
)
def test_logs_hold_neither_tokens_nor_what_a_platform_calls_people(line):
    record = logging.LogRecord("django.server", 20, "f", 1, "%s %s", (line, "end"), None)
    assert TokenFilter().filter(record)
    assert "5f3c" not in record.getMessage() and record.getMessage().endswith("end")


def test_requests_log_no_platform_id(client, prolific, caplog, capfd):
    with caplog.at_level(logging.DEBUG):
        token = finish(client, prolific, P.replace("p1", "5f3cPERSON").replace("v1", "5f3cVISIT"))
        client.get(f"/join/films/{P.replace('p1', '5f3cPERSON')}")
        client.get("/join/none/?PROLIFIC_PID=5f3cPERSON")
        client.post(f"/r/{token}/leave/")
    written = "".join(capfd.readouterr())
    assert "5f3c" not in written and token not in written
    assert "5f3c" not in "".join(
        record.getMessage() for record in caplog.records if not record.name.startswith("django.db")
    )
