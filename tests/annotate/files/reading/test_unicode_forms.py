"""An id is one id in both forms of Unicode, as NFC, wherever it is read."""

import json
import unicodedata

import pytest

from analysis.options.fields import ConditionsField
from analysis.reports.counterfactual.liked import _keys
from annotate.api.rows import ItemFilters
from annotate.files.reading import Problems, TableFile
from annotate.files.reading.studyfile import read_study
from annotate.models import Item
from judges.bringing import uses
from judges.bringing.sheet import Sheet
from judges.bringing.translate import Translation
from judges.counterfactual.scorer import explaining_keys
from judges.counterfactual.surveys.reading import HISTORIES, MOVIES
from judges.counterfactual.surveys.sampling import _people
from judges.files.load import TABLES
from tests.files import load, messages

NFC = "José"
NFD = unicodedata.normalize("NFD", NFC)
IDS = [
    ("items", "item", "item,text\n{},x\n"),
    ("items", "recipient", "item,text,recipient\na,x,{}\n"),
    ("items", "content", "item,content\na,{}\n"),
    ("items", "system", "item,text,system\na,x,{}\n"),
    ("items", "parent", "item,text,parent\na,x,{}\n"),
    ("contents", "content", "content\n{}\n"),
    ("interactions", "recipient", "recipient,content\n{},x\n"),
    ("interactions", "content", "recipient,content\nx,{}\n"),
    ("ratings", "item", "item,rater,question,value\n{},x,q,1\n"),
    ("ratings", "rater", "item,rater,question,value\nx,{},q,1\n"),
    ("judgments", "item", "item,judge,question,value\n{},x,q,1\n"),
    ("judgments", "judge", "item,judge,question,value\nx,{},q,1\n"),
    ("statements", "item", "item,side,statement\n{},generated,It is long.\n"),
    ("entailments", "item", "item,direction,premise,hypothesis\n{},recall,1,1\n"),
    ("entailments", "judge", "item,direction,premise,hypothesis,judge\na,recall,1,1,{}\n"),
    ("movies", "movieId", "movieId,title\n{},x\n"),
    ("histories", "userId", "userId,movieId\n{},x\n"),
]


@pytest.mark.parametrize("table, column, text", IDS)
def test_an_id_of_a_table_is_composed(tmp_path, table, column, text):
    path, problems = tmp_path / f"{table}.csv", Problems()
    path.write_text(text.format(NFD), encoding="utf-8")
    file = TableFile({"movies": MOVIES, "histories": HISTORIES, **TABLES}[table], path)
    assert file.open(problems)
    ((_, row),) = file.rows(problems)
    assert row[column] == NFC
    assert not problems


def test_a_text_stays_as_it_is(tmp_path):
    path, problems = tmp_path / "items.csv", Problems()
    path.write_text(f"item,text,own\na,{NFD},{NFD}\n", encoding="utf-8")
    file = TableFile(TABLES["items"], path)
    file.open(problems)
    ((_, row),) = file.rows(problems)
    assert (row["text"], row["data"]["own"]) == (NFD, NFD)


HEADERS = {
    "csv": f"item,text,{NFD}\na,x,y\n",
    "jsonl": f'{{"item": "a", "text": "x", "{NFD}": "y"}}\n',
}
TWICE = {"csv": "found twice in the header", "jsonl": "found twice in this object"}


@pytest.mark.parametrize("form", HEADERS)
def test_a_column_of_another_name_is_composed_and_stands_once(tmp_path, form):
    path, problems = tmp_path / f"items.{form}", Problems()
    path.write_text(HEADERS[form], encoding="utf-8")
    file = TableFile(TABLES["items"], path)
    assert file.open(problems)
    ((_, row),) = file.rows(problems)
    assert row["data"] == {NFC: "y"}
    both = HEADERS[form].replace("item,", f"item,{NFC},").replace('{"', f'{{"{NFC}": 1, "')
    path.write_text(both, encoding="utf-8")
    assert not TableFile(TABLES["items"], path).open(problems)
    assert f"line 1, column {NFC}: {TWICE[form]}; allowed is once" in str(problems.shown[0])


