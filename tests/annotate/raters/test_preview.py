"""The preview is the rater's page, for researchers only, and leaves no trace."""

import re

import pytest

from annotate.design.minutes import pace_of
from annotate.models import (
    Item,
    Place,
    Question,
    Rater,
    Rating,
    RatingRevision,
    Session,
    Study,
)
from annotate.sessions import session as sessions
from tests import factories

pytestmark = pytest.mark.django_db
PAGE = "/studies/films/preview/"
FRAME = "/r/preview-films/"
FRAMED = [
    FRAME,
    FRAME + "?show=instructions",
    FRAME + "?show=thanks",
    FRAME + "?show=declined",
    FRAME + "item/1/",
]


def everything():
    """All rows that a rater's visit could leave or change."""
    tables = (Rater, Session, Rating, RatingRevision, Place, Item, Question, Study)
    return {model.__name__: list(model.objects.order_by("pk").values()) for model in tables}


def real_visit(client, study):
    """A real rater's session on its first item."""
    session = sessions.begin_visit(study, {}, consents=True)
    sessions.begin(session)
    return Session.objects.get(pk=session.pk)


def normal(page, token):
    """The page without what differs between any two: the token, and when it was shown."""
    page = page.replace(token, "TOKEN")
    return re.sub(r'name="shown" value="\d+"', "", page)


def answers(study, value=4):
    return {f"q{question.pk}": value for question in study.questions.all()}


def test_an_item_looks_exactly_as_raters_see_it(as_owner, client, study):
    session = real_visit(client, study)
    real = client.get(f"/r/{session.token}/item/1/").content.decode()
    shown = session.places.get(position=1).item
    page = as_owner.get(f"{FRAME}item/1/?item={shown.pk}").content.decode()
    assert normal(page, "preview-films") == normal(real, session.token)
    assert shown.text in page and "Page 1 of 4" in page


def test_an_item_sent_with_gaps_looks_exactly_as_raters_see_it(as_owner, client, study):
    session = real_visit(client, study)
    shown = session.places.get(position=1).item
    first = study.questions.first()
    given = {"item": shown.pk, f"q{first.pk}": "9", "shown": "1", "go": "next"}
    real = client.post(f"/r/{session.token}/item/1/", given)
    page = as_owner.post(f"{FRAME}item/1/", given)
    assert (real.status_code, page.status_code) == (422, 422)
    assert normal(page.content.decode(), "preview-films") == normal(
        real.content.decode(), session.token
    )


@pytest.mark.parametrize("state, show", [("instructions", "instructions"), ("completed", "thanks")])
def test_other_pages_look_exactly_as_raters_see_them(as_owner, client, study, state, show):
    Study.objects.update(instructions="Do **this**.")
    session = factories.make_session(study, state=state, source="web")
    real = client.get(f"/r/{session.token}/").content.decode()
    page = as_owner.get(f"{FRAME}?show={show}").content.decode()
    assert normal(page, "preview-films") == normal(real, session.token)


def test_consent_looks_exactly_as_raters_see_it(as_owner, client, study):
    Study.objects.update(consent="I *agree*.")
    real = client.get("/join/films/").content.decode()
    page = as_owner.get(FRAME).content.decode()
    assert page.replace(' action="/r/preview-films/consent/"', "") == real


ENDS = {
    "declined": "You are not taking part",
    "screened_out": "This study is looking for other people",
    "failed_attention": "Your visit ends here",
    "withdrawn": "You have withdrawn",
    "full": "All places are taken",
}


@pytest.mark.parametrize("show", ENDS)
def test_every_end_can_be_chosen_and_looks_as_raters_see_it(as_owner, client, study, show):
    study.extra = {
        "screener": {"questions": [{"key": "old", "text": "Old?", "options": ["yes", "no"]}]},
        "attention": [{"key": "a", "text": "Choose A.", "options": ["A", "B"], "right": ["A"]}],
    }
    study.save()
    outer = as_owner.get(f"{PAGE}?show={show}").content.decode()
    assert f'src="{FRAME}?show={show}"' in outer
    page = as_owner.get(f"{FRAME}?show={show}").content.decode()
    assert f"<h1>{ENDS[show]}</h1>" in page
    if show in Session.State.values and show != "declined":  # that one leads back to the preview
        session = factories.make_session(study, state=show, source="web", stopped_in="screener")
        real = client.get(f"/r/{session.token}/").content.decode()
        assert normal(page, "preview-films") == normal(real, session.token)


def test_withdrawing_and_waiting_can_be_chosen(as_owner, study):
    outer = as_owner.get(f"{PAGE}?show=withdraw").content.decode()
    assert f'src="{FRAME}withdraw/"' in outer and "Lists being made" not in outer
    assert "failed_attention" not in outer and "screened_out" not in outer
    assert as_owner.get(f"{FRAME}waiting/")["Location"] == f"{FRAME}?show=instructions"
    Study.objects.update(extra={"taste": {"sources": [{"system": "near"}]}})
    assert f'src="{FRAME}waiting/"' in as_owner.get(f"{PAGE}?show=waiting").content.decode()
    page = as_owner.get(f"{FRAME}waiting/").content.decode()
    assert "<h1>Your lists are being made</h1>" in page and "0 of 1 made" in page


