"""Only the verdict says that a judge may stand in for people, with the evidence beside it."""

import re
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(settings.BASE_DIR)
WITHDRAWN = re.compile(
    r"takes? (?:the|a rater.s|people.s) place|may stand in (?:for|as|a rater)|best judge\b"
    r"|may replace|judges? (?:may|can) (?:take|replace|stand in)"
    r"|may take (?:a rater|people|raters|over|part)",
    re.I,
)
FOLDERS = ("annotate", "analysis", "judges", "templates", "docs", "static", "locale", "docker")
SUFFIXES = {".py", ".html", ".md", ".js", ".txt", ".yaml", ".po"}
# Where the verdict is reached, and Results, which says it first and names its limits.
VERDICT = (
    "analysis/reports/verdict",
    "analysis/reports/how_many",
    "analysis/results",
    "analysis/stats/validation",
)
UNRELATED = [
    ("annotate/flow/own_answers.py", "takes the place"),  # repeat_share, of repeats
    ("annotate/recruitment/forms.py", "take the place"),  # as in FILES.md
    ("annotate/recruitment/more_raters.py", "take the place"),  # raters, of new places
    ("annotate/studies/forms_checks.py", "takes the place"),  # repeat_share, of repeats
    ("docs/FILES.md", "take the place"),  # whoever comes once a kept place is free for all
    ("docs/FILES.md", "takes the place"),  # a weighted score, never of the plain one
    ("judges/prompting/own.py", "judge may take"),  # a title for an instruction
    ("templates/analysis/plan.html", "judge may stand in"),  # "only where enough ratings show it"
    ("templates/annotate/more_ratings.html", "judge may stand in"),  # whether it may, by ratings
]


def withdrawn_in(text):
    """Return the withdrawn words of a text, also where they go on in the next line or literal."""
    whole = re.sub(r'"\s*\n\s*f?"', "", text)
    return [match.group() for match in WITHDRAWN.finditer(" ".join(whole.split()))]


def test_nothing_says_that_a_judge_may_replace_people():
    shown = [ROOT / "README.md", ROOT / "CHANGELOG.md"]
    for folder in FOLDERS:
        shown += [path for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES]
    shown = [path for path in shown if not {"vendor", "migrations"} & {*path.parts}]
    names = {path.name for path in shown}
    assert len(shown) > 500 and {"django.po", "REPORTS.md", "kept_places.py"} <= names
    claims = [
        (str(path.relative_to(ROOT)), words)
        for path in shown
        for words in withdrawn_in(path.read_text())
        if not path.relative_to(ROOT).as_posix().startswith(VERDICT)
    ]
    assert sorted(claims) == UNRELATED


@pytest.mark.parametrize(
    "text",
    [
        "It may stand in as a rater.",
        "It may stand in for people.",
        "the best judge of all",
        "Best judge: gpt",
        "It may replace\n    raters.",
        '"The judge may "\n    "take their place."',
        'msgid ""\n"A judge can "\n"replace people."',
        "It may take over.",
        "It takes a rater’s place.",
    ],
)
def test_such_a_claim_is_noticed(text):
    assert len(withdrawn_in(text)) == 1


@pytest.mark.parametrize(
    "text",
    ["What may stand in it", "`best_judge`", "It may take three lines.", "may stand in a mean"],
)
def test_other_words_are_not(text):
    assert withdrawn_in(text) == []
