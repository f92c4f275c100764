"""A session's steps: it begins, answers are saved, it may pause, it ends."""

import secrets
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from annotate import excluding, places, platforms, saving
from annotate.models import FreedPlace, Item, Place, Question, Rater, Session, Study

State = Session.State
LONGEST_STAY = 86_400.0  # seconds


class NotNow(Exception):
    """The session's state does not allow this step."""


@dataclass(frozen=True)
class Answer:
    """What a rater said to one question; text only where the scale is text.

    item_id: the item of the place, or a part of it; None means the item of the place.
    """

    question: Question
    value: float | None
    text: str = ""
    item_id: int | None = None


def why_closed(study):
    """Why nobody can join now: closed, unready, full for now, finished; empty if one can."""
    if not study.is_open:
        return "closed"
    kinds = places.kinds_asked(study.questions.all())
    if not kinds or not study.places.exists():
        return "unready"
    if places.any_open(study, kinds):
        return ""
    return "full" if study.places.exclude(state=Place.State.FILLED).exists() else "finished"


def begin_visit(study, ids, consents):
    """A new rater with a session, after consent; without consent only that it was declined.

    NotNow if the platform's participant takes part already, in another visit.
    """
    with transaction.atomic():
        if ids:
            # One at a time: a double click must not make two raters of one participant.
            Study.objects.select_for_update(no_key=True).get(pk=study.pk)
            earlier, is_same = platforms.earlier_visit(study, ids)
            if is_same:
                return earlier
            if earlier:
                raise NotNow("this participant takes part already")
        rater = Rater.objects.create(
            study=study,
            key=f"rater-{secrets.token_hex(5)}",
            platform_ids=platforms.kept_ids(ids, consents),
        )
        session = Session.objects.create(study=study, rater=rater)
        move(session, State.INSTRUCTIONS if consents else State.DECLINED)
    return session


def move(session, state, **fields):
    """The session goes on to another state; NotNow if that may not follow."""
    if state not in Session.NEXT[session.state]:
        raise NotNow(f"a session that is {session.state} cannot become {state}")
    fields |= {"state": state, "last_seen_at": timezone.now()}
    if state in Session.OVER and session.ended_at is None:
        fields["ended_at"] = fields["last_seen_at"]
    if not Session.objects.filter(pk=session.pk, state=session.state).update(**fields):
        raise NotNow(f"the session is no longer {session.state}")
    for name, value in fields.items():
        setattr(session, name, value)


def _locked(session):
    return (
        Session.objects.select_for_update(of=("self",))
        .select_related("study", "rater")
        .get(pk=session.pk)
    )


@transaction.atomic
def begin(session):
    """Claim the session's items and start rating. False if nothing is left to rate."""
    session = _locked(session)
    if session.state != State.INSTRUCTIONS:
        return True
    kinds = places.kinds_asked(session.study.questions.all())
    if not places.claim(session, kinds, session.study.items_per_session):
        return False
    places.put_in_order(session, first=[])
    move(session, State.RATING, current=1)
    return True


@transaction.atomic
def resume(session):
    """A session that was quiet for too long goes on. False if nothing is left for it.

    It gets back what it had answered as far as that is still open, then other items.
    """
    session = _locked(session)
    if session.state != State.ABANDONED:
        return True
    answered = _answered_items(session)
    if not answered:
        move(session, State.INSTRUCTIONS)
        return True
    questions = list(session.study.questions.all())
    tops = list(dict.fromkeys(item.parent_id or pk for pk, (item, _) in answered.items()))
    back = places.claim_again(session, tops)
    wanted = session.study.items_per_session - len(back)
    new = places.claim(session, places.kinds_asked(questions), wanted)
    if not back and not new:
        return False
    gaps = _with_gaps(Item.objects.filter(pk__in=back), questions, answered)
    whole = [pk for pk in back if pk not in gaps]
    places.put_in_order(session, first=[*whole, *(pk for pk in back if pk not in set(whole))])
    session.places.filter(item__in=whole).update(state=Place.State.FILLED)
    move(session, State.RATING, current=min(len(whole) + 1, len(back) + len(new)))
    return True


