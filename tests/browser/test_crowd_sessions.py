"""Whole sessions of P4 and P3 on a desktop and a phone, and every value of what is exported.

Answers follow a rule, and what is expected is made of what was shown and clicked.
"""

import json
import re

import pytest
from playwright.sync_api import expect

from annotate.design.access import make_owner
from annotate.sessions import links
from tests import crowd
from tests.podcasts import SYSTEMS, make_pair, make_podcasts
from tests.walking import DEVICES, Exports, Walk, chosen, told

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PLATFORM = {
    "PROLIFIC_PID": "5f0d1c2b3a4e5f6071829304",
    "STUDY_ID": "64f0e1d2c3b4a59687786950",
    "SESSION_ID": "65a1b2c3d4e5f60718293041",
}
# Why a film makes somebody happier: what a spreadsheet, CSV and HTML would stumble over.
REASONS = {
    "e2": '=1+1 is "two", 🎬 不错',
    "e5": "<b>bold</b> & plain,\nsecond line",
    "e9": "-",
}
CHANGED = ("e4", "transparency")
ASPECTS = (
    "explainability",
    "informativeness",
    "effectiveness",
    "persuasiveness",
    "transparency",
    "trustworthiness",
    "satisfaction",
)
NO_JUDGE = {
    "judge": "",
    "run": "",
    "missing_reason": "",
    "cost_usd": "",
    "weighted_value": "",
    "from_file": "",
    "split_part": "",
}
COUNTS = {"excluded": "false", "exclusion_reason": ""}


def open_walk(new_page, device):
    options, classes = DEVICES[device]
    return Walk(new_page(**options)), dict(
        zip(("browser", "device", "screen_width"), classes, strict=True)
    )


# P4


def enter(walk):
    """Consent, instructions, and a comprehension check that is passed at the second attempt."""
    page = walk.page
    page.goto("/join/crowd/?" + "&".join(f"{name}={value}" for name, value in PLATFORM.items()))
    walk.press("I agree and take part")
    walk.press("Start")
    for option in ("The film", "The explanation"):
        walk.at("A few questions first")
        page.get_by_label(option, exact=True).check()
        walk.press("Check my answers")
    walk.at("All right")
    walk.press("Start")


def rate_explanation(walk):
    """One screen: what is shown is the item's own, and is answered by the rule."""
    page = walk.page
    text = page.locator(".item .words").inner_text()
    ((number, cell),) = [(n, c) for n, c in enumerate(crowd.cells(), 1) if c[4] == text]
    item, system = cell[0], cell[3]
    seen = [" ".join(text.split()) for text in page.locator(".history li").all_inner_texts()]
    assert seen == crowd.history(number)
    assert page.locator(".item .title").inner_text() == f"Recommended {number}"
    assert system not in page.content()  # raters are blind to what produced it
    groups = page.locator("fieldset.question")
    expect(groups).to_have_count(len(ASPECTS))
    for place, aspect in enumerate(ASPECTS):
        if (item, aspect) == CHANGED:
            walk.choose(groups.nth(place), item, aspect, chosen(item, aspect) % 5 + 1)
        walk.choose(groups.nth(place), item, aspect, chosen(item, aspect))
    if reason := REASONS.get(item):
        field = groups.last.get_by_label("Why?")
        field.fill(reason)
        with walk.saving():
            field.blur()
        walk.note(item, "satisfaction", str(chosen(item, "satisfaction")), reason)
    walk.shown.append((item, "", system))


def pass_attention_check(walk):
    check = walk.group("Please choose both A and D.")
    for label in ("A", "D"):
        with walk.page.expect_response(lambda one: "/screen/" in one.url and one.ok):
            check.get_by_label(label, exact=True).check()
    walk.shown.append((None, "", ""))


def leave(walk):
    """The exit questions, the code, and the way back with the code."""
    page = walk.page
    walk.at("Last questions")
    page.get_by_label("70 %", exact=True).check()
    page.get_by_label("How many movies do you usually watch").fill("4")
    page.get_by_label("Non-binary", exact=True).check()
    page.get_by_label("How old are you").fill("41")
    walk.press("Finish")
    walk.at("Thank you")
    expect(page.locator("#code")).to_have_text("DONE4711")
    page.route("https://app.prolific.com/**", lambda route: route.fulfill(body="Prolific"))
    walk.press("Back to Prolific")
    page.wait_for_url("https://app.prolific.com/submissions/complete?cc=DONE4711")


