"""Write a study of a shop's replies in which every judge gets a no. Nobody was asked.

Four assistants answer each customer. An assistant solves a problem, solves a part of it, or evades
it; how often differs between assistants, and so does how many words they use. Twelve simulated
raters agree about single replies. Each of the two judges has one trick: to know who wrote a reply,
or to count its words.
"""

from statistics import fmean

from tests.demo_files.simulate import on_scale
from tests.demo_files.written_parts import chance, read_part

ASSISTANTS = {  # how many of twelve replies (evade, solve a part, solve), sentences of politeness
    "Ardent": ((0, 3, 9), 2),
    "Brisk": ((1, 4, 7), 1),
    "Civil": ((6, 4, 2), 2),
    "Dry": ((10, 2, 0), 1),
}
HELP = (1.8, 3.0, 4.1)  # mean answer to a reply that evades, solves a part, solves
RATERS = [f"simulated-{number:02}" for number in range(1, 13)]
RATINGS_AN_ITEM = 3
SD_REPLY, SD_RATER, SD_ANSWER, SD_JUDGE = 0.3, 0.3, 1.0, 0.3
QUESTION = "helpfulness"
KNOWS_SYSTEM = "Simulated judge that knows the assistant"
COUNTS_WORDS = "text length"


def tables():
    """Return {name of a file: its rows}."""
    replies = list(_replies())
    columns = ("item", "kind", "content", "system", "text")
    return {
        "contents": _contents(),
        "items": [{column: reply[column] for column in columns} for reply in replies],
        "ratings": list(_ratings(replies)),
        "judgments": list(_judgments(replies)),
    }


def _cases():
    """Return (key, product, problem) of every customer: each product with four problems."""
    products, problems = read_part("helpdesk")["products"], read_part("helpdesk")["problems"]
    names = list(problems)
    return [
        (f"{product.replace(' ', '-')}-{name}", product, problems[name])
        for turn, product in enumerate(products)
        for name in (names[(turn + step) % len(names)] for step in range(4))
    ]


def _contents():
    return [
        {
            "content": key,
            "title": f"A {product}, {problem['title']}",
            "description": problem["asks"].format(product=product),
        }
        for key, product, problem in _cases()
    ]


def _replies():
    """Yield each reply with its grade: 0 evades, 1 solves a part, 2 solves."""
    polite = read_part("helpdesk")["polite"]
    grades = {system: _deal(system, shares) for system, (shares, _) in ASSISTANTS.items()}
    for number, (key, product, problem) in enumerate(_cases()):
        letters = chance(f"helpdesk letters {key}").sample(list(ASSISTANTS), len(ASSISTANTS))
        for letter, system in zip("abcd", letters, strict=True):
            draw = chance(f"helpdesk text {key} {system}")
            grade, most = grades[system][number], ASSISTANTS[system][1]
            more = draw.sample(polite, min(len(polite), draw.randint(max(0, most - 1), most)))
            text = " ".join([problem["replies"][grade].format(product=product), *more])
            yield {
                "item": f"{key}-{letter}",
                "kind": "text",
                "content": key,
                "system": system,
                "text": text,
                "quality": HELP[grade] + draw.gauss(0, SD_REPLY),
            }


def _deal(system, shares):
    """Return a grade for each customer, in shuffled order, in the shares of the assistant."""
    count = len(_cases())
    dealt = [grade for grade, share in enumerate(shares) for _ in range(share)]
    grades = [dealt[place % len(dealt)] for place in range(count)]
    return chance(f"helpdesk grades {system}").sample(grades, count)


def _ratings(replies):
    """Yield three ratings of each reply, by raters in turn, so that each has as many."""
    lenient = {rater: chance(f"helpdesk {rater}").gauss(0, SD_RATER) for rater in RATERS}
    turn = 0
    for reply in chance("helpdesk order").sample(replies, len(replies)):
        for _ in range(RATINGS_AN_ITEM):
            rater = RATERS[turn % len(RATERS)]
            turn += 1
            draw = chance(f"helpdesk {rater} {reply['item']}")
            value = reply["quality"] + lenient[rater] + draw.gauss(0, SD_ANSWER)
            yield {
                "item": reply["item"],
                "rater": rater,
                "role": "third_party",
                "question": QUESTION,
                "value": on_scale(value),
            }


def _judgments(replies):
    of_system = {
        system: fmean(reply["quality"] for reply in replies if reply["system"] == system)
        for system in ASSISTANTS
    }
    for reply in replies:
        draw = chance(f"helpdesk judges {reply['item']}")
        values = {
            KNOWS_SYSTEM: on_scale(of_system[reply["system"]] + draw.gauss(0, SD_JUDGE)),
            COUNTS_WORDS: len(reply["text"].split()),
        }
        for judge, value in values.items():
            yield {
                "item": reply["item"],
                "judge": judge,
                "question": QUESTION,
                "value": value,
            }
