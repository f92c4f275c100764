"""The six areas of a study and the second row of pages, as each role sees them."""

import re

import pytest
from django.urls import reverse

from annotate.models import Membership
from annotate.templatetags.navigation import AREAS

pytestmark = pytest.mark.django_db


def rows(client, route):
    """[[(words, address, aria-current)] of each row of links] of a study's page."""
    page = client.get(reverse(route, args=["films"])).content.decode()
    navs = re.findall(r'<nav class="(?:sub)?tabs(?: scroll)?".*?</nav>', page, re.S)
    return [
        [
            (words, address, current)
            for address, current, words in re.findall(
                r'<a href="([^"]*)"(?: aria-current="(\w+)")?>([^<]*)</a>', nav
            )
        ]
        for nav in navs
    ]


def test_an_owner_has_six_areas(study, as_owner):
    (areas,) = rows(as_owner, "study")
    assert [words for words, *_ in areas] == [
        *("Overview", "Set up", "Raters", "Judges", "Results", "Data")
    ]
    assert [words for words, _, current in areas if current] == ["Overview"]


def test_every_page_of_the_second_row_marks_itself_and_its_area(study, as_owner):
    for area, pages in AREAS.items():
        for route, words, _ in pages:
            first, *second = rows(as_owner, route)
            assert [word for word, _, current in first if current] == [area], route
            here = [(word, current) for word, _, current in sum(second, []) if current]
            assert here == ([(words, "page")] if len(pages) > 1 else []), route


def test_a_viewer_is_led_only_to_what_they_may_open(study, stranger, as_stranger):
    Membership.objects.create(study=study, user=stranger, role=Membership.Role.VIEWER)
    for route in ("study", "items", "raters", "judges", "analysis", "export"):
        for row in rows(as_stranger, route):
            for words, address, _ in row:
                assert as_stranger.get(address).status_code == 200, words
    areas, *_ = rows(as_stranger, "study")
    assert areas[1][:2] == ("Set up", "/studies/films/items/")
