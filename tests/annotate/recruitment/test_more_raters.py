"""Items get more raters: by hand and by the adaptive rule; the cap, the log, the way back."""

from io import StringIO
from threading import Thread

import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from annotate.models import (
    AddedPlace,
    ExtraPlaces,
    Item,
    Place,
    QualityStep,
    Rater,
    Session,
    Study,
)
from annotate.recruitment import more_raters
from annotate.sessions import places
from annotate.sessions.exclude import exclude
from judges.tasks import release_places
from tests import factories

pytestmark = pytest.mark.django_db
KINDS = [Item.Kind.EXPLANATION]


@pytest.fixture(autouse=True)
def _empty_cache():
    cache.clear()


@pytest.fixture
def study(owner):
    """Three items that get two raters each, up to four where they differ by two points."""
    return factories.make_study(
        owner=owner,
        items=3,
        raters_per_item=2,
        raters_per_item_max=4,
        adaptive_from={"sd": 1.0},
        questions={"good": "It is good."},
    )


def rate(study, key, values, state=Session.State.COMPLETED):
    """A rater's session that filled a place of each item, with these values."""
    rater = Rater.objects.get_or_create(study=study, key=key)[0]
    session = Session.objects.create(study=study, rater=rater, source="web", state=state)
    for item, value in zip(study.items.all(), values, strict=False):
        place = item.places.filter(state="open").order_by("number").first()
        Place.objects.filter(pk=place.pk).update(state="filled", rater=rater, session=session)
        factories.make_rating(session, item, study.questions.get(), value)
    return session


def many(study):
    """How many places each item has."""
    return [item.places.count() for item in study.items.all()]


def send(study, owner, items, count=1, words="unclear"):
    return more_raters.send(study, owner, [item.pk for item in items], count, words)


# By hand


def test_items_get_the_next_numbers_and_the_log_says_who_and_why(study, owner):
    first = study.items.first()
    step = send(study, owner, [first], 2)
    assert list(first.places.order_by("number").values_list("number", "state")) == [
        (1, "open"),
        (2, "open"),
        (3, "open"),
        (4, "open"),
    ]
    assert (step.by, step.by_name, step.words) == (owner, "owner", "unclear")
    assert (step.item_count, step.place_count) == (1, 2)
    assert many(study) == [4, 2, 2]


def test_a_part_of_a_pair_stands_for_the_pair_and_practice_and_gold_get_none(study, owner):
    pair, part, practice = study.items.all()
    Item.objects.filter(pk=part.pk).update(parent=pair)
    Item.objects.filter(pk=practice.pk).update(is_practice=True)
    send(study, owner, [part, practice])
    assert many(study) == [3, 2, 2]
    study.extra = {"gold": [{"item": pair.key, "answers": {}}]}
    study.save()
    with pytest.raises(more_raters.NotNow):
        send(study, owner, [part])


def test_a_closed_study_says_how_to_open_it(study, owner):
    Study.objects.update(state="closed")
    with pytest.raises(more_raters.NotNow, match="open it in the settings"):
        send(study, owner, study.items.all())
    assert not ExtraPlaces.objects.exists()


def test_undoing_takes_what_is_open_and_leaves_what_raters_have(study, owner):
    first = study.items.first()
    step = send(study, owner, [first], 2)
    for key in "abc":
        rate(study, key, [3])
    assert more_raters.undo(step, owner) == 1
    assert sorted(first.places.values_list("number", "state")) == [
        (1, "filled"),
        (2, "filled"),
        (3, "filled"),
    ]
    step.refresh_from_db()
    assert (step.undone_count, step.undone_by_name) == (1, "owner")
    assert more_raters.undo(step, owner) == 0


def test_a_load_leaves_extra_places(study, owner, tmp_path):
    send(study, owner, [study.items.first()])
    file = tmp_path / "study.yaml"
    file.write_text("study: films\nraters_per_item: 1\n")
    call_command("load_study", file, stdout=StringIO())
    assert many(study) == [2, 1, 1]


# The rule


def test_items_whose_raters_disagree_get_one_more(study):
    rate(study, "ann", [1, 3, 3])
    rate(study, "bob", [5, 4, 3])
    step = more_raters.adapt(study)
    assert many(study) == [3, 2, 2]
    assert (step.kind, step.by_name, step.place_count) == ("adaptive", "", 1)
    assert step.words == "raters disagree: standard deviation of 1 or more"


