"""Choose the questions that sBERT-Sim answers about recommendations and pairs of lists."""

from judges.methods.base import Method
from judges.methods.verdicts.verdict import LIST_PAIR, RECOMMENDATION


class Similarity(Method):
    """A cosine answers ordered scales; the list with more high cosines is the better of two."""

    kinds = (RECOMMENDATION, LIST_PAIR)
    shows_lists = compares_profiles = True

    def questions(self, judge, questions):
        return [
            question
            for question in questions
            if question.scale.is_ordered or question.scale.is_about_sides
        ]

    def asks(self, question, item):
        is_pair = item.kind == LIST_PAIR
        return super().asks(question, item) and question.scale.is_about_sides == is_pair
