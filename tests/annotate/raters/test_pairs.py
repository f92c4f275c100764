"""Pairs of lists: answers about parts belong to the pair's place; sides are shuffled and kept."""

import csv
import re
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client

from annotate.design.minutes import pace_of
from annotate.models import Item, Place, Rating, Screen, Session
from annotate.raters.screens import ItemPage, labelled_lines
from annotate.sessions import places
from annotate.sessions import session as sessions
from annotate.values.scales import parse_scale
from tests import factories
from tests.annotate.raters.test_preview import begun, normal, open_preview
from tests.annotate.sessions.test_save import meet
from tests.annotate.sessions.test_session import go_quiet
from tests.podcasts import make_pair, make_podcasts

pytestmark = pytest.mark.django_db
VERDICT = "better-list"
VALUE_OF = {"A": 1, "tie": 2, "B": 3}


@pytest.fixture
def podcasts(owner):
    return make_podcasts(owner)


def new_session(study):
    session = sessions.begin_visit(study, {}, consents=True)
    assert sessions.begin(session)
    return Session.objects.get(pk=session.pk)


def session_with(study, side, key="pair-1"):
    """A session whose first list of a pair is that side: draws until one comes."""
    for _ in range(30):
        session = new_session(study)
        if session.places.get(item__key=key).first_side == side:
            return session
        places.release([session.pk])
    raise AssertionError("thirty draws of one side")


def fields_of(place, likert="4", verdict="A"):
    """The fields of a pair's page with an answer each."""
    study, questions = place.study, {q.key: q.pk for q in place.study.questions.all()}
    fields = {
        f"q{questions['episode-fit']}i{episode.pk}": likert
        for episode in study.items.filter(parent=place.item)
    }
    return fields | {f"q{questions['better-list']}": str(VALUE_OF[verdict])}


def post(client, place, data):
    address = f"/r/{place.session.token}/item/{place.position}/"
    return client.post(address, {"item": place.item_id, **data})


def answer(client, place, item, key, value, name=None):
    question = place.study.questions.get(key=key)
    part = "" if item.pk == place.item_id else f"i{item.pk}"
    address = f"/r/{place.session.token}/answer/{item.pk}/{question.pk}/"
    return client.post(address, {name or f"q{question.pk}{part}": value})


def pair_place(session, key="pair-1"):
    return session.places.select_related("item", "session", "study").get(item__key=key)


# Order and sides


def test_profiles_come_first_and_only_pairs_have_a_side(podcasts):
    for _ in range(2):
        held = list(new_session(podcasts).places.order_by("position").select_related("item"))
        assert [place.item.kind for place in held] == ["profile", "list_pair", "list_pair"]
        assert held[0].first_side == "" and {place.first_side for place in held[1:]} <= {"A", "B"}


def test_both_sides_come_first_about_equally_often(podcasts):
    drawn = [
        places.drawn_side(Session(pk=pk, study=podcasts), item)
        for pk in range(200)
        for item in (1, 2)
    ]
    assert 160 < drawn.count("A") < 240
    again = places.drawn_side(Session(pk=7, study=podcasts), 1)
    assert again == places.drawn_side(Session(pk=7, study=podcasts), 1)


@pytest.mark.parametrize("side, names", [("A", ["alpha", "beta"]), ("B", ["beta", "alpha"])])
def test_the_lists_stand_in_the_order_of_the_place(client, podcasts, side, names):
    session = session_with(podcasts, side)
    place = pair_place(session)
    page = client.get(f"/r/{session.token}/item/{place.position}/").content.decode()
    heads = re.findall(r'<h3 class="title">Episode pair-1 (\w+) (\d)</h3>', page)
    assert heads == [(name, str(number)) for name in names for number in (1, 2, 3)]
    other = "B" if side == "A" else "A"
    shown = re.findall(
        r'value="(\d)" aria-keyshortcuts="(\d)[^>]*> <span>(List 1|Both fit equally well|List 2)',
        page,
    )
    assert shown == [
        (str(VALUE_OF[side]), "1", "List 1"),
        ("2", "0", "Both fit equally well"),
        (str(VALUE_OF[other]), "2", "List 2"),
    ]
    assert "two-tower" not in page and "popular" not in page


def test_a_resumed_session_sees_the_same_side(client, podcasts):
    session = session_with(podcasts, "B")
    place = pair_place(session)
    episode = podcasts.items.get(key="pair-1-A-1")
    assert answer(client, place, episode, "episode-fit", "2").status_code == 200
    go_quiet(session)
    assert sessions.resume(Session.objects.get(pk=session.pk))
    assert pair_place(session).first_side == "B"


