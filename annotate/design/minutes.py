"""Estimate how long raters need, to say so before they begin and while they rate.

Until enough pages were timed the estimate is of what there is to read and to answer.
"""

from dataclasses import dataclass, replace
from math import ceil
from statistics import mean, median

from django.core.cache import cache

from annotate.design import checks, payment, platform, versions
from annotate.flow import around, own_answers
from annotate.flow.screener import screener_of
from annotate.models import Item, ItemTime, Question, Rater
from annotate.taste import study as taste

ENOUGH, NEWEST = 20, 500  # timed pages: the fewest that replace the estimate, the most that count
KEPT_SECONDS = 300
SAMPLE = 50  # items whose texts are measured
SIGNS_A_SECOND = 20  # reading: about 200 words of six letters a minute
CHINESE_A_SECOND = 6
# Seconds for an answer.
CHOOSING, TYPING, REASON = 6, 20, 15
WAITING = 60  # for lists that are made


@dataclass(frozen=True)
class Pace:
    """Seconds for a page of an item, 0 without items and without lists that will be made.

    pages: how many were timed, 0 for none; items: how many the study has.
    """

    seconds: float
    pages: int = 0
    items: int = 0


def pace_of(study):
    """Return the study's Pace, at most five minutes old; a preview has that of its study."""
    study = study.origin
    key = f"pace-{study.pk}-{study.questionnaire_version}"
    pace = cache.get(key)
    if pace is None:
        pace = replace(_timed(study) or _estimated(study), items=_handed_out(study).count())
        cache.set(key, pace, KEPT_SECONDS)
    return pace


def minutes_left(study, pages):
    """Return the minutes for so many pages (a share for one begun) and the exit questions.

    None where the study has no page to estimate.
    """
    seconds = _seconds(study, pages)
    return None if seconds is None else _minutes(seconds)


def minutes_of_session(study, session=None):
    """Return the minutes of a whole session; None where the study has no page to estimate.

    session: whose it is, if that is known; recipients rate what was recommended to them.
    """
    seconds = _seconds_of_session(study, session)
    return None if seconds is None else _minutes(seconds)


def _minutes(seconds):
    return max(ceil(seconds / 60), 1)


def _seconds(study, pages):
    pace = pace_of(study)
    if not pace.seconds:
        return None
    return pages * pace.seconds + sum(map(_seconds_of, around.exit_of(study)))


def _seconds_of_session(study, session=None):
    """Return the seconds from the consent to the last answer."""
    rater = session.rater if session is not None and session.rater_id else None
    practice = len(study.extra.get(around.PRACTICE) or ())
    seconds = _seconds(study, count_pages(study, rater) + practice)
    if seconds is None:
        return None
    return seconds + _seconds_before(study) + _seconds_of_picks(study, rater)


def count_pages(study, rater=None):
    """Return how many pages a session has: its items, checks, gold and repeated items."""
    set_up, items = checks.settings_of(study), _count_items(study, rater)
    extra = len(set_up.attention) + set_up.gold_per_session
    if set_up.repeat_share and (rater is None or rater.role == Rater.Role.RECIPIENT):
        return items + extra + own_answers.count_again(set_up, items, max(items, 1))
    return items + extra + set_up.repeats


def _count_items(study, rater):
    """Return how many items a session rates, of those that are there or of lists to be made."""
    if taste.is_asked(study, rater):
        asked = taste.taste_of(study)
        return 1 if len(asked.sources) > 1 else asked.length
    items = pace_of(study).items
    if rater is not None and rater.recipient_id:
        items = _handed_out(study).filter(recipient=rater.recipient_id).count()
    return min(study.items_per_session, items)


def _seconds_of_picks(study, rater):
    """Return the seconds to search for the fewest contents, to pick them, and to wait for lists."""
    if not taste.is_asked(study, rater):
        return 0
    return taste.taste_of(study).least * (TYPING + CHOOSING) + WAITING


