"""Simulate answers to the demo's study of counterfactual explanations. Nobody was asked.

An answer is the nearest whole number to a sum, kept within 1 to 5: how well explanations of a cell
are liked, how lenient the rater is, how well this explanation came out, and what was drawn for the
single answer. Run `python -m tests.demo_files.made_up_answers` to write surveys/ratings.csv anew.
"""

import csv
from datetime import UTC, datetime, timedelta
from pathlib import Path

from analysis import demo
from tests.demo_files.written_parts import chance

SURVEYS = Path(demo.__file__).parent / "surveys"
QUESTIONS = (
    "explainability",
    "informativeness",
    "effectiveness",
    "persuasiveness",
    "transparency",
    "trustworthiness",
    "satisfaction",
)
RATERS = 4  # of each survey; the other places are for visitors
LIKED = {"highest": 3.6, "mean": 3.1, "lowest": 2.6}
STRONGER = {"cf": 1.0, "cf-a": 0.9, "item-sim": 0.5, "genre-jacc": 0.6}  # effect of the level
SD_RATER, SD_ITEM, SD_ANSWER = 0.4, 0.35, 0.7
START = datetime(2025, 4, 7, 9, 0, tzinfo=UTC)


def items():
    with (SURVEYS / "items.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def answers():
    """Return rows of ratings.csv: each survey by raters of its own, in an order of their own."""
    asked = items()
    for number, survey in enumerate(sorted({row["survey"] for row in asked})):
        own = [row for row in asked if row["survey"] == survey]
        for turn in range(RATERS):
            start = START + timedelta(hours=5 * (number * RATERS + turn))
            yield from _sitting(f"simulated-{survey}-{turn + 1}", own, start)


def _sitting(rater, asked, now):
    draw = chance(f"made-up answers {rater}")
    lenient = draw.gauss(0, SD_RATER)
    for item in draw.sample(asked, len(asked)):
        effect = (LIKED[item["cell_level"]] - LIKED["mean"]) * STRONGER[item["cell_score"]]
        quality = chance(f"made-up {item['item']}").gauss(LIKED["mean"] + effect, SD_ITEM)
        for question in QUESTIONS:
            value = round(quality + lenient + draw.gauss(0, SD_ANSWER))
            seconds = round(draw.uniform(2, 9), 1)
            now += timedelta(seconds=seconds)
            yield {
                "item": item["item"],
                "rater": rater,
                "role": "third_party",
                "question": question,
                "value": min(5, max(1, value)),
                "answered_at": f"{now:%Y-%m-%dT%H:%M:%SZ}",
                "seconds": seconds,
            }


def write(path):
    rows = list(answers())
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    write(SURVEYS / "ratings.csv")
