"""Reports of some items only, and once for each value of a column."""

import json
import re
from html import unescape
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from analysis.reports.registry import REPORTS
from annotate.models import Item
from tests import factories
from tests.analysis.small import build, make_rated_study

pytestmark = pytest.mark.django_db
PAGE = "/studies/films/analysis/"


@pytest.fixture(autouse=True)
def rated(owner):
    return make_rated_study(owner)


def analyse(*arguments):
    out = StringIO()
    call_command("analyse", "films", *arguments, "--draws", "0", "--format", "json", stdout=out)
    return json.loads(out.getvalue())


@pytest.mark.parametrize("report", REPORTS)
def test_each_group_has_the_rows_of_its_items_alone(report):
    by = analyse(report, "--by", "system")
    assert by["options"]["by"] == "system"
    for system in ("system-0", "system-1", "system-2"):
        rest = [
            arg
            for one in {"system-0", "system-1", "system-2"} - {system}
            for arg in ("--exclude", f"system={one}")
        ]
        alone = analyse(report, *rest)["rows"]
        group = [row for row in by["rows"] if row["by"] == f"system={system}"]
        assert [list(row)[0] for row in group] == ["by"] * len(group)
        assert [{k: v for k, v in row.items() if k != "by"} for row in group] == alone


def test_only_is_the_same_as_leaving_out_the_others(rated):
    only = build(rated, "correlation", only=["genre=drama"])
    assert only.rows == build(rated, "correlation", exclude=["genre=comedy"]).rows
    assert "Only the 12 items with genre=drama." in only.notes


def test_the_page_shows_each_group_with_its_figure(as_owner):
    html = as_owner.get(f"{PAGE}roc/", {"by": "genre", "draws": 0}).content.decode()
    assert "<h2>genre=comedy</h2>" in html and "<h2>genre=drama</h2>" in html
    assert 'id="figure-roc"' in html and 'id="figure-roc-1"' in html
    rows = as_owner.get(f"{PAGE}roc/rows.csv", {"by": "genre", "draws": 0}).content.decode()
    assert rows.startswith("by,evaluator,")


def test_a_column_of_many_values_has_all_groups_in_its_rows_and_20_on_a_page(rated, as_owner):
    """As P0's 39 recipients."""
    for at in range(39):
        factories.make_item(rated, f"more-{at}", f"p{at:02}", f"film-{at}", "system-0")
    people = rated.recipients.exclude(key__startswith="p").count()
    asked = {"by": "recipient", "draws": 0}
    first = as_owner.get(f"{PAGE}raters/", asked)
    every = 39 + people
    assert len(first.context["report"].groups) == every
    assert len(first.context["groups"]) == 20
    text = first.content.decode()
    assert f"Groups 1 to 20 of {every}" in text and "&amp;group_page=2" in text
    last = as_owner.get(f"{PAGE}raters/", asked | {"group_page": 99})
    assert len(last.context["groups"]) == every % 20
    labels = [label for label, *_ in last.context["groups"]]
    assert not {*labels} & {label for label, *_ in first.context["groups"]}
    rows = as_owner.get(f"{PAGE}raters/rows.json", asked).json()["rows"]
    assert first.context["report"].as_dict()["rows"] == rows


def test_the_verdict_has_a_second_page_of_groups(rated, as_owner):
    """Its option "Groups of items" is another name than the number of this page."""
    for number in range(20):
        factories.make_item(rated, f"more-{number}", f"p{number:02}", "film-0", "system-0")
    first = as_owner.get(f"{PAGE}verdict/", {"by": "recipient"})
    (address,) = re.findall(r'href="([^"]*)">Next<', first.content.decode())
    second = as_owner.get(f"{PAGE}verdict/{unescape(address)}")
    assert second.status_code == 200
    assert second.context["group_page"].start_index() == 21


def test_more_values_than_200_are_no_groups(rated, as_owner):
    Item.objects.bulk_create(
        Item(study=rated, key=f"more-{n}", kind=Item.Kind.EXPLANATION, data={"lot": str(n % 201)})
        for n in range(210)
    )
    page = as_owner.get(f"{PAGE}raters/", {"by": "lot", "draws": 0})
    assert page.status_code == 400
    Item.objects.filter(key__in=["more-199", "more-200"]).delete()
    assert as_owner.get(f"{PAGE}raters/", {"by": "lot", "draws": 0}).status_code == 200


def test_columns_that_are_different_for_every_item_are_no_groups(rated, as_owner):
    for number, item in enumerate(rated.items.all()):
        item.data = {"genre": item.data["genre"], "number": str(number)}
        item.save()
    page = as_owner.get(f"{PAGE}roc/", {"draws": 0})
    offered = [name for name, _ in page.context["form"].fields["by"].choices]
    assert {"genre", "system"} < {*offered} and not {"item", "number"} & {*offered}
    with pytest.raises(CommandError, match="by: Select a valid choice. item is not"):
        analyse("roc", "--by", "item")


def test_what_cannot_be_grouped_by_is_refused(as_owner):
    page = as_owner.get(f"{PAGE}roc/", {"by": "colour"})
    assert page.status_code == 400 and "Select a valid choice" in page.content.decode()
    with pytest.raises(CommandError, match="by: Select a valid choice"):
        analyse("roc", "--by", "colour")
    with pytest.raises(CommandError, match="No item has genre=noir"):
        analyse("roc", "--only", "genre=noir")


def test_an_item_column_with_html_stays_text(rated, as_owner):
    for item in rated.items.all()[:12]:
        item.data = {"genre": "<b>bold</b>"}
        item.save()
    html = as_owner.get(f"{PAGE}correlation/", {"by": "genre", "draws": 0}).content.decode()
    assert "<b>bold" not in html and "genre=&lt;b&gt;bold" in html
