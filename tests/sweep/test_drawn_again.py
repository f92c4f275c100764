"""A page drawn again after a refused form stands at an address that takes only POST."""

from urllib.parse import urljoin, urlsplit

import pytest
from lxml import html

from tests.sweep.asking import Ask, send, undone
from tests.sweep.callers import make_caller

pytestmark = pytest.mark.django_db
LINKS = ".//a/@href[not(starts-with(., '#'))] | .//form[@method='get' or not(@method)]/@action"
NO_ACTION = ".//form[not(@action)]"


def stuck_links(text, path):
    """What of a page leads back to the address that it stands at, with a GET."""
    tree = html.document_fromstring(text)
    links = [urljoin(path, link) for link in tree.xpath(LINKS)]
    forms = [path for form in tree.xpath(NO_ACTION) if form.get("method", "get") == "get"]
    return {link for link in [*links, *forms] if urlsplit(link).path == path}


@pytest.mark.parametrize("name", ["owner", "operator"])
def test_no_link_of_a_page_drawn_again_leads_to_where_only_forms_are_sent(sweep, name):
    caller, stuck, drawn = make_caller(name, sweep.world), [], 0
    for ask in sweep.asks():
        if ask.method != "POST" or ask.is_api or not caller.may(ask.who, ask.route, "POST"):
            continue
        with undone():
            answer = send(caller.client, ask)
        if answer.status not in (200, 409, 422) or "<html" not in answer.text:
            continue
        if send(caller.client, Ask(ask.route, "GET", ask.path)).status == 405:
            drawn += 1
            stuck += [f"{ask}: {link}" for link in sorted(stuck_links(answer.text, ask.path))]
    assert drawn > 10 or name == "operator"
    assert not stuck, "\n".join(stuck)
