"""Items that are rated together: a session takes items of one value of a column only."""

from collections import Counter, defaultdict

import pytest
from django.urls import reverse

from annotate.models import Place, Session
from annotate.recruitment import more_raters
from annotate.sessions import places
from annotate.sessions import session as sessions
from judges.files.study_file import study_yaml
from tests import factories
from tests.annotate.sessions.test_places import begin_in_processes
from tests.files import ITEMS, STUDY, check, load, messages

SIZE, SURVEYS = 4, 3
SYSTEMS = ["g0", "g1", "g2", "g3"]


def make(owner=None, raters_per_item=2, column="survey", surveys=SURVEYS, **extra):
    """Surveys of four items, each of one system, rated twice; sessions have room for five."""
    study = factories.make_study(
        owner=owner, raters_per_item=raters_per_item, items_per_session=SIZE + 1
    )
    study.extra = {"sessions_by": column} | extra
    study.save()
    for number in range(surveys * SIZE):
        survey, place = divmod(number, SIZE)
        data = {"survey": f"s{survey}"}
        factories.make_item(study, f"item-{number}", f"r{survey}", system=f"g{place}", data=data)
    return study


def begin(study):
    """A new session, or None where nothing was left."""
    session = sessions.begin_visit(study, {}, consents=True)
    return Session.objects.get(pk=session.pk) if sessions.begin(session) else None


def surveys_of(session, what="item__data__survey"):
    return list(session.places.order_by("position").values_list(what, flat=True))


@pytest.mark.django_db
@pytest.mark.parametrize("column", ["survey", "recipient"])
def test_a_session_is_one_survey_and_the_least_filled_comes_first(column):
    study = make(column=column)
    seen = [surveys_of(begin(study)) for _ in range(6)]
    assert all(len(one) == SIZE and len(set(one)) == 1 for one in seen)
    names = [one[0] for one in seen]
    assert set(names[:3]) == set(names[3:]) == {"s0", "s1", "s2"}
    assert begin(study) is None


@pytest.mark.django_db
def test_a_survey_that_is_given_up_is_the_next_one_again():
    study = make()
    first, *_ = [begin(study) for _ in range(3)]
    survey = surveys_of(first)[0]
    places.release([first.pk])
    assert surveys_of(begin(study)) == [survey] * SIZE


@pytest.mark.django_db
def test_larger_surveys_are_shared_by_sessions_and_no_place_is_lost():
    study = make(raters_per_item=1)
    study.items_per_session = 3
    study.save()
    sizes = defaultdict(list)
    while session := begin(study):
        (survey,) = set(surveys_of(session))
        sizes[survey].append(len(surveys_of(session)))
    assert {name: sorted(each) for name, each in sizes.items()} == {
        "s0": [1, 3],
        "s1": [1, 3],
        "s2": [1, 3],
    }


@pytest.mark.django_db
@pytest.mark.parametrize("is_late", [False, True])
def test_who_comes_back_goes_on_with_the_same_survey(is_late):
    """Also with an old page of another survey, which cannot be the session's."""
    study = make()
    session = begin(study)
    survey = surveys_of(session)[0]
    place = session.places.select_related("item", "session__study").order_by("position").first()
    questions = list(study.questions.all())
    sessions.save_answers(place, questions, [sessions.SentAnswer(one, 4) for one in questions])
    places.release([session.pk])
    Session.objects.filter(pk=session.pk).update(state="abandoned", stopped_in="rating")
    for _ in range(2):
        begin(study)  # the least filled are the other two now
    foreign = study.items.exclude(data__survey=survey).first().pk if is_late else None
    assert sessions.resume(Session.objects.get(pk=session.pk), foreign)
    assert surveys_of(session) == [survey] * SIZE
    assert surveys_of(session, "item")[0] == place.item_id


@pytest.mark.django_db
def test_systems_are_counterbalanced_within_each_survey_and_over_all():
    """Four surveys of four systems: the n-th session of all would give each survey one order."""
    study = make(raters_per_item=4, surveys=4, order="latin_square")
    seen = defaultdict(list)
    for _ in range(16):
        session = begin(study)
        seen[surveys_of(session)[0]].append(surveys_of(session, "item__system__key"))
    assert len(seen) == 4
    for rows in seen.values():
        assert [sorted(column) for column in zip(*rows, strict=True)] == [SYSTEMS] * 4
    firsts = [rows[0][0] for rows in seen.values()]
    assert sorted(firsts) == SYSTEMS


