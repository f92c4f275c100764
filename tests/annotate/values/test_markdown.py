"""Markdown of consent and instructions: what it makes, and that nothing hostile gets through."""

from html.parser import HTMLParser

import pytest
from django.template.loader import render_to_string
from hypothesis import given
from hypothesis import strategies as st

from annotate.models import Content, Study
from annotate.raters.screens import card
from annotate.values.markdown import to_html, to_plain
from tests import factories

# Everything that may come out: the elements and their attributes.
ELEMENTS = {
    "p",
    "br",
    "strong",
    "em",
    "ul",
    "ol",
    "li",
    "h3",
    "h4",
    "h5",
    "h6",
    "blockquote",
    "hr",
    "pre",
    "code",
    "a",
}
ATTRIBUTES = {"a": {"href", "title", "target", "rel"}, "ol": {"start"}, "code": {"class"}}


class Seen(HTMLParser):
    """Every element with its attributes, as a browser reads them; and the text."""

    def __init__(self, html):
        super().__init__()
        self.elements, self.text = [], ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data

    def handle_comment(self, data):
        self.elements.append(("comment", {}))

    def handle_decl(self, decl):
        self.elements.append(("declaration", {}))


def assert_harmless(html):
    for tag, attrs in Seen(html).elements:
        assert tag in ELEMENTS, tag
        assert set(attrs) <= ATTRIBUTES.get(tag, set()), (tag, attrs)
        if tag == "a":
            assert attrs["href"].lower().startswith(("http://", "https://", "mailto:"))
            assert attrs["rel"] == "noopener noreferrer"


def test_paragraphs_lists_headings_and_single_line_ends():
    text = "# Task\n\nRead **each** one\nand *rate* it.\n\n- one\n- two\n\n3. three"
    assert to_html(text) == (
        "<h3>Task</h3>\n<p>Read <strong>each</strong> one<br />\nand <em>rate</em> it.</p>\n"
        '<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n<ol start="3">\n<li>three</li>\n</ol>\n'
    )


def test_a_link_opens_beside_the_page_and_does_not_say_where_it_stood():
    assert to_html("[Ethics](https://uni.example/e)") == (
        '<p><a href="https://uni.example/e" target="_blank" rel="noopener noreferrer">Ethics</a>'
        "</p>\n"
    )
    assert 'href="mailto:a@uni.example"' in to_html("<a@uni.example>")


HOSTILE = [
    "<script>alert(1)</script>",
    "<ScRiPt src=//evil.example/x.js></sCrIpT>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<style>*{display:none}</style>",
    "<iframe src=https://evil.example></iframe>",
    "<!-- a --><!doctype html><![CDATA[x]]><?php x?>",
    "[x](javascript:alert(1))",
    "[x](JaVa\tScRiPt:alert(1))",
    "[x](java&#115;cript:alert(1))",
    "[x](&#106;avascript&colon;alert(1))",
    "[x](<javascript:alert(1)>)",
    "[x](vbscript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](file:///etc/passwd)",
    "[x](//evil.example/x)",
    "[x](/admin/)",
    "<javascript:alert(1)>",
    "[x]: javascript:alert(1)\n\n[x]",
    "![x](https://evil.example/p.png)",
    "![x][p]\n\n[p]: https://evil.example/p.png",
    "[![x](https://evil.example/p.png)](javascript:alert(1))",
    '[x](https://a.example/"onclick="alert(1))',
    '[x](https://a.example "t\\" onclick=alert(1) y=\\"")',
    '```"><script>alert(1)</script>\nx\n```',
    "`<script>alert(1)</script>`",
    "> <script>alert(1)</script>\n\n- <img src=x onerror=alert(1)>",
    "\\<script>alert(1)</script>",
    "**<b onmouseover=alert(1)>x**</b>",
    "[<img src=x onerror=alert(1)>](https://a.example)",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "# <script>alert(1)</script>",
    "[x]()",
    "[x](<>) and [a [b]() c](https://a.example)",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_hostile_gets_through(text):
    html = to_html(text)
    assert_harmless(html)
    assert "<script" not in html.lower() and "<img" not in html.lower()


def test_html_is_shown_as_it_was_typed():
    assert Seen(to_html("<script>alert('x')</script> &lt;")).text == (
        "<script>alert('x')</script> &lt;\n"
    )


PIECES = st.sampled_from(
    [
        "<script>",
        "</script>",
        "[x](",
        "javascript:",
        "https://a.example",
        ")",
        "![",
        "]",
        "<",
        ">",
        '"',
        "'",
        "`",
        "```\n",
        "\n",
        "\n\n",
        "> ",
        "- ",
        "&#106;",
        "onerror=",
        "\\",
        "*",
        "_",
        "<img ",
        "src=x",
        "<!--",
        "-->",
        "&",
        ";",
        "[r]: ",
        "\t",
        "\x00",
        "\u2028",
    ]
)


@given(st.lists(PIECES | st.text(max_size=5), max_size=30).map("".join))
def test_no_mixture_of_pieces_gets_through(text):
    assert_harmless(to_html(text))


@pytest.mark.django_db
def test_raters_read_consent_and_instructions_as_markdown(client, study):
    Study.objects.update(
        consent="I **agree**. <script>alert(1)</script>", instructions="- one\n- [x](javascript:1)"
    )
    page = client.get("/join/films/").content.decode()
    assert "<p>I <strong>agree</strong>. &lt;script&gt;alert(1)&lt;/script&gt;</p>" in page
    session = factories.make_session(study, state="instructions", source="web")
    page = client.get(f"/r/{session.token}/").content.decode()
    assert "<li>one</li>\n<li>[x](javascript:1)</li>" in page


# Descriptions of contents: plain words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("About **bold** films\nand *more*.", "About bold films\nand more."),
        ("By [Ann Lee](https://example.org/a) today.", "By Ann Lee today."),
        ("![A cover](https://example.org/a.png) Hello", "A cover Hello"),
        ("<p>One &amp; two.</p><p>Three<br>four</p>", "One & two.\n\nThree\nfour"),
        ('<a href="https://example.org">Listen</a> <script>alert(1)</script>now', "Listen now"),
        ("# Show notes\n\n- first\n- second", "Show notes\n\n- first\n- second"),
        ("`code` and ~~old~~ and __init__", "code and ~~old~~ and init"),
        ("2 * 3, a_b_c, x < 3 and y > 2, AT&T", "2 * 3, a_b_c, x < 3 and y > 2, AT&T"),
        ("&lt;b&gt; stays words", "<b> stays words"),
        ("1. Intro\n2. Talk", "1. Intro\n2. Talk"),
        ("<!-- note -->Hello", "Hello"),
        ("Ends <b", "Ends <b"),
        ("[Listen](<https://example.org/a b>) \\* star", "Listen * star"),
        ("", ""),
    ],
)
def test_markup_of_a_feed_becomes_its_words(text, words):
    assert to_plain(text) == words


@given(st.text(alphabet="*_[]()<>!`&;#-ab \n", max_size=200))
def test_plain_words_never_fail(text):
    assert len(to_plain(text)) <= len(text) + 2


def test_raters_read_a_description_as_escaped_words():
    content = Content(title="T", description="<p>**Big** [site](javascript:alert(1)) &lt;b&gt;</p>")
    shown = card(content, Study()).description
    assert shown == "Big site <b>"
    page = render_to_string("annotate/_content.html", {"card": card(content, Study()), "whole": 1})
    assert "Big site &lt;b&gt;" in page and "<b>" not in page and "alert" not in page
