"""Guess what each column of a table is used for; a person sees the guesses and corrects them."""

import re

from judges.bringing import uses
from judges.bringing.uses import ANSWERS, EXTRA, ITEM, QUESTION, SCORES, SKIP, VALUE, plain_name

SPLITS = "_-. "
PERSON = re.compile(
    r"(r|rater|ann|annotator|a|worker|w|user|u|participant|p|coder|person|evaluator|assessor|"
    r"expert|bewerter|anotador)[ _\-.]?\d+\Z",
    re.IGNORECASE,
)
NUMBERED = re.compile(r"(rating|score|label|answer|value)[ _\-.]?(\d+)\Z", re.IGNORECASE)
MACHINE = re.compile(
    r"gpt|llama|claude|gemini|mistral|qwen|deepseek|llm|bleu|rouge|meteor|bert|bleurt|chrf|comet|"
    r"judge|metric|auto",
    re.IGNORECASE,
)
ID = re.compile(r"([_\s\-.](id|ID|key)|[a-z]I[dD])\Z")  # story_id, storyId
UNNAMED = re.compile(r"(column|Unnamed:) \d+\Z")  # as a rule the numbers of rows
KEY_LENGTH = 60


def question_key(words):
    """Make the key of a question from words: lower-case letters, digits and hyphens."""
    key = re.sub(r"[^a-z0-9]+", "-", words.strip().lower()).strip("-")[:KEY_LENGTH].strip("-")
    return key or "question"


def guess(columns, keys=()):
    """Return {column: {"use", of wide columns also "question", "by"}} for described columns.

    keys: the questions of the study that the table goes into.
    """
    guesses = _by_pattern(columns)
    for column in columns:
        if column.filled and question_key(column.name) in keys:
            guesses.setdefault(column.name, {"use": ANSWERS, "question": question_key(column.name)})
    taken = set()
    for column in columns:
        if column.name in guesses:
            continue
        use = uses.USE_OF.get(plain_name(column.name))
        if use and use not in taken and _fits(use, column):
            guesses[column.name] = {"use": use}
            taken.add(use)
    _settle_long(columns, guesses, taken)
    for column in columns:
        if column.name not in guesses:
            guesses[column.name] = _by_content(column, taken)
    _name_questions(guesses)
    return {column.name: guesses[column.name] for column in columns}


def _fits(use, column):
    """Tell whether the cells of a column allow the use that its name tells of."""
    if use == uses.TIME:
        return column.is_date or column.is_number
    if use == uses.SECONDS:
        return column.is_number
    return column.filled > 0


def _name_questions(guesses):
    """Split “GPT-4 fluency” where people answered a question fluency."""
    answered = {g["question"] for g in guesses.values() if g["use"] == ANSWERS}
    for name, chosen in guesses.items():
        if chosen["use"] != SCORES or chosen["question"]:
            continue
        for split in SPLITS:
            for judge, _, question in (name.rpartition(split), name.partition(split)[::-1]):
                if judge and question_key(question) in answered:
                    chosen |= {"question": question_key(question), "by": judge}


def _settle_long(columns, guesses, taken):
    """Keep “question” and “value” only where both are there; a value alone is a wide question."""
    if VALUE in taken and QUESTION not in taken:
        name = next(name for name, guess in guesses.items() if guess["use"] == VALUE)
        guesses[name] = {"use": ANSWERS, "question": question_key(name)}
    elif QUESTION in taken and VALUE not in taken:
        name = next(name for name, guess in guesses.items() if guess["use"] == QUESTION)
        column = next(column for column in columns if column.name == name)
        guesses[name] = _by_content(column, taken)


def _by_content(column, taken):
    """Guess by the cells; each rule is tried in its turn."""
    if not column.filled or column.is_personal or UNNAMED.match(column.name):
        return {"use": SKIP}
    use = _of_item(column, taken)
    if use:
        taken.add(use)
        return {"use": use}
    return _of_answers(column, taken)


def _of_item(column, taken):
    """Return the use of a column that looks like the item's id or text; blank if it does not."""
    if ID.search(column.name) and ITEM not in taken:
        return ITEM
    if column.longest > 2 * KEY_LENGTH and uses.TEXT not in taken:
        return uses.TEXT
    is_id = column.is_unique and column.longest <= KEY_LENGTH and not column.is_number
    return ITEM if is_id and ITEM not in taken else ""


def _of_answers(column, taken):
    if MACHINE.search(column.name) and column.is_number:
        return {"use": SCORES, "question": "", "by": column.name}
    if column.is_scale and not {QUESTION, VALUE} & taken:
        return {"use": ANSWERS, "question": question_key(column.name)}
    if column.is_number and not column.is_whole:
        return {"use": SCORES, "question": "", "by": column.name}
    return {"use": EXTRA}


def _by_pattern(columns):
    """Guess columns named after a rater or judge and a question, as rater1_fluency, fluency_r1."""
    answers = [c.name for c in columns if c.is_number or c.words or not c.filled]
    return _rectangle(answers) or _row_of_raters(answers)


def _rectangle(names):
    for split in SPLITS:
        for cut in (str.partition, str.rpartition):
            pairs = {name: (cut(name, split)[0], cut(name, split)[2]) for name in names}
            pairs = {name: pair for name, pair in pairs.items() if all(pair)}
            for side in (0, 1):
                kept = _of_answerers(pairs, side)
                if kept:
                    return kept
    return {}


def _of_answerers(pairs, side):
    """Return the guesses where one side of the names are all raters or all judges."""
    for pattern, use in ((PERSON, ANSWERS), (MACHINE, SCORES)):
        matched = {n: p for n, p in pairs.items() if pattern.match(p[side])}
        answerers = {pair[side] for pair in matched.values()}
        questions = {pair[1 - side] for pair in matched.values()}
        is_full = len(matched) == len(answerers) * len(questions)
        if is_full and len(answerers) >= 2 and len(questions) >= (2 if use == SCORES else 1):
            return {
                name: {"use": use, "question": question_key(pair[1 - side]), "by": pair[side]}
                for name, pair in matched.items()
            }
    return {}


def _row_of_raters(names):
    """Guess a column for each rater, of one question: rater1, rater2, or rating_1, rating_2."""
    raters = [name for name in names if PERSON.match(name)]
    if len(raters) >= 2:
        return {n: {"use": ANSWERS, "question": "rating", "by": n.strip()} for n in raters}
    matches = {name: match for name in names if (match := NUMBERED.match(name))}
    if len(matches) >= 2 and len({match[1].lower() for match in matches.values()}) == 1:
        return {
            name: {"use": ANSWERS, "question": question_key(match[1]), "by": f"rater{match[2]}"}
            for name, match in matches.items()
        }
    return {}
