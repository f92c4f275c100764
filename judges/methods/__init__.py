"""What a judge is asked, of which items, in which words, and how its reply is read.

A method says all that differs between asking each question on its scale, asking whether one
recommendation fits, asking which of two lists fits better, writing a recipient's profile,
asking a recommender under test, extracting statements, and proposing topics. `of` finds the one of
a run by its frozen settings; runs from before there were methods have none.
"""

from judges.methods.extract.method import Extraction
from judges.methods.profile.method import Writer
from judges.methods.questions import Questions
from judges.methods.recommend.method import Recommender
from judges.methods.topics.method import Topics
from judges.methods.verdicts.fit import Fit
from judges.methods.verdicts.pairwise import Pairwise
from judges.methods.verdicts.similarity import Similarity
from judges.methods.verdicts.support import Support
from judges.models import Judge

METHODS = {
    Judge.Method.QUESTIONS: Questions(),
    Judge.Method.FIT: Fit(),
    Judge.Method.PAIRWISE: Pairwise(),
    Judge.Method.PROFILE: Writer(),
    Judge.Method.RECOMMENDER: Recommender(),
    Judge.Method.EXTRACTION: Extraction(),
    Judge.Method.SUPPORT: Support(),
    Judge.Method.TOPICS: Topics(),
}
SIMILARITY = Similarity()


def of(frozen):
    """The method of a run with calls, by its frozen settings."""
    return METHODS[Judge.Method(frozen.get("method", Judge.Method.QUESTIONS))]


def of_judge(judge):
    """The method of a judge."""
    return SIMILARITY if judge.kind == Judge.Kind.SBERT else METHODS[Judge.Method(judge.method)]
