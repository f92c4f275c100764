"""Order a study's questions: numbered from 0, without gaps, as study.yaml numbers them.

Those that are retired stand behind those that are asked.
"""

from annotate.studies.edit import follow_questions


def renumber(study, keys=None):
    """Number the questions as they stand, or in the order of the keys of those that are asked."""
    questions = list(study.questions.all())
    if keys is not None:
        questions.sort(key=lambda question: (*keys, question.key).index(question.key))
    questions.sort(key=lambda question: question.retired)
    for position, question in enumerate(questions):
        if question.position != position:
            study.questions.filter(pk=question.pk).update(position=position)


def move(question, step):
    """Swap the question with the question before (-1) or after it (1), if there is one."""
    asked = question.study.questions.filter(retired=False)
    keys = list(asked.values_list("key", flat=True))
    here = keys.index(question.key)
    there = min(max(here + step, 0), len(keys) - 1)
    keys[here], keys[there] = keys[there], keys[here]
    renumber(question.study, keys)


def remove(question):
    """Delete the question; those behind it move up."""
    question.delete()
    renumber(question.study)
    follow_questions(question.study)


def retire(question, is_over=True):
    """Stop asking the question, or ask it again as the last question."""
    question.study.questions.filter(pk=question.pk).update(retired=is_over)
    asked = question.study.questions.filter(retired=False).exclude(pk=question.pk)
    renumber(question.study, list(asked.values_list("key", flat=True)))
