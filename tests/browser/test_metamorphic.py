"""The page of metamorphic evaluation in Chromium: boxes are drawn, a phone scrolls down only."""

import random

import pytest
from playwright.sync_api import expect

from tests import factories
from tests.browser import axe
from tests.browser.test_analysis import assert_whole, shoot
from tests.recommended import BASE, add_list, make_lists, make_recommender

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
RATES = {"no_change": 0.05, "multiply": 0.3, "shift": 0.3, "spaces": 0.9, "random_words": 0.6}


def said(rng, rate):
    """The baseline list with some entries moved or replaced; now and then nothing readable."""
    letters = [letter if rng.random() > rate else rng.choice("fghijKLM") for letter in BASE]
    return None if rng.random() < 0.02 else "".join(dict.fromkeys(letters))


def make_trial(owner):
    study = factories.make_study("films", owner)
    rng, judge = random.Random(2), make_recommender(study, "teller")
    people = [f"u{number}" for number in range(10)]
    lists = {(person, "no_change", 0): BASE for person in people}
    lists |= {
        (person, relation, at): said(rng, rate)
        for person in people
        for relation, rate in RATES.items()
        for at in (1, 2, 3)
    }
    make_lists(judge, lists)
    sweep = make_lists(judge, {})
    for k in (3, 5):
        for person in people:
            add_list(sweep, person, "no_change", 0, BASE[:k], plan="k_sweep", k=k, l=0)
            add_list(sweep, person, "no_change", 1, said(rng, 0.1)[:k], plan="k_sweep", k=k, l=0)


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (360, "dark")])
def test_tables_and_boxes_stand_on_the_page(new_page, transactional_db, width, scheme):
    owner = factories.make_user("owner")
    make_trial(owner)
    page = new_page(width=width, login=owner, color_scheme=scheme)
    page.goto("/studies/films/analysis/metamorphic/?draws=50")
    expect(page.locator(".plot .boxlayer").first).to_be_visible()
    page.evaluate("document.querySelectorAll('details.card').forEach(part => part.open = true)")
    for heading in ("Table 4.", "Table 2.", "Tests against", "What replies lacked", "Largest"):
        expect(page.locator("h3, summary", has_text=heading).first).to_be_visible()
    shoot(page, f"metamorphic-all-{width}")
    assert axe.violations(page) == []
    page.get_by_label("Table", exact=True).select_option("k_sweep")
    page.get_by_text("Options: ").click()
    page.get_by_label("Persistence p of RBO").fill("0.8")
    page.get_by_role("button", name="Show").click()
    expect(page.locator(".figure")).to_have_count(1)
    page.locator("#notes summary").click()
    expect(page.get_by_text("with p = 0.8")).to_be_visible()
    assert_whole(page)
