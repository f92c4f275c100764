"""What a rater's page measures and reports, uploads as browsers play them, the live overview."""

import io
import re
import wave
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import F
from playwright.sync_api import expect

from annotate.models import Content, ItemTime, Listening, MissingMedia, Place, Session, Study
from annotate.raters import uploads
from tests import factories
from tests.annotate.sessions.test_steps import ask
from tests.browser.test_rating import assert_fits, choose_all, on_item, start
from tests.podcasts import make_podcasts
from tests.processes import wait_for

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c6360"
    "606000000004000127340a0a0000000049454e44ae426082"
)
# The clock of the page is the test's, so that half a minute takes no time.
CLOCK = """
let now = 0, hidden = false;
performance.now = () => now;
window.pass = (seconds) => (now += seconds * 1000);
Object.defineProperty(document, "hidden", { get: () => hidden });
window.hide = (value) => { hidden = value; document.dispatchEvent(new Event("visibilitychange")); };
"""


@pytest.fixture
def study(owner, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"
    return factories.make_study(owner=owner, items=4, items_per_session=3)


def sound(seconds):
    file = io.BytesIO()
    with wave.open(file, "wb") as written:
        written.setnchannels(1)
        written.setsampwidth(1)
        written.setframerate(8000)
        written.writeframes(b"\x80" * 8000 * seconds)
    return file.getvalue()


def upload(study, name, data):
    return uploads.receive(study, None, SimpleUploadedFile(name, data))


@pytest.fixture
def clocked(new_page, study):
    """A page on the first item whose time the test lets pass; its session began an hour ago."""
    page = new_page()
    start(page)
    Session.objects.update(started_at=F("started_at") - timedelta(hours=1))
    page.add_init_script(CLOCK)
    page.reload()
    on_item(page, 1)
    ItemTime.objects.all().delete()  # what the page said before its clock was the test's
    return page


def let_pass(page, seconds):
    """Time passes for the page, and for the session it belongs to."""
    Session.objects.update(started_at=F("started_at") - timedelta(seconds=seconds))
    page.evaluate(f"pass({seconds})")


def soon(condition):
    return wait_for(condition)


def spent():
    return [
        (round(time.active_seconds), round(time.idle_seconds))
        for time in ItemTime.objects.order_by("pk")
    ]


def test_a_rater_is_active_until_half_a_minute_after_the_last_sign(clocked):
    let_pass(clocked, 20)
    clocked.mouse.move(200, 200)
    let_pass(clocked, 100)  # 30 of them are active still
    choose_all(clocked)
    let_pass(clocked, 5)
    clocked.get_by_role("button", name="Next").click()
    on_item(clocked, 2)
    soon(lambda: spent()[:1] == [(55, 70)])


def test_a_hidden_tab_is_idle_and_says_its_time_at_once(clocked):
    let_pass(clocked, 10)
    clocked.evaluate("hide(true)")
    soon(lambda: spent() == [(10, 0)])
    let_pass(clocked, 20)
    clocked.evaluate("hide(false)")
    let_pass(clocked, 3)
    clocked.reload()
    on_item(clocked, 1)
    soon(lambda: spent() == [(13, 20)])


def test_a_return_adds_up_and_a_double_submit_does_not(clocked):
    choose_all(clocked)
    let_pass(clocked, 8)
    clocked.get_by_role("button", name="Next").dblclick()
    on_item(clocked, 2)
    soon(lambda: spent()[:1] == [(8, 0)])
    clocked.get_by_role("button", name="Back").click()
    on_item(clocked, 1)
    let_pass(clocked, 4)
    clocked.reload()
    on_item(clocked, 1)
    soon(lambda: spent()[:1] == [(12, 0)])


def test_without_javascript_no_time_and_no_width_are_known(new_page, study):
    page = new_page(java_script_enabled=False)
    start(page)
    choose_all(page)
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("heading", name="Page 2 of 3")).to_be_visible()
    assert spent() == []
    session = Session.objects.get()
    assert (session.browser, session.screen_width) == ("Chrome", None)


def test_the_class_of_the_screen_is_kept(new_page, study):
    phone = {"screen": {"width": 393, "height": 800}, "has_touch": True, "is_mobile": True}
    start(new_page(width=393, height=800, **phone))
    assert Session.objects.get().screen_width == 360


# Files


