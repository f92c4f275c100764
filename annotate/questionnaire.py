"""The order of a study's questions: numbered from 0, without gaps, as study.yaml numbers them."""


def renumber(study, keys=None):
    """Numbers the questions as they stand, or in the order of the keys."""
    questions = list(study.questions.all())
    if keys is not None:
        questions.sort(key=lambda question: keys.index(question.key))
    for position, question in enumerate(questions):
        if question.position != position:
            study.questions.filter(pk=question.pk).update(position=position)


def move(question, step):
    """The question changes places with the one before (-1) or after it (1), if there is one."""
    keys = list(question.study.questions.values_list("key", flat=True))
    here = keys.index(question.key)
    there = min(max(here + step, 0), len(keys) - 1)
    keys[here], keys[there] = keys[there], keys[here]
    renumber(question.study, keys)


def remove(question):
    """Deletes the question; those behind it move up."""
    question.delete()
    renumber(question.study)
