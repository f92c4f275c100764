"""Count how far a study is made, in trainings: a question of CF is 86 of them, another one two.

Questions alone would let a bar of a large catalogue stand still for hours. Questions that are kept
count as whole; of the question under way its trainings so far count.
"""

from itertools import combinations

from judges.counterfactual.surveys.plan import CELLS, SEEN, SHOWN

REPEAT = 2  # trainings: another seed's original, and without the explanation
SUBSETS = len([*combinations(range(SEEN), SHOWN)])


def trainings_of(number):
    """Count trainings of question `number`, from 1: original, each candidate of CF, the shown."""
    score, _ = CELLS[number - 1]
    return 1 + (SUBSETS if score == "cf" else 0) + 1


class Steps:
    """Counts trainings.

    numbers: of all questions, from 1 in each survey; kept: of those kept. repeats: how many times
    questions are scored by other seeds; repeated: how many of these are kept.
    """

    def __init__(self, numbers, kept=(), repeats=0, repeated=0):
        self.whole = sum(map(trainings_of, numbers)) + REPEAT * repeats
        self.kept = sum(map(trainings_of, kept)) + REPEAT * repeated
        self.under_way = self.most = 0

    @property
    def done(self):
        return self.kept + self.under_way

    def begin(self, number):
        """Begin a question with its original model."""
        self.most = trainings_of(number) - 1  # its last step is that it is kept
        self.under_way = 0

    def train(self):
        """Count one more training; a history that is drawn anew adds none to the whole."""
        self.under_way = min(self.under_way + 1, self.most)

    def keep(self, number):
        """Count the whole question that was under way."""
        self.kept += trainings_of(number)
        self.under_way = self.most = 0

    def begin_repeat(self):
        """Begin to score a question by another seed."""
        self.most, self.under_way = REPEAT - 1, 0

    def keep_repeat(self):
        """Count the whole repeat that was under way."""
        self.kept += REPEAT
        self.under_way = self.most = 0
