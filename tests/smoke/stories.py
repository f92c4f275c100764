"""What takes several steps, and what scripts, programs, platforms and old pages send."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

from lxml import html

from tests.smoke.pages import local_link
from tests.smoke.routes import all_routes
from tests.smoke.visitor import Page, Visitor

SMOKE, STATED = "/studies/smoke/", "/studies/factuality-demo/"
ASKS, RECOMMENDS = "asks a model", "recommends"  # judges of the smoke's study
PLAN, PLANNED = "/studies/smoke-plan/", 60  # a study with so many items, and without raters
TASTE, LIKED = "/studies/smoke-taste/", 3  # a study whose raters pick so many contents
NOBODY = "http://127.0.0.1:11434/v1"  # where Ollama would listen
LONGEST_RUN, LONGEST_LOAD = 180, 240  # seconds
EXTRA = re.compile(r'hx-post="([^"]+/screen/[^"]+)".*?name="([^"]+)"', re.DOTALL)
SCRIPTS = ".//@data-time-url | .//@data-missing-url"
ROW, API = "<int:pk>/", "api/v1/studies/<slug:slug>/"
CAME = "?PROLIFIC_PID=smoke-1&STUDY_ID=smoke-2&SESSION_ID=smoke-3"


def press(visitor: Visitor, link: str, action: str, to: str = "", **values: str) -> Page | None:
    """Send the first form of a page whose action has this end, with what stands in its fields.

    to: what the button adds to the action.
    """
    page = visitor.open(link)
    forms = [form for form in page.forms if re.search(f"{action}$", form.action)]
    if not forms:
        visitor.ledger.note(f"no form {action} on {link}")
        return None
    sent = standing_values(page.text, forms[0].number) | values
    return visitor.post(forms[0].action + to, sent, referer=link)


def standing_values(text: str, number: int) -> dict[str, str]:
    """Return what a browser sends of a form in which nothing was changed."""
    return dict(list(html.document_fromstring(text).iter("form"))[number].form_values())


def find(visitor: Visitor, link: str, pattern: str) -> str:
    """Return what a page has at the pattern's group; "0" where it has none."""
    match = re.search(pattern, visitor.open(link).text)
    if match is None:
        visitor.ledger.note(f"nothing like {pattern} on {link}")
    return match[1] if match else "0"


def follow_owner(owner: Visitor) -> None:
    """Do as an owner what a page offers only after another step."""
    _try_the_preview(owner)
    _code_answers(owner)
    _exclude_and_include(owner)
    _ask_for_more(owner)
    _change_gold_answers(owner)
    _give_up_a_version(owner)
    _connect_a_model(owner)
    _use_judges(owner)
    _order_judges(owner)
    _correct_a_statement(owner)
    _build_a_paper(owner)
    _follow_a_recipe(owner)
    owner.post(f"{SMOKE}media/forget/")
    owner.open(f"{SMOKE}analysis/computing/none/")


def run_a_judge(owner: Visitor) -> None:
    """Let the small model judge some items of a study of the demo."""
    run = _begin_a_run(owner, STATED, "smollm2", limit="1").link
    row, deadline = f"/api/v1{run}", time.monotonic() + LONGEST_RUN
    while (state := owner.read_json(row).get("state")) == "active" and time.monotonic() < deadline:
        time.sleep(0.5)
    if state != "finished":
        owner.ledger.fail(f"the judge's run is {state}: {run}")


def _begin_a_run(owner: Visitor, study: str, name: str, **values: str) -> Page:
    """Press *Run* on a judge's page; return the page of its run."""
    judges = f"{study}judges/"
    judge = find(owner, judges, rf'{judges}(\d+)/"[^>]*>\s*{name}')
    return owner.post(f"{judges}{judge}/run/", values, referer=f"{judges}{judge}/")


def _try_the_preview(owner: Visitor) -> None:
    for show in ("consent", "screener", "questions", "check", "practice", "exit", "withdraw"):
        owner.open(_open_preview(owner, show))
    start = _open_preview(owner, "item")
    owner.post(f"{start}missing/")
    for number in range(1, 7):
        text = owner.open(f"{start}item/{number}/").text
        for address, name in re.findall(
            r'hx-post="([^"]+/screen/[^"]+)".*?name="([^"]+)"', text, re.S
        ):
            owner.post(address, {name: "1"})
    withdraw = _open_preview(owner, "withdraw")
    owner.post(withdraw)


