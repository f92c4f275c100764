"""Whatever a recommender replies: the one list in it is read, or there is a reason. No guess."""

import json
import time

import pytest

from judges.methods.recommend.parse_prose import parse_list, title_of
from judges.replies.parse import LONGEST_REPLY, Reason

THREE = ["Heat (1995)", "Alien (1979)", "Toy Story (1995)"]


@pytest.mark.parametrize(
    "reply",
    [
        "1. Heat (1995)\n2. Alien (1979)\n3. Toy Story (1995)",
        "1) Heat (1995)\n2) Alien (1979)\n3) Toy Story (1995)",
        "- Heat (1995)\n- Alien (1979)\n- Toy Story (1995)",
        "* Heat (1995)\n* Alien (1979)\n* Toy Story (1995)",
        "• Heat (1995)\n• Alien (1979)\n• Toy Story (1995)",
        "\n 1. Heat (1995)\r\n\r\n 2. Alien (1979)\r\n 3.   Toy  Story (1995)\n\n",
        "1. Heat (1995)\n 2. Alien (1979)\n 3. Toy Story (1995)",
        "Here are three:\n\n1. Heat (1995)\n2. Alien (1979)\n3. Toy Story (1995)\n\nEnjoy!",
        "```\n- Heat (1995)\n- Alien (1979)\n- Toy Story (1995)\n```",
        "1. Heat (1995)\n   A thief and a policeman.\n2. Alien (1979)\n   - It is tense.\n"
        "   - It is old.\n3. Toy Story (1995)",
        '["Heat (1995)", "Alien (1979)", "Toy Story (1995)"]',
        '[{"title": "Heat (1995)", "why": "crime"}, {"title": "Alien (1979)"},\n'
        '  {"title": "Toy Story (1995)"}]',
        '{"recommendations": ["Heat (1995)", "Alien (1979)", "Toy Story (1995)"]}',
        '{"recommendations": [{"title": "Heat (1995)"}, {"title": "Alien (1979)"}, '
        '{"title": "Toy Story (1995)"}]}',
        'Here you are:\n```json\n["Heat (1995)", "Alien (1979)", "Toy Story (1995)"]\n```\nEnjoy!',
        'I recommend: ["Heat (1995)", "Alien (1979)", "Toy Story (1995)"]. Enjoy - all of them.',
        "<think>\n1. Jaws\n2. Big\n</think>\n1. Heat (1995)\n2. Alien (1979)\n3. Toy Story (1995)",
        "- Jaws\n</think>\n1. Heat (1995)\n2. Alien (1979)\n3. Toy Story (1995)",
    ],
)
def test_forms_of_the_same_list(reply):
    assert parse_list(reply) == THREE


