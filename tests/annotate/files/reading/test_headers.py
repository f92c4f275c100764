"""A header that is nearly a known one is refused: it was meant, and would be ignored."""

import pytest

from annotate.files.reading import Problems, TableFile
from judges.bringing.translate import extra_name
from judges.counterfactual.surveys.reading import HISTORIES
from judges.files.load import TABLES

NEAR = [
    ("ratings", "role", "Role"),
    ("ratings", "reason", "REASON"),
    ("ratings", "seconds", "Seconds "),
    ("ratings", "answered_at", "Answered at"),
    ("ratings", "answered_at", "answeredAt"),
    ("ratings", "first_side", "first-side"),
    ("ratings", "version", "ｖｅｒｓｉｏｎ"),
    ("ratings", "role", "role\u200b"),
    ("ratings", "value", "Value"),
    ("items", "text", "Text"),
    ("items", "system", "System"),
    ("items", "recipient", "_recipient"),
    ("items", "parent", "Parent"),
    ("items", "item", "ITEM"),
    ("items", "explaining_contents", "Explaining Contents"),
    ("contents", "title", "Title"),
    ("contents", "image_url", "imageUrl"),
    ("contents", "content", "MovieID"),
    ("interactions", "at", "Timestamp"),
    ("interactions", "share_listened", "share listened"),
    ("judgments", "question", "Question"),
    ("judgments", "rationale", "Rationale"),
    ("judgments", "cost_usd", "Cost USD"),
    ("statements", "topic", "Topic"),
    ("entailments", "premise_text", "premise text"),
]


def messages_of(tmp_path, table, header, name=None):
    path, problems = tmp_path / (name or f"{table.name}.csv"), Problems()
    cells = {name: "1" for name in header}
    rows = f"{cells}\n".replace("'", '"') if name else f"{','.join(header)}\n{'1,' * len(header)}"
    path.write_text(rows, encoding="utf-8")
    TableFile(table, path).open(problems)
    return [str(problem) for problem in problems.shown]


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
@pytest.mark.parametrize("table, column, header", NEAR)
def test_a_header_that_is_nearly_a_column_is_refused(tmp_path, table, column, header, suffix):
    others = [name for name in TABLES[table].required if name != column]
    name = f"{table}.jsonl" if suffix == "jsonl" else None
    messages = messages_of(tmp_path, TABLES[table], [*others, header], name)
    assert len(messages) == 1
    start = f"{table}.{suffix}, line 1, column {header.strip()}: found '"
    assert messages[0].startswith(start)
    assert f"looks like the column {column}; write {column}, or" in messages[0]


@pytest.mark.parametrize(
    "name", ["questions", "question_id", "Question text", "questn", "qestion", "QUESTION KEY"]
)
def test_a_header_like_a_missing_column_that_decides_what_rows_mean_is_refused(tmp_path, name):
    table, header = TABLES["judgments"], ["item", "judge", "value", name]
    (message,) = messages_of(tmp_path, table, header)
    assert message.startswith(
        f"judgments.csv, line 1, column {name}: found '{name}', and no column"
    )
    assert "question, without which a row stands for every question; write question, or" in message
    assert messages_of(tmp_path, table, [*header, "question"]) == []
    assert messages_of(tmp_path, TABLES["items"], ["item", "text", name]) == []


@pytest.mark.parametrize("name", ["quest", "session", "request", "my_question_text", "q"])
def test_other_headers_beside_no_such_column_are_extra_columns(tmp_path, name):
    assert messages_of(tmp_path, TABLES["judgments"], ["item", "judge", "value", name]) == []


def test_it_is_refused_beside_the_column_too(tmp_path):
    header = ["item", "rater", "role", "Role", "question", "value"]
    assert len(messages_of(tmp_path, TABLES["ratings"], header)) == 1


def test_ratings_for_surveys_follow_the_same_rule(tmp_path):
    messages = messages_of(tmp_path, HISTORIES, ["userId", "movieId", "Rating"])
    assert "write rating, or" in messages[0]


@pytest.mark.parametrize("name", ["device", "Comment", "roles", "system_2", "my text", "Judge"])
def test_other_headers_are_extra_columns(tmp_path, name):
    assert messages_of(tmp_path, TABLES["items"], ["item", "text", name]) == []


@pytest.mark.parametrize("name", ["Position", "position", "SYSTEM", "Judge_flags", "judge_flags"])
def test_a_brought_extra_column_gets_a_name_that_items_take(tmp_path, name):
    assert messages_of(tmp_path, TABLES["items"], ["item", "text", extra_name(name)]) == []