@pytest.mark.django_db
def test_an_order_stays_when_it_is_drawn_again():
    study = make(raters_per_item=4, order="latin_square")
    session = begin(study)
    before = surveys_of(session, "item")
    places.put_in_order(Session.objects.get(pk=session.pk), first=[])
    assert surveys_of(session, "item") == before


@pytest.mark.django_db
def test_items_without_a_value_are_together_too():
    study = make(surveys=1)
    for number in range(2):
        factories.make_item(study, f"bare-{number}", data={})
    assert sorted(Counter(map(str, surveys_of(begin(study)))).items()) in (
        [("None", 2)],
        [("s0", 4)],
    )


def assert_whole(study, sessions_wanted):
    """Every place is held once, and each session has one whole survey."""
    held = Place.objects.filter(study=study, state=Place.State.HELD).select_related("item")
    assert held.count() == study.places.count()
    found = defaultdict(list)
    for place in held:
        found[place.session_id].append(place.item.data["survey"])
    assert len(found) == sessions_wanted
    assert all(len(one) == SIZE and len(set(one)) == 1 for one in found.values())
    assert len({(place.item_id, place.rater_id) for place in held}) == held.count()


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_60_raters_at_once_get_whole_surveys_and_fill_every_place():
    study = make(raters_per_item=4, surveys=10)
    begin_in_processes(study, raters=60, processes=4)
    assert_whole(study, 40)


@pytest.mark.sqlite
@pytest.mark.django_db(transaction=True)
def test_20_raters_at_once_get_whole_surveys_and_fill_every_place():
    study = make(raters_per_item=2, surveys=8)
    begin_in_processes(study, raters=20, processes=4)
    assert_whole(study, 16)


@pytest.mark.django_db
def test_the_study_file_keeps_the_column_and_says_what_is_no_name_of_one(tmp_path):
    loading = load(tmp_path, study=STUDY + "sessions_by: length\n", items=ITEMS)
    assert loading.study.extra["sessions_by"] == "length"
    assert "sessions_by: length" in study_yaml(loading.study)
    assert surveys_of(begin(loading.study), "item__data__length") in (["short"], ["long"])
    wrong = check(tmp_path, study=STUDY + "sessions_by: 'a\"b'\n", items=ITEMS)
    (said,) = messages(wrong)
    assert said.startswith("study.yaml, line 8, column sessions_by: found 'a\"b'; allowed is")


@pytest.mark.django_db
def test_the_page_sets_the_column(study, as_owner):
    address = reverse("inside", args=[study.slug])
    sent = {
        "order": "random",
        "sessions_by": "survey",
        "order_seed": 0,
        "repeats": 0,
        "minimum_seconds": 0,
        "attention_failures": 0,
        "gold_per_session": 0,
    }
    assert as_owner.post(address, sent).status_code == 302
    study.refresh_from_db()
    assert study.extra == {"sessions_by": "survey"}
    assert 'value="survey"' in as_owner.get(address).content.decode()
    refused = as_owner.post(address, sent | {"sessions_by": 'a"b'})
    assert refused.status_code == 422 and "without quotation marks" in refused.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("column", ["Umfrage_größe", "a.b[0] $x%"])
def test_a_column_of_any_name_keeps_its_items_together(column):
    study = make(column=column)
    for item in study.items.all():
        item.data = {column: item.data["survey"]}
        item.save()
    taken = [set(surveys_of(begin(study), "item__recipient__key")) for _ in range(6)]
    assert all(len(one) == 1 for one in taken)


@pytest.mark.django_db
def test_a_whole_survey_comes_before_more_raters_for_one_item(owner):
    study = make(owner, raters_per_item=1)
    study.items_per_session = SIZE
    study.save()
    more_raters.send(study, owner, [study.items.get(key="item-0").pk], 3)
    sizes = [len(surveys_of(begin(study))) for _ in range(6)]
    assert sizes == [SIZE, SIZE, SIZE, 1, 1, 1]
