"""From the most disagreeing items to their pages, and with a click to more raters."""

import json
import re
import threading

import pytest
from django.db import connection
from playwright.sync_api import expect

from annotate.models import ExtraPlaces
from judges.runs import drive
from judges.runs.plan import plan
from tests import factories
from tests.scripted_server import ScriptedServer, chat

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PEOPLE = {"item-0": (1, 2), "item-1": (5, 5), "item-2": (4, 4), "item-3": (3, 3)}
SAID = {"item-0": 5, "item-1": 1, "item-2": 4, "item-3": 4}


def script(_number, request):
    """Far from people on the first two items, and why."""
    item = re.search(r"item-\d", request["messages"][-1]["content"]).group()
    return chat(json.dumps({"rationale": f"So I read {item}.", "accuracy": SAID[item]}))


def judge(study, url):
    """Judged in a thread: Playwright's event loop runs in this one."""

    def through():
        endpoint = factories.make_endpoint(url, price_in=1, price_out=2)
        made = factories.make_judge(study, "careful", endpoint, rationale=True)
        drive.work_through(plan(made).pk)
        connection.close()

    thread = threading.Thread(target=through)
    thread.start()
    thread.join(120)


def rated(owner):
    """Two raters, and the first says why."""
    study = factories.make_study(
        owner=owner, items=4, raters_per_item=2, questions={"accuracy": "It is consistent."}
    )
    for number, name in enumerate(["ann", "bob"]):
        session = factories.make_session(study, name)
        for item in study.items.all():
            factories.make_rating(
                session,
                item,
                study.questions.get(),
                PEOPLE[item.key][number],
                reason="" if number else f"{name} on {item.key}",
            )
    return study


def places(study):
    return {item.key: item.places.count() for item in study.items.all()}


def test_the_items_where_they_differ_most_go_to_more_raters(new_page, owner):
    study = rated(owner)
    with ScriptedServer(script) as server:
        judge(study, server.url)
    page = new_page(login=owner)
    page.goto(f"/studies/{study.slug}/")
    page.get_by_role("navigation").get_by_role("link", name="Results").first.click()
    page.get_by_role("link", name="Disagreements").first.click()
    cards = page.locator("section.card", has=page.get_by_role("link", name=re.compile("^item-")))
    # 4, 3.5, 1 and 0 apart, by hand.
    expect(cards).to_have_text([re.compile(f"item-{n}") for n in (1, 0, 3, 2)])
    expect(cards.first).to_contain_text("4 apart")
    cards.first.locator("summary").click()
    expect(cards.first).to_contain_text("ann on item-1")
    expect(cards.first).to_contain_text("So I read item-1.")
    cards.first.get_by_role("link", name="item-1").click()
    read_the_item(page)
    page.get_by_label("More raters for each").fill("2")
    page.get_by_role("button", name="Send to more raters").click()
    page.get_by_text("2 more places for 1 item").wait_for()
    assert places(study) == {"item-0": 2, "item-1": 4, "item-2": 2, "item-3": 2}
    expect(page.locator("main")).to_contain_text("4 places for raters")
    send_the_chosen(page, study, cards)


def read_the_item(page):
    """People and judges side by side, with reasons, the prompt and the reply as it came."""
    people = page.get_by_role("region", name="People")
    expect(people.get_by_role("row", name=re.compile("^ann"))).to_contain_text("5")
    expect(page.locator("main")).to_contain_text("ann, accuracy: ann on item-1")
    judges = page.get_by_role("region", name="Judges")
    expect(judges.get_by_role("row", name=re.compile("^careful"))).to_contain_text("1")
    page.locator("summary", has_text="careful, accuracy").click()
    opened = page.locator("details[open]")
    expect(opened).to_contain_text("So I read item-1.")
    expect(opened.locator("pre").first).to_contain_text("Because you like films (item-1).")
    expect(opened.locator("pre").last).to_have_text(
        '{"rationale": "So I read item-1.", "accuracy": 1}'
    )
    # 100 tokens in and 10 out, at 1 and 2 dollars a million.
    expect(opened).to_contain_text("explanation.v1")
    expect(opened).to_contain_text("$0.0001")


def send_the_chosen(page, study, cards):
    """Several at once, from the list itself; the log says why and takes it back."""
    page.goto(f"/studies/{study.slug}/analysis/disagreements/")
    for number in (0, 1):
        cards.nth(number).get_by_role("checkbox").check()
    page.get_by_label("Why (for the log)").fill("far apart")
    page.get_by_role("button", name="Send the chosen items to more raters").click()
    page.get_by_text("2 more places for 2 items").wait_for()
    assert places(study) == {"item-0": 3, "item-1": 5, "item-2": 2, "item-3": 2}
    page.get_by_role("link", name="Log and undo").click()
    row = page.get_by_role("row", name="far apart")
    row.get_by_role("button").click()
    expect(page.locator("main")).to_contain_text("2 taken away by owner")
    assert places(study) == {"item-0": 2, "item-1": 4, "item-2": 2, "item-3": 2}
    assert ExtraPlaces.objects.count() == 2