@pytest.mark.parametrize(
    "labels, first, shown",
    [
        (["A", "tie", "B"], "A", [(1, "List 1"), (2, "Both fit equally well"), (3, "List 2")]),
        (["A", "tie", "B"], "B", [(3, "List 1"), (2, "Both fit equally well"), (1, "List 2")]),
        (["B", "A", "both fit"], "A", [(2, "List 1"), (1, "List 2"), (3, "Both fit")]),
        (["B", "A", "both fit"], "B", [(1, "List 1"), (2, "List 2"), (3, "Both fit")]),
    ],
)
def test_a_choice_about_sides_keeps_its_values(labels, first, shown):
    scale = parse_scale({"choice": labels})
    assert scale.is_about_sides and scale.shown_sides(first) == shown
    assert not parse_scale({"choice": ["A", "C"]}).is_about_sides
    assert not parse_scale("likert5").is_about_sides


# Saves


def test_a_place_is_filled_by_the_last_answer_about_a_part_or_the_pair(client, podcasts):
    place = pair_place(new_session(podcasts))
    *some, last = podcasts.items.filter(parent=place.item)
    assert answer(client, place, place.item, "better-list", "2").status_code == 200
    for episode in some:
        assert answer(client, place, episode, "episode-fit", "4").status_code == 200
    assert Place.objects.get(pk=place.pk).state == "held"
    answer(client, place, last, "episode-fit", "1")
    assert Place.objects.get(pk=place.pk).state == "filled"
    assert Rating.objects.count() == 7
    assert set(Rating.objects.values_list("first_side", flat=True)) == {place.first_side}
    assert Rating.objects.get(item=last).value == 1


def test_a_plain_item_has_no_side(client, podcasts):
    place = pair_place(new_session(podcasts), "profile-1")
    assert answer(client, place, place.item, "profile-interests", "3").status_code == 200
    assert Rating.objects.get().first_side == ""


def test_all_answers_of_the_page_are_stored_one_by_one(client, podcasts):
    place = pair_place(session_with(podcasts, "B"))
    fields = fields_of(place, verdict="A")
    episodes = list(podcasts.items.filter(parent=place.item))
    values = {episode.key: number % 5 + 1 for number, episode in enumerate(episodes)}
    for name, episode in zip(fields, episodes, strict=False):
        fields[name] = str(values[episode.key])
    assert post(client, place, fields).status_code == 303
    stored = dict(Rating.objects.values_list("item__key", "value"))
    assert stored == values | {"pair-1": 1.0}
    assert Place.objects.get(pk=place.pk).state == "filled"


def test_a_gap_in_a_part_is_marked_there(client, podcasts):
    place = pair_place(new_session(podcasts))
    fields = fields_of(place)
    missing = next(iter(fields))
    del fields[missing]
    response = post(client, place, fields)
    page = response.content.decode()
    assert response.status_code == 422 and "1 answer missing" in page
    gap = re.findall(r'<fieldset id="question-([\di]+)" class="question card gap"', page)
    assert gap == [missing[1:]] and page.count(" autofocus") == 1
    assert page.count(" checked") == 6 and Rating.objects.count() == 6
    assert Place.objects.get(pk=place.pk).state == "held"


def test_a_session_with_a_gap_in_a_part_leads_back_to_it(client, podcasts):
    session = new_session(podcasts)
    profile, first, second = session.places.order_by("position")
    post(
        client,
        profile,
        {
            f"q{q.pk}": "4"
            for q in podcasts.questions.exclude(key="profile-comment")
            if q.applies_to_kind("profile")
        },
    )
    post(client, first, dict(list(fields_of(first).items())[1:]))
    assert post(client, second, fields_of(second))["Location"].endswith("/item/2/")
    assert sessions.first_gap(session) == 2
    assert post(client, first, fields_of(first)).status_code == 303
    assert post(client, second, fields_of(second))["Location"] == f"/r/{session.token}/"
    assert Session.objects.get(pk=session.pk).state == "completed"


def test_a_resumed_session_puts_whole_pairs_first_and_keeps_them_filled(client, podcasts):
    session = new_session(podcasts)
    whole, part = pair_place(session, "pair-2"), pair_place(session, "pair-1")
    post(client, whole, fields_of(whole))
    answer(client, part, podcasts.items.get(key="pair-1-B-2"), "episode-fit", "5")
    go_quiet(session)
    assert sessions.resume(Session.objects.get(pk=session.pk))
    held = session.places.order_by("position").values_list("item__key", "state")
    assert list(held) == [("pair-2", "filled"), ("pair-1", "held"), ("profile-1", "held")]


