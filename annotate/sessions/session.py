"""Take a session through its steps: begin, save answers, pause, resume, end."""

import secrets
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from annotate.design import disclosure, platform, versions
from annotate.flow import arms, around, quotas
from annotate.models import FreedPlace, Item, Place, Question, Rater, Session, Study
from annotate.models.rater import token_in
from annotate.sessions import exclude, kept_places, places, save, screens
from annotate.taste import lists as taste
from annotate.taste.study import making_of

State = Session.State
LONGEST_STAY = 86_400.0  # seconds


class NotNow(Exception):
    """The session's state does not allow this step."""


@dataclass(frozen=True)
class SentAnswer:
    """An answer to one question as a rater sent it; it has text only where the scale is text.

    reason: why, where the question asks it;
    item_id: the item of the place, or a part of it; None means the item of the place.
    """

    question: Question
    value: float | None
    text: str = ""
    item_id: int | None = None
    reason: str = ""


def why_closed(study, rater=None):
    """Tell why nobody can join now, or this rater cannot go on; empty if they can.

    Returns "closed", "unready", "full" (for now) or "finished".
    """
    if not study.is_open:
        return "closed"
    kinds = places.kinds_asked(versions.asked(study))
    if (brings := taste.brings_items(study, kinds, rater)) is not None:
        return "" if brings else "unready"
    if not kinds or not study.places.exists():
        return "unready"
    if places.any_open(study, kinds, rater):
        return ""
    if not study.places.exclude(state=Place.State.FILLED).exists():
        return "finished"
    # As the sweep does every minute, should no worker run: nobody is sent away for who is gone.
    places.release_expired(timezone.now())
    return "" if places.any_open(study, kinds, rater) else "full"


def why_lost(session):
    """Tell why a session before its items, or after a long pause, cannot go on; empty if it can."""
    closed = why_closed(session.study, session.rater)
    is_full = session.state == State.ABANDONED and quotas.is_full_for(session)
    return closed or ("full" if is_full else "")


def begin_visit(study, ids, consents, told=None):
    """Create a rater with a session after consent; a declined consent is stored as declined.

    told: which programs the consent page named; asked anew where it is None.
    NotNow if the platform's participant takes part already, in another visit.
    """
    with transaction.atomic():
        if ids:
            # One at a time: a double click must not make two raters of one participant.
            Study.objects.select_for_update(no_key=True).get(pk=study.pk)
            earlier, is_same = platform.earlier_visit(study, ids)
            if is_same:
                return earlier
            if earlier:
                raise NotNow("this participant takes part already")
        elif consents:
            arms.wait_for_turn(study)
        rater = Rater.objects.create(
            study=study,
            key=f"rater-{secrets.token_hex(5)}",
            platform_ids=platform.kept_ids(ids, consents),
        )
        told = disclosure.notice_for(study).told if told is None else told
        session = Session.objects.create(
            study=study, rater=rater, token=token_in(study), told_endpoints=told
        )
        _answer_consent(session, consents)
    return session


@transaction.atomic
def consent(session, consents, told):
    """Consent or decline by a personal link, which may have waited for days: it begins now.

    told: which programs the consent page named.
    """
    arms.wait_for_turn(session.study)  # locks the study, so before the session
    _answer_consent(session, consents, started_at=timezone.now(), told_endpoints=told)


def _answer_consent(session, consents, **fields):
    """Lead to the first step, in an arm if the study has arms, or end as declined."""
    if not consents:
        move(session, State.DECLINED, **fields)
        return
    arms.assign(session)
    lead_on(session, arm=session.arm, **fields)


def lead_on(session, **fields):
    """Move to the study's next step after the consent, or after one of those behind it."""
    move(session, around.step_after(session.study, session.state, session.rater), **fields)


def move(session, state, **fields):
    """Move the session to another state; NotNow if that state may not follow."""
    if state not in Session.NEXT[session.state]:
        raise NotNow(f"a session that is {session.state} cannot become {state}")
    stops = state in (State.ABANDONED, *Session.OVER) and state != State.COMPLETED
    # A visit that was abandoned first and ended later stopped where it was abandoned.
    stopped_in = session.stopped_in or session.state if stops else ""
    fields |= {"state": state, "last_seen_at": timezone.now(), "stopped_in": stopped_in}
    if state in Session.OVER and session.ended_at is None:
        fields["ended_at"] = fields["last_seen_at"]
    if not Session.objects.filter(pk=session.pk, state=session.state).update(**fields):
        raise NotNow(f"the session is no longer {session.state}")
    if session.source == Session.Source.LINK and state not in kept_places.AWAITED:
        kept_places.let_go([session.rater_id])
    for name, value in fields.items():
        setattr(session, name, value)


