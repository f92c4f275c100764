"""From a file of texts and reviews to tables III and IV, all by pages, with a worker."""

import os
import re

import pytest
from playwright.sync_api import expect

from annotate.models import Study
from judges import tasks
from judges.models import Heartbeat, Judgment
from tests import factories, processes
from tests.analysis import test_factuality_model
from tests.analysis.test_factuality_path import ITEMS, STUDY, model, verdicts
from tests.analysis.test_factuality_path import VERDICTS as BY_HAND
from tests.judges.scorers.tiny_onnx import nli_folder
from tests.scripted_server import ScriptedServer
from tests.small_model import small_model

pytestmark = [pytest.mark.browser, pytest.mark.model, pytest.mark.django_db(transaction=True)]
# Of explanations an NLI model judges how far their statements entail one another.
NLI = """  - {key: convincing, text: "Convincing?", scale: likert5, applies_to: [explanation]}
judges:
  - {judge: StEnt, kind: nli, measure: ent_f1}
"""
PORT = 8353


@pytest.fixture
def worker(settings, monkeypatch, tmp_path):
    """A worker on the broker, the uploads and a queue that the live server sends to."""
    queue, model_folder = f"facts-{os.getpid()}", str(nli_folder(tmp_path / "nli"))
    settings.NLI_MODEL = model_folder
    for task in (tasks.load_upload, tasks.work):
        monkeypatch.setattr(task, "queue", queue, raising=False)
        monkeypatch.setattr(task, "_exec_options", None)  # where Celery keeps the queue
    more = {"CELERY_QUEUE": queue, "REDIS_URL": settings.REDIS_URL, "NLI_MODEL": model_folder}
    with processes.worker(settings.VAR_DIR, **more):
        processes.wait_for(Heartbeat.objects.alive().exists, "the worker's heartbeat")
        yield


def load(page, folder, study, items):
    (folder / "study.yaml").write_text(study)
    (folder / "items.csv").write_text(items)
    page.goto("/")
    page.get_by_role("link", name="New study").first.click()
    page.get_by_role("link", name="Make the study from files").click()
    page.get_by_label("study.yaml").set_input_files(folder / "study.yaml")
    page.get_by_label("items.csv").set_input_files(folder / "items.csv")
    page.get_by_role("button", name="Check the files").click()
    page.get_by_text("No problems found.").wait_for()
    page.get_by_role("button", name="Load").click()
    page.get_by_text("Loaded. Go to the study").wait_for()
    page.get_by_role("link", name="Go to the study").click()


def run_judge(page, name):
    page.goto("/studies/coats/judges/")
    page.get_by_role("button", name=f"Run {name}").click()
    page.locator("#progress .badge", has_text="Finished").first.wait_for()


def make_statement_items(page):
    page.goto("/studies/coats/statements/")
    page.get_by_label("Put the ground truth into blank references").check()
    page.get_by_role("button", name="Make statement items").click()


def line_of(page, table, name):
    """The numbers of a table's line, without their intervals; a folded table is opened."""
    heads = "section.card:has(table) > h3, details.card:has(table) > summary"
    head = page.locator(heads, has_text=table).first
    card = head.locator("xpath=..")
    if head.evaluate("one => one.matches('details:not([open]) > summary')"):
        head.click()
    row = card.get_by_role("row", name=re.compile(f"^{re.escape(name)}")).first
    row.wait_for()
    return [re.match(r"[\d.]+|–", cell)[0] for cell in row.get_by_role("cell").all_inner_texts()]


def test_from_uploading_a_file_to_the_report(new_page, tmp_path, worker):
    page = new_page(login=factories.make_user("owner"))
    with ScriptedServer(model) as server:
        factories.make_endpoint(server.url, json_schema=False)
        load(page, tmp_path, STUDY.replace("judges:\n", NLI), ITEMS)
        run_judge(page, "extractor")
        make_statement_items(page)
        expect(page.get_by_text("6 new statement items, of 4 items")).to_be_visible()
        run_judge(page, "St2Exp")
    run_judge(page, "StEnt")
    page.goto("/studies/coats/analysis/factuality/?draws=50")
    study = Study.objects.get()
    assert verdicts(study) == BY_HAND
    # Good: a1 has precision 1, recall 1/2, so F1 2/3; b1, whose review says nothing, 0. Bad: a2
    # has 0, of b2 nothing is known. The column of all systems is over these three.
    assert line_of(page, "Table III.", "St2Exp-P (St2Exp)") == [".33", ".00", ".50"]
    assert line_of(page, "Table III.", "St2Exp-R (St2Exp)") == [".17", ".00", ".25"]
    assert line_of(page, "Table III.", "St2Exp-F1 (St2Exp)") == [".22", ".00", ".33"]
    for metric in ("StEnt-P", "StEnt-R", "StEnt-F1"):
        numbers = line_of(page, "Table IV. Entailment between", metric)
        assert len(numbers) == 3 and all(0 <= float(number) <= 1 for number in numbers)


def test_the_same_with_the_small_local_model(new_page, tmp_path, worker):
    """It answers poorly: that its verdicts are in table III as they were given is what counts."""
    page = new_page(login=factories.make_user("owner"))
    with small_model(tmp_path, PORT):
        load(page, tmp_path, test_factuality_model.STUDY, test_factuality_model.ITEMS)
        run_judge(page, "extractor")
        study = Study.objects.get()
        test_factuality_model.fill_sides(study)
        make_statement_items(page)
        expect(page.get_by_text(re.compile(r"new statement items, of 2 items"))).to_be_visible()
        run_judge(page, "St2Exp")
    run_judge(page, "StEnt")
    page.goto("/studies/coats/analysis/factuality/?draws=20")
    for metric, direction in (("P", "precision"), ("R", "recall")):
        bad, good = (share(study, system, direction) for system in ("bad", "good"))
        numbers = [f"{value:.2f}".lstrip("0") for value in ((bad + good) / 2, bad, good)]
        assert line_of(page, "Table III.", f"St2Exp-{metric} (St2Exp)") == numbers
    numbers = line_of(page, "Table IV. Entailment between", "StEnt-P")
    assert len(numbers) == 3 and all(0 <= float(number) <= 1 for number in numbers)


def share(study, system, direction):
    """Of the one explanation's statements those that the model found supported."""
    verdicts = Judgment.objects.filter(
        run__judge__key="St2Exp", item__system__key=system, item__data__direction=direction
    )
    values = list(verdicts.values_list("value", flat=True))
    return sum(values) / len(values)
