"""Exclude raters, include them again or forget them: one transaction and one line in the log each.

The places that an excluded rater has filled open at once. A rater who is still at work goes on
undisturbed, with the places they hold, to the usual end; these open when the session ends
(`close_session`) or has been quiet for too long (places.release_expired).

Everything here locks the study first, then the raters' sessions, then places. Saves, claims and
ends lock a session before its places, so that nobody waits in a circle, and an end comes either
before an exclusion, which then finds the session over, or after, and then finds the exclusion.
"""

from django.db import connection, transaction
from django.db.models import F, Q

from annotate.db.bulk import insert
from annotate.models import (
    Erasure,
    ExcludedRater,
    FreedPlace,
    Place,
    QualityStep,
    Rating,
    Session,
    Study,
    Tombstone,
)
from annotate.sessions import kept_places, links, places
from annotate.taste import lists as taste

FORGOTTEN = "(deleted with the rater’s data)"


class NobodyLeft(Exception):
    """No rater is left whom the call could exclude or include again."""


def _lock(study, raters):
    """Lock the study and the raters' sessions; return the sessions as (id, state)."""
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    sessions = Session.objects.filter(rater__in=raters).order_by("pk")
    return list(sessions.select_for_update(of=("self",), no_key=True).values_list("pk", "state"))


def _step(study, by, **fields):
    return QualityStep.objects.create(study=study, by=by, by_name=by.get_username(), **fields)


@transaction.atomic
def exclude(study, by, rule, words, measured, parameters=None, reopens=True):
    """Exclude raters {id: what was measured, or None}; reopen their places if reopens.

    Returns the log's line. Raters who are excluded already stay as they are; NobodyLeft if all are.
    """
    sessions = _lock(study, list(measured))
    raters = study.raters.filter(pk__in=measured, excluded_because="")
    included = list(raters.values_list("pk", flat=True))
    if not included:
        raise NobodyLeft
    step = _step(
        study,
        by,
        rule=rule,
        words=words,
        parameters=parameters or {},
        reopens=reopens,
        rater_count=len(included),
    )
    raters.filter(pk__in=included).update(excluded_because=words)
    kept_places.let_go(included)
    ExcludedRater.objects.bulk_create(
        ExcludedRater(step=step, rater_id=pk, measured=measured[pk]) for pk in included
    )
    if reopens:
        over = [pk for pk, state in sessions if state != Session.State.RATING]
        _open(ExcludedRater.objects.filter(step=step), over)
    step.refresh_from_db()
    return step


def exclude_by_hand(rater, by, reason, reopens=True):
    """Exclude one rater for a reason that a member of the study wrote."""
    return exclude(rater.study, by, QualityStep.BY_HAND, reason, {rater.pk: None}, reopens=reopens)


def _open(exclusions, sessions):
    """Open the sessions' places of the excluded raters, and remember them for undoing."""
    of_rater = dict(exclusions.values_list("rater", "pk"))
    held = Place.objects.filter(session__in=sessions, rater__in=list(of_rater))
    names = ["rater", "pk", "item", "session", "state", "position"]
    freed = [(of_rater[rater], *place) for rater, *place in held.values_list(*names)]
    columns = ["exclusion_id", "place_id", "item_id", "session_id", "state", "position"]
    insert(FreedPlace, columns, freed)
    places.release({session for _, _, _, session, _, _ in freed})
    step = exclusions.values_list("step", flat=True)[:1]
    QualityStep.objects.filter(pk__in=list(step)).update(place_count=F("place_count") + len(freed))


def close_session(session):
    """Open the places that an ended session filled, if its rater has been excluded meanwhile.

    Call it with the session's row locked.
    """
    standing = ExcludedRater.objects.filter(rater=session.rater_id, ended_by=None)
    exclusions = standing.filter(step__reopens=True)
    if exclusions:
        _open(exclusions, [session.pk])


# The way back

# One statement, whatever the number of places: each that is still open goes back to whose it was,
# with the side that stood first for them; others may have had it meanwhile.
GIVE_BACK = """
UPDATE annotate_place
SET state = freed.state, rater_id = excluded.rater_id, session_id = freed.session_id,
    position = freed.position, kept_for_id = NULL, first_side = COALESCE((
        SELECT rating.first_side FROM annotate_rating rating
        WHERE rating.session_id = freed.session_id AND rating.item_id IN (
            SELECT item.id FROM annotate_item item
            WHERE item.id = freed.item_id OR item.parent_id = freed.item_id
        ) LIMIT 1
    ), '')
FROM annotate_freedplace freed
JOIN annotate_excludedrater excluded ON excluded.id = freed.exclusion_id
WHERE excluded.ended_by_id = %s AND freed.place_id = annotate_place.id
AND annotate_place.state = 'open'
AND NOT EXISTS (
    SELECT 1 FROM annotate_place mine
    WHERE mine.item_id = annotate_place.item_id AND mine.rater_id = excluded.rater_id
)
"""


