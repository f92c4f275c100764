"""Ids hold no letters that nobody sees: two that look alike would be two. Texts keep them."""

import pytest

from annotate.files.reading import Problems, TableFile
from annotate.files.reading.columns import CONTENTS, INTERACTIONS, ITEMS, RATINGS
from judges.counterfactual.surveys.reading import HISTORIES, MOVIES
from judges.files import load_files
from judges.files.judgments import JUDGMENTS
from tests import factories


@pytest.fixture
def read(tmp_path):
    """read(table, text) -> (rows, messages)"""

    def read(table, text):
        path = tmp_path / f"{table.name}.csv"
        path.write_text(text, encoding="utf-8")
        file, problems = TableFile(table, path), Problems()
        rows = list(file.rows(problems)) if file.open(problems) else []
        return rows, [str(problem) for problem in problems.shown]

    return read


UNSEEN = {
    "\u202e": "U+202E (RIGHT-TO-LEFT OVERRIDE)",
    "\u200b": "U+200B (ZERO WIDTH SPACE)",
    "\u2028": "U+2028 (LINE SEPARATOR)",
    "\u2066": "U+2066 (LEFT-TO-RIGHT ISOLATE)",
    "\xad": "U+00AD (SOFT HYPHEN)",
    "\ufeff": "U+FEFF (ZERO WIDTH NO-BREAK SPACE)",
    "\x85": "U+0085 (a control character)",
    "\U000e0041": "U+E0041 (TAG LATIN CAPITAL LETTER A)",
}
NEW_IDS = [
    (CONTENTS, "content", "content,title\n{},x\n"),
    (INTERACTIONS, "recipient", "recipient,content\n{},x\n"),
    (INTERACTIONS, "content", "recipient,content\nx,{}\n"),
    (ITEMS, "item", "item,text\n{},x\n"),
    (ITEMS, "recipient", "item,recipient\nx,{}\n"),
    (ITEMS, "content", "item,content\nx,{}\n"),
    (ITEMS, "system", "item,system\nx,{}\n"),
    (RATINGS, "rater", "item,rater,question,value\nx,{},q,1\n"),
    (JUDGMENTS, "judge", "item,judge,question,value\nx,{},q,1\n"),
    (MOVIES, "movieId", "movieId,title,genres\n{},x,y\n"),
    (HISTORIES, "userId", "userId,movieId\n{},x\n"),
    (HISTORIES, "movieId", "userId,movieId\nx,{}\n"),
]


@pytest.mark.parametrize("letter", UNSEEN)
@pytest.mark.parametrize(("table", "column", "text"), NEW_IDS)
def test_an_id_with_a_letter_that_nobody_sees_is_refused_by_its_code_point(
    read, table, column, text, letter
):
    _, messages = read(table, text.format(f"a{letter}b"))
    assert len(messages) == 1
    assert messages[0].startswith(
        f"{table.name}.csv, line 2, column {column}: found the character {UNSEEN[letter]} in "
    )


def test_an_id_in_any_script_is_read_and_a_text_keeps_what_nobody_sees(read):
    rows, messages = read(ITEMS, "item,text\nقصة 电影 é-1,a\u202eb\u200bc\u2028d\n")
    assert messages == []
    assert (rows[0][1]["item"], rows[0][1]["text"]) == ("قصة 电影 é-1", "a\u202eb\u200bc\u2028d")


def test_an_item_that_was_loaded_before_the_rule_can_still_be_rated(read):
    rows, messages = read(RATINGS, "item,rater,question,value\na\u200bb,r,q,1\n")
    assert messages == [] and rows[0][1]["item"] == "a\u200bb"


@pytest.mark.django_db
def test_files_with_ids_from_before_the_rule_change_nothing_and_bring_no_new_ones(tmp_path):
    study = factories.make_study(items=1)
    item = factories.make_item(study, "e\u200c1", recipient="r\u200d")
    path = tmp_path / "items.csv"
    path.write_text(f"item,recipient,text\ne\u200c1,r\u200d,{item.text}\n", encoding="utf-8")
    loading = load_files(None, {"items": path}, slug=study.slug)
    assert not loading.problems and loading.counts["items"].unchanged == 1
    path.write_text("item,text\ne\u200c1,x\ne\u200c2,x\n", encoding="utf-8")
    problems = load_files(None, {"items": path}, slug=study.slug).problems.shown
    places = [str(problem).partition(":")[0] for problem in problems]
    assert places == ["items.csv, line 3, column item"]
