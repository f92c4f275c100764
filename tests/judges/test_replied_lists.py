"""Whatever a recommender replies: read as a list of titles, or a reason, never a guess."""

import json
import time

import pytest

from judges.parsing import LONGEST_REPLY, Reason
from judges.replied_lists import read

HEAT, ALIEN, TOYS = "Heat (1995)", "Alien (1979)", "Toy Story (1995)"


def titles(reply, *args, **options):
    found = read(reply, *args, **options)
    return found if isinstance(found, Reason) else [one.title for one in found]


@pytest.mark.parametrize(
    "reply",
    [
        "Heat (1995)\nAlien (1979)\nToy Story (1995)",
        "\n\nHeat (1995)\r\n\r\nAlien (1979)\r\nToy Story (1995)\n\n",
        "1. Heat (1995)\n2. Alien (1979)\n3. Toy Story (1995)",
        "1) Heat (1995)\n2) Alien (1979)\n3) Toy Story (1995)",
        "(1) Heat (1995)\n(2) Alien (1979)\n(3) Toy Story (1995)",
        "1 - Heat (1995)\n2 - Alien (1979)\n3 - Toy Story (1995)",
        "1. Heat (1995)\n1. Alien (1979)\n1. Toy Story (1995)",
        "**1. Heat (1995)**\n**2. Alien (1979)**\n**3. Toy Story (1995)**",
        "- Heat (1995)\n- Alien (1979)\n- Toy Story (1995)",
        "• Heat (1995)\n• Alien (1979)\n• Toy Story (1995)",
        "* **Heat** (1995)\n* **Alien (1979)**\n* *Toy Story (1995)*",
        '1. "Heat" (1995)\n2. “Alien (1979)”\n3. "Toy Story (1995)"',
        "Here are three:\n\n1. Heat (1995)\n2. Alien (1979)\n3. Toy Story (1995)\n\nEnjoy!",
        "Sure! Here are films that you may like:\nHeat (1995)\nAlien (1979)\nToy Story (1995)\n\n"
        "I hope you enjoy these!",
        "1. Heat (1995) - a crime drama about a thief\n2. Alien (1979): so tense!\n"
        "3. Toy Story (1995) – you rated films for children high",
        "1. Heat (1995)\n   A thief and a policeman.\n2. Alien (1979)\n   - It is tense.\n"
        "3. Toy Story (1995)",
        "Gerne! Hier sind drei Filme:\nHeat (1995)\nAlien (1979)\nToy Story (1995)\n\n"
        "Ich hoffe, dass dir diese Filme gefallen!",
        "Hier sind drei, die gut passen könnten\nHeat (1995)\nAlien (1979)\nToy Story (1995)",
        "¡Claro! Aquí tienes tres:\nHeat (1995)\nAlien (1979)\nToy Story (1995)\n\n"
        "Espero que te gusten mucho.",
        "Heat (1995), Alien (1979), Toy Story (1995)",
        "Heat (1995), Alien (1979), and Toy Story (1995).",
        "Heat (1995); Alien (1979); Toy Story (1995)",
        '["Heat (1995)", "Alien (1979)", "Toy Story (1995)"]',
        '```json\n["Heat (1995)", "Alien (1979)", "Toy Story (1995)"]\n```',
        '{"recommendations": [{"title": "Heat", "year": 1995}, {"title": "Alien (1979)"}, '
        '{"name": "Toy Story (1995)"}]}',
        'Since you like crime, try "Heat" (1995). You may also like "Alien" (1979), which is '
        'tense, and of course "Toy Story" (1995).',
        "I recommend **Heat (1995)**, **Alien (1979)** and **Toy Story (1995)** because they are "
        "all as good as what you rated high.",
    ],
)  # fmt: skip
def test_forms_of_the_same_list(reply):
    assert titles(reply) == [HEAT, ALIEN, TOYS]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", Reason.EMPTY),
        ("None.", Reason.DECLINED),
        (" \n ", Reason.EMPTY),
        ("I'm sorry, but I can't recommend films.", Reason.DECLINED),
        ("Es tut mir leid, ich kann nichts empfehlen.", Reason.DECLINED),
        ("Lo siento, pero no puedo recomendar nada.", Reason.DECLINED),
        ("As an AI language model I have no opinion.", Reason.DECLINED),
        ("I would recommend Heat and Alien because you like them a lot.", Reason.PROSE),
        ("You might like Heat, Alien, and Toy Story.", Reason.PROSE),
        ('Since you liked "Heat (1995)", you may like "Alien (1979)".', Reason.PROSE),
        ('This recommendation is based on "Heat". It is a film.', Reason.PROSE),
        ('I would not watch "Heat".', Reason.PROSE),
        ('I would not watch "Heat" because you rated "Alien" high.', Reason.PROSE),
        ("Heat\nA crime drama about a thief who plans a robbery.\nAlien\nTense.", Reason.PROSE),
        ('["Heat (1995)", "Alien', Reason.BROKEN_JSON),
        ("['Heat', 'Alien']", Reason.BROKEN_JSON),
        ('{"rating": 5}', Reason.NO_LIST),
        ('{"a": ["Heat"], "b": ["Alien"]}', Reason.NO_LIST),
        ("[1, 2]", Reason.NO_LIST),
        ("[[]]" * 3, Reason.NO_LIST),
        ("x" * (LONGEST_REPLY + 1), Reason.REPLY_TOO_LONG),
        ("word " * 200, Reason.PROSE),
    ],
)
def test_what_cannot_be_read_has_its_reason(reply, reason):
    assert read(reply) is reason


