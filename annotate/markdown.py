"""What researchers write in Markdown, as HTML that can do no harm.

No sanitiser follows, because nothing is let in: HTML is text, pictures are off, and a link goes to
http, https or mailto or is no link.
"""

import re
from functools import lru_cache

from markdown_it import MarkdownIt

LINK = re.compile(r"(https?://|mailto:)[^\s]+", re.I)
LOWER_BY = 2  # levels: the page has an h1 and an h2 of its own


def _renderer():
    renderer = MarkdownIt("commonmark", {"html": False, "breaks": True})
    renderer.disable(["image", "html_block", "html_inline", "entity", "code"])
    renderer.validateLink = lambda url: LINK.fullmatch(url) is not None
    renderer.core.ruler.push("concord", _adapt)
    return renderer


def _adapt(state):
    """Headings fit into the page; links open beside it and tell nobody where they stood."""
    for token in state.tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1:]) + LOWER_BY, 6)}"
        if token.children:
            token.children = list(_links(token.children))


def _links(children):
    """The parts of a text; [words](), whose address nothing has checked, becomes the words."""
    kept = []
    for child in children:
        if child.type == "link_open":
            kept.append(bool(child.attrs["href"]))
            child.attrs |= {"target": "_blank", "rel": "noopener noreferrer"}
        is_kept = kept[-1] if child.type == "link_open" else True
        if child.type == "link_close":
            is_kept = kept.pop()
        if is_kept:
            yield child


RENDERER = _renderer()


@lru_cache(maxsize=128)
def to_html(text):
    """The HTML of a Markdown text; single line ends are kept."""
    return RENDERER.render(text)
