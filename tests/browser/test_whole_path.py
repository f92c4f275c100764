"""The main job in one go: files, people, a judge, figures, a CSV. Nothing in it is a stand-in."""

import csv
import re

import pytest
from django.test import Client

from annotate.models import Rating
from judges.models import Judgment
from tests import factories
from tests.scripted_server import ScriptedServer, by_schema, chat

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
STUDY = """\
study: path
title: The whole path
raters_per_item: 2
items_per_session: 4
consent: You take part of your own will.
instructions: Read the explanation, then answer.
questions:
  - {key: persuasiveness, text: This explanation is convincing to me., scale: likert5}
  - {key: satisfaction, text: I am satisfied with this explanation., scale: likert5}
judges:
  - {judge: careful, kind: llm, endpoint: scripted, prompt: explanation.v1, aspects: multiple}
"""
ITEMS = "item,recipient,content,system,text\n" + "".join(
    f"e{number},r{number % 2},film-{number},{system},Text {number} of {system}.\n"
    for number, system in enumerate(["plain", "rich", "plain", "rich"])
)
# What each of two raters answers to e0..e3, on both questions, and what the judge says.
ANSWERS = [{"e0": 1, "e1": 3, "e2": 4, "e3": 5}, {"e0": 2, "e1": 2, "e2": 4, "e3": 4}]
JUDGED = {"e0": 1, "e1": 2, "e2": 3, "e3": 4}


@pytest.fixture
def researcher():
    return factories.make_user("owner")


def replies(_number, request):
    text = request["messages"][-1]["content"]
    number = int(re.search(r"Text (\d) of", text).group(1))
    return chat(by_schema(request).replace("5", str(number + 1)))


def load(page, folder):
    (folder / "study.yaml").write_text(STUDY)
    (folder / "items.csv").write_text(ITEMS)
    page.goto("/")
    page.get_by_role("link", name="New study").first.click()
    page.get_by_role("link", name="Make the study from files").click()
    page.get_by_label("study.yaml").set_input_files(folder / "study.yaml")
    page.get_by_label("items.csv").set_input_files(folder / "items.csv")
    page.get_by_role("button", name="Check the files").click()
    page.get_by_text("No problems found.").wait_for()
    page.get_by_role("button", name="Load").click()
    page.get_by_text("Loaded. Go to the study").wait_for()


def rate(page, answers):
    page.goto("/join/path/")
    page.get_by_role("button", name="I agree and take part").click()
    page.get_by_role("button", name="Start").click()
    for number in range(1, 5):
        page.get_by_text(f"Page {number} of 4").wait_for()
        item = "e" + re.search(r"Text (\d) of", page.locator("main").inner_text()).group(1)
        for group in page.locator("fieldset.question").all():
            group.get_by_role("radio").nth(answers[item] - 1).check()
        page.locator(".onward button.primary").click()
    page.get_by_text("Your completion code").wait_for()


def run_judge(page):
    page.goto("/studies/path/judges/")
    page.get_by_role("button", name="Run careful").click()
    page.locator("#progress .badge", has_text="Finished").wait_for()
    page.get_by_text("8 of 8 judgments").wait_for()


def exported(page):
    page.goto("/studies/path/export/")
    with page.expect_download() as download:
        page.locator("a[href$='scores.csv']").click()
    with open(download.value.path(), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.journey
def test_from_a_file_to_a_figure(new_page, researcher, tmp_path, worker):
    page = new_page(login=researcher)
    with ScriptedServer(replies) as server:
        factories.make_endpoint(server.url, key="scripted")
        load(page, tmp_path)
        for answers in ANSWERS:
            rate(new_page(width=360), answers)
        run_judge(page)
    assert Rating.objects.for_analysis().count() == 16
    assert Judgment.objects.filter(state="done").count() == 8

    page.goto("/studies/path/")
    page.get_by_text("No judge may stand in for a rater yet.").wait_for()
    page.get_by_role("link", name="Open the results").click()
    page.get_by_text("careful: Pearson's r").wait_for()
    for report in ("correlation", "agreement", "roc", "confusion"):
        page.goto(f"/studies/path/analysis/{report}/?draws=50")
        page.locator(".plot svg.main-svg").first.wait_for()
    # People's means 1.5 2.5 4 4.5 against 1 2 3 4: r = .9845 (Python's statistics.correlation).
    page.goto("/studies/path/analysis/correlation/?draws=0")
    row = page.get_by_role("row", name=re.compile("^careful")).first
    assert ".98" in row.inner_text()

    rows = exported(page)
    people = [row for row in rows if row["source"] == "human"]
    judged = [row for row in rows if row["source"] == "judge"]
    assert (len(people), len(judged)) == (16, 8)
    assert {row["item"]: float(row["value"]) for row in judged} == JUDGED
    for item in JUDGED:
        given = sorted(float(row["value"]) for row in people if row["item"] == item)
        assert given == sorted([answers[item] for answers in ANSWERS] * 2)

    stranger = Client()
    stranger.force_login(
        factories.make_user("stranger"), "django.contrib.auth.backends.ModelBackend"
    )
    assert stranger.get("/studies/path/export/scores.csv").status_code == 404
