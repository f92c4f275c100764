"""The report in one file: everything in it, nothing from outside, nothing hostile run."""

import re
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from analysis.reports.registry import KINDS
from analysis.serving.report_file import SCRIPTS, STATIC, STYLES
from annotate.models import Content, Rating
from tests import factories, recommended
from tests.analysis.small import build as build_report
from tests.analysis.small import make_rated_study, row_of

pytestmark = pytest.mark.django_db
ADDRESS = "/studies/films/analysis/report.html"


@pytest.fixture
def rated(owner):
    return make_rated_study(owner)


def words(html):
    """The text without the styles, the scripts and the tags."""
    html = re.sub(r"<(style|script)\b.*?</\1>", "", html, flags=re.S)
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def test_every_report_stands_in_the_file(rated, as_owner):
    response = as_owner.get(ADDRESS, {"draws": 50})
    assert response["Content-Disposition"] == 'attachment; filename="films-report.html"'
    assert response["X-Content-Type-Options"] == "nosniff"
    html = response.getvalue().decode()
    assert html.startswith("<!doctype html>") and html.endswith("</html>\n")
    for kind in KINDS:  # planning is no result, and takes long
        assert (f'<section id="{kind.name}">' in html) == (kind.name != "plan")
    text = words(html)
    assert "50 cluster-bootstrap draws" in text and "Zhang, X., Li, Y." in text
    for column in ("missing_reason", "answered_at", "Question: "):
        assert column in text
    ids = re.findall(r'<script id="(figure-[^"]+)"', html)
    assert len(ids) > len(KINDS) and len(set(ids)) == len(ids)


def test_the_numbers_are_those_of_the_reports(rated, tmp_path):
    path = tmp_path / "report.html"
    out = StringIO()
    call_command("report", "films", "-o", path, "--draws", "0", stdout=out)
    assert str(path) in out.getvalue()
    row = row_of(
        build_report(rated, "correlation"),
        evaluator="close",
        question="accuracy",
        level="dataset",
        coefficient="pearson",
    )
    html = path.read_text()
    cells = re.findall(r'<th scope="row">close</th>(.*?)</tr>', html, re.S)
    assert any(f"{row['value']:.2f}".replace("0.", ".") in cell for cell in cells)


def test_options_are_followed_and_wrong_ones_named(rated, as_owner, tmp_path):
    html = as_owner.get(ADDRESS, {"draws": 0, "exclude": "system=system-1"}).getvalue().decode()
    assert "Items with system = system-1 were left out." in words(html)
    assert as_owner.get(ADDRESS, {"draws": "many"}).status_code == 400
    with pytest.raises(CommandError, match="draws"):
        call_command("report", "films", "-o", tmp_path / "x.html", "--draws", "many")


def test_strangers_find_nothing(rated, as_stranger, client):
    assert as_stranger.get(ADDRESS).status_code == 404
    assert client.get(ADDRESS).status_code == 302


@pytest.mark.parametrize("items", [0, 2])
def test_without_ratings_it_has_what_needs_none(owner, as_owner, tmp_path, items):
    study = factories.make_study(owner=owner, items=items)
    recommended.make_lists(recommended.make_recommender(study), recommended.known_table())
    call_command("report", "films", "-o", tmp_path / "x.html", "--draws", "20", stdout=StringIO())
    html = (tmp_path / "x.html").read_text()
    assert re.findall(r'<section id="(\w+)">', html) == [
        "summary",
        "methods",
        "metamorphic",
        "codebook",
    ]
    text = words(html)
    gap = "No rating counts yet." if items else "No items are loaded."
    assert f"{gap} This file has the reports that need none." in text
    assert "Table 4." in text and "1. Film v 2. Film w" in text and "Khirbat" in text
    assert "0 raters" not in text and "The reference is" not in text
    assert as_owner.get(ADDRESS, {"draws": 20}).getvalue().decode().endswith("</html>\n")
    index = as_owner.get("/studies/films/analysis/").content.decode()
    assert ADDRESS in index and "/analysis/robustness/" in index


def test_lists_do_not_hide_a_reference_that_nobody_has(rated, tmp_path):
    recommended.make_lists(recommended.make_recommender(rated), recommended.known_table())
    with pytest.raises(CommandError, match="Nobody with the role expert has rated"):
        call_command("report", "films", "-o", tmp_path / "x.html", "--reference", "expert")


def test_without_ratings_it_says_what_is_missing(rated, as_owner, tmp_path):
    Rating.objects.all().delete()
    response = as_owner.get(ADDRESS, follow=True)
    assert "There is nothing to report yet. No rating counts yet." in response.content.decode()
    with pytest.raises(CommandError, match="No rating counts yet"):
        call_command("report", "films", "-o", tmp_path / "x.html")
    assert list(tmp_path.iterdir()) == []


def test_what_strangers_typed_is_text(owner, as_owner):
    study = make_rated_study(owner)
    study.title = study.notice = "</title></style></script><script>alert(1)</script>"
    study.save()
    factories.make_question(study, "words", {"choice": ["</script><b>x", "no"]})
    Content.objects.update(title="<img src=x onerror=alert(1)>")
    html = as_owner.get(ADDRESS, {"draws": 0}).getvalue().decode()
    assert "<script>alert(1)" not in html and "<img src=x" not in html and "<b>x" not in html


def test_our_own_files_end_no_element():
    """They stand inside style and script elements, which these words would end."""
    for name in (*STYLES, *SCRIPTS):
        text = (STATIC / name).read_text().lower()
        assert "</style" not in text and "</script" not in text and "<!--" not in text, name
