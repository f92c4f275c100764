"""Tell which questions a judge answers on the scale that people answer them on.

Only on those can a stopping plan decide about it: a judge with a scale
of its own has no level to be tested.
"""

from functools import partial

from judges import methods
from judges.models import Judge
from judges.scorers import ON_SCALE, SCORERS


def answered_questions(judge, questions):
    """Return those of the study's questions that the judge answers on their scales.

    A judge whose values come from a file may answer each of them.
    """
    if judge.judges_nothing:
        return []
    if judge.kind == Judge.Kind.ENSEMBLE:
        return _of_ensemble(judge, questions)
    if judge.kind in SCORERS:
        return list(filter(partial(_computes, SCORERS[judge.kind]), questions))
    return _of_llm(judge, questions) if judge.kind == Judge.Kind.LLM else list(questions)


def _of_ensemble(judge, questions):
    """Return what all members answer; one that learns its weights predicts people's answers."""
    members = [answered_questions(member, questions) for member in judge.members.all()]
    if judge.rule == Judge.Rule.LEARNED:
        return list(questions)
    return [question for question in questions if all(question in row for row in members)]


def _computes(scorer, question):
    return scorer.scale == ON_SCALE or question.scale.level in scorer.on_scale_of


def _of_llm(judge, questions):
    method = methods.of_judge(judge)
    try:
        asked = method.questions(judge, list(questions))
    except ValueError:
        return []
    return [question for question in asked if method.is_on_scale(judge, question)]
