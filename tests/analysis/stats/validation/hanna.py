"""HANNA's ratings and judgments as arrays; what tests of the verdict share."""

import csv
from collections import defaultdict
from functools import cache

import numpy as np

from analysis.stats.validation.criteria import Scale
from analysis.stats.validation.evidence import gather_reference

QUESTIONS = ("relevance", "coherence", "empathy", "surprise", "engagement", "complexity")
FIVE = Scale(1, 5)


@cache
def load(folder):
    """Return groupings, {question: reference} and {(judge, question): answers (1056,)}."""
    items = _rows(folder / "items.csv")
    place = {row["item"]: number for number, row in enumerate(items)}
    groupings = {
        name: np.unique([row[name] for row in items], return_inverse=True)[1]
        for name in ("system", "content")
    }
    groupings["human"] = np.array([int(row["system"] == "Human") for row in items])
    ratings = defaultdict(list)
    for row in _rows(folder / "ratings.csv"):
        ratings[row["question"]].append(
            (float(row["value"]), place[row["item"]], int(row["rater"][1:]) - 1)
        )
    references = {
        question: gather_reference(
            *map(np.array, zip(*ratings[question], strict=True)),
            len(items),
            FIVE,
            clusters=groupings["content"],
            groupings={name: groupings[name] for name in ("system", "content")},
        )
        for question in QUESTIONS
    }
    judges = defaultdict(lambda: np.full(len(items), np.nan))
    for row in _rows(folder / "judgments.csv"):
        if row["question"]:
            judges[row["judge"], row["question"]][place[row["item"]]] = float(row["value"])
    return groupings, references, dict(judges)


def _rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))
