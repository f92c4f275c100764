"""The whole path, by commands and by pages: reviews and explanations in, checked statements out."""

import csv
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.urls import reverse

from analysis.demo.preparing import TABLES
from annotate.models import Item, Rating, Study
from judges.models import Judge, Run, Statement
from judges.runs import drive
from judges.statements.items import current, make
from tests import factories
from tests.analysis.small import build, row_of
from tests.extracting import reply, text_of
from tests.judges.methods.verdicts.test_support import by_words
from tests.scripted_server import ScriptedServer

pytestmark = pytest.mark.django_db
EXAMPLE = Path(settings.BASE_DIR) / "analysis" / "demo" / "factuality"

# What each text says. The check of the script finds a statement where the document has its words.
WARM, SMALL, DRY = (
    ["it is warm", "comfort", "positive"],
    ["it runs small", "fit", "negative"],
    ["it dries fast", "care", "positive"],
)
SAID = {
    "Warm, but it runs small.": [WARM, SMALL],
    "You would enjoy that it is warm.": [WARM],
    "You would enjoy that it dries fast.": [DRY],
    "I love it!": [],
    "A nice one.": [],
}
STUDY = """
study: coats
title: Coats
kind: factuality
raters_per_item: 1
questions:
  - {key: supported, text: "Entailed?", scale: binary, applies_to: [statement]}
judges:
  - {judge: extractor, endpoint: local, method: extraction, topics: clothes}
  - {judge: St2Exp, endpoint: local, method: support}
"""
ITEMS = """item,recipient,content,system,text,review
a1,ann,coat,good,You would enjoy that it is warm.,"Warm, but it runs small."
a2,ann,coat,bad,You would enjoy that it dries fast.,"Warm, but it runs small."
b1,bob,coat,good,You would enjoy that it is warm.,I love it!
b2,bob,coat,bad,A nice one.,I love it!
"""


def model(number, request):
    """Extracts from a text, or checks a statement."""
    if "<<<REVIEW" in request["messages"][0]["content"]:
        return reply(*SAID[text_of(request)])
    return by_words(number, _bare(request))


def _bare(request):
    """The request with the statement without the words around it."""
    text = request["messages"][0]["content"]
    head, _, statement = text.rpartition("<<<STATEMENT\n")
    said = statement.removeprefix("The user appreciates that ").removeprefix(
        "The user dislikes that "
    )
    return {"messages": [{"content": f"{head}<<<STATEMENT\n{said}"}]}


@pytest.fixture
def server():
    with ScriptedServer(model) as running_server:
        factories.make_endpoint(running_server.url, json_schema=False)
        yield running_server


@pytest.fixture
def files(tmp_path):
    (tmp_path / "study.yaml").write_text(STUDY)
    (tmp_path / "items.csv").write_text(ITEMS)
    return tmp_path


def command(*arguments, **options):
    out = StringIO()
    call_command(*map(str, arguments), stdout=out, stderr=out, **options)
    return out.getvalue()


# By hand: a1 says WARM, which the review says; of the review WARM is said, SMALL is not.
# a2 says DRY, which nobody said. b1 has no reference statements, b2 none on either side.
VERDICTS = {
    ("a1", "precision", "1"): 1.0,
    ("a1", "recall", "1"): 1.0,
    ("a1", "recall", "2"): 0.0,
    ("a2", "precision", "1"): 0.0,
    ("a2", "recall", "1"): 0.0,
    ("a2", "recall", "2"): 0.0,
}


def verdicts(study):
    """{(explanation, direction, number of the statement): value}"""
    run = Run.objects.get(judge__study=study, judge__key="St2Exp")
    rows = run.judgments.filter(state="done").values_list("item__data", "value")
    return {
        (data["explanation"], data["direction"], str(number(study, data))): value
        for data, value in rows
    }


def number(study, data):
    """The statement's place in its side, whatever numbers begin with."""
    side = {"precision": "generated", "recall": "reference"}[data["direction"]]
    rows = Statement.objects.filter(item__study=study, item__key=data["explanation"], side=side)
    return list(rows.values_list("number", flat=True)).index(int(data["statement"])) + 1