def test_the_rule_goes_on_to_its_cap_and_no_further(study):
    for n, value in enumerate([1, 5, 1, 5]):
        rate(study, f"r{n}", [value])
        more_raters.adapt(study)
    assert many(study) == [4, 2, 2]
    assert more_raters.adapt(study) is None


def test_an_item_waits_until_all_of_its_raters_are_done(study):
    rate(study, "ann", [1])
    assert more_raters.adapt(study) is None
    session = rate(study, "bob", [5], state="rating")
    assert more_raters.adapt(study) is None
    Session.objects.filter(pk=session.pk).update(state="completed")
    assert more_raters.adapt(study).place_count == 1


def test_excluded_raters_do_not_count(study, owner):
    rate(study, "ann", [1])
    rater = rate(study, "bob", [5]).rater
    exclude(study, owner, QualityStep.BY_HAND, "fast", {rater.pk: None}, reopens=False)
    assert more_raters.adapt(study) is None


def test_labels_count_different_answers(study):
    study.adaptive_from = {"labels": 3}
    study.raters_per_item = 3
    Place.objects.bulk_create(
        Place(study=study, item=item, number=3, shuffle=1) for item in study.items.all()
    )
    for key, values in {"ann": [1, 1], "bob": [2, 5], "cem": [3, 5]}.items():
        rate(study, key, values)
    more_raters.adapt(study)
    assert many(study) == [4, 3, 3]


def test_what_somebody_took_back_is_not_added_again(study, owner):
    rate(study, "ann", [1])
    rate(study, "bob", [5])
    more_raters.undo(more_raters.adapt(study), owner)
    assert more_raters.adapt(study) is None
    assert many(study) == [2, 2, 2]


def test_the_clock_looks_only_where_something_ended(study, django_assert_num_queries):
    rate(study, "ann", [1])
    rate(study, "bob", [5])
    release_places()
    assert many(study) == [3, 2, 2]
    more_raters.tend()
    with django_assert_num_queries(2):
        more_raters.tend()


def test_a_closed_study_and_one_without_a_cap_are_left_alone(study):
    rate(study, "ann", [1])
    rate(study, "bob", [5])
    Study.objects.update(state="closed")
    more_raters.tend()
    Study.objects.update(state="open", raters_per_item_max=0)
    more_raters.tend()
    assert many(study) == [2, 2, 2]


def test_the_rule_takes_the_same_queries_for_any_number_of_items(
    study, django_assert_max_num_queries
):
    for number in range(20):
        factories.make_item(study, f"more-{number}")
    rate(study, "ann", [1] * 23)
    rate(study, "bob", [5] * 23)
    with django_assert_max_num_queries(10):
        assert more_raters.adapt(study).place_count == 23


# At once


class Adder(Thread):
    """Adds places again and again, in a connection of its own."""

    def __init__(self, study, work):
        super().__init__(daemon=True)
        self.study, self.work, self.errors = study, work, []
        self.start()

    def run(self):
        try:
            for _ in range(10):
                self.work(self.study)
        except Exception as error:
            self.errors.append(error)
        finally:
            connection.close()


def capped(study):
    with transaction.atomic():
        places.add(study, list(study.items.values_list("pk", flat=True)), 1, cap=4)


def claims(study):
    rater = Rater.objects.create(study=study, key=f"r{Rater.objects.count()}-{id(object())}")
    session = Session.objects.create(study=study, rater=rater, state="instructions")
    with transaction.atomic():
        places.claim(session, KINDS, 3)


@pytest.mark.django_db(transaction=True)
def test_the_cap_is_exact_however_many_add_and_claim_at_once(study):
    threads = [Adder(study, work) for work in (capped, more_raters.adapt, capped, claims)]
    for thread in threads:
        thread.join(60)
    assert [thread.errors for thread in threads] == [[], [], [], []]
    assert many(study) == [4, 4, 4]
    for item in study.items.all():
        assert sorted(item.places.values_list("number", flat=True)) == [1, 2, 3, 4]


@pytest.mark.django_db(transaction=True)
def test_the_rule_in_several_threads_adds_one_place(study):
    rate(study, "ann", [1])
    rate(study, "bob", [5])
    threads = [Adder(study, more_raters.adapt) for _ in range(4)]
    for thread in threads:
        thread.join(60)
    assert [thread.errors for thread in threads] == [[], [], [], []]
    assert many(study) == [3, 2, 2]


