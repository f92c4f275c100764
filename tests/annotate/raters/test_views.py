"""The rater's pages over HTTP: who sees what, and what every answer of the server says."""

import re

import pytest
from django.db import connection
from django.test import Client

from annotate.design import access
from annotate.design.minutes import pace_of
from annotate.models import Place, Rater, Rating, Session
from annotate.sessions import session as sessions
from tests import factories
from tests.annotate.sessions.test_session import SAVE

pytestmark = pytest.mark.django_db


def join(client, study, query="", choice="yes"):
    """The token of a new session."""
    response = client.post(f"/join/{study.slug}/{query}", {"consent": choice})
    assert response.status_code == 303
    return response["Location"].split("/")[2]


def begin(client, study, query=""):
    """A session that rates: its token."""
    token = join(client, study, query)
    assert client.post(f"/r/{token}/begin/").status_code == 303
    return token


def answers(study, value="4"):
    return {f"q{question.pk}": value for question in study.questions.all()}


def post_item(client, token, position, data):
    place = Place.objects.get(session__token=token, position=position)
    return client.post(f"/r/{token}/item/{position}/", {"item": place.item_id, **data})


def test_a_rater_goes_from_consent_to_the_code(client, study):
    assert "I agree" in client.get("/join/films/").content.decode()
    token = join(client, study)
    assert "What to do" in client.get(f"/r/{token}/").content.decode()
    client.post(f"/r/{token}/begin/")
    for position in range(1, 5):
        page = client.get(f"/r/{token}/", follow=True).content.decode()
        assert f"Page {position} of 4" in page
        assert post_item(client, token, position, answers(study)).status_code == 303
    assert study.completion_code in client.get(f"/r/{token}/").content.decode()
    assert Rating.objects.filter(session__token=token, value=4).count() == 16
    assert set(study.places.values_list("state", "session__token")) == {
        ("filled", token),
        ("open", None),
    }


def test_who_begins_is_led_to_the_first_item_at_once(client, study):
    token = join(client, study)
    response = client.post(f"/r/{token}/begin/")
    assert (response.status_code, response["Location"]) == (303, f"/r/{token}/item/1/")


def test_opening_the_link_writes_nothing(client, study, django_assert_max_num_queries):
    pace_of(study)  # kept for five minutes
    with django_assert_max_num_queries(6):
        client.get("/join/films/?PROLIFIC_PID=p1")
    assert not Rater.objects.exists() and not Session.objects.exists()


def test_declining_ends_with_a_friendly_page(client, study):
    token = join(client, study, choice="no")
    assert "not taking part" in client.get(f"/r/{token}/").content.decode()
    assert client.post(f"/r/{token}/begin/", follow=True).status_code == 200
    assert Session.objects.get().state == "declined"


def test_consent_without_a_choice_asks_again(client, study):
    assert "I agree" in client.post("/join/films/", {"consent": "maybe"}).content.decode()
    assert not Session.objects.exists()


def hold_all(study):
    for number in (1, 2, 3):
        session = factories.make_session(study, f"r{number}")
        Place.objects.filter(number=number).update(
            state="held", session=session, rater=session.rater
        )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda study: study.places.all().delete(), "not ready"),
        (lambda study: study.questions.all().delete(), "not ready"),
        (lambda study: type(study).objects.update(state="closed"), "is closed"),
        (hold_all, "try again in about 60 minutes"),
        (lambda study: study.places.update(state="filled"), "all the answers it needs"),
    ],
)
def test_who_comes_too_late_or_too_early_reads_why(client, study, change, words):
    change(study)
    assert words in client.get("/join/films/").content.decode()
    assert words in client.post("/join/films/", {"consent": "yes"}).content.decode()
    assert not Session.objects.filter(source="web").exists()


def test_a_study_that_fills_while_one_reads_the_instructions_says_so(client, study):
    token = join(client, study)
    hold_all(study)
    for response in (client.get(f"/r/{token}/"), client.post(f"/r/{token}/begin/")):
        assert "All places are taken" in response.content.decode()


def test_the_platforms_ids_are_kept_and_a_duplicate_is_told_politely(client, study):
    token = join(client, study, "?PROLIFIC_PID=p1&STUDY_ID=s&SESSION_ID=v1&other=x")
    assert Rater.objects.get().platform_ids == {
        "PROLIFIC_PID": "p1",
        "STUDY_ID": "s",
        "SESSION_ID": "v1",
    }
    again = client.get("/join/films/?PROLIFIC_PID=p1&STUDY_ID=s&SESSION_ID=v2")
    assert "take part already" in again.content.decode() and token not in again.content.decode()
    same = client.get("/join/films/?PROLIFIC_PID=p1&STUDY_ID=s&SESSION_ID=v1")
    assert same["Location"] == f"/r/{token}/"