def test_titles_that_look_like_something_else_stay_whole():
    lines = [
        "3:10 to Yuma", "12 Angry Men", "2001: A Space Odyssey", "300: Rise of an Empire",
        "You've Got Mail (1998)", "I, Robot (2004)", "I Am Legend", "Thank You for Smoking",
        "You Will Meet a Tall Dark Stranger", "Mars Attacks! (1996)",
        "Mission: Impossible - Fallout",
        "Star Wars: Episode IV - A New Hope", "Spider-Man", "Dude, Where's My Car?",
        "Dr. Strangelove or: How I Learned to Stop Worrying and Love the Bomb",
    ]  # fmt: skip
    assert titles("\n".join(lines)) == lines


def test_an_explanation_goes_and_what_could_be_the_title_is_kept_beside():
    (one, other) = read("Alien: Covenant - a sequel to Prometheus\nHeat: a film about a thief")
    assert (one.title, other.title) == ("Alien: Covenant", "Heat")
    assert one.whole == "Alien: Covenant - a sequel to Prometheus"


def test_numbers_that_do_not_count_are_parts_of_titles():
    assert titles("Heat\n300: Rise of an Empire\n10: The Film") == [
        "Heat", "300: Rise of an Empire", "10: The Film",
    ]  # fmt: skip


def test_a_comma_within_a_title_of_the_catalogue_ends_nothing():
    known = {"Monsters, Inc.", "Good, the Bad and the Ugly, The (1966)"}
    reply = "Monsters, Inc., Good, the Bad and the Ugly, The (1966), Heat, Net, The (1995)"
    assert titles(reply, is_title=lambda text: text in known) == [
        "Monsters, Inc.", "Good, the Bad and the Ugly, The (1966)", "Heat", "Net, The (1995)",
    ]  # fmt: skip


def test_fewer_and_more_than_were_asked_for_are_read():
    assert titles("Heat", 5) == ["Heat"]
    assert len(read("\n".join(f"{n}. Film {n}" for n in range(1, 31)), 5)) == 30


