"""The list of disagreements: distances by hand, filters, the page, sending items on."""

import pytest
from django.core.cache import caches

from analysis.answers import frame
from analysis.reports.disagreements import listing
from annotate.models import Membership, Place
from judges.models import Judgment, Run
from tests import factories
from tests.analysis.small import add_judge, build, make_rated_study, row_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _empty_cache():
    caches["reports"].clear()


def make(owner=None, scale="likert5"):
    """Three items, three raters: 1 2 3 (mean 2), 4 4 4, 5 1 – (mean 3); the judge says 5, 3, 3."""
    study = factories.make_study(owner=owner, questions={})
    question = factories.make_question(study, "good", scale)
    items = [factories.make_item(study, f"i{n}", system=f"s{n % 2}") for n in range(3)]
    table = {"ann": [1, 4, 5], "bob": [2, 4, 1], "cem": [3, 4]}
    for rater, values in table.items():
        session = factories.make_session(study, rater)
        for item, value in zip(items, values, strict=False):
            factories.make_rating(session, item, question, value, reason=f"<i>{rater}</i> says")
    said = dict(zip([item.pk for item in items], [5, 3, 3], strict=True))
    add_judge(study, "gpt", lambda item: said[item.pk])
    return study


def rows(study, question="good", **options):
    return [
        row for row in build(study, "disagreements", **options).rows if row["question"] == question
    ]


def test_the_largest_distance_comes_first():
    found = rows(make())
    assert [(row["item"], row["people"], row["judge"], row["difference"]) for row in found] == [
        ("i0", 2, 5, 3),
        ("i1", 4, 3, -1),
        ("i2", 3, 3, 0),
    ]
    assert [row["n_raters"] for row in found] == [3, 3, 2]
    # The SD of 1 2 3 is 1, that of 5 1 is the root of 8.
    assert [row["spread"] for row in found] == pytest.approx([1, 0, 8**0.5])


def test_people_most_divided_come_first_and_need_no_judge():
    found = rows(make(), order="people")
    assert [(row["item"], row["evaluator"]) for row in found] == [
        ("i2", "humans"),
        ("i0", "humans"),
        ("i1", "humans"),
    ]


@pytest.mark.parametrize(
    ("options", "items"),
    [
        ({"direction": "higher"}, ["i0"]),
        ({"direction": "lower"}, ["i1"]),
        ({"least_raters": 3}, ["i0", "i1"]),
        ({"only": ["system=s1"]}, ["i1"]),
        ({"exclude": ["system=s1"]}, ["i0", "i2"]),
    ],
)
def test_filters_leave_out_the_others(options, items):
    assert [row["item"] for row in rows(make(), **options)] == items


def test_of_labels_the_distance_is_the_share_that_differs():
    found = rows(make(scale={"choice": ["a", "b", "c", "d", "e"]}))
    by_item = {row["item"]: (row["distance"], row["spread"], row["people"]) for row in found}
    assert by_item["i0"][:2] == (1, 1)
    assert by_item["i1"] == (1, 0, 4)
    assert by_item["i2"][:2] == (1, 1)


def test_the_average_is_the_mean_of_the_distances():
    study = make()
    other = factories.make_question(study, "clear", position=1)
    session = study.sessions.get(rater__key="ann")
    first = study.items.first()
    factories.make_rating(session, first, other, 4)
    run = Run.objects.get()
    Judgment.objects.create(
        run=run, item=first, question=other, value=3, state=Judgment.State.DONE, unit=9
    )
    found = build(study, "disagreements")  # distances 3 and 1
    assert row_of(found, item="i0", question="average")["distance"] == 2


def test_a_judge_on_a_scale_of_its_own_is_named():
    study = make()
    add_judge(study, "BLEU", lambda item: 0.1)
    report = build(study, "disagreements")
    assert {row["evaluator"] for row in report.rows} == {"gpt"}
    assert any("not compared: BLEU (good)" in note for note in report.notes)


# The page


def test_texts_ratings_and_whys_stand_side_by_side_escaped(owner, as_owner):
    make(owner)
    page = as_owner.get("/studies/films/analysis/disagreements/").content.decode()
    assert "&lt;i&gt;ann&lt;/i&gt; says" in page and "<i>ann" not in page
    assert "Because you like films (i0)." in page
    assert page.index("films (i0)") < page.index("films (i1)") < page.index("films (i2)")


def test_the_page_takes_the_same_queries_for_any_number_of_rows(
    owner, as_owner, django_assert_num_queries
):
    study = make_rated_study(owner)
    address = "/studies/films/analysis/disagreements/"
    as_owner.get(address)
    with django_assert_num_queries(10):
        as_owner.get(address)
    with django_assert_num_queries(10):
        as_owner.get(address, {"page": 3})
    assert study.items.count() == 24


def test_chosen_items_get_more_places(owner, as_owner):
    study = make(owner)
    chosen = [item.pk for item in study.items.all()[:2]]
    back = "/studies/films/analysis/disagreements/?question=good"
    sent = as_owner.post(
        "/studies/films/more/send/", {"item": chosen, "count": 2, "back": back, "words": "far"}
    )
    assert sent.url == back
    assert [item.places.count() for item in study.items.all()] == [5, 5, 3]
    assert study.extra_places.get().words == "far"


def test_a_closed_study_says_how_to_open_it_and_a_viewer_has_no_button(
    owner, stranger, as_owner, as_stranger
):
    study = make(owner)
    Membership.objects.create(study=study, user=stranger, role=Membership.Role.VIEWER)
    address = "/studies/films/analysis/disagreements/"
    assert "Send the chosen items" in as_owner.get(address).content.decode()
    assert "Send the chosen items" not in as_stranger.get(address).content.decode()
    type(study).objects.update(state="closed")
    page = as_owner.get(address).content.decode()
    assert "Send the chosen items" not in page and "open it in the settings" in page
    assert Place.objects.count() == 9


def test_filters_that_leave_nothing_say_so(owner, as_owner):
    make(owner)
    page = as_owner.get("/studies/films/analysis/disagreements/", {"least_raters": 9})
    assert "No item is left by these filters" in page.content.decode()


def test_a_column_that_is_not_there_is_refused_in_words(owner, as_owner):
    make(owner)
    page = as_owner.get("/studies/films/analysis/disagreements/", {"only": "colour=red"})
    assert page.status_code == 400
    assert "use column=value" in page.content.decode()


def test_beside_the_numbers_of_one_version_stand_its_ratings_only():
    study = make_rated_study()
    study.questionnaire_version = 2
    study.save()
    later = factories.make_session(study, "later", version=2)
    factories.make_rating(later, study.items.first(), study.questions.first(), 5)
    first = study.items.first().key
    rows = [{"item": first, "question": study.questions.first().key, "evaluator": "humans"}]
    for version, names in ((1, {"ann", "bob", "cem"}), (2, {"later"})):
        (found,) = listing.with_answers(frame.Reader(study, version), rows)
        assert {rating.session.rater.key for rating in found["ratings"]} == names