def _open_preview(owner: Visitor, show: str, study: str = SMOKE) -> str:
    link = f"{study}preview/"
    page = owner.post(link, {"show": show, "width": "phone"}, referer=link)
    address = re.search(r'<iframe[^>]* src="([^"]+)"', page.text)
    return address[1] if address else link


def _code_answers(owner: Visitor) -> None:
    coding = f"{SMOKE}coding/"
    for name in ("short", "long", "other"):
        press(owner, coding, "/coding/codes/", name=name)
    given = find(owner, coding, r'name="code" value="(\d+)"')
    press(owner, coding, r"/coding/\d+/", code=given)
    others = re.findall(r"/coding/codes/(\d+)/merge/", owner.open(coding).text)
    for code in others[1:2]:
        owner.post(f"{coding}codes/{code}/merge/", {"into": others[0]}, referer=coding)
        press(owner, coding, rf"/codes/{code}/restore/")
    owner.post(f"{coding}compare/open/", referer=coding)


def _exclude_and_include(owner: Visitor) -> None:
    quality = f"{SMOKE}quality/"
    rule = f"{quality}?rule=low_agreement&correlation=1&items=1"
    press(owner, rule, "/apply/")
    press(owner, quality, "/undo/")
    rater = find(owner, f"{SMOKE}raters/", rf"{SMOKE}raters/(\d+)/")
    press(owner, f"{SMOKE}raters/{rater}/", "/exclude/", reason="Tried by the smoke.")
    press(owner, f"{SMOKE}raters/{rater}/", "/include/")


def _ask_for_more(owner: Visitor) -> None:
    item = find(owner, f"{SMOKE}items/", rf'{SMOKE}items/(\d+)/"[^>]*>\s*e7\b')
    owner.post(f"{SMOKE}more/send/", {"item": item, "count": "1"}, referer=f"{SMOKE}items/")
    press(owner, f"{SMOKE}more/", "/undo/")
    owner.open(f"{SMOKE}more/ratings/")


def _change_gold_answers(owner: Visitor) -> None:
    right = {"item": "e3", "q-convincing": "2", "tolerance": "1"}
    press(owner, f"{SMOKE}settings/sessions/", "/gold/", **right)


def _give_up_a_version(owner: Visitor) -> None:
    """Begin the next version of answered questions, retire one of them, and think better of it."""
    for action in ("version/", r"\d+/retire/", "version/give-up/"):
        press(owner, f"{SMOKE}questions/", f"/questions/{action}")


def fix_a_plan(owner: Visitor, program: Visitor) -> None:
    """Name a judge and fix a stopping plan in a study of the program's that nobody has rated."""
    question = {"key": "good", "text": "Is it good?", "scale": "likert5"}
    study = {"study": "smoke-plan", "raters_per_item": 2, "questions": [question]}
    program.send_json("/api/v1/studies/", study)
    items = [{"item": f"i{number}", "text": f"Text {number}"} for number in range(PLANNED)]
    program.send_json("/api/v1/studies/smoke-plan/items/", {"rows": items})
    press(owner, f"{PLAN}judges/new/?kind=random", "/judges/new/.*", key="coin")
    chosen = {
        name: find(owner, f"{PLAN}stopping/", rf'name="{name}" value="(\d+)"')
        for name in ("judges", "questions")
    }
    press(owner, f"{PLAN}judges/{chosen['judges']}/", "/name/")
    press(owner, f"{PLAN}stopping/", "/stopping/fix/", **chosen)


