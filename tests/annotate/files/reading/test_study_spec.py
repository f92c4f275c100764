"""Each key of study.yaml is declared once; all faults are named, in order of the lines."""

import pytest

from annotate.files.reading import Problems
from annotate.files.reading.faults import faults
from annotate.files.reading.spec import WORDS
from annotate.files.reading.studyfile import FIELDS, VERSION, read_study
from annotate.files.reading.studyspec import QuestionSpec, StudySpec
from annotate.models import Study

FAULTY = """\
study: films
raters_per_item: many
language: xx
questions:
  - {key: Fits, text: T, scale: likert5}
  - key: why
    scale: likert6
    wide: true
    required: 1
    why: often
pays_per_session: -1
pay_currency: usd
comprehension:
  attempts: 9
exit:
  - gender
  - key: years
    text: How many?
    scale: number
    must: true
attention:
  - {key: a, text: T, scale: likert5, right: 9}
  - {key: b, text: T, scale: likert5, right: 1, at: 2}
repeats: 51
repeat_share: 0.6
sessions_by: 'a"b'
title:
  long: true
"""


def read(tmp_path, text):
    path, problems = tmp_path / "study.yaml", Problems()
    path.write_text(text)
    return read_study(path, path.name, problems), [str(problem) for problem in problems.shown]


def test_all_faults_are_named_in_the_order_of_their_lines(tmp_path):
    read_file, messages = read(tmp_path, FAULTY)
    assert read_file.slug == "films"
    named = [
        (2, "raters_per_item", "found 'many'; allowed is a whole number from 1 to 1000"),
        (3, "language", "found 'xx'; allowed is "),
        (5, "key", "found 'Fits'. Use 1 to 60 lower-case letters"),
        (6, "text", "is missing; expected is the sentence that raters read"),
        (7, "scale", "found scale 'likert6'; allowed is likert5"),
        (8, "wide", "is not a known key; allowed are key, text, scale, required, applies_to"),
        (9, "required", "found '1'; allowed is true or false"),
        (10, "why", "found 'often'; allowed is true, false or required"),
        (11, "pays_per_session", "found '-1'; allowed is a number from 0 to 100,000"),
        (12, "pay_currency", "found 'usd'; allowed are the three letters of a currency"),
        (14, "attempts", "found '9'; allowed is a whole number from 1 to 5"),
        (20, "must", "is not a known key; allowed are key, text, scale, required"),
        (22, "right", "found '9'; allowed are Strongly disagree"),
        (23, "at", "is not a known key; allowed are key, text, options"),
        (24, "repeats", "found '51'; allowed is a whole number from 0 to 50"),
        (25, "repeat_share", "found '0.6'; allowed is a number from 0 to 0.5"),
        (26, "sessions_by", "found 'a\"b'; allowed is the name of a column"),
        (27, "title", "found a list or a mapping; allowed is a text"),
    ]
    assert len(messages) == len(named)
    for message, (line, column, words) in zip(messages, named, strict=True):
        assert message.startswith(f"study.yaml, line {line}, column {column}: {words}"), message


@pytest.mark.parametrize("text", ["questions: 3\n", "questions: [a]\n", "judges: {a: b}\n"])
def test_what_has_to_be_a_list_of_mappings_is_told_so(tmp_path, text):
    _, messages = read(tmp_path, f"study: s\n{text}")
    assert messages == [
        f"study.yaml, line 2, column {text.split(':')[0]}: allowed is a list of mappings, each "
        "beginning with `- `"
    ]


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("questions:\n  - {key: a, text: T, scale: binary}\n  - b\n", 4, "questions"),
        ("judges:\n  -\n  - {judge: a}\n", 3, "judges"),
        ("attention:\n  - {key: a, text: T, scale: likert5, right: 1}\n  - b\n", 4, "attention"),
        ("practice:\n  - item: a\n    feedback: F\n  - b\n", 5, "practice"),
        ("exit:\n  - gender\n  - 3\n", 4, "exit"),
        ("comprehension:\n  attempts: 2\n  questions:\n    - b\n", 5, "questions"),
    ],
)
def test_an_entry_that_is_no_mapping_is_named_by_its_own_line(tmp_path, text, line, column):
    (message,) = read(tmp_path, f"study: s\n{text}")[1]
    assert message.startswith(f"study.yaml, line {line}, column {column}: ")
    assert "mapping" in message


def test_a_value_in_a_list_that_no_database_takes_is_named_by_its_own_line(tmp_path):
    _, messages = read(tmp_path, 'study: s\nmedia_hosts:\n  - a.org\n  - "\\0"\n')
    assert messages[0].startswith("study.yaml, line 4, column media_hosts: found ")


def test_keys_without_a_value_are_as_if_they_were_not_there(tmp_path):
    empty = "".join(f"{key}:\n" for key in (*StudySpec.kept_keys(), "split", "adaptive_from"))
    read_file, messages = read(tmp_path, "study: s\n" + empty)
    assert messages == []
    assert read_file.fields == {"extra": {}} and read_file.questions is None


