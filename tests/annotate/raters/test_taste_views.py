"""Raters who bring their own taste: they pick, wait for their lists, and rate these."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotate.models import (
    Interaction,
    Item,
    Making,
    Pick,
    Place,
    Rater,
    Rating,
    Recipient,
    Session,
    Study,
)
from annotate.sessions import places
from judges.runs.making import make as making
from tests.annotate.raters.test_preview import begun, open_preview
from tests.annotate.sessions.test_steps import state, text_of
from tests.picking import PAIR, arrive, make_taste_study, pick, press

pytestmark = pytest.mark.django_db
State = Session.State


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch):
    """The test itself is the worker."""
    monkeypatch.setattr(making.nudge, "send", lambda task, pk: None)


@pytest.fixture
def study(owner):
    return make_taste_study(owner)


def go_on(client, session):
    return press(client, session, go="next")


def begin(client, session):
    return client.post(f"/r/{session.token}/begin/", follow=True)


def test_a_session_from_the_picks_to_the_last_page(client, study):
    session = arrive(client)
    page = client.get(f"/r/{session.token}/", follow=True)
    assert state(session) == State.TASTE
    assert "What you like" in text_of(page) and "Totoro" in text_of(page)
    page = client.get(f"/r/{session.token}/taste/", {"q": "ali"})
    assert "Aliens" in text_of(page) and "Totoro" not in text_of(page)
    page = pick(client, session, "alien", "jaws")
    assert "2 of at most 3 picked" in text_of(page)
    assert "What to do" in text_of(go_on(client, session))
    assert state(session) == State.INSTRUCTIONS
    assert "Your lists are being made" in text_of(begin(client, session))
    assert state(session) == State.WAITING
    making.make(Making.objects.get().pk)
    page = client.get(f"/r/{session.token}/waiting/")
    assert "Your lists are ready" in text_of(page)
    begin(client, session)
    assert state(session) == State.RATING
    pair = Place.objects.get(session=session).item
    session.rater.refresh_from_db()
    assert pair.kind == "list_pair" and pair.recipient == session.rater.recipient
    near = pair.children.filter(system__key="near").order_by("position")
    # Psycho shares horror with both picks, Solaris and Aliens share space with one of them.
    assert near[0].content.key == "psycho" and near.count() == 2
    better, fits = study.questions.order_by("position")
    data = {"item": pair.pk, "go": "next", f"q{better.pk}": "1"}
    data |= {f"q{fits.pk}i{part.pk}": "4" for part in pair.children.all()}
    client.post(f"/r/{session.token}/item/1/", data, follow=True)
    assert state(session) == State.COMPLETED
    assert Rating.objects.filter(session=session).count() == 5
    history = Interaction.objects.filter(recipient=pair.recipient)
    assert sorted(history.values_list("content__key", flat=True)) == ["alien", "jaws"]


def test_who_brought_taste_is_told_that_all_of_it_goes(client, study):
    session = arrive(client)
    pick(client, session, "alien", "jaws")
    go_on(client, session)
    begin(client, session)
    making.make(Making.objects.get().pk)
    text = text_of(client.get(f"/r/{session.token}/withdraw/"))
    assert "What you picked at the beginning, and the lists that were made from it" in text
    assert "had of you before you came" not in text


def test_too_few_picks_are_asked_for_and_too_many_cannot_be_made(client, study):
    session = arrive(client)
    page = pick(client, session, "alien")
    page = press(client, session, follow=False, go="next")
    assert page.status_code == 422 and "Please pick 1 more." in text_of(page)
    assert state(session) == State.TASTE and not Making.objects.exists()
    page = pick(client, session, "jaws", "heat", "psycho")
    assert Pick.objects.count() == 3 and 'name="add"' not in text_of(page)
    press(client, session, remove=Pick.objects.first().content_id)
    assert sorted(pick.content.key for pick in Pick.objects.all()) == ["heat", "jaws"]


@pytest.mark.parametrize("pk", ["x", "0", "9" * 30, "\0"])
def test_what_is_no_content_of_the_study_is_not_picked(client, study, pk):
    session = arrive(client)
    assert press(client, session, add=pk, q="\0").status_code == 200
    assert not Pick.objects.exists()


def test_two_tabs_and_a_second_press_want_a_single_set(client, study):
    session = arrive(client)
    pick(client, session, "alien", "jaws")
    for _ in range(2):
        assert "What to do" in text_of(go_on(client, session))
    pick(client, session, "heat")
    assert Making.objects.count() == 1 and Pick.objects.count() == 2
    for _ in range(2):
        making.make(Making.objects.get().pk)
    assert Item.objects.filter(parent=None).count() == 1 and Recipient.objects.count() == 1


def test_nothing_found_leads_kindly_to_an_end_with_its_pay(client, owner):
    taste = PAIR | {"sources": [{"system": "near", "columns": ["directors"]}]}
    study = make_taste_study(owner, taste)
    study.extra["screen_out_pay"] = "You are paid $0.14."
    study.save()
    session = arrive(client)
    pick(client, session, "alien", "jaws")
    go_on(client, session)
    begin(client, session)
    making.make(Making.objects.get().pk)
    assert Making.objects.get().why == "The source near found nothing for these picks."
    page = text_of(client.get(f"/r/{session.token}/waiting/"))
    assert "We could not make your lists" in page and state(session) == State.WAITING
    page = text_of(begin(client, session))
    assert state(session) == State.SCREENED_OUT
    assert "It is our fault, not yours." in page and "You are paid $0.14." in page


def test_a_set_that_nobody_makes_ends_the_visit_after_some_minutes(client, study):
    session = arrive(client)
    pick(client, session, "alien", "jaws")
    go_on(client, session)
    begin(client, session)
    Making.objects.update(wanted_at=timezone.now() - timedelta(minutes=11))
    assert "could not make" in text_of(client.get(f"/r/{session.token}/waiting/"))
    begin(client, session)
    assert state(session) == State.SCREENED_OUT
    making.make(Making.objects.get().pk)
    assert not Item.objects.exists() and not Recipient.objects.exists()


def test_who_leaves_while_they_wait_comes_back_to_their_lists(client, study):
    session = arrive(client)
    pick(client, session, "alien", "jaws")
    go_on(client, session)
    begin(client, session)
    Session.objects.update(last_seen_at=timezone.now() - timedelta(days=1))
    assert places.release_expired(timezone.now()) == 1
    making.make(Making.objects.get().pk)
    assert "Welcome back" in text_of(client.get(f"/r/{session.token}/"))
    assert "What to do" in text_of(begin(client, session))
    begin(client, session)
    assert state(session) == State.RATING


def test_a_source_alone_gives_contents_that_each_stand_by_themselves(client, owner):
    taste = PAIR | {"sources": PAIR["sources"][:1]}
    make_taste_study(owner, taste, kind="recommendation", items_per_session=1)
    session = arrive(client)
    pick(client, session, "alien", "jaws")
    go_on(client, session)
    making.make(Making.objects.get().pk)
    begin(client, session)
    items = [place.item for place in session.places.all()]
    assert [item.kind for item in items] == ["recommendation"] * 2
    assert {item.system.key for item in items} == {"near"}


def test_others_never_rate_what_was_made_for_somebody(client, study):
    session = arrive(client)
    pick(client, session, "alien", "jaws")
    go_on(client, session)
    making.make(Making.objects.get().pk)
    begin(client, session)
    Session.objects.update(last_seen_at=timezone.now() - timedelta(days=1))
    places.release_expired(timezone.now())
    other = arrive(client)
    pick(client, other, "heat", "psycho")
    go_on(client, other)
    making.make(Making.objects.last().pk)
    begin(client, other)
    recipients = {place.item.recipient.key for place in other.places.all()}
    assert recipients == {f"own-{other.rater.key}"}


def test_the_preview_shows_what_raters_pick_from_and_makes_no_lists(as_owner, study):
    assert "What they like" in text_of(as_owner.get("/studies/films/preview/"))
    address = open_preview(as_owner, "show=consent")
    taste = as_owner.post(address, {"consent": "yes"}, follow=True).request["PATH_INFO"]
    assert taste.endswith("/taste/")
    page = text_of(as_owner.get(taste, {"q": "solaris"}))
    assert "Solaris" in page and "Totoro" not in page
    for content in study.contents.all()[:3]:
        as_owner.post(taste, {"add": content.pk})
    assert "3 of at most 3 picked" in text_of(as_owner.get(taste))
    assert as_owner.post(taste, {"go": "next"}).url == taste.replace("taste/", "")
    session = begun()
    assert session.state == State.INSTRUCTIONS
    as_owner.post(f"/r/{session.token}/begin/")
    assert "The text of an item" in text_of(as_owner.get(f"/r/{session.token}/item/1/"))
    assert making.find_waiting() == [] and not Recipient.objects.exists()
    assert not Pick.objects.filter(session__study=study).exists()


def test_a_recipient_of_the_study_picks_nothing(client, study):
    recipient = Recipient.objects.create(study=study, key="r1")
    rater = Rater.objects.create(study=study, key="own", recipient=recipient)
    session = Session.objects.create(study=study, rater=rater, source="link")
    item = Item.objects.create(study=study, key="i", kind="list_pair", recipient=recipient)
    Place.objects.create(study=study, item=item, number=1, shuffle=1)
    client.post(f"/r/{session.token}/consent/", {"consent": "yes"})
    assert state(session) == State.INSTRUCTIONS
    begin(client, session)
    assert state(session) == State.RATING and session.places.get().item == item


def test_taste_that_is_asked_for_or_taken_away_meanwhile_leaves_nobody_stuck(client, study):
    taste = study.extra["taste"]
    Study.objects.update(extra={})
    session = Session.objects.create(
        study=study, rater=Rater.objects.create(study=study, key="b"), state=State.INSTRUCTIONS
    )
    Study.objects.update(extra={"taste": taste})
    begin(client, session)
    assert state(session) == State.TASTE
    pick(client, session, "alien", "jaws")
    Study.objects.update(extra={})
    page = client.get(f"/r/{session.token}/", follow=True)
    assert "not ready yet" in text_of(page)  # there is nothing else to rate
    Study.objects.update(extra={"taste": taste})
    go_on(client, session)
    begin(client, session)
    assert state(session) == State.WAITING


@pytest.mark.parametrize("lacks", ["contents", "questions"])
def test_a_study_from_which_nothing_could_be_made_lets_nobody_in(client, study, lacks):
    if lacks == "contents":
        study.contents.exclude(key="jaws").update(title="")
    else:
        study.questions.update(applies_to=["explanation"])
    assert "not ready yet" in text_of(client.get("/join/films/"))
    client.post("/join/films/", {"consent": "yes"})
    assert not Session.objects.exists()


def test_searches_cost_the_same_whatever_is_found(client, study, django_assert_num_queries):
    session = arrive(client)
    pick(client, session, "alien")
    with django_assert_num_queries(5) as few:
        client.get(f"/r/{session.token}/taste/", {"q": "totoro"})
    with django_assert_num_queries(len(few)):
        client.get(f"/r/{session.token}/taste/", {"q": "a"})