def test_consent_given_twice_at_once_counts_once(client, study, monkeypatch):
    session = factories.make_session(study, state="consent", source="web")
    real = sessions.consent

    def late(session, consents, told):
        real(access.session_or_404(session.token), consents, told)
        real(session, consents, told)

    monkeypatch.setattr(sessions, "consent", late)
    response = client.post(f"/r/{session.token}/consent/", {"consent": "yes"})
    assert response.status_code == 303
    session.refresh_from_db()
    assert session.state == "instructions"


def test_a_personal_link_asks_for_consent_first(client, study):
    session = factories.make_session(study, state="consent", source="web")
    assert "I agree" in client.get(f"/r/{session.token}/").content.decode()
    client.post(f"/r/{session.token}/consent/", {"consent": "yes"})
    session.refresh_from_db()
    assert session.state == "instructions"


# Answers


def test_an_answer_is_saved_and_confirmed_by_a_fragment(client, study):
    token = begin(client, study)
    place = Place.objects.get(session__token=token, position=1)
    question = study.questions.first()
    url = f"/r/{token}/answer/{place.item_id}/{question.pk}/"
    response = client.post(url, {f"q{question.pk}": "5"})
    assert response.content.decode().strip() == '<span class="saved">Saved ✓</span>'
    assert Rating.objects.get().value == 5


def test_an_answer_over_http_needs_few_queries(client, study, django_assert_num_queries):
    token = begin(client, study)
    place = Place.objects.get(session__token=token, position=1)
    question = study.questions.first()
    with django_assert_num_queries(1 + SAVE[connection.vendor]):
        client.post(f"/r/{token}/answer/{place.item_id}/{question.pk}/", {f"q{question.pk}": "5"})


def test_an_item_page_needs_the_same_few_queries_however_long_the_session(
    client, study, django_assert_num_queries
):
    token = begin(client, study)
    pace_of(study)  # kept for five minutes
    with django_assert_num_queries(5):
        client.get(f"/r/{token}/item/1/")


@pytest.mark.parametrize(
    ("scale", "value", "words"),
    [
        ("likert5", "6", "a whole number from 1 to 5"),
        ("likert5", "nan", "a whole number"),
        ("likert5", "2.5", "a whole number"),
        ("likert5", "", "needs an answer"),
        ("number", "many <b>", "many &lt;b&gt;"),
        ("text", "x" * 10_001, "10,001 characters"),
    ],
)
def test_a_bad_answer_is_refused_in_words(client, scale, value, words):
    study = factories.make_study(items=1, questions={})
    question = factories.make_question(study, scale=scale)
    token = begin(client, study)
    url = f"/r/{token}/answer/{study.items.get().pk}/{question.pk}/"
    response = client.post(url, {f"q{question.pk}": value})
    assert response.status_code == 422 and words in response.content.decode()
    assert not Rating.objects.exists()


def test_a_long_text_with_emoji_and_markup_is_kept_and_shown_as_text(client):
    study = factories.make_study(items=2, items_per_session=2, questions={})
    question = factories.make_question(study, scale="text")
    token = begin(client, study)
    words = "<script>alert(1)</script> 🎬\n" + "x" * 9_000 + "\0"
    post_item(client, token, 1, {f"q{question.pk}": words})
    assert Rating.objects.get().text == words.rstrip("\0")
    page = client.get(f"/r/{token}/item/1/").content.decode()
    assert "&lt;script&gt;alert" in page and "<script>alert" not in page


def test_next_with_something_missing_says_how_much_and_keeps_the_rest(client, study):
    token = begin(client, study)
    some = dict(list(answers(study).items())[:2])
    response = post_item(client, token, 1, some)
    page = response.content.decode()
    assert response.status_code == 422 and "2 answers missing" in page
    assert page.count("Please answer this one.") - 1 == 2  # once more as a word for the script
    assert page.count(" checked") == 2 and page.count(" autofocus") == 1
    assert Rating.objects.count() == 2
    assert client.get(f"/r/{token}/", follow=True).content.decode().count(" checked") == 2


