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
SAMPLES = {
    "run": "Number of the run.",
    "judge": "Name of the judge.",
    "item": frames.COLUMNS["item"],
    "question": frames.COLUMNS["question"],
    "sample": "Number of the sample, from 0.",
    "order": "Order of lists or aspects shown; blank for the usual one.",
    "state": "pending, leased, done, unparsable, refused, failed or not_asked.",
    "value": "The answer of this sample; blank where there is none.",
    "reason": "Why there is none.",
    "rationale": "What the judge gave as its reason.",
    "example": "Id of the item whose rating stood in the prompt as an example; blank without one.",
    "example_rater": "Pseudonym of the person who gave that rating.",
    "model": "The model that the endpoint says it was.",
    "cost_usd": "What it cost, in US dollars; a call's cost is shared among its questions.",
    "answered_at": "When it was settled (UTC).",
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
RATERS = {
    "rater": "Pseudonym of the person, as in the other tables.",
    "role": "recipient, third_party or expert.",
    "recipient": "The recipient that this person is; blank where that is not known.",
    "participant": "Who it is on the platform, under a pseudonym that is the same for the same "
    "person in all exports of the study; the platform's own id only if an owner asks for it.",
    "visit": "The platform's number of the visit, under a pseudonym like the participant's.",
    "approval_rate": "Percent of earlier submissions that were approved, where the platform says.",
    "task_count": "Tasks done on the platform before, where it says so.",
    "excluded": SESSIONS["excluded"],
    "exclusion_reason": SESSIONS["exclusion_reason"],
    "sessions": "Number of sessions.",
    "completed": "Number of completed sessions.",
    "items": "Number of items with an answer.",
    "ratings": "Number of answers.",
    "counted": "Number of answers that count in the analysis.",
    "changes": "How often an answer was changed after it was first given.",
    "first_seen_at": "When the person was first known here (UTC).",
}
REVISIONS = {
    "session": SESSIONS["session"],
    "rater": RATERS["rater"],
    "item": frames.COLUMNS["item"],
    "question": frames.COLUMNS["question"],
    "change": "0 for the first answer to this question about this item, then 1, 2, …",
    "old": "The answer before; blank for the first.",
    "new": "The answer from then on.",
    "at": "When (UTC).",
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
    "samples": SAMPLES,
    "items": ITEMS,
    "raters": RATERS,
    "sessions": SESSIONS,
    "revisions": REVISIONS,
    "codebook": CODEBOOK,
}
NOTES = {
    "scores": "Every number that people and judges gave, one a row, counted or not: what the "
    "analysis reads.",
    "ratings": "The answers of people that count in the analysis, in the format that can be "
    "loaded.",
    "judgments": "Each judge's latest answers, in the format that can be loaded.",
    "samples": "Every judgment of every run as it was asked: each sample, its state, its example.",
    "items": "What is rated, extra columns too, in the format that can be loaded.",
    "raters": "Who rated, how much, and who is excluded and why; platform ids as pseudonyms.",
    "sessions": "Who came when and how far they got; no addresses, no platform ids.",
    "revisions": "Every answer that was given here and every change of it, in their order; "
    "loaded answers have none.",
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
