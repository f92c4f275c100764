"""Contents near to those that somebody likes: values by hand, and what has no answer."""

from math import log, sqrt
from random import Random

import pytest

from judges.methods.recommend.nearest import attributes_of, rank_nearest

FILMS = {
    "alien": {"horror", "space"},
    "jaws": {"horror", "sea"},
    "psycho": {"horror", "crime"},
    "heat": {"crime"},
    "solaris": {"space"},
}


def ranked(liked, attributes=FILMS, length=9, seed=1):
    return rank_nearest(liked, attributes, length, Random(seed))


def test_the_order_by_hand():
    """N = 5; horror stands in 3, space and crime in 2, sea in 1.

    Of alien space weighs log(5/2) = .916 and horror log(5/3) = .511, so that solaris, which is
    space alone, has .916 / 1.049 = .873. Psycho shares horror, with the weights of alien, as crime
    is as rare as space: .511² / 1.049² = .237. Of jaws sea weighs log 5 = 1.609, so that it shares
    .511² / (1.049 · 1.689) = .147. Heat shares nothing.
    """
    horror, space, sea = log(5 / 3), log(5 / 2), log(5)
    alien, jaws = sqrt(horror**2 + space**2), sqrt(horror**2 + sea**2)
    by_hand = {
        "solaris": space / alien,
        "psycho": horror**2 / alien**2,
        "jaws": horror**2 / (alien * jaws),
    }
    assert [round(value, 3) for value in by_hand.values()] == [0.873, 0.237, 0.147]
    assert ranked(["alien"]) == ["solaris", "psycho", "jaws"]
    assert ranked(["alien"], length=1) == ["solaris"]


def test_what_more_picks_share_comes_first():
    assert ranked(["heat", "jaws"])[0] == "psycho"


@pytest.mark.parametrize(
    ("liked", "attributes"),
    [
        ([], FILMS),
        (["nothing"], FILMS),
        (["alien"], {}),
        (["alien"], {"alien": set(), "heat": {"crime"}}),
        (["a"], {"a": {"film"}, "b": {"film"}}),  # what all have tells nothing
        (["alien"], {"alien": {"space"}}),
    ],
)
def test_without_anything_in_common_nothing_is_near(liked, attributes):
    assert ranked(liked, attributes) == []


def test_equals_are_drawn_and_the_order_of_the_contents_changes_nothing():
    films = {"liked": {"a"}, "other": {"b"}} | {f"film-{n}": {"a"} for n in range(6)}
    drawn = {tuple(ranked(["liked"], films, seed=seed)) for seed in range(20)}
    assert len(drawn) > 10 and {frozenset(order) for order in drawn} == {
        frozenset(f"film-{n}" for n in range(6))
    }
    assert ranked(["liked"], dict(reversed(films.items()))) == ranked(["liked"], films)


def test_attributes_are_lists_or_texts_with_bars_in_any_case():
    content = {"show": "News", "data": {"genres": "Drama| space |", "topics": ["Sea", 7], "no": ""}}
    assert attributes_of(content, ["genres", "topics", "no", "none", "show"]) == {
        ("genres", "drama"),
        ("genres", "space"),
        ("topics", "sea"),
        ("topics", "7"),
        ("show", "news"),
    }
    assert attributes_of({"show": "", "data": None}, ["show", "genres"]) == set()