def test_an_optional_text_about_a_part_is_taken_back_there_only(client, podcasts):
    factories.make_question(
        podcasts, "why", scale="text", required=False, applies_to=["recommendation"]
    )
    place = pair_place(new_session(podcasts))
    one, two = podcasts.items.filter(parent=place.item)[:2]
    for episode in (one, two):
        answer(client, place, episode, "why", f"Because {episode.key}")
    answer(client, place, one, "why", "")
    assert list(Rating.objects.values_list("item__key", "text")) == [
        (two.key, f"Because {two.key}")
    ]


def test_nobody_answers_about_a_part_of_anothers_pair(client, podcasts):
    mine, theirs = new_session(podcasts), new_session(podcasts)
    theirs.places.filter(item__key="pair-1").update(state="open", session=None, rater=None)
    place = pair_place(mine)
    episode = podcasts.items.get(key="pair-1-A-1")
    question = podcasts.questions.get(key="episode-fit")
    address = f"/r/{theirs.token}/answer/{episode.pk}/{question.pk}/"
    name = f"q{question.pk}i{episode.pk}"
    assert Client().post(address, {name: "1"}).status_code == 409
    wrong = answer(client, place, episode, "better-list", "1")
    assert wrong.status_code == 409  # not asked of an episode
    assert not Rating.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_the_last_two_answers_at_once_fill_the_place(podcasts):
    place = pair_place(new_session(podcasts))
    questions = list(podcasts.questions.all())
    fit, better = (next(q for q in questions if q.key == key) for key in ("episode-fit", VERDICT))
    episodes = list(podcasts.items.filter(parent=place.item))
    some = [sessions.SentAnswer(fit, 4.0, item_id=episode.pk) for episode in episodes]
    sessions.save_answers(place, questions, some[:-1])

    def last():
        try:
            return sessions.save_answers(place, questions, [sessions.SentAnswer(better, 2.0)])
        finally:
            connection.close()

    assert meet(lambda: sessions.save_answers(place, questions, some[-1:]), last) == []
    assert Place.objects.get(pk=place.pk).state == "filled" and Rating.objects.count() == 7


SAVE_PAIR = {"sqlite": 7, "postgresql": 1}


def test_a_save_about_a_part_needs_no_query_more(podcasts, django_assert_num_queries):
    place = pair_place(new_session(podcasts))
    questions = list(podcasts.questions.all())
    fit = next(q for q in questions if q.key == "episode-fit")
    episode = podcasts.items.get(key="pair-1-A-1")
    with django_assert_num_queries(SAVE_PAIR[connection.vendor]):
        sessions.save_answers(place, questions, [sessions.SentAnswer(fit, 4.0, item_id=episode.pk)])


def test_a_page_of_a_pair_takes_few_queries(client, podcasts, django_assert_max_num_queries):
    session = new_session(podcasts)
    position = pair_place(session).position
    pace_of(podcasts)  # kept for five minutes
    with django_assert_max_num_queries(7):
        client.get(f"/r/{session.token}/item/{position}/")


def test_a_study_that_asks_only_about_episodes_hands_out_pairs(podcasts):
    podcasts.questions.exclude(key="episode-fit").delete()
    assert {place.item.kind for place in new_session(podcasts).places.all()} == {"list_pair"}


# The page


def test_the_profile_of_the_recipient_stands_with_the_lists(client, podcasts):
    session = new_session(podcasts)
    place = pair_place(session)
    # Not before: with one item more than a session has, the pair could be the one left out.
    factories.make_item(podcasts, "p2", recipient="r2", kind="profile", text="OTHER-PROFILE")
    page = client.get(f"/r/{session.token}/item/{place.position}/").content.decode()
    assert "Likes history and long interviews." in page and "OTHER-PROFILE" not in page
    theirs = Place(item=make_pair(podcasts, "pair-9", recipient="r2"), session=session)
    assert ItemPage(theirs, []).profile() == "OTHER-PROFILE"
    podcasts.items.filter(kind="profile").delete()
    page = client.get(f"/r/{session.token}/item/{place.position}/").content.decode()
    assert "Profile" not in page