@pytest.mark.parametrize(
    ("reply", "entries"),
    [
        ("1. Heat", ["Heat"]),
        ("- Could you please clarify your request?", ["Could you please clarify your request?"]),
        ("1. 12 Angry Men (1957)\n2. 300", ["12 Angry Men (1957)", "300"]),
        ("1. Dr. No\n2. 2001: A Space Odyssey", ["Dr. No", "2001: A Space Odyssey"]),
        (
            "- Mission: Impossible - Fallout\n- M*A*S*H",
            ["Mission: Impossible - Fallout", "M*A*S*H"],
        ),
        (
            "1. Heat, Alien\n2. Jaws (1975) and Big (1988)",
            ["Heat, Alien", "Jaws (1975) and Big (1988)"],
        ),
    ],
)
def test_a_line_is_an_entry_whatever_stands_on_it(reply, entries):
    assert parse_list(reply) == entries


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", Reason.EMPTY),
        (" \n ", Reason.EMPTY),
        ("<think>\n1. Heat (1995)\n2. Alien (1979)", Reason.EMPTY),
        ("ok", Reason.NO_LIST),
        ("OK.", Reason.NO_LIST),
        ("Could you please clarify your request?", Reason.NO_LIST),
        ("I'm sorry, but I can't recommend films.", Reason.NO_LIST),
        ("Heat", Reason.NO_LIST),
        ("Heat (1995)\nAlien (1979)\nToy Story (1995)", Reason.NO_LIST),
        ("Heat (1995), Alien (1979), Toy Story (1995)", Reason.NO_LIST),
        ("Heat (1995) | Alien (1979)", Reason.NO_LIST),
        ("I recommend **Heat (1995)** and “Alien (1979)”.", Reason.NO_LIST),
        ("**Heat (1995)**\n**Alien (1979)**", Reason.NO_LIST),
        ("### 1. Heat\n### 2. Alien", Reason.NO_LIST),
        ("I. Heat\nII. Alien", Reason.NO_LIST),
        ("a) Heat\nb) Alien", Reason.NO_LIST),
        ("1\ufe0f\u20e3 Heat\n2\ufe0f\u20e3 Alien", Reason.NO_LIST),
        ("(1) Heat\n(2) Alien", Reason.NO_LIST),
        ("1.Heat\n2.Alien", Reason.NO_LIST),
        ("-Heat\n-Alien", Reason.NO_LIST),
        ("12 Angry Men (1957)\n2 Guns", Reason.NO_LIST),
        ("0. Heat\n1. Alien", Reason.NO_LIST),
        ("2. Heat\n3. Alien", Reason.NO_LIST),
        ("- ...\n- ---", Reason.NO_LIST),
        ("1.\n2.", Reason.NO_LIST),
        ("- " + "word " * 41, Reason.NO_LIST),
        ("1. Heat\n3. Alien", Reason.SEVERAL_LISTS),
        ("1. Heat\n1. Alien", Reason.SEVERAL_LISTS),
        ("1. Heat\n2. Alien\n\nAlso:\n1. Toy Story", Reason.SEVERAL_LISTS),
        ("1. Heat\nA thief.\n2. Alien\nTense.", Reason.SEVERAL_LISTS),
        ("You liked:\n- Heat\n- Jaws\n\nRecommendations:\n- Alien\n- Big", Reason.SEVERAL_LISTS),
        ("- Heat\n* Alien", Reason.SEVERAL_LISTS),
        ("1. Heat\n2. Alien\n- Jaws", Reason.SEVERAL_LISTS),
        ('["Heat"]\n["Alien"]', Reason.SEVERAL_LISTS),
        ('["Heat"]\n["Alien"]\n- Jaws\n- Big', Reason.SEVERAL_LISTS),
        ('1. Heat\n2. Alien\n\n{"films": ["Jaws"]}\n\n1. Big', Reason.SEVERAL_LISTS),
        ('["Heat (1995)", "Alien', Reason.BROKEN_JSON),
        ('1. Heat\n2. Alien\n{"more": ', Reason.BROKEN_JSON),
        ('["Heat", 7]', Reason.NO_LIST),
        ('["Heat", " "]', Reason.NO_LIST),
        ('[{"title": "Heat"}, {"name": "Alien"}]', Reason.NO_LIST),
        ('{"recommendations": ["Heat"], "recommendations": ["Alien"]}', Reason.NO_LIST),
        ('{"films": ["Heat", "Alien"]}', Reason.NO_LIST),
        ('[["Heat", "Alien"]]', Reason.NO_LIST),
        ("['Heat', 'Alien']", Reason.NO_LIST),
        ("[1, 2]", Reason.NO_LIST),
        (json.dumps(["x" * 201]), Reason.NO_LIST),
        ("x" * (LONGEST_REPLY + 1), Reason.REPLY_TOO_LONG),
    ],
)
def test_what_is_no_list_has_its_reason(reply, reason):
    assert parse_list(reply) is reason


@pytest.mark.parametrize(
    "reply",
    [
        'You liked:\n- Jaws\n\n["Heat", "Alien"]',
        "I looked for:\n- crime\n- space\n\n"
        '```json\n{"recommendations": ["Heat", "Alien"]}\n```\n1. Both are old.\n2. Both are long.',
        '[{"title": "Heat"}, {"title": "Alien"}]\n* Enjoy!\n\n{"note": "- none"}',
    ],
)
def test_the_only_json_list_is_the_list_whatever_lines_stand_around_it(reply):
    assert parse_list(reply, 2) == ["Heat", "Alien"]


def test_indented_lines_that_count_on_are_not_passed_over():
    assert parse_list("1. Heat\n  2. Alien\n  3. Up", 3) is Reason.SEVERAL_LISTS
    assert parse_list("1. Heat\n2. Up\n\n\n  3. Her", 3) is Reason.SEVERAL_LISTS
    assert parse_list("1. Heat\n  1. by Mann\n2. Up", 2) == ["Heat", "Up"]


def test_json_in_a_line_of_a_list_belongs_to_its_entry():
    assert parse_list('1. Heat {"year": 1995}\n2. Alien', 2) == ['Heat {"year": 1995}', "Alien"]
    assert parse_list('My list: ["Heat", "Alien"]', 2) == ["Heat", "Alien"]


