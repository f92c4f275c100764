"""A rater's visits: through every screen of a session, with gaps first."""

from tests.smoke import stories
from tests.smoke.browser import Seen, Tab
from tests.smoke.crawl import Walk
from tests.smoke.pages import Form, form_key

MOST_SCREENS = 40


def visit(tab: Tab, walk: Walk, link: str) -> None:
    """Arrive by a link, send each kind of form once empty, and all filled, to the last page."""
    seen = tab.open(link)
    emptied: set[tuple] = set()
    for _ in range(MOST_SCREENS):
        walk.offer([seen.link, *_own(seen)], seen.forms)
        stories.tell_as_scripts(walk.visitor, seen.link, tab.page.content())
        form = _onward(seen)
        if form is None:
            following = [link for link in _own(seen) if "/practice/" in link or "/item/" in link]
            if not following or following[0] == seen.link:
                return
            seen = tab.open(following[0])
            continue
        if form_key(form) not in emptied and form.names:
            emptied.add(form_key(form))
            seen = _send(tab, form, False) or seen
            form = _onward(seen)
        if form is not None:
            seen = _send(tab, form, True) or seen
    walk.ledger.note(f"a visit did not end within {MOST_SCREENS} screens: {link}")


def _own(seen: Seen) -> list[str]:
    return [link for link in seen.links if link.startswith("/r/")]


def _onward(seen: Seen) -> Form | None:
    """Return the form that leads on: leaving for the platform is the end."""
    forms = [form for form in seen.forms if form.method == "post" and "/leave/" not in form.action]
    return forms[0] if forms and forms[0].action.startswith(("/r/", "/join/")) else None


def _send(tab: Tab, form: Form, filled: bool) -> Seen | None:
    handles = tab.page.query_selector_all("form")
    return tab.send(handles[form.number], form, filled) if form.number < len(handles) else None
