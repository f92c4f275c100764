"""Every template compiles, and none has what the content security policy forbids."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template.loader import get_template

FOLDER = Path(settings.BASE_DIR) / "templates"
NAMES = sorted(str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.html"))
INLINE_SCRIPT = re.compile(r"<script(?![^>]*\bsrc=)(?![^>]*application/json)", re.I)
FORBIDDEN = {
    "an inline script": INLINE_SCRIPT,
    "an inline style": re.compile(r"<style|\sstyle=", re.I),
    "an inline event handler": re.compile(r"\son[a-z]+=", re.I),
    "an unescaped value": re.compile(r"\|\s*safe\b|autoescape off"),
    "an address of another site": re.compile(r"(src|href)=[\"']https?://", re.I),
}


@pytest.mark.parametrize("name", NAMES)
def test_a_template_compiles_and_has_nothing_inline(name):
    get_template(name)
    text = (FOLDER / name).read_text()
    assert [what for what, pattern in FORBIDDEN.items() if pattern.search(text)] == []


def test_rater_templates_set_no_cookie():
    """A csrf_token would: the token in the address is the authority there."""
    for name in NAMES:
        text = (FOLDER / name).read_text()
        if "rater_base.html" in text:
            assert "csrf_token" not in text, name


def test_every_colour_that_is_named_is_defined():
    """Figures take their colours from the stylesheet by name: a missing one is drawn black."""
    root = Path(settings.BASE_DIR)
    css = (root / "static" / "app.css").read_text()
    users = [css]
    users += [path.read_text() for path in (root / "analysis").rglob("*.py")]
    named = {name for text in users for name in re.findall(r"var\((--[a-z-]+)\)", text)}
    assert named - set(re.findall(r"(--[a-z-]+):", css)) == set()
    assert "--people" in named
