"""The preview is a rater's real session, for researchers only, and counts nowhere."""

import re
from datetime import timedelta
from urllib.parse import parse_qsl

import pytest
from django.test import Client
from django.utils import timezone

from annotate.design.minutes import pace_of
from annotate.models import (
    Item,
    Making,
    MissingMedia,
    Place,
    Question,
    Rater,
    Rating,
    RatingRevision,
    Screen,
    Session,
    Study,
)
from annotate.raters import preview as previews
from annotate.sessions import kept_places, links
from annotate.sessions import session as sessions
from judges.runs.making import make
from judges.studies import delete as deleting
from judges.tasks import tend_uploads
from tests import factories

pytestmark = pytest.mark.django_db
PAGE = "/studies/films/preview/"
NOTICE = re.compile(r'<div class="notice warn">This is a preview\.[^<]*</div>')
# Of the rows of a copy: numbers that no other session shares.
NUMBERS = re.compile(
    r'(?:question-|\bq|/(?:answer|time|screen)/|name="(?:item|screen)" value=")'
    r"\d+(?:i\d+)?(?:/\d+)*"
)


def everything():
    """All rows of studies that a rater's visit could leave or change."""
    tables = (Rater, Session, Rating, RatingRevision, Place, Item, Question, Study)
    where = {Study: "", Rating: "session__study__", RatingRevision: "rating__session__study__"}
    return {
        model.__name__: list(
            model.objects.filter(**{f"{where.get(model, 'study__')}preview_of": None})
            .order_by("pk")
            .values()
        )
        for model in tables
    }


def open_preview(client, query="", study="films"):
    """Open a preview, and return the address in its frame."""
    choice = dict(parse_qsl(query))
    return client.post(f"/studies/{study}/preview/", choice).context["address"]


def begun(study="films"):
    """The session of the only preview of a study."""
    return Session.objects.get(study__preview_of__slug=study)


def real_visit(client, study):
    """A real rater's session on its first item."""
    session = sessions.begin_visit(study, {}, consents=True)
    sessions.begin(session)
    return Session.objects.get(pk=session.pk)


def normal(page, token):
    """The page without what differs between any two: token, rows' numbers, when it was shown."""
    page = NOTICE.sub("", page.replace(token, "TOKEN"))
    page = re.sub(r'name="shown" value="\d+"', "", page)
    return re.sub(r"\s+", " ", NUMBERS.sub("N", page))


def answers(study, value=4):
    return {f"q{question.pk}": value for question in study.questions.all()}


def test_an_item_looks_exactly_as_raters_see_it(as_owner, client, study):
    session = real_visit(client, study)
    shown = session.places.get(position=1).item
    real = client.get(f"/r/{session.token}/item/1/").content.decode()
    address = open_preview(as_owner, f"item={shown.key}")
    own = begun()
    page = as_owner.get(address, follow=True).content.decode()
    real = real.replace("Page 1 of 4", f"Page {own.current} of 4")
    assert shown.text in page and f"Page {own.current} of 4" in page
    if own.current == 1:
        assert normal(page, own.token) == normal(real, session.token)
    given = {"item": own.places.get(position=own.current).item_id, "shown": "1", "go": "next"}
    page = as_owner.post(f"{address}item/{own.current}/", given)
    real = client.post(f"/r/{session.token}/item/1/", given | {"item": shown.pk})
    assert (real.status_code, page.status_code) == (422, 422)
    assert "4 answers missing" in page.content.decode()


@pytest.mark.parametrize("state, show", [("instructions", "instructions"), ("completed", "thanks")])
def test_other_pages_look_exactly_as_raters_see_them(as_owner, client, study, state, show):
    Study.objects.update(instructions="Do **this**.")
    session = factories.make_session(study, state=state, source="web")
    real = client.get(f"/r/{session.token}/").content.decode()
    page = as_owner.get(open_preview(as_owner, f"show={show}")).content.decode()
    assert normal(page, begun().token) == normal(real, session.token)


