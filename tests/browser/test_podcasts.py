"""Lists of P3 in a real browser: without scripts, by keys, on another device, with media."""

import csv
import io
import re

import pytest
from django.core.management import call_command
from playwright.sync_api import expect

from annotate.models import Rating, Session
from tests import factories
from tests.podcasts import HOST, make_podcasts
from tests.processes import wait_for

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LABELS = ("Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree")
VERDICTS = {"pair-1": "A", "pair-2": "tie"}
VALUES = {"A": 1.0, "tie": 2.0, "B": 3.0}
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c6360"
    "606000000004000127340a0a0000000049454e44ae426082"
)


@pytest.fixture
def podcasts(db):
    return make_podcasts(factories.make_user("owner"))


def start(page):
    page.goto("/join/podcasts/")
    page.get_by_role("button", name="I agree and take part").click()
    page.get_by_role("button", name="Start").click()
    on_item(page, 1)


def on_item(page, position):
    expect(page.get_by_role("heading", name=f"Page {position} of 3")).to_be_visible()
    page.wait_for_load_state("load")


def wanted(item):
    """The Likert answer of an episode: 1 to 5, another one for each of a pair."""
    return (item.pk * 3) % 5 + 1


def pair_on(page, study):
    """The pair on the page, with its place."""
    pk = page.locator("#rate input[name=item]").get_attribute("value")
    return study.places.select_related("item").get(item=pk, session__isnull=False, position__gte=2)


def group(page, title):
    return page.get_by_role("group", name=re.compile(re.escape(f"({title})")))


def word_of(place, verdict):
    """What the page calls a verdict for this place."""
    if verdict == "tie":
        return "Both fit equally well"
    return "List 1" if verdict == place.first_side else "List 2"


def rate_profile(page):
    expect(page.get_by_text("Likes history and long interviews.")).to_be_visible()
    for text, label in (("listening preferences", "Agree"), ("interests accurately", "Neutral")):
        asked = page.get_by_role("group", name=re.compile(text))
        asked.get_by_role("radio", name=label, exact=True).check()
    page.get_by_label("What does the profile get right").fill("It misses music. 🎧")
    page.get_by_role("button", name="Next").click()


def rate_pair(page, study, last):
    place = pair_on(page, study)
    for episode in study.items.filter(parent=place.item).select_related("content"):
        radio = LABELS[wanted(episode) - 1]
        asked = group(page, str(episode.content))
        asked.get_by_role("radio", name=radio, exact=True).check()
    verdict = word_of(place, VERDICTS[place.item.key])
    better = page.get_by_role("group", name=re.compile("Which list better"))
    better.get_by_role("radio", name=verdict, exact=True).check()
    page.get_by_role("button", name="Finish" if last else "Next").click()
    return place


def exported(table):
    out = io.StringIO()
    call_command("export", "podcasts", table, stdout=out)
    return list(csv.DictReader(io.StringIO(out.getvalue())))


def assert_stored(study):
    """Each of the seventeen answers, and the export with what stood first."""
    assert Session.objects.get().state == "completed"
    stored = {
        (rating.item.key, rating.question.key): rating.text or rating.value
        for rating in Rating.objects.select_related("item", "question")
    }
    episodes = study.items.exclude(parent=None)
    expected = {(episode.key, "episode-fit"): float(wanted(episode)) for episode in episodes}
    expected |= {(key, "better-list"): VALUES[verdict] for key, verdict in VERDICTS.items()}
    expected[("profile-1", "profile-preferences")] = 4.0
    expected[("profile-1", "profile-interests")] = 3.0
    expected[("profile-1", "profile-comment")] = "It misses music. 🎧"
    assert stored == expected and len(expected) == 17
    sides = dict(study.places.exclude(session=None).values_list("item__key", "first_side"))
    assert sides["profile-1"] == "" and {sides["pair-1"], sides["pair-2"]} <= {"A", "B"}
    for row in exported("scores"):
        whole = row["item"].split("-A-")[0].split("-B-")[0]
        assert row["first_side"] == sides[whole]
        value = expected[(row["item"], row["question"])]
        assert row["value"] == VERDICTS.get(row["item"], f"{value:g}")
        assert row["system"] == {"A": "two-tower", "B": "popular"}.get(row["item"][7:8], "")
    assert len(exported("scores")) == 16 and len(exported("ratings")) == 17


def test_without_javascript(new_page, podcasts):
    page = new_page(java_script_enabled=False)
    start(page)
    rate_profile(page)
    on_item(page, 2)
    more = page.get_by_text("More", exact=True).first
    lines = page.locator(".lines").first
    before = lines.bounding_box()["height"]
    more.click()
    assert lines.bounding_box()["height"] > before
    rate_pair(page, podcasts, last=False)
    on_item(page, 3)
    rate_pair(page, podcasts, last=True)
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    assert_stored(podcasts)


