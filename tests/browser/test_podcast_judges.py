"""The judges of P3 on real podcasts, from the pages: Chromium, Celery, the small local model."""

import csv

import pytest
from django.urls import reverse

from annotate.models import Study
from judges.endpoints import local_model
from judges.files import load_files
from judges.models import Judgment
from tests.browser.judging import check_frozen, run_judge, sha256, text, watch, working
from tests.small_model import small_model

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PORT = 8161
STUDY = """\
study: jupiter
kind: list_pair
raters_per_item: 1
questions:
  - {key: episode-fit, text: This episode aligns with my interests., scale: likert5,
     applies_to: recommendation}
  - {key: better-list, text: Which list matches your preferences better,
     scale: {choice: [A, tie, B]}, applies_to: list_pair}
"""
PROFILE = (
    "interests: Linux, self-hosting, home servers. format_preference: two hosts who talk shop. "
    "listening_habits: finishes episodes about hardware, skips news."
)
HISTORY = {"self-hosted-1": 0.97, "coder-radio-300": 0.41}
LISTS = {"A": ["self-hosted-40"], "B": ["coder-radio-300"]}
RATINGS = {"A-1": 5, "B-1": 1}
LLM = {
    "Endpoint": f"small ({local_model.ALIAS})",
    "Temperature": "0",
    "Most tokens of a reply": "500",
}
FIT = (
    "A language model: does it fit?",
    {"Question that the verdict answers": "episode-fit: This episode aligns with my interests."},
)
PAIRWISE = (
    "A language model: which of two lists?",
    {
        "Question that the verdict answers": (
            "better-list: Which list matches your preferences better"
        ),
        "Dimensions": "topic",
        "Order of the lists": "Drawn for each pair",
        "Seed": "1",
    },
)
PROFILE_SHOWN = {"About the recipient": "The recipient's profile"}
HISTORY_SHOWN = {"About the recipient": "The recipient's history", "History length": "10"}


