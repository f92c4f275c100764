"""Excluding, the way back, forgetting: what opens, what comes back, what the log says."""

import pytest

from annotate.models import (
    ExcludedRater,
    FreedPlace,
    Place,
    QualityStep,
    Rater,
    Rating,
    Session,
    Tombstone,
)
from annotate.sessions import exclude as excluding
from annotate.sessions import places
from annotate.sessions import session as sessions
from tests import factories
from tests.annotate.sessions.test_session import all_at, place_at, save

State = Session.State


@pytest.fixture
def study(owner):
    """Four items that want two raters each; a rater gets all of them."""
    return factories.make_study(owner=owner, items=4, raters_per_item=2)


def begun(study):
    session = sessions.begin_visit(study, {}, consents=True)
    assert sessions.begin(session)
    return Session.objects.get(pk=session.pk)


def done(study, value=4.0):
    session = begun(study)
    answer_all(session, value)
    assert sessions.finish(session) is None
    return Session.objects.get(pk=session.pk)


def answer_all(session, value=4.0):
    for place in session.places.order_by("position"):
        save(session, place.position, all_at(session, value))


def exclude(study, owner, *some, **options):
    raters = {session.rater_id: 1.5 for session in some}
    return excluding.exclude(study, owner, "too_fast", "too fast: 5 s", raters, **options)


def place_rows(session):
    names = ("pk", "state", "rater", "session", "position")
    return list(Place.objects.filter(session=session).order_by("pk").values_list(*names))


def states(study):
    return sorted(study.places.values_list("state", flat=True))


@pytest.mark.django_db
def test_excluding_opens_places_and_leaves_a_line(study, owner):
    ann, bob = done(study), done(study)
    step = exclude(study, owner, ann, parameters={"seconds": 5})
    assert Rater.objects.get(pk=ann.rater_id).excluded_because == "too fast: 5 s"
    assert Rater.objects.get(pk=bob.rater_id).excluded_because == ""
    assert (step.kind, step.rule, step.by, step.by_name) == ("applied", "too_fast", owner, "owner")
    assert (step.rater_count, step.place_count, step.parameters) == (1, 4, {"seconds": 5})
    assert ExcludedRater.objects.get().measured == 1.5
    assert states(study) == ["filled"] * 4 + ["open"] * 4
    assert {r.session for r in Rating.objects.for_analysis()} == {bob}
    third = begun(study)
    assert third.places.count() == 4


@pytest.mark.django_db
def test_undoing_at_once_restores_everything(study, owner):
    ann = done(study)
    done(study)
    before = place_rows(ann), set(Rating.objects.for_analysis())
    undoing = excluding.undo(exclude(study, owner, ann), owner)
    assert (place_rows(ann), set(Rating.objects.for_analysis())) == before
    assert (undoing.kind, undoing.rater_count) == ("undone", 1)
    assert (undoing.place_count, undoing.lost_count) == (4, 0)
    assert not FreedPlace.objects.exists()


@pytest.mark.django_db
def test_a_place_that_somebody_took_meanwhile_stays_theirs(study, owner):
    ann, _ = done(study, 1.0), done(study, 2.0)
    step = exclude(study, owner, ann)
    new = done(study, 3.0)
    taken = new.places.first()
    Place.objects.filter(session=new).exclude(pk=taken.pk).update(
        state="open", rater=None, session=None, position=None
    )
    undoing = excluding.undo(step, owner)
    assert (undoing.place_count, undoing.lost_count) == (3, 1)
    taken.refresh_from_db()
    assert taken.session == new
    assert {row[2] for row in place_rows(ann)} == {ann.rater_id}
    counted = Rating.objects.for_analysis().filter(item=taken.item)
    assert set(counted.values_list("value", flat=True)) == {2.0, 3.0}, "no more than K raters"
    assert Rating.objects.for_analysis().filter(session=ann).count() == 3 * 4


@pytest.mark.django_db
def test_another_open_place_of_the_item_does_as_well(study, owner):
    ann = done(study)
    step = exclude(study, owner, ann)
    begun(study)  # takes the four places that ann had
    assert {p.number for p in study.places.filter(state="open")} == {2}
    undoing = excluding.undo(step, owner)
    assert (undoing.place_count, undoing.lost_count) == (4, 0)
    assert [row[1] for row in place_rows(ann)] == ["filled"] * 4
    assert {row[4] for row in place_rows(ann)} == {1, 2, 3, 4}


@pytest.mark.django_db
def test_a_place_that_was_dropped_meanwhile_cannot_come_back(study, owner):
    ann = done(study)
    step = exclude(study, owner, ann)
    study.places.all().delete()
    undoing = excluding.undo(step, owner)
    assert (undoing.place_count, undoing.lost_count) == (0, 4)