def test_consent_looks_exactly_as_raters_see_it_and_goes_on(as_owner, client, study):
    Study.objects.update(consent="I *agree*.")
    real = client.get("/join/films/").content.decode()
    address = open_preview(as_owner, "show=consent")
    page = as_owner.get(address).content.decode()
    own = Study.objects.exclude(preview_of=None).get().slug
    assert normal(page, own) == normal(real, "films")
    no = as_owner.post(address, {"consent": "no"}, follow=True).content.decode()
    assert "You are not taking part" in no and f'href="{address}"' in no
    yes = as_owner.post(address, {"consent": "yes"}, follow=True)
    assert yes.redirect_chain[0][0].startswith("/r/preview-") and yes.status_code == 200
    assert client.get(address).status_code == 404


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
    page = as_owner.get(open_preview(as_owner, f"show={show}")).content.decode()
    assert f"<h1>{ENDS[show]}</h1>" in page
    if show in Session.State.values and show != "declined":  # that one leads back to the preview
        session = factories.make_session(study, state=show, source="web", stopped_in="screener")
        real = client.get(f"/r/{session.token}/").content.decode()
        assert normal(page, begun().token) == normal(real, session.token)


def test_withdrawing_and_waiting_can_be_chosen(as_owner, study):
    outer = as_owner.post(PAGE, {"show": "withdraw"})
    assert outer.context["address"].endswith("/withdraw/")
    outer = outer.content.decode()
    assert "Lists being made" not in outer
    assert "failed_attention" not in outer and "screened_out" not in outer
    Study.objects.update(extra={"taste": {"sources": [{"system": "near"}], "least": 0}})
    page = as_owner.get(open_preview(as_owner, "show=waiting"), follow=True).content.decode()
    assert "<h1>Your lists are being made</h1>" in page and "0 of 1 made" in page
    assert Making.objects.get().state == "wanted" and make.find_waiting() == []


def walk(client, study):
    """Go through a preview from its consent to its end; return its session."""
    address = open_preview(client, "show=consent")
    client.post(address, {"consent": "yes"})
    session = begun()
    client.post(f"/r/{session.token}/begin/")
    own = session.study
    for position in range(1, session.places.count() + 1):
        item, question = session.places.get(position=position).item, own.questions.first()
        name, value = f"q{question.pk}", {f"q{question.pk}": "3"}
        mark = client.post(f"/r/{session.token}/answer/{item.pk}/{question.pk}/", value)
        assert "Saved ✓" in mark.content.decode(), name
        client.post(f"/r/{session.token}/time/{item.pk}/", {"view": "v", "active": 5, "idle": 0})
        given = {"item": item.pk, "go": "next", **answers(own)}
        assert client.post(f"/r/{session.token}/item/{position}/", given).status_code == 303
    session.refresh_from_db()
    return session


def test_a_walk_through_all_pages_changes_nothing_of_the_study(as_owner, study):
    before = everything()
    session = walk(as_owner, study)
    assert session.state == "completed" and session.ratings.count() == 16
    assert study.completion_code in as_owner.get(f"/r/{session.token}/").content.decode()
    assert everything() == before
    assert not Rating.objects.filter(session__study=study).exists()


def test_pages_count_no_preview(as_owner, study):
    pages = ("", "live/", "quality/", "raters/", "questions/", "settings/", "export/")
    pages = [f"/studies/films/{page}" for page in pages]

    def read(page):
        text = as_owner.get(page).content.decode()
        return re.sub(r'csrf\w+"[^>]*', "", text, flags=re.I).splitlines()

    before = [read(page) for page in pages]
    walk(as_owner, study)
    for page, lines in zip(pages, before, strict=True):
        assert [line for line in read(page) if line not in lines] == [], page
    assert previews.SLUG not in as_owner.get("/", follow=True).content.decode()


