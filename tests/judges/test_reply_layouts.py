"""However a recommender lays its list out, the same titles are read, in the same order."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judges.parsing import Reason
from judges.replied_lists import read
from judges.titles import Catalogue

HEAT, ALIEN, FARGO = "Heat (1995)", "Alien (1979)", "Fargo (1996)"
THREE = [HEAT, ALIEN, FARGO]
NAMES = [
    "Heat", "Alien", "Fargo", "Toy Story", "Twelve Monkeys", "The Net", "Se7en", "12 Angry Men",
    "The Good, the Bad and the Ugly", "Me, Myself & Irene", "I, Robot", "Face/Off", "Léon",
    "Mission: Impossible", "Monsters, Inc.", "Dr. No", "Apollo 13", "Being There", "Spider-Man",
]  # fmt: skip
CATALOGUE = Catalogue({name: f"{name} ({1960 + at})" for at, name in enumerate(NAMES)})
DATED = {name: f"{name} ({1960 + at})" for at, name in enumerate(NAMES)}
ROMAN = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII"]


def titles(reply, **options):
    found = read(reply, **options)
    return found if isinstance(found, Reason) else [one.title for one in found]


def lines(mark, behind=""):
    return lambda names: "\n".join(
        f"{mark(at)}{name}{behind}" for at, name in enumerate(names)
    )  # fmt: skip


LAYOUTS = {
    "plain": lines(lambda at: ""),
    "1.": lines(lambda at: f"{at + 1}. "),
    "1)": lines(lambda at: f"{at + 1}) "),
    "(1)": lines(lambda at: f"({at + 1}) "),
    "#1": lines(lambda at: f"#{at + 1} "),
    "#1:": lines(lambda at: f"#{at + 1}: "),
    "№1": lines(lambda at: f"№{at + 1} "),
    "1st": lines(lambda at: f"{at + 1}{['st', 'nd', 'rd'][at] if at < 3 else 'th'}: "),
    "key": lines(lambda at: f"{at + 1}\ufe0f\u20e3 "),
    "wide": lines(lambda at: f"{chr(0xFF11 + at)}． "),
    "a)": lines(lambda at: f"{chr(97 + at)}) "),
    "A.": lines(lambda at: f"{chr(65 + at)}. "),
    "I.": lines(lambda at: f"{ROMAN[at]}. "),
    "i)": lines(lambda at: f"{ROMAN[at].lower()}) "),
    "-": lines(lambda at: "- "),
    "•": lines(lambda at: "• "),
    "bold": lines(lambda at: f"{at + 1}. **", "**"),
    "quoted": lines(lambda at: f'{at + 1}. "', '"'),
    "explained": lines(lambda at: f"{at + 1}. ", " - because you like films of this kind"),
    "rated": lines(lambda at: f"{at + 1}. ", " – 8.3/10"),
    "stars": lines(lambda at: "- ", " ★★★★☆"),
    "commas": ", ".join,
    "semicolons": "; ".join,
    "strokes": " | ".join,
    "and": lambda names: " and ".join([", ".join(names[:-1]), names[-1]]),
    "JSON": json.dumps,
    "objects": lambda names: json.dumps({"recommendations": [{"title": each} for each in names]}),
    "a line each": lambda names: "\n".join(json.dumps({"title": each}) for each in names),
    "fence": lambda names: f"Here you are:\n```json\n{json.dumps(names)}\n```\nEnjoy!",
    "headed": lambda names: (
        "**You liked:**\n- Heat (1995)\n- Jaws (1975)\n\n**Recommendations:**\n"
        + lines(lambda at: "- ")(names)
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@given(st.lists(st.sampled_from(NAMES), min_size=2, max_size=8, unique=True))
@settings(max_examples=25, deadline=None)
def test_any_list_in_any_layout(layout, names):
    wanted = [DATED[name] for name in names]
    assert titles(LAYOUTS[layout](wanted), is_title=CATALOGUE.has) == wanted


@pytest.mark.parametrize(
    "reply",
    [
        "Heat (1995), Alien (1979) and Fargo (1996)",
        "Heat (1995), Alien (1979), and Fargo (1996).",
        "Heat (1995) | Alien (1979) | Fargo (1996)",
        "1. Heat (1995) / Alien (1979)\n2. Fargo (1996)",
        "- 1. Heat (1995)\n- 2. Alien (1979)\n- 3. Fargo (1996)",
        "> 1. Heat (1995)\n> 2. Alien (1979)\n> 3. Fargo (1996)",
        "1\\. Heat (1995)\n2\\. Alien (1979)\n3\\. Fargo (1996)",
        "1、Heat (1995)\n2、Alien (1979)\n3、Fargo (1996)",
        "### 1. Heat (1995)\nA thief.\n\n### 2. **Alien** (1979)\nSo tense.\n\n"
        "### 3. Fargo (1996)\nSnow.",
        "Here are three.\n\n### Heat (1995)\nA thief plans a robbery with his men.\n\n"
        "### Alien (1979)\nSo tense.\n\n### Fargo (1996)\nIt has a lot of snow.",
        "**Heat (1995)**\nA thief plans a robbery with his men.\n**Alien (1979)**\nSo tense.\n"
        "**Fargo (1996)**\nIt has a lot of snow.",
        "**Recommendations**\nHeat (1995)\nAlien (1979)\nFargo (1996)",
        "①Heat (1995)\n②Alien (1979)\n③ Fargo (1996)",
        "Title: Heat (1995)\nTitle: Alien (1979)\nTitle: Fargo (1996)",
        "1. **Title:** Heat (1995)\n2. **Title:** Alien (1979)\n3. **Title:** Fargo (1996)",
        "Movie 1: Heat (1995)\nMovie 2: Alien (1979)\nMovie 3: Fargo (1996)",
        "They like crime:\n1. Jaws (1975)\n2. Big (1988)\n</think>\n\n1. Heat (1995)\n"
        "2. Alien (1979)\n3. Fargo (1996)",
        "Top picks: Heat (1995), Alien (1979), Fargo (1996)",
        "I recommend: Heat (1995), Alien (1979) and Fargo (1996)",
        "Movies not yet seen by the user:\n1. Heat (1995)\n2. Alien (1979)\n3. Fargo (1996)",
        "Films the user has not rated:\n- Heat (1995)\n- Alien (1979)\n- Fargo (1996)",
        "Heat (1995); Alien (1979); Fargo (1996)",
        "Heat (1995), Alien (1979)\nFargo (1996)",
        "- Heat (1995), Alien (1979)\n- Fargo (1996)",
        "**Heat** (1995), **Alien** (1979) & **Fargo** (1996)",
        "Heat, 1995\nAlien, 1979\nFargo, 1996",
        "Heat – 1995\nAlien – 1979\nFargo – 1996",
        "1. Heat, 1995 - a thief\n2. Alien, 1979 - so tense\n3. Fargo, 1996",
        "Heat, 1995, Alien, 1979, Fargo, 1996",
        "1. Heat (1995) ⭐⭐⭐⭐\n2. Alien (1979) (4.5/5)\n3. Fargo (1996): 9/10",
        "You liked:\n- Jaws (1975)\n- Big (1988)\n\nYou may like:\n- Heat (1995)\n- Alien (1979)\n"
        "- Fargo (1996)",
        "You liked:\nJaws\nBig\n\nRecommendations:\nHeat (1995)\nAlien (1979)\nFargo (1996)",
        "You liked:\na) Jaws\nb) Big\n\nI recommend:\na) Heat (1995)\nb) Alien (1979)\n"
        "c) Fargo (1996)",
        "Films not to miss:\n- Heat (1995)\n- Alien (1979)\n- Fargo (1996)",
        "## Recommendations\n1. Heat (1995)\n2. Alien (1979)\n3. Fargo (1996)\n\n## To avoid\n"
        "1. Jaws (1975)\n2. Big (1988)",
        "Your ratings:\n1. Jaws (1975)\n2. Big (1988)\n\nThe list:\n1. Heat (1995)\n"
        "2. Alien (1979)\n3. Fargo (1996)",
        '{"liked": ["Jaws"], "recommendations": ["Heat (1995)", "Alien (1979)", "Fargo (1996)"]}',
        '{"result": {"history": ["Jaws"], "films": ["Heat (1995)", "Alien (1979)", '
        '"Fargo (1996)"]}}',
        'You rated: ["Jaws", "Big"]\nI recommend: ["Heat (1995)", "Alien (1979)", "Fargo (1996)"]',
        'Rated before:\n```json\n["Jaws"]\n```\nYou liked:\n```json\n["Big"]\n```\n'
        'Recommended:\n```json\n["Heat (1995)", "Alien (1979)", "Fargo (1996)"]\n```',
    ],
)  # fmt: skip
def test_forms_that_hold_more_than_one_line_or_list(reply):
    assert titles(reply) == THREE


@pytest.mark.parametrize(
    "reply",
    [
        '["Heat"]\n["Alien"]',
        '{"films": ["Heat"], "movies": ["Alien"]}',
        '{"liked": ["Heat"]}',
        "You liked:\n1. Heat (1995)\n2. Alien (1979)",
        "Films to avoid:\nHeat\nAlien",
        "```\nHeat\n```\n```\nAlien\n```",
        "You liked:\n1. Heat (1995)\n2. Alien (1979)\n\nTo avoid:\n1. Fargo (1996)\n2. Big (1988)",
    ],
)
def test_lists_of_which_none_is_singled_out_are_none(reply):
    assert read(reply) is Reason.NO_LIST


@pytest.mark.parametrize(
    "reply",
    [
        "### Because you liked Heat (1995)\nYou will find Ronin a treat.\n"
        "### Because you liked Alien (1979)\nYou will find Solaris a treat.",
        "**Heat (1995)**\nA thief plans a robbery with his men.",
    ],
)
def test_headings_that_are_no_list_are_none(reply):
    assert read(reply) is Reason.PROSE


def test_a_title_in_an_explanation_is_no_entry():
    assert titles("1. Heat (1995), a film in the tradition of Bullitt (1968)\n2. Alien (1979)") == [
        HEAT, ALIEN,
    ]  # fmt: skip
    assert titles("Heat (1995) and its remake of L.A. Takedown (1989)\nAlien (1979)") == [
        HEAT, ALIEN,
    ]  # fmt: skip


def test_titles_that_only_look_so_stay_whole():
    names = ["Fahrenheit 9/11", "The Good, the Bad and the Ugly (1966)", "D.O.A.", "1984", "2012"]
    assert titles("\n".join(names)) == names
    assert titles("１．Heat\n２．12 Angry Men") == ["Heat", "12 Angry Men"]
    assert titles("**The New World**\nHeat\nAlien") == ["The New World", "Heat", "Alien"]
    assert titles("1. 8½ (1963)\n2. Heat（1995）, a film") == ["8½ (1963)", "Heat（1995）"]
    assert titles("1. I, Robot\n2. A. I. Artificial Intelligence") == [
        "I, Robot", "A. I. Artificial Intelligence",
    ]  # fmt: skip


@pytest.mark.parametrize("reply", ["\u200b\u200b", "\ufeff \u2060\n", "\u00a0\u00ad\t"])
def test_a_reply_of_what_nobody_sees_is_empty(reply):
    assert read(reply) is Reason.EMPTY


@pytest.mark.parametrize(
    "piece",
    ["Heat (1995), ", "Heat, 1995, ", "[{\"", '["a"] ', "```\nx\n```\n", "# x:\n- y\n", "a) ",
     "1. ", " | A", "- Heat – ", "((", "★ ", "You liked:\n", "\u200b", "i. x\n", "**x (1995)\n",
     "# " + " " * 50_000 + "x"],
)  # fmt: skip
def test_no_reply_takes_long(piece):
    read(piece)  # what is made at the first call
    began = time.process_time()
    read(piece * (100_000 // len(piece)))
    assert time.process_time() - began < 5
