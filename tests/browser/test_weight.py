"""What a rater's browser loads at a first visit, of every page: at most 40 kilobytes compressed."""

import gzip

import pytest

from tests import crowd
from tests.browser.test_podcasts import start as start_podcasts
from tests.browser.test_rater_screens import each, show
from tests.podcasts import make_podcasts, tell_facts
from tests.rater_screens import SCREENS
from tests.rater_screens.making import Visit

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
MOST = 40_000  # bytes


class Scale:
    """Weighs the page that is shown, with every file that it asks for, as if none was cached.

    Bodies are compressed here, as the server does: the live server of tests sends them plain.
    """

    def __init__(self, page):
        self.page, self.files, self.asked, self.document = page, {}, set(), 0
        page.on("response", self._take)

    def _take(self, response):
        if response.request.resource_type == "document":
            self.asked, self.last = set(), response
        elif response.request.method == "GET":
            self.asked.add(response.url)

    def weight(self):
        self.page.wait_for_load_state("networkidle")
        for address in self.asked - self.files.keys():
            self.files[address] = weigh(self.page.request.get(address))
        return weigh(self.last) + sum(self.files[address] for address in self.asked)


def weigh(response):
    """The compressed body and the headers."""
    headers = "".join(f"{name}: {value}\r\n" for name, value in response.headers.items())
    return len(gzip.compress(response.body())) + len(headers)


def test_every_page_is_light(new_page):
    page = new_page()
    scale = Scale(page)
    weights = {name: scale.weight() for name in each(page, new_page, "ar")}
    assert weights.keys() == SCREENS.keys()
    assert {name: weight for name, weight in weights.items() if weight > MOST} == {}
    # Scripts, styles and the page itself: what is weighed is not an empty page.
    assert min(weights.values()) > 5_000 and weights["item"] > 20_000
    print(max(weights.items(), key=lambda one: one[1]))


def test_items_of_p3_and_p4_are_light(new_page, owner, tmp_path):
    """Nine films before, seven questions; two lists of three episodes with long descriptions."""
    crowd.load(tmp_path)
    page = new_page()
    scale = Scale(page)
    show(page, Visit("/join/crowd/?PROLIFIC_PID=p1&STUDY_ID=s1&SESSION_ID=v1"))
    for name in ("I agree and take part", "Start"):
        page.get_by_role("button", name=name).click()
    page.get_by_label("The explanation", exact=True).check()
    for name in ("Check my answers", "Start"):
        page.get_by_role("button", name=name).click()
    page.get_by_role("heading", name="Page 1 of 13").wait_for()
    weights = {"explanation": scale.weight()}
    tell_facts(make_podcasts(owner))
    start_podcasts(page)
    page.goto(page.url.replace("item/1/", "item/2/"))
    weights["lists"] = scale.weight()
    print(weights)
    assert max(weights.values()) <= MOST < sum(weights.values()), weights
