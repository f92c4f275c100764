"""What stands in study.yaml is what is meant: only plain decimal numbers are numbers."""

import pytest

from annotate.files.reading import Problems
from annotate.files.reading.studyfile import read_study
from annotate.files.reading.yamlfile import read_yaml

TEXTS = ["0123", "010", "0777", "0o17", "0b11", "0x1F", "1:30", "12:30", "190:20:30.15", "1_000"]
TEXTS += ["1_0.5", "00", "007.5", "08", "+012", "1e5", "2024-05-31", "No", "on", "True", "="]
NUMBERS = ["0", "7", "-3", "+2", "10", "0.5", ".5", "-0.25", "1.10", "2.", "1.0e-05", "3.5e+2"]
SCALE = "{choice: [07, 08, 10:30, 1_000, 1.10, 1.1, +1, 1, '2']}"
LABELS = ["07", "08", "10:30", "1_000", "1.10", "1.1", "+1", "1", "2"]


def read(tmp_path, text, reader=read_study):
    path, problems = tmp_path / "study.yaml", Problems()
    path.write_text(text, encoding="utf-8")
    return reader(path, path.name, problems), [str(problem) for problem in problems.shown]


@pytest.mark.parametrize("text", TEXTS)
def test_what_only_looks_like_a_number_is_text(tmp_path, text):
    mapping, messages = read(tmp_path, f"a: {text}\n{text}: b\nc: [{text}]\n", read_yaml)
    assert messages == []
    assert mapping == {"a": text, text: "b", "c": [text]}


@pytest.mark.parametrize("text", NUMBERS)
def test_a_plain_number_is_a_number_that_knows_its_text(tmp_path, text):
    mapping, _ = read(tmp_path, f"a: {text}\n", read_yaml)
    assert mapping["a"] == float(text)
    assert str(mapping["a"]) == text


@pytest.mark.parametrize("text", [*TEXTS, *NUMBERS, "true", "false"])
@pytest.mark.parametrize("key", ["title", "completion_code", "instructions", "notice"])
def test_a_text_is_the_one_that_is_written(tmp_path, key, text):
    study, messages = read(tmp_path, f"study: s\n{key}: {text}\n")
    assert messages == []
    assert study.fields[key] == text


OWN_TEXTS = ["stem", "contact", "ethics_reference", "withdrawal_pay", "screen_out_pay", "debrief"]


@pytest.mark.parametrize("text", ["true", "false", "0", "1.10", "0123", "null"])
@pytest.mark.parametrize("key", OWN_TEXTS)
def test_so_is_a_text_that_not_every_study_has(tmp_path, key, text):
    study, messages = read(tmp_path, f"study: s\n{key}: {text}\n")
    assert messages == []
    assert study.fields["extra"].get(key) == (None if text == "null" else text)


@pytest.mark.parametrize("text", ["true", "false", "0", "1.10"])
def test_so_are_the_words_of_questions_and_checks(tmp_path, text):
    study, messages = read(
        tmp_path,
        f"study: s\nquestions: [{{key: a, text: {text}, scale: binary}}]\n"
        f"attention: [{{key: {text.replace('.', '')}, text: {text}, scale: binary, right: 1}}]\n",
    )
    assert messages == []
    assert study.questions[0]["text"] == text
    assert study.fields["extra"]["attention"][0]["text"] == text


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("key", ["raters_per_item", "hold_minutes", "order_seed", "repeat_share"])
def test_a_number_that_is_not_plain_is_refused(tmp_path, key, text):
    _, messages = read(tmp_path, f"study: s\n{key}: {text}\n")
    assert len(messages) == 1
    assert messages[0].startswith(f"study.yaml, line 2, column {key}: found '{text}'; allowed is a")


@pytest.mark.parametrize(
    "line",
    ["raters_per_item: +4", "repeat_share: .50", "split: {seed: +7, share: .30}"]
    + ["pays_per_session: 2.50", "adaptive_from: {sd: 1.50}", "order_seed: +1"],
)
def test_a_plain_number_may_be_written_in_other_ways(tmp_path, line):
    assert read(tmp_path, f"study: s\n{line}\n")[1] == []


def test_ids_codes_and_labels_are_those_that_are_written(tmp_path):
    study, messages = read(
        tmp_path,
        "study: octal\n"
        "platform: {name: prolific, codes: {screened_out: 0777}}\n"
        "questions:\n"
        "  - {key: fits, text: 5, scale: {min: +1, max: 5, labels: [0.10, 1.0]}}\n"
        f"  - {{key: 010, text: true, scale: {SCALE}}}\n"
        "gold:\n"
        "  - {item: 010, answers: {fits: 5}}\n"
        "  - {item: 0, answers: {fits: 5, 010: 1.10}}\n"
        "practice:\n"
        "  - {item: 011, answers: {fits: 4, 010: 1.10}}\n"
        "  - {item: 1.10, feedback: true}\n"
        "arms: [{name: 01}, {name: 1}]\n",
    )
    assert messages == []
    fits, slots = study.questions
    assert (slots["key"], slots["text"], fits["text"]) == ("010", "true", "5")
    assert slots["scale_spec"]["labels"] == LABELS
    assert fits["scale_spec"]["labels"] == ["0.10", "1.0"]
    extra = study.fields["extra"]
    assert extra["platform"]["codes"] == {"screened_out": "0777"}
    assert [entry["item"] for entry in extra["gold"]] == ["010", "0"]
    assert extra["gold"][1]["answers"] == {"fits": 5, "010": "1.10"}
    assert [entry["item"] for entry in extra["practice"]] == ["011", "1.10"]
    assert extra["practice"][0]["answers"] == {"fits": 4, "010": "1.10"}
    assert extra["practice"][1]["feedback"] == "true"
    assert [arm["name"] for arm in extra["arms"]] == ["01", "1"]
