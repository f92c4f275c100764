"""The quality page and a rater's page: who looks, who changes, what they say."""

import re
from html import unescape

import pytest

from annotate.models import (
    Membership,
    QualityStep,
    Rater,
    Rating,
    RatingRevision,
    Session,
    Tombstone,
)
from annotate.quality.measures import PARTICIPANT
from annotate.sessions import exclude
from tests import factories
from tests.annotate.sessions.test_exclude import begun, done
from tests.annotate.sessions.test_session import save
from tests.annotate.studies.test_views import login, member

pytestmark = pytest.mark.django_db
QUALITY = "/studies/films/quality/"
FAST = {"rule": "too_fast", "seconds": "5", "items": "2"}


@pytest.fixture
def study(owner):
    """Four items that want two raters each; ann took 1 s for each of her items, bob 9 s."""
    study = factories.make_study(owner=owner, items=4, raters_per_item=2)
    for name, seconds in (("ann", 1.0), ("bob", 9.0)):
        session = done(study)
        Rater.objects.filter(pk=session.rater_id).update(key=name)
        session.ratings.update(seconds=seconds)
    return study


def text_of(response):
    """The words of a page, without its tags."""
    page = re.sub(r"<[^>]+>", " ", response.content.decode())
    return " ".join(unescape(page).split())


def preview_of(client, **changes):
    response = client.get(QUALITY, FAST | changes)
    return response, text_of(response)


def applying(response, **changes):
    found = response.context["preview"]
    given = {name: str(value) for name, value in found.parameters.items()}
    return given | {"seen": found.seen, "reopen": "on"} | changes


def excluded():
    return dict(Rater.objects.exclude(excluded_because="").values_list("key", "excluded_because"))


def test_a_preview_says_what_would_happen_and_changes_nothing(as_owner, study):
    factories.make_session(study, "cem", state="consent", source="web")
    _, text = preview_of(as_owner)
    assert "This rule would exclude 1 of 3 raters, and open 4 places." in text
    assert "1 rater cannot be judged: fewer than 2 items with a time." in text
    assert "too fast: median under 5 s per item" in text and "Exclude 1 rater" in text
    assert not excluded() and "No rule was applied yet" in text


def test_applying_and_undoing_is_one_click_each_and_logged(as_owner, study):
    response, _ = preview_of(as_owner)
    done = as_owner.post(f"{QUALITY}too_fast/apply/", applying(response), follow=True)
    assert "1 rater was excluded. 4 places opened." in text_of(done)
    assert excluded() == {"ann": "too fast: median under 5 s per item"}
    step = QualityStep.objects.get()
    assert (step.by_name, step.parameters) == ("owner", {"seconds": 5.0, "items": 2})
    log = text_of(done).split("Log What")[1]
    assert (
        log.startswith(" When Who Rule Raters Places Excluded Undo")
        and "owner Too fast: median" in log
        and "1 4 opened" in log
    )
    undone = as_owner.post(f"{QUALITY}{step.pk}/undo/", follow=True)
    assert "1 rater was included again. 4 of their places came back." in text_of(undone)
    assert not excluded() and "Included again" in text_of(undone).split("Log What")[1]
    again = as_owner.post(f"{QUALITY}{step.pk}/undo/", follow=True)
    assert "included again already" in text_of(again)


def test_undoing_says_how_many_places_could_not_be_given_back(as_owner, study):
    response, _ = preview_of(as_owner)
    as_owner.post(f"{QUALITY}too_fast/apply/", applying(response))
    done(study)
    step = QualityStep.objects.get()
    undone = as_owner.post(f"{QUALITY}{step.pk}/undo/", follow=True)
    assert "0 of their places came back. 4 had been taken by other raters" in text_of(undone)


def test_what_was_not_seen_is_not_applied(as_owner, study):
    response, _ = preview_of(as_owner)
    given = applying(response)
    Rating.objects.update(seconds=1.0)
    answer = as_owner.post(f"{QUALITY}too_fast/apply/", given)
    assert answer.status_code == 409 and not excluded()
    assert "concerns other raters" in text_of(answer)
    assert "would exclude 2 of 2 raters, and open 8 places" in text_of(answer)
    as_owner.post(f"{QUALITY}too_fast/apply/", applying(answer))
    assert set(excluded()) == {"ann", "bob"}


