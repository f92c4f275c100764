"""Ask for a profile with seven keys, written from what a recipient listened to.

It scores nothing. What is asked about is no item but a recipient, so its judgments have neither
item nor question; a whole profile becomes a new item (write.py), anything less nothing.
"""

from annotate.design.disclosure import Data
from judges.methods.base import ASKED, ApartMethod
from judges.methods.draft import begin_draft
from judges.methods.profile import write
from judges.methods.profile.settings import ProfileSettings
from judges.models import Writing
from judges.prompting import episodes, fill
from judges.prompting.materials import Shown
from judges.replies.parse import LONGEST_RATIONALE, Reason, Verdict, kept, last_object
from judges.replies.quotes import NOTHING

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


class Writer(ApartMethod):
    """One call for each recipient and number of episodes."""

    offer = "write profiles"
    rereads_values = False  # people may have rated the profile
    nobody = write.NOBODY
    settings = ProfileSettings
    needed_places = ("listening",)
    usual_prompt = "write-profile.v1"
    asked_about = "recipient"
    about = "judges/methods/profile.html"
    preview_needs = "recipients with a history"
    flagged = ("profile", "source", "Read what was written before it is used")

    write_rows = staticmethod(write.write_rows)
    keep = staticmethod(write.keep)
    attach = staticmethod(write.attach)

    def items(self, items):
        return items.none()

    def shows_of_people(self, judge):
        return [(Data.HISTORY, "")]

    def asked(self, run, numbers):
        """Return what units ask about their recipients; see Method.asked."""
        rows = Writing.objects.filter(run=run, unit__in=numbers).order_by("unit")
        return [(row.unit, ASKED, Shown(context=row.text)) for row in rows]

    def frozen(self, judge):
        return super().frozen(judge) | {
            "episodes": sorted(judge.settings.episodes),
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

    def parse_reply(self, frozen, questions, order, reply, finish_reason, rated):
        """Parse a reply: the whole profile as the rationale of a Verdict, or why it has none."""
        profile = profile_in(reply, finish_reason, rated)
        if isinstance(profile, Reason):
            return Verdict(reasons={ASKED.key: profile})
        return Verdict(values={ASKED.key: WRITTEN}, rationale=profile)

    def longest_rationale(self, frozen):
        return LONGEST_VALUE * len(KEYS)

    def draft(self, judge, items, key, prompt):
        """Return the Draft of a recipient's profiles."""
        recipients = write.recipients_of(judge)
        if (draft := begin_draft(recipients, key)) is None:
            return None
        sources = list(write.sources(judge, [draft.subject]))
        with_profile = [source for source in sources if not source.missing]
        if not with_profile:
            draft.missing = sources[0].missing
            return draft
        for source in with_profile:
            count = len(source.entries)
            about = f"{count} episode{'s' * (count > 1)}"
            draft.calls.append((about, ASKED, Shown(context=source.text)))
        draft.texts = [source.text for source in with_profile]
        draft.count = recipients.count()
        return draft


def profile_in(reply, finish_reason="stop", rated=NOTHING):
    """Parse a reply's profile, a paragraph a key, or return the Reason why it has no whole one.

    The last JSON object with one of the keys counts. All seven have to be there, once and filled.
    """
    values = last_object(reply, set(KEYS), finish_reason, rated)
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
