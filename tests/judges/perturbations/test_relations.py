"""What each relation must keep, whatever the text, the seed and the rate."""

import random
import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.perturbations.relations import FILLER, RELATIONS, WORDS, drawing, named

TEXT_RELATIONS = [key for key, one in RELATIONS.items() if one.acts_on == "text"]
WITH_RATE = [key for key in TEXT_RELATIONS if "rate" in RELATIONS[key].options]
ratings = st.lists(st.integers(2, 10).map(lambda twice: twice / 2), min_size=2, max_size=20)
# Of real prompts, and of what a text may also hold.
bits = st.sampled_from([*"ab3½ \n\t", "Dukes of Hazzard (2005) 2/5", "10 000", "apple", "电影"])
texts = st.one_of(st.text(), st.lists(bits).map(" ".join))
seeds = st.integers(0, 2**32)
rates = st.floats(0.01, 1)
PAPER = (
    "Given a user, as a recommender system, provide recommendations. The user 509 likes the "
    "following items: Dukes of Hazzard, The (2005) 2/5. (1 being lowest and 5 being highest)."
)


def options(key, rate):
    return RELATIONS[key].options | ({"rate": rate} if key in WITH_RATE else {})


def perturbed(key, text, seed=1, rate=0.15):
    return RELATIONS[key].text(text, options(key, rate), drawing(seed, key, "u1"))


@pytest.mark.parametrize(("key", "name"), [("multiply", "factor"), ("shift", "by")])
@given(values=ratings, constant=st.integers(2, 100))
def test_ratings_keep_their_order_and_come_back(key, name, values, constant):
    relation, chosen = RELATIONS[key], {name: constant}
    after = [relation.numbers(value, 1, 5, chosen)[0] for value in values]
    for (one, other), (new, newer) in zip(pairwise(values), pairwise(after), strict=True):
        assert (one < other) == (new < newer)
        assert (one == other) == (new == newer)
    assert [relation.mapped_back(value, chosen) for value in after] == values


def test_multiplied_and_shifted_ratings_are_those_of_the_paper():
    assert RELATIONS["multiply"].numbers(2, 1, 5, {"factor": 2}) == (4, 1, 10)
    assert RELATIONS["shift"].numbers(2, 1, 5, {"by": 1}) == (3, 2, 6)
    assert RELATIONS["multiply"].scale_ends(1, 5, {"factor": 2}) == (2, 10)
    assert RELATIONS["shift"].scale_ends(1, 5, {"by": 3}) == (4, 8)


@pytest.mark.parametrize("key", TEXT_RELATIONS)
@given(text=texts, seed=seeds, rate=rates)
def test_a_text_is_kept_when_undone_and_no_number_is_touched(key, text, seed, rate):
    after = perturbed(key, text, seed, rate)
    assert RELATIONS[key].undone(after) == RELATIONS[key].undone(text)
    assert re.findall(r"[\d/.,]*\d", after) == re.findall(r"[\d/.,]*\d", text)


@given(text=texts, seed=seeds, rate=rates)
def test_random_words_leave_the_very_text_where_it_had_none_of_them(text, seed, rate):
    plain = text.replace("apple", "").replace("grape", "").replace("banana", "").replace("pear", "")
    assert RELATIONS["random_words"].undone(perturbed("random_words", plain, seed, rate)) == plain


@pytest.mark.parametrize("key", TEXT_RELATIONS)
@given(seed=seeds)
def test_the_same_seed_gives_the_same_text(key, seed):
    assert perturbed(key, PAPER, seed) == perturbed(key, PAPER, seed)


@pytest.mark.parametrize("key", WITH_RATE)
def test_another_seed_gives_another_text(key):
    assert len({perturbed(key, PAPER, seed) for seed in range(5)}) > 1


def test_drawing_differs_by_each_of_its_parts():
    drawn = {
        drawing(*parts).random()
        for parts in [
            (1, "spaces", "u1"),
            (2, "spaces", "u1"),
            (1, "typos", "u1"),
            (1, "spaces", "u2"),
            (1, "spaces", "u1", 1),
        ]
    }
    assert len(drawn) == 5


def test_spaces_fill_all_gaps_between_letters_at_a_rate_of_one():
    assert (
        perturbed("spaces", "Give me 5 of R2D2, Zoë!", rate=1) == "G i v e m e 5 o f R2D2, Z o ë!"
    )


def test_random_words_fill_gaps_between_words_and_never_within_a_number():
    after = perturbed("random_words", "likes 10 000 items", rate=1)
    assert re.fullmatch(r"likes \w+ 10 000 \w+ items", after)
    assert set(after.split()) - {"likes", "10", "000", "items"} <= set(WORDS)


def test_typing_errors_keep_first_and_last_letters():
    assert perturbed("typos", "five item", rate=1) == "fvie ietm"


