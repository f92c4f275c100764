"""Days on which nothing goes as it should: what a rater sees then, and that no answer is lost."""

import re
import socket
import urllib.request
from contextlib import contextmanager, suppress

import pytest
from django.core.management import call_command
from playwright.sync_api import expect

from annotate.design.access import make_owner
from annotate.models import (
    Answer,
    Rating,
    RatingRevision,
    Screen,
    Session,
    Study,
)
from tests import factories
from tests.annotate.sessions.test_screens import BOTH
from tests.browser.conftest import LOST_REQUESTS
from tests.browser.test_rating import (
    assert_done,
    assert_fits,
    assert_nothing_unsent_stays,
    choose,
    choose_all,
    on_item,
    question,
    start,
)
from tests.processes import Process, environment, wait_for

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LOST = "No connection"


@pytest.fixture
def study(db):
    return factories.make_study(items=4, items_per_session=3)


def press(page, name):
    page.get_by_role("button", name=name).click()


def to_the_end(page, first=1):
    for position in range(first, 4):
        on_item(page, position)
        choose_all(page)
        press(page, "Finish" if position == 3 else "Next")
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()


# Two tabs


def test_two_tabs_of_one_session_save_side_by_side(new_page, study):
    one = new_page()
    start(one)
    two = one.context.new_page()
    two.goto(one.url)
    choose(one, "accuracy", "Agree")
    choose(two, "transparency", "Disagree")
    choose(two, "accuracy", "Neutral")  # the later answer is the one that stays
    expect(question(two, "accuracy").get_by_text("Saved ✓")).to_be_attached()
    one.reload()
    for aspect, label in (("accuracy", "Neutral"), ("transparency", "Disagree")):
        radio = question(one, aspect).get_by_role("radio", name=label, exact=True)
        expect(radio).to_be_checked()
    assert Rating.objects.count() == 2 and RatingRevision.objects.count() == 3


def test_a_tab_that_stayed_behind_is_led_on_and_says_what_was_not_saved(new_page, study):
    """The other tab finished the session: what is chosen here is not taken, and that is said."""
    behind = new_page()
    start(behind)
    ahead = behind.context.new_page()
    ahead.goto(behind.url)
    to_the_end(ahead)
    choose(behind, "accuracy", "Disagree")
    expect(behind.get_by_role("heading", name="Thank you")).to_be_visible()
    expect(behind.locator(".notice")).to_contain_text("What you sent last was not saved")
    assert_done(ahead, study)
    new_page.expected.append("409")


# After the end, and without cookies


def test_back_after_the_end_leads_to_the_end(new_page, study):
    page = new_page()
    start(page)
    to_the_end(page)
    for _ in range(3):
        page.go_back()
        expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
        expect(page.get_by_text(study.completion_code)).to_be_visible()
    assert_done(page, study)


def test_cookies_that_are_cleared_in_the_middle_change_nothing(new_page, study):
    """A rater has no cookie that could expire: the address is the authority."""
    page = new_page(login=factories.make_user("someone"))
    start(page)
    choose_all(page)
    page.context.clear_cookies()
    press(page, "Next")
    to_the_end(page, first=2)
    assert_done(page, study)


def test_a_researcher_whose_login_expired_comes_back_to_the_same_page(new_page, study):
    user = factories.make_user("owner")
    user.set_password("long-enough-7")
    user.save()
    make_owner(study, user)
    page = new_page(login=user)
    page.goto("/studies/films/settings/sessions/")
    page.context.clear_cookies(name="sessionid")
    press(page, "Save")
    expect(page.get_by_role("heading", name="Log in")).to_be_visible()
    page.get_by_label("Username").fill("owner")
    page.get_by_label("Password").fill("long-enough-7")
    press(page, "Log in")
    expect(page.get_by_text("Attention checks").first).to_be_visible()


# Double clicks


def test_a_double_click_completes_once_and_sends_every_form_once(new_page, study):
    Study.objects.update(items_per_session=1, extra={"exit": ["gender"]})
    page = new_page()
    page.goto("/join/films/")
    page.get_by_role("button", name="I agree and take part").dblclick()
    page.get_by_role("button", name="Start").dblclick()
    expect(page.get_by_role("heading", name="Page 1 of 1")).to_be_visible()
    choose_all(page)
    page.get_by_role("button", name="Finish").dblclick()
    expect(page.get_by_role("heading", name="Last questions")).to_be_visible()
    page.get_by_label("Woman", exact=True).check()
    page.get_by_role("button", name="Finish").dblclick()
    assert_done(page, study, ratings=4)
    assert Session.objects.count() == 1 and Answer.objects.get().text == "woman"
    assert RatingRevision.objects.count() == 4


# No network


