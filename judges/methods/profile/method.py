"""Ask for a profile with seven keys, written from what a recipient listened to.

It scores nothing. What is asked about is no item but a recipient, so its judgments have neither
item nor question; a whole profile becomes a new item (write.py), anything less nothing.
"""

from dataclasses import dataclass

from judges.methods.base import Method
from judges.models import Writing
from judges.prompting import episodes, fill
from judges.prompting.materials import Shown
from judges.replies.parse import LONGEST_RATIONALE, Reason, Verdict, kept, last_object

KEYS = (
    "listening_habits",
    "engagement_depth",
    "format_preference",
    "exploration_vs_specialisation",
    "cross_disciplinary_curiosity",
    "per_episode_interests",
    "interests",
)
LONGEST_VALUE = 600  # characters of one key, by the schema
WRITTEN = 1.0
DEPTH = 3  # of lists and objects within a value; deeper ones are no text


@dataclass(frozen=True)
class Asked:
    """Stands where other methods have a question."""

    key: str = "profile"
    pk: int | None = None


PROFILE = Asked()


class Writer(Method):
    """One call for each recipient and number of episodes."""

    writes = True

    def items(self, items):
        return items.none()

    def questions(self, judge, questions):
        return []

    def asks(self, question, item):
        return False

    def asked(self, run, numbers):
        """Return what units ask about their recipients; see Method.asked."""
        rows = Writing.objects.filter(run=run, unit__in=numbers).order_by("unit")
        return [(row.unit, PROFILE, Shown(context=row.text)) for row in rows]

    def settings(self, judge):
        return {
            "method": str(judge.method),
            "days": judge.days,
            "episodes": sorted(judge.episodes),
            "pick": str(judge.pick),
            "transcript_length": judge.transcript_length,
            "longest_title": episodes.LONGEST_TITLE,
        }

    def messages(self, frozen, item, questions, shown=None, order=""):
        """Write the exact messages of one call."""
        listening = shown.context if shown else ""
        return fill.filled(frozen["prompt_text"], listening=listening)

    def schema(self, frozen, questions):
        return {
            "type": "object",
            "properties": {key: {"type": "string", "maxLength": LONGEST_VALUE} for key in KEYS},
            "required": list(KEYS),
            "additionalProperties": False,
        }

    def parse_reply(self, frozen, questions, order, reply, finish_reason):
        """Parse a reply: the whole profile as the rationale of a Verdict, or why it has none."""
        profile = profile_in(reply, finish_reason)
        if isinstance(profile, Reason):
            return Verdict(reasons={PROFILE.key: profile})
        return Verdict(values={PROFILE.key: WRITTEN}, rationale=profile)

    def longest_rationale(self, frozen):
        return LONGEST_VALUE * len(KEYS)


def profile_in(reply, finish_reason="stop"):
    """Parse a reply's profile, a paragraph a key, or return the Reason why it has no whole one.

    The last JSON object with one of the keys counts. All seven have to be there, once and filled.
    """
    values = last_object(reply, set(KEYS), finish_reason)
    if values is Reason.EXTRA or not isinstance(values, Reason) and set(values) - set(KEYS):
        return Reason.OTHER_KEYS
    if isinstance(values, Reason):
        return values
    if values.twice:
        return Reason.KEY_TWICE
    if set(KEYS) - set(values):
        return Reason.LACKS_KEYS
    texts = [_text(values[key]) for key in KEYS]
    if None in texts:
        return Reason.NO_TEXT
    text = "\n\n".join(f"{label(key)}: {text}" for key, text in zip(KEYS, texts, strict=True))
    return Reason.TOO_LONG if len(text) > LONGEST_RATIONALE else kept(text)


def label(key):
    """Write a key as raters read it."""
    return key.replace("_", " ").capitalize()


def _text(value, depth=DEPTH):
    """Write a value as one line; None if it is no text. Tags may come as a list, or by episode."""
    if isinstance(value, str):
        return " ".join(value.split()) or None
    if not depth or not value or not isinstance(value, dict | list):
        return None
    texts = [
        _text(part, depth - 1) for part in (value.values() if isinstance(value, dict) else value)
    ]
    if None in texts:
        return None
    if isinstance(value, list):
        return ", ".join(texts)
    names = (" ".join(name.split()) for name in value)
    return "; ".join(f"{name}: {text}" for name, text in zip(names, texts, strict=True))
