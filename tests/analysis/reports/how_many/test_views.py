"""The page of the planner: the answer, the designs, bad input, and who sees it."""

import re

import pytest

pytestmark = pytest.mark.django_db
PATH = "/plan/"


def words_of(answer):
    """The text of a page without its markup."""
    return " ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).split())


def test_a_newcomer_is_asked_and_answered_at_once(as_owner):
    answer = as_owner.get(PATH)
    text = words_of(answer)
    assert answer.status_code == 200
    assert text.index("Answer") < text.index("For which use?")
    assert text.index("For which use?") < text.index("How far do two raters")
    assert "454 items with 2 ratings each decide: 908 ratings, 91 sessions, about 121.33." in text
    assert "2 (cheapest) 454 908 91 121.33 .80 whether the judge keeps enough" in text
    assert "5 247 1,235 124 165.33 .80 whether the judge keeps enough" in text


def test_what_is_asked_for_is_planned_and_kept_in_the_form(as_owner):
    query = {"rho": "0.5", "judge": "0.7", "session_items": "20", "hourly_pay": "12", "fee": "0"}
    answer = as_owner.get(PATH, query)
    form = answer.context["form"]
    assert {name: form[name].value() for name in query} == query
    design = next(row for row in answer.context["plan"].rows if row["raters_per_item"] == 2)
    # The level alone needs 1.5 (1 + .75 - 1.4 sqrt(.5) + .1 (.916 - .5) 19/2)
    # (2.9264 / .25)^2 = 237
    # by the normal distribution, where raters of twenty items differ in leniency.
    assert 237 < design["items"] < 260
    assert (design["ratings"], design["sessions"]) == (2 * design["items"], 26)
    # 26 sessions of 20 times 40 s are 5.7778 hours
    assert design["cost"] == pytest.approx(69.33, abs=0.005)


def test_systems_are_compared(as_owner):
    text = words_of(as_owner.get(PATH, {"use": "compare_systems"}))
    assert "300 items of each of two systems with 2 ratings each" in text
    assert "3 534 1,602 161 214.66" in text
    assert (
        "Chance of a yes over the number of items, of a judge that favours neither system" in text
    )


def test_a_setting_that_never_decides_says_why(as_owner):
    answer = as_owner.get(PATH, {"rho": "poor", "judge": "-0.2"})
    text = words_of(answer)
    assert answer.status_code == 200
    assert "With these numbers no number of items is enough." in text
    assert "At .10 or less no judge can be checked" in text and "there is nothing to show" in text
    assert "inf" not in re.sub(r"[a-z]*info[a-z]*", "", text) and "nan" not in text
    assert "cheapest" not in text and "What to collect" not in text


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("use", "rank"),
        ("rho", "1.5"),
        ("rho", "much"),
        ("judge", "-2"),
        ("judge", "nan"),
        ("scale", "4"),
        ("scale_range", "0"),
        ("session_items", "0"),
        ("session_items", "2.5"),
        ("item_seconds", "-1"),
        ("hourly_pay", "1e9"),
        ("fee", "-1"),
        ("cluster_items", "0"),
        ("systems", "-1"),
        ("known", "1"),
        ("answers", "low"),
        ("power", "1"),
        ("retention", "3/4"),
    ],
)
def test_bad_input_is_named_and_kept(as_owner, name, value):
    answer = as_owner.get(PATH, {name: value})
    assert answer.status_code == 400
    assert list(answer.context["form"].errors) == [name]
    assert answer.context["form"][name].value() == value
    text = answer.content.decode()
    assert "errorlist" in text and 'id="answer"' not in text


def test_what_an_address_names_and_nothing_is_called_is_refused_in_words(as_owner):
    answer = as_owner.get(PATH, {"foo": "1", "rho": "0.5"})
    text = words_of(answer)
    assert answer.status_code == 400
    assert "“foo”: not known here. Known are use, rho, judge, retention" in text
    assert answer.context["form"]["rho"].value() == "0.5"
    assert 'id="answer"' not in answer.content.decode()


def test_the_figure_has_words_and_a_table(as_owner):
    answer = as_owner.get(PATH)
    figure = answer.context["figure"]
    names = [line["name"] for line in figure.plot["data"]]
    assert names == [
        "2 ratings per item",
        "3 ratings per item",
        "5 ratings per item",
        "aimed at: .80",
    ]
    assert figure.caption == "Chance of a yes over the number of items."
    table = answer.context["powers"]
    assert len(table.lines) == len(figure.plot["data"][0]["x"])
    assert "No line reaches" in as_owner.get(PATH, {"rho": "poor"}).context["figure"].caption


def test_extreme_settings_are_answered(as_owner):
    for query in (
        {"rho": "0.1000000001"},
        {"rho": "1", "judge": "1", "cluster_items": "1000"},
        {"scale": "range", "scale_range": "0.001", "use": "compare_systems"},
        {"item_seconds": "0", "hourly_pay": "0", "fee": "0", "power": "0.5"},
    ):
        assert as_owner.get(PATH, query).status_code == 200


def test_everybody_with_an_account_may_plan(as_stranger):
    assert as_stranger.get(PATH).status_code == 200


def test_the_page_takes_two_queries(as_owner, django_assert_num_queries):
    with django_assert_num_queries(2):  # the session and its user
        as_owner.get(PATH)


def test_it_is_linked_where_a_study_is_begun(as_owner):
    for path in ("/", "/studies/new/"):
        assert b'href="/plan/"' in as_owner.get(path).content, path
