"""Say in one sentence what a judge may not be used for: it ends the reason of a verdict."""

from analysis.stats.validation.answers import Answer, Reason

RATE, COMPARE = "rate_items", "compare_systems"
A_RATER, OWN_ANSWER = "a rater", "a recipient's own answer"
ORDER = (Reason.LEVEL_OFF, Reason.ORDER_ONLY)  # which leave the order of items to be used


def say_use(judge, question, answer, reason, whom=A_RATER):
    """Return what a judge may not be used for on a question, by the answer on rating items.

    whom: A_RATER or OWN_ANSWER, in whose place it would be used.
    """
    if reason in ORDER:
        return f"Do not use {judge} for means or single scores on {question}."
    return {
        Answer.YES: "This says nothing of comparing systems.",
        Answer.NO: f"Do not use {judge} in place of {whom} on {question}.",
        Answer.PEOPLE_DISAGREE: f"Do not use {judge}, or any other judge, alone on {question}.",
    }.get(answer, f"Do not use {judge} alone on {question} yet.")


def say_use_of_systems(judge, question, answer):
    """Return what a judge may not be used for on a question, by the answer on systems."""
    return {
        Answer.YES: "This says nothing of rating single items.",
        Answer.NO: f"Do not compare systems by {judge} on {question}.",
    }.get(answer, f"Do not compare systems by {judge} alone on {question} yet.")
