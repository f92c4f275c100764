"""What each metric says of an explanation with one side empty, with both, and where all are so.

item  generated     reference       St2Exp, StEnt, StEnt-bin   StCoh
a     build, price  build           by hand below              by hand below
d     price         none            0, counted as zero         undefined, skipped
e     none          sound           0, counted as zero         undefined, skipped
f     none          none            undefined, skipped         undefined, skipped
"""

import csv
import json
from io import StringIO
from math import isnan

import pytest
from django.core.management import call_command

from judges.models import Entailment
from judges.models.entailment import as_bytes
from tests import factories, factual
from tests.analysis.reports.factuality.test_report import (
    BACKWARD,
    FORWARD,
    PAGE,
    consistency,
    judged,
    nothing_said,
)
from tests.analysis.small import build
from tests.extracting import extract, saying

pytestmark = pytest.mark.django_db
NLI = "entailments.csv"
VERDICTS = {"a-p1": 1, "a-p2": 0, "a-r1": 1, "d-p1": 1, "e-r1": 1}
# metric: mean, n, skipped, zero. FORWARD has E .9 and .1 (E − C .85 and −.7), BACKWARD .4 and .6
# (.3 and .4) of which the second is the largest of its three. d and e are 0 though the LLM took
# their statements for supported.
EXPECTED = {
    ("LLM", "St2Exp-P"): ((1 / 2 + 0 + 0) / 3, 3, 1, 2),
    ("LLM", "St2Exp-R"): ((1 + 0 + 0) / 3, 3, 1, 2),
    ("LLM", "St2Exp-F1"): ((2 / 3 + 0 + 0) / 3, 3, 1, 2),
    (NLI, "StEnt-P"): (0.5 / 3, 3, 1, 2),
    (NLI, "StEnt-R"): (0.6 / 3, 3, 1, 2),
    (NLI, "StEnt-F1"): (2 * 0.5 * 0.6 / 1.1 / 3, 3, 1, 2),
    (NLI, "StEnt-bin-P"): (0.5 / 3, 3, 1, 2),
    (NLI, "StEnt-bin-R"): (1 / 3, 3, 1, 2),
    (NLI, "StEnt-bin-F1"): (2 / 3 / 3, 3, 1, 2),
    (NLI, "StCoh-P"): (0.075, 1, 3, 0),
    (NLI, "StCoh-R"): (0.4, 1, 3, 0),
    (NLI, "SummaC-ZS"): (0.075, 1, 2, 0),
    (NLI, "AlignScore"): (0.5 / 2, 2, 1, 1),
}


def keep(item, grain, sizes, forward=(), backward=()):
    Entailment.objects.create(
        item=item,
        grain=grain,
        n_generated=sizes[0],
        n_reference=sizes[1],
        forward=as_bytes(list(forward)),
        backward=as_bytes(list(backward)),
    )


@pytest.fixture
def facts(owner):
    """Of sentences and chunks e has none in its text, f on neither side; d was not compared."""
    study = factual.make_study(owner, {key: factual.ITEMS[key] for key in "ade"})
    silent = factories.make_item(study, "f", "r4", "c4", "bad", text="!", data={"domain": "sports"})
    nothing_said(silent)
    judged(study, "LLM", VERDICTS, factual.SUPPORTED)
    items = {item.key: item for item in study.items.all()}
    keep(items["a"], "statement", (2, 1), FORWARD, BACKWARD)
    for grain in ("sentence", "chunk"):
        keep(items["a"], grain, (2, 1), FORWARD)
        keep(items["e"], grain, (0, 1))
        keep(items["f"], grain, (0, 0))
    return study


def sizes(row):
    return tuple(int(row[name]) for name in ("n", "skipped", "zero"))


@pytest.mark.parametrize(("evaluator", "metric"), EXPECTED)
def test_each_metric_by_hand(facts, evaluator, metric):
    mean, *counts = EXPECTED[evaluator, metric]
    row = consistency(build(facts, "factuality"), metric, evaluator=evaluator)
    assert row["value"] == pytest.approx(mean)
    assert sizes(row) == tuple(counts)
    assert row["missing"] == 4 - row["n"] - row["skipped"], "none counts twice"
    assert row["missing"] == (metric in ("SummaC-ZS", "AlignScore"))


