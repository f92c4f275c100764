"""Raters from platforms in a real browser: the way back, MTurk's frame, links, a phone."""

from urllib.parse import parse_qs

import pytest
from playwright.sync_api import expect

from annotate.models import Rater, Rating, Session
from annotate.sessions import links
from tests import factories
from tests.browser import axe
from tests.browser.conftest import LOST_REQUESTS
from tests.processes import wait_for

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
P = "?PROLIFIC_PID=p1&STUDY_ID=s1&SESSION_ID=v1"
M = "?assignmentId=a1&hitId=h1&workerId=w1&turkSubmitTo=https%3A%2F%2Fworkersandbox.mturk.com"
# Chromium asks before a site of the internet may show a page of this machine.
LOCAL = {"permissions": ["local-network-access"]}
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
NO_STORAGE = """Object.defineProperty(window, "sessionStorage", {
  get() { throw new DOMException("denied", "SecurityError"); } });"""


def make(platform, owner=None):
    extra = {"platform": {"name": platform, "codes": {"no_consent": "NO3"}}}
    return factories.make_study(owner=owner, items=2, items_per_session=2, extra=extra)


def press(there, button):
    """Chromium can drop a click into a frame of another site before it has drawn the frame."""
    expect(button).to_be_visible()
    there.locator("body").evaluate(DRAWN)
    button.click()


def choose(there, radio):
    wait_for(lambda: radio.is_checked() or press(there, radio) or radio.is_checked())


def rate_all(there):
    """Through consent, instructions and both items; there is a page or a frame."""
    press(there, there.get_by_role("button", name="I agree and take part"))
    press(there, there.get_by_role("button", name="Start"))
    for position in (1, 2):
        expect(there.get_by_role("heading", name=f"Page {position} of 2")).to_be_visible()
        for radio in there.get_by_role("radio", name="Agree", exact=True).all():
            choose(there, radio)
        press(there, there.locator("[name=go][value=next]"))
    expect(there.get_by_role("heading", name="Thank you")).to_be_visible()