def test_answers_are_checked_as_a_raters_are(as_owner, study):
    address = open_preview(as_owner)
    session = begun()
    item, question = session.places.get(position=1).item_id, session.study.questions.first()
    one = f"{address}answer/{item}/{question.pk}/"
    wrong = as_owner.post(one, {f"q{question.pk}": "6"})
    assert wrong.status_code == 422 and "whole number from 1 to 5" in wrong.content.decode()
    empty = as_owner.post(one, {f"q{question.pk}": ""})
    assert empty.status_code == 422 and "needs an answer" in empty.content.decode()


def policy(response):
    return dict(
        part.strip().split(" ", 1) for part in response["Content-Security-Policy"].split(";")
    )


def test_only_the_framed_pages_may_be_framed_and_only_by_this_site(as_owner, client, study):
    normal_policy = policy(as_owner.get("/studies/films/questions/"))
    assert "frame-src" not in normal_policy
    outer = as_owner.post(PAGE)
    assert policy(outer) == normal_policy | {"frame-src": "'self'"}
    assert outer["X-Frame-Options"] == "DENY"
    for query in ("", "show=instructions", "show=thanks", "show=declined", "show=consent"):
        framed = as_owner.get(open_preview(as_owner, query), follow=True)
        assert policy(framed) == normal_policy | {"frame-ancestors": "'self'"}, query
        assert framed["X-Frame-Options"] == "SAMEORIGIN"
        assert framed["Cache-Control"] == "no-store" and not framed.cookies
    session = factories.make_session(study, state="instructions", source="web")
    for page in ("/join/films/", f"/r/{session.token}/"):
        assert policy(client.get(page)) == normal_policy
        assert client.get(page)["X-Frame-Options"] == "DENY"


def test_only_who_may_edit_the_study_can_see_a_preview(as_owner, client, study, stranger):
    addresses = [open_preview(as_owner, "show=consent"), open_preview(as_owner)]
    addresses.append(Study.objects.get(preview_of=study).join_path())
    item = begun().places.get(position=1).item_id
    viewer, editor = factories.make_user("viewer"), factories.make_user("editor")
    for user in (viewer, editor):
        study.memberships.create(user=user, role=user.username)

    def reached(user):
        who = Client()
        if user:
            who.force_login(user, "django.contrib.auth.backends.ModelBackend")
        pages = [who.get(page, follow=True).status_code for page in addresses]
        question = Question.objects.filter(study__preview_of=study).first().pk
        given = {f"q{question}": "3"}
        saved = who.post(f"{addresses[1]}answer/{item}/{question}/", given).status_code
        return {*pages, saved}

    for user in (None, stranger, viewer):
        assert reached(user) == {404}
        assert not Rating.objects.exists()
    assert reached(editor) == {200}
    study.memberships.filter(user=editor).delete()
    assert reached(editor) == {404}


def test_the_page_frames_what_was_chosen(as_owner, study):
    item = study.items.last()
    for choice, is_phone in [
        ({}, True),
        ({"show": "consent", "width": "wide"}, False),
        ({"show": "item", "item": item.key, "width": "phone"}, True),
    ]:
        outer = as_owner.post(PAGE, choice)
        page = outer.content.decode()
        assert f'src="{outer.context["address"]}"' in page
        assert ("spaced phone" in page) == is_phone
    assert item.text in as_owner.get(outer.context["address"], follow=True).content.decode()


@pytest.mark.parametrize("query", ["item=nothing", "show=poem", "width=3", "item=%00"])
def test_what_cannot_be_shown_is_said(as_owner, study, query):
    for answer in (as_owner.get(f"{PAGE}?{query}"), as_owner.post(PAGE, dict(parse_qsl(query)))):
        assert answer.status_code == 400 and "<iframe" not in answer.content.decode()
        assert "errorlist" in answer.content.decode()
    assert not Study.objects.exclude(preview_of=None).exists()