def test_an_answer_that_cannot_be_used_is_not_counted_as_missing(client):
    study = factories.make_study(items=2, items_per_session=2, questions={})
    wrong = factories.make_question(study, "wrong", scale="number", required=False)
    factories.make_question(study, "left-out")
    token = begin(client, study)
    page = post_item(client, token, 1, {f"q{wrong.pk}": "many"}).content.decode()
    notices = re.findall(r'<p class="notice error"[^>]*>([^<]*)</p>', page)
    assert notices == ["1 answer missing", "1 answer cannot be used: please correct it."]
    assert page.count("Please answer this one.") - 1 == 1


def test_back_keeps_what_was_typed_and_asks_for_nothing(client, study):
    token = begin(client, study)
    post_item(client, token, 1, answers(study))
    some = dict(list(answers(study).items())[:1])
    response = post_item(client, token, 2, {**some, "go": "back"})
    assert response["Location"] == f"/r/{token}/item/1/"
    assert Rating.objects.count() == 5
    assert client.get(f"/r/{token}/")["Location"] == f"/r/{token}/item/1/"


def test_finishing_with_a_gap_before_leads_to_the_gap(client, study):
    token = begin(client, study)
    assert post_item(client, token, 4, answers(study))["Location"] == f"/r/{token}/item/1/"


def test_a_double_click_on_next_goes_on_once(client, study):
    token = begin(client, study)
    first, second = (post_item(client, token, 1, answers(study)) for _ in range(2))
    assert first["Location"] == second["Location"] == f"/r/{token}/item/2/"
    assert Rating.objects.count() == 4


def test_a_form_sent_after_a_long_pause_is_saved_where_the_item_is_still_free(client, study):
    token = begin(client, study)
    place = Place.objects.get(session__token=token, position=1)
    post_item(client, token, 1, answers(study))
    study.places.update(state="open", session=None, rater=None, position=None)
    Session.objects.update(state="abandoned")
    assert "Welcome back" in client.get(f"/r/{token}/").content.decode()
    question = study.questions.first()
    url = f"/r/{token}/answer/{place.item_id}/{question.pk}/"
    assert client.post(url, {f"q{question.pk}": "1"}).status_code == 200
    assert Session.objects.get().state == "rating"


def test_after_the_end_nothing_can_be_changed(client, study):
    token = begin(client, study)
    for position in range(1, 5):
        post_item(client, token, position, answers(study))
    place = Place.objects.get(session__token=token, position=1)
    question = study.questions.first()
    url = f"/r/{token}/answer/{place.item_id}/{question.pk}/"
    assert client.post(url, {f"q{question.pk}": "1"}).status_code == 409
    assert post_item(client, token, 1, answers(study, "1"))["Location"] == f"/r/{token}/?lost=1"
    assert client.get(f"/r/{token}/item/2/")["Location"] == f"/r/{token}/"
    assert not Rating.objects.filter(value=1).exists()


# Who sees what


def test_two_raters_cannot_see_or_change_each_others_answers(study):
    factories.make_item(study, "more")
    tokens = [begin(Client(), study) for _ in range(2)]
    question = study.questions.first()
    only_second = (
        Place.objects.filter(session__token=tokens[1])
        .exclude(item__in=Place.objects.filter(session__token=tokens[0]).values("item"))
        .first()
    )
    url = f"/r/{tokens[0]}/answer/{only_second.item_id}/{question.pk}/"
    assert Client().post(url, {f"q{question.pk}": "1"}).status_code == 409
    post_item(Client(), tokens[1], 1, answers(study, "2"))
    assert Rating.objects.filter(session__token=tokens[0]).count() == 0
    for position in (1, 2, 3, 4):
        page = Client().get(f"/r/{tokens[0]}/item/{position}/").content.decode()
        assert " checked" not in page and tokens[1] not in page


@pytest.mark.parametrize(
    "path", ["", "begin/", "consent/", "item/1/", "item/99/", "answer/1/1/", f"answer/{10**30}/1/"]
)
def test_a_wrong_token_leads_nowhere(client, study, path):
    begin(client, study)
    for send in (client.get, client.post):
        assert send(f"/r/wrong-token/{path}").status_code in (404, 405)


@pytest.mark.parametrize("path", ["item/0/", "item/5/", f"item/{10**30}/"])
def test_an_item_that_is_not_there_leads_to_where_the_session_stands(client, study, path):
    token = begin(client, study)
    assert client.get(f"/r/{token}/{path}")["Location"] == f"/r/{token}/"
    sent = client.post(f"/r/{token}/{path}", {"item": "9" * 30})
    assert (sent.status_code, sent["Location"]) == (303, f"/r/{token}/item/1/")