def write(path, header, *rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def files_of(folder, shared_data):
    """The study's files: one listener, their history, a profile, a pair of lists, their ratings."""
    with (shared_data / "podcasts" / "contents.csv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    wanted = {*HISTORY, *LISTS["A"], *LISTS["B"]}
    rows = [list(row.values()) for row in table if row["content"] in wanted]
    assert len(rows) == len(wanted)
    parts = [
        (
            f"pair-{side}-{at}",
            "recommendation",
            "r1",
            content,
            f"model-{side}",
            "",
            "pair",
            side,
            at,
        )
        for side, contents in LISTS.items()
        for at, content in enumerate(contents, start=1)
    ]
    header = [
        "item",
        "kind",
        "recipient",
        "content",
        "system",
        "text",
        "parent",
        "side",
        "position",
    ]
    ratings = [
        (f"pair-{place}", "ann", "recipient", "episode-fit", value)
        for place, value in RATINGS.items()
    ]
    (folder / "study.yaml").write_text(STUDY)
    return {
        "contents": write(folder / "contents.csv", list(table[0]), *rows),
        "interactions": write(
            folder / "interactions.csv",
            ["recipient", "content", "share_listened", "at"],
            *(
                ("r1", content, share, f"2025-05-0{day}")
                for day, (content, share) in enumerate(HISTORY.items(), start=1)
            ),
        ),
        "items": write(
            folder / "items.csv",
            header,
            ("profile", "profile", "r1", "", "", PROFILE, "", "", ""),
            ("pair", "list_pair", "r1", "", "", "", "", "", ""),
            *parts,
        ),
        "ratings": write(
            folder / "ratings.csv",
            ["item", "rater", "role", "question", "value"],
            *ratings,
            ("pair", "ann", "recipient", "better-list", "A"),
        ),
    }


@pytest.mark.model
@pytest.mark.shared_data
def test_podcasts_are_judged_on_the_pages_and_the_reports_show_them(
    new_page, owner, as_owner, tmp_path, shared_data
):
    files = files_of(tmp_path, shared_data)
    loading = load_files(tmp_path / "study.yaml", files, owner=owner)
    assert [str(problem) for problem in loading.problems.shown] == []
    study = Study.objects.get()
    with small_model(tmp_path, PORT) as endpoint, working(tmp_path):
        page = new_page(login=owner)
        runs = [
            start(page, study, "LaaJ-Profile", FIT, PROFILE_SHOWN),
            start(page, study, "LaaJ-History", FIT, HISTORY_SHOWN, limit=1),
            start(page, study, "LaaJ-Profile lists", PAIRWISE, PROFILE_SHOWN),
            start(page, study, "LaaJ-History lists", PAIRWISE, HISTORY_SHOWN),
            run_judge(
                page, study, "sBERT-Sim: profile and episode", "sBERT-Sim", **{"Threshold": "0.5"}
            ),
        ]
        for run in runs:
            watch(page, run)
    check_settings(endpoint, *runs)
    check_judgments(*runs)
    check_pages(page, *runs)
    check_reports(as_owner)


def start(page, study, key, method, shown, limit=""):
    kind, fields = method
    return run_judge(page, study, kind, key, limit, **LLM | fields | shown)


def check_settings(endpoint, profile, history, by_profile, by_history, sbert):
    """What each run froze, value by value, from its form and the prompts' files."""
    for run, method, context in (
        (profile, "fit", "profile"),
        (history, "fit", "history"),
        (by_profile, "pairwise", "profile"),
        (by_history, "pairwise", "history"),
    ):
        asked, part = settings(method, context)
        kept = {
            "prompt_text": text(f"{method}.v1"),
            "base_url": endpoint.base_url,
            "unit_usd": "",
            "part_texts": {"context": text(f"parts/{part}")},
            "left_out": left_out(method),
        }
        check_frozen(run, asked, **kept)
    sbert.refresh_from_db()
    frozen = {"kind": "sbert", "threshold": 0.5, "list_rule": "more aligned episodes; equal: tie"}
    assert sbert.frozen | frozen == sbert.frozen
    assert "onnxruntime 1." in sbert.frozen["library"]


def settings(method, context):
    """What makes such a judge the judge it is, and the part that shows its context."""
    part = {"profile": "profile.v1", "history": "listening.v1"}[context]
    found = {
        "kind": "llm",
        "endpoint": "small",
        "model": "smollm2-135m",
        "json_schema": True,
        "prompt": f"{method}.v1",
        "prompt_sha256": sha256(f"{method}.v1"),
        "temperature": 0.0,
        "method": method,
        "max_tokens": 500,
        "longest_text": 1500,
        "context": context,
        "parts": {part: sha256(f"parts/{part}")},
    }
    found |= {"history_length": 10} if context == "history" else {}
    if method == "fit":
        return found | {"question": "episode-fit", "neutral": False}, part
    return found | {
        "question": "better-list",
        "dimensions": ["topic"],
        "order": "shuffled",
        "seed": 1,
        "list_sha256": sha256("parts/list.v1"),
    }, part


def left_out(method):
    """Of four items two are episodes, one is the pair of lists and one the profile."""
    others, question = {"fit": (2, "better-list"), "pairwise": (3, "episode-fit")}[method]
    return {"other_items": others, "other_questions": [question]}


def check_pages(page, *runs):
    """Each run's page shows what is stored; the pair's page all verdicts and what was asked."""
    for run in runs:
        page.goto(run.get_absolute_url())
        latest = page.get_by_role("region", name="Latest judgments").inner_text()
        for judgment in run.judgments.select_related("item", "question"):
            assert judgment.item.key in latest
            value = f"{judgment.value:.3f}".rstrip("0").rstrip(".")
            assert f"{judgment.question.key}: {value}" in latest
            assert in_one_line(judgment.rationale)[:60] in in_one_line(latest)
    page.goto(Study.objects.get().items.get(key="pair").get_absolute_url())
    shown = page.get_by_role("region", name="Judges").inner_text()
    assert all(run.judge.key in shown for run in runs[2:])
    page.locator("summary", has_text="LaaJ-History lists, better-list").click()
    answer = page.locator("details[open]").inner_text()
    assert "<<<HISTORY" in answer and "pairwise.v1" in answer


def in_one_line(words):
    return " ".join(words.split())


def check_judgments(profile, history, by_profile, by_history, sbert):
    for run, count in ((profile, 2), (history, 1)):
        assert run.judgments.count() == count
        assert set(run.judgments.values_list("value", flat=True)) <= {0.0, 1.0}
    for run in (by_profile, by_history):
        judgment = run.judgments.get()
        assert judgment.order in ("AB", "BA")
        assert judgment.value in (1.0, 2.0, 3.0)
    for run in (profile, history, by_profile, by_history):
        assert set(run.judgments.values_list("state", flat=True)) == {"done"}, run.judge
        assert "" not in run.judgments.values_list("rationale", flat=True)
        answered = run.calls.filter(failure="")  # a busy machine may have put off a call
        assert set(answered.values_list("model_returned", flat=True)) == {local_model.ALIAS}
        texts = [call.messages[0]["content"] for call in run.calls.all()]
        assert all(("<<<PROFILE" in text) == (run in (profile, by_profile)) for text in texts)
        assert all(("<<<HISTORY" in text) == (run in (history, by_history)) for text in texts)
        assert not [text for text in texts if "model-A" in text or "model-B" in text]
    # What is judged is not shown as heard before, in a pair as for itself.
    (text,) = {call.messages[0]["content"] for call in by_history.calls.all()}
    assert "97% listened to" in text
    assert "41% listened to" not in text
    assert sbert.judgments.filter(state=Judgment.State.DONE).count() == 3
    cosines = dict(sbert.judgments.values_list("item__key", "value"))
    assert -1 <= cosines["pair-A-1"] != cosines["pair-B-1"] <= 1


def check_reports(client):
    study = Study.objects.get()
    pages = {
        name: client.get(reverse("report", args=[study.slug, name]), query).content.decode()
        for name, query in (
            ("selection", {}),
            ("roc", {"question": "episode-fit"}),
            ("confusion", {"question": "better-list"}),
        )
    }
    for name, page in pages.items():
        assert all(judge in page for judge in ("LaaJ-Profile", "LaaJ-History", "sBERT-Sim")), name
    assert "LaaJ-History lists" in pages["selection"]
    assert "LaaJ-Profile lists" in pages["confusion"]
    item = study.items.get(key="pair")
    page = client.get(item.get_absolute_url()).content.decode()
    assert "lists shown in the order" in page
    assert "above 0.5 (" in page, "what sBERT counted"