def _seconds_before(study):
    """Return the seconds to read consent and instructions, and to answer what is asked there."""
    check = around.check_of(study)
    asked = len(check.questions) if check else 0
    about_raters = [*screener_of(study).questions, *around.before_of(study)]
    seconds = asked * CHOOSING + sum(map(_seconds_of, about_raters))
    return _reading(len(study.consent) + len(study.instructions), study.language) + seconds


def _reading(signs, language):
    return signs / (CHINESE_A_SECOND if language.startswith("zh") else SIGNS_A_SECOND)


def _handed_out(study):
    """Return the items that stand on pages by themselves, but for practice and gold items."""
    items = study.items.filter(parent=None, is_practice=False)
    return items.exclude(key__in=checks.gold_keys(study))


@dataclass(frozen=True)
class Effort:
    """What a session asks of a rater: minutes, where they come from, and what an hour pays.

    hourly: in the currency of the pay, None where either is unknown; least: what the platform asks
    for at least, None where it names nothing in that currency.
    """

    minutes: int
    pace: Pace
    pay: payment.Pay | None
    hourly: float | None
    least: float | None

    @property
    def is_too_low(self):
        return self.hourly is not None and self.least is not None and self.hourly < self.least


def effort_of(study):
    """Return the Effort of a session; None where the study has no page to estimate."""
    seconds = _seconds_of_session(study)
    if seconds is None:
        return None
    pay = payment.pay_of(study)
    least = platform.LEAST_PAY.get(platform.platform_of(study).name, {})
    return Effort(
        _minutes(seconds),
        pace_of(study),
        pay,
        pay and pay.amount * 3600 / seconds,
        pay and least.get(pay.currency),
    )


def _timed(study):
    newest = ItemTime.objects.filter(
        session__study=study,
        session__version=study.questionnaire_version,
        session__items_done_at__isnull=False,  # so that each of its pages was answered
    ).order_by("-pk")
    seconds = list(newest.values_list("active_seconds", flat=True)[:NEWEST])
    return Pace(max(median(seconds), 1), len(seconds)) if len(seconds) >= ENOUGH else None


def _estimated(study):
    if taste.is_asked(study):
        return Pace(_seconds_of_lists(study))
    items = (
        _handed_out(study)
        .order_by("pk")
        .select_related("content")
        .prefetch_related("children__content")
    )
    asked = versions.asked(study)
    seconds = [_seconds_of_item(item, asked, study.language) for item in items[:SAMPLE]]
    return Pace(mean([page for page in seconds if page] or [0]))


def _seconds_of_lists(study):
    """Return the seconds for a page of lists to be made: a pair of them, or one content."""
    asked, kinds = taste.taste_of(study), [Item.Kind.RECOMMENDATION]
    if len(asked.sources) > 1:
        kinds = [Item.Kind.LIST_PAIR, *kinds * asked.length * len(asked.sources)]
    questions = versions.asked(study)
    answers = [_seconds_of(q) for kind in kinds for q in questions if q.applies_to_kind(kind)]
    texts = study.contents.exclude(title="").order_by("pk").values_list("description", flat=True)
    signs = mean([len(text) for text in texts[:SAMPLE]] or [0])
    signs *= kinds.count(Item.Kind.RECOMMENDATION)
    return sum(answers) + _reading(signs, study.language) if answers else 0


def _seconds_of_item(item, asked, language):
    """Return the seconds to read an item with its parts and to answer; 0 if nothing is asked."""
    shown = (item, *item.children.all())
    signs = sum(
        len(part.text) + len(part.reference) + len(part.content.description if part.content else "")
        for part in shown
    )
    answers = [
        _seconds_of(question)
        for part in shown
        for question in asked
        if question.applies_to_kind(part.kind)
    ]
    return sum(answers) + _reading(signs, language) if answers else 0


def _seconds_of(question):
    seconds = CHOOSING if question.scale.has_points else TYPING
    asks_why = getattr(question, "why", "") == Question.Why.REQUIRED
    return seconds + REASON * asks_why
