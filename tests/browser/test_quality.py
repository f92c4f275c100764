"""Exclusion rules in a browser: preview, apply, undo; a rater's page; phones, dark pages."""

import os
import random
from pathlib import Path

import pytest
from playwright.sync_api import expect

from annotate.models import Place, Rater, RatingRevision
from annotate.sessions import exclude
from tests import factories

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SHOTS = os.environ.get("SCREENSHOTS")


@pytest.fixture
def researcher(transactional_db):
    return factories.make_user("owner")


@pytest.fixture
def study(researcher):
    """Ten raters of twelve items; two are fast, one always says 3, one is at work."""
    study = factories.make_study(owner=researcher, items=12, raters_per_item=10)
    rng, questions = random.Random(2), list(study.questions.all())
    quality = {item.pk: 1 + item.pk % 4 for item in study.items.all()}
    for number in range(10):
        state = "rating" if number == 1 else "completed"
        session = factories.make_session(study, f"rater-{number:02}", source="web", state=state)
        for item in study.items.all():
            place = item.places.filter(state="open").first()
            Place.objects.filter(pk=place.pk).update(
                state="filled", rater=session.rater, session=session
            )
            for question in questions:
                value = 3 if number == 2 else quality[item.pk] + rng.choice([0, 0, 1])
                seconds = rng.uniform(1, 3) if number < 2 else rng.uniform(12, 70)
                rating = factories.make_rating(session, item, question, value, seconds=seconds)
                if rng.random() < 0.2:
                    for old in (2, value):
                        RatingRevision.objects.create(
                            rating=rating, value=old, at=rating.answered_at
                        )
    Rater.objects.filter(key="rater-00").update(
        platform_ids={"PROLIFIC_PID": "5f3c0a", "STUDY_ID": "s1", "SESSION_ID": "v1"}
    )
    return study


def shoot(page, name):
    """A picture for people to look at, where SCREENSHOTS names a folder."""
    if SHOTS:
        page.screenshot(path=Path(SHOTS) / f"{name}.png", full_page=True)


def preview(page, title, **numbers):
    card = page.locator("section.card").filter(has=page.get_by_role("heading", name=title))
    for label, number in numbers.items():
        card.get_by_label(label).fill(str(number))
    card.get_by_role("button", name="Preview").click()


def test_a_rule_is_seen_applied_and_undone(new_page, study, researcher):
    page = new_page(login=researcher)
    page.goto("/studies/films/")
    page.get_by_role("link", name="Raters", exact=True).click()
    page.get_by_role("link", name="Quality", exact=True).click()
    preview(page, "Too fast: median time")
    expect(page.get_by_text("This rule would exclude 2 of 10 raters, and open 12")).to_be_visible()
    expect(page.get_by_text("1 of them is rating right now.")).to_be_visible()
    shoot(page, "preview-light")
    page.get_by_role("button", name="Exclude 2 raters").click()
    expect(page.get_by_text("2 raters were excluded. 12 places opened.")).to_be_visible()
    assert Rater.objects.exclude(excluded_because="").count() == 2
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("2 raters were included again. 12 of")).to_be_visible()
    assert not Rater.objects.exclude(excluded_because="").exists()
    shoot(page, "undone-light")


def test_a_wrong_number_is_found_from_the_top_of_the_page(new_page, study, researcher):
    page = new_page(login=researcher)
    page.goto("/studies/films/quality/?rule=straight_lining&answers=1")
    page.get_by_role("link", name="See what is allowed").click()
    expect(page.get_by_text("greater than or equal to 2")).to_be_in_viewport()
    new_page.faults[:] = [fault for fault in new_page.faults if "422" not in fault]


def test_a_rater_is_excluded_by_hand_and_deleted(new_page, study, researcher):
    page = new_page(login=researcher)
    page.goto("/studies/films/raters/")
    page.get_by_label("participant id").fill("5f3c0a")
    page.get_by_role("button", name="Find").click()
    expect(page.get_by_role("heading", name="rater-00")).to_be_visible()
    shoot(page, "rater-light")
    page.get_by_label("Reason").fill("said so in a message")
    page.get_by_role("button", name="Exclude this rater").click()
    expect(page.get_by_text("said so in a message")).to_be_visible()
    shoot(page, "rater-excluded-light")
    page.get_by_role("button", name="Include again").click()
    expect(page.get_by_text("12 of their places came back")).to_be_visible()
    page.get_by_role("link", name="Delete this rater’s data …").click()
    expect(page.get_by_text("1 session and 48 answers")).to_be_visible()
    shoot(page, "delete-light")
    page.get_by_role("button", name="Delete this rater’s data").click()
    expect(page.get_by_text("The rater and 48 answers were deleted.")).to_be_visible()
    assert not Rater.objects.filter(key="rater-00").exists()


def make_log(study, researcher):
    first, second = study.raters.all()[:2]
    step = exclude.exclude_by_hand(first, researcher, "told us that they had guessed")
    exclude.exclude_by_hand(second, researcher, "x" * 190)
    exclude.undo(step, researcher)
    exclude.forget(study.raters.last(), researcher)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1200])
def test_pages_fit_every_screen(new_page, study, researcher, width, scheme):
    make_log(study, researcher)
    rater = study.raters.get(key="rater-04")
    page = new_page(width=width, height=740, login=researcher, color_scheme=scheme)
    for name, path in (
        ("quality", "quality/"),
        ("quality-preview", "quality/?rule=low_agreement&correlation=0.9&items=8"),
        ("rater-page", f"raters/{rater.pk}/"),
        ("delete", f"raters/{rater.pk}/delete/"),
        ("raters", "raters/"),
        ("export", "export/"),
    ):
        page.goto(f"/studies/films/{path}")
        shoot(page, f"{name}-{width}-{scheme}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