def test_places_stay_filled_where_the_box_is_empty(as_owner, study):
    given = applying(preview_of(as_owner)[0])
    del given["reopen"]
    page = as_owner.post(f"{QUALITY}too_fast/apply/", given, follow=True)
    assert "Their places stay filled." in text_of(page)
    assert not study.places.filter(state="open").exists()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"seconds": "soon"}, "Enter a number"),
        ({"seconds": "-1"}, "greater than or equal to 0.1"),
        ({"items": "1.5"}, "Enter a whole number"),
        ({"items": ""}, "This field is required"),
        ({"seconds": "nan"}, "Enter a number"),
    ],
)
def test_a_wrong_parameter_is_said_beside_its_field(as_owner, study, wrong, said):
    response, text = preview_of(as_owner, **wrong)
    assert response.status_code == 422 and said in text and "This rule would" not in text
    assert as_owner.post(f"{QUALITY}too_fast/apply/", FAST | wrong).status_code == 422


def test_an_unknown_rule_is_no_rule(as_owner, study):
    assert as_owner.get(QUALITY, {"rule": "by_hand"}).context["preview"] is None
    assert as_owner.post(f"{QUALITY}by_hand/apply/", {}).status_code == 404
    assert as_owner.post(f"{QUALITY}nothing/apply/", {}).status_code == 404


def test_a_rule_that_concerns_nobody_offers_no_button(as_owner, study):
    response, text = preview_of(as_owner, seconds="0.5")
    assert "would exclude nobody of 2 raters" in text and "Leave everything" not in text
    given = applying(response)
    assert as_owner.post(f"{QUALITY}too_fast/apply/", given).status_code == 409


def test_rules_without_data_are_named_and_not_offered(as_owner, study):
    text = text_of(as_owner.get(QUALITY))
    assert "Not offered" in text and "approval rate on the platform" in text
    Rater.objects.filter(key="ann").update(platform_ids={"approval_rate": 70})
    assert "Exclude below an approval rate" in text_of(as_owner.get(QUALITY))


def test_viewers_look_and_have_no_buttons(study):
    viewer, editor = (login(member(study, name, name)) for name in ("viewer", "editor"))
    response, text = preview_of(viewer)
    assert "would exclude 1 of 2" in text and "Leave everything" not in text
    assert editor.post(f"{QUALITY}too_fast/apply/", applying(response)).status_code == 302
    assert ">Undo" not in viewer.get(QUALITY).content.decode()


def test_the_page_of_a_study_without_raters_says_what_would_stand_there(as_owner, owner):
    factories.make_study("new-one", owner=owner)
    text = text_of(as_owner.get("/studies/new-one/quality/"))
    assert "Nobody has rated yet" in text and "No rule was applied yet" in text


@pytest.mark.parametrize("query", [{}, FAST])
def test_the_quality_page_takes_few_queries(
    as_owner, study, owner, query, django_assert_max_num_queries
):
    for number in range(30):
        rater = factories.make_session(study, f"r{number}").rater
        exclude.exclude_by_hand(rater, owner, f"reason {number}")
    with django_assert_max_num_queries(12):
        assert as_owner.get(QUALITY, query).status_code == 200


# A rater's own page


def test_a_raters_page_shows_answers_with_their_changes(as_owner, study):
    session = Session.objects.get(rater__key="ann")
    study.places.all().delete()
    rating = session.ratings.get(item__key="item-1", question__key="accuracy")
    at = rating.revisions.get().at
    RatingRevision.objects.filter(rating=rating).delete()
    for value in (2, 5, 4):
        RatingRevision.objects.create(rating=rating, value=value, at=at)
    page = as_owner.get(f"/studies/films/raters/{session.rater_id}/")
    text = text_of(page)
    assert "item-1 accuracy 4 1" in text
    clock = at.strftime("%H:%M:%S")
    assert f"2 ( {clock} ) , 5 ( {clock} )" in text
    assert len(page.context["rows"]) == 16
    assert not any(counts for _, _, counts in page.context["rows"]), "the places are gone"


