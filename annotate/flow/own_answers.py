"""Set which share of their own items recipients are asked about again: key repeat_share.

Where each item has one rating, by its recipient, the second own answer is what a judge is compared
with (Repeats in analysis/stats/validation/evidence.py). For recipients it takes the place of
`repeats`.
"""

from annotate.models import Rater

KEY = "repeat_share"
MOST = 0.5
APART = 20  # other items between an item and its repeat, where the session is long enough


def count_repeats(settings, role, items):
    """Return how many of a session's so many own items are asked about again; 0 without a share.

    Rounded, half upwards, and at least one.
    """
    if role != Rater.Role.RECIPIENT or not settings.repeat_share or not items:
        return 0
    return max(1, int(settings.repeat_share * items + 0.5))


def count_again(settings, items, per_session):
    """Return how many of a recipient's own items are asked again, in sessions of at most so many.

    By the share, else by `repeats`. None is asked again right after itself: of a single one none.
    """
    whole, rest = divmod(items, per_session)
    sessions = [per_session] * whole + [rest] * (rest > 0)
    return sum(min(_wanted(settings, size), size - 1) for size in sessions)


def _wanted(settings, items):
    return count_repeats(settings, Rater.Role.RECIPIENT, items) or settings.repeats
