"""Save answers on screens beside the items, and end the session after too many failed checks.

A save is one transaction that locks the session first, as with ratings; there are few of these,
so the ORM does it.
"""

from django.db import transaction
from django.utils import timezone

from annotate.design import checks
from annotate.models import Answer, Item, Screen, Session
from annotate.sessions.session import NotNow, end_early, missing, seconds_since, with_parts

Kind = Screen.Kind
WRITTEN = ("value", "text", "reason", "passed", "seconds", "answered_at", "changes")


def write(screen, answers, emptied=()):
    """Store new answers of a screen, and the screen itself if it is new, with the session locked.

    answers: Answers not stored; emptied: names of answers that were taken back. Returns {name:
    Answer} of all that are stored now. Of an answer that says what is stored already only its
    reason is new. The values that an answer among the items had before stay in its changes; of
    reasons and of what raters tell about themselves only the present is kept.
    """
    if screen.pk is None:
        screen.save()
        stored = {}
    else:
        stored = {answer.name: answer for answer in screen.answers.all()}
    now, new, changed = timezone.now(), [], []
    for answer in answers:
        answer.screen, answer.answered_at = screen, now
        old = stored.get(answer.name)
        if old is None:
            new.append(answer)
        elif (old.value, old.text) == (answer.value, answer.text):
            if old.reason != answer.reason:
                old.reason = answer.reason
                changed.append(old)
            continue
        else:
            answer.pk = old.pk
            if screen.kind in Screen.AMONG_ITEMS:
                until = [old.as_shown, now.isoformat(timespec="seconds")]
                answer.changes = [*old.changes, until]
            changed.append(answer)
        stored[answer.name] = answer
    Answer.objects.bulk_create(new)
    Answer.objects.bulk_update(changed, WRITTEN)
    gone = [stored.pop(name).pk for name in emptied if name in stored]
    if gone:
        Answer.objects.filter(pk__in=gone).delete()
    return stored


def save(screen, questions, answers, shown_at=None, emptied=()):
    """Store the answers of a screen among the items; return the questions that still lack one.

    Works as session.save_answers does for a place. A check has one answer, without a question in
    the database.
    """
    now = timezone.now()
    seconds = seconds_since(shown_at, now)
    with transaction.atomic():
        screen = _locked(screen)
        Session.objects.filter(pk=screen.session_id).update(last_seen_at=now)
        taken_back = [
            (item, question.pk, "") for item, question in emptied if not question.required
        ]
        sent = [_answer(screen, answer, seconds) for answer in answers]
        stored = write(screen, sent, taken_back).values()
        gaps = _gaps(screen, questions, stored)
        screen.is_whole, screen.passed = not gaps, _passed(stored)
        screen.save(update_fields=["is_whole", "passed"])
    return gaps


def _locked(screen):
    """Lock the screen's session and return the screen as it is now; NotNow if it rates no more."""
    sessions = Session.objects.select_for_update(of=("self",))
    if not sessions.filter(pk=screen.session_id, state=Session.State.RATING):
        raise NotNow("the session is not rating")
    current = Screen.objects.select_related("item").filter(pk=screen.pk).first()
    if current is None:
        raise NotNow("the session has this screen no more")
    return current


def _answer(screen, sent, seconds):
    answer = Answer(value=sent.value, text=sent.text, reason=sent.reason, seconds=seconds)
    if screen.kind == Kind.ATTENTION:
        answer.key = screen.key
    else:
        answer.item_id, answer.question = sent.item_id or screen.item_id, sent.question
    answer.passed = is_right(screen, answer)
    return answer


def is_right(screen, answer):
    """Return whether an answer is as expected; None where nothing is expected."""
    if screen.kind == Kind.ATTENTION:
        check = checks.read_check(screen.spec)
        given = {answer.value} if answer.value is not None else check.values(words_of(answer))
        return given == set(check.right)
    question = answer.question
    right = screen.spec.get("answers", {}).get(question.key)
    if right is None or answer.value is None or answer.item_id != screen.item_id:
        return None
    # Of words and of no or yes one is right: a point beside it is another answer.
    tolerance = screen.spec["tolerance"] if question.scale.is_graded else 0
    try:
        return abs(answer.value - question.scale.parse(right)) <= tolerance
    except ValueError:  # an option that the question had when the session began
        return None


def words_of(answer):
    """Return the options that were chosen, as a list."""
    return answer.text.split(checks.SEPARATOR)


def _gaps(screen, questions, stored):
    """List (item id, question) of the missing answers; (0, None) for a check."""
    if screen.kind == Kind.ATTENTION:
        return [] if stored else [(0, None)]
    answered: dict = {}
    for answer in stored:
        answered.setdefault(answer.item_id, {})[answer.question_id] = bool(answer.reason)
    items: list[Item] = with_parts([screen.item])[screen.item_id]
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
    if not isinstance(place, Screen) or place.kind != Kind.ATTENTION:
        return False
    session = place.session
    limit = checks.settings_of(session.study).attention_failures
    failed = session.screens.among_items().filter(kind=Kind.ATTENTION, passed=False)
    if not limit or failed.count() < limit:
        return False
    end_early(session, Session.State.FAILED_ATTENTION)
    return True