LEFT = {
    "exit_familiarity": "70",
    "exit_movies_per_month": "4",
    "exit_gender": "non-binary",
    "exit_age": "41",
}


@pytest.mark.journey
@pytest.mark.parametrize("device", DEVICES)
def test_a_whole_session_of_counterfactual_explanations(new_page, owner, tmp_path, device):
    study = crowd.load(tmp_path)
    make_owner(study, owner)
    walk, classes = open_walk(new_page, device)
    enter(walk)
    for position in range(1, 14):
        walk.at(f"Page {position} of 13")
        pass_attention_check(walk) if position == 7 else rate_explanation(walk)
        walk.press("Finish" if position == 13 else "Next")
    leave(walk)
    new_page.expected.append("app.prolific.com")
    exports = Exports(owner, "crowd", walk)
    facts = {item: ("explanation", *more) for item, *more, _ in crowd.cells()}
    assert assert_scores(exports, "crowd", "third_party", facts) == 84
    assert_ratings(exports, "third_party")
    assert_revisions(exports)
    assert_screens(exports)
    assert_attention(exports)
    assert_times(exports)
    who = {"role": "third_party", "recipient": "", "items": "12"}
    check = {"source": "web", "check_attempts": "2", "check_passed": "true"}
    told_of_visit = assert_visit(exports, who, check, classes | LEFT, 84, 1 + len(REASONS))
    assert_attempts(*told_of_visit)
    assert_paid(exports)
    assert re.fullmatch("rater-[0-9a-f]{10}", exports.rater)
    assert not any(value in exports.everything for value in PLATFORM.values())


def assert_scores(exports, slug, role, facts, sides=None):
    """Every number with its item's facts {item: (kind, recipient, content, system)}."""
    expected = []
    for (item, question), (value, reason) in exports.walk.last.items():
        if not value.isdigit():
            continue  # a text is in the table of ratings
        kind, recipient, content, system = facts[item]
        expected.append(
            NO_JUDGE
            | COUNTS
            | {
                "study": slug,
                "item": item,
                "kind": kind,
                "recipient": recipient,
                "content": content,
                "system": system,
                "question": question,
                "source": "human",
                "rater": exports.rater,
                "role": role,
                "version": "1",
                "first_side": (sides or {}).get(item, ""),
                "value": in_file(question, value),
                "reason": in_csv(reason),
            }
        )
    scores = exports.rows("scores", "seconds", "answered_at")
    assert told(scores, "item", "question") == told(expected, "item", "question")
    return len(scores)


def in_file(question, value):
    """Of a choice files have the label, where pages send the place among the options."""
    return {"1": "A", "2": "tie", "3": "B"}[value] if question == "better-list" else value


def in_csv(text):
    """The guard of spreadsheets stands before what looks like a formula."""
    return f"'{text}" if text[:1] in ("=", "-") else text


def assert_ratings(exports, role, sides=None):
    """The table that can be loaded again has all answers, texts too."""
    expected = [
        {
            "item": item,
            "rater": exports.rater,
            "role": role,
            "question": question,
            "value": in_file(question, value),
            "reason": in_csv(reason),
            "first_side": (sides or {}).get(item, ""),
            "version": "1",
        }
        for (item, question), (value, reason) in exports.walk.last.items()
    ]
    timed = exports.rows("ratings", "answered_at", "seconds")
    assert told(timed, "item", "question") == told(expected, "item", "question")


def assert_revisions(exports):
    expected = [
        exports.who(
            item=item,
            question=question,
            change=str(change),
            new=in_file(question, value),
            version="1",
            old=in_file(question, said[change - 1][0]) if change else "",
            reason=in_csv(reason),
        )
        for (item, question), said in exports.walk.given.items()
        for change, (value, reason) in enumerate(said)
    ]
    keys = ("item", "question", "change")
    assert told(exports.rows("revisions", "at"), *keys) == told(expected, *keys)


