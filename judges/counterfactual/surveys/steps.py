"""How far a study is made, in trainings: a question of CF is 86 of them, another one two.

Questions alone would let a bar of a large catalogue stand still for hours. What stands in the
folder counts as whole, whoever made it; of the question under way here its trainings so far count.
"""

from itertools import combinations

from judges.counterfactual.surveys.plan import CELLS, SEEN, SHOWN

SUBSETS = len([*combinations(range(SEEN), SHOWN)])


def trainings_of(number):
    """Of question `number`, from 1: the original model, each candidate of CF, what is shown."""
    score, _ = CELLS[number - 1]
    return 1 + (SUBSETS if score == "cf" else 0) + 1


class Steps:
    """tell(done, whole) is called with trainings; made: which of the places are made."""

    def __init__(self, places, made, tell):
        self.places, self.made, self.tell = places, made, tell
        self.whole = sum(trainings_of(number) for _, number in places)
        self.n_made, self.kept = -1, 0
        self.place, self.under_way, self.most = None, 0, 0

    def begin(self, place):
        """A question is begun here, with its original model."""
        self.most = trainings_of(place[1]) - 1  # its last step is that it is kept
        self.place, self.under_way = place, 0

    def train(self):
        """One more training; a history that is drawn anew adds none to the whole."""
        self.under_way = min(self.under_way + 1, self.most)

    def say(self, n_made):
        """n_made: questions that stand in the folder, read again where there are more."""
        if n_made != self.n_made:
            made = self.made()
            self.kept, self.n_made = sum(trainings_of(number) for _, number in made), n_made
            if self.place in made:  # else somebody else made one meanwhile
                self.under_way = 0
        self.tell(min(self.kept + self.under_way, self.whole), self.whole)
