"""The paragraph of all statements and the words around one: every expected text is by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.statements.ground_truth import POLARITIES, composed, wrapped

SHOES = [
    ("It is very comfortable to walk in.", "positive"),
    ("causes feet to feel hotter than the previous version", "negative"),
    ("is a bit larger", "neutral"),
    ("has a soft sole", "positive"),
]


def test_statements_are_grouped_by_polarity_in_their_order():
    assert composed(SHOES) == (
        "The user appreciates that it is very comfortable to walk in; that has a soft sole. "
        "However, the user dislikes that causes feet to feel hotter than the previous version. "
        "Besides, the user is indifferent to the fact that is a bit larger."
    )


def test_nothing_said_is_no_paragraph():
    assert composed([]) == ""
    assert composed([(" . ", "positive"), ("", "negative")]) == ""
    assert wrapped(" …", "neutral") == ""


@pytest.mark.parametrize(
    ("polarity", "said"),
    [
        ("positive", "The user appreciates that the zip runs smoothly."),
        ("negative", "The user dislikes that the zip runs smoothly."),
        ("neutral", "The user is indifferent to the fact that the zip runs smoothly."),
    ],
)
def test_one_polarity_alone_has_no_connector_and_one_statement_has_the_same_words(polarity, said):
    assert wrapped("The zip runs smoothly!", polarity) == said
    assert composed([("The zip runs smoothly!", polarity)]) == said


def test_a_negative_one_before_a_neutral_one_begins_the_paragraph():
    assert composed([("b", "neutral"), ("a", "negative")]) == (
        "The user dislikes that a. Besides, the user is indifferent to the fact that b."
    )


def test_the_same_statement_stands_once_in_a_polarity_and_in_each_of_two():
    twice = [("Runs small.", "negative"), ("runs small", "negative"), ("Runs small", "neutral")]
    assert composed(twice) == (
        "The user dislikes that Runs small. "
        "Besides, the user is indifferent to the fact that Runs small."
    )


@pytest.mark.parametrize(
    ("raw", "within"),
    [
        ("The seams rip...", "the seams rip"),
        ("Is it warm?!", "is it warm"),
        ("It’s 3.5 cm, not 3;", "it’s 3.5 cm, not 3"),
        ("THE STRAP is loose", "THE STRAP is loose"),
        ("IT’S LOUD", "IT’S LOUD"),
        ("A STRAP BROKE", "A STRAP BROKE"),
        ("A USB port is loose", "a USB port is loose"),
        ("Velcro holds", "Velcro holds"),
        ("USB port is loose.", "USB port is loose"),
        ("I need a size up", "I need a size up"),
        ("A strap broke", "a strap broke"),
        ("THE STRAP broke!", "THE STRAP broke"),
        ("IT arrived late", "IT arrived late"),
        ("两周后\n褪色。", "两周后 褪色"),
        ("مريح جدا؟", "مريح جدا"),
        ("Übergröße fällt klein aus", "Übergröße fällt klein aus"),
        ("  a\tb \n c  ", "a b c"),
    ],
)
def test_a_statement_loses_its_end_and_the_capital_of_a_sentence_only(raw, within):
    assert wrapped(raw, "positive") == f"The user appreciates that {within}."


def test_a_chinese_study_has_chinese_words():
    assert wrapped("面料柔软。", "positive", "zh-hans") == "用户喜欢的是：面料柔软。"
    assert composed([("面料柔软", "positive"), ("褪色！", "negative")], "zh-hans") == (
        "用户喜欢的是：面料柔软。但用户不喜欢的是：褪色。"
    )
    assert wrapped("laine douce", "positive", "ar") == "The user appreciates that laine douce."


def test_three_hundred_statements_are_all_kept():
    many = [(f"part {n} holds", POLARITIES[n % 3]) for n in range(300)]
    text = composed(many)
    assert [n for n in range(300) if f"that part {n} holds" not in text] == []
    assert text.count("; ") == 297 and text.count(".") == 3


def test_another_polarity_is_refused():
    with pytest.raises(ValueError, match="found the polarity 'mixed'; allowed is positive, neg"):
        wrapped("it", "mixed")
    with pytest.raises(ValueError, match="found the polarity ''"):
        composed([("it", "")])


@given(st.lists(st.tuples(st.text(max_size=30), st.sampled_from(POLARITIES)), max_size=20))
def test_whatever_one_statement_says_the_paragraph_says(statements):
    """What is wrapped stands in the paragraph without the words around it."""
    text = composed(statements).casefold()
    for statement, polarity in statements:
        alone = wrapped(statement, polarity)
        said = alone.partition(" that ")[2].removesuffix(".")
        assert said.casefold() in text