def test_a_researcher_uploads_what_raters_see_and_hear(new_page, study, owner):
    Content.objects.update(image_url="upload:cover.png", audio_url="upload:talk.wav")
    page = new_page(login=owner)
    page.goto("/studies/films/items/")
    page.get_by_role("link", name="Pictures and recordings").click()
    expect(page.get_by_text("Pictures that are named but not here")).to_be_visible()
    page.get_by_label("Files").set_input_files(
        [
            {"name": "cover.png", "mimeType": "image/png", "buffer": PIXEL},
            {"name": "talk.wav", "mimeType": "audio/wav", "buffer": sound(120)},
            {
                "name": "logo.svg",
                "mimeType": "image/svg+xml",
                "buffer": b"<svg onload='alert(1)'/>",
            },
        ]
    )
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_text("Kept 2 files.")).to_be_visible()
    expect(page.get_by_text("“logo.svg” is an SVG, which can carry scripts")).to_be_visible()
    expect(page.get_by_text("that are named but not here")).to_have_count(0)

    rater = new_page(width=360, height=740)
    parts = []
    rater.on("response", lambda one: parts.append(one.status) if "/media/" in one.url else None)
    start(rater)
    picture = rater.get_by_role("img", name="Picture: film-1")
    soon(lambda: picture.evaluate("one => one.naturalWidth") == 1)
    audio = rater.locator("audio")
    audio.evaluate("one => { one.muted = true; one.currentTime = 100; return one.play() }")
    soon(lambda: audio.evaluate("one => !one.seeking && one.currentTime >= 100"))
    assert 206 in parts and audio.evaluate("one => one.duration") == 120
    # The player's own keys: the page's must leave them alone, and answer nothing.
    audio.focus()
    for key, state in (
        ("Space", "one.paused"),
        ("Space", "!one.paused"),
        ("ArrowLeft", "one.currentTime < {before}"),
    ):
        reached = state.format(before=audio.evaluate("one => one.currentTime"))
        rater.keyboard.press(key)
        soon(lambda reached=reached: audio.evaluate(f"one => {reached}"))
    assert rater.locator(":checked").count() == 0
    assert_fits(rater)
    assert not MissingMedia.objects.exists()

    page.get_by_role("row", name="cover.png").get_by_role("link", name="Delete …").click()
    expect(page.get_by_text("1 content names it")).to_be_visible()
    page.get_by_role("button", name="Delete the file").click()
    expect(page.get_by_text("cover.png was deleted.")).to_be_visible()
    rater.reload()
    expect(rater.get_by_role("img", name="No picture: film-1")).to_be_visible()


def test_what_does_not_load_is_a_placeholder_and_told_once(new_page, study, owner):
    """Its bytes are gone from the disk: a picture at once, a recording when it is played."""
    for name, data in (("cover.png", PIXEL), ("talk.wav", sound(1))):
        uploads.path_of(upload(study, name, data)).unlink()
    Content.objects.update(image_url="upload:cover.png", audio_url="upload:talk.wav")
    page = new_page()
    start(page)
    soon(lambda: MissingMedia.objects.filter(kind="image").exists())
    page.locator("audio").evaluate("one => one.play().catch(() => {})")
    soon(lambda: MissingMedia.objects.filter(kind="audio").exists())
    expect(page.get_by_text("The recording cannot be played here.")).to_be_visible()
    choose_all(page)
    page.get_by_role("button", name="Next").click()
    on_item(page, 2)
    soon(lambda: MissingMedia.objects.get(kind="image").count == 2)
    assert MissingMedia.objects.get(kind="audio").count == 1

    researcher = new_page(login=owner)
    researcher.goto("/studies/films/")
    researcher.get_by_role("link", name="1 picture could not be loaded").click()
    expect(researcher.get_by_role("region", name="Could not be loaded")).to_be_visible()
    new_page.expected.append("404 (Not Found)")


def test_what_does_not_load_in_practice_is_told_too(new_page, study):
    uploads.path_of(upload(study, "talk.wav", sound(1))).unlink()
    Content.objects.update(audio_url="upload:talk.wav")
    ask(study, practice=[{"item": "item-0"}])
    page = new_page()
    page.goto("/join/films/")
    page.get_by_role("button", name="I agree and take part").click()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("heading", name="Practice 1 of 1")).to_be_visible()
    page.wait_for_load_state("load")
    page.locator("audio").evaluate("one => one.play().catch(() => {})")
    expect(page.get_by_text("The recording cannot be played here.")).to_be_visible()
    soon(lambda: MissingMedia.objects.filter(kind="audio").exists())
    assert not ItemTime.objects.exists()
    new_page.expected.append("404 (Not Found)")