def _answered_items(session):
    """{item id: (item, ids of its answered questions)}, in the order of the first answers."""
    found: dict = {}
    for rating in session.ratings.select_related("item").order_by("pk"):
        found.setdefault(rating.item_id, (rating.item, set()))[1].add(rating.question_id)
    return found


def missing(kind, questions, answered):
    """The required questions of a kind of items that are not among the answered ones."""
    return [
        question
        for question in questions
        if question.required and question.applies_to_kind(kind) and question.pk not in answered
    ]


def with_parts(items):
    """{id of an item: [the item, and its parts where it is a pair of lists]}."""
    found = {item.pk: [item] for item in items}
    pairs = [pk for pk, (item,) in found.items() if item.kind == Item.Kind.LIST_PAIR]
    if pairs:
        for part in Item.objects.filter(parent__in=pairs):
            found[part.parent_id].append(part)
    return found


def _with_gaps(items, questions, answered):
    """The ids of the items that lack a required answer, about them or about a part of them."""
    done = {pk: questions for pk, (_, questions) in answered.items()}
    return {
        pk
        for pk, parts in with_parts(items).items()
        if any(missing(part.kind, questions, done.get(part.pk, ())) for part in parts)
    }


def save_answers(place, questions, answers, shown_at=None, emptied=()):
    """Keep the answers to the place's item: each with its revision, and the place with its state.

    questions: all of the study; emptied: (item id, question) whose answer the rater took back, if
    they may. Returns (item id, question) of the required ones still without an answer. An answer
    that says what is stored already changes nothing, not even its time.
    """
    now = timezone.now()
    seconds = shown_at and min(max((now - shown_at).total_seconds(), 0.0), LONGEST_STAY)
    is_pair = place.item.kind == Item.Kind.LIST_PAIR
    kinds = Item.Kind.values if is_pair else [place.item.kind]
    required = {kind: [q.pk for q in missing(kind, questions, ())] for kind in kinds}
    taken_back: dict = {}
    for item_id, question in emptied:
        if not question.required:
            taken_back.setdefault(item_id, []).append(question.pk)
    found = saving.write(place, answers, taken_back, required, seconds, now)
    if found is None:
        raise NotNow("the session is not rating, or the place has gone to somebody else")
    return [
        (item_id, question)
        for item_id, (kind, answered) in found.items()
        for question in missing(kind, questions, answered)
    ]


def go_to(session, position):
    """The item on the screen is another one now: where a reload resumes."""
    Session.objects.filter(pk=session.pk, state=State.RATING).update(current=position)


def finish(session):
    """Complete the session, or return the position of the first item with a gap."""
    with transaction.atomic():
        session = _locked(session)
        gap = first_gap(session)
        if gap is None:
            move(session, State.COMPLETED)
            session.places.update(state=Place.State.FILLED)
            excluding.close_session(session)
    return gap


@transaction.atomic
def end_early(session, state):
    """End a session before its end: returned, screened out, failed. NotNow if it cannot end so.

    Its places open at once, its answers stay and count no more. Returns how many places opened. A
    save on its way comes before, and is kept, or after, and is refused.
    """
    session = _locked(session)
    move(session, state)
    # What an exclusion had opened does not come back to a visit that is over.
    FreedPlace.objects.filter(session=session).delete()
    return places.release([session.pk])


def first_gap(session):
    """The position of the first item that lacks a required answer; None if none does."""
    questions = list(session.study.questions.all())
    answered = _answered_items(session)
    held = list(session.places.select_related("item").order_by("position"))
    lacking = _with_gaps([place.item for place in held], questions, answered)
    return next((place.position for place in held if place.item_id in lacking), None)
