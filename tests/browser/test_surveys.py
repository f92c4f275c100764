"""A survey of counterfactual explanations in a browser: made of ratings, rated to its end."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import expect

from annotate.models import Item, Rating, Session
from judges.models import Upload
from judges.tasks import load_upload
from tests.browser import axe
from tests.demo_files import made_up_ratings

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SEVEN = 7
SHOTS = os.environ.get("SCREENSHOTS")
WIDER = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


def shoot(page, name):
    """No page is wider than the screen; pictures where SCREENSHOTS names a folder."""
    before = page.viewport_size
    for width in (before["width"], 360):
        page.set_viewport_size({"width": width, "height": before["height"]})
        assert not page.evaluate(WIDER), (name, width)
        for scheme in ("dark", "light") if SHOTS else ():
            page.emulate_media(color_scheme=scheme)
            path = Path(SHOTS) / f"surveys-{name}-{width}-{scheme}.png"
            page.screenshot(path=path, full_page=True)
    page.set_viewport_size(before)


@pytest.fixture(autouse=True)
def folders(settings, tmp_path, monkeypatch):
    settings.MEDIA_ROOT = tmp_path / "media"
    monkeypatch.setattr(load_upload, "delay", lambda pk: None)


def make(page, folder):
    """The researcher's part, by the page; the worker's is done here."""
    made_up_ratings.write_all(folder)
    page.goto("/studies/new/")
    page.get_by_role("link", name="Make a study from ratings").click()
    page.get_by_role("heading", name="New study from ratings").wait_for()
    page.get_by_text("The model", exact=True).click()
    expect(page.get_by_label("Regularisation")).to_have_value("0.01")
    assert axe.violations(page) == axe.cut(page) == []
    shoot(page, "new")
    page.get_by_label("Title").fill("Why films")
    page.get_by_label("movies.csv").set_input_files(folder / "movies.csv")
    page.get_by_label("ratings.csv").set_input_files(folder / "ratings.csv")
    page.get_by_label("Surveys").fill("2")
    page.get_by_role("button", name="Check the files").click()
    page.get_by_text("No problems found.").wait_for()
    page.get_by_role("button", name="Make the study").click()
    page.get_by_text("Waiting for a worker.").wait_for()
    load_upload(Upload.objects.get().pk)
    page.get_by_text("Loaded. Go to the study").wait_for()


def rate(page, position):
    """One screen: nine films, the one that is recommended, three of the nine; seven answers."""
    expect(page.get_by_role("heading", name=f"Page {position} of 13")).to_be_visible()
    page.wait_for_load_state("load")
    if page.get_by_text("Please choose both A and D.").count():
        for label in ("A", "D"):
            with page.expect_response(lambda one: "/screen/" in one.url and one.ok):
                page.get_by_label(label, exact=True).check()
        return None
    seen = page.locator(".history li")
    expect(seen).to_have_count(9)
    titles = [text.split(" (")[0] for text in seen.all_inner_texts()]
    said = [line for line in page.locator(".item .words").inner_text().splitlines() if line]
    assert said[0].startswith("We recommend this movie to you because you watched")
    assert len(said) == 4 and all(line.split(" (")[0] in titles for line in said[1:])
    assert page.locator(".item .title").inner_text().split(" (")[0] not in titles
    groups = page.locator("fieldset.question")
    expect(groups).to_have_count(SEVEN)
    if position == 1:
        shoot(page, "screen")
    for place in range(SEVEN):
        with page.expect_response(lambda one: "/answer/" in one.url and one.ok):
            groups.nth(place).locator("input").nth((position + place) % 5).check()
    return said


def test_a_survey_is_made_of_ratings_and_rated_to_its_end(new_page, owner, tmp_path):
    make(new_page(login=owner), tmp_path)
    page = new_page()
    page.goto("/join/why-films/")
    expect(page.get_by_text("Please take part only if you are familiar with")).to_be_visible()
    shoot(page, "consent")
    page.get_by_role("button", name="I agree and take part").click()
    shoot(page, "instructions")
    page.get_by_role("button", name="Start").click()
    shown = []
    for position in range(1, 14):
        shown.append(rate(page, position))
        name = "Finish" if position == 13 else "Next"
        page.get_by_role("button", name=name, exact=True).click()
    assert shown.count(None) == 1 and shown[6] is None
    expect(page.get_by_role("heading", name="Last questions")).to_be_visible()
    shoot(page, "exit")
    page.get_by_label("70 %", exact=True).check()
    page.get_by_label("How many movies do you usually watch").fill("4")
    page.get_by_role("button", name="Finish").click()
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    session = Session.objects.get()
    assert session.state == "completed" and Rating.objects.count() == 12 * SEVEN
    rated = Item.objects.filter(ratings__session=session).distinct()
    assert len({item.data["survey"] for item in rated}) == 1
    assert len({(item.data["cell_score"], item.data["cell_level"]) for item in rated}) == 12
