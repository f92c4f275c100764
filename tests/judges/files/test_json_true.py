"""JSON's true and false are answers to a question of no and yes, or labels that say so."""

import json

import pytest

from analysis.answers.categories import category
from annotate.models import Rating
from judges.models import Judgment
from tests.files import ITEMS, check, load, messages

pytestmark = pytest.mark.django_db


def lines(**row):
    return json.dumps(row) + "\n"


def rating(question, value):
    return lines(item="e1", rater="ann", question=question, value=value)


def judgment(value, **more):
    return lines(item="e1", judge="BLEU", value=value, **more)


@pytest.mark.parametrize("value", [True, False])
def test_a_binary_question_takes_them(tmp_path, value):
    items = "".join(lines(item=item, text="x") for item in ("e1", "e2"))
    files = {"items": items, "ratings": rating("fits", value)}
    files["judgments"] = judgment(value, question="fits")
    assert messages(load(tmp_path, suffix=".jsonl", **files)) == []
    stored = [Rating.objects.get().value, Judgment.objects.get().value]
    assert stored == [value, value]
    assert {type(number) for number in stored} == {float}
    assert not load(tmp_path, suffix=".jsonl", **files).changes
    other = check(tmp_path, suffix=".jsonl", ratings=rating("fits", not value))
    assert f"but this rating is {value:d} already" in messages(other)[0]


REFUSED = {
    "a text": ("items", lines(item="e1", text=True), 1, "text"),
    "an id": ("items", lines(item=True, text="x"), 1, "item"),
    "a place": ("items", lines(item="e1", text="x", position=False), 1, "position"),
    "of a likert question": ("ratings", rating("persuasiveness", True), 1, "value"),
    "of a text question": ("ratings", rating("why", False), 1, "value"),
    "beside 1": ("ratings", rating("fits", "1") + rating("persuasiveness", True), 2, "value"),
    "a rater": ("ratings", lines(item="e1", rater=True, question="fits", value=1), 1, "rater"),
    "a judgment": ("judgments", judgment(True, question="persuasiveness"), 1, "value"),
    "of all questions": ("judgments", judgment(False), 1, "value"),
    "weighted": ("judgments", judgment(1, question="fits", weighted_value=True), 1, "weighted"),
    "a cost": ("judgments", judgment(1, question="fits", cost_usd=True), 1, "cost_usd"),
}


@pytest.mark.parametrize("table, text, line, column", REFUSED.values(), ids=REFUSED)
def test_all_else_refuses_them(tmp_path, table, text, line, column):
    load(tmp_path, items=ITEMS)
    refused = messages(load(tmp_path, suffix=".jsonl", **{table: text}))
    start = f"{table}.jsonl, line {line}, column {column}"
    assert refused[0].startswith(start)
    assert f"found {'true' if 'true' in text else 'false'}" in refused[0].replace("'", "")


@pytest.mark.parametrize("labels", ["['true', 'false']", "[a, b]"])
def test_a_label_of_a_choice_is_meant_where_it_says_so(tmp_path, labels):
    """In tables, gold and practice alike."""
    study = f"study: s\nquestions: [{{key: q, text: Q, scale: {{choice: {labels}}}}}]\n"
    right = "gold: [{item: g, answers: {q: false}}]\npractice: [{item: p, answers: {q: true}}]\n"
    files = {"items": "".join(lines(item=item, text="x") for item in ("e1", "g", "p"))}
    files |= {"ratings": rating("q", True), "judgments": judgment(False, question="q")}
    of_tables = messages(load(tmp_path, study=study, suffix=".jsonl", **files))
    of_study = messages(load(tmp_path, study=study + right, suffix=".jsonl", items=files["items"]))
    if labels == "[a, b]":
        assert len(of_tables) == 2 and len(of_study) == 1
        assert all("without quotation marks" in said for said in of_tables + of_study)
        return
    assert of_tables == of_study == []
    stored = [Rating.objects.get().value, Judgment.objects.get().value]
    assert stored == [1, 2]


def test_a_further_column_keeps_them(tmp_path):
    items = lines(item="e1", text="x", flag=True)
    assert messages(load(tmp_path, suffix=".jsonl", items=items)) == []
    # A report filters it as in the CSV copy of the study.
    assert list(category([True, None, False]).categories) == ["true", "", "false"]
