"""The grid of P0 on the demo study, from the pages: Chromium, Celery, the small local model."""

from decimal import Decimal

import pytest

from analysis.answers import frame
from annotate.models import Item
from judges.endpoints import local_model
from judges.models import Judge
from tests import factories
from tests.analysis.demo.test_grid import candidates, fits, load_demo
from tests.browser.judging import check_frozen, run_judge, sha256, text, watch, working
from tests.small_model import small_model

pytestmark = [pytest.mark.browser, pytest.mark.model, pytest.mark.django_db(transaction=True)]
PORT, ITEMS = 8139, 2
ASPECTS = ["persuasiveness", "transparency", "accuracy", "satisfaction"]
GRID = [
    (aspects, shots)
    for aspects in ("single", "multiple")
    for shots in ("zero", "one", "personalised")
]
PARTS = {"one": "example.v2", "personalised": "example-personalised.v2"}
LLM = {
    "Endpoint": f"small ({local_model.ALIAS})",
    "Prompt": "explanation.v3",
    "Temperature": "0",
    "Most tokens of a reply": "100",
}
SAMPLES = {
    "Samples": "3",
    "Temperature": "0.8",
    "About the recipient": "The recipient's history",
    "History length": "4",
}


def test_the_grid_is_made_run_and_read_on_the_pages(new_page, tmp_path):
    """Six judges, and one with samples and the recipient's history."""
    owner = factories.make_user("demo")
    study = load_demo(owner)
    with small_model(tmp_path, PORT) as endpoint, working(tmp_path):
        page = new_page(login=owner)
        runs = {cell: start(page, study, *cell) for cell in GRID}
        samples = run_judge(
            page, study, "A language model: the questions", "samples", ITEMS, **LLM | SAMPLES
        )
        for run in [*runs.values(), samples]:
            watch(page, run)
    for cell, run in runs.items():
        check_run(run, endpoint, *cell)
    check_samples(samples, endpoint)
    check_pages(page, study, runs)


def start(page, study, aspects, shots):
    fields = {"Questions": Judge.Aspects(aspects).label, "Example": Judge.Shots(shots).label}
    fields |= LLM | {"Seed": "7"}
    return run_judge(
        page, study, "A language model: the questions", f"{aspects} {shots}", ITEMS, **fields
    )


def settings(aspects, **more):
    return {
        "kind": "llm",
        "endpoint": "small",
        "model": "smollm2-135m",
        "json_schema": True,
        "prompt": "explanation.v3",
        "prompt_sha256": sha256("explanation.v3"),
        "temperature": 0.0,
        "aspects": aspects,
        "rationale": False,
        "max_tokens": 100,
    } | more


def kept(endpoint):
    return {
        "prompt_text": text("explanation.v3"),
        "base_url": endpoint.base_url,
        "unit_usd": "",
        "left_out": {"items_without_text": 0, "questions_without_numbers": []},
    }


def check_run(run, endpoint, aspects, shots):
    """Settings, calls and judgments of one cell of the grid."""
    asked, besides = settings(aspects), kept(endpoint)
    if part := PARTS.get(shots):
        asked |= {"shots": shots, "example_role": "recipient", "seed": 7}
        asked |= {"parts": {part: sha256(f"parts/{part}")}}
        besides |= {"part_texts": {"example": text(f"parts/{part}")}}
    check_frozen(run, asked, **besides)
    rows = set(run.judgments.values_list("item__key", "question__key", "sample", "order"))
    first = Item.objects.order_by("pk").values_list("key", flat=True)[:ITEMS]
    assert rows == {(item, question, 0, "") for item in first for question in ASPECTS}
    values = set(run.judgments.values_list("value", flat=True))
    assert values <= {1.0, 2.0, 3.0, 4.0, 5.0}
    check_calls(run, aspects, shots)


def check_calls(run, aspects, shots):
    """Each call was about one aspect or all, with no example or the one that is allowed."""
    calls = list(run.calls.all())
    assert len(calls) == ITEMS * (len(ASPECTS) if aspects == "single" else 1)
    every = [[name] for name in ASPECTS] if aspects == "single" else [ASPECTS]
    assert sorted(asked_by(call) for call in calls) == sorted(every * ITEMS)
    for call in calls:
        assert (call.model, call.model_returned) == (local_model.ALIAS, local_model.ALIAS)
        assert call.prompt_name == "explanation.v3"
        assert (call.parameters["temperature"], call.parameters["max_tokens"]) == (0.0, 100)
        assert ("<<<EXAMPLE" in sent(call)) == (shots != "zero")
        assert ("this same user's" in sent(call)) == (shots == "personalised")
    whole, answers = candidates()
    materials = list(run.materials.select_related("item", "example"))
    assert len(materials) == (0 if shots == "zero" else ITEMS)
    for one in materials:
        assert one.example.key in whole and fits(one.item.key, one.example.key, shots)
        assert one.ratings == answers[one.example.key]


def sent(call):
    return "".join(message["content"] for message in call.messages)


def asked_by(call):
    """The aspects of a call: those that its prompt describes are those that its schema wants."""
    before = sent(call).split("Reply with one JSON object")[0]
    described = [name for name in ASPECTS if f"- {name}: " in before]
    schema = call.parameters["response_format"]["json_schema"]["schema"]
    # PostgreSQL keeps the order of a list, not that of an object's keys.
    assert set(schema["properties"]) == set(described)
    assert schema["required"] == described
    return described


def check_samples(run, endpoint):
    shown = {"context": "history", "history_length": 4}
    shown |= {"parts": {"history.v1": sha256("parts/history.v1")}}
    asked = settings("multiple", samples=3) | {"temperature": 0.8} | shown
    parts = {"part_texts": {"context": text("parts/history.v1")}}
    check_frozen(run, asked, **kept(endpoint) | parts)
    assert set(run.judgments.values_list("sample", flat=True)) == {0, 1, 2}
    assert run.judgments.count() == 3 * len(ASPECTS) * ITEMS
    assert all("<<<HISTORY" in sent(call) for call in run.calls.all())
    answers = frame.read_answers(run.judge.study).select_source("judge")
    assert len(answers[answers["judge"] == "samples"]) == len(ASPECTS) * ITEMS


def check_pages(page, study, runs):
    """The page of a run and that of an item show the values that are stored."""
    for (_, shots), run in runs.items():
        page.goto(run.get_absolute_url())
        facts = page.locator("dl.facts").last.inner_text()
        assert f"{local_model.ALIAS} at small" in facts
        assert ("Example rated by" in facts) == (shots != "zero")
        latest = page.get_by_role("region", name="Latest judgments").inner_text()
        for judgment in run.judgments.select_related("item", "question"):
            assert judgment.item.key in latest
            assert f"{judgment.question.key}: {judgment.value:.0f}" in latest
    item = study.items.order_by("pk").first()
    page.goto(item.get_absolute_url())
    for (aspects, shots), run in runs.items():
        cells = page.get_by_role("row", name=f"{aspects} {shots} {run.pk}").get_by_role("cell")
        found = cells.all_inner_texts()[2:]
        values = dict(run.judgments.filter(item=item).values_list("question__key", "value"))
        assert [Decimal(cell) for cell in found] == [values[name] for name in ASPECTS]
    page.get_by_text("single one, accuracy: what was asked and answered").click()
    answer = page.locator("details[open]")
    assert "<<<EXAMPLE" in answer.inner_text() and "explanation.v3" in answer.inner_text()