@pytest.mark.django_db
def test_a_rater_who_took_the_item_again_gets_no_second_place_of_it(study, owner):
    ann = done(study)
    step = exclude(study, owner, ann)
    again = Session.objects.create(study=study, rater=ann.rater, state="instructions")
    assert sessions.begin(again)
    undoing = excluding.undo(step, owner)
    assert (undoing.place_count, undoing.lost_count) == (0, 4)


@pytest.mark.django_db
def test_places_stay_filled_where_they_are_not_to_open(study, owner):
    ann = done(study)
    step = exclude(study, owner, ann, reopens=False)
    assert (step.place_count, len(place_rows(ann))) == (0, 4)
    undoing = excluding.undo(step, owner)
    assert (undoing.place_count, undoing.lost_count) == (0, 0)
    assert Rating.objects.for_analysis().count() == 16


@pytest.mark.django_db
def test_loaded_raters_come_back_whole(study, owner):
    ann = factories.make_session(study, "ann")
    for item in study.items.all():
        place = item.places.first()
        Place.objects.filter(pk=place.pk).update(state="filled", rater=ann.rater, session=ann)
        factories.make_rating(ann, item, study.questions.first(), 3)
    step = exclude(study, owner, ann)
    assert step.place_count == 4 and not Rating.objects.for_analysis().exists()
    excluding.undo(step, owner)
    assert Rating.objects.for_analysis().count() == 4 and len(place_rows(ann)) == 4


@pytest.mark.django_db
def test_nobody_is_excluded_or_included_twice(study, owner):
    ann, bob = done(study), done(study)
    first = exclude(study, owner, ann)
    with pytest.raises(excluding.NobodyLeft):
        exclude(study, owner, ann)
    second = exclude(study, owner, ann, bob)
    assert [e.rater for e in second.excluded.all()] == [bob.rater]
    excluding.undo(first, owner)
    with pytest.raises(excluding.NobodyLeft):
        excluding.undo(first, owner)
    assert list(Rater.objects.exclude(excluded_because="")) == [bob.rater]
    assert QualityStep.objects.count() == 3


@pytest.mark.django_db
def test_one_rater_is_included_again_and_the_others_stay_out(study, owner):
    ann, bob = done(study), done(study)
    step = exclude(study, owner, ann, bob)
    one = excluding.include(ann.rater, owner)
    assert (one.rater_count, one.place_count, one.undoes) == (1, 4, step)
    rest = excluding.undo(step, owner)
    assert (rest.rater_count, rest.place_count) == (1, 4)
    assert states(study) == ["filled"] * 8


@pytest.mark.django_db
def test_by_hand_with_a_reason_and_back(study, owner):
    ann = done(study)
    step = excluding.exclude_by_hand(ann.rater, owner, "told us so")
    assert (step.rule, step.words, step.place_count) == ("by_hand", "told us so", 4)
    excluding.include(Rater.objects.get(), owner)
    assert Rater.objects.get().excluded_because == "" and len(place_rows(ann)) == 4
    with pytest.raises(excluding.NobodyLeft):
        excluding.include(Rater.objects.get(), owner)


@pytest.mark.django_db
def test_an_exclusion_from_elsewhere_can_be_ended_too(study, owner):
    ann = done(study)
    Rater.objects.update(excluded_because="from before")
    step = excluding.include(Rater.objects.get(pk=ann.rater_id), owner)
    assert (step.words, step.rater_count) == ("from before", 1)
    assert Rating.objects.for_analysis().count() == 16


@pytest.mark.django_db
def test_all_or_nothing(study, owner, monkeypatch):
    ann = done(study)

    def broken(*_):
        raise RuntimeError("the database went away")

    monkeypatch.setattr(places, "release", broken)
    with pytest.raises(RuntimeError):
        exclude(study, owner, ann)
    assert Rater.objects.get().excluded_because == ""
    assert len(place_rows(ann)) == 4 and not QualityStep.objects.exists()


@pytest.mark.django_db
def test_closed_studies_open_their_places_too(study, owner):
    ann = done(study)
    study.state = "closed"
    study.save()
    assert exclude(study, owner, ann).place_count == 4


@pytest.mark.django_db
def test_excluding_many_takes_few_queries(study, owner, django_assert_max_num_queries):
    many = [factories.make_session(study, f"r{n}") for n in range(40)]
    with django_assert_max_num_queries(16):
        step = exclude(study, owner, *many)
    with django_assert_max_num_queries(22):
        excluding.undo(step, owner)


# Raters who are at work