@transaction.atomic
def undo(step, by, rater=None):
    """Include again all raters whom a step excluded, or the given one; give their places back.

    A place that somebody took meanwhile stays theirs: the rater gets another open place of the
    item, if there is one. Returns the log's line; NobodyLeft if all are included already.
    """
    standing = step.excluded.filter(ended_by=None)
    standing = standing.filter(rater=rater) if rater else standing
    _lock(step.study, list(standing.values_list("rater", flat=True)))
    raters = list(standing.values_list("rater", flat=True))
    if not raters:
        raise NobodyLeft
    undoing = _step(
        step.study,
        by,
        kind=QualityStep.Kind.UNDONE,
        rule=step.rule,
        words=step.words,
        parameters=step.parameters,
        reopens=step.reopens,
        undoes=step,
        rater_count=len(raters),
    )
    step.study.raters.filter(pk__in=raters).update(excluded_because="")
    standing.update(ended_by=undoing)
    undoing.place_count, undoing.lost_count = _give_back(undoing)
    kept_places.keep(step.study)
    undoing.save(update_fields=["place_count", "lost_count"])
    return undoing


def include(rater, by):
    """Include one rater again, whatever excluded them."""
    standing = rater.exclusions.filter(ended_by=None).select_related("step__study").first()
    if standing:
        return undo(standing.step, by, rater)
    changed = rater.study.raters.filter(pk=rater.pk).exclude(excluded_because="")
    with transaction.atomic():
        if not changed.update(excluded_because=""):
            raise NobodyLeft
        kept_places.keep(rater.study)
        return _step(
            rater.study,
            by,
            kind=QualityStep.Kind.UNDONE,
            rule=QualityStep.BY_HAND,
            words=rater.excluded_because,
            rater_count=1,
        )


def _give_back(undoing):
    """Give back the places that the undone exclusions had opened; return (given back, lost)."""
    with connection.cursor() as cursor:
        cursor.execute(GIVE_BACK, [undoing.pk])
    freed = FreedPlace.objects.filter(exclusion__ended_by=undoing)
    missing = freed.exclude(place__session=F("session"))
    count = freed.count()
    lost = sum(not _another(place) for place in missing.select_related("exclusion"))
    freed.delete()
    return count - lost, lost


def _another(freed):
    """Give the rater another open place of the item instead; return whether there was one."""
    rater, item = freed.exclusion.rater_id, Place.objects.filter(item=freed.item_id)
    if item.filter(rater=rater).exists():
        return False
    open_places = item.filter(state=Place.State.OPEN).order_by("number")
    fields = {"state": freed.state, "session": freed.session_id, "position": freed.position}
    fields["first_side"] = _first_side(freed)
    return any(
        # The condition once more: a claim may come in between.
        item.filter(pk=pk, state=Place.State.OPEN).update(rater=rater, kept_for=None, **fields)
        for pk in open_places.values_list("pk", flat=True)
    )


def _first_side(freed):
    """Return the side of a pair of lists that stood first for the rater, from their answers."""
    about = Q(item=freed.item_id) | Q(item__parent=freed.item_id)
    sides = Rating.objects.filter(about, session=freed.session_id).values_list("first_side")
    return next((side for (side,) in sides[:1]), "")


@transaction.atomic
def forget(rater, by):
    """Delete a rater with all sessions and answers, and open their places; return the tombstone."""
    sessions = [pk for pk, _ in _lock(rater.study, [rater.pk])]
    links.hold(rater)
    tombstone = Tombstone.objects.create(
        study=rater.study,
        by=by,
        by_name=by.get_username(),
        session_count=len(sessions),
        rating_count=Rating.objects.filter(session__in=sessions).count(),
    )
    forget_words(rater)
    places.release(sessions)
    taste.remove_brought(sessions)
    rater.study.latecomers.filter(participant=rater.participant or "").delete()
    Erasure.objects.create(study=rater.study)
    rater.delete()
    return tombstone


def forget_words(rater):
    """Blank the reasons of exclusions by hand: somebody's own words may say who it was."""
    by_hand = QualityStep.objects.filter(study=rater.study_id, rule=QualityStep.BY_HAND)
    steps = list(by_hand.filter(excluded__rater=rater).values_list("pk", flat=True))
    for which in ({"pk__in": steps}, {"undoes__in": steps}):
        by_hand.filter(**which).update(words=FORGOTTEN)
