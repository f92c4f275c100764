"""Export tables about people: raters, sessions, and every change of an answer.

What a platform calls somebody is personal. It leaves as a pseudonym, the same in every export of
a study, so that a participant who came twice can be seen; as it is only where an owner asks.
"""

import json
from collections import defaultdict
from itertools import groupby
from operator import itemgetter

from django.db.models import Count, IntegerField, OuterRef, Q, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils.crypto import salted_hmac

from analysis.exports import codebook
from annotate.files.loading.common import batches
from annotate.flow import arms
from annotate.models import (
    ItemTime,
    Listening,
    Rater,
    Rating,
    RatingRevision,
    Screen,
    Session,
    Study,
)
from annotate.quality import about_raters
from annotate.quality.measures import APPROVAL_RATE, TASK_COUNT, participant_of
from judges.files.written import WrittenByJudges

CHUNK = 5000
VISIT = ("SESSION_ID", "assignmentId")


def pseudonym(study, platform_id):
    """Return 12 letters and digits for a platform's id, irreversible without the SECRET_KEY."""
    if not platform_id:
        return ""
    keyed = salted_hmac(f"platform id in {study.pk}", platform_id, algorithm="sha256")
    return keyed.hexdigest()[:12]


def raters(study, platform_ids=False):
    """Yield one row per rater; platform_ids=True gives the platform's own ids."""

    def named(text):
        return text if platform_ids else pseudonym(study, text)

    rows = _counted_raters(study).order_by("pk")
    names = [
        "pk",
        "key",
        "role",
        "recipient__key",
        "platform_ids",
        "excluded_because",
        "sessions_all",
        "sessions_completed",
        "items_rated",
        "answers",
        "answers_counted",
        "changes",
        "active",
        "idle",
        "browser",
        "device",
        "screen_width",
        "created_at",
    ]
    rater_rows = rows.values_list(*names).iterator(CHUNK)
    for (_, key, role, recipient, ids, why, *counts), exits in with_exit(
        study, rater_rows, "session__rater"
    ):
        visit = next((str(ids[name]) for name in VISIT if ids.get(name)), "")
        numbers = (_plain(ids.get(name)) for name in (APPROVAL_RATE, TASK_COUNT))
        who = key, role, recipient or "", named(participant_of(ids)), named(visit)
        yield *who, *numbers, bool(why), why, *counts, *exits


def arm_columns(study):
    """Return {"arm": its meaning} where a study has arms, or sessions of arms that it had."""
    has_arms = study.extra.get(arms.KEY) or study.sessions.exclude(arm="").exists()
    return {"arm": codebook.OPTIONAL["arm"]} if has_arms else {}


def session_columns(study):
    """Return {column: meaning} that sessions have where a study uses what they tell of.

    layout: where not all were asked in the usual one; arm: where the study has arms or had;
    stopped_in: where one was given up.
    """
    usual = ["", Study.Layout.LIST]
    counts = study.sessions.aggregate(
        layout=Count("pk", filter=~Q(layout__in=usual)),
        arm=Count("pk", filter=~Q(arm="")),
        stopped_in=Count("pk", filter=~Q(stopped_in="")),
    )
    has = {
        "layout": counts["layout"] or study.layout not in usual,
        "arm": counts["arm"] or study.extra.get(arms.KEY),
        "stopped_in": counts["stopped_in"],
    }
    return {name: codebook.OPTIONAL[name] for name, is_used in has.items() if is_used}


def exit_columns(study):
    """Return {column: meaning} of the questions about raters, also those no longer asked."""
    asked = {
        (step, question.key): question
        for step, questions in about_raters.asked_in(study).items()
        for question in questions
    }
    return {
        f"{step}_{key}": codebook.exit_meaning(asked.get((step, key)), step)
        for step, key in about_raters.columns(study)
    }


def with_exit(study, rows, owner):
    """Yield (row, answers about the rater) for rows that begin with the owner's pk, in order."""
    keys = about_raters.columns(study)
    for batch in batches(rows, CHUNK):
        first, last = batch[0][0], batch[-1][0]
        answers_by_owner = about_raters.said_between(study, owner, first, last) if keys else {}
        for row in batch:
            own = answers_by_owner.get(row[0], {})
            yield row, [own.get(key) for key in keys]