def test_without_a_network_the_exit_questions_wait(new_page, study):
    Study.objects.update(items_per_session=1, extra={"exit": ["gender", "age"]})
    page = new_page()
    page.goto("/join/films/")
    press(page, "I agree and take part")
    press(page, "Start")
    expect(page.get_by_role("heading", name="Page 1 of 1")).to_be_visible()
    choose_all(page)
    press(page, "Finish")
    page.get_by_label("Woman", exact=True).check()
    page.get_by_label("How old are you").fill("41")
    page.context.set_offline(True)
    press(page, "Finish")
    expect(page.get_by_role("status")).to_contain_text("Please try again when it is back.")
    page.context.set_offline(False)
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    assert set(Answer.objects.values_list("key", "value")) == {("gender", 1), ("age", 41)}


def test_what_is_lost_is_said_where_one_looks_and_what_is_typed_arrives(new_page):
    """On a phone, far down a long page, while the server answers nothing at all."""
    study = factories.make_study(items=1, items_per_session=1)
    why = factories.make_question(study, "why", scale="text", text="Your reason", position=9)
    page = new_page(360, 640)
    page.goto("/join/films/")
    press(page, "I agree and take part")
    press(page, "Start")
    expect(page.get_by_role("heading", name="Page 1 of 1")).to_be_visible()
    page.wait_for_load_state("load")
    page.route("**/answer/**", lambda route: route.abort())
    choose_all(page)
    page.get_by_label("Your reason").fill("It rains. ☔")
    press(page, "Finish")
    news = page.locator("#saving")
    expect(news).to_contain_text(LOST)
    expect(news).to_be_in_viewport()
    assert_fits(page)
    assert not Rating.objects.exists()
    page.unroute("**/answer/**")
    assert_code(page, study)
    assert Rating.objects.get(question=why).text == "It rains. ☔"
    assert Rating.objects.count() == 5
    assert_nothing_unsent_stays(page)
    new_page.expected += LOST_REQUESTS


def assert_code(page, study):
    """Retried by itself every few seconds, then on to the end."""
    expect(page.get_by_text(study.completion_code)).to_be_visible()


# The server goes and comes


