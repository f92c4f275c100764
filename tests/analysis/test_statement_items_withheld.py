"""Statement items of a locked test part: their wording is withheld, and is not lost."""

from io import StringIO

import pytest
from django.core.management import call_command

from annotate.design import splits
from annotate.design.splits import WITHHELD
from annotate.models import Item, Rating, Study
from judges.statements.items import current, make
from tests import factories
from tests.analysis.small import build, row_of
from tests.api.conftest import api, at  # noqa: F401
from tests.stated import make_explained, make_factuality

pytestmark = pytest.mark.django_db
SEED = 7  # at .5 the recipient r1 is in the test part and r2 is not, see test_locked_part.py
SECRET, OPEN = ("it keeps the wind out", "function", "positive"), ("it is blue", "look", "neutral")
WORDS = ("keeps the wind out", "function")


@pytest.fixture
def study(owner):
    study = make_factuality(owner, "shoes")
    make_explained(study, "hidden", [SECRET], [SECRET], recipient="r1")
    make_explained(study, "shown", [OPEN], [OPEN], recipient="r2")
    make(study)
    for item in current(study):
        factories.make_rating(
            factories.make_session(study, item.key), item, study.questions.get(), 1
        )
    splits.lock(study, SEED, 0.5, "owner")
    return study


def export(study, table, folder):
    path = folder / f"{table}.{'yaml' if table == 'study' else 'csv'}"
    call_command("export", study.slug, table, output=path)
    return path


def contents(study):
    names = ("key", "kind", "text", "reference", "review", "data")
    return list(study.items.order_by("key").values_list(*names))


def load(study, path):
    out = StringIO()
    call_command("load_study", study, items=path, stdout=out)
    return out.getvalue()


def test_the_export_says_nothing_of_what_they_state(study, tmp_path):
    text = export(study, "items", tmp_path).read_text(encoding="utf-8")
    assert not [words for words in WORDS if words in text]
    assert "it is blue" in text and text.count(WITHHELD) == 2 * 4  # text, reference, topic, feeling
    assert "Text of hidden." in text, "its explanation is shown as ever"
    splits.unlock(study, "owner", "done")
    assert WORDS[0] in export(study, "items", tmp_path).read_text(encoding="utf-8")


def test_the_export_loads_back_and_changes_nothing(study, tmp_path):
    before = contents(study)
    said = load(export(study, "study", tmp_path), export(study, "items", tmp_path))
    assert contents(Study.objects.get()) == before
    assert "0 new" in said and "0 changed" in said, said


def test_what_else_the_file_changes_is_changed_and_the_wording_stays(study, tmp_path):
    Rating.objects.all().delete()
    study.sessions.all().delete()
    path, before = export(study, "items", tmp_path), dict(study.items.values_list("key", "text"))
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("precision", "other"), encoding="utf-8")
    load(export(study, "study", tmp_path), path)
    item = Item.objects.get(kind="statement", recipient__key="r1", data__direction="other")
    assert item.data["topic"] == "function"
    assert dict(study.items.values_list("key", "text")) == before


def test_a_copy_has_the_items_and_what_people_said(study, tmp_path):
    paths = {table: export(study, table, tmp_path) for table in ("items", "ratings")}
    file = export(study, "study", tmp_path)
    study.delete()
    call_command("load_study", file, stdout=StringIO(), **paths)
    copy = Study.objects.get()
    hidden = copy.items.filter(kind="statement", recipient__key="r1")
    assert set(hidden.values_list("text", flat=True)) == {WITHHELD}
    assert Rating.objects.filter(item__in=hidden).count() == hidden.count() == 2
    assert not hidden.filter(places__isnull=False), "no rater is asked about what nobody can read"
    assert copy.places.filter(item__recipient__key="r2").exists()


def test_the_report_of_a_copy_counts_no_answer_about_what_nobody_can_read(study, tmp_path):
    paths = {table: export(study, table, tmp_path) for table in ("items", "ratings", "statements")}
    file = export(study, "study", tmp_path)
    study.delete()
    call_command("load_study", file, stdout=StringIO(), **paths)
    copy = Study.objects.get()
    splits.unlock(copy, "owner", "to see what is there")
    report = build(copy, "factuality", part="all")
    people = {"part": "consistency", "domain": "all", "system": "all"}
    for metric in ("St2Exp-P", "St2Exp-R", "St2Exp-F1"):
        row = row_of(report, **people, metric=metric)
        assert (row["value"], row["n"], row["missing"]) == (1, 1, 1)
    names = {row["name"] for row in report.rows if row["part"] == "failure"}
    assert names == {"look", "neutral"}
    stated = {"part": "counts", "metric": "statements", "domain": "all", "system": "all"}
    row = row_of(report, **stated, name="generated")
    assert (row["value"], row["n"], row["missing"]) == (1, 1, 1)
    assert any(note.startswith("2 statement items left out") for note in report.notes)


def test_the_report_of_the_study_itself_counts_them_once_it_is_open(study):
    splits.unlock(study, "owner", "done")
    report = build(study, "factuality", part="all")
    row = row_of(report, part="consistency", domain="all", system="all", metric="St2Exp-P")
    assert (row["value"], row["n"], row["missing"]) == (1, 2, 0)
    assert not any("a file withheld" in note for note in report.notes)


def test_the_api_says_nothing_of_it_either(study, api, at):  # noqa: F811
    rows = api.get(at("items/")).json()["results"]
    hidden = [row for row in rows if row["kind"] == "statement" and row["recipient"] == "r1"]
    one = api.get(at(f"items/{hidden[0]['id']}/")).json()
    assert len(hidden) == 2 and one == hidden[0]
    for row in hidden:
        assert row["text"] == row["extra"]["topic"] == row["extra"]["sentiment"] == WITHHELD
    assert not [words for words in WORDS if words in str(rows)]
    assert "it is blue" in str(rows)
