"""Titles matched to a catalogue: what is the same film, and what only looks so."""

import pytest

from judges.values.titles import Catalogue, identity, named

FILMS = {
    "duke": "Dukes of Hazzard, The (2005)",
    "heat": "Heat (1995)",
    "s72": "Solaris (1972)",
    "s02": "Solaris (2002)",
    "amelie": "Amélie (Fabuleux destin d'Amélie Poulain, Le) (2001)",
    "seven": "Seven (a.k.a. Se7en) (1995)",
    "rocky2": "Rocky II (1979)",
    "toys": "Toy Story (1995)",
    "toys2": "Toy Story 2 (1999)",
    "inc": "Monsters, Inc. (2001)",
    "lion": "Léon: The Professional (a.k.a. The Professional) (Léon) (1994)",
    "aliens": "Aliens (1986)",
    "les": "Misérables, Les (1998)",
    "pod": "The Long History of Lighthouses",
    "hidden": "Crouching Tiger, Hidden Dragon (Wo hu cang long) (2000)",
    "year": "2001: A Space Odyssey (1968)",
    "and": "Pride & Prejudice (2005)",
    "twin-a": "Twins (1988)",
    "twin-b": "Twins, The (1988)",
}


@pytest.fixture(scope="module")
def catalogue():
    return Catalogue(FILMS)


@pytest.mark.parametrize(
    ("said", "content", "how"),
    [
        ("Heat (1995)", "heat", "exact"),
        ("Dukes of Hazzard, The (2005)", "duke", "exact"),
        ("The Dukes of Hazzard (2005)", "duke", "normalised"),
        ("dukes of hazzard", "duke", "normalised"),
        ("HEAT", "heat", "normalised"),
        ("Heat [1995]", "heat", "normalised"),
        ("Amelie (2001)", "amelie", "normalised"),
        ("Le Fabuleux destin d’Amélie Poulain (2001)", "amelie", "normalised"),
        ("Se7en (1995)", "seven", "normalised"),
        ("Monsters Inc (2001)", "inc", "normalised"),
        ("Les Misérables (1998)", "les", "normalised"),
        ("Les Miserables", "les", "normalised"),
        ("Leon: The Professional", "lion", "normalised"),
        ("Solaris (1972)", "s72", "exact"),
        ("Pride and Prejudice (2005)", "and", "normalised"),
        ("2001 - A Space Odyssey", "year", "normalised"),
        ("Crouching Tigers, Hidden Dragon (2000)", "hidden", "fuzzy"),
        ("Long History of Lighthouse", "pod", "fuzzy"),
    ],
)
def test_the_same_content(catalogue, said, content, how):
    assert catalogue.match(said) == (content, how)


@pytest.mark.parametrize(
    "said",
    [
        "Heat (1986)",  # another year is a remake
        "Solaris",  # which of the two?
        "Solaris (2010)",
        "Rocky III (1979)",
        "Rocky (1976)",
        "Toy Story 3 (1999)",
        "Toy Story 4",
        "Alien",
        "Alien (1979)",
        "Twins (1988), the",
        "The Film That Nobody Made (2031)",
        "",
        "()",
        "?",
    ],
)
def test_what_only_looks_so_is_not_matched(catalogue, said):
    assert catalogue.match(said) == (None, "")


def test_to_the_letter_one_of_two_that_are_else_the_same(catalogue):
    assert catalogue.match("Twins, The (1988)") == ("twin-b", "exact")
    assert catalogue.match("twins (1988)") == (None, "")


def test_every_title_of_the_catalogue_is_found_and_no_other(catalogue):
    assert [catalogue.match(title)[0] for title in FILMS.values()] == list(FILMS)


def test_two_invented_titles_are_the_same_by_their_normal_text():
    titles = ["Foo Bar, The (1999)", "The FOO  bar (1999)", "Foo Bar (2000)"]
    ones = [{"said": said, "content": None} for said in titles]
    same, also, other = map(identity, ones)
    assert same == also != other
    assert identity({"said": "Heat", "content": "heat"}) == "heat" != identity(ones[0])


def test_a_name_keeps_the_year_that_stands_last():
    assert named("1984 (Nineteen Eighty-Four) (1984)").year == "1984"
    assert named("2012 (2009)").name == "2012"
    assert named("(500) Days of Summer (2009)").name == "days of summer"


def test_a_name_without_a_year_is_alike_to_one_content_of_any_year():
    films = {"dukes": "Dukes of Hazzard, The (2005)", "amélie": "Amélie (2001)"}
    assert Catalogue(films).match("The Dukes of Hazard") == ("dukes", "fuzzy")
    assert Catalogue(films).match("The Dukes of Hazard (2004)") == (None, "")
    assert Catalogue(films).match("Amelia") == (None, "")
    films["older"] = "Dukes of Hazzard, The (1979)"
    assert Catalogue(films).match("The Dukes of Hazard") == (None, "")
    alike = {
        "one": "Extraordinary Dukes of Hazzards (2005)",
        "two": "Extraordinary Dukes of Hazzard (1979)",
    }
    assert Catalogue(alike).match("Extraordinary Dukes of Hazzardd") == (None, "")