@pytest.mark.django_db
def test_a_rater_at_work_goes_on_to_the_end_and_then_their_places_open(study, owner):
    ann = begun(study)
    save(ann, 1, all_at(ann))
    step = exclude(study, owner, ann)
    assert step.place_count == 0 and states(study) == ["filled"] + ["held"] * 3 + ["open"] * 4
    answer_all(ann)
    assert sessions.finish(ann) is None
    assert Session.objects.get().state == State.COMPLETED
    assert states(study) == ["open"] * 8 and not Rating.objects.for_analysis().exists()
    step.refresh_from_db()
    assert step.place_count == 4
    undoing = excluding.undo(step, owner)
    assert (undoing.place_count, undoing.lost_count) == (4, 0)
    assert Rating.objects.for_analysis().count() == 16


@pytest.mark.django_db
def test_a_rater_at_work_sees_nothing_of_it_on_any_page(study, owner, client):
    ann = begun(study)
    exclude(study, owner, ann)
    address = f"/r/{ann.token}/"
    assert client.get(address, follow=True).status_code == 200
    for position in range(1, 5):
        page = client.get(f"{address}item/{position}/")
        assert page.status_code == 200
        form = {f"q{q.pk}": "4" for q in study.questions.all()}
        form |= {"shown": page.context["shown"], "item": page.context["item"].pk}
        last = client.post(f"{address}item/{position}/", form, follow=True)
    assert last.status_code == 200 and study.completion_code in last.content.decode()


@pytest.mark.django_db
def test_included_again_before_the_end_nothing_had_happened(study, owner):
    ann = begun(study)
    excluding.undo(exclude(study, owner, ann), owner)
    answer_all(ann)
    assert sessions.finish(ann) is None
    assert states(study) == ["filled"] * 4 + ["open"] * 4
    assert Rating.objects.for_analysis().count() == 16


@pytest.mark.django_db
def test_at_the_end_places_stay_filled_where_they_are_not_to_open(study, owner):
    ann = begun(study)
    exclude(study, owner, ann, reopens=False)
    answer_all(ann)
    sessions.finish(ann)
    assert states(study) == ["filled"] * 4 + ["open"] * 4


# Forgetting


@pytest.mark.django_db
def test_forgetting_leaves_a_tombstone_and_open_places(study, owner):
    ann, bob = done(study), done(study)
    excluding.exclude_by_hand(ann.rater, owner, "ann@example.org asked for it")
    excluding.include(ann.rater, owner)
    stone = excluding.forget(Rater.objects.select_related("study").get(pk=ann.rater_id), owner)
    assert (stone.session_count, stone.rating_count, stone.by_name) == (1, 16, "owner")
    assert list(Rater.objects.all()) == [bob.rater] and Rating.objects.count() == 16
    assert states(study) == ["filled"] * 4 + ["open"] * 4
    left = str(list(QualityStep.objects.values())) + str(list(Tombstone.objects.values()))
    assert "example.org" not in left and ann.rater.key not in left
    assert QualityStep.objects.count() == 2, "the log keeps its numbers"


@pytest.mark.django_db
def test_a_forgotten_rater_at_work_finds_no_session_any_more(study, owner, client):
    ann = begun(study)
    place = place_at(ann, 1)
    excluding.forget(ann.rater, owner)
    assert states(study) == ["open"] * 8
    assert client.get(f"/r/{ann.token}/").status_code == 404
    with pytest.raises(sessions.NotNow):
        sessions.save_answers(place, list(study.questions.all()), [])


@pytest.mark.django_db
def test_an_exclusion_of_forgotten_raters_cannot_be_undone(study, owner):
    ann = done(study)
    step = exclude(study, owner, ann)
    excluding.forget(ann.rater, owner)
    with pytest.raises(excluding.NobodyLeft):
        excluding.undo(step, owner)


@pytest.mark.parametrize("is_another", [False, True])
@pytest.mark.django_db
def test_with_a_pair_its_side_comes_back_whoever_had_the_place_meanwhile(owner, is_another):
    study = factories.make_study(owner=owner, raters_per_item=2, items_per_session=1)
    pair = factories.make_item(study, "pair", kind="list_pair", content=None)
    factories.make_item(study, "part", kind="recommendation", parent=pair, side="A")
    study.places.exclude(item=pair).delete()
    study.questions.update(applies_to=["list_pair"])
    ann = done(study)
    own = ann.places.get()
    other = {"A": "B", "B": "A"}[own.first_side]
    step = exclude(study, owner, ann)
    if is_another:  # somebody else has the place by now
        bob = begun(study)
        assert bob.places.get() == own
    study.places.update(first_side=other)
    excluding.undo(step, owner)
    back = ann.places.get()
    assert (back == own) is not is_another
    assert back.first_side == own.first_side != other