def bring_taste(owner: Visitor, program: Visitor, rater: Visitor, contents: Path) -> None:
    """Let a rater of a study of the program's pick contents, and wait for a list of others."""
    asked = {"key": "good", "text": "Would you watch it?", "scale": "likert5"}
    study = {
        "study": "smoke-taste",
        "questions": [asked | {"applies_to": ["recommendation"]}],
        "taste": {"least": LIKED, "sources": [{"system": "chance", "by": "random"}]},
    }
    program.send_json("/api/v1/studies/", study)
    with contents.open("rb") as file:
        loaded = owner.post(f"{TASTE}load/", files={"contents": file})
    press(owner, loaded.link, "/load/")
    for show in ("taste", "waiting"):
        owner.open(_open_preview(owner, show, TASTE))
    deadline = time.monotonic() + LONGEST_LOAD
    while "/taste/" not in (page := rater.post("/join/smoke-taste/", {"consent": "yes"})).link:
        if time.monotonic() > deadline:
            return
        time.sleep(0.5)  # a worker loads the contents
    for content in re.findall(r'name="add" value="(\d+)"', page.text)[:LIKED]:
        rater.post(page.link, {"add": content})
    rater.post(page.link, {"go": "next"})
    start = page.link.removesuffix("taste/")
    rater.open(f"{start}waiting/")  # which leads on, where there is nothing to wait for
    while "/item/" not in rater.post(f"{start}begin/").link and time.monotonic() < deadline:
        rater.open(f"{start}waiting/")
        time.sleep(0.5)


def _connect_a_model(owner: Visitor) -> None:
    """Connect a server that is not there, as a script would list its models, and remove it."""
    new, sent = f"{SMOKE}models/new/other/", {"base_url": NOBODY, "model": "m"}
    owner.post(f"{new}names/", sent, referer=new)
    press(owner, new, "/models/new/other/", **sent)
    made = find(owner, f"{SMOKE}models/", rf"{SMOKE}models/(\d+)/")
    page = f"{SMOKE}models/{made}/"
    owner.post(f"{page}names/", sent, referer=page)
    press(owner, page, f"/models/{made}/", price_in="1", price_out="2")
    press(owner, page, "/test/")
    press(owner, page, "/remove/")


def _use_judges(owner: Visitor) -> None:
    """Run both judges, and stop a run; what its page offers for a moment an old page sends."""
    judges = f"{SMOKE}judges/"
    for name in (ASKS, RECOMMENDS):
        run = _begin_a_run(owner, SMOKE, name, limit="1").link
        judge = find(owner, judges, rf'{judges}(\d+)/"[^>]*>\s*{name}')
        _wait_for_runs(owner)
        if name == ASKS:
            press(owner, f"{judges}{judge}/", "/check/")
            _wait_for_runs(owner)
            press(owner, f"{judges}{judge}/robustness/", "/robustness/", to="start/")
        else:
            owner.open(f"{judges}{judge}/test/")
        for link in ("confirm/", "resume/", "read-again/", "ask-again/"):
            owner.post(f"{run}{link}", referer=run)
        if name == RECOMMENDS:
            owner.open(f"{run}lists/")
    _wait_for_runs(owner)
    press(owner, _begin_a_run(owner, SMOKE, ASKS).link, "/cancel/")


def _order_judges(owner: Visitor) -> None:
    """Make a judge, archive it and bring it back, delete it and undo that."""
    judges, new = f"{SMOKE}judges/", f"{SMOKE}judges/new/?kind=random"
    press(owner, new, r"/judges/new/\?kind=random", key="to and fro", seed="1")
    made = find(owner, judges, rf'{judges}(\d+)/"[^>]*>\s*to and fro')
    press(owner, f"{judges}{made}/", "/archive/")
    press(owner, judges, "/bring-back/")
    press(owner, f"{judges}{made}/delete/", "/delete/", because="not needed")
    press(owner, judges, "/undelete/")


def _wait_for_runs(owner: Visitor) -> None:
    """Wait until no run of the study is active: what asks a run again needs one that has ended."""
    runs, deadline = f"/api/v1{SMOKE}runs/?state=active", time.monotonic() + LONGEST_RUN
    while owner.read_json(runs).get("results") and time.monotonic() < deadline:
        time.sleep(0.5)


def _build_a_paper(owner: Visitor) -> None:
    """Build a paper of the study with statements, take both files, and use the former address."""
    paper, asked = f"{STATED}analysis/paper/", "?sections=answer,codebook"
    deadline = time.monotonic() + LONGEST_RUN
    while 'id="built"' in (text := owner.open(paper + asked).text) and "paper.zip" not in text:
        if time.monotonic() > deadline:
            break
        time.sleep(0.5)
    for form in ("html", "zip"):
        owner.open(f"{paper}paper.{form}{asked}")
    owner.open(f"{STATED}analysis/report.html")


