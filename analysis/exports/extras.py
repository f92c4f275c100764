"""Export the inside of sessions: answers on extra screens, and the order of all screens."""

from heapq import merge
from operator import itemgetter

from annotate.coding.codes import Codes, may_compare, texts
from annotate.design.checks import compared
from annotate.models import Answer, Coding, Place, Screen
from judges.files.written import WrittenByJudges

CHUNK = 5000
ITEM = "item"


def checks(study):
    """Yield one row per answer to an attention check, a gold item or a repeated item."""
    answers = Answer.objects.among_items().filter(screen__session__study=study).with_first()
    names = [
        "screen__session_id",
        "screen__session__rater__key",
        "screen__kind",
        "item__key",
        "screen__key",
        "question__key",
        "screen__position",
        "screen__spec",
        "value",
        "text",
        "reason",
        "first",
        "passed",
        "seconds",
        "changes",
        "answered_at",
    ]
    rows = answers.order_by("screen__session", "screen__position", "pk").values_list(*names)
    values = WrittenByJudges(study)
    for session, rater, kind, item, check, question, position, spec, *row in rows.iterator(CHUNK):
        value, text, reason, first, passed, seconds, changes, answered_at = row
        pair = compared(kind, spec, question, value, text, first, values.scales.get(question))
        asked = session, rater, kind, item or "", check, question or "", position
        yield *asked, *pair, passed, seconds, len(changes), answered_at, reason


def screens(study):
    """Yield one row per screen of each session, in order: its items and its extra screens."""
    who = ["session__rater__key", "session__order_row"]
    places = Place.objects.filter(session__study=study, position__isnull=False)
    of_items = places.order_by("session", "position").values_list(
        "session_id", "position", "item__key", "item__system__key", "first_side", *who
    )
    extras = Screen.objects.filter(session__study=study, position__isnull=False)
    of_extras = extras.order_by("session", "position").values_list(
        "session_id",
        "position",
        "item__key",
        "item__system__key",
        "first_side",
        *who,
        "kind",
        "key",
    )
    rows = merge(of_items.iterator(CHUNK), of_extras.iterator(CHUNK), key=itemgetter(0, 1))
    for session, position, item, system, side, rater, row, *extra in rows:
        kind, check = extra or (ITEM, "")
        yield session, rater, row, position, kind, item or "", check, system or "", side


def codes(study):
    """Yield one row per code given to a text, under its merged name; no rows while hidden."""
    if not may_compare(study):
        return
    study_codes, values = Codes.load(study), WrittenByJudges(study)
    names = [
        "code",
        "rating__item__key",
        "rating__session__rater__key",
        "rating__question__key",
        "rating__value",
        "rating__text",
        "rating__reason",
        "coder_name",
        "at",
    ]
    rows = Coding.objects.filter(rating__in=texts(study).order_by()).order_by("rating", "pk")
    for code, item, rater, question, value, text, reason, coder, coded_at in rows.values_list(
        *names
    ).iterator(CHUNK):
        stands = code and study_codes.stands_for(code)
        if code is None or stands:
            name = stands.name if stands else ""
            written = values(question, value), text or reason
            yield item, rater, question, *written, coder or "", name, coded_at
