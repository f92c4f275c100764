"""No page, file or headline claims that a judge may replace people: no verdict supports it yet."""

import re
from pathlib import Path

from django.conf import settings

ROOT = Path(settings.BASE_DIR)
WITHDRAWN = re.compile(
    r"takes? (?:the|a rater.s|people.s) place|may stand in (?:for|a rater)|the best judge", re.I
)
FOLDERS = ("analysis", "judges", "templates", "docs", "static")
SUFFIXES = {".py", ".html", ".md", ".js", ".txt", ".yaml"}


def test_nothing_says_that_a_judge_may_take_a_place():
    shown = [ROOT / "README.md", ROOT / "CHANGELOG.md"]
    for folder in FOLDERS:
        shown += [path for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES]
    shown = [path for path in shown if not {"vendor", "migrations"} & {*path.parts}]
    assert len(shown) > 400
    claims = [
        (path.name, match.group())
        for path in shown
        for match in WITHDRAWN.finditer(" ".join(path.read_text().split()))
    ]
    # Of a rater who comes after a hold has ended, and of a weighted score beside a plain one.
    assert claims == [("FILES.md", "take the place"), ("FILES.md", "takes the place")]
