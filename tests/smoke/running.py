"""The order of the smoke: what is done by whom on a product that was just started."""

import shutil
import time
import traceback
from pathlib import Path
from zlib import crc32

from playwright.sync_api import Browser, sync_playwright

from tests.smoke import rating, stories, values
from tests.smoke.api import make_token, read_api, send_examples
from tests.smoke.browser import FLAGS, Tab
from tests.smoke.crawl import RANKS, Walk
from tests.smoke.ledger import Ledger
from tests.smoke.pages import local_link
from tests.smoke.routes import all_routes
from tests.smoke.unreached import UNREACHED
from tests.smoke.visitor import Visitor
from tests.smoke.ways import WAYS, NotStarted, Way, fresh_clone

STUDIES = (
    "films-demo",
    "helpdesk-demo",
    "podcasts-demo",
    "films-open",
    "surveys-demo",
    "factuality-demo",
)
PASSWORD = ("/admin/password_change/", "/admin/password_change/done/")
VISITED = ("smoke", "factuality-demo")  # whose raters' screens are walked besides the printed one


def run(name: str, short: bool, gate: bool, answers: Path | None = None) -> tuple[int, int]:
    """Run one way; return how many checks passed and failed.

    answers: a folder that keeps all answers, for whoever asks why a route was missed.
    """
    ledger = Ledger(name)
    links = short or name == "production"  # make demo installs the packages, the entrypoint none
    with fresh_clone(link_packages=links) as clone, sync_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("google-chrome")
        chromium = playwright.chromium.launch(executable_path=path, args=FLAGS)
        try:
            with WAYS[name](clone, links_packages=links) as way:
                Smoke(way, chromium, ledger, short, gate).run()
        except NotStarted as error:
            ledger.fail(str(error))
    print("\n".join(ledger.lines()), flush=True)
    if answers:
        ledger.write(answers / f"{name}.jsonl")
    return len(ledger.answers) - len(ledger.faults), len(ledger.faults)


