"""The save of answers on extra screens, and what follows from a failed check.

Like the save of ratings one transaction that locks the session first; there are few of these, so
the ORM does it.
"""

from django.db import transaction
from django.utils import timezone

from annotate.design import checks
from annotate.models import Extra, ExtraAnswer, Item, Session
from annotate.sessions.session import NotNow, end_early, missing, seconds_since, with_parts

Kind = Extra.Kind


def save(extra, questions, answers, shown_at=None, emptied=()):
    """Keep the answers of an extra screen, as session.save_answers does those of a place.

    A check has one answer, without a question in the database. Returns what is still missing.
    """
    now = timezone.now()
    with transaction.atomic():
        extra = _locked(extra)
        Session.objects.filter(pk=extra.session_id).update(last_seen_at=now)
        stored = {(one.item_id, one.question_id): one for one in extra.answers.all()}
        seconds = seconds_since(shown_at, now)
        for answer in answers:
            name = _name(extra, answer)
            one = stored.setdefault(
                name, ExtraAnswer(extra=extra, item_id=name[0], question_id=name[1])
            )
            _keep(one, answer, seconds, now)
        for item_id, question in emptied:
            if not question.required and (item_id, question.pk) in stored:
                stored.pop((item_id, question.pk)).delete()
        gaps = _gaps(extra, questions, stored)
        extra.is_whole, extra.passed = not gaps, _passed(stored.values())
        extra.save(update_fields=["is_whole", "passed"])
    return gaps


def _locked(extra):
    """The extra as it is now, its session locked; NotNow where that does not rate any more."""
    sessions = Session.objects.select_for_update(of=("self",))
    if not sessions.filter(pk=extra.session_id, state=Session.State.RATING):
        raise NotNow("the session is not rating")
    found = Extra.objects.select_related("item").filter(pk=extra.pk).first()
    if found is None:
        raise NotNow("the session has this screen no more")
    return found


def _name(extra, answer):
    if extra.kind == Kind.ATTENTION:
        return None, None
    return answer.item_id or extra.item_id, answer.question.pk


def _keep(one, answer, seconds, now):
    """The answer, unless it says what is stored already; what it replaces is remembered.

    Of a reason only the present one is kept: it is no answer, and what was taken back is gone.
    """
    is_new_reason, one.reason = one.reason != answer.reason, answer.reason
    if one.pk and (one.value, one.text) == (answer.value, answer.text):
        if is_new_reason:
            one.save(update_fields=["reason"])
        return
    if one.pk:
        one.changes = [*one.changes, [one.said, now.isoformat(timespec="seconds")]]
    one.value, one.text = answer.value, answer.text
    one.seconds, one.answered_at = seconds, now
    one.passed = is_right(one.extra, one, answer.question)
    one.save()


def is_right(extra, one, question):
    """Whether an answer is as expected; None where nothing is expected."""
    if extra.kind == Kind.ATTENTION:
        check = checks.read_check(extra.spec)
        given = {one.value} if one.value is not None else check.values(words_of(one))
        return given == set(check.right)
    right = extra.spec.get("answers", {}).get(question.key)
    if right is None or one.value is None or one.item_id != extra.item_id:
        return None
    # Of words and of no or yes one is right: a point beside it is another answer.
    near = question.scale.kind in ("likert", "number")
    return abs(one.value - right) <= (extra.spec["tolerance"] if near else 0)


def words_of(one):
    """The options that were chosen, as a list."""
    return one.text.split(checks.SEPARATOR)


def _gaps(extra, questions, stored):
    """(item id, question) of what is missing; of a check (0, None)."""
    if extra.kind == Kind.ATTENTION:
        return [] if stored else [(0, None)]
    answered: dict = {}
    for (item_id, question_id), one in stored.items():
        answered.setdefault(item_id, {})[question_id] = bool(one.reason)
    items: list[Item] = with_parts([extra.item])[extra.item_id]
    return [
        (item.pk, question)
        for item in items
        for question in missing(item.kind, questions, answered.get(item.pk, {}))
    ]


def _passed(answers):
    known = [one.passed for one in answers if one.passed is not None]
    return all(known) if known else None


def has_ended(place):
    """End the session of a failed check if it is the study's n-th; whether it ended.

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
