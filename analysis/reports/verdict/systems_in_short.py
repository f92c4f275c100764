"""Say in one sentence which judges may compare systems."""

from analysis.stats.validation.answers import Answer, Reason

MOST_NAMED = 3  # judges in a sentence
USE = "Comparing systems in place of people"


def say_systems(rows):
    """Return a sentence on comparing systems; blank where there are no two to be compared.

    rows: of the verdict's judges on all systems, not on two of them.
    """
    rows = [row for row in rows if row["verdict"] != Reason.NOT_COMPARABLE]
    answers = {row["answer"] for row in rows}
    if not rows:
        return ""
    if Answer.YES in answers:
        yes = [row for row in rows if row["answer"] == Answer.YES]
        names = ", ".join(f"{row['evaluator']} ({row['question']})" for row in yes[:MOST_NAMED])
        others = " and others" if len(yes) > MOST_NAMED else ""
        return f"{USE}: {names}{others}, for these systems only; a new system is untested."
    if answers == {Answer.NO}:
        return f"{USE}: no judge may."
    return f"{USE} cannot be decided yet."
