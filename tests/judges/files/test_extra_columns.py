"""Extra columns of ratings.csv and judgments.csv are kept with their row, as those of items are."""

import csv
import json
from io import StringIO

import numpy as np
import pytest
from django.core.management import call_command

from analysis.answers.frame import Reader, read_answers
from analysis.reports.shared.scores import Scores
from annotate.models import Rating, Study
from judges.files import load_files
from judges.files.load import what_else
from judges.models import Judgment
from tests.analysis.small import options_of
from tests.files import ITEMS, JUDGMENTS, RATINGS, check, load, messages, write

pytestmark = pytest.mark.django_db
# Of tests/files.py: ann on e1 and e2, bob on e1; BLEU on e1 and e2.
CELLS = {
    "ratings": ["nice;=1+1,phone", "-0.4,desktop", ",phone"],
    "judgments": ["short,3", "=1+1,4"],
}
NAMES = {"ratings": "Comment,device", "judgments": "device,batch"}
LINES = {"ratings": RATINGS.splitlines(), "judgments": JUDGMENTS.splitlines()}
PLAIN = {"items": ITEMS, "ratings": RATINGS, "judgments": JUDGMENTS}


def table(name, cells=None):
    """The table of tests/files.py with two more columns."""
    header, *lines = LINES[name]
    rows = zip(lines, cells or CELLS[name], strict=True)
    more = (f"{line},{cell}" for line, cell in rows)
    return "\n".join([f"{header},{NAMES[name]}", *more, ""])


def load_all(folder):
    return load(folder, **PLAIN | {name: table(name) for name in NAMES})


def exported(name, folder, form="csv"):
    path = folder / f"out.{form}"
    call_command("export", "films", name, output=path, format=form)
    return path.read_text()


def counted(folder, name, text):
    loading = load(folder, **{name: text})
    assert not messages(loading)
    counts = loading.counts[name]
    return counts.new, counts.changed, counts.unchanged


@pytest.mark.parametrize("name", NAMES)
def test_they_are_exported_side_by_side_and_come_back_the_same(name, tmp_path):
    load_all(tmp_path)
    rows = list(csv.DictReader(StringIO(text := exported(name, tmp_path))))
    first, second = NAMES[name].split(",")
    names = list(rows[0])
    # PostgreSQL keeps the columns of a row in an order of its own.
    assert abs(names.index(first) - names.index(second)) == 1
    assert [row[second] for row in rows] == [cells.split(",")[1] for cells in CELLS[name]]
    assert not any(cell.startswith("=") or ";=" in cell for row in rows for cell in row.values())
    for file in (table(name), text):
        assert counted(tmp_path, name, file) == (0, 0, len(rows))
    assert exported(name, tmp_path) == text
    meanings = list(csv.reader(StringIO(exported("codebook", tmp_path))))
    assert [name, second, f"A further column of {name}.csv, as it was loaded."] in meanings


@pytest.mark.parametrize("name", ["contents", "items", *NAMES])
@pytest.mark.parametrize("column", ["pk", "id", "data", "unit", "load"])
def test_a_column_called_as_a_field_of_ours_is_one_more(name, column, tmp_path):
    text = {
        "contents": f"content,{column}\nc,x\n",
        "items": f"item,text,{column}\ne1,x,y\ne2,x,y\n",
    }.get(name)
    if text is None:
        text = table(name).replace(NAMES[name].split(",")[0], column, 1)
    assert messages(load(tmp_path, **PLAIN | {name: text})) == []
    assert counted(tmp_path, name, text) == (0, 0, text.count("\n") - 1)


@pytest.mark.parametrize("name", NAMES)
def test_a_later_file_adds_and_replaces_them(name, tmp_path):
    load(tmp_path, **PLAIN)
    assert counted(tmp_path, name, table(name)) == (0, len(CELLS[name]), 0)
    cells = [CELLS[name][0].replace(",", ",x"), *CELLS[name][1:]]
    assert counted(tmp_path, name, table(name, cells)) == (0, 1, len(cells) - 1)
    assert counted(tmp_path, name, PLAIN[name]) == (0, 0, len(cells))
    model = {"ratings": Rating, "judgments": Judgment}[name]
    second = NAMES[name].split(",")[1]
    stored = [row.data[second] for row in model.objects.order_by("pk")]
    assert stored == [cell.split(",")[1] for cell in cells]