def test_a_reply_that_was_cut_off_is_read_once_it_has_as_many_as_were_asked_for():
    cut = "1. Heat (1995)\n2. Alien (1979)\n3. Toy St"
    assert titles(cut, 2, "length") == [HEAT, ALIEN]
    assert read(cut, 3, "length") is Reason.CUT_OFF
    assert read("", 3, "length") is Reason.EMPTY
    assert read('["Heat", "Al', 1, "length") is Reason.CUT_OFF


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("1.Heat (1995)\n2.Alien (1979)\n3.**Toy Story** (1995)", [HEAT, ALIEN, TOYS]),
        ("1.) Heat (1995)\n2.) Alien (1979)", [HEAT, ALIEN]),
        ("1. Heat (1995)\n2. Alien (1979)\n\nAlso:\n1. Toy Story (1995)", [HEAT, ALIEN]),
        ("1. Heat (1995)\n   1. A thief.\n   2. Tense.\n2. Alien (1979)", [HEAT, ALIEN]),
        ("1) Heat (1995) 2) Alien (1979) 3) Toy Story (1995)", [HEAT, ALIEN, TOYS]),
        ("Here you are: 1. Heat (1995), 2. Alien (1979), 3. Toy Story (1995)",
         [HEAT, ALIEN, TOYS]),
        ("300: Rise of an Empire (2014)", ["300: Rise of an Empire (2014)"]),
        ("12 Angry Men (1957)", ["12 Angry Men (1957)"]),
        ("1. 12 Angry Men (1957)\n2. 300", ["12 Angry Men (1957)", "300"]),
        ("2 Guns\n3 Idiots", ["2 Guns", "3 Idiots"]),
        ("<think>\n1. Alien (1979)\n</think>\n1. Heat (1995)", [HEAT]),
    ],
)  # fmt: skip
def test_numbers_of_a_list_are_no_part_of_its_titles(reply, expected):
    assert titles(reply) == expected


@pytest.mark.parametrize(
    "reply",
    [
        "1. Heat (1995)\n3. Alien (1979)",
        "0. Heat (1995)\n1. Alien (1979)",
        "2. Heat (1995)\n3. Alien (1979)",
        "3: Heat (1995)\n2: Alien (1979)",
        "1. Heat (1995)\n1. Alien (1979)\n2. Toy Story (1995)",
        "1 Heat (1995)\n2 Alien (1979)",
        "1.\n2.",
        "1.\nHeat (1995)\n2.\nAlien (1979)",
        "2) Heat (1995) 3) Alien (1979)",
        "| # | Title |\n|---|---|\n| 1 | Heat |\n| 2 | Alien |",
        "1 | Heat\n2 | Alien",
    ],
)
def test_numbers_that_could_be_the_list_s_or_the_title_s_make_no_entry(reply):
    assert read(reply) is Reason.NO_LIST


def test_thoughts_that_never_end_leave_nothing():
    assert read("<think>\n1. Heat (1995)\n2. Alien (1979)") is Reason.EMPTY


def test_what_a_database_cannot_hold_is_replaced():
    assert titles('["He\\u0000at", "Al\\ud800ien"]') == ["He\ufffdat", "Al?ien"]


def test_more_titles_than_any_list_has_are_refused():
    for reply in (
        json.dumps(["Heat"] * 1001), "\n".join(["Heat"] * 1001), ", ".join(["Heat"] * 1001),
        "Try " + ", ".join(["**Heat**"] * 1001),
    ):  # fmt: skip
        assert read(reply) is Reason.TOO_MANY_TITLES
    assert len(read(json.dumps(["Heat"] * 1000))) == 1000


def test_what_commas_part_is_looked_up_a_few_times_a_piece():
    looked = []
    assert len(read(", ".join(["Heat"] * 200), is_title=looked.append)) == 200
    assert len(looked) <= 7 * 200


@pytest.mark.parametrize(
    "reply",
    [
        "** " + " " * 3000,
        "I like films " + "“" * 20_000,
        "Heat" + " - A" * 20_000,
        "A" + " " * 50_000 + "b",
    ],
)
def test_marks_that_never_close_cost_no_time(reply):
    began = time.process_time()
    read(reply + " x")
    assert time.process_time() - began < 1
