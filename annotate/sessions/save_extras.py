"""Save answers on extra screens, and end the session after too many failed checks.

A save is one transaction that locks the session first, as with ratings; there are few of these,
so the ORM does it.
"""

from django.db import transaction
from django.utils import timezone

from annotate.design import checks
from annotate.models import Extra, ExtraAnswer, Item, Session
from annotate.sessions.session import NotNow, end_early, missing, seconds_since, with_parts

Kind = Extra.Kind


def save(extra, questions, answers, shown_at=None, emptied=()):
    """Store the answers of an extra screen; return the questions that still lack an answer.

    Works as session.save_answers does for a place. A check has one answer, without a question in
    the database.
    """
    now = timezone.now()
    with transaction.atomic():
        extra = _locked(extra)
        Session.objects.filter(pk=extra.session_id).update(last_seen_at=now)
        stored = {(row.item_id, row.question_id): row for row in extra.answers.all()}
        seconds = seconds_since(shown_at, now)
        for answer in answers:
            name = _name(extra, answer)
            row = stored.setdefault(
                name, ExtraAnswer(extra=extra, item_id=name[0], question_id=name[1])
            )
            _keep(row, answer, seconds, now)
        for item_id, question in emptied:
            if not question.required and (item_id, question.pk) in stored:
                stored.pop((item_id, question.pk)).delete()
        gaps = _gaps(extra, questions, stored)
        extra.is_whole, extra.passed = not gaps, _passed(stored.values())
        extra.save(update_fields=["is_whole", "passed"])
    return gaps


def _locked(extra):
    """Lock the extra's session and return the extra as it is now; NotNow if it no longer rates."""
    sessions = Session.objects.select_for_update(of=("self",))
    if not sessions.filter(pk=extra.session_id, state=Session.State.RATING):
        raise NotNow("the session is not rating")
    current = Extra.objects.select_related("item").filter(pk=extra.pk).first()
    if current is None:
        raise NotNow("the session has this screen no more")
    return current


def _name(extra, answer):
    """Return (item id, question id) under which an answer is stored; (None, None) for a check."""
    if extra.kind == Kind.ATTENTION:
        return None, None
    return answer.item_id or extra.item_id, answer.question.pk


def _keep(stored, answer, seconds, now):
    """Store an answer and remember the value it replaces; if unchanged store only a new reason.

    Only the present reason is kept: it is no answer, and what was taken back is gone.
    """
    is_new_reason, stored.reason = stored.reason != answer.reason, answer.reason
    if stored.pk and (stored.value, stored.text) == (answer.value, answer.text):
        if is_new_reason:
            stored.save(update_fields=["reason"])
        return
    if stored.pk:
        stored.changes = [*stored.changes, [stored.as_shown, now.isoformat(timespec="seconds")]]
    stored.value, stored.text = answer.value, answer.text
    stored.seconds, stored.answered_at = seconds, now
    stored.passed = is_right(stored.extra, stored, answer.question)
    stored.save()


def is_right(extra, stored, question):
    """Return whether an answer is as expected; None where nothing is expected."""
    if extra.kind == Kind.ATTENTION:
        check = checks.read_check(extra.spec)
        given = {stored.value} if stored.value is not None else check.values(words_of(stored))
        return given == set(check.right)
    right = extra.spec.get("answers", {}).get(question.key)
    if right is None or stored.value is None or stored.item_id != extra.item_id:
        return None
    # Of words and of no or yes one is right: a point beside it is another answer.
    tolerance = extra.spec["tolerance"] if question.scale.is_graded else 0
    try:
        return abs(stored.value - question.scale.parse(right)) <= tolerance
    except ValueError:  # an option that the question had when the session began
        return None


def words_of(stored):
    """Return the options that were chosen, as a list."""
    return stored.text.split(checks.SEPARATOR)


def _gaps(extra, questions, stored):
    """List (item id, question) of the missing answers; (0, None) for a check."""
    if extra.kind == Kind.ATTENTION:
        return [] if stored else [(0, None)]
    answered: dict = {}
    for (item_id, question_id), stored_answer in stored.items():
        answered.setdefault(item_id, {})[question_id] = bool(stored_answer.reason)
    items: list[Item] = with_parts([extra.item])[extra.item_id]
    return [
        (item.pk, question)
        for item in items
        for question in missing(item.kind, questions, answered.get(item.pk, {}))
    ]


def _passed(answers):
    """Return whether all answers with an expected value are right; None if there are none."""
    results = [answer.passed for answer in answers if answer.passed is not None]
    return all(results) if results else None


def has_ended(place):
    """End the session if this failed check is the study's n-th; return whether it ended.

    By default never: whoever works to the end is paid, and a rule may leave them out afterwards.
    Ask when a rater leaves the check, not at each click: they may still correct themselves.
    """
    if not isinstance(place, Extra) or place.kind != Kind.ATTENTION:
        return False
    session = place.session
    limit = checks.settings_of(session.study).attention_failures
    failed = session.extras.filter(kind=Kind.ATTENTION, passed=False)
    if not limit or failed.count() < limit:
        return False
    end_early(session, Session.State.FAILED_ATTENTION)
    return True
