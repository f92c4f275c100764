"""Explain every column of every exported table; a test fails where a column is missing."""

from analysis.answers import frame
from annotate.design.versions import as_it_was
from annotate.models import Screen

ITEMS = {
    "item": "Id of the item, unique in the study.",
    "kind": frame.COLUMNS["kind"],
    "recipient": frame.COLUMNS["recipient"],
    "content": frame.COLUMNS["content"],
    "system": frame.COLUMNS["system"],
    "text": "The text that is rated, such as the explanation.",
    "reference": "A text to compare with, such as the recipient's own explanation.",
    "review": "The recipient's review of the content.",
    "feature": "The feature that the text is about.",
    "parent": "Id of the item that this one is a part of, such as its pair of lists.",
    "side": "A or B: on which side of the pair it stands.",
    "position": "Place in its list, from 1.",
    "judge_flags": "Rules that its text or title meets where it seems to speak to a judge; else "
    "blank. Not read when it is loaded.",
    "split_part": "choose or test: the side of the study's test split on which the item falls; "
    "blank where there is none.",
}
EXTRA = "A further column of {}.csv, as it was loaded."
RATINGS = {
    "item": frame.COLUMNS["item"],
    "rater": "Pseudonym of the person.",
    "role": "recipient, third_party or expert.",
    "question": frame.COLUMNS["question"],
    "value": "The answer: a number on the question's scale, the label of a choice, or the text of "
    "a text question.",
    "answered_at": frame.COLUMNS["answered_at"],
    "seconds": "Seconds from showing the item to this answer.",
    "reason": "What the person wrote beside the answer.",
    "first_side": frame.COLUMNS["first_side"],
    "version": frame.COLUMNS["version"],
}
JUDGMENTS = {
    "item": frame.COLUMNS["item"],
    "judge": "Name of the judge.",
    "question": frame.COLUMNS["question"],
    "value": "The judge's answer, samples averaged; blank where there is none.",
    "rationale": "What the judge gave as its reason (of its first sample).",
    "cost_usd": frame.COLUMNS["cost_usd"],
    "weighted_value": frame.COLUMNS["weighted_value"],
    "prompt": "Name and version of the judge's prompt; blank where there is none.",
    "version": frame.COLUMNS["version"],
    "judge_flags": "Rules that the texts in its prompt met where they seemed to speak to the "
    "judge; else blank. It changed no score. Not read when it is loaded.",
}
SAMPLES = {
    "run": "Number of the run.",
    "judge": "Name of the judge.",
    "item": frame.COLUMNS["item"],
    "question": frame.COLUMNS["question"],
    "sample": "Number of the sample, from 0.",
    "order": "Order of lists or aspects shown; blank for the usual one.",
    "state": "pending, leased, done, unparsable, refused, failed or not_asked.",
    "value": "The answer of this sample; blank where there is none.",
    "reason": "Why there is none; of a value that was clipped to its scale, what the file had.",
    "rationale": "What the judge gave as its reason.",
    "example": "Id of the item whose rating stood in the prompt as an example; blank without one.",
    "example_rater": "Pseudonym of the person who gave that rating.",
    "weighted_value": "The mean of the scale's points, weighted by how likely each was as this "
    "sample's score; only of judges that ask for log-probabilities.",
    "weighted_mass": "The probability that the scale's points had together, from 0 to 1.",
    "weighted_reason": "Why such a judge's score has no weighted value.",
    "model": "The model that the endpoint says it was.",
    "fingerprint": "The fingerprint that the endpoint gave of its system; it changes when the "
    "system behind the same model does.",
    "prompt": "Name and version of the judge's prompt; blank where there is none.",
    "version": frame.COLUMNS["version"],
    "call": "Number of the call whose reply it is; blank without one.",
    "reused_from": "Number of the call of a past run whose reply was taken over, at no cost; blank "
    "where a call was made.",
    "cost_usd": "What it cost, in US dollars; a call's cost is shared among its questions.",
    "answered_at": "When it was settled (UTC).",
}
ROBUSTNESS = {
    "run": "Number of the test of robustness.",
    "judge": "Name of the judge.",
    "item": frame.COLUMNS["item"],
    "question": frame.COLUMNS["question"],
    "relation": "How the prompt was changed; no_change: it was asked as it is.",
    "setting": "The relation's λ, rate or other option; blank where it has none.",
    "repetition": "How often it was asked before, from 0; each is drawn anew.",
    "order": "Which of two lists stood first; blank elsewhere.",
    "state": "pending, leased, done, unparsable, refused, failed or not_asked.",
    "value": "The answer, mapped back to the question's scale; blank where there is none.",
    "reason": "Why there is none.",
    "rationale": "What the judge gave as its reason.",
    "model": SAMPLES["model"],
    "fingerprint": SAMPLES["fingerprint"],
    "version": frame.COLUMNS["version"],
    "call": SAMPLES["call"],
    "cost_usd": SAMPLES["cost_usd"],
    "answered_at": SAMPLES["answered_at"],
}
LISTS = {
    "run": "Number of the test of a recommender.",
    "judge": "Name of the recommender.",
    "recipient": frame.COLUMNS["recipient"],
    "plan": "relations (the prompt perturbed), k_sweep or l_sweep.",
    "relation": "How the prompt was changed; no_change: it was asked as it is.",
    "setting": "The relation's λ, rate or other options; blank where it has none.",
    "iteration": "Number of the repetition; 0: the baseline list.",
    "k": "How many contents were asked for.",
    "l": "How many rated contents were shown; 0: all above a rating.",
    "state": ROBUSTNESS["state"],
    "reason": "Why there is no list.",
    "position": "Place in the list, from 1; blank for what does not count and without a list.",
    "entry": "What the reply named, in its words; blank without a list.",
    "content": "Id of the content that it was taken for; blank where none is called so.",
    "match": "How it was found: exact, normalised or fuzzy; blank where it was not.",
    "why": "unmatched: no content is called so; repeated: named before; extra: beyond k. Blank "
    "where nothing is wrong with it.",
    "model": SAMPLES["model"],
    "fingerprint": SAMPLES["fingerprint"],
    "call": SAMPLES["call"],
    "answered_at": SAMPLES["answered_at"],
}
SESSIONS = {
    "session": "Number of the session: one person's visit.",
    "rater": "Pseudonym of the person; never a platform's id.",
    "role": "recipient, third_party or expert.",
    "state": "consent, screener, questions (those before the instructions), taste (picks what they "
    "like), instructions, check (the comprehension check), practice, waiting (for the lists that "
    "are made for them), rating, exit (the exit questions), completed, declined, abandoned, "
    "screened_out, failed_attention, returned or withdrawn.",
    "source": "web: answered here; link: by a personal link; file: loaded from a file.",
    "excluded": "true if a rule took the person out of the analysis.",
    "exclusion_reason": "That rule.",
    "ratings": "Number of answers.",
    "active_seconds": "Seconds in which pages of items were visible and the person did something "
    "(pointer, keys, scrolling, a recording played) within the last 30; blank where not measured.",
    "idle_seconds": "Seconds in which they were open otherwise: hidden, or nothing done.",
    "browser": "Chrome, Firefox, Safari, Edge or other, at consent; blank where not known.",
    "device": "phone, tablet or desktop, as the browser says (newer iPads say desktop).",
    "screen_width": "CSS pixels, rounded down to 240, 320, 360, 414, 600, 768, 1024, 1280, 1536, "
    "1920 or 2560; blank where not known.",
    "started_at": "When the session began (UTC).",
    "last_seen_at": "When it was last heard of (UTC).",
    "ended_at": "When it was over (UTC).",
    "items_done_at": "When the last item was left with all its answers (UTC).",
    "check_attempts": "Attempts at the comprehension check; blank where there were none.",
    "check_passed": "Whether one of them was right in everything.",
    "check_answers": "All attempts as JSON: when, and each question with its answer.",
}
ARM = (
    "The arm of the study to which the session was assigned at its consent; blank for sessions "
    "from before there were arms, and for who withdrew."
)
STOPPED_IN = (
    "Where the session was given up or ended early, in the words of state; blank for sessions that "
    "were completed or go on, and for who withdrew."
)
LAYOUT = (
    "How the questions of its pages stood, by the study’s setting when its items were claimed: "
    "list, one_at_a_time or grid; blank before that. Pages with questions about entries of "
    "lists always are lists; so is a grid on screens under 600 pixels, and one_at_a_time without "
    "JavaScript (screen_width is blank)."
)
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
    "changes": "How often an answer or its reason was changed after it was first given.",
    "active_seconds": SESSIONS["active_seconds"],
    "idle_seconds": SESSIONS["idle_seconds"],
    "browser": "Of the latest session for which it is known, as in sessions.",
    "device": SESSIONS["device"],
    "screen_width": SESSIONS["screen_width"],
    "first_seen_at": "When the person was first known here (UTC).",
}
TIMES = {
    "session": SESSIONS["session"],
    "rater": RATERS["rater"],
    "item": frame.COLUMNS["item"] + " Of a pair of lists: the pair.",
    "active_seconds": "Seconds in which the item's page was visible and the person did something "
    "(pointer, keys, scrolling, a recording played) within the last 30.",
    "idle_seconds": SESSIONS["idle_seconds"],
    "views": "How often the page was opened.",
}
LISTENING = {
    "session": SESSIONS["session"],
    "rater": RATERS["rater"],
    "item": TIMES["item"],
    "content": "Id of the episode, or other content, whose recording or folded description the "
    "page offered.",
    "played_seconds": "Seconds of its recording that were played at least once; blank where the "
    "page had no recording of it that could be played.",
    "skipped_seconds": "Seconds of it before the last moment that was played, and not played.",
    "duration_seconds": "Length of the recording; blank where it was not begun.",
    "description_unfolded": "Whether the description was unfolded; blank where all of it was in "
    "sight.",
}
REVISIONS = {
    "session": SESSIONS["session"],
    "rater": RATERS["rater"],
    "item": frame.COLUMNS["item"],
    "question": frame.COLUMNS["question"],
    "change": "0 for the first answer to this question about this item, then 1, 2, …",
    "old": "The answer before; blank for the first.",
    "new": "The answer from then on.",
    "at": "When (UTC).",
    "version": frame.COLUMNS["version"],
    "reason": "What stood beside the answer from then on; what its writer took back is not kept.",
}
CHECKS = {
    "session": SESSIONS["session"],
    "rater": RATERS["rater"],
    "kind": "attention: an attention check; gold: an item with known answers; repeat: an item "
    "shown once more.",
    "item": "Id of the item; blank for an attention check.",
    "check": "Key of the attention check; blank for an item.",
    "question": "Key of the question; blank for an attention check.",
    "position": "Where the screen stood in the session, from 1; all screens are counted.",
    "given": "The answer: of an attention check the words that were chosen, separated by |.",
    "expected": "What was right; of a repeated item the rater's first answer. Blank where nothing "
    "is known.",
    "passed": "true if the answer is right, within the gold item's tolerance; blank where nothing "
    "is right or wrong.",
    "seconds": "Seconds from showing the screen to this answer.",
    "changes": "How often the answer was changed.",
    "answered_at": frame.COLUMNS["answered_at"],
    "reason": "Why, in the rater's words, where the question asks it.",
}
SCREENS = {
    "session": SESSIONS["session"],
    "rater": RATERS["rater"],
    "row": "The session's row of the counterbalanced design, from 0; blank for other orders.",
    "position": CHECKS["position"],
    "kind": "item: one of the session's own; else attention, gold or repeat.",
    "item": CHECKS["item"],
    "check": CHECKS["check"],
    "system": frame.COLUMNS["system"],
    "first_side": frame.COLUMNS["first_side"],
}
CODES = {
    "item": frame.COLUMNS["item"],
    "rater": RATERS["rater"],
    "question": frame.COLUMNS["question"],
    "value": "The rating beside which the text stands; blank for a text question.",
    "text": "What the rater wrote.",
    "coder": "Who gave the code.",
    "code": "The code, that which it was merged into; blank: the coder says that none applies.",
    "coded_at": "When it was given (UTC).",
}
STATEMENTS = {
    "item": frame.COLUMNS["item"],
    "side": "generated: the item's text; reference: its review, else its reference.",
    "number": "Of the statement within its side of the item; those that people added have 10001 "
    "and more. Blank: the side was read, and states nothing.",
    "statement": "What is said, as it counts.",
    "topic": "What it is about.",
    "sentiment": "positive, negative or neutral.",
    "change": "What a person did: corrected, added or removed (then it does not count); else "
    "blank.",
    "original_statement": "As it was extracted, or added.",
    "original_topic": "As it was extracted, or added.",
    "original_sentiment": "As it was extracted, or added.",
    "start": "Where it stands in the side's text, in characters from 0; blank where not found.",
    "end": "Where that ends.",
    "judge": "Name of the judge that extracted it; blank for those that people added.",
    "run": "Number of its run.",
    "changed_at": "When a person changed or added it (UTC).",
}
DROPPED = {
    "item": STATEMENTS["item"],
    "side": STATEMENTS["side"],
    "part": "Of a long text, from 1.",
    "statement": "As the judge said it; cut where it is long.",
    "topic": "As the judge said it.",
    "sentiment": "As the judge said it.",
    "reason": "Why it was not kept.",
    "judge": "Name of the judge.",
    "run": STATEMENTS["run"],
}
ENTAILMENTS = {
    "item": frame.COLUMNS["item"],
    "direction": "precision: the premise is of the reference, the hypothesis of the generated "
    "text; recall: the reverse.",
    "premise": "Number of the premise within its side; blank where that side has none.",
    "hypothesis": "Number of the hypothesis within its side; blank where that side has none.",
    "entailment": "Probability that the premise entails the hypothesis.",
    "neutral": "Probability that it says nothing of it.",
    "contradiction": "Probability that it contradicts it.",
    "grain": "What the numbers stand for: statement, sentence or chunk (of the reference).",
    "judge": "Name of the judge that said it; blank where entailments.csv brought it without one.",
    "premise_text": "As the model saw it; blank where that is not known.",
    "hypothesis_text": "As the model saw it; blank where that is not known.",
}
SCORES = (
    {"study": "Name of the study in its address."}
    | frame.COLUMNS
    | {"split_part": ITEMS["split_part"] + " Judges' rows of a locked test part are left out."}
)
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
    "robustness": ROBUSTNESS,
    "lists": LISTS,
    "items": ITEMS,
    "raters": RATERS,
    "sessions": SESSIONS,
    "times": TIMES,
    "listening": LISTENING,
    "revisions": REVISIONS,
    "checks": CHECKS,
    "screens": SCREENS,
    "codes": CODES,
    "statements": STATEMENTS,
    "dropped": DROPPED,
    "entailments": ENTAILMENTS,
    "codebook": CODEBOOK,
}
NOTES = {
    "scores": "Every number that people and judges gave, one a row, counted or not: what the "
    "analysis reads.",
    "ratings": "The answers of people that count in the analysis, in the format that can be "
    "loaded.",
    "judgments": "Each judge's latest answers, in the format that can be loaded.",
    "samples": "Every judgment of every run as it was asked: each sample, its state, its example.",
    "robustness": "Every answer of tests of robustness, to changed prompts and to the unchanged "
    "one; none of them counts as the judge's.",
    "lists": "Every entry of every list that recommenders under test replied with, and a row for "
    "each reply that was no list.",
    "items": "What is rated, extra columns too, in the format that can be loaded.",
    "raters": "Who rated, how much, and who is excluded and why; platform ids as pseudonyms.",
    "sessions": "Who came when and how far they got; no addresses, no platform ids.",
    "times": "How long each item was looked at, by visit; nothing for who had no JavaScript and "
    "for loaded answers.",
    "listening": "What was heard of each recording, and which descriptions were unfolded, by visit "
    "and item; nothing for who had no JavaScript and for loaded answers.",
    "revisions": "Every answer that was given here and every change of it, in their order; "
    "loaded answers have none.",
    "checks": "Every answer to an attention check, a gold item or a repeated item, with what was "
    "expected; none of them is a rating.",
    "screens": "What stood where in each session: its items and its extra screens, in their order. "
    "Items whose place opened again are left out.",
    "codes": "The codes that were given to what raters wrote, one a row. Empty while several "
    "people code independently: until the comparison is opened.",
    "statements": "What texts and references state, each with topic and sentiment, as extracted "
    "and as corrected, in the format that can be loaded.",
    "dropped": "What judges that extract statements said and was not kept: of another topic or "
    "sentiment, twice, or empty.",
    "entailments": "What NLI models said of every pair of an item's statements, sentences or "
    "chunks: each judge's newest, in the format that can be loaded.",
    "codebook": "What every column of these tables means, and the study's questions.",
}