def test_by_commands(server, files):
    command("load_study", files / "study.yaml", items=files / "items.csv")
    command("run_judge", "coats", "extractor", "--wait", "--yes")
    said = command("make_statement_items", "coats", "--fill-references")
    assert said == (
        "6 new statement items, of 4 items with statements. "
        "1 with no statement on either side: their values are undefined. "
        "1 with none on one side: their precision, recall and F1 are 0. "
        "2 references filled with the ground truth, 2 left as they are.\n"
    )
    truth = "The user appreciates that it is warm. However, the user dislikes that it runs small."
    assert set(
        Item.objects.filter(key__startswith="a", parent=None, kind="explanation").values_list(
            "reference", flat=True
        )
    ) == {truth}
    command("run_judge", "coats", "St2Exp", "--wait", "--yes")
    study = Study.objects.get()
    assert verdicts(study) == VERDICTS
    table = list(csv.DictReader(StringIO(command("export", "coats", "scores"))))
    values = sorted(row["value"] for row in table if row["kind"] == "statement")
    assert len(values) == 6
    assert {row["judge"] for row in table} == {"St2Exp"}, "who extracts judges nothing"


def test_by_pages(server, files, as_owner):
    command("load_study", files / "study.yaml", items=files / "items.csv", owner="owner")
    for name in ("extractor", "St2Exp"):
        judge = Judge.objects.get(key=name)
        if name == "St2Exp":
            page = as_owner.post(reverse("make_statement_items", args=["coats"]), follow=True)
            assert "6 new statement items" in page.content.decode()
        as_owner.post(reverse("judge_run", args=["coats", judge.pk]), {"reuse": "on"})
        drive.work_through(judge.runs.get().pk)
    study = Study.objects.get()
    assert verdicts(study) == VERDICTS
    item = current(study).get(data__explanation="a1", data__direction="precision")
    page = as_owner.get(item.get_absolute_url()).content.decode()
    assert "The user appreciates that it is warm." in page and "St2Exp" in page


# The example of the project


@pytest.fixture
def example(owner):
    factories.make_endpoint(key="local-demo")
    found = {name: EXAMPLE / f"{name}.csv" for name in TABLES}
    found = {name: path for name, path in found.items() if path.exists()}
    command("load_study", EXAMPLE / "study.yaml", owner="owner", **found)
    return Study.objects.get()


def test_the_example_loads_with_its_statements_and_nothing_is_left_to_make(example):
    assert example.items.filter(kind="explanation").count() == 40
    domains = example.items.filter(kind="explanation").values_list("data__domain", flat=True)
    assert {*domains} == {"clothes", "cellphones"}
    assert set(example.systems.values_list("key", flat=True)) == {
        "grounded",
        "inventive",
        "brief",
        "template",
    }
    before = set(current(example).values_list("key", flat=True))
    made = make(example)
    assert (made.new, made.outdated, made.unchanged) == (0, 0, 195)
    assert set(current(example).values_list("key", flat=True)) == before
    assert (made.both_empty, made.one_empty) == (3, 7)


def test_what_is_exported_comes_back_as_it_was_and_nothing_is_new(example, tmp_path):
    for table in ("items", "statements", "ratings"):
        command("export", example.slug, table, "-o", tmp_path / f"{table}.csv")
    before = {item.key: (item.text, item.reference, item.data) for item in current(example)}
    example.delete()
    more = {name: tmp_path / f"{name}.csv" for name in ("items", "statements", "ratings")}
    command("load_study", EXAMPLE / "study.yaml", owner="owner", **more)
    study = Study.objects.get()
    now = {item.key: (item.text, item.reference, item.data) for item in current(study)}
    assert now == before and Rating.objects.count() == 195
    assert (make(study).new, make(study).unchanged) == (0, 195)


def test_the_example_s_systems_differ_as_they_were_written_to(example):
    """By the author's labels: what is made up is found, and so is what is left out."""
    shares = {}
    for data, system, value in Rating.objects.values_list(
        "item__data__direction", "item__system__key", "value"
    ):
        shares.setdefault((system, data), []).append(value)
    mean = {key: sum(values) / len(values) for key, values in shares.items()}
    assert mean["grounded", "precision"] == 1.0
    assert mean["inventive", "precision"] < 0.1 and mean["inventive", "recall"] < 0.1
    assert mean["brief", "precision"] == 1.0 and 0.1 < mean["brief", "recall"] < 0.4
    assert mean["grounded", "recall"] > 0.7


def test_the_example_s_labels_are_rated_answers_of_an_expert(example):
    judge = factories.make_judge(example, "always")
    question = example.questions.get(key="supported")
    factories.make_judgments(judge, {(item, question): 1 for item in current(example)})
    row = row_of(
        build(example, "confusion", reference="expert"), evaluator="always", question="supported"
    )
    ones = Rating.objects.filter(value=1).count()
    assert row["matrix"] == [[0, 195 - ones], [0, ones]]