@pytest.fixture
def served(settings, tmp_path):
    """Starts the server on the test's database, always at the same address; it can be killed."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    settings.STATIC_ROOT = tmp_path / "static"
    call_command("collectstatic", interactive=False, verbosity=0)
    env = environment(tmp_path, ALLOWED_HOSTS="127.0.0.1")
    started = []

    def begin():
        arguments = [
            "-m",
            "gunicorn",
            "config.wsgi",
            "--bind",
            address,
            "--workers",
            "1",
            "--threads",
            "4",
            "--no-control-socket",
        ]
        started.append(Process(arguments, env, tmp_path / "web.log"))
        wait_for(lambda: _answers(begin.url), "the server")
        return started[-1]

    begin.url = f"http://{address}"
    yield begin
    for process in started:
        if process.popen.poll() is None:
            process.kill()


def _answers(url):
    with suppress(OSError), urllib.request.urlopen(f"{url}/healthz", timeout=60) as response:
        return response.status == 200


@contextmanager
def faults_of(new_page, url):
    """The page stands on a server of its own, whose death Chromium and htmx report."""
    yield
    known = (url, "ERR_", "htmx:")
    new_page.faults[:] = [one for one in new_page.faults if not any(w in one for w in known)]


def test_a_server_that_is_killed_and_started_again_loses_no_answer(new_page, study, served):
    server, page = served(), new_page()
    with faults_of(new_page, served.url):
        page.goto(f"{served.url}/join/films/")
        press(page, "I agree and take part")
        press(page, "Start")
        on_item(page, 1)
        choose(page, "accuracy", "Agree")
        expect(question(page, "accuracy").get_by_text("Saved ✓")).to_be_attached()
        server.kill()
        assert Rating.objects.get().value == 4  # what was confirmed is there
        for aspect in ("persuasiveness", "transparency", "satisfaction"):
            choose(page, aspect, "Agree")
        expect(page.locator("#saving")).to_contain_text(LOST)
        press(page, "Next")
        expect(page.locator("#saving")).to_contain_text(LOST)
        on_item(page, 1)  # it waits here
        served()
        expect(page.get_by_role("heading", name="Page 2 of 3")).to_be_visible()
        to_the_end(page, first=2)
        assert_done(page, study)
        assert RatingRevision.objects.count() == 12


# A wrong clock


@pytest.mark.parametrize("when", ["1999-01-01T00:00:00", "2049-12-31T23:59:59"])
def test_a_browser_whose_clock_is_wrong_gets_right_times(new_page, study, when):
    page = new_page()
    page.clock.set_fixed_time(when)
    start(page)
    to_the_end(page)
    assert_done(page, study)
    session = Session.objects.get()
    for rating in Rating.objects.all():
        assert session.started_at <= rating.answered_at <= session.ended_at
        assert 0 <= rating.seconds <= (session.ended_at - session.started_at).total_seconds()


# Closed in the middle


def test_who_rates_while_the_study_is_closed_finishes_and_gets_the_code(new_page, study):
    page, late = new_page(), new_page(360, 740)
    start(page)
    choose_all(page)
    Study.objects.update(state="closed")
    press(page, "Next")
    to_the_end(page, first=2)
    assert_done(page, study)
    late.goto("/join/films/")
    expect(late.get_by_role("heading", name="This study is closed")).to_be_visible()


def test_who_has_not_begun_when_the_study_closes_reads_so(new_page, study):
    page = new_page(360, 740)
    page.goto("/join/films/")
    press(page, "I agree and take part")
    Study.objects.update(state="closed")
    press(page, "Start")
    expect(page.get_by_role("heading", name="This study is closed")).to_be_visible()
    assert_fits(page)
    assert not Rating.objects.exists()


# Texts


def text_study():
    study = factories.make_study(items=2, items_per_session=2, questions={})
    return study, factories.make_question(study, "why", scale="text", text="Your reason")


def open_text(page):
    page.goto("/join/films/")
    press(page, "I agree and take part")
    press(page, "Start")
    expect(page.get_by_role("heading", name="Page 1 of 2")).to_be_visible()
    page.wait_for_load_state("load")
    return page.get_by_label("Your reason")


def test_ten_thousand_characters_are_kept_and_one_more_is_said_and_not_lost(new_page):
    study, _ = text_study()
    page = new_page(360, 740)
    field = open_text(page)
    longest = '🎬 abc, "déf" 漢字 \n' * 625
    longest = (longest * 2)[:9_999] + "."
    field.fill(longest + "!")
    field.blur()
    expect(page.get_by_text("Your text has 10,001 characters; at most 10,000")).to_be_visible()
    press(page, "Next")
    expect(page.get_by_text("Your text has 10,001 characters; at most 10,000")).to_be_visible()
    expect(field).to_have_value(longest + "!")
    assert not Rating.objects.exists()
    field.fill(longest)
    press(page, "Next")
    expect(page.get_by_role("heading", name="Page 2 of 2")).to_be_visible()
    assert Rating.objects.get().text == longest
    press(page, "Back")
    expect(page.get_by_label("Your reason")).to_have_value(longest)
    assert_fits(page)
    new_page.expected.append("422")


PASTE = """async html => {
  const both = {"text/html": new Blob([html], {type: "text/html"}),
                "text/plain": new Blob([html], {type: "text/plain"})};
  await navigator.clipboard.write([new ClipboardItem(both)]);
}"""


def test_pasted_html_is_text_for_the_rater_and_for_the_researcher(new_page):
    study, _ = text_study()
    owner = factories.make_user("owner")
    make_owner(study, owner)
    html = "<img src=x onerror=\"document.title='pwned'\"><b>bold</b> 👩‍🔬 &amp; <!-- x"
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    field = open_text(page)
    page.evaluate(PASTE, html)
    new_page.expected.append(
        "Content Security Policy"
    )  # Chromium reads what goes to the clipboard as a page of this site
    field.focus()
    page.keyboard.press("Control+V")
    expect(field).to_have_value(html)
    press(page, "Next")
    expect(page.get_by_role("heading", name="Page 2 of 2")).to_be_visible()
    press(page, "Back")
    expect(page.get_by_label("Your reason")).to_have_value(html)
    rating = Rating.objects.get()
    assert rating.text == html
    reader = new_page(login=owner)
    reader.goto(f"/studies/films/items/{rating.item_id}/")
    expect(reader.get_by_text(html)).to_be_visible()
    assert "pwned" not in reader.title() + page.title()
    assert reader.locator("img[onerror]").count() == 0


# All of it at an extra screen


def test_an_attention_check_whose_page_is_double_clicked_and_reloaded_counts_once(new_page):
    extra = {"attention": [BOTH | {"after": 0}]}
    factories.make_study(items=1, items_per_session=1, extra=extra)
    page = new_page()
    page.goto("/join/films/")
    press(page, "I agree and take part")
    press(page, "Start")
    expect(page.get_by_role("heading", name="Page 1 of 2")).to_be_visible()
    page.wait_for_load_state("load")
    for label in ("A", "D"):
        page.get_by_label(label, exact=True).check()
    page.get_by_role("button", name="Next").dblclick()
    expect(page.get_by_role("heading", name="Page 2 of 2")).to_be_visible()
    page.go_back()
    expect(page.get_by_label("D", exact=True)).to_be_checked()
    assert Screen.objects.get().passed
    assert re.search(r"/item/1/$", page.url)