MUST_BE_FILLED = [key for key in (*FIELDS, VERSION) if not Study._meta.get_field(key).blank]


@pytest.mark.parametrize("blank", ["", "null", "''", "'  '"])
@pytest.mark.parametrize("key", MUST_BE_FILLED)
def test_a_blank_of_what_must_be_filled_is_as_if_it_were_not_there(tmp_path, key, blank):
    read_file, messages = read(tmp_path, f"study: s\n{key}: {blank}\n")
    assert messages == []
    assert read_file.fields == {"extra": {}} and read_file.version is None


@pytest.mark.parametrize("key", ["notice", "consent", "instructions", "media_hosts"])
def test_a_blank_of_what_may_be_blank_is_meant(tmp_path, key):
    assert not read(tmp_path, f"study: s\n{key}:\n")[0].fields[key]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_another_encoding_is_told_without_a_spreadsheet(tmp_path, encoding):
    path, problems = tmp_path / "study.yaml", Problems()
    path.write_bytes("study: s\n".encode(encoding))
    assert read_study(path, path.name, problems) is None
    words = (
        f"found {encoding.upper()} text; allowed is UTF-8: save the file again with that encoding"
    )
    assert [str(problem) for problem in problems.shown] == [f"study.yaml, line 1: {words}"]


@pytest.mark.parametrize("number", ["1234567890123456", "1" * 5000])
def test_a_number_of_too_many_digits_is_told_to_be_put_in_quotation_marks(tmp_path, number):
    (message,) = read(tmp_path, f"study: s\ntitle: {number}\n")[1]
    assert message.startswith("study.yaml, line 2") and "in quotation marks" in message


@pytest.mark.parametrize("kind", [StudySpec, QuestionSpec])
def test_every_kind_of_fault_has_words(kind):
    """Whatever stands at a key, the message is a sentence of ours."""
    for value in (None, [], {}, [1], {"a": 1}, True, -1, 1e9, "x" * 200_000):
        for key in kind.model_fields:
            try:
                kind.model_validate({key: value}, context="en")
            except ValueError as error:
                assert all(message for _, message in faults(error, kind, WORDS))


def test_gold_items_of_a_file_without_questions_are_those_of_the_stored_ones(tmp_path):
    read_file, messages = read(tmp_path, "study: s\ngold:\n  - {item: a, answers: {fits: 4}}\n")
    assert messages == []
    gold = [{"item": "a", "answers": {"fits": 4}, "tolerance": 0}]
    assert read_file.fields["extra"]["gold"] == gold


@pytest.mark.parametrize("value", ["{}", "false", "0", '""'])
@pytest.mark.parametrize("key", ["questions", "prompts", "judges"])
def test_what_is_empty_and_no_list_is_refused(tmp_path, key, value):
    _, messages = read(tmp_path, f"study: s\n{key}: {value}\n")
    assert len(messages) == 1 and "allowed is a list of mappings" in messages[0]


@pytest.mark.parametrize(
    "text",
    [
        "comprehension: {questions: }\n",
        "raters_per_item_max: 1\n",
        "questions:\n  - {key: a, text: T, scale: binary, applies_to: ''}\n",
    ],
)
def test_what_is_left_open_is_no_fault(tmp_path, text):
    assert read(tmp_path, f"study: s\n{text}")[1] == []


@pytest.mark.parametrize("text", ["''", ""])
def test_a_question_has_a_sentence(tmp_path, text):
    _, messages = read(
        tmp_path, f"study: s\nquestions:\n  - {{key: a, text: {text}, scale: binary}}\n"
    )
    assert len(messages) == 1 and "column text: is missing" in messages[0]


@pytest.mark.parametrize(
    "written, kept, said",
    [
        ("layout: grid", "grid", []),
        ("layout: one_at_a_time", "one_at_a_time", []),
        ("layout: table", None, ["found 'table'; allowed is list, one_at_a_time, grid"]),
    ],
)
def test_a_layout_is_one_of_three(tmp_path, written, kept, said):
    read_file, messages = read(tmp_path, f"study: films\n{written}\n")
    if kept:
        assert read_file.fields["extra"]["layout"] == kept
    assert len(messages) == len(said)
    assert all(text in message for text, message in zip(said, messages, strict=True))


@pytest.mark.parametrize(
    "written, kept, said",
    [
        ("stem: ' Does it help you '", "Does it help you", []),
        ("stem: [Does it]", None, ["allowed is a text"]),
        (f"stem: {'long ' * 300}", None, ["characters; allowed are up to 1000"]),
    ],
)
def test_a_stem_is_a_short_text(tmp_path, written, kept, said):
    read_file, messages = read(tmp_path, f"study: films\n{written}\n")
    if kept:
        assert read_file.fields["extra"]["stem"] == kept
    assert len(messages) == len(said)
    assert all(text in message for text, message in zip(said, messages, strict=True))