def test_lines_of_json_may_write_one_column_in_several_forms(tmp_path):
    path, problems = tmp_path / "interactions.jsonl", Problems()
    lines = [{"userId": "a", "content": "b", NFC: 1}, {"recipient": "c", "movieId ": "d", NFD: 2}]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    file = TableFile(TABLES["interactions"], path)
    assert file.open(problems)
    rows = [row for _, row in file.rows(problems)]
    assert [(row["recipient"], row["content"], row["data"]) for row in rows] == [
        ("a", "b", {NFC: 1}),
        ("c", "d", {NFC: 2}),
    ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in [*lines, {NFC: 1, NFD: 2}]))
    assert not TableFile(TABLES["interactions"], path).open(problems)
    assert f"line 3, column {NFC}: found twice in this object" in str(problems.shown[0])


def test_an_id_of_study_yaml_is_composed(tmp_path):
    path = tmp_path / "study.yaml"
    path.write_text(
        "study: s\n"
        f"gold: [{{item: {NFD}, answers: {{fits: 5}}}}]\n"
        f"practice: [{{item: {NFD}, answers: {{fits@{NFD}: 4}}}}]\n"
        f"taste: {{sources: [{{system: {NFD}, by: random}}]}}\n",
        encoding="utf-8",
    )
    problems = Problems()
    extra = read_study(path, path.name, problems).fields["extra"]
    assert problems.shown == []
    assert extra["gold"][0]["item"] == extra["practice"][0]["item"] == NFC
    assert extra["practice"][0]["answers"] == {f"fits@{NFC}": 4}
    assert extra["taste"]["sources"][0]["system"] == NFC


def test_contents_that_an_explanation_names_are_composed():
    assert explaining_keys(Item(data={"explaining_contents": f"{NFD}|b"})) == [NFC, "b"]
    assert _keys(f"{NFD}|{NFC}") == [NFC]


def test_an_id_of_an_option_is_composed():
    columns = {"system": [NFC], "own": [NFD]}
    own, system = ConditionsField(columns).clean([f"own={NFD}", f"system={NFD}"])
    assert (own, system) == (("own", NFD), ("system", NFC))


def test_an_id_that_the_api_filters_by_is_composed():
    form = ItemFilters(data={"item": NFD})
    assert form.is_valid()
    assert form.validated_data == {"key": NFC}


def test_people_of_a_sample_are_composed(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text(f"userId,movieId\n{NFC},1\n{NFD},2\n", encoding="utf-8")
    assert _people(path) == [NFC]


def test_rows_of_a_brought_table_are_of_one_item():
    rows = [["item", "text", "ann"], [NFC, "x", "1"], [NFD, "x", "2"]]
    sheet = Sheet("t.csv", lambda: iter(enumerate(rows, 1)))
    columns = {"item": {"use": "item"}, "text": {"use": "text"}}
    columns["ann"] = {"use": uses.ANSWERS, "question": "q", "by": "ann"}
    lines = list(Translation(sheet, {"columns": columns}).lines())
    assert {line.cells["item"] for line in lines} == {NFC}
    assert [line.table for line in lines].count("items") == 1


@pytest.mark.django_db
def test_both_forms_are_one_rater_one_system_and_one_item(tmp_path):
    items, ratings = "item,text,system\n{0},x,{0}\n", "item,rater,question,value\n{0},{0},fits,1\n"
    first = load(tmp_path, items=items.format(NFC), ratings=ratings.format(NFD))
    assert messages(first) == []
    again = load(tmp_path, items=items.format(NFD), ratings=ratings.format(NFC))
    assert not again.changes
    twice = load(tmp_path, ratings=ratings.format(NFC) + f"{NFC},{NFD},fits,1\n")
    assert "stands on line 2 already" in messages(twice)[0]