def test_a_walk_through_all_pages_leaves_no_trace(as_owner, study):
    before = everything()
    for page in FRAMED:
        assert as_owner.get(page).status_code == 200
    assert as_owner.post(FRAME + "consent/", {"consent": "no"}).url == FRAME + "?show=declined"
    assert as_owner.post(FRAME + "consent/", {"consent": "yes"}).url.endswith("instructions")
    step = as_owner.post(FRAME + "begin/").url
    for position, item in enumerate(study.items.all(), start=1):
        question = study.questions.first()
        answered = as_owner.post(
            f"{FRAME}answer/{item.pk}/{question.pk}/", {f"q{question.pk}": "3"}
        )
        assert "Saved ✓" in answered.content.decode()
        assert f"/item/{position}/" in step
        given = {"item": item.pk, "go": "next", **answers(study)}
        step = as_owner.post(step, given).url
    assert step == FRAME + "?show=thanks"
    assert everything() == before


def test_answers_are_checked_as_a_raters_are(as_owner, study):
    item, question = study.items.first(), study.questions.first()
    address = f"{FRAME}answer/{item.pk}/{question.pk}/"
    wrong = as_owner.post(address, {f"q{question.pk}": "6"})
    assert wrong.status_code == 422 and "whole number from 1 to 5" in wrong.content.decode()
    empty = as_owner.post(address, {f"q{question.pk}": ""})
    assert empty.status_code == 422 and "needs an answer" in empty.content.decode()


def test_back_and_the_end_of_the_list_go_round(as_owner, study):
    first, second, *_, last = study.items.all()
    back = as_owner.post(FRAME + "item/2/", {"item": second.pk, "go": "back"})
    assert back.url == f"{FRAME}item/1/?item={first.pk}"
    onward = as_owner.post(FRAME + "item/1/", {"item": last.pk, "go": "next", **answers(study)})
    assert onward.url == f"{FRAME}item/2/?item={first.pk}"


def policy(response):
    return dict(
        part.strip().split(" ", 1) for part in response["Content-Security-Policy"].split(";")
    )


def test_only_the_framed_pages_may_be_framed_and_only_by_this_site(as_owner, client, study):
    normal_policy = policy(as_owner.get("/studies/films/questions/"))
    assert "frame-src" not in normal_policy
    outer = as_owner.get(PAGE)
    assert policy(outer) == normal_policy | {"frame-src": "'self'"}
    assert outer["X-Frame-Options"] == "DENY"
    for page in FRAMED:
        framed = as_owner.get(page)
        assert policy(framed) == normal_policy | {"frame-ancestors": "'self'"}, page
        assert framed["X-Frame-Options"] == "SAMEORIGIN"
        assert framed["Cache-Control"] == "no-store" and not framed.cookies
    session = factories.make_session(study, state="instructions", source="web")
    for page in ("/join/films/", f"/r/{session.token}/"):
        assert policy(client.get(page)) == normal_policy
        assert client.get(page)["X-Frame-Options"] == "DENY"


def test_the_page_frames_what_was_chosen(as_owner, study):
    item = study.items.last()
    for query, address, is_phone in [
        ("", "item/1/", True),
        ("?show=consent&width=wide", "?show=consent", False),
        (f"?show=item&item={item.key}&width=phone", f"item/1/?item={item.pk}", True),
    ]:
        page = as_owner.get(PAGE + query).content.decode()
        assert f'src="{FRAME}{address}"' in page
        assert ("spaced phone" in page) == is_phone


@pytest.mark.parametrize("query", ["item=nothing", "show=poem", "width=3", "item=%00"])
def test_what_cannot_be_shown_is_said(as_owner, study, query):
    answer = as_owner.get(f"{PAGE}?{query}")
    assert answer.status_code == 400 and "<iframe" not in answer.content.decode()
    assert "errorlist" in answer.content.decode()


def test_parts_of_a_pair_and_other_studies_items_are_not_shown(as_owner, study):
    whole = study.items.first()
    part = factories.make_item(study, "part", parent=whole)
    other = factories.make_item(factories.make_study("other"), "theirs")
    for item in (part, other):
        assert as_owner.get(f"{PAGE}?item={item.key}").status_code == 400
        assert as_owner.get(f"{FRAME}item/1/?item={item.pk}").status_code == 404
    for path in (
        "item/0/",
        "item/5/",
        "item/99999999999999999999/",
        "?show=poem",
        f"answer/{whole.pk}/0/",
        f"answer/{10**30}/1/",
    ):
        send = as_owner.post if "answer" in path else as_owner.get
        assert send(FRAME + path).status_code == 404, path
    assert as_owner.post(FRAME + "item/1/", {"item": "x"}).status_code == 404


def test_before_there_are_items_an_example_stands_for_them(as_owner, owner):
    study = factories.make_study("empty", owner=owner)
    assert "/r/preview-empty/item/1/" in as_owner.get("/studies/empty/preview/").content.decode()
    page = as_owner.get("/r/preview-empty/item/1/").content.decode()
    assert "The text of an item stands here." in page and "Page 1 of 1" in page
    given = {"item": 0, "go": "next", **answers(study)}
    assert as_owner.post("/r/preview-empty/item/1/", given).url.endswith("?show=thanks")
    study.questions.all().delete()
    assert "Nothing is asked" in as_owner.get("/r/preview-empty/item/1/").content.decode()
    assert not Item.objects.exists()


def test_the_preview_takes_few_queries(as_owner, owner, django_assert_max_num_queries):
    pace_of(factories.make_study("many", owner=owner, items=40, items_per_session=30))
    with django_assert_max_num_queries(8):
        as_owner.get("/r/preview-many/item/7/")
    with django_assert_max_num_queries(8):
        as_owner.get("/studies/many/preview/")
