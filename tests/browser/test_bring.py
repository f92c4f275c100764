"""A newcomer brings an Excel file, says what its columns are, loads it, and takes it back."""

import pytest

from annotate.models import Item, Rating, Study
from judges.models import Upload
from judges.uploads.uploads import load_upload
from tests.workbooks import workbook

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
ROWS = [
    ["Nr", "Story", "rater1_fluency", "rater1_fit", "rater2_fluency", "rater2_fit"],
    ["s1", "Once upon a time there was a cat.", 4, 2, 5, 1],
    ["s2", "The end.", 1, 3, 2, 2],
]


def test_bring_map_load_undo(new_page, owner, tmp_path, settings):
    settings.MEDIA_ROOT = tmp_path / "media"
    (tmp_path / "stories.xlsx").write_bytes(workbook({"Sheet1": ROWS}))
    page = new_page(width=390, login=owner)
    page.goto("/")
    page.get_by_role("link", name="Bring data").first.click()
    page.get_by_label("Your file").set_input_files(tmp_path / "stories.xlsx")
    page.get_by_role("button", name="Look at its columns").click()
    # The guesses are right; fields of answers show only where a column is answers.
    assert page.get_by_label("Nr: Use").input_value() == "item"
    assert page.get_by_label("Question").count() == 6
    assert page.get_by_label("Question").first.is_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("button", name="Go on to the study").click()
    page.get_by_label("Title").fill("Stories")
    page.get_by_role("button", name="Show what it becomes").click()
    page.get_by_text("No problems found. Nothing is written yet.").wait_for()
    page.get_by_role("button", name="Load", exact=True).click()
    page.get_by_text("Waiting for a worker.").wait_for()
    load_upload(Upload.objects.get().pk)
    page.get_by_text("Loaded. Go to the study").wait_for()
    assert (Item.objects.count(), Rating.objects.count()) == (2, 8)
    page.get_by_role("link", name="Undo this load").click()
    page.get_by_text("8 ratings").wait_for()
    page.get_by_role("button", name="Undo this load").click()
    page.get_by_text("The load was undone.").wait_for()
    assert (Item.objects.count(), Rating.objects.count()) == (0, 0)
    assert Study.objects.get().questions.count() == 2
