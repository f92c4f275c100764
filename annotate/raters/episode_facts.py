"""Say in one line when an episode came out, how long it is, and what it is about."""

import re
from datetime import datetime

from django.utils.formats import date_format
from django.utils.translation import gettext

LONGEST = 40  # characters of a date or a duration that is shown as it is written
TOPICS = 60  # characters of the first topics
LONGEST_SECONDS = 24 * 3600
PART, NUMBER = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,3})?"), re.compile(r"[0-9.,:]*")


def episode_facts(content):
    """Return what the columns date, duration and topics say, in the page's language.

    A date or a duration that cannot be read is shown as it is written; where all are blank, "".
    """
    names = "date", "duration", "topics"
    date, duration, topics = (str(content.data.get(name) or "").strip() for name in names)
    facts = [_day(date), _minutes(duration), _first_topics(topics)]
    return " · ".join(filter(None, facts))


def _day(text):
    try:
        return date_format(datetime.fromisoformat(text))
    except ValueError:
        return text if len(text) <= LONGEST else ""


def _minutes(text):
    """Return minutes for h:mm:ss, mm:ss, or seconds; nothing for a number that cannot be that."""
    parts = text.split(":")
    if len(parts) > 3 or not all(PART.fullmatch(part) for part in parts):
        return text if len(text) <= LONGEST and not NUMBER.fullmatch(text) else ""
    seconds = sum(float(part) * 60**power for power, part in enumerate(reversed(parts)))
    if not 0 < seconds <= LONGEST_SECONDS:
        return ""
    return gettext("%(minutes)s min") % {"minutes": max(round(seconds / 60), 1)}


def _first_topics(text):
    """Return the first topics, as many as there is room for; an ellipsis stands for others."""
    topics = [topic.strip() for topic in text.split("|") if topic.strip()]
    shown = topics
    while shown and len(", ".join(shown)) > TOPICS:
        shown = shown[:-1]
    return ", ".join([*shown, "…"] if 0 < len(shown) < len(topics) else shown)
