"""Save a rater's answers in one transaction of a few statements."""

from django.db import connection

from annotate.db.sql import at_once, marks
from annotate.models import Item, Question

# First the session's row: its lock lets the saves of one session pass one after the other, and
# the places of a session are taken from it only by who holds the lock.
TOUCH = """
UPDATE annotate_session SET last_seen_at = %s WHERE id = %s AND state = 'rating'
AND EXISTS (SELECT 1 FROM annotate_place WHERE id = %s AND session_id = %s)
"""
ANSWER = """
SELECT CAST(%s AS bigint) AS item_id, CAST(%s AS bigint) AS question_id,
    CAST(%s AS double precision) AS value, %s AS text, %s AS reason
"""
# Nothing is written where the time of the save does not stand in the session: it was not locked.
# An answer that says what is stored already changes nothing, not even its time. Where only the
# reason is another one the answer took as long as it took.
WRITE = """
INSERT INTO annotate_rating
    (session_id, item_id, question_id, value, text, reason, seconds, answered_at, first_side)
SELECT place.session_id, answer.item_id, answer.question_id, answer.value, answer.text,
    answer.reason, CAST(%s AS double precision), session.last_seen_at, place.first_side
FROM ({answers}) answer, annotate_place place, annotate_session session
WHERE place.id = %s AND place.session_id = session.id
    AND session.id = %s AND session.last_seen_at = %s
ON CONFLICT (session_id, item_id, question_id) DO UPDATE SET
    value = excluded.value, text = excluded.text, reason = excluded.reason,
    seconds = CASE WHEN {differs} THEN excluded.seconds ELSE annotate_rating.seconds END,
    answered_at = excluded.answered_at
WHERE {differs} OR annotate_rating.reason <> excluded.reason
"""
DIFFERS = """(annotate_rating.text <> excluded.text OR annotate_rating.value <> excluded.value
    OR (annotate_rating.value IS NULL) <> (excluded.value IS NULL))"""
REMEMBER = """
INSERT INTO annotate_ratingrevision (rating_id, value, text, reason, at)
SELECT id, value, text, reason, answered_at FROM annotate_rating
WHERE session_id = %s AND item_id IN ({items}) AND answered_at = %s
"""
FILL = """
UPDATE annotate_place SET state = 'filled' WHERE id = %s AND session_id = %s AND state = 'held'
AND %s = (
    SELECT COUNT(*) FROM annotate_rating
    WHERE session_id = %s AND item_id = %s AND question_id IN ({questions}){with_reason}
)
"""
WITH_REASON = " AND (reason <> '' OR question_id NOT IN ({why}))"
ANSWERED = """
SELECT rating.question_id, rating.reason <> ''
FROM annotate_place place LEFT JOIN annotate_rating rating
    ON rating.session_id = place.session_id AND rating.item_id = place.item_id
WHERE place.id = %s AND place.session_id = %s
"""
# The same for a pair of lists: its own questions and those about its parts.
REQUIRED = """
SELECT CAST(%s AS text) AS kind, CAST(%s AS bigint) AS question_id, CAST(%s AS text) AS why
"""
FILL_PAIR = """
UPDATE annotate_place SET state = 'filled' WHERE id = %s AND session_id = %s AND state = 'held'
AND NOT EXISTS (
    SELECT 1 FROM annotate_item item JOIN ({required}) required ON required.kind = item.kind
    WHERE (item.id = %s OR item.parent_id = %s) AND NOT EXISTS (
        SELECT 1 FROM annotate_rating rating WHERE rating.session_id = %s
        AND rating.item_id = item.id AND rating.question_id = required.question_id
        AND (required.why <> 'required' OR rating.reason <> '')
    )
)
"""
ANSWERED_PAIR = """
SELECT item.id, item.kind, rating.question_id, rating.reason <> '' FROM annotate_place place
JOIN annotate_item item ON item.id = place.item_id OR item.parent_id = place.item_id
LEFT JOIN annotate_rating rating
    ON rating.session_id = place.session_id AND rating.item_id = item.id
WHERE place.id = %s AND place.session_id = %s ORDER BY item.id
"""
# With its revisions: a text that its writer took back is not kept.
TAKEN_BACK = """
FROM annotate_rating WHERE session_id = %s AND item_id = %s AND question_id IN ({questions})
AND session_id = (SELECT id FROM annotate_session WHERE id = %s AND last_seen_at = %s)
"""
OF_TAKEN_BACK = f"WHERE rating_id IN (SELECT id {TAKEN_BACK})"
FORGET = f"DELETE FROM annotate_ratingrevision {OF_TAKEN_BACK}"
UNCODE = f"DELETE FROM annotate_coding {OF_TAKEN_BACK}"
TAKE_BACK = f"DELETE {TAKEN_BACK}"
# Nor is a reason: no revision tells it, those that it was a part of stay.
BLANK = f"""
UPDATE annotate_ratingrevision SET reason = '' WHERE reason <> ''
AND rating_id IN (SELECT id {TAKEN_BACK} AND reason = '')
"""