def _follow_a_recipe(owner: Visitor) -> None:
    """Put the study with statements beside its paper, and take both files of the table."""
    recipes = f"{STATED}analysis/recipes/"
    owner.open(recipes)
    deadline = time.monotonic() + LONGEST_RUN
    while "p1.csv" not in owner.open(f"{recipes}?paper=p1").text and time.monotonic() < deadline:
        time.sleep(0.5)
    for form in ("csv", "md"):
        owner.open(f"{recipes}p1.{form}")


def _correct_a_statement(owner: Visitor) -> None:
    owner.open(f"{STATED}statements/without/reference/")
    press(owner, f"{STATED}statements/", "/statements/items/")
    page = find(owner, f"{STATED}statements/", rf"({STATED}items/\d+/statements/\w+/)")
    press(owner, page, r"/statements/\d+/remove/")
    press(owner, page, r"/statements/\d+/undo/")


# What is sent without a page


def tell_as_scripts(visitor: Visitor, link: str, text: str) -> None:
    """Send nothing to the addresses to which the script of a rater's page tells what it saw."""
    if text.strip():
        for target in html.document_fromstring(text).xpath(SCRIPTS):
            visitor.post(local_link(target, link, visitor.origin), referer=link)


def row_links(visitor: Visitor, studies: set[str]) -> Iterator[str]:
    """Yield every address of the API that names a row, for the first row of each list."""
    below = [route for route in all_routes() if route.startswith(API) and ROW in route]
    for lists in sorted({route.partition(ROW)[0] for route in below}):
        for study in sorted(studies):
            link = "/" + lists.replace("<slug:slug>", study)
            for row in visitor.read_json(link).get("results", [])[:1]:
                for route in (route for route in below if route.startswith(lists)):
                    address = route.replace("<slug:slug>", study)
                    yield "/" + address.replace("<int:pk>", str(row["id"]))


def follow_program(program: Visitor) -> None:
    """Do as a program what takes two requests: stop a run."""
    runs = f"/api/v1{SMOKE}runs/"
    begun = program.send_json(runs, {"judge": ASKS, "reuse": False})
    stopped = re.findall(r'"id":\s*(\d+)', begun.text)[:1]
    # Where a test of the judge keeps it from beginning, that is what is stopped.
    stopped += [row["id"] for row in program.read_json(f"{runs}?state=active").get("results", [])]
    for run in dict.fromkeys(map(str, stopped)):
        program.send_json(f"{runs}{run}/cancel/", {})


def come_from_a_platform(owner: Visitor) -> str:
    """Let raters come from a platform; return the link by which it sends one."""
    page = f"{SMOKE}settings/platform/"
    press(owner, page, "/settings/platform/", name="prolific")
    return f"/join/smoke/{CAME}"


def load_participants(owner: Visitor, rater: Visitor, participants: Path) -> None:
    """Load what a platform tells about whom it has sent to the study with a plan."""
    press(owner, f"{PLAN}settings/platform/", "/settings/platform/", name="prolific")
    rater.post(f"/join/smoke-plan/{CAME}", {"consent": "yes"})
    pay = f"{PLAN}raters/pay/"
    with participants.open("rb") as file:
        owner.post(f"{pay}participants/", files={"file": file}, referer=pay)


def leave_the_administration(operator: Visitor, address: str) -> None:
    """Log out there, in a visit of its own: what else an operator sends ends each other visit."""
    operator.log_in(address)
    press(operator, "/admin/", "/admin/logout/")


def make_personal_link(owner: Visitor) -> str:
    """Make a link that is one rater's own, and return it."""
    page = f"{SMOKE}raters/links/"
    press(owner, page, "/raters/links/", names="one of the smoke")
    return find(owner, page, r"(/r/[\w-]{20,}/)")


def leave(visitor: Visitor, links: list[str]) -> None:
    """Press the button that leads back to the platform, which is not followed there."""
    for start in dict.fromkeys(link.split("/")[2] for link in links if link.startswith("/r/")):
        visitor.post(f"/r/{start}/leave/", referer=f"/r/{start}/")
