"""Texts of any language in an English prompt: sent to the letter, judged, shown and exported."""

import csv
import io
import json

import pytest
from django.core.management import call_command

from annotate.models import Content
from judges.models import Run
from judges.pages import judge_preview
from judges.runs import drive
from judges.runs.plan import plan
from tests import factories
from tests.scripted_server import ScriptedServer, chat

pytestmark = pytest.mark.django_db
TEXTS = {
    "Chinese": "因为你喜欢《2001太空漫游》，推荐这部节奏缓慢的电影。",
    "Arabic": "لأنك تحب الأفلام البطيئة، نقترح عليك هذا الفيلم: «الأرض».",
    "Hindi": "क्योंकि आपको धीमी फ़िल्में पसंद हैं।",
    "Russian": "Потому что вам нравятся медленные фильмы.",
    "Japanese": "ゆっくりした映画がお好きなので、この作品をおすすめします。",
    "Thai": "เพราะคุณชอบหนังที่เดินเรื่องช้า",
    "Korean, decomposed": "느린 영화를 좋아하셔서",  # letters that stand apart
    "Persian with joiners": "می‌خواهید فیلم آرام ببینید",
    "emoji": "👩‍🚀🎬 2001!",
}
WHY = "解释与用户的兴趣一致。"
LABELS = ["完全不同意", "不同意", "中立", "同意", "完全同意"]
SCALE = {"min": 1, "max": 5, "labels": LABELS}


def reply(_number, _request):
    return chat(json.dumps({"rationale": WHY, "accuracy": 4}, ensure_ascii=False))


@pytest.fixture
def run(owner):
    """Items of nine languages about Chinese contents, judged on a Chinese question."""
    study = factories.make_study(owner=owner, questions={})
    factories.make_question(study, "accuracy", SCALE, text="这个解释符合我的兴趣。")
    for name, text in TEXTS.items():
        factories.make_item(study, name, text=text)
    Content.objects.update(title="黄土地 (1984)")
    with ScriptedServer(reply) as server:
        judge = factories.make_judge(
            study,
            "judge",
            factories.make_endpoint(server.url, price_in=1, price_out=2),
            rationale=True,
            prompt="explanation.v2",
        )
        run = plan(judge)
        drive.work_through(run.pk)
        run.sent = {request["messages"][0]["content"] for request in server.requests}
    return run


def test_the_words_around_the_text_are_english_and_the_text_is_sent_to_the_letter(run):
    for text in TEXTS.values():
        (sent,) = [prompt for prompt in run.sent if f"<<<EXPLANATION\n{text}\n" in prompt]
        assert sent.startswith("Consider that you are a user of a recommendation platform.")
        assert "Recommended: 黄土地 (1984)" in sent
        assert "- accuracy: 这个解释符合我的兴趣。" in sent
        assert "where 1 indicates 完全不同意 and 5 indicates 完全同意." in sent
        assert "\\u" not in sent, "characters, not their numbers"


def test_each_has_its_value_and_its_rationale(run):
    assert Run.objects.get(pk=run.pk).state == Run.State.FINISHED
    found = run.judgments.values_list("item__key", "state", "value", "rationale")
    assert {row[0]: row[1:] for row in found} == dict.fromkeys(TEXTS, ("done", 4.0, WHY))


def test_the_preview_counts_a_character_of_another_script_as_a_token(run):
    preview = judge_preview.preview(run.judge, "Chinese")
    assert TEXTS["Chinese"] in preview.calls[0][1][0]["content"]
    assert judge_preview.estimated_tokens("a" * 40) == 10
    assert judge_preview.estimated_tokens("电影" * 20) == 40


def test_the_pages_and_the_exports_show_them(run, as_owner):
    page = as_owner.get(run.get_absolute_url()).content.decode()
    assert WHY in page and TEXTS["Hindi"] in page
    item = run.judge.study.items.get(key="Arabic")
    page = as_owner.get(item.get_absolute_url()).content.decode()
    assert page.count(TEXTS["Arabic"]) == 2, "the item's, and the one in the prompt"
    out = io.StringIO()
    call_command("export", run.judge.study.slug, "judgments", stdout=out)
    rows = list(csv.DictReader(io.StringIO(out.getvalue())))
    assert {row["rationale"] for row in rows} == {WHY}