def test_excluding_by_hand_needs_a_reason(as_owner, study):
    rater = Rater.objects.get(key="ann")
    address = f"/studies/films/raters/{rater.pk}/"
    wrong = as_owner.post(f"{address}exclude/", {"reason": " "})
    assert wrong.status_code == 422 and "This field is required" in text_of(wrong)
    assert as_owner.post(f"{address}exclude/", {"reason": "x" * 201}).status_code == 422
    done = as_owner.post(f"{address}exclude/", {"reason": "asleep", "reopen": "on"}, follow=True)
    assert "excluded asleep" in text_of(done) and "By hand" in text_of(done)
    assert study.places.filter(state="open").count() == 4
    twice = as_owner.post(f"{address}exclude/", {"reason": "asleep"}, follow=True)
    assert "is excluded already" in text_of(twice)
    back = as_owner.post(f"{address}include/", follow=True)
    assert "1 rater was included again. 4 of their places came back." in text_of(back)
    assert "is not excluded" in text_of(as_owner.post(f"{address}include/", follow=True))


def test_deleting_asks_once_and_names_what_goes(as_owner, study):
    rater = Rater.objects.get(key="ann")
    address = f"/studies/films/raters/{rater.pk}/delete/"
    asked = text_of(as_owner.get(address))
    assert "1 session and 16 answers" in asked and Rater.objects.count() == 2
    done = as_owner.post(address, follow=True)
    assert "The rater and 16 answers were deleted." in text_of(done)
    assert "ann" not in re.findall(r"\w+", text_of(as_owner.get(QUALITY)))
    stone = Tombstone.objects.get()
    assert (stone.rating_count, stone.session_count, stone.by_name) == (16, 1, "owner")
    assert "Deleted on request" in text_of(as_owner.get(QUALITY))
    assert as_owner.get(address).status_code == 404


def test_platform_ids_are_shown_to_and_searched_by_owners_only(as_owner, study):
    rater = Rater.objects.get(key="ann")
    Rater.objects.filter(pk=rater.pk).update(platform_ids={PARTICIPANT[0]: "5f-secret"})
    editor = login(member(study, "ed", Membership.Role.EDITOR))
    address = f"/studies/films/raters/{rater.pk}/"
    assert "5f-secret" in text_of(as_owner.get(address))
    assert "5f-secret" not in text_of(editor.get(address))
    find = "/studies/films/raters/find/"
    assert as_owner.get(find, {"q": " 5f-secret "}).url == address
    assert editor.get(find, {"q": "5f-secret"}).url == "/studies/films/raters/"
    assert editor.get(find, {"q": "ann"}).url == address
    missing = as_owner.get(find, {"q": "<b>nobody\0"}, follow=True)
    assert "No rater of this study is called “<b>nobody”." in text_of_escaped(missing)


def text_of_escaped(response):
    page = response.content.decode()
    assert "<b>nobody" not in page
    return unescape(page)


def test_what_people_typed_is_shown_and_never_run(as_owner, study, owner):
    bad = "<script>alert(1)</script>"
    rater = Rater.objects.get(key="ann")
    Rater.objects.filter(pk=rater.pk).update(key=bad)
    why = factories.make_question(study, "why", scale="text", required=False)
    rating = rater.sessions.get().ratings.first()
    factories.make_rating(rating.session, rating.item, why, None, text=bad, reason=bad)
    exclude.exclude_by_hand(rater, owner, bad)
    for path in (f"raters/{rater.pk}/", f"raters/{rater.pk}/delete/", "raters/", "quality/"):
        page = as_owner.get(f"/studies/films/{path}").content.decode()
        assert bad not in page and "&lt;script&gt;alert(1)" in page, path


def test_the_page_of_a_rater_takes_few_queries(as_owner, study, django_assert_max_num_queries):
    rater = Rater.objects.get(key="ann")
    with django_assert_max_num_queries(12):
        as_owner.get(f"/studies/films/raters/{rater.pk}/")


def test_a_rater_at_work_is_named_as_such(as_owner, owner):
    study = factories.make_study("busy", owner=owner, items=4)
    session = begun(study)
    save(session, 1, {"accuracy": 3.0})
    Rating.objects.update(seconds=0.5)
    page = text_of(as_owner.get(f"/studies/busy/raters/{session.rater_id}/"))
    assert "This rater is rating right now" in page
    page = text_of(as_owner.get("/studies/busy/quality/", FAST | {"items": 1}))
    assert "would exclude 1 of 1 rater, and open 0 places" in page
    assert "1 of them is rating right now" in page