class Smoke:
    """One running product, its visitors, and what each of them opens."""

    def __init__(self, way: Way, chromium: Browser, ledger: Ledger, short: bool, gate: bool):
        self.way, self.chromium, self.ledger = way, chromium, ledger
        self.short, self.gate = short, gate
        self.few = 1 if short else 3
        # Who may see what tests/sweep tests too: the gate's smoke asks owners and who is not known.
        self.members = () if gate else ("editor", "viewer")
        self.visitors: dict[str, Visitor] = {}
        self.tabs: dict[str, Tab] = {}
        self.began = time.monotonic()

    def run(self) -> None:
        """Do all of it, each step although another one failed; what destroys comes last."""
        self._let_in()
        every = 0 if self.way.name == "demo" and not self.short else self.few
        limits = {"owner": every, "rater": self.few, "operator": self.few}
        chooses = (lambda key: False) if self.gate else self._has_turn
        self.walks = {
            role: Walk(self.visitors[role], self.tabs[role], most, self.short, chooses)
            for role, most in limits.items()
        }
        steps_of_demo = {
            "links followed as owner": self._follow_as_owner,
            "sessions rated": self._rate_what_is_printed,
            "a judge run": lambda: stories.run_a_judge(self.visitors["owner"]),
        }
        steps = {
            "links followed as owner": self._follow_as_owner,
            "forms sent as owner": lambda: self.walks["owner"].send_forms([0]),
            "sessions rated": self._rate,
            "stories followed": self._follow_stories,
            "administration walked": self._administer,
            "all routes opened in all roles": self._sweep,
            "API used": self._use_api,
            "what destroys was sent": self._destroy,
            "routes counted": self._check_reached,
        }
        if self.gate and self.way.name == "demo":
            steps = steps_of_demo
        for words, step in steps.items():
            try:
                step()
            except Exception:  # a fault of the smoke itself: it fails, and the rest is still done
                self.ledger.fail(f"{words}: {traceback.format_exc()}")
            self._tell(words)
        for tab in self.tabs.values():
            tab.close()

    def _follow_as_owner(self) -> None:
        self.walks["owner"].offer(["/", *_plain_links()])
        self.walks["owner"].follow()

    def _rate_what_is_printed(self) -> None:
        printed = local_link(self.way.rater_link(), "/", self.way.origin)
        rating.visit(self.tabs["rater"], self.walks["rater"], printed)

    def _rate(self) -> None:
        self._rate_what_is_printed()
        walk = self.walks["rater"]
        for slug in VISITED:
            rating.visit(self.tabs["rater"], walk, f"/join/{slug}/")
        owner = self.visitors["owner"]
        rating.visit(self.tabs["rater"], walk, stories.make_personal_link(owner))
        rating.visit(self.tabs["rater"], walk, stories.come_from_a_platform(owner))
        stories.leave(walk.visitor, [link for links in walk.known.values() for link in links])

    def _follow_stories(self) -> None:
        """Do it before the administration is walked: its forms change who may do what."""
        stories.follow_owner(self.visitors["owner"])
        self.program = Visitor("program", self.way.origin, self.ledger)
        secret = make_token(self.walks["owner"])
        self.program.session.headers["Authorization"] = f"Bearer {secret}"
        stories.follow_program(self.program)
        stories.fix_a_plan(self.visitors["owner"], self.program)
        rater, contents = self.visitors["rater"], values.NEW_STUDY["contents"]
        stories.bring_taste(self.visitors["owner"], self.program, rater, contents)
        stories.load_participants(self.visitors["owner"], rater, values.PARTICIPANTS)

    def _administer(self) -> None:
        self.walks["operator"].sent |= self.walks["owner"].sent
        self.walks["operator"].offer(["/", "/admin/", *PASSWORD])
        self.walks["operator"].follow()
        self.walks["operator"].send_forms([0])

    def _destroy(self) -> None:
        for rank in RANKS:
            for walk in self.walks.values():
                walk.send_forms([rank])
        again = Visitor("operator", self.way.origin, self.ledger)
        link = self.way.login_link("operator", "--operator")
        stories.leave_the_administration(again, link)

    def _tell(self, words: str) -> None:
        seconds = time.monotonic() - self.began
        print(f"{self.way.name} {seconds:6.0f} s: {words}", flush=True)

    def _let_in(self) -> None:
        links = {"owner": self.way.owner_link()}
        links |= {name: self.way.login_link(name) for name in self.members}
        links["operator"] = self.way.login_link("operator", "--operator")
        self.way.login_link("guest")
        for role in ("owner", *self.members, "operator", "rater"):
            visitor = Visitor(role, self.way.origin, self.ledger)
            if role in links:
                visitor.log_in(links[role])
            self.visitors[role] = visitor
            cookies = visitor.session.cookies
            self.tabs[role] = Tab(self.chromium, role, self.way.origin, self.ledger, cookies)
        for slug in STUDIES:
            for name in self.members:
                link = f"/studies/{slug}/settings/members/"
                self.visitors["owner"].open(f"/studies/{slug}/settings/")
                self.visitors["owner"].post(link, {"username": name, "role": name})

    def _has_turn(self, page: tuple) -> bool:
        return self.gate or not self.short or way_of(page) == self.way.name

    def _sweep(self) -> None:
        """Open every known page in every role: by the browser where the role sees a page."""
        known: dict[tuple, list[str]] = {}
        reached = self.ledger.reached()
        for walk in self.walks.values():
            for page, links in walk.known.items():
                if self._has_turn(page) or page[0] not in reached:
                    known.setdefault(page, []).extend(links)
        routes: set[tuple[str, str]] = set()
        for role in ("owner", "rater") if self.gate else self.visitors:
            for page, links in known.items():
                for link in list(dict.fromkeys(links))[: self.few]:
                    self._open_as(role, page, link, routes)

    def _open_as(self, role: str, page: tuple, link: str, routes: set) -> None:
        if self.short and page in self.tabs[role].opened:
            return  # for its forms, or those of another page that differs only in ids
        if role == "owner" and link in self.walks[role].pages.get(page, ()):
            self.tabs[role].open(link, was_seen=True)
            return
        answer = self.visitors[role].open(link)
        shown = answer.is_page and answer.status == 200 and answer.link == link
        # In the short form owners see each page, other roles one of each route.
        again = self.short and role != "owner" and (role, page[0]) in routes
        if shown and not again:
            routes.add((role, page[0]))
            if role == "owner" or not self.gate:
                self.tabs[role].open(link)

    def _use_api(self) -> None:
        owner = self.walks["owner"]
        walk = Walk(self.program, self.tabs["owner"], self.few)
        walk.known = owner.known
        send_examples(walk)
        for reader in (walk,) if self.gate else (owner, walk):
            if self._has_turn((reader.visitor.role,)):
                read_api(reader, self.few)
        owner.follow()

    def _check_reached(self) -> None:
        reached = self.ledger.reached()
        missing = all_routes() - reached - set(UNREACHED)
        for route in sorted(missing):
            self.ledger.fail(f"route not reached: {route}")
        for route in sorted(reached & set(UNREACHED)):
            self.ledger.fail(f"route reached though it is listed as unreached: {route}")


def way_of(page: tuple) -> str:
    """Name the way that opens a page in all roles, or sends a form that changes nothing.

    So it is in the short form, where the ways share these.
    """
    names = sorted(WAYS)
    return names[crc32(repr(page).encode()) % len(names)]


def _plain_links() -> list[str]:
    """Return the routes that are addresses as they stand, without the administration's."""
    plain = [route for route in all_routes() if not set(route) & set("<(^$")]
    operators = ("admin/", "endpoints/", "accounts/logout/")
    return ["/" + route for route in sorted(plain) if not route.startswith(operators)]