def test_without_javascript_a_missing_picture_breaks_nothing(new_page, study):
    uploads.path_of(upload(study, "cover.png", PIXEL)).unlink()
    Content.objects.update(image_url="upload:cover.png")
    page = new_page(java_script_enabled=False)
    start(page)
    choose_all(page)
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("heading", name="Page 2 of 3")).to_be_visible()
    assert not MissingMedia.objects.exists()
    new_page.expected.append("404 (Not Found)")


def test_what_was_played_and_unfolded_of_an_episode_is_kept(new_page, owner, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"
    study = make_podcasts(owner)
    upload(study, "talk.wav", sound(120))
    Content.objects.update(audio_url="upload:talk.wav", image_url="")
    for parts in (study.items.filter(parent__key=f"pair-{n}") for n in (1, 2)):
        parts.filter(side="B", position=1).update(  # one episode stands in both lists
            content=parts.get(side="A", position=1).content
        )
        Content.objects.filter(items=parts.get(side="B", position=2)).update(audio_url="")
    page = new_page()
    page.goto("/join/podcasts/")
    page.get_by_role("button", name="I agree and take part").click()
    page.get_by_role("button", name="Start").click()
    page.goto(page.url.replace("item/1/", "item/2/"))
    played = page.locator(".part", has_text=" 1").first
    unfolded = page.locator(".part", has_text="alpha 2")
    unfolded.locator("summary").click()
    audio = played.locator("audio")
    audio.evaluate("one => { one.muted = true; return one.play() }")
    soon(lambda: audio.evaluate("one => one.currentTime >= 1"))
    audio.evaluate("one => { one.currentTime = 100 }")
    soon(lambda: audio.evaluate("one => !one.seeking && one.currentTime >= 101.5"))
    page.goto("about:blank")  # the page says its sums when it is left
    soon(lambda: Listening.objects.count() == 5)
    rows = list(Listening.objects.all())
    heard = [row for row in rows if row.played_seconds]
    assert len(heard) == 1 and 2.5 <= heard[0].played_seconds < 22
    until = heard[0].played_seconds + heard[0].skipped_seconds
    assert 101.5 <= until <= 120 and heard[0].skipped_seconds > 80
    assert heard[0].duration_seconds == 120
    assert [row.content.title[-7:] for row in rows if row.is_unfolded] == ["alpha 2"]
    silent = [row.content.title[-6:] for row in rows if row.played_seconds is None]
    assert silent == ["beta 2"]


# The overview


@pytest.mark.parametrize("width", [1200, 360])
def test_the_overview_follows_what_happens(new_page, study, owner, width):
    page = new_page(width=width, login=owner)
    page.goto("/studies/films/")
    line = page.locator("#live-line")
    expect(line).to_contain_text("0 of 12 places filled, 0 held by raters at work, 12 open")
    page.evaluate("document.getElementById('live').untouched = true")
    with page.expect_response(re.compile("/live/")) as polled:
        pass
    assert polled.value.status == 204
    assert page.evaluate("document.getElementById('live').untouched"), "nothing was drawn anew"
    Place.objects.filter(number=1).update(state="filled")
    expect(line).to_contain_text("4 of 12 places filled")
    expect(page.locator(".big").first).to_have_text("4 of 12")
    assert_fits(page)


def test_a_hidden_overview_asks_for_nothing(new_page, study, owner):
    page = new_page(login=owner)
    page.add_init_script(CLOCK)
    page.goto("/studies/films/")
    page.wait_for_load_state("networkidle")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.evaluate("hide(true)")
    page.wait_for_timeout(6_000)
    assert asked == []
    page.evaluate("hide(false)")
    with page.expect_response(re.compile("/live/")):
        pass


def test_the_overview_without_javascript(new_page, study, owner):
    Study.objects.update(state="closed")
    page = new_page(login=owner, java_script_enabled=False)
    page.goto("/studies/films/")
    expect(page.get_by_text("cannot be said: the study is closed for raters")).to_be_visible()
    expect(page.get_by_role("heading", name="Sessions")).to_be_visible()
