"""Every report of studies at the edge: numbers or a stated reason, the same wherever they leave."""

import csv
import json
import random
import re
from io import StringIO
from math import isfinite, isnan

import numpy as np
import pytest
from django.core.cache import cache, caches
from django.core.management import call_command

from analysis.options.form import OptionsForm, query
from analysis.reports.registry import EVERY_OPTION, REPORTS
from analysis.serving.source import Source, whole_report_of
from analysis.serving.summaries import cards
from tests.analysis.reports.edge_studies import EDGES
from tests.analysis.reports.test_many_judges import NO_WORDS, without_scripts

pytestmark = pytest.mark.django_db
# Whose reports are asked for as page, by the API, by the command and as files: one study in five.
SHOWN = random.Random(1).sample(sorted(EDGES), round(len(EDGES) / 5))
FIGURES = re.compile(r'<script id="figure-[^"]*" type="application/json">(.*?)</script>', re.S)
# What a row is about; a row without any of these needs a reason.
MEASURED = (
    "value",
    "auc",
    "average_precision",
    "estimate",
    "msa",
    "rsm",
    "rsm_precision",
    "difference",
    "advantage_probability",
    "winning_rate",
    "agreement",
    "cost",
    "r",
    "alpha",
    "distance",
    "people",
    "percent",
    "in_sample",
    "share",
    "spread",
)
# What every report says, of whatever it has.
USUAL = (
    "Reference:",
    "Items without a reference",
    "Missing judgments",
    "Intervals",
    "No intervals",
)


@pytest.fixture(autouse=True)
def _nothing_kept():
    cache.clear()  # calls of other tests count for no limit
    caches["reports"].clear()


def strict(text):
    """JSON as its standard has it: without NaN and infinity."""

    def refuse(word):
        raise AssertionError(f"{word} is no JSON")

    return json.loads(text, parse_constant=refuse)


def command(report):
    out = StringIO()
    call_command("analyse", "edge", report, draws=20, format="json", stdout=out)
    return strict(out.getvalue())


def api(client, report):
    response = client.get(f"/api/v1/studies/edge/reports/{report}/", {"draws": 20})
    assert response.status_code == 200, (report, response.content[:500])
    return strict(response.content)


def page(client, report):
    """(rows of the page, None where it has none; its address's query)."""
    asked = {"draws": 20}
    response = client.get(f"/studies/edge/analysis/{report}/", asked)
    if response.status_code == 302:
        return None, ""  # another report's page stands in its place
    assert response.status_code == 200, report
    text = response.content.decode()
    assert NO_WORDS.findall(without_scripts(text)) == [], report
    for figure in FIGURES.findall(text):
        strict(figure)
    if "report" not in response.context:
        return None, ""  # the page says what is missing instead
    return response.context["report"].as_dict()["rows"], response.context["query"]


def file(client, report, form, query):
    response = client.get(f"/studies/edge/analysis/{report}/rows.{form}?{query}")
    assert response.status_code == 200, report
    return response.content.decode()


def silent(report):
    """Rows that have no number and give no reason."""
    for entry in report.entries:
        found = [entry.row[name] for name in MEASURED if name in entry.row]
        known = any(isinstance(one, int | float) and isfinite(one) for one in found)
        known |= entry.row.get("kind") == "texts"  # they are counted only
        if found and not known and not (entry.reason or entry.row.get("why")):
            yield entry.row


def ends(row):
    """(low, high) of each interval of a row, also of the cells of a table."""
    for name in row:
        if name == "low" or name.endswith("_low"):
            pair = row[name], row[name.removesuffix("low") + "high"]
            yield from zip(*(np.ravel(np.array(side, dtype=float)) for side in pair), strict=True)


def of_no_width(report):
    """Rows with an interval that is one point, upside down, or has one end only."""
    for entry in report.entries:
        found = list(ends(entry.row))
        if not all(low < high or isnan(low) and isnan(high) for low, high in found):
            yield entry.row


def unsaid(source, options, name):
    """What a report does not say, or says wrongly: rows without number and reason, or with an
    interval that is none; itself, where it says nothing.
    """
    report = whole_report_of(source, options, REPORTS[name])
    said = [note for note in [*report.verdict, *report.notes] if not note.startswith(USUAL)]
    return [
        *silent(report),
        *of_no_width(report),
        *([] if report.rows or said else [f"{name}: no row and no reason"]),
    ]


def options_of(source):
    """Return {name of a report: its options, of few draws} as a function."""
    form = OptionsForm(query({"draws": 20}), source.choices, EVERY_OPTION)
    assert form.is_valid(), form.errors
    return lambda name: form.options(REPORTS[name].options)


def as_cells(row):
    """The numbers of a row as a CSV file has them."""
    numbers = {name: one for name, one in row.items() if isinstance(one, int | float | None)}
    return {name: "" if one is None else str(one) for name, one in numbers.items()}


@pytest.mark.parametrize("edge", EDGES)
def test_every_report_gives_numbers_or_reasons(edge, owner):
    source = Source(EDGES[edge](owner))
    options = options_of(source)
    assert [fault for name in REPORTS for fault in unsaid(source, options(name), name)] == []


@pytest.mark.parametrize("edge", SHOWN)
def test_every_report_is_the_same_everywhere(edge, owner, as_owner):
    source = Source(EDGES[edge](owner))
    options = options_of(source)
    for name, kind in REPORTS.items():
        whole = api(as_owner, name)
        computed = whole_report_of(source, options(name), kind).as_dict()["rows"]
        assert strict(json.dumps(computed)) == whole["rows"], name
        assert command(name) == whole, name
        rows, asked = page(as_owner, name)
        if rows is None:
            continue
        assert [row for row in rows if row not in whole["rows"]] == [], name
        assert strict(file(as_owner, name, "json", asked))["rows"] == rows, name
        lines = list(csv.DictReader(StringIO(file(as_owner, name, "csv", asked))))
        for line, row in zip(lines, rows, strict=True):
            assert as_cells(row).items() <= line.items(), name


@pytest.mark.parametrize("edge", EDGES)
def test_the_index_of_reports_has_a_headline_or_a_reason_each(edge, owner):
    for name, card in cards(Source(EDGES[edge](owner))).items():
        assert bool(card.finding) != bool(card.missing), name
        assert NO_WORDS.findall(f">{card.finding}{card.missing}<") == [], name


@pytest.mark.parametrize("edge", SHOWN)
def test_the_index_of_reports_can_be_read(edge, owner, as_owner):
    EDGES[edge](owner)
    response = as_owner.get("/studies/edge/analysis/headlines/")
    assert response.status_code == 200
    assert NO_WORDS.findall(without_scripts(response.content.decode())) == []
