"""An editor makes statement items, and a rater on a phone checks one."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import expect

from annotate.models import Rating
from judges.statements.items import current, make
from tests import factories
from tests.stated import make_explained, make_factuality

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SHOTS = os.environ.get("SCREENSHOTS")
REVIEW = [
    ("it keeps the wind out", "functionality", "positive"),
    ("it folds into its own pocket", "functionality", "positive"),
    ("it runs small", "fit", "negative"),
    ("the zip snags now and then", "construction", "negative"),
    ("it is blue", "appearance", "neutral"),
]


def picture(page, name):
    if SHOTS:
        page.screenshot(path=Path(SHOTS) / f"statement-items-{name}.png", full_page=True)


def fits(page):
    """Nothing stands out beyond the screen."""
    return page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.fixture
def jackets(transactional_db):
    study = make_factuality(factories.make_user("owner"), "jackets", items_per_session=1)
    generated = [("it stops the wind", "functionality", "positive")]
    make_explained(study, "e1", generated, REVIEW, text="You would like it: it stops the wind.")
    return study


def test_the_button_makes_items_on_a_desk_and_on_a_phone(new_page, jackets):
    owner = jackets.memberships.get().user
    page = new_page(login=owner)
    page.goto("/studies/jackets/statements/")
    picture(page, "before")
    page.get_by_label("Put the ground truth into blank references").check()
    page.get_by_role("button", name="Make statement items").click()
    expect(page.get_by_text("6 new statement items, of 1 item with statements")).to_be_visible()
    expect(page.get_by_text("6 statement items so far")).to_be_visible()
    picture(page, "after")
    phone = new_page(width=360, height=740, login=owner)
    phone.goto("/studies/jackets/statements/")
    phone.get_by_role("button", name="Make statement items").click()
    expect(phone.get_by_text("6 as they were, of 1 item with statements")).to_be_visible()
    assert fits(phone)
    picture(phone, "phone")


def test_a_rater_reads_document_and_statement_and_answers(new_page, jackets):
    make(jackets)
    kept = current(jackets).get(data__direction="precision")
    jackets.places.exclude(item=kept).delete()
    phone = new_page(width=360, height=740)
    phone.goto("/join/jackets/")
    phone.get_by_role("button", name="I agree and take part").click()
    if phone.get_by_role("button", name="Start").count():
        phone.get_by_role("button", name="Start").click()
    expect(phone.get_by_role("region", name="Document")).to_contain_text(
        "However, the user dislikes that it runs small; that the zip snags now and then."
    )
    expect(phone.get_by_text("The user appreciates that it stops the wind.")).to_be_visible()
    assert fits(phone)
    picture(phone, "rater")
    phone.get_by_role("radio", name="Entailed", exact=True).check()
    phone.get_by_role("button", name="Finish").click()
    expect(phone.get_by_role("heading", name="Thank you")).to_be_visible()
    assert list(Rating.objects.values_list("item", "value")) == [(kept.pk, 1.0)]
