"""Read a study's retention date, on which the whole study is deleted: a key of study.yaml.

It is kept in Study.extra as 2027-06-30. The day begins at midnight UTC.
"""

from datetime import date, timedelta

from django.utils import timezone

from annotate.values.wrong import quoted

DELETE_ON = "delete_on"
SOON = timedelta(days=30)  # before the date researchers read of it on every page of the study


def today():
    """Return the day that it is in UTC."""
    return timezone.now().date()


def check_date(value):
    """Return a coming day as text; ValueError says what is wrong with it."""
    allowed = "allowed is a day after today, such as 2027-06-30"
    try:
        day = value if type(value) is date else date.fromisoformat(value)
    except (TypeError, ValueError):
        raise ValueError(f"found {quoted(value, 40)}; {allowed}") from None
    if day <= today():
        raise ValueError(f"found {day.isoformat()}, when nothing could be kept; {allowed}")
    return day.isoformat()


def deletion_day(study):
    """Return the day on which the study is deleted, or None."""
    day = study.extra.get(DELETE_ON)
    return date.fromisoformat(day) if day else None


def deleted_soon(study):
    """Return the day on which the study is deleted if it is near, else None."""
    day = deletion_day(study)
    return day if day and day - today() <= SOON else None