def write(place, answers, taken_back, required, seconds, now):
    """Store answers and their revisions, delete those taken back, fill the place if it is whole.

    taken_back: {item id: ids of questions}; required: {kind of item: questions}. Returns
    {item id: (kind, {question answered by then: has a reason})} of the place's item and its parts;
    None, with nothing written, if the session no longer rates or the place is not its own.
    """
    now = connection.ops.adapt_datetimefield_value(now)
    own, session = [place.pk, place.session_id], place.session_id
    statements = [(TOUCH, [now, session, *own])]
    if answers:
        items = list(dict.fromkeys(answer.item_id or place.item_id for answer in answers))
        sql = WRITE.format(answers=" UNION ALL ".join([ANSWER] * len(answers)), differs=DIFFERS)
        statements.append((sql, [seconds, *_flat(place, answers), *own, now]))
        statements.append((REMEMBER.format(items=marks(items)), [session, *items, now]))
    for item, questions in _without_reason(place, answers).items():
        statements.append((_with(BLANK, questions), [session, item, *questions, session, now]))
    for item, questions in taken_back.items():
        values = [session, item, *questions, session, now]
        statements += [(_with(sql, questions), values) for sql in (FORGET, UNCODE, TAKE_BACK)]
    if place.item.kind == Item.Kind.LIST_PAIR:
        is_locked, rows = at_once(*statements, _fill_pair(place, required), (ANSWERED_PAIR, own))
    else:
        is_locked, rows = at_once(*statements, _fill(place, required), (ANSWERED, own))
        rows = [(place.item_id, place.item.kind, *row) for row in rows]
    return _by_item(rows) if is_locked and rows else None


def _flat(place, answers):
    """Yield the values of all answers in the order of the columns of ANSWER."""
    for answer in answers:
        item = answer.item_id or place.item_id
        yield from (item, answer.question.pk, answer.value, answer.text, answer.reason)


def _without_reason(place, answers):
    """Return {item id: ids of the answered questions that ask for a reason and got none}."""
    questions_by_item: dict = {}
    for answer in answers:
        if answer.question.why and not answer.reason:
            questions_by_item.setdefault(answer.item_id or place.item_id, []).append(
                answer.question.pk
            )
    return questions_by_item


def _fill(place, required):
    """Return the statement and values that fill a place once its required answers are stored."""
    required = required.get(place.item.kind, [])
    questions = [question.pk for question in required]
    why = [question.pk for question in required if question.why == Question.Why.REQUIRED]
    sql = FILL.format(questions=marks(questions), with_reason=WITH_REASON if why else "")
    rated = [place.session_id, place.item_id]
    return sql.format(why=marks(why)), [
        place.pk,
        place.session_id,
        len(questions),
        *rated,
        *questions,
        *why,
    ]


def _fill_pair(place, required):
    """Return the same for a pair of lists, whose parts have required answers too."""
    pairs = [(kind, q.pk, str(q.why)) for kind, some in required.items() for q in some]
    pairs = pairs or [("", 0, "")]  # no kind: nothing is required
    sql = FILL_PAIR.format(required=" UNION ALL ".join([REQUIRED] * len(pairs)))
    flat = [part for pair in pairs for part in pair]
    item = place.item_id
    return sql, [place.pk, place.session_id, *flat, item, item, place.session_id]


def _by_item(rows):
    """Gather rows into {item: (kind, {question answered: has a reason})}."""
    by_item: dict = {}
    for item, kind, question, has_reason in rows:
        by_item.setdefault(item, (kind, {}))[1].update({question: has_reason} if question else {})
    return by_item


def _with(sql, questions):
    return sql.format(questions=marks(questions))
