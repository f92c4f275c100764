"""What is wrong is shown as the file has it, not as Python writes it."""

import pytest

from tests.files import ITEMS, STUDY, check, load, messages

pytestmark = pytest.mark.django_db
QUESTION = "study: s\nquestions:\n  - {key: q, text: Q, scale: likert5, %s}\n"
CHOICE = "study: s\nquestions:\n  - {key: q, text: Q, scale: {choice: [%s]}}\n"
RIGHT = "study: s\nquestions: [{key: q, text: Q, scale: %s}]\ngold: [{item: g, answers: {q: %s}}]\n"
CHECKED = "study: s\nattention:\n  - {key: a, text: T, options: [b, %s], right: %s}\n"
STUDIES = {
    "null": (QUESTION % "required: null", "found null; allowed is true or false"),
    "a list": (QUESTION % "required: [true, 1]", "found [true, 1]; allowed is true or false"),
    "a label": (CHOICE % "a, null", "found the label null; allowed are texts and numbers"),
    "a truth as label": (CHOICE % "a, true", "found the label true; allowed are texts"),
    "a scale": (
        "study: s\nquestions:\n  - {key: q, text: Q, scale: {max: true}}\n",
        "found scale {",
    ),
    "ends": (
        QUESTION.replace("likert5", "{min: true, max: 3}") % "why: true",
        "found min true, max 3",
    ),
    "infinite": (
        "study: s\nrepeat_share: 1.0e+400\n",
        "found 1.0e+400; allowed is a finite number",
    ),
    "not a number": ("study: s\nrepeats: .nan\n", "found .nan; allowed is a finite number"),
    "a day": (QUESTION % "retired: 2024-05-31", "found '2024-05-31'; allowed is true or false"),
    "gold": (
        RIGHT % ("likert5", "true"),
        "found true; allowed is a whole number from 1 to 5: without",
    ),
    "gold of words": (
        RIGHT % ("{choice: [a, b]}", "false"),
        "found false; allowed is one of a, b: with",
    ),
    "a check": (CHECKED % ("c", "null"), "found null; allowed are b, c"),
    "a check of words": (CHECKED % ("'true'", "false"), "found false; allowed are b, true"),
    "a spread": ("study: s\nadaptive_from: {sd: null}\n", "found null; allowed is {sd: a number"),
    "a platform": ("study: s\nplatform: {open_link: null}\n", "found null; open_link is true or"),
    "a currency": (
        "study: s\npay_currency: [USD]\n",
        'found ["USD"]; allowed are the three letters',
    ),
    "hosts": (
        "study: s\nconsent_covers: {a: null}\n",
        'found {"a": null}; allowed is a list of names',
    ),
    "long": ("study: s\nkind: " + "x" * 300 + "\n", f"found '{'x' * 80}…'; allowed is expl"),
    "practice": (
        "study: s\npractice:\n  - {item: a, answers: {q: null}}\n",
        "found null for q; allowed",
    ),
    "an entry": ("study: s\npractice:\n  - null\n", "found null; allowed is a mapping with item"),
}


@pytest.mark.parametrize("case", STUDIES)
def test_of_study_yaml(tmp_path, case):
    text, said = STUDIES[case]
    assert said in messages(load(tmp_path, study=text))[0]


LINES = {
    "null": ("items", '{"item": null, "text": "x"}', "line 1, column item: this cell is empty"),
    "truth": ("items", '{"item": "i", "text": true}', "column text: found true; allowed is a text"),
    "a list": (
        "items",
        '{"item": "i", "text": [1, null]}',
        "column text: found [1, null]; allowed",
    ),
    "an object": (
        "items",
        '{"item": {"a": "b"}}',
        'column item: found {"a": "b"}; allowed is a text',
    ),
    "infinite": (
        "items",
        '{"item": "i", "own": [1e400]}',
        "column own: found NaN or a number beyond ±1.8e308",
    ),
    "NaN": ("items", '{"item": "i", "text": NaN}', "line 1, column text: found NaN; allowed is a"),
    "a day": (
        "items",
        '{"item": "i", "position": "2024-05-31"}',
        "found '2024-05-31'; allowed is a whole",
    ),
    "long": (
        "items",
        '{"item": "i", "side": "' + "x" * 300 + '"}',
        f"found '{'x' * 80}…'; allowed",
    ),
    "an answer": (
        "ratings",
        '{"item": "e1", "rater": "r", "question": "persuasiveness", "value": true}',
        "column value: found true; allowed is a whole number from 1 to 5: without quotation marks",
    ),
    "an answer in words": (
        "ratings",
        '{"item": "e1", "rater": "r", "question": "why", "value": false}',
        "column value: found false; allowed is any text: without quotation marks",
    ),
}


@pytest.mark.parametrize("case", LINES)
def test_of_tables(tmp_path, case):
    table, line, said = LINES[case]
    load(tmp_path, study=STUDY, items=ITEMS)
    assert said in messages(check(tmp_path, suffix=".jsonl", **{table: line + "\n"}))[0]
