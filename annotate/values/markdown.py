"""Render researchers' Markdown as harmless HTML, or as plain words.

No sanitiser follows, because nothing is let in: HTML is text, pictures are off, and a link goes to
http, https or mailto or is no link.
"""

import re
from functools import lru_cache

from markdown_it import MarkdownIt

MARKS = re.compile(r"[*_`\[<&\\#]")
HEADING = re.compile(r"^#{1,6}[ \t]+", re.M)
NOT_SHOWN = re.compile(r"<(script|style)\b[^<>]*>[^<]*</\1\s*>|<!--[^<>]*-->", re.I)
TAG = re.compile(
    r"<(/?(?:a|abbr|b|big|blockquote|br|center|code|div|em|font|h[1-6]|hr|i|img|li|ol|p|pre|s"
    r"|small|span|strike|strong|sub|sup|table|tbody|td|th|thead|tr|u|ul))(?:[\s/][^<>]*)?>",
    re.I,
)
NEW_LINE, ITEM = ("br", "hr", "/tr", "ul", "/ul", "ol", "/ol"), "li"
NEW_PARAGRAPH = re.compile(r"/?(p|div|h[1-6]|blockquote|pre|table)", re.I)
LINK = re.compile(r"(https?://|mailto:)[^\s]+", re.I)
LOWER_BY = 2  # levels: the page has an h1 and an h2 of its own


def _renderer():
    renderer = MarkdownIt("commonmark", {"html": False, "breaks": True})
    renderer.disable(["image", "html_block", "html_inline", "entity", "code"])
    renderer.validateLink = lambda url: LINK.fullmatch(url) is not None
    renderer.core.ruler.push("concord", _adapt)
    return renderer


def _adapt(state):
    """Fit headings into the page.

    Let links open in another tab without telling where they stood.
    """
    for token in state.tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1:]) + LOWER_BY, 6)}"
        if token.children:
            token.children = list(_links(token.children))


def _links(children):
    """Yield the parts of a text.

    A link whose address nothing has checked, [words](), becomes its words.
    """
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
    """Render a Markdown text as HTML; single line ends are kept."""
    return RENDERER.render(text)


def _reader():
    reader = MarkdownIt("commonmark", {"html": False})
    reader.validateLink = lambda url: True  # no address is kept
    return reader


READER = _reader()


@lru_cache(maxsize=1024)
def to_plain(text):
    """Return the words of a text that may hold Markdown or HTML, as feeds’ descriptions do.

    Paragraphs and line ends are kept. What comes out may hold < and &: templates escape it.
    """
    if not MARKS.search(text):
        return text
    text = TAG.sub(_space_for_tag, NOT_SHOWN.sub("", text))
    blocks = re.split(r"\n\s*\n", HEADING.sub("", text))
    words = (_words_of_block(block.strip()) for block in blocks)
    return "\n\n".join(filter(None, words))


def _space_for_tag(match):
    tag = match[1].lower()
    if tag in NEW_LINE:
        return "\n"
    if tag == ITEM:
        return "\n- "
    return "\n\n" if NEW_PARAGRAPH.fullmatch(tag) else ""


def _words_of_block(block):
    return "".join(
        "\n" if token.type in ("softbreak", "hardbreak") else token.content
        for line in READER.parseInline(block)
        for token in line.children or []
    ).strip()
