"""Runs of prompts that the project no longer has: they end, are shown and exported as before."""

import shutil

import pytest
from django.core.management import CommandError
from django.urls import reverse

from analysis.exports.tables import ROWS
from annotate.models import Item
from judges.prompting import fill
from judges.runs import drive
from judges.runs.plan import PlanError, plan
from judges.runs.reread import reread
from tests.judges.methods.recommend.test_method import FIRST, films, make_recommender, said
from tests.judges.methods.recommend.test_recommender_pages import tell
from tests.judges.methods.recommend.test_wordings import GERMAN, wording
from tests.scripted_server import ScriptedServer

pytestmark = pytest.mark.django_db
__all__ = ["films"]
RETIRED = "recommend-german.v1"


@pytest.fixture
def runs(films, tmp_path, monkeypatch):
    """Two runs, planned while the prompt was there: as another wording, and as the judge's own."""
    folder = shutil.copytree(fill.FOLDER, tmp_path / "prompts")
    (folder / f"{RETIRED}.txt").write_text(GERMAN, encoding="utf-8")
    with ScriptedServer(said(FIRST)) as server:
        with monkeypatch.context() as earlier:
            earlier.setattr(fill, "FOLDER", folder)
            usual = make_recommender(films, server.url)
            german = make_recommender(films, server.url, key="german", prompt=RETIRED)
            planned = [
                plan(usual, trial=wording(RETIRED)),
                plan(german, trial=wording("recommend.v1")),
            ]
        for run in planned:
            drive.work_through(run.pk)
            run.refresh_from_db()
    return planned


def test_they_end_and_are_read_again(runs):
    for run in runs:
        assert run.state == "finished" and RETIRED in str(run.frozen)
        texts = run.recommended_lists.exclude(text="").values_list("text", flat=True)
        assert any(text.startswith("Gegeben ist ein Nutzer. u1 gefallen: ") for text in texts)
        reread(run)
        assert run.recommended_lists.filter(is_parsed=True).count() == len(texts)


def test_each_page_and_file_of_them_opens(films, runs, as_owner):
    pages = [
        reverse(name, args=[films.slug])
        for name in ("study", "judges", "prompts", "runs", "analysis", "export", "study_file")
    ]
    for run in runs:
        pages += [
            reverse(name, args=[films.slug, run.judge_id]) for name in ("judge", "recommender_test")
        ]
        pages += [
            reverse(name, args=[films.slug, run.pk])
            for name in ("run", "run_progress", "run_lists")
        ]
    pages += [
        reverse("export_table", args=[films.slug, table, form])
        for table in ROWS
        for form in ("csv", "jsonl")
    ]
    pages.append(reverse("report", args=[films.slug, "metamorphic"]) + "?draws=20")
    for page in pages:
        answer = as_owner.get(page, follow=True)
        assert answer.status_code == 200, page
        b"".join(answer.streaming_content if answer.streaming else [])  # a file is written here
    shown = as_owner.get(reverse("report", args=[films.slug, "metamorphic"]) + "?draws=20").text
    assert f"Other wording: {RETIRED}" in shown
    exported = as_owner.get(reverse("export_table", args=[films.slug, "lists", "csv"]))
    assert f"wording,prompt={RETIRED}," in b"".join(exported.streaming_content).decode()
    assert not Item.objects.exists()


def test_the_programs_of_researchers_get_them(films, runs, as_owner):
    for name in ("api_runs", "api_lists", "api_judges", "api_judgments"):
        assert as_owner.get(reverse(name, args=[films.slug])).status_code == 200
    for run in runs:
        assert as_owner.get(reverse("api_run", args=[films.slug, run.pk])).status_code == 200


def test_nothing_new_is_asked_with_the_prompt_and_the_message_says_which_there_are(
    films, runs, as_owner
):
    usual, german = (run.judge for run in runs)
    with pytest.raises(PlanError, match=f"found the wording '{RETIRED}'; allowed are"):
        plan(usual, trial=wording(RETIRED))
    words = f"found prompt '{RETIRED}'; there are .*recommend.v1"
    with pytest.raises(PlanError, match=words):
        plan(german, trial=wording("recommend.v1"))
    with pytest.raises(CommandError, match=words):
        tell(films.slug, german.key, "--iterations", 1, "--yes")
    shown = as_owner.get(reverse("recommender_test", args=[films.slug, german.pk])).text
    assert f"found prompt &#x27;{RETIRED}&#x27;; there are" in shown