def assert_screens(exports):
    """Where each screen stood, as it was met."""
    assert exports.tables["screens"] == [
        exports.who(
            row="",
            position=str(position),
            kind="item" if item else "attention",
            item=item or "",
            check="" if item else "both",
            system=system,
            first_side=side,
        )
        for position, (item, side, system) in enumerate(exports.walk.shown, start=1)
    ]


def assert_attention(exports):
    assert exports.rows("checks", "seconds", "answered_at") == [
        exports.who(
            kind="attention",
            item="",
            check="both",
            question="",
            position="7",
            given="A | D",
            expected="A | D",
            passed="true",
            changes="1",
            reason="",
        )
    ]


def assert_times(exports, again=()):
    """Each item was looked at for a while, once; those that were reloaded twice."""
    rows = exports.rows("times", "active_seconds", "idle_seconds")
    met = [item for item, _, _ in exports.walk.shown if item]
    expected = [exports.who(item=item, views="2" if item in again else "1") for item in met]
    assert told(rows, "item") == told(expected, "item")
    assert all(float(row["active_seconds"]) > 0 for row in exports.tables["times"])


def assert_visit(exports, who, check, left, ratings, changes):
    """The session and its rater, with exit answers and what browser it was.

    Returns the attempts at the check, and the names of the participant and the visit.
    """
    measured = (
        "active_seconds",
        "idle_seconds",
        "started_at",
        "last_seen_at",
        "ended_at",
        "items_done_at",
    )
    (session,) = exports.rows("sessions", *measured)
    tried = session.pop("check_answers")
    assert session == exports.who(
        role=who["role"], state="completed", ratings=str(ratings), **check, **COUNTS, **left
    )
    (rater,) = exports.rows("raters", "active_seconds", "idle_seconds", "first_seen_at")
    names = [rater.pop("participant"), rater.pop("visit")]
    assert rater == who | left | COUNTS | {
        "rater": exports.rater,
        "approval_rate": "",
        "task_count": "",
        "sessions": "1",
        "completed": "1",
        "ratings": str(ratings),
        "counted": str(ratings),
        "changes": str(changes),
    }
    return tried, names


def assert_attempts(tried, names):
    """The check as it was tried; the platform's names under pseudonyms."""
    asked = {"question": "What do you rate?"}
    assert [one["answers"] for one in json.loads(tried)] == [
        [asked | {"answer": "The film", "right": False}],
        [asked | {"answer": "The explanation", "right": True}],
    ]
    assert all(re.fullmatch("[0-9a-f]{12}", name) for name in names) and len(set(names)) == 2


def assert_paid(exports):
    """Only the file for paying names the participant; it has the code that was shown."""
    paid = exports.paid
    kept = ("participant", "visit", "platform_study", "outcome", "code", "items", "answers")
    assert [paid[name] for name in kept] == [
        PLATFORM["PROLIFIC_PID"],
        PLATFORM["SESSION_ID"],
        PLATFORM["STUDY_ID"],
        "completed",
        "DONE4711",
        "12",
        "84",
    ]


# P3

COMMENT = 'It misses music. 🎧\nAnd it says “often”, where I\'d say "never".'


def rate_profile(walk):
    page = walk.page
    expect(page.get_by_text("Likes history and long interviews.")).to_be_visible()
    for question, words in (
        ("profile-preferences", "listening preferences"),
        ("profile-interests", "interests accurately"),
    ):
        walk.choose(walk.group(words), "profile-1", question, chosen("profile-1", question))
    field = page.get_by_label("What does the profile get right")
    field.fill(COMMENT)
    with walk.saving():
        field.blur()
    walk.note("profile-1", "profile-comment", COMMENT)
    walk.shown.append(("profile-1", "", ""))


def shown_episodes(page):
    """[[ids of the episodes of a list, from its top] of both lists], told by their titles."""
    names = {"alpha": "A", "beta": "B"}
    titles = [part.locator("h3").all_inner_texts() for part in page.locator(".list").all()]
    words = [[title.split() for title in some] for some in titles]
    return [[f"{pair}-{names[side]}-{n}" for _, pair, side, n in some] for some in words]