def test_by_keyboard_alone(page, podcasts):
    start(page)
    for key in "43":
        page.keyboard.press(key)
    page.keyboard.type("It misses music. 🎧")
    page.get_by_role("button", name="Next").focus()
    page.keyboard.press("Enter")
    for position in (2, 3):
        on_item(page, position)
        place = pair_on(page, podcasts)
        parts = podcasts.items.filter(parent=place.item)
        for part in sorted(parts, key=lambda one: (one.side != place.first_side, one.position)):
            page.keyboard.press(str(wanted(part)))
        keys = {"List 1": "1", "List 2": "2", "Both fit equally well": "0"}
        page.keyboard.press(keys[word_of(place, VERDICTS[place.item.key])])
        expect(page.locator(":focus")).to_have_text("Finish" if position == 3 else "Next")
        page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    assert_stored(podcasts)


def shown_order(page):
    return page.locator(".part h3").all_text_contents()


def test_a_reload_and_another_device_keep_the_sides_and_raters_differ(new_page, podcasts):
    page = new_page()
    orders = set()
    type(podcasts).objects.update(raters_per_item=22)
    for number in range(3, 23):
        for item in podcasts.items.filter(parent=None):
            podcasts.places.create(item=item, number=number, shuffle=1)
    while len(orders) < 2:
        start(page)
        link = page.url.split("item/")[0]
        page.goto(f"{link}item/2/")
        order = shown_order(page)
        place = pair_on_link(podcasts, link)
        names = ["alpha", "beta"] if place.first_side == "A" else ["beta", "alpha"]
        wanted_order = [f"Episode {place.item.key} {name} {n}" for name in names for n in (1, 2, 3)]
        assert order == wanted_order
        orders.add(place.first_side)
        page.reload()
        assert shown_order(page) == order
    other = new_page(width=360)
    other.goto(f"{link}item/2/")
    assert shown_order(other) == order
    assert orders == {"A", "B"}


def pair_on_link(study, link):
    token = link.rstrip("/").split("/")[-1]
    return study.places.select_related("item").get(session__token=token, position=2)


# Pictures and recordings


def test_nothing_is_requested_without_an_allowed_host(page, podcasts):
    """A request to another site is a fault of the page fixture."""
    start(page)
    page.goto(page.url.replace("item/1/", "item/2/"))
    page.wait_for_load_state("networkidle")
    expect(page.get_by_role("img", name="No picture: Episode pair-")).to_have_count(6)
    expect(page.get_by_text("The recording cannot be played here.")).to_have_count(6)


def test_pictures_and_recordings_of_an_allowed_host(new_page, podcasts):
    type(podcasts).objects.update(media_hosts=[HOST])
    missing = "pair-1-A-1.png"
    page = new_page(height=2400)
    page.route(
        f"https://{HOST}/**",
        lambda route: (
            route.fulfill(status=404)
            if route.request.url.endswith(missing)
            else route.fulfill(body=PIXEL, content_type="image/png")
        ),
    )
    start(page)
    asked = []
    page.on("request", lambda one: asked.append((one.url, one.resource_type, one.headers)))
    complete = "[...document.images].every((image) => image.complete)"
    for position in (2, 3):
        page.goto(page.url.replace(f"item/{position - 1}/", f"item/{position}/"))
        page.wait_for_load_state("networkidle")
        wait_for(lambda: page.evaluate(complete), "the images")
    outside = [request for request in asked if HOST in request[0]]
    names = [f"pair-{n}-{side}-{k}.png" for n in (1, 2) for side in "AB" for k in (1, 2, 3)]
    # Each of them and nothing else; how often is the browser's choice, which may ask once more.
    assert {url for url, *_ in outside} == {f"https://{HOST}/{name}" for name in names}
    assert {kind for _, kind, _ in outside} == {"image"}
    assert all("referer" not in headers for _, _, headers in outside)
    session = Session.objects.get()
    where = session.places.get(item__key="pair-1").position
    page.goto(f"/r/{session.token}/item/{where}/")
    gone = page.get_by_role("img", name="Picture: Episode pair-1 alpha 1")
    box = gone.bounding_box()
    assert (box["width"], box["height"]) == (96, 96)  # the place of the picture stays
    player = page.get_by_label("Recording: Episode pair-1 beta 2")
    assert player.get_attribute("src") == f"https://{HOST}/pair-1-B-2.mp3"
    player.focus()
    expect(player).to_be_focused()
    new_page.expected += [HOST, "404"]  # the host is another site, and one picture is missing


def test_the_policy_refuses_other_hosts(new_page, podcasts):
    type(podcasts).objects.update(media_hosts=[HOST])
    page = new_page()
    start(page)
    page.evaluate(
        "() => { const i = new Image(); i.src = 'https://evil.example.org/x.png';"
        " document.body.append(i); }"
    )
    wait = page.wait_for_event("console") if not new_page.faults else None
    assert wait is None or "Content Security Policy" in wait.text
    assert any("Content Security Policy" in fault for fault in new_page.faults)
    new_page.expected += ["Content Security Policy", "evil.example.org"]
