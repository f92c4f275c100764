"""Simulate raters: answers drawn from a quality, a leniency and noise. Nobody was asked.

An answer is the nearest whole number to a sum of normal draws, kept within 1 to 5: how good the
system is in this aspect, how well the film and this text came out (shared by all raters), how
lenient the rater is, how this rater took this item, and what was drawn for the single answer.
"""

from datetime import UTC, datetime, timedelta
from statistics import fmean

from tests.demo_files.texts import is_mistaken
from tests.demo_files.written_parts import chance

QUESTIONS = ["persuasiveness", "transparency", "accuracy", "satisfaction"]
THIRD_PARTIES = ["simulated-third-party-1", "simulated-third-party-2", "simulated-third-party-3"]

MEAN = {  # system -> mean answer to each question; a bare template is at least transparent
    "personal": [4.2, 4.3, 4.2, 4.1],
    "feature": [3.4, 3.9, 3.6, 3.4],
    "template": [2.7, 3.3, 2.9, 2.6],
    "vague": [2.3, 2.1, 2.2, 2.3],
}
MISTAKEN = -0.5  # on accuracy and satisfaction, of a text that is wrong about the recipient
SD_PAIR, SD_ITEM, SD_VIEW, SD_ANSWER = 0.3, 0.6, 0.55, 0.45
SDS_LENIENCY = {"third_party": 0.25, "recipient": 0.35}
JUDGE, SD_JUDGE = "Simulated judge", 0.35  # how far each of its answers strays from what it sees
MISSING = 0.015  # share of answers left out
START = datetime(2025, 3, 3, 9, 0, tzinfo=UTC)


def ratings(items):
    """Return rows of ratings.csv: each item by its recipient and two of three third parties."""
    rows = []
    for number, (rater, role, seen) in enumerate(sittings(items)):
        rows += one_sitting(rater, role, seen, START + timedelta(hours=7 * number))
    return rows


def sittings(items):
    """Return (rater, role, items) of every rater; third parties leave out every third pair."""
    recipients = sorted({item["recipient"] for item in items})
    pairs = list(dict.fromkeys((item["recipient"], item["content"]) for item in items))
    for recipient in recipients:
        own = [item for item in items if item["recipient"] == recipient]
        yield f"simulated-{recipient}", "recipient", own
    for turn, rater in enumerate(THIRD_PARTIES):
        given = {pair for number, pair in enumerate(pairs) if number % 3 != turn}
        yield (
            rater,
            "third_party",
            [item for item in items if (item["recipient"], item["content"]) in given],
        )


def one_sitting(rater, role, items, start):
    """Return the answers of one rater, in a shuffled order of items, with their times."""
    draw = chance(f"sitting {rater}")
    lenient = draw.gauss(0, SDS_LENIENCY[role])
    now, rows = start, []
    for item in draw.sample(items, len(items)):
        view = lenient + draw.gauss(0, SD_VIEW)
        reading = 0.25 * len(item["text"].split())
        for question in QUESTIONS:
            seconds = round(reading + draw.lognormvariate(1.4, 0.5), 1)
            reading, now = 0, now + timedelta(seconds=seconds)
            value = expected(item, question) + view + draw.gauss(0, SD_ANSWER)
            if draw.random() >= MISSING:
                rows.append(
                    {
                        "item": item["item"],
                        "rater": rater,
                        "role": role,
                        "question": question,
                        "value": on_scale(value),
                        "answered_at": f"{now:%Y-%m-%dT%H:%M:%SZ}",
                        "seconds": seconds,
                    }
                )
    return rows


def leniency(rater, role):
    """Return how lenient a rater is: the first draw of the rater's sitting."""
    return chance(f"sitting {rater}").gauss(0, SDS_LENIENCY[role])


def on_scale(value):
    """Return the point of the scale from 1 to 5 that is nearest to a value."""
    return min(5, max(1, round(value)))


def expected(item, question):
    """Return what all raters share: the system's mean in this aspect, and luck of film and text."""
    mean = MEAN[item["system"]][QUESTIONS.index(question)]
    mean += chance(f"pair {item['recipient']} {item['content']}").gauss(0, SD_PAIR)
    mean += chance(f"item {item['item']}").gauss(0, SD_ITEM)
    if question in ("accuracy", "satisfaction") and is_mistaken(item["text"]):
        mean += MISTAKEN
    return mean


def judgments(items):
    """Return rows of judgments.csv: a count of words, and a judge that sees what raters share."""
    return [*(_judged(item, "text length", "", _words(item)) for item in items), *_seeing(items)]


def _words(item):
    return len(item["text"].split())


def _judged(item, judge, question, value):
    return {"item": item["item"], "judge": judge, "question": question, "value": value}


def _seeing(items):
    """Yield the judgments of the simulated judge, which is as lenient as the third parties are."""
    lenient = fmean(leniency(rater, "third_party") for rater in THIRD_PARTIES)
    for item in items:
        draw = chance(f"simulated judge {item['item']}")
        for question in QUESTIONS:
            value = expected(item, question) + lenient + draw.gauss(0, SD_JUDGE)
            yield _judged(item, JUDGE, question, on_scale(value))
