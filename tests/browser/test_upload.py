"""A researcher makes a study from files, in a browser."""

import pytest

from annotate.models import Item, Rating
from judges import tasks
from judges.models import Upload
from judges.uploads.uploads import Progress, load_upload
from tests.files import ITEMS, RATINGS, write
from tests.processes import worker

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def media(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"


def choose(page, folder, **tables):
    study, paths = write(folder, **tables)
    page.get_by_role("link", name="Make the study from files").click()
    page.get_by_label("study.yaml").set_input_files(study)
    for table, path in paths.items():
        page.get_by_label(f"{table}.csv").set_input_files(path)
    page.get_by_role("button", name="Check the files").click()


@pytest.mark.journey
def test_upload_preview_load(new_page, owner, tmp_path):
    page = new_page(login=owner)
    page.goto("/")
    page.get_by_role("link", name="New study").first.click()
    choose(page, tmp_path, items=ITEMS, ratings=RATINGS.replace("ness,4", "ness,6"))
    page.get_by_text("1 problem. Nothing was written.").wait_for()
    page.get_by_role("cell", name="found '6'; allowed is a whole number from 1 to 5").wait_for()

    page.get_by_role("button", name="Choose other files").click()
    choose(page, tmp_path, items=ITEMS, ratings=RATINGS)
    page.get_by_text("No problems found. Nothing is written yet.").wait_for()
    page.get_by_role("cell", name="Slow, and quiet.").wait_for()
    assert not Item.objects.exists()

    page.get_by_role("button", name="Load").click()
    page.get_by_text("Waiting for a worker.").wait_for()
    page.get_by_text("No worker is alive").wait_for()
    # What a worker does, done here: the page follows by polling, without a click.
    upload = Upload.objects.get()
    Progress(upload)("items", 1)
    page.get_by_text("Loading items: 1 of 9 rows.").wait_for()
    load_upload(upload.pk)
    page.get_by_text("Loaded. Go to the study").wait_for()
    assert (Item.objects.count(), Rating.objects.count()) == (2, 3)


def test_a_real_worker_loads_what_the_page_gives_it(
    new_page, owner, tmp_path, settings, monkeypatch
):
    # A queue of the test's own, on the broker that the server of the test sends to.
    queue, var = "concord-upload-test", settings.VAR_DIR
    settings.MEDIA_ROOT = var / "media"
    monkeypatch.setattr(tasks.load_upload, "queue", queue, raising=False)
    monkeypatch.setattr(tasks.load_upload, "_exec_options", None)
    page = new_page(login=owner)
    page.goto("/studies/new/")
    choose(page, tmp_path, items=ITEMS)
    with worker(var, CELERY_QUEUE=queue, REDIS_URL=settings.REDIS_URL):
        page.get_by_role("button", name="Load").click()
        page.get_by_text("Loaded. Go to the study").wait_for()
    assert Item.objects.count() == 2
    page.get_by_role("link", name="Go to the study").click()


def test_html_in_a_file_does_not_run(new_page, owner, tmp_path):
    page = new_page(login=owner)
    page.goto("/studies/new/")
    evil = "<img src=x onerror=document.title='run'>"
    choose(page, tmp_path, items=f"item,text\n{evil},{evil}\n")
    page.get_by_role("cell", name=evil).first.wait_for()
    assert "run" not in page.title()


def test_it_works_without_javascript(new_page, owner, tmp_path):
    page = new_page(login=owner, java_script_enabled=False)
    page.goto("/studies/new/")
    choose(page, tmp_path, items=ITEMS)
    page.get_by_role("button", name="Load").click()
    load_upload(Upload.objects.get().pk)
    page.get_by_role("link", name="Look again").click()
    page.get_by_text("Loaded. Go to the study").wait_for()


def test_nothing_sticks_out_on_a_phone(new_page, owner, tmp_path):
    page = new_page(width=360, height=740, login=owner)
    page.goto("/studies/new/")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    choose(page, tmp_path, items=ITEMS, ratings=RATINGS)
    page.get_by_text("No problems found.").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