@pytest.mark.django_db(transaction=True)
def test_undoing_never_takes_a_place_that_is_being_claimed(study, owner):
    step = more_raters.send(study, owner, [item.pk for item in study.items.all()], 18)
    threads = [Adder(study, claims), Adder(study, lambda study: more_raters.undo(step, owner))]
    for thread in threads:
        thread.join(60)
    assert [thread.errors for thread in threads] == [[], []]
    held = Place.objects.filter(state="held")
    assert held.count() == sum(session.places.count() for session in Session.objects.all())
    taken = AddedPlace.objects.filter(step=step, place=None).count()
    step.refresh_from_db()
    assert taken == step.undone_count


# Pages


def test_an_editor_sends_an_item_and_undoes_it(study, as_owner):
    first = study.items.first()
    page = as_owner.get(f"/studies/films/items/{first.pk}/")
    assert "2 places for raters" in page.content.decode()
    back = f"/studies/films/items/{first.pk}/"
    sent = as_owner.post("/studies/films/more/send/", {"item": first.pk, "back": back})
    assert (sent.status_code, sent.url) == (302, back)
    assert many(study) == [3, 2, 2]
    step = ExtraPlaces.objects.get()
    as_owner.post(f"/studies/films/more/{step.pk}/undo/")
    assert many(study) == [2, 2, 2]


@pytest.mark.parametrize(
    "given", [{}, {"item": "x"}, {"item": str(2**64)}, {"count": "99"}, {"count": "x"}]
)
def test_what_cannot_be_read_adds_nothing(study, as_owner, given):
    given = {"item": study.items.first().pk} | given if "count" in given else given
    assert as_owner.post("/studies/films/more/send/", given).status_code == 302
    assert many(study) == [2, 2, 2]


def test_back_leads_to_no_other_site(study, as_owner):
    given = {"item": study.items.first().pk, "back": "//evil.example/"}
    assert as_owner.post("/studies/films/more/send/", given).url == "/studies/films/more/"


def test_an_item_of_another_study_gets_nothing(study, as_owner):
    other = factories.make_study("other", items=1)
    as_owner.post("/studies/films/more/send/", {"item": other.items.get().pk})
    assert many(other) == [3]


def test_the_log_takes_the_same_queries_for_any_length(
    study, owner, as_owner, django_assert_num_queries
):
    for _ in range(6):
        send(study, owner, study.items.all(), words="<b>hostile</b>")
    with django_assert_num_queries(5):
        page = as_owner.get("/studies/films/more/").content.decode()
    assert "<b>hostile" not in page


# Settings and the file


@pytest.mark.parametrize("spread", [{"sd": 0.5}, {"labels": 3}])
def test_the_file_holds_the_rule(study, as_owner, spread):
    study.adaptive_from = spread
    study.save()
    text = as_owner.get("/studies/films/study.yaml").content.decode()
    assert "raters_per_item_max: 4" in text
    assert f"adaptive_from:\n  {next(iter(spread))}: {next(iter(spread.values()))}" in text


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("raters_per_item_max: 2\nraters_per_item: 2", "or more than raters_per_item (2)"),
        ("adaptive_from: 2", "allowed is {sd: a number above 0} or {labels"),
        ("adaptive_from: {sd: 0}", "line 2, column adaptive_from"),
        ("adaptive_from: {labels: 2.5}", "line 2, column adaptive_from"),
        ("adaptive_from: {sd: 1, labels: 2}", "line 2, column adaptive_from"),
        ("adaptive_from: {sd: .nan}", "allowed is a finite number"),
    ],
)
def test_the_file_says_what_is_wrong_with_a_rule(tmp_path, study, capsys, lines, words):
    file = tmp_path / "study.yaml"
    file.write_text(f"study: films\n{lines}\n")
    with pytest.raises(CommandError):
        call_command("load_study", file, stdout=StringIO())
    assert words in capsys.readouterr().err


def test_the_settings_page_sets_the_rule(study, as_owner):
    page = as_owner.get("/studies/films/settings/")
    given = {
        name: field.value() or "" for name, field in ((f.name, f) for f in page.context["form"])
    }
    given |= {"raters_per_item_max": "7", "spread_measure": "labels", "spread_least": "3"}
    assert as_owner.post("/studies/films/settings/", given).status_code == 302
    study.refresh_from_db()
    assert (study.raters_per_item_max, study.adaptive_from) == (7, {"labels": 3})
    for wrong in ({"raters_per_item_max": "2"}, {"spread_least": "1.5"}, {"spread_least": "nan"}):
        assert as_owner.post("/studies/films/settings/", given | wrong).status_code == 422
