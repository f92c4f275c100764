"""The save of answers: one transaction of a few statements."""

from django.db import connection

from annotate.statements import at_once, marks

# First the session's row: its lock lets the saves of one session pass one after the other, and
# the places of a session are taken from it only by who holds the lock.
TOUCH = """
UPDATE annotate_session SET last_seen_at = %s WHERE id = %s AND state = 'rating'
AND EXISTS (SELECT 1 FROM annotate_place WHERE id = %s AND session_id = %s)
"""
ANSWER = (
    "SELECT CAST(%s AS bigint) AS question_id, CAST(%s AS double precision) AS value, %s AS text"
)
# Nothing is written where the time of the save does not stand in the session: it was not locked.
# An answer that says what is stored already changes nothing, not even its time.
WRITE = """
INSERT INTO annotate_rating
    (session_id, item_id, question_id, value, text, reason, seconds, answered_at)
SELECT place.session_id, place.item_id, answer.question_id, answer.value, answer.text, '',
    CAST(%s AS double precision), session.last_seen_at
FROM ({answers}) answer, annotate_place place, annotate_session session
WHERE place.id = %s AND place.session_id = session.id
    AND session.id = %s AND session.last_seen_at = %s
ON CONFLICT (session_id, item_id, question_id) DO UPDATE SET
    value = excluded.value, text = excluded.text,
    seconds = excluded.seconds, answered_at = excluded.answered_at
WHERE annotate_rating.text <> excluded.text OR annotate_rating.value <> excluded.value
    OR (annotate_rating.value IS NULL) <> (excluded.value IS NULL)
"""
REMEMBER = """
INSERT INTO annotate_ratingrevision (rating_id, value, text, at)
SELECT id, value, text, answered_at FROM annotate_rating
WHERE session_id = %s AND item_id = %s AND answered_at = %s
"""
FILL = """
UPDATE annotate_place SET state = 'filled' WHERE id = %s AND session_id = %s AND state = 'held'
AND %s = (
    SELECT COUNT(*) FROM annotate_rating
    WHERE session_id = %s AND item_id = %s AND question_id IN ({questions})
)
"""
ANSWERED = """
SELECT rating.question_id FROM annotate_place place LEFT JOIN annotate_rating rating
    ON rating.session_id = place.session_id AND rating.item_id = place.item_id
WHERE place.id = %s AND place.session_id = %s
"""
# With its revisions: a text that its writer took back is not kept.
TAKEN_BACK = """
FROM annotate_rating WHERE session_id = %s AND item_id = %s AND question_id IN ({questions})
AND session_id = (SELECT id FROM annotate_session WHERE id = %s AND last_seen_at = %s)
"""
FORGET = f"DELETE FROM annotate_ratingrevision WHERE rating_id IN (SELECT id {TAKEN_BACK})"
TAKE_BACK = f"DELETE {TAKEN_BACK}"


def write(place, answers, taken_back, required, seconds, now):
    """Keep answers and their revisions, delete those taken back, fill the place if it is whole.

    taken_back, required: ids of questions. Returns the ids of all questions answered by then;
    None, with nothing written, if the session no longer rates or the place is not its own.
    """
    now = connection.ops.adapt_datetimefield_value(now)
    own, rated = [place.pk, place.session_id], [place.session_id, place.item_id]
    statements = [(TOUCH, [now, place.session_id, *own])]
    if answers:
        rows = [part for a in answers for part in (a.question.pk, a.value, a.text)]
        sql = WRITE.format(answers=" UNION ALL ".join([ANSWER] * len(answers)))
        statements.append((sql, [seconds, *rows, *own, now]))
        statements.append((REMEMBER, [*rated, now]))
    if taken_back:
        values = [*rated, *taken_back, place.session_id, now]
        statements += [(_with(sql, taken_back), values) for sql in (FORGET, TAKE_BACK)]
    statements.append((_with(FILL, required), [*own, len(required), *rated, *required]))
    is_locked, found = at_once(*statements, (ANSWERED, own))
    return {question for (question,) in found if question} if is_locked and found else None


def _with(sql, questions):
    return sql.format(questions=marks(questions))