def test_the_rate_is_about_what_was_asked_for():
    words = "word " * 2000
    added = perturbed("random_words", words).count(" ") - words.count(" ")
    assert 240 < added < 360  # .15 of 1,999 gaps is 300, with a standard deviation of 16


entries = st.lists(st.integers(), max_size=8)


@pytest.mark.parametrize("key", ["history_order", "aspect_order", "list_members_order"])
@given(found=entries, seed=seeds)
def test_another_order_has_the_same_entries_and_is_another_where_there_is_one(key, found, seed):
    after = RELATIONS[key].entries(found, {}, random.Random(seed))
    assert sorted(after) == sorted(found)
    assert after != found or len(set(found)) < 2


def test_lists_are_swapped():
    assert RELATIONS["swapped_lists"].entries(["A", "B"], {}, random.Random(1)) == ["B", "A"]


@pytest.mark.parametrize(
    ("found", "new"),
    [
        (["Heat"], "Knots"),
        ([("Heat", 4)], ("Knots", 4)),
        ([["Heat", 4]], ["Knots", 4]),
        ([{"title": "Heat", "show": "S"}], {"title": "Knots", "show": "S"}),
    ],
)
def test_an_irrelevant_entry_is_one_more_of_the_same_form(found, new):
    after = RELATIONS["irrelevant_entry"].entries(found, {"title": "Knots"}, random.Random(1))
    assert sorted(map(str, after)) == sorted(map(str, [*found, new]))


def test_no_irrelevant_entry_is_put_into_an_empty_history():
    assert RELATIONS["irrelevant_entry"].entries([], {"title": "Knots"}, random.Random(1)) == []


@given(seed=seeds, sentences=st.integers(1, len(FILLER)))
def test_a_longer_text_begins_with_the_whole_text(seed, sentences):
    after = RELATIONS["longer"].subject("Good. ", {"sentences": sentences}, random.Random(seed))
    assert after.startswith("Good. ")
    assert sum(sentence in after for sentence in FILLER) == sentences


def test_no_change_changes_nothing():
    same, rng = RELATIONS["no_change"], random.Random(1)
    assert same.numbers(2, 1, 5, {}) == (2, 1, 5)
    assert same.text(PAPER, {}, rng) == same.subject(PAPER, {}, rng) == PAPER
    assert same.entries([1, 2], {}, rng) == [1, 2]


@pytest.mark.parametrize("key", sorted(RELATIONS.keys() - {"wording"}))
def test_the_defaults_fit_a_usual_scale(key):
    assert RELATIONS[key].given({}) == RELATIONS[key].options


@pytest.mark.parametrize(
    ("key", "chosen", "words"),
    [
        ("multiply", {"factor": 0}, "allowed is 2 or more"),
        ("multiply", {"factor": -2}, "allowed is 2 or more"),
        ("multiply", {"factor": 1}, "1 changes nothing"),
        ("multiply", {"factor": 1.5}, "whole number"),
        ("multiply", {"factor": float("nan")}, "whole number"),
        ("multiply", {"factor": "2"}, "whole number"),
        ("multiply", {"factor": True}, "whole number"),
        ("multiply", {"factor": 10**400}, "at most 100"),
        ("shift", {"by": 0}, "changes nothing"),
        ("shift", {"by": 0.5}, "whole number"),
        ("shift", {"by": -1}, "begin at 0; allowed is 1 or more"),
        ("shift", {"by": 10**400}, "at most 100"),
        ("spaces", {"rate": 0}, "above 0"),
        ("spaces", {"rate": 1.1}, "at most 1"),
        ("spaces", {"rate": 10**400}, "at most 1"),
        ("typos", {"rate": float("nan")}, "above 0"),
        ("random_words", {"rate": "much"}, "above 0"),
        ("longer", {"sentences": 0}, "1 to 6"),
        ("longer", {"sentences": 99}, "1 to 6"),
        ("irrelevant_entry", {"title": " "}, "a text of 1 to 200"),
        ("wording", {}, "name another prompt of the study, such as own/again.v1"),
        ("wording", {"prompt": "x" * 101}, "in up to 100 characters"),
        ("swapped_lists", {"rate": 1}, "has no option 'rate'"),
    ],
)
def test_absurd_options_are_refused_in_words(key, chosen, words):
    with pytest.raises(ValueError, match=words):
        RELATIONS[key].given(chosen)


def test_a_shift_may_go_down_where_the_scale_has_room():
    assert RELATIONS["shift"].given({"by": -2}, low=3, high=7) == {"by": -2}


def test_an_unknown_relation_is_refused_with_the_names_there_are():
    with pytest.raises(ValueError, match="'nonsense'; there are no_change, multiply"):
        named("nonsense")