def test_where_the_item_on_the_screen_is_gone_the_first_that_is_left_is_shown(client, study):
    token = begin(client, study)
    gone = Place.objects.get(session__token=token, position=1)
    gone.delete()
    address = f"/r/{token}/item/1/"
    assert client.get(f"/r/{token}/", follow=True).redirect_chain[-1][0] == f"/r/{token}/item/2/"
    sent = client.post(address, {"item": gone.item_id, **answers(study)}, follow=True)
    assert sent.redirect_chain[-1][0] == f"/r/{token}/item/2/?lost=1"
    assert client.get(address, follow=True).redirect_chain[-1][0] == f"/r/{token}/item/2/"


def test_a_question_of_another_study_is_not_saved(client, study):
    token = begin(client, study)
    foreign = factories.make_question(factories.make_study("other", questions={}))
    place = Place.objects.get(session__token=token, position=1)
    url = f"/r/{token}/answer/{place.item_id}/{foreign.pk}/"
    assert client.post(url, {f"q{foreign.pk}": "3"}).status_code == 409
    assert not Rating.objects.exists()


def test_an_unknown_study_is_not_found(client, study):
    assert client.get("/join/nothing/").status_code == 404


def test_a_rater_sees_neither_system_nor_reference_nor_review(client, study):
    study.items.update(reference="SECRET-REFERENCE", review="SECRET-REVIEW", feature="SECRET-F")
    study.systems.update(key="SECRET-SYSTEM")
    study.items.update(data={"gold": "SECRET-GOLD"})
    token = begin(client, study)
    page = client.get(f"/r/{token}/item/1/").content.decode()
    assert "SECRET" not in page and "item-" not in re.sub(r"Because you like.*", "", page)


def test_every_answer_to_a_rater_has_the_headers_and_no_cookie(study):
    client = Client(enforce_csrf_checks=True)
    token = begin(client, study)
    responses = [
        client.get("/join/films/"),
        client.get(f"/r/{token}/"),
        client.get(f"/r/{token}/item/1/"),
        post_item(client, token, 1, answers(study)),
        post_item(client, token, 2, {}),
    ]
    for position in (2, 3, 4):
        responses.append(post_item(client, token, position, answers(study)))
    responses.append(client.get(f"/r/{token}/"))
    for response in responses:
        assert not response.cookies and "Set-Cookie" not in response
        assert response["Cache-Control"] == "no-store"
        assert response["Referrer-Policy"] == "no-referrer"
        assert response["X-Robots-Tag"] == "noindex"
        assert "script-src 'self'" in response["Content-Security-Policy"]
    assert not client.cookies


def test_a_rater_who_is_logged_in_as_a_researcher_rates_like_everybody(as_owner, study):
    token = begin(as_owner, study)
    assert "owner" not in as_owner.get(f"/r/{token}/item/1/").content.decode()


# Scales


def test_every_scale_has_its_inputs(client):
    study = factories.make_study(items=1, questions={})
    scales = {
        "yes": "binary",
        "seven": "likert7",
        "genre": {"choice": ["Comedy", "Drama"]},
        "ten": {"min": 0, "max": 10, "labels": ["never", "always"]},
        "hundred": {"min": 0, "max": 100, "labels": ["never", "always"]},
        "films": "number",
        "why": "text",
    }
    for position, (key, scale) in enumerate(scales.items()):
        factories.make_question(study, key, scale=scale, position=position)
    token = begin(client, study)
    page = client.get(f"/r/{token}/item/1/").content.decode()
    assert page.count('type="radio"') == 2 + 7 + 2 + 11
    assert page.count("<fieldset") == page.count("<legend") == 4
    assert page.count("<textarea") == 1 and page.count('inputmode="decimal"') == 2
    assert "0 = never, 100 = always" in page
    values = ["1", "7", "2", "0", "55", "3.5", "So."]
    names = [f"q{pk}" for pk in study.questions.values_list("pk", flat=True)]
    assert post_item(client, token, 1, dict(zip(names, values, strict=True))).status_code == 303
    assert list(Rating.objects.order_by("question__position").values_list("value", flat=True)) == [
        1,
        7,
        2,
        0,
        55,
        3.5,
        None,
    ]