def sessions(study):
    """Yield one row per session, with its attempts at the check and its exit answers."""
    columns = session_columns(study)
    visits = Session.objects.filter(study=study).order_by("pk")
    visits = visits.with_times().annotate(answers=Count("ratings"))
    names = [
        "pk",
        "rater__key",
        "rater__role",
        "state",
        "source",
        "rater__excluded_because",
        "answers",
        "active",
        "idle",
        "browser",
        "device",
        "screen_width",
        "started_at",
        "last_seen_at",
        "ended_at",
        "items_done_at",
        *columns,
    ]
    rows = _with_attempts(study, visits.values_list(*names).iterator(CHUNK))
    for (pk, rater, role, state, source, why, *more, check), exits in with_exit(
        study, rows, "session"
    ):
        own = [more.pop() for _ in columns][::-1]
        who = pk, rater, role, state, source, bool(why), why
        yield *who, *more, *check, *own, *exits


def _with_attempts(study, rows):
    """Append (attempts, whether an attempt passed, all attempts as JSON) to each row."""
    for batch in batches(rows, CHUNK):
        made = Screen.objects.filter(
            session__study=study,
            session__pk__range=(batch[0][0], batch[-1][0]),
            kind=Screen.Kind.CHECK,
        ).prefetch_related("answers")
        by_session = defaultdict(list)
        for attempt in made:
            by_session[attempt.session_id].append(attempt)
        yield from ((*row, _attempts(by_session.get(row[0], ()))) for row in batch)


def _attempts(made):
    if not made:
        return None, None, ""
    told = [
        {"at": answers[0].answered_at.isoformat(), "answers": attempt.judged}
        for attempt in made
        if (answers := attempt.answers.all())
    ]
    return len(made), any(attempt.passed for attempt in made), json.dumps(told, ensure_ascii=False)


def _plain(value):
    """Keep a platform's number as it is, and whatever else it sent as a text."""
    return value if value is None or isinstance(value, int | float) else str(value)


def _counted_raters(study):
    """Return raters with their sessions, answers and changes, each counted for itself."""
    ratings = Rating.objects.filter(session__rater=OuterRef("pk")).order_by()
    revisions = RatingRevision.objects.filter(rating__session__rater=OuterRef("pk")).order_by()
    spent = ItemTime.objects.filter(session__rater=OuterRef("pk")).order_by()
    spent = spent.values("session__rater")
    with_browser = Session.objects.filter(rater=OuterRef("pk")).exclude(browser="").order_by("-pk")
    latest = {
        name: Subquery(with_browser.values(name)[:1])
        for name in ("browser", "device", "screen_width")
    }
    done = Q(sessions__state=Session.State.COMPLETED)
    return Rater.objects.filter(study=study).annotate(
        sessions_all=Count("sessions"),
        sessions_completed=Count("sessions", filter=done),
        items_rated=_number(ratings, "session__rater", Count("item", distinct=True)),
        answers=_number(ratings, "session__rater", Count("pk")),
        answers_counted=_number(ratings.for_analysis(), "session__rater", Count("pk")),
        changes=_number(
            revisions, "rating__session__rater", Count("pk") - Count("rating", distinct=True)
        ),
        active=Subquery(spent.annotate(n=Sum("active_seconds")).values("n")),
        idle=Subquery(spent.annotate(n=Sum("idle_seconds")).values("n")),
        **latest,
    )


def times(study):
    """Yield one row for every item that a session's page measured."""
    rows = ItemTime.objects.filter(session__study=study).order_by("session", "pk")
    names = [
        "session_id",
        "session__rater__key",
        "item__key",
        "active_seconds",
        "idle_seconds",
        "views",
    ]
    for *measured, views in rows.values_list(*names).iterator(CHUNK):
        yield *measured, len(views)


def listening(study):
    """Yield one row for every content whose recording or description an item's page offered."""
    rows = Listening.objects.filter(session__study=study).order_by("session", "pk")
    names = [
        "session_id",
        "session__rater__key",
        "item__key",
        "content__key",
        "played_seconds",
        "skipped_seconds",
        "duration_seconds",
        "is_unfolded",
    ]
    yield from rows.values_list(*names).iterator(CHUNK)


def _number(rows, by, expression):
    counted = rows.values(by).annotate(n=expression).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


def revisions(study):
    """Yield one row for every answer given or changed here, the first answers too."""
    rows = RatingRevision.objects.filter(rating__session__study=study).order_by("rating_id", "pk")
    names = [
        "rating_id",
        "rating__session_id",
        "rating__session__rater__key",
        "rating__item__key",
        "rating__question__key",
        "value",
        "text",
        "at",
        "rating__session__version",
        "reason",
    ]
    values = WrittenByJudges(study)
    for _, group in groupby(rows.values_list(*names).iterator(CHUNK), key=itemgetter(0)):
        old = None
        for change, (_, *keys, question, value, text, changed_at, version, reason) in enumerate(
            group
        ):
            new = text if value is None else values(question, value)
            yield *keys, question, change, old, new, changed_at, version, reason
            old = new