@pytest.mark.parametrize(
    "entry, title",
    [
        ('{"title": "Heat", "year": 1995}', "Heat (1995)"),
        ('{"title": "Heat (1995)", "year": "1995"}', "Heat (1995)"),
        ('{"title": "Heat", "year": "long ago"}', "Heat"),
    ],
)
def test_an_object_of_json_keeps_the_year_of_its_title(entry, title):
    assert parse_list(f'[{entry}, {{"title": "Up"}}]', 2) == [title, "Up"]


@pytest.mark.parametrize(
    "reply",
    ["- Could you please clarify your request?", "1. I need more info", "Well:\n\n* Heat\n\nOK?"],
)
def test_one_line_alone_is_a_list_only_where_one_title_was_asked_for(reply):
    assert parse_list(reply, 2) is Reason.NO_LIST
    assert parse_list(reply, 10) is Reason.NO_LIST
    assert len(parse_list(reply, 1)) == 1


def test_fewer_and_more_than_were_asked_for_are_read():
    assert parse_list("1. Heat\n2. Alien", 5) == ["Heat", "Alien"]
    assert parse_list('["Heat"]', 5) == parse_list('{"recommendations": ["Heat"]}', 5) == ["Heat"]
    assert len(parse_list("\n".join(f"{n}. Film {n}" for n in range(1, 31)), 5)) == 30


def test_a_reply_that_was_cut_off_is_read_once_it_has_as_many_as_were_asked_for():
    cut = "1. Heat (1995)\n2. Alien (1979)\n3. Toy St"
    assert parse_list(cut, 2, "length") == THREE[:2]
    assert parse_list(cut, 3, "length") is Reason.CUT_OFF
    assert parse_list("ok", 3, "length") is Reason.CUT_OFF
    assert parse_list("", 3, "length") is Reason.CUT_OFF
    assert parse_list("<think>1. Jaws\n2. Big\n3. Up", 2, "max_tokens") is Reason.CUT_OFF
    assert parse_list(cut, 2, "error") is Reason.ENDED
    assert parse_list('["Heat", "Al', 1, "length") is Reason.CUT_OFF


def test_what_a_database_cannot_hold_is_replaced():
    assert parse_list('["He\\u0000at", "Al\\ud800ien"]') == ["He\ufffdat", "Al?ien"]
    assert parse_list("- He\x00at") == ["He\ufffdat"]


def test_more_titles_than_any_list_has_are_refused():
    for reply in (json.dumps(["Heat"] * 1001), "\n".join(["- Heat"] * 1001)):
        assert parse_list(reply) is Reason.TOO_MANY_TITLES
    assert len(parse_list(json.dumps(["Heat"] * 1000))) == 1000


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("Heat", "Heat"),
        ("Heat (1995)", "Heat (1995)"),
        ("Heat (1995) - a thief", "Heat (1995)"),
        ("**Heat** (1995)", "Heat (1995)"),
        ("**Heat (1995)**: a thief", "Heat (1995)"),
        ("**Heat**: a thief", "Heat"),
        ("**Heat:** a thief", "Heat"),
        ('"Heat (1995)"', "Heat (1995)"),
        ('"Heat" (1995) – a film', "Heat (1995)"),
        ('**"Heat"** (1995)', "Heat (1995)"),
        ("“Heat”, a film", "“Heat”, a film"),
        ('"Crocodile" Dundee II (1988)', '"Crocodile" Dundee II (1988)'),
        ("Heat (1995), Alien (1979)", "Heat (1995), Alien (1979)"),
        ("*M*A*S*H* (1970)", "*M*A*S*H* (1970)"),
        ("(1995) Heat", "(1995) Heat"),
        ("Heat - a film about a thief", "Heat - a film about a thief"),
        ("Mission: Impossible - Fallout", "Mission: Impossible - Fallout"),
        ("**Heat", "**Heat"),
    ],
)
def test_the_title_on_a_line_of_a_list(line, title):
    assert title_of(line) == title


def test_a_title_in_json_is_taken_to_the_letter():
    assert parse_list('["Heat (1995) - a thief", "**Up**"]') == ["Heat (1995) - a thief", "**Up**"]


@pytest.mark.parametrize(
    "piece",
    [
        "- Heat (1995)\n",
        '["a"] ',
        '[{"',
        "[",
        '{"a":',
        "```\nx\n```\n",
        "<think>",
        "</think>",
        "1. ",
        "- ",
        "( ",
        "* ",
        " ",
        "\u200b",
        "**x (1995)\n",
        "- **a ",
        '- "a ',
        "- " + " " * 50_000,
    ],
)
def test_no_reply_takes_long(piece):
    began = time.process_time()
    parse_list(piece * (100_000 // len(piece)))
    assert time.process_time() - began < 2
