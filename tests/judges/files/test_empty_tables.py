"""A table without rows is a table: what an empty study exports is loaded, and comes back."""

import pytest

from analysis.exports import write as exports
from annotate.models import Study
from judges.files.load import TABLES
from judges.files.study_file import study_yaml
from judges.models import Judge
from tests.files import ITEMS, STUDY, load, messages

pytestmark = pytest.mark.django_db
LEAVE = ("items", "ratings", "judgments", "statements", "entailments")
ARMS = "arms: [{name: a}, {name: b}]\nsplit: {seed: 7, share: 0.3}\n"


def exported(slug, form):
    study = Study.objects.get(slug=slug)
    tables = {table: "".join(exports.pieces(study, table, form)) for table in LEAVE}
    return tables | {"study": study_yaml(study).replace(f"study: {slug}\n", "study: copy\n")}


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_what_an_empty_study_exports_makes_the_same_study(tmp_path, form):
    load(tmp_path, study=STUDY + ARMS)
    files = exported("films", form)
    assert {text.count("\n") for name, text in files.items() if name != "study"} == {form == "csv"}
    assert messages(load(tmp_path, suffix=f".{form}", **files)) == []
    assert exported("copy", form) == files


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize("name", TABLES)
def test_a_table_without_rows_changes_nothing(tmp_path, name, form):
    load(tmp_path, items=ITEMS)
    text = ",".join(TABLES[name].names) + "\n" if form == "csv" else ""
    loading = load(tmp_path, suffix=f".{form}", **{name: text})
    assert messages(loading) == [] and not loading.changes
    assert not Judge.objects.filter(study=loading.study).exists()
