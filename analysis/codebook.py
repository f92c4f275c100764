"""What every column of every exported table means; a test fails where one is missing here."""

from analysis import frames

ITEMS = {
    "item": "Id of the item, unique in the study.",
    "kind": frames.COLUMNS["kind"],
    "recipient": frames.COLUMNS["recipient"],
    "content": frames.COLUMNS["content"],
    "system": frames.COLUMNS["system"],
    "text": "The text that is rated, such as the explanation.",
    "reference": "A text to compare with, such as the recipient's own explanation.",
    "review": "The recipient's review of the content.",
    "feature": "The feature that the text is about.",
    "parent": "Id of the item that this one is a part of, such as its pair of lists.",
    "side": "A or B: on which side of the pair it stands.",
    "position": "Place in its list, from 1.",
}
EXTRA = "Any further column of items.csv, as it was loaded."
RATINGS = {
    "item": frames.COLUMNS["item"],
    "rater": "Pseudonym of the person.",
    "role": "recipient, third_party or expert.",
    "question": frames.COLUMNS["question"],
    "value": "The answer: a number on the question's scale, or the text of a text question.",
    "answered_at": frames.COLUMNS["answered_at"],
    "seconds": "Seconds from showing the item to this answer.",
    "reason": "What the person wrote beside the answer.",
    "first_side": frames.COLUMNS["first_side"],
}
JUDGMENTS = {
    "item": frames.COLUMNS["item"],
    "judge": "Name of the judge.",
    "question": frames.COLUMNS["question"],
    "value": "The judge's answer, samples averaged; blank where there is none.",
    "rationale": "What the judge gave as its reason (of its first sample).",
    "cost_usd": frames.COLUMNS["cost_usd"],
}
SESSIONS = {
    "session": "Number of the session: one person's visit.",
    "rater": "Pseudonym of the person; never a platform's id.",
    "role": "recipient, third_party or expert.",
    "state": "consent, instructions, rating, completed, declined or abandoned.",
    "source": "web: answered here; file: loaded from a file.",
    "excluded": "true if a rule took the person out of the analysis.",
    "exclusion_reason": "That rule.",
    "ratings": "Number of answers.",
    "started_at": "When the session began (UTC).",
    "last_seen_at": "When it was last heard of (UTC).",
    "ended_at": "When it was completed or declined (UTC).",
}
SCORES = {"study": "Name of the study in its address."} | frames.COLUMNS
CODEBOOK = {
    "table": "Name of the exported table.",
    "column": "Name of the column.",
    "meaning": "What it holds.",
}
TABLES = {
    "scores": SCORES,
    "ratings": RATINGS,
    "judgments": JUDGMENTS,
    "items": ITEMS,
    "sessions": SESSIONS,
    "codebook": CODEBOOK,
}
NOTES = {
    "scores": "Every number that people and judges gave, one a row, counted or not: what the "
    "analysis reads.",
    "ratings": "The answers of people that count in the analysis, in the format that can be "
    "loaded.",
    "judgments": "Each judge's latest answers, in the format that can be loaded.",
    "items": "What is rated, extra columns too, in the format that can be loaded.",
    "sessions": "Who came when and how far they got; no addresses, no platform ids.",
    "codebook": "What every column of these tables means, and the study's questions.",
}


def question_meaning(question):
    """A question in one line: its text and its scale."""
    labels = "; ".join(f"{value} = {label}" for value, label in question.scale.points)
    words = labels or question.scale.allowed
    return f"Question: {question.text} Scale: {words}."


def column_rows(extra):
    """(table, column, meaning) of all tables; extra names the study's own item columns."""
    for table, columns in TABLES.items():
        for column, meaning in columns.items():
            yield table, column, meaning
        if table == "items":
            yield from ((table, name, EXTRA) for name in extra)
