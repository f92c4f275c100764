"""Count the judges that were tried but are shown nowhere: archived, deleted, or gone for good."""

from analysis.reports.shared.labels import LabelNotes


def pairs_gone(asked):
    """Count the deleted judges that had answered the question and whose answers are gone.

    A judge on a scale of its own is no candidate, so that it is not counted here either.
    """
    if not asked.has_ends:
        return 0
    answers, question = asked.scores.answers, asked.question
    notes = LabelNotes(own_scale=answers.own_scale)
    return sum(
        keys.count(question.key)
        for judge, keys in answers.gone
        if notes.says_yes_or_no(judge, question) or not _replaces(answers, judge, question)
    )


def _replaces(answers, judge, question):
    own = answers.own_scale.get(judge)
    return own is not None and own.replaces(question.scale)


def set_aside_note(answers):
    """Yield how many judges of the family are archived or deleted."""
    names = [name for name in answers.set_aside if name not in answers.weighted.values()]
    if names:
        many = "1 judge was" if len(names) == 1 else f"{len(names)} judges were"
        yield (
            f"{many} archived or deleted. What they answered counts in the family all the same; a "
            "deleted judge whose answers are gone counts as one that failed."
        )
