"""Draw scores that know nothing from a seed."""

import json
import random

from judges.scorers.base import Score

NO_POINTS = "the question’s scale has no ends to draw between"


class Random:
    """Draws a point of each question's scale.

    It depends on the seed, the item's id and the question's key, and on no order of rows.
    """

    def __init__(self, frozen):
        self.seed = frozen["seed"]

    def __call__(self, units):
        return [[self.score(unit.item, question) for question in unit.questions] for unit in units]

    def score(self, item, question):
        points = question.scale.points
        if not points:
            return Score(reason=NO_POINTS)
        # JSON, so that no two triples give the same text. Only random() is promised to stay.
        draw = random.Random(json.dumps([self.seed, item.key, question.key]))
        return Score(float(points[int(draw.random() * len(points))][0]))