def question_rows(study):
    """Return (name, meaning) of every question, in every known version of the questionnaire."""
    kept = list(study.versions.all())
    if study.questionnaire_version == 1:
        return [(f"question = {q.key}", question_meaning(q)) for q in study.questions.all()]
    present = {question.key: question for question in study.questions.all()}
    every = [
        (version.number, as_it_was(present[entry["key"]], entry))
        for version in kept
        for entry in version.questions
        if entry["key"] in present
    ] + [(study.questionnaire_version, question) for question in present.values()]
    return [
        (f"question = {question.key}, version = {number}", question_meaning(question))
        for number, question in every
    ]


STEPS = {
    Screen.Kind.SCREENER: ("A question of the screener", "Screener"),
    Screen.Kind.BEFORE: ("A question", "Question before the instructions"),
    Screen.Kind.EXIT: ("An exit question", "Exit question"),
}


def exit_meaning(question, step=Screen.Kind.EXIT):
    """Describe a question about the rater in one line; None is one that is no longer asked."""
    gone, what = STEPS[step]
    if question is None:
        return f"{gone} that is no longer asked."
    if question.scale.is_worded:
        values = [value for value, _ in question.scale.points]
        return f"{what}: {question.text} One of: {'; '.join(map(question.words, values))}."
    if not question.scale.points:
        return f"{what}: {question.text} Allowed: {question.scale.allowed}."
    return f"{what}: {question.text} {_scale(question.scale)}"


def question_meaning(question):
    """Describe a question in one line: its text and its scale."""
    over = " (no longer asked)" if question.retired else ""
    return f"Question{over}: {question.text} {_scale(question.scale)}"


def _scale(scale):
    if scale.is_nominal:
        return f"Scale: {scale.allowed}."
    allowed = [] if scale.points else [scale.allowed]
    labels = [f"{value} = {label}" for value, label in scale.points or scale.ends]
    return f"Scale: {'; '.join(allowed + labels)}."


def column_rows(extra):
    """Yield (table, column, meaning) of all tables; extra: {table: names of the study's own}."""
    for table, columns in TABLES.items():
        for column, meaning in columns.items():
            yield table, column, meaning
        for name in extra.get(table, ()):
            yield table, name, EXTRA.format(table)
