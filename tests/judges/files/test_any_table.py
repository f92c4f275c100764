"""Whatever stands in a small table, it is loaded, or refused by file, line and column."""

import csv
import io
import json
import re

import pytest
import yaml
from django.db import transaction
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from analysis.exports import write as exports
from annotate.files.loading.items import TEXTS as TEXT_COLUMNS
from annotate.values.texts import one_line_ends
from judges.files import load_files
from judges.files.load import TABLES
from judges.files.study_file import study_yaml
from tests.any_text import LETTERS, TEXTS
from tests.files import ITEMS, load, messages, write

pytestmark = pytest.mark.django_db
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
    cell = st.sampled_from(CELLS) | TEXTS
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


# The tables that leave and can be loaded, and by what their rows are told apart.
LEAVES = {
    "items": ["item"],
    "ratings": ["item", "rater", "question"],
    "judgments": ["item", "judge", "question", "version"],
    "statements": ["item", "side", "statement"],
    "entailments": ["item", "direction", "premise", "hypothesis", "grain", "judge"],
}


def files_of(study):
    tables = {table: "".join(exports.pieces(study, table, "csv")) for table in LEAVES}
    return {"study": study_yaml(study)} | tables


def as_rows(files):
    """study.yaml as data, and the rows of each table by what tells them apart."""
    found = {"study": yaml.safe_load(files["study"]) | {"study": ""}}
    for table, names in LEAVES.items():
        rows = [*csv.DictReader(io.StringIO(files[table], newline=""), strict=True)]
        # A copy numbers its runs itself.
        found[table] = {tuple(row[n] for n in names): row | {"run": ""} for row in rows}
        assert len(found[table]) == len(rows)
    return found


def check_texts(study, rows):
    """Texts of JSON stand in the study as they are, but for line ends."""
    for row in rows:
        kept = study.items.get(key="e9")
        own = {name: getattr(kept, name) for name in TEXT_COLUMNS} | kept.data
        texts = {column.strip(): cell for column, cell in row.items() if isinstance(cell, str)}
        for column in texts.keys() & own.keys():
            assert own[column] == one_line_ends(texts[column])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
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
            if is_json and name == "items" and all(row["item"] == "e9" for row in rows):
                check_texts(loading.study, rows)
            files = files_of(loading.study)
            study = files["study"].replace("study: films", "study: copy", 1)
            copy = load(folder, **files | {"study": study})
            assert messages(copy) == []
            assert as_rows(files_of(copy.study)) == as_rows(files)
        transaction.set_rollback(True)
    assert loading.problems or loading.counts[name].rows == len(rows)
    for problem in loading.problems.shown:
        assert problem.file == name + suffix
        assert problem.row is not None
        assert problem.column or ABOUT_ROWS.search(problem.message), problem