def test_where_all_are_skipped_the_reason_is_said(facts):
    facts.items.filter(key__in=["a", "d"]).update(data={"domain": "toys"})
    report = build(facts, "factuality")
    row = consistency(report, "StCoh-P", "sports", evaluator=NLI)
    assert isnan(row["value"])
    assert (sizes(row), row["missing"]) == ((0, 2, 0), 0)
    entry = next(entry for entry in report.entries if entry.row is row)
    assert entry.reason == "every explanation is skipped for an empty side"
    assert consistency(report, "StEnt-P", "sports", evaluator=NLI)["value"] == 0
    none = consistency(report, "StCoh-P", "sports", "good", evaluator=NLI)
    reasons = {entry.reason for entry in report.entries if entry.row is none}
    assert reasons == {"there is no explanation"}
    assert any(note.startswith("Every explanation is skipped for") for note in report.notes)


def test_page_csv_and_json_count_them_alike(facts, as_owner):
    page = as_owner.get(PAGE, {"draws": 0}).content.decode()
    assert "n = 1, 3 skipped" in page
    assert "StCoh is undefined and skipped" in page
    for form in ("csv", "json"):
        out = StringIO()
        call_command(
            "analyse", facts.slug, "factuality", "--draws", "0", "--format", form, stdout=out
        )
        text = out.getvalue()
        rows = json.loads(text)["rows"] if form == "json" else csv.DictReader(StringIO(text))
        found = {
            (row["evaluator"], row["metric"]): row
            for row in rows
            if (row["part"], row["domain"], row["system"]) == ("consistency", "all", "all")
        }
        for which, (_, *counts) in EXPECTED.items():
            assert sizes(found[which]) == tuple(counts), (form, which)


def test_both_texts_empty_are_skipped_as_the_statement_items_say(owner, facts):
    """An extraction asks nobody about an empty text, and so knows that it states nothing."""
    for key, text in (("g", ""), ("h", " \n")):
        factories.make_item(facts, key, f"r-{key}", f"c-{key}", "bad", text=text, review=text)
    before = consistency(build(facts, "factuality"), "St2Exp-P")
    assert (sizes(before), before["missing"]) == ((3, 1, 2), 2), "no judge has looked at them"
    run, _ = extract(facts, saying({}), sides="both", key="reader")
    assert run.extractions.filter(item__key="g", kept=None).count() == 2
    for metric, evaluator in (("St2Exp-P", "LLM"), ("St2Exp-F1", "LLM"), ("StEnt-P", NLI)):
        row = consistency(build(facts, "factuality"), metric, evaluator=evaluator)
        assert (sizes(row), row["missing"]) == ((3, 3, 2), 0)
    only = facts.items.filter(key="g")
    only.update(text="It has a text by now.")
    row = consistency(build(facts, "factuality"), "St2Exp-P")
    assert (sizes(row), row["missing"]) == ((3, 2, 2), 1), "which nobody has read"


def test_metrics_of_features_say_why_they_are_missing(facts):
    report = build(facts, "factuality")
    assert "No FMR, FCR and DIV: no explanation has a feature" in " ".join(report.notes)
    facts.items.filter(key="a").update(feature="cheap")
    facts.items.filter(key__in="def").update(data={"domain": "sports"})
    report = build(facts, "factuality")
    assert "No FMR" not in " ".join(report.notes)
    fmr = consistency(report, "FMR", evaluator="texts")
    assert (fmr["value"], fmr["n"], fmr["missing"]) == (1.0, 1, 3)
    reasons = {
        (e.row["domain"], e.row["system"], e.row["metric"]): e.reason
        for e in report.entries
        if e.row["evaluator"] == "texts"
    }
    assert reasons["all", "all", "FMR"] == reasons["toys", "all", "FCR"] == ""
    assert reasons["toys", "all", "DIV"] == "fewer than two texts"
    assert reasons["sports", "all", "FMR"] == "no text has a feature"
    for metric in ("FCR", "DIV"):
        assert reasons["sports", "all", metric] == "no explanation of the domain has a feature"
    assert reasons["sports", "good", "USR"] == "there is no text"
