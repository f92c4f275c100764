"""Say from which mean rating on people find an item good."""

from analysis.reports.shared.labels import positive_from


def keys_with_cut(questions, options):
    """Return the keys of the ordered questions of which some answers are positive."""
    return [
        question.key
        for question in questions
        if question.scale.is_ordered and positive_from(question, options.threshold) is not None
    ]


def cuts_of(scores, questions=None):
    """Return {place: least mean rating that is positive} of ordered questions; None: unknown.

    questions: keys of those wanted; None means all.
    """
    return {
        place: positive_from(question, scores.options.threshold)
        for place, question in enumerate(scores.questions)
        if question.scale.is_ordered and (not questions or question.key in questions)
    }


def threshold_notes(scores, cuts, what="ROC"):
    """Tell which ratings are positive, and which questions have no threshold."""
    if not cuts:
        return [f"No {what}: no question has answers with an order."]
    keys = {place: scores.questions[place].key for place in cuts}
    given = [f"{keys[place]} ≥ {cut:g}" for place, cut in cuts.items() if cut is not None]
    missing = [keys[place] for place, cut in cuts.items() if cut is None]
    notes = [f"Positive is a reference of: {', '.join(given)}."] if given else []
    if missing:
        notes.append(
            f"No {what} for {', '.join(missing)}: a number without ends needs a threshold."
        )
    return notes