def _locked(session):
    return Session.objects.locked(session.pk)


@transaction.atomic
def begin(session):
    """Move to the check, to practice, or to rating with items claimed. False if no item is left.

    Where the rater's lists could not be made the session ends.
    """
    session = _locked(session)
    study, rater = session.study, session.rater
    if session.state in around.FIRST and not around.asks_in(study, session.state, rater):
        lead_on(session)  # no longer asked
    left = around.left_before(session) if session.state in Session.BEFORE else session.state
    if left:
        if left != session.state:
            move(session, left)
        if left == State.WAITING and taste.has_failed(session):
            end_early(session, State.SCREENED_OUT)
        return True
    return claim_items(session)


def claim_items(session):
    """Move to rating with items claimed; False if none is left. Call it with the session locked."""
    taste.open_places(session)
    questions = versions.asked(session.study_id)
    kinds = places.kinds_asked(questions)
    if not places.claim(session, kinds, taste.count_of_items(session)):
        return False
    session.version = questions[0].present  # what is drawn beside the items depends on it
    places.put_in_order(session, first=[])
    layout = arms.layout_of(session)
    move(session, State.RATING, current=1, version=session.version, layout=layout)
    return True


@transaction.atomic
def resume(session, sent=None):
    """Continue a session that was abandoned as quiet. False if no item is left for it.

    It gets back what it had answered as far as that is still open, then other items. False too if
    a quota of its answers to the screener is full by now. sent: the id of the item whose page has
    just come, late; it comes back too.
    """
    quotas.wait_for_turn(session.study)  # locks the study, so before the session
    session = _locked(session)
    if session.state != State.ABANDONED:
        return True
    if quotas.is_full_for(session):
        return False
    answered = _answered_items(session)
    questions = versions.asked(session.study_id, session.version)
    kinds = places.kinds_asked(questions)
    tops = list(dict.fromkeys(item.parent_id or pk for pk, (item, _) in answered.items()))
    back = places.claim_again(session, tops)
    # Who had no items yet must not come to them past the steps before.
    came_late = sent is not None and session.stopped_in == State.RATING
    if came_late and len(back) < taste.count_of_items(session):
        back += places.claim_sent(session, kinds, sent, like=back)
    # Answers to gold items alone: they are of the session's version, so it goes on with that.
    has_answers = answered or session.screens.filter(answers__question__isnull=False).exists()
    if not (back or has_answers):
        move(session, _step_to_begin_with(session))
        return True
    if session.items_done_at:  # only exit questions are left, whatever became of the places
        places.put_in_order(session, first=back)
        session.places.update(state=Place.State.FILLED)
        move(session, State.EXIT)
        return True
    # Below zero where the study has come to want fewer: what was rated stays whole.
    wanted = max(taste.count_of_items(session) - len(back), 0)
    new = places.claim(session, kinds, wanted, like=back)
    if not back and not new:
        return False
    gaps = _with_gaps(Item.objects.filter(pk__in=back), questions, answered)
    whole = [pk for pk in back if pk not in gaps]
    places.put_in_order(session, first=[*whole, *(pk for pk in back if pk not in set(whole))])
    session.places.filter(item__in=whole).update(state=Place.State.FILLED)
    move(session, State.RATING, current=min(len(whole) + 1, screens.count_of(session)))
    return True


def _step_to_begin_with(session):
    """Return the step in which an abandoned session without answers stopped, or what follows it."""
    stopped_in = session.stopped_in
    if stopped_in not in around.FIRST:
        return State.INSTRUCTIONS
    is_asked = around.asks_in(session.study, stopped_in, session.rater)
    if is_asked and not (stopped_in == State.TASTE and making_of(session)):
        return stopped_in
    return around.step_after(session.study, stopped_in, session.rater)


def _answered_items(session):
    """Return {item id: (item, {answered question: has a reason})} by the first answers."""
    answered_items: dict = {}
    for rating in session.ratings.select_related("item").order_by("pk"):
        answered = answered_items.setdefault(rating.item_id, (rating.item, {}))[1]
        answered[rating.question_id] = bool(rating.reason)
    return answered_items