def test_parts_gold_and_other_studies_items_are_not_chosen(as_owner, study):
    whole = study.items.first()
    part = factories.make_item(study, "part", parent=whole)
    other = factories.make_item(factories.make_study("other"), "theirs")
    Study.objects.filter(pk=study.pk).update(
        extra={"gold": [{"item": whole.key, "answers": {"a": 4}}]}
    )
    for item in (part, other, whole):
        assert as_owner.get(f"{PAGE}?item={item.key}").status_code == 400


def test_before_there_are_items_an_example_stands_for_them(as_owner, owner):
    study = factories.make_study("empty", owner=owner)
    page = as_owner.get(open_preview(as_owner, study="empty"), follow=True).content.decode()
    assert "The text of an item stands here." in page and "Page 1 of 1" in page
    assert not study.items.exists()
    study.questions.all().delete()
    page = as_owner.get(open_preview(as_owner, study="empty"), follow=True).content.decode()
    assert "not ready" in page


def test_opening_takes_few_queries(as_owner, owner, django_assert_max_num_queries):
    factories.make_study("many", owner=owner, items=40, items_per_session=30)
    with django_assert_max_num_queries(45):
        address = open_preview(as_owner, study="many")
    pace_of(Study.objects.get(slug="many"))
    with django_assert_max_num_queries(12):
        as_owner.get(f"{address}item/7/")


# What it leaves alone, and its end


def test_a_preview_goes_when_another_is_opened_and_after_a_day(as_owner, study):
    first = walk(as_owner, study)
    open_preview(as_owner)
    assert not Session.objects.filter(pk=first.pk).exists() and not Rating.objects.exists()
    copies = Study.objects.filter(preview_of=study)
    previews.remove_old()
    assert copies.count() == 1
    copies.update(created_at=timezone.now() - timedelta(hours=25))
    tend_uploads()
    assert copies.count() == 0 and Study.objects.get() == study


def test_each_person_has_a_preview_of_their_own(as_owner, study):
    mine = open_preview(as_owner)
    editor = factories.make_user("editor")
    study.memberships.create(user=editor, role="editor")
    theirs = Client()
    theirs.force_login(editor, "django.contrib.auth.backends.ModelBackend")
    open_preview(theirs)
    assert as_owner.get(mine, follow=True).status_code == 200
    assert Study.objects.filter(preview_of=study).count() == 2


def test_a_study_with_previews_can_be_deleted(as_owner, study):
    walk(as_owner, study)
    as_owner.post("/studies/films/delete/", {"slug": "films"})
    assert deleting.delete_study(study.pk)
    assert not Study.objects.exists() and not Item.objects.exists()


def test_a_preview_takes_no_place_that_is_kept_for_a_recipient_and_none_is_kept_in_it(
    as_owner, study
):
    links.make(study, links.for_recipients(study))
    kept = kept_places.kept_places(study)
    open_preview(as_owner, "show=instructions")
    kept_places.settle_all()
    assert kept and kept_places.kept_places(study) == kept
    assert not Place.objects.filter(study__preview_of=study, kept_for__isnull=False).exists()


def test_what_does_not_load_in_a_preview_is_not_counted(as_owner, study):
    study.contents.update(image_url="https://media.example.org/a.png")
    address = open_preview(as_owner)
    sent = {"content": study.contents.get().pk, "kind": "image"}
    assert as_owner.post(f"{address}missing/", sent).status_code == 204
    assert not MissingMedia.objects.exists()


def test_checks_gold_and_repeats_stand_in_a_preview(as_owner, study):
    check = {"key": "a", "text": "Choose A.", "options": ["A", "B"], "right": ["A"], "after": 1}
    study.items_per_session = 2
    study.extra = {
        "attention": [check],
        "gold": [{"item": "item-0", "answers": {"accuracy": 4}, "tolerance": 1}],
        "gold_per_session": 1,
        "repeats": 1,
    }
    study.save()
    page = as_owner.get(open_preview(as_owner, "show=check-a"), follow=True).content.decode()
    assert "Choose A." in page and "of 5" in page
    assert set(begun().screens.among_items().values_list("kind", flat=True)) == set(
        Screen.AMONG_ITEMS
    )
