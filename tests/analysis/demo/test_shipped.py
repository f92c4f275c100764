"""HANNA's published values as they are shipped, and their load by a worker."""

import csv
import gzip
import io
import time
from collections import Counter, defaultdict

import pytest
import yaml

from analysis.demo import preparing, shipped
from analysis.reports.verdict.candidates import JUDGE
from analysis.reports.verdict.sentences import RATE
from annotate.models import Item, Rating, Study
from judges.models import Judgment, Upload
from judges.uploads import uploads
from tests import factories
from tests.analysis.small import build

FOLDER = shipped.FOLDER
LLMS = ("Beluga", "Llama", "Mistral", "ChatGPT")


def content(table):
    return gzip.decompress((FOLDER / f"{table}.csv.gz").read_bytes())


def rows(text):
    return list(csv.DictReader(io.StringIO(text.decode())))


@pytest.fixture
def sent(monkeypatch):
    """Messages for workers, kept instead of sent."""
    messages = []
    monkeypatch.setattr(shipped, "send", lambda task, pk: messages.append((task, pk)))
    return messages


@pytest.fixture
def demo(db, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    return factories.make_user(preparing.USERNAME)


@pytest.mark.parametrize("table", ["ratings", "judgments"])
def test_every_published_value_is_shipped(shared_data, table):
    assert content(table) == (shared_data / "hanna" / f"{table}.csv").read_bytes()


def test_every_item_is_shipped_without_its_text(shared_data):
    named = [(row["item"], row["content"], row["system"]) for row in rows(content("items"))]
    published = rows((shared_data / "hanna" / "items.csv").read_bytes())
    assert named == [(row["item"], row["content"], row["system"]) for row in published]
    assert {row["text"] for row in rows(content("items"))} == {
        "(The text of this story is not shipped.)"
    }


def test_the_files_are_small_and_say_whose_they_are():
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 600_000
    assert "MIT License" in (FOLDER / "LICENSE").read_text()
    study = yaml.safe_load((FOLDER / "study.yaml").read_text(encoding="utf-8"))
    assert study["title"] == shipped.TITLE and study["study"] == shipped.SLUG
    for words in ("Chhun", "MIT", "not shipped"):
        assert words in study["notice"]


def test_the_start_only_queues_the_load(demo, sent):
    began = time.process_time()
    upload = shipped.queue(demo)
    assert time.process_time() - began < 2
    assert sent == [("judges.tasks.load_upload", upload.pk)]
    assert not Study.objects.filter(slug="hanna").exists()
    progress = uploads.Progress(upload)
    assert progress.total == 1056 + 19_008 + 106_656
    assert shipped.queue(demo) == upload, "a second start goes on with the same load"
    assert len(sent) == 2 and Upload.objects.count() == 1


def test_a_load_that_failed_is_begun_anew_and_a_file_of_somebody_else_stays(demo, sent):
    failed = shipped.queue(demo)
    Upload.objects.update(state=Upload.State.FAILED)
    checked = Upload.objects.create(user=demo, slug="hanna", is_new=True)
    again = shipped.queue(demo)
    assert again.pk != failed.pk
    assert not Upload.objects.filter(pk=failed.pk).exists()
    assert not uploads.folder_of(failed).exists()
    assert Upload.objects.filter(pk=checked.pk).exists()


def test_hanna_loads_whole_after_a_kill_and_says_what_planning_found(demo, sent, monkeypatch):
    """No judge of the family may stand in on complexity; elsewhere people disagree."""
    upload = shipped.queue(demo)
    write = uploads.write_files

    def killed(*arguments):
        write(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(uploads, "write_files", killed)
    with pytest.raises(KeyboardInterrupt):
        uploads.load_upload(upload.pk)
    assert not Study.objects.exists() and not Item.objects.exists()
    monkeypatch.setattr(uploads, "write_files", write)
    assert shipped.queue(demo) == upload
    uploads.load_upload(upload.pk)
    uploads.load_upload(upload.pk)  # the message that came twice
    study = Study.objects.get()
    assert (study.slug, study.is_open) == ("hanna", False)
    assert study.memberships.get().user == demo
    assert shipped.queue(demo) is None and len(sent) == 2, "a third start loads nothing"
    assert Item.objects.count() == 1056 and Rating.objects.count() == 19_008
    assert_stored(Judgment.objects.filter(run__judge__study=study))
    assert_answers(build(study, "verdict"))


def assert_stored(judgments):
    """Every value of the file stands in the database, or is missing with what the file had."""
    values = defaultdict(list)
    for row in rows(content("judgments")):
        value = float(row["value"])
        is_off = row["question"] and not 1 <= value <= 5
        values[row["judge"]] += [None if is_off else value] * (1 if row["question"] else 6)
    stored = defaultdict(list)
    for judge, value in judgments.values_list("run__judge__key", "value"):
        stored[judge].append(value)
    for judge, numbers in values.items():
        assert Counter(stored[judge]) == Counter(numbers), judge
    off = judgments.filter(value=None)
    assert off.count() == 848 and not off.filter(reason="").exists()


def assert_answers(report):
    answers = defaultdict(Counter)
    for entry in report.entries:
        row = entry.row
        if entry.kind == JUDGE and row["use"] == RATE and row["evaluator"].startswith(LLMS):
            answers[row["question"]][row["answer"]] += 1
    assert answers.pop("complexity") == {"not_yet": 9, "no": 7}
    assert set(answers) == {"relevance", "coherence", "empathy", "surprise", "engagement"}
    for question, counts in answers.items():
        assert counts["people_disagree"] >= 13 and not counts["yes"], question