def missing(kind, questions, answered):
    """Return the questions of a kind of items that lack a required answer or its required reason.

    answered: {question id: whether the answer has a reason}.
    """
    return [
        question
        for question in questions
        if question.applies_to_kind(kind) and is_missing(question, answered)
    ]


def is_missing(question, answered):
    """Return whether a question lacks its required answer, or an answer its required reason."""
    if question.pk not in answered:
        return question.required
    return question.why == Question.Why.REQUIRED and not answered[question.pk]


def with_parts(items):
    """Return {item id: [the item, and its parts where it is a pair of lists]}."""
    parts_by_item = {item.pk: [item] for item in items}
    pairs = [pk for pk, (item,) in parts_by_item.items() if item.kind == Item.Kind.LIST_PAIR]
    if pairs:
        for part in Item.objects.filter(parent__in=pairs):
            parts_by_item[part.parent_id].append(part)
    return parts_by_item


def _with_gaps(items, questions, answered):
    """Return the ids of the items that lack a required answer about them or a part of them."""
    done = {pk: questions for pk, (_, questions) in answered.items()}
    return {
        pk
        for pk, parts in with_parts(items).items()
        if any(missing(part.kind, questions, done.get(part.pk, {})) for part in parts)
    }


def seconds_since(shown_at, now):
    """Return for how many seconds a page was shown, at most a day; None where unknown."""
    return shown_at and min(max((now - shown_at).total_seconds(), 0.0), LONGEST_STAY)


def save_answers(place, questions, answers, shown_at=None, emptied=()):
    """Store the answers to the place's item: each with its revision, and the place with its state.

    questions: all that the session is asked; emptied: (item id, question) whose answer the rater
    took back, if they may. Returns (item id, question) of those that still lack what is required.
    An answer that says what is stored already changes nothing, not even its time.
    """
    now = timezone.now()
    seconds = seconds_since(shown_at, now)
    is_pair = place.item.kind == Item.Kind.LIST_PAIR
    kinds = Item.Kind.values if is_pair else [place.item.kind]
    required = {kind: missing(kind, questions, {}) for kind in kinds}
    taken_back: dict = {}
    for item_id, question in emptied:
        if not question.required:
            taken_back.setdefault(item_id, []).append(question.pk)
    answered_items = save.write(place, answers, taken_back, required, seconds, now)
    if answered_items is None:
        raise NotNow("the session is not rating, or the place has gone to somebody else")
    return [
        (item_id, question)
        for item_id, (kind, answered) in answered_items.items()
        for question in missing(kind, questions, answered)
    ]


def go_to(session, position):
    """Store the position of the item now on the screen, where a reload resumes."""
    Session.objects.filter(pk=session.pk, state=State.RATING).update(current=position)


def finish(session):
    """Complete the session, or lead to its exit questions.

    Returns the position of the first item with a gap, or None.
    """
    with transaction.atomic():
        session = _locked(session)
        gap = first_gap(session)
        if gap is None:
            asks = around.exit_of(session.study)
            move(session, State.EXIT if asks else State.COMPLETED, items_done_at=timezone.now())
            session.places.update(state=Place.State.FILLED)
            if not asks:
                exclude.close_session(session)
    return gap


@transaction.atomic
def end_early(session, state):
    """End a session before it is complete: returned, screened out, failed; else NotNow.

    Its places open at once, its answers stay and count no more. Returns how many places opened. A
    save on its way comes before, and is kept, or after, and is refused.
    """
    session = _locked(session)
    move(session, state)
    # What an exclusion had opened does not come back to a visit that is over.
    FreedPlace.objects.filter(session=session).delete()
    opened = places.release([session.pk])
    taste.close_places(session)
    return opened


def first_gap(session):
    """Return the position of the first screen that lacks a required answer; None without gaps."""
    questions = versions.asked(session.study_id, session.version)
    answered = _answered_items(session)
    held = list(session.places.select_related("item").order_by("position"))
    lacking = _with_gaps([place.item for place in held], questions, answered)
    gaps = [place.position for place in held if place.item_id in lacking]
    gaps += [position for position in [screens.first_gap(session)] if position is not None]
    return min(gaps, default=None)