def answers_of(**options):
    """{rater or judge: the values} that a report counts under these options."""
    answers = read_answers(Study.objects.get())
    scores = Scores(answers, options_of(answers, "correlation", **options))
    values = {name: scores.rater(name) for name in scores.raters}
    values |= {name: scores.judge(name) for name in scores.judges}
    return {name: sorted(each[~np.isnan(each)].tolist()) for name, each in values.items()}


BLEU = {"BLEU": [1.5, 3.25]}
FILTERS = {
    "a column of ratings": ({"only": ["Comment=-0.4"]}, {"ann": [2]} | BLEU),
    "blank": ({"only": ["Comment="]}, {"bob": [5]} | BLEU),
    "a column of both": ({"only": ["device=phone"]}, {"ann": [4], "bob": [5]}),
    "left out": ({"exclude": ["device=phone"]}, {"ann": [2]} | BLEU),
    "a column of judgments": ({"only": ["batch=4"]}, {"ann": [2, 4], "bob": [5], "BLEU": [1.5]}),
    "with one of items": ({"only": ["device=desktop", "length=long"]}, {"ann": [2]}),
}


@pytest.mark.parametrize("case", FILTERS)
def test_reports_are_filtered_by_them(case, tmp_path):
    load_all(tmp_path)
    options, counted_values = FILTERS[case]
    assert answers_of(**options) == counted_values


def test_reports_are_grouped_by_them(tmp_path):
    load(tmp_path, items=ITEMS + "e3,anna,film-1,personal,Slow.,long\n", ratings=table("ratings"))
    out = StringIO()
    given = "--by", "device", "--draws", "0", "--format", "json"
    call_command("analyse", "films", "raters", *given, stdout=out)
    rows = json.loads(out.getvalue())["rows"]
    found = {(row["by"], row["rater"]) for row in rows if row["n_answers"]}
    assert found == {("device=phone", "ann"), ("device=phone", "bob"), ("device=desktop", "ann")}


def test_a_column_of_items_keeps_its_name_and_that_of_answers_gets_another(tmp_path):
    renamed = {name: table(name).replace("device", "length", 1) for name in NAMES}
    load(tmp_path, **PLAIN | renamed)
    answers = read_answers(Study.objects.get())
    assert set(answers.table["answer_length"]) == {"phone", "desktop", "short", "=1+1"}
    assert set(answers.table["length"]) == {"short", "long"}
    assert answers_of(only=["answer_length=desktop"]) == {"ann": [2]}


def test_a_report_is_computed_anew_when_they_change(tmp_path):
    load_all(tmp_path)
    before = Reader(Study.objects.get()).fingerprint()
    load(tmp_path, ratings=table("ratings", ["x,phone", *CELLS["ratings"][1:]]))
    assert Reader(Study.objects.get()).fingerprint() != before


def test_pages_and_programs_show_them(tmp_path, owner, as_owner):
    rows = zip(
        LINES["ratings"], ["reason,device", "u1,phone", "u2,phone", "u3,desktop"], strict=True
    )
    ratings = "".join(f"{line},{more}\n" for line, more in rows)
    study, paths = write(tmp_path, **PLAIN | {"ratings": ratings})
    load_files(study, paths, owner=owner)
    address = "/studies/films/analysis/disagreements/"
    page = as_owner.get(address, {"only": "device=phone", "least_raters": 1}).text
    assert [word for word in ("u1", "u2", "u3") if f"<br>{word}" in page] == ["u1", "u2"]
    found = as_owner.get("/api/v1/studies/films/ratings/").json()["results"]
    assert [row["extra"]["device"] for row in found] == ["phone", "phone", "desktop"]


@pytest.mark.parametrize(
    ("name", "header"), [("statements", "item,side,statement"), ("entailments", "item,judge")]
)
def test_tables_that_keep_none_say_so_before_they_are_loaded(name, header, tmp_path):
    loading = check(tmp_path, items=ITEMS, **{name: f"{header},colour,at\ne1,,,,\n"})
    assert what_else(loading, name) == "Columns that are not kept: 'colour, at'."
    assert what_else(loading, "items") == ""