@pytest.mark.parametrize("width", [1200, 360])
def test_prolific_gets_its_participant_back_with_the_code(new_page, width):
    study = make("prolific")
    page = new_page(width=width)
    page.route("https://app.prolific.com/**", lambda route: route.fulfill(body="Prolific"))
    page.goto(f"/join/films/{P}")
    rate_all(page)
    expect(page.get_by_text(study.completion_code)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert Rating.objects.count() == 8 and Session.objects.get().state == "completed"
    page.get_by_role("button", name="Back to Prolific").click()
    page.wait_for_url(f"https://app.prolific.com/submissions/complete?cc={study.completion_code}")
    new_page.expected += ["https://app.prolific.com/"]


@pytest.mark.parametrize("width", [1200, 360])
def test_the_code_is_there_only_when_the_last_answer_is_stored(new_page, width):
    study = make("prolific")
    page = new_page(width=width)
    page.goto(f"/join/films/{P}")
    page.get_by_role("button", name="I agree and take part").click()
    page.get_by_role("button", name="Start").click()
    for position in (1, 2):
        expect(page.get_by_role("heading", name=f"Page {position} of 2")).to_be_visible()
        page.context.set_offline(position == 2)
        for radio in page.get_by_role("radio", name="Agree", exact=True).all():
            radio.check()
        page.locator("[name=go][value=next]").click()
    expect(page.get_by_role("status")).to_contain_text("No connection")
    expect(page.get_by_role("heading", name="Page 2 of 2")).to_be_visible()
    assert study.completion_code not in page.content() and "prolific.com" not in page.content()
    assert Session.objects.get().state == "rating" and Rating.objects.count() == 4
    page.context.set_offline(False)
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    expect(page.get_by_text(study.completion_code)).to_be_visible()
    expect(page.get_by_role("button", name="Back to Prolific")).to_be_visible()
    assert Rating.objects.count() == 8
    new_page.expected += LOST_REQUESTS


def test_who_declines_goes_back_without_javascript(new_page):
    make("prolific")
    page = new_page(java_script_enabled=False)
    page.route("https://app.prolific.com/**", lambda route: route.fulfill(body="Prolific"))
    page.goto(f"/join/films/{P}")
    page.get_by_role("button", name="I do not want to take part").click()
    page.get_by_role("button", name="Back to Prolific").click()
    page.wait_for_url("https://app.prolific.com/submissions/complete?cc=NO3")
    new_page.expected += ["https://app.prolific.com/"]


def frame_it(page, site, address):
    """A page of another site that shows the address in a frame."""
    body = f'<iframe name="task" width="1000" height="800" src="{address}"></iframe>'
    page.route(f"{site}/task", lambda route: route.fulfill(body=body, content_type="text/html"))
    page.goto(f"{site}/task")
    return page.frame_locator("iframe")


@pytest.mark.parametrize("storage", [True, False])
def test_a_worker_does_everything_in_mturks_frame(new_page, live_server, storage):
    study, sent = make("mturk"), []
    page = new_page(**LOCAL)
    if not storage:
        page.add_init_script(NO_STORAGE)

    def take(route):
        sent.append(parse_qs(route.request.post_data))
        route.fulfill(body="Submitted", content_type="text/html")

    site = "https://workersandbox.mturk.com"
    page.route(f"{site}/mturk/externalSubmit", take)
    preview = f"{live_server.url}/join/films/?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=h1"
    there = frame_it(page, site, preview)
    expect(there.get_by_text("This is a preview.")).to_be_visible()
    expect(there.get_by_role("radio", name="Agree", exact=True).first).to_be_disabled()
    assert not Session.objects.exists()
    there = frame_it(page, site, f"{live_server.url}/join/films/{M}")
    rate_all(there)
    there.get_by_role("button", name="Submit to Amazon Mechanical Turk").click()
    expect(there.get_by_text("Submitted")).to_be_visible()
    assert sent == [
        {"assignmentId": ["a1"], "code": [study.completion_code], "outcome": ["complete"]}
    ]
    assert Rating.objects.count() == 8 and page.context.cookies() == []
    new_page.expected += [site]


@pytest.mark.parametrize(
    ("site", "platform", "query"),
    [("https://evil.example", "mturk", M), ("https://worker.mturk.com", "prolific", P)],
)
def test_other_sites_cannot_frame_raters_pages(new_page, live_server, site, platform, query):
    make(platform)
    page = new_page(**LOCAL)
    frame_it(page, site, f"{live_server.url}/join/films/{query}")
    wait_for(lambda: any("frame-ancestors" in fault for fault in new_page.faults))
    # The refused page gives way to Chromium's own; for a moment there is no frame. Playwright
    # hears of the new one only while it waits itself.
    wait_for(lambda: page.wait_for_timeout(50) or page.frame("task"))
    assert "I agree" not in page.frame("task").content()
    assert any("frame-ancestors" in fault for fault in new_page.faults)
    new_page.expected += [site, "frame-ancestors", "X-Frame-Options"]


def test_the_code_can_be_copied_by_hand_where_the_clipboard_is_closed(new_page):
    study = make("prolific")
    session = factories.make_session(study, state="completed", source="web")
    page = new_page()
    page.add_init_script("navigator.clipboard.writeText = () => Promise.reject(new Error('no'));")
    page.goto(f"/r/{session.token}/")
    page.get_by_role("button", name="Copy the code").click()
    expect(page.get_by_role("button", name="Selected: please copy it")).to_be_visible()
    assert page.evaluate("getSelection().toString().trim()") == study.completion_code


@pytest.mark.parametrize("width", [1200, 360])
def test_an_owner_makes_links_and_reads_what_is_to_pay(new_page, owner, width):
    study = make("prolific", owner)
    factories.make_session(study, "p1", state="rating", source="web")
    page = new_page(width=width, login=owner)
    page.goto("/studies/films/raters/")
    page.get_by_role("link", name="Personal links").click()
    page.get_by_label("How many").fill("3")
    page.get_by_role("button", name="Make links").click()
    expect(page.get_by_text("Made 3 links.")).to_be_visible()
    expect(page.get_by_text("not used yet")).to_have_count(3)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Withdraw").first.click()
    expect(page.get_by_text("was withdrawn")).to_be_visible()
    assert links.of_study(study).count() == 2
    for path in ("raters/", "raters/pay/", "raters/pay/?amount=0.1", "settings/platform/"):
        page.goto(f"/studies/films/{path}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
    page.goto("/studies/films/raters/")
    page.get_by_role("link", name="Returned …").click()
    page.get_by_role("button", name="End the session").click()
    expect(page.get_by_text("0 places are open again.")).to_be_visible()


@pytest.mark.parametrize("width", [1200, 360])
def test_an_owner_loads_what_the_platform_tells_of_its_participants(new_page, owner, width):
    study = make("prolific", owner)
    session = factories.make_session(study, "ann", source="web")
    Rater.objects.filter(pk=session.rater_id).update(platform_ids={"PROLIFIC_PID": "5fann"})
    page = new_page(width=width, login=owner)
    new_page.expected.append("status of 422")
    page.goto("/studies/films/raters/pay/")

    def load(text):
        file = {"name": "people.csv", "mimeType": "text/csv", "buffer": text.encode()}
        page.get_by_label("File (CSV)").set_input_files(file)
        page.get_by_role("button", name="Load the file").click()

    load("Participant id,Total approvals\n5fann,many\n")
    expect(page.get_by_text("line 2, column Total approvals: found 'many'")).to_be_visible()
    expect(page.get_by_label("Column that tells who it is")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert axe.violations(page) == []
    load("Participant id,Total approvals,Age\n5fann,49,30\n")
    expect(page.get_by_text("Read of 1 rater. Not read: Age.")).to_be_visible()
    page.get_by_role("link", name="exclusion rules").click()
    expect(page.get_by_text("Tasks done on the platform").first).to_be_visible()
