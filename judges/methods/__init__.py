"""Define what a judge is asked, about which items, in which words, and how replies are read.

A method says all that differs between asking each question on its scale, asking whether one
recommendation fits, asking which of two lists fits better, writing a recipient's profile,
asking a recommender under test, extracting statements, and proposing topics. `of_frozen` finds a
run's method by its frozen settings; runs from before there were methods have none.
"""

from functools import cache

from django.utils.module_loading import import_string

from judges.models import Judge

# By path, so that a package of one method is not loaded by every other one.
METHODS = {
    Judge.Method.QUESTIONS: "judges.methods.questions.Questions",
    Judge.Method.FIT: "judges.methods.verdicts.fit.Fit",
    Judge.Method.PAIRWISE: "judges.methods.verdicts.pairwise.Pairwise",
    Judge.Method.PROFILE: "judges.methods.profile.method.Writer",
    Judge.Method.RECOMMENDER: "judges.methods.recommend.method.Recommender",
    Judge.Method.EXTRACTION: "judges.methods.extract.method.Extraction",
    Judge.Method.SUPPORT: "judges.methods.verdicts.support.Support",
    Judge.Method.TOPICS: "judges.methods.topics.method.Topics",
}
# Kinds of scorers that answer other questions, about other items, than those with a text.
KINDS = {Judge.Kind.SBERT: "judges.methods.verdicts.similarity.Similarity"}


def of_frozen(frozen):
    """Return the method of a run with calls, by its frozen settings."""
    return named(frozen.get("method", Judge.Method.QUESTIONS))


def of_judge(judge):
    """Return the method of a judge."""
    return _made(KINDS[judge.kind]) if judge.kind in KINDS else named(judge.method)


def named(name):
    """Return the method of this name; ValueError if there is none."""
    return _made(METHODS[Judge.Method(name)])


@cache
def _made(path):
    return import_string(path)()
