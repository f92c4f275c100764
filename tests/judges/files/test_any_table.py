"""Whatever stands in a small table, it is loaded, or refused by file, line and column."""

import csv
import io
import json
import re

import pytest
from django.db import transaction
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from analysis.exports import write as exports
from judges.files import load_files
from judges.files.load import TABLES
from judges.files.study_file import study_yaml
from tests.files import ITEMS, load, messages, write

pytestmark = pytest.mark.django_db
LETTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
CELLS = ["e1", "ann", "fits", "1", "4.0", "1_0", "４", "-0.4", "true", "45443.58", "2024-05-31"]
CELLS += ["", " ", "A", "=1+1", "'=1", "x;=1", "José", "Jose\u0301", "a\r\nb", "\ufeff", "9" * 400]
CELLS += ["1717164120", "third_party", "generated", "recall", "\u200b", "nan", "1e999", "e1|e2"]
ABOUT_ROWS = re.compile("stands on line|has recall only|the header's column [0-9]+ has")
OTHERS = [True, False, None, 0, 4.0, -1, 10**400, [1], {"a": ["b"]}]


FINE = {
    "items": {"item": "e9", "text": "x"},
    "contents": {"content": "c"},
    "interactions": {"recipient": "anna", "content": "c"},
    "ratings": {"item": "e1", "rater": "ann", "question": "fits", "value": "1"},
    "judgments": {"item": "e1", "judge": "BLEU", "question": "fits", "value": "1"},
    "statements": {"item": "e1", "side": "generated", "statement": "It is long."},
    "entailments": {"item": "e1", "direction": "recall", "premise": "1", "hypothesis": "1"}
    | {"entailment": "1", "neutral": "0", "contradiction": "0"},
}


@st.composite
def tables(draw):
    """Draw a table's name, its rows as {column: cell}, and whether it is JSON."""
    name, is_json = draw(st.sampled_from([*FINE])), draw(st.booleans())
    table = TABLES[name]
    listed = st.sampled_from([*table.names, *table.aliases, "Role", "Text"])
    further = st.text(LETTERS, min_size=1, max_size=5).filter(lambda text: text.strip(" '\t\r\n"))
    header = draw(st.lists(listed | further, max_size=2, unique_by=str.strip))
    cell = st.sampled_from(CELLS) | st.text(LETTERS, max_size=8)
    cell = cell | st.sampled_from(OTHERS) if is_json else cell
    left_out = draw(st.sampled_from(["", "", *FINE[name]]))
    fine = {key: text for key, text in FINE[name].items() if key != left_out}
    rows = [fine | {key: draw(cell) for key in header} for _ in range(draw(st.integers(1, 2)))]
    return name, [row or {"own": "x"} for row in rows], is_json


def as_text(rows, is_json):
    if is_json:
        return "".join(json.dumps(row) + "\n" for row in rows)
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([rows[0], *(row.values() for row in rows)])
    return text.getvalue()


@pytest.fixture
def folder(tmp_path):
    load(tmp_path, items=ITEMS)
    return tmp_path


LEAVES = ("items", "ratings", "judgments", "statements", "entailments")


def files_of(study):
    """study.yaml and the tables that have rows."""
    tables = {table: "".join(exports.pieces(study, table, "csv")) for table in LEAVES}
    tables = {table: text for table, text in tables.items() if text.count("\n") > 1}
    return {"study": study_yaml(study)} | tables


def as_films(files):
    """Files of the copy under the name of the study; rows that stand together may be swapped."""
    return {
        table: sorted(re.sub("^(study: )?copy(?=,|$)", r"\1films", text, flags=re.M).splitlines())
        for table, text in files.items()
    }


@settings(
    max_examples=20,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(tables())
@example(("items", [{"item": "e9", "own": "x"}], False))
@example(("items", [{"item": "e9", "text": "=1+1", "own": "x;-b"}], False))
def test_any_table_is_loaded_and_comes_back_or_is_refused_where_it_is_wrong(folder, table):
    name, rows, is_json = table
    suffix = ".jsonl" if is_json else ".csv"
    paths = write(folder, study=None, suffix=suffix, **{name: as_text(rows, is_json)})[1]
    with transaction.atomic():
        loading = load_files(None, paths, slug="films")
        if not loading.problems:
            files = files_of(loading.study)
            study = files["study"].replace("study: films", "study: copy", 1)
            copy = load(folder, **files | {"study": study})
            assert messages(copy) == []
            assert as_films(files_of(copy.study)) == as_films(files)
        transaction.set_rollback(True)
    assert loading.problems or loading.counts[name].rows == len(rows)
    for problem in loading.problems.shown:
        assert problem.file == name + suffix
        assert problem.row is not None
        assert problem.column or ABOUT_ROWS.search(problem.message), problem
