"""What a study's own pages say before anybody is invited, where its design cannot decide."""

import re
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest

from annotate.design.outlook import outlook_of
from annotate.design.planner_link import planned_scale, planner_address
from annotate.models import Item, Place
from annotate.values.scales import parse_scale, scale_from_dict
from tests import factories

pytestmark = pytest.mark.django_db
LIKERT = {"good": "It is good."}


def make_study(items, raters=3, systems=1, of_content=1, scale="likert5", **fields):
    """A study of items about contents, of_content each, with the systems in turn."""
    fields = {"items_per_session": 10, "raters_per_item": raters} | fields
    study = factories.make_study(questions={}, **fields)
    factories.make_question(study, "good", scale)
    contents = [factories._row(factories.Content, study, f"c{n}", title="") for n in range(items)]
    names = [factories._row(factories.System, study, f"s{n}") for n in range(systems)]
    made = Item.objects.bulk_create(
        Item(
            study=study,
            key=f"i{n}",
            kind=Item.Kind.EXPLANATION,
            text="Because.",
            content=contents[n // of_content],
            system=names[n % systems],
        )
        for n in range(items)
    )
    Place.objects.bulk_create(
        Place(study=study, item=item, number=number, shuffle=0)
        for item in made
        for number in range(1, raters + 1)
    )
    return study


def sentences(study):
    outlook = outlook_of(study)
    return outlook.sentences if outlook else []


def test_one_rating_an_item_can_never_decide():
    assert sentences(make_study(30, raters=1)) == [
        "With 30 items and 1 rating each no judge can be shown to stand in for a rater: an item "
        "needs two ratings, else it is not known how far raters agree."
    ]


def test_it_says_so_before_there_is_an_item_and_is_silent_on_what_items_decide():
    assert sentences(make_study(0, raters=1)) == [
        "With 1 rating each no judge can be shown to stand in for a rater: an item needs two "
        "ratings, else it is not known how far raters agree."
    ]
    assert sentences(make_study(0, slug="two", raters=2)) == []


def make_own(recipients, items=10, **extra):
    """A study in which each recipient is to rate their own items once."""
    study = make_study(recipients * items, raters=1, extra=extra)
    who = [factories._row(factories.Recipient, study, f"p{n}") for n in range(recipients)]
    for number, recipient in enumerate(who):
        keys = [f"i{n}" for n in range(number * items, (number + 1) * items)]
        study.items.filter(key__in=keys).update(recipient=recipient)
    return study


@pytest.mark.parametrize(
    ("recipients", "items", "asked", "twice"),
    [
        (6, 10, {"repeat_share": 0.1}, "6 items will be answered twice, by 6 recipients"),
        (9, 20, {"repeat_share": 0.5}, "90 items will be answered twice, by 9 recipients"),
        (7, 24, {"repeat_share": 0.1}, "21 items will be answered twice, by 7 recipients"),
        (9, 3, {"repeats": 5}, "18 items will be answered twice, by 9 recipients"),
        (1, 10, {"repeat_share": 0.1}, "1 item will be answered twice, by 1 recipient"),
        (5, 1, {"repeat_share": 0.5}, "0 items will be answered twice, by 0 recipients"),
    ],
)
def test_too_few_own_answers_that_are_given_twice_decide_nothing(recipients, items, asked, twice):
    """In sessions of ten: 24 items are 10, 10 and 4, which a tenth of is 1, 1 and (at least) 1.

    Of three items two can be asked again with another one in between, of a single one none.
    """
    assert sentences(make_own(recipients, items, **asked)) == [
        f"About {twice}: a verdict needs at least 30 answered twice, by 10 recipients. Ask a "
        "larger share of their own items again, in sessions of two items or more, or bring "
        "more recipients."
    ]


@pytest.mark.parametrize("asked", [{"repeat_share": 0.3}, {"repeats": 3}])
def test_thirty_own_answers_of_ten_recipients_are_passed_over_in_silence(asked):
    assert sentences(make_own(10, **asked)) == []
    assert sentences(make_study(0, slug="before", raters=1, extra=asked)) == []


def test_own_answers_of_profiles_and_choices_are_never_compared():
    study = make_own(10, repeat_share=0.3)
    study.items.filter(recipient__key="p0").update(kind=Item.Kind.PROFILE)
    assert sentences(study)[0].startswith("About 27 items will be answered twice, by 9 recipients")
    study.questions.all().delete()
    factories.make_question(study, "which", {"choice": ["a", "b", "c"]})
    assert sentences(study)[0].startswith("With 100 items and 1 rating each no judge")


def test_of_a_list_its_parts_are_answered_again_too():
    study = make_own(6, repeat_share=0.1)
    study.questions.update(applies_to=[Item.Kind.STATEMENT])
    for item in study.items.all():
        for number in range(3):
            part = {"kind": Item.Kind.STATEMENT, "parent": item, "recipient": item.recipient}
            Item.objects.create(study=study, key=f"{item.key}-{number}", text="So.", **part)
    assert sentences(study)[0].startswith("About 18 items will be answered twice, by 6 recipients")


@pytest.mark.parametrize("asked", [{"repeats": 2}, {"repeat_share": 0.2}])
def test_who_rates_items_of_no_recipient_is_no_second_rater(asked):
    """The verdict compares recipients with themselves, and nobody else."""
    assert sentences(make_study(300, raters=1, extra=asked)) == [
        "With 300 items and 1 rating each no judge can be shown to stand in for a rater: an item "
        "needs two ratings, else it is not known how far raters agree."
    ]


def test_fewer_than_thirty_items_decide_nothing():
    (sentence,) = sentences(make_study(18))
    assert sentence == (
        "With 18 items that have two ratings nothing can be decided about a judge: 30 are the "
        "least, and about 321 items with 3 ratings each decide at usual agreement."
    )


def test_a_second_place_of_some_items_counts():
    study = make_study(40, raters=1)
    for item in study.items.all()[:12]:
        Place.objects.create(study=study, item=item, number=2, shuffle=0)
    assert sentences(study)[0].startswith("With 12 items that have two ratings nothing can be")


def test_fewer_than_ten_clusters_decide_nothing():
    (sentence,) = sentences(make_study(45, of_content=5))
    assert sentence.startswith("The items are about 9 recipients or contents. Nothing can be")


def test_the_shortfall_is_said_in_places_and_items():
    """30 items of 3 ratings: what the planner's page says; 90 places are 9 sessions."""
    assert sentences(make_study(30)) == [
        "90 places: about 321 items with 3 ratings each decide at usual agreement; this study has "
        "30.",
        "They make 9 sessions of 10 items. With fewer than 10 raters a verdict is about these "
        "raters only.",
    ]


def test_a_design_that_decides_is_passed_over_in_silence():
    assert sentences(make_study(321)) == []
    (sentence,) = sentences(make_study(320, slug="less"))
    assert sentence.startswith("960 places: about 321 items")


def test_clusters_raise_what_is_needed():
    """Five items a content: 1 + .1 (5 - 1) times as many, and one taken out for each content."""
    (sentence,) = sentences(make_study(300, of_content=5))
    assert sentence.startswith("900 places: about 454 items in clusters of 5 with 3 ratings each")


def test_where_nothing_is_left_for_the_joint_check_it_is_said():
    """12 numbers of lengths and raters, 20 systems and 20 contents, of 40 items."""
    said = sentences(make_study(40, systems=20, of_content=2))
    assert said[0].startswith(
        "No judge can pass the joint check: it takes out 52 numbers, of text length, systems and "
        "contents or recipients, and there are 40 items."
    )
    assert "joint check" not in sentences(make_study(60, slug="more", systems=2, of_content=2))[0]


def test_a_scale_without_ends_never_has_a_level():
    """Before a rating is paid for: with as many items as anybody likes."""
    study = make_study(600)
    study.questions.update(scale_spec={"kind": "number"})
    assert sentences(study) == [
        "On good a judge can be shown to order items like a rater, and never to stand in for one: "
        "numbers without a smallest and a largest have no level to compare. Give the scale both "
        "ends."
    ]


def test_two_systems_of_75_items_decide_nothing_about_comparing():
    """PLANNING, section 2b: 267 items a system at power .8 for a variance of 1.4."""
    study = make_study(150, systems=2)
    assert sentences(study)[-1] == (
        "With 75 items of a system nothing can be decided about comparing systems: about 267 of "
        "each decide."
    )


def test_systems_that_can_be_compared_are_passed_over_in_silence():
    assert len(sentences(make_study(58, systems=2))) == 2  # 29 of each
    assert sentences(make_study(600, slug="many", systems=2)) == []


def test_a_study_without_a_scale_has_nothing_to_be_judged():
    assert sentences(make_study(5, raters=1, scale="text")) == []


def test_where_no_place_is_open_the_verdict_itself_speaks():
    study = make_study(20)
    Place.objects.filter(study=study).update(state=Place.State.FILLED)
    assert sentences(study) == []


def test_practice_and_gold_items_do_not_count():
    study = make_study(31, extra={"gold": [{"item": "i0", "answers": {}}]})
    Item.objects.filter(key="i1").update(is_practice=True)
    assert sentences(study)[0].startswith("With 29 items")


def test_questions_of_other_items_are_named():
    study = make_study(321)
    study.questions.update(applies_to=[Item.Kind.EXPLANATION])
    factories.make_question(study, "supported", "binary", applies_to=[Item.Kind.STATEMENT])
    item = factories.make_item(study, "s", "", "c0", "s0", kind=Item.Kind.STATEMENT)
    assert sentences(study)[0].startswith("supported: with 1 item that has two ratings")
    item.delete()


def test_each_group_of_questions_that_cannot_decide_is_named_in_short():
    """The first with all its reasons, each other with its first."""
    study = make_study(45, of_content=5)
    study.questions.update(applies_to=[Item.Kind.EXPLANATION])
    factories.make_question(study, "supported", "binary", applies_to=[Item.Kind.STATEMENT])
    factories.make_item(study, "s", "", "c0", "s0", kind=Item.Kind.STATEMENT)
    first, second = sentences(study)
    assert first.startswith("good: the items are about 9 recipients or contents.")
    assert second.startswith("supported: with 1 item that has two ratings nothing can be decided")


def test_fewer_than_thirty_items_in_clusters_are_told_their_ratings_and_clusters():
    (sentence,) = sentences(make_study(20, raters=5, of_content=4))
    assert sentence.endswith(
        " items in clusters of 4 with 5 ratings each decide at usual agreement."
    )


SCALES = [
    ("likert5", {"scale": "5"}),
    ("binary", {"scale": "2"}),
    ("likert7", {"scale": "7"}),
    ({"kind": "choice", "labels": ["a", "b", "c"]}, {"scale": "2"}),
    ({"kind": "number"}, {"scale": "5"}),
    ({"kind": "number", "low": 0, "high": 100}, {"scale": "range", "scale_range": "100"}),
]


@pytest.mark.parametrize(("spec", "expected"), SCALES)
def test_the_link_carries_the_scale(spec, expected):
    scale = parse_scale(spec) if isinstance(spec, str) else scale_from_dict(spec)
    query = parse_qs(urlsplit(planner_address(factories.make_study(), planned_scale(scale))).query)
    got = {name: query[name][0] for name in ("scale", "scale_range") if name in query}
    assert got == expected


def test_the_planner_behind_the_link_gives_the_same_number(as_owner):
    """Also with the study's pay: 12 a session of 10 items at 40 s are 108 an hour."""
    study = make_study(60, of_content=3, extra={"pays_per_session": 12})
    outlook = outlook_of(study)
    (needed,) = re.findall(r"about (\d+) items in clusters of 3", outlook.sentences[0])
    answer = as_owner.get(outlook.address)
    assert answer.context["form"].is_valid()
    rows = answer.context["plan"].rows
    assert next(r for r in rows if r["raters_per_item"] == 3)["items"] == int(needed)
    assert answer.context["plan"].options.hourly_pay == 108
    assert answer.context["plan"].options.session_items == 10


@pytest.mark.parametrize("path", ["settings/", "raters/", "raters/links/"])
def test_the_pages_before_inviting_say_it(as_owner, owner, path):
    study = make_study(30, raters=1, owner=owner)
    page = unescape(as_owner.get(f"/studies/{study.slug}/{path}").content.decode())
    assert "With 30 items and 1 rating each no judge can be shown" in page
    assert outlook_of(study).address in page
    study.questions.all().delete()
    assert 'id="outlook"' not in as_owner.get(f"/studies/{study.slug}/{path}").content.decode()


def test_a_retired_question_is_not_asked():
    study = make_study(18)
    study.questions.update(retired=True)
    assert sentences(study) == []


def test_it_takes_four_queries_for_questions_of_the_same_items(django_assert_num_queries):
    study = make_study(40, systems=2)
    factories.make_question(study, "second")
    with django_assert_num_queries(4):  # open places, questions, counts, systems
        outlook_of(study)