def rate_lists(walk):
    """A pair of lists: each episode, then which list fits; reloaded, it stands as it stood."""
    page = walk.page
    lists = shown_episodes(page)
    pair, side = lists[0][0][:-4], lists[0][0][-3]
    assert lists == [[f"{pair}-{one}-{n}" for n in (1, 2, 3)] for one in (side, other(side))]
    assert not any(system in page.content() for system in SYSTEMS.values())
    for episode, part in zip(lists[0] + lists[1], page.locator(".part").all(), strict=True):
        value = chosen(episode, "episode-fit")
        walk.choose(part.get_by_role("group"), episode, "episode-fit", value)
    page.reload()
    page.wait_for_load_state("load")
    assert shown_episodes(page) == lists
    verdict = chosen(pair, "better-list", high=3)  # 1 is side A, 2 a tie, 3 side B
    rank = verdict if side == "A" else 4 - verdict
    walk.choose(walk.group("Which list better"), pair, "better-list", verdict, rank=rank)
    walk.shown.append((pair, side, ""))


def other(side):
    return "AB".replace(side, "")


def assert_lists_stand(page, device):
    lists = [page.get_by_role("region", name=f"List {n}").bounding_box() for n in (1, 2)]
    if device == "phone":
        assert lists[0]["x"] == lists[1]["x"] and lists[0]["y"] < lists[1]["y"]
    else:
        assert lists[0]["x"] < lists[1]["x"] and lists[0]["y"] == lists[1]["y"]


def podcast_facts(sides):
    """({item: (kind, recipient, content, system)}, {item: side that stood first})."""
    facts, first = {"profile-1": ("profile", "r1", "", "")}, {}
    for pair, side in sides.items():
        facts[pair], first[pair] = ("list_pair", "r1", "", ""), side
        for key in (f"{pair}-{one}-{n}" for one in "AB" for n in (1, 2, 3)):
            facts[key] = ("recommendation", "r1", key, SYSTEMS[key[-3]])
            first[key] = side
    return facts, first


@pytest.mark.journey
@pytest.mark.parametrize("device", DEVICES)
def test_a_whole_session_of_podcast_lists(new_page, owner, device):
    """A listener rates what was recommended to them, by a link of their own."""
    exit_questions = [{"ready": "familiarity", "text": "How familiar?", "required": True}]
    study = make_podcasts(owner, extra={"exit": exit_questions})
    make_pair(study, "pair-9", recipient="r2")  # is never shown: it is somebody else's
    walk, classes = open_walk(new_page, device)
    links.make(study, [("listener", "recipient", study.recipients.get(key="r1"))])
    walk.page.goto(f"/r/{links.of_study(study).get().token}/")
    walk.press("I agree and take part")
    walk.press("Start")
    for position in (1, 2, 3):
        walk.at(f"Page {position} of 3")
        if position == 1:
            rate_profile(walk)
        else:
            assert_lists_stand(walk.page, device)
            rate_lists(walk)
        walk.press("Finish" if position == 3 else "Next")
    walk.page.get_by_label("40 %", exact=True).check()
    walk.press("Finish")
    walk.at("Thank you")
    expect(walk.page.locator("#code")).to_have_text(study.completion_code)
    assert walk.page.context.cookies() == []
    exports = Exports(owner, "podcasts", walk)
    assert_podcasts(exports, classes | {"exit_familiarity": "40"})
    assert exports.paid["code"] == study.completion_code


def assert_podcasts(exports, left):
    met = {item: side for item, side, _ in exports.walk.shown[1:]}
    assert set(met) == {"pair-1", "pair-2"}
    facts, sides = podcast_facts(met)
    assert assert_scores(exports, "podcasts", "recipient", facts, sides) == 16
    assert_ratings(exports, "recipient", sides)
    assert len(exports.tables["ratings"]) == 17 and exports.rater == "listener"
    assert_revisions(exports)
    assert_screens(exports)
    assert_times(exports, again=met)
    assert exports.tables["checks"] == []
    who = {"role": "recipient", "recipient": "r1", "items": "15"}
    check = {"source": "link", "check_attempts": "", "check_passed": ""}
    assert assert_visit(exports, who, check, left, 17, 0) == ("", ["", ""])