def test_the_preview_of_a_pair_is_the_raters_page(as_owner, client, podcasts):
    open_preview(as_owner, "item=pair-1", study="podcasts")
    own = begun("podcasts")
    side = own.places.get(item__key="pair-1").first_side
    session = session_with(podcasts, side)
    for one in (own, session):
        one.places.update(position=None)
        one.places.filter(item__key="pair-1").update(position=2)
    real = client.get(f"/r/{session.token}/item/2/").content.decode()
    page = as_owner.get(f"/r/{own.token}/item/2/").content.decode()
    assert normal(page, own.token) == normal(real, session.token)
    given = [
        {"item": one.places.get(position=2).item_id, "go": "next", "shown": "1"}
        for one in (own, session)
    ]
    page = as_owner.post(f"/r/{own.token}/item/2/", given[0])
    real = client.post(f"/r/{session.token}/item/2/", given[1])
    assert real.status_code == page.status_code == 422
    assert "7 answers missing" in page.content.decode()
    assert normal(page.content.decode(), own.token) == normal(real.content.decode(), session.token)
    onward = as_owner.post(
        f"/r/{own.token}/item/2/", given[0] | fields_of(own.places.get(position=2))
    )
    assert onward.status_code == 303
    assert not Rating.objects.filter(session__study=podcasts).exists()


# The export


def exported(table):
    out = StringIO()
    call_command("export", "podcasts", table, stdout=out)
    return list(csv.DictReader(StringIO(out.getvalue())))


@pytest.mark.parametrize("side", ["A", "B"])
@pytest.mark.parametrize("verdict", ["A", "tie", "B"])
def test_the_export_tells_sides_and_what_stood_first(client, podcasts, side, verdict):
    session = session_with(podcasts, side)
    place = pair_place(session)
    post(client, place, fields_of(place, verdict=verdict))
    Session.objects.filter(pk=session.pk).update(state="completed")
    for table in ("scores", "ratings"):
        rows = {row["item"]: row for row in exported(table)}
        assert len(rows) == 7
        assert {row["first_side"] for row in rows.values()} == {side}
        assert rows["pair-1"]["value"] == verdict
    # A place that goes to somebody else takes nothing away.
    places.release([session.pk])
    assert {row["first_side"] for row in exported("scores")} == {side}


@pytest.mark.parametrize(
    "text, lines",
    [
        (
            "Topics: the sea\n\n- **Style**: long: calm",
            [("Topics", "the sea"), ("Style", "long: calm")],
        ),
        ("主题：历史\n风格：长谈", [("主题", "历史"), ("风格", "长谈")]),
        ("Listens on the way to work: mostly.\nLikes history.", []),
        ("Topics: the sea", []),
        ("", []),
    ],
)
def test_a_profile_of_labelled_lines_is_split_and_any_other_text_is_kept(text, lines):
    assert labelled_lines(text) == lines


def test_the_profile_is_unfolded_at_the_first_pair_and_folded_at_the_next(client, podcasts):
    Item.objects.filter(kind="profile").update(text="Topics: the sea\nStyle: calm")
    session = new_session(podcasts)
    positions = sorted(
        place.position for place in session.places.all() if place.item.kind == "list_pair"
    )
    pages = [
        client.get(f"/r/{session.token}/item/{position}/").content.decode()
        for position in positions
    ]
    assert ['<details class="card profile" open>' in page for page in pages] == [True, False]
    assert all("<dt>Topics</dt><dd>the sea</dd>" in page for page in pages)


def test_a_pair_that_is_asked_again_has_its_profile_folded_like_any_later_pair(client, podcasts):
    Item.objects.filter(kind="profile").update(text="Topics: the sea\nStyle: calm")
    session = new_session(podcasts)
    place, last = pair_place(session), session.places.order_by("position").last().position
    Screen.objects.create(
        session=session, item=place.item, kind=Screen.Kind.REPEAT, position=last + 1
    )
    page = client.get(f"/r/{session.token}/item/{last + 1}/").content.decode()
    assert '<details class="card profile">' in page
    Screen.objects.update(position=0)  # before all others
    page = client.get(f"/r/{session.token}/item/{place.position}/").content.decode()
    assert '<details class="card profile">' in page


def test_both_lists_are_said_again_where_they_are_compared(client, podcasts):
    session = new_session(podcasts)
    page = client.get(f"/r/{session.token}/item/{pair_place(session).position}/").content.decode()
    recap = page[page.index('class="recap"') : page.index("Which list better")]
    assert recap.count("<li") == 6
