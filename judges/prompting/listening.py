"""Write a recipient's raw history: episodes with the share listened to, and their shows."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime

from django.db.models import CharField, Value
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Left, Length

from annotate.models import Interaction
from judges.prompting.episodes import CUT, LONGEST_TITLE, cut
from judges.prompting.fill import one_line

LONGEST_ABOUT = 300  # characters of topics, and of what is said about a show


@dataclass(frozen=True)
class Listened:
    """One entry of a history: its line for the prompt, and its show."""

    line: str
    show: str = ""
    about: str = ""
    transcript: str = ""
    content: str = ""
    heard_at: datetime | None = None
    share: float | None = None
    rating: float | None = None


def histories(study, recipients, transcript_length=0):
    """Load {recipient: [(content, Listened)]}, the newest first; entries without a time come last.

    transcript_length: so many characters of each episode's transcript, where there is one.
    """
    words, nothing = (
        KeyTextTransform("transcript", "content__data"),
        Value("", output_field=CharField()),
    )
    rows = Interaction.objects.filter(study=study, recipient__in=recipients)
    rows = rows.annotate(
        words=Left(words, transcript_length) if transcript_length else nothing,
        in_all=Length(words if transcript_length else nothing),
    )
    names = [
        "recipient",
        "content",
        "content__title",
        "content__show",
        "content__data__topics",
        "content__data__show_description",
        "rating",
        "share_listened",
        "at",
        "words",
        "in_all",
        "content__key",
    ]
    dated = [*rows.filter(at__isnull=False).order_by("-at", "-pk").values_list(*names)]
    dated += rows.filter(at=None).order_by("-pk").values_list(*names)
    by_recipient = defaultdict(list)
    for recipient, content, title, show, topics, about, rating, share, *more in dated:
        if title or show:
            line = _line(title, show, topics, rating, share)
            heard_at, words, in_all, key = more
            entry = Listened(
                line=line,
                show=cut(show, LONGEST_TITLE),
                about=cut(str(about or ""), LONGEST_ABOUT),
                transcript=_begun(words or "", in_all or 0),
                content=key,
                heard_at=heard_at,
                share=share,
                rating=rating,
            )
            by_recipient[recipient].append((content, entry))
    return by_recipient


def _begun(words, in_all):
    """Write the beginning of a transcript in one line, marked if there is more of it."""
    return " ".join(words.split()) + (CUT if len(words) < in_all else "")


def _line(title, show, topics, rating, share):
    topics = ", ".join(topics) if isinstance(topics, list) else str(topics or "")
    details = [f"of the show {cut(show, LONGEST_TITLE)}"] if show else []
    details += [f"rated {rating:g}"] if rating is not None else []
    details += [f"{share:.0%} listened to"] if share is not None else []
    details += [f"topics: {cut(topics.replace('|', ', '), LONGEST_ABOUT)}"] if topics else []
    name = cut(title or "(no title)", LONGEST_TITLE)
    return f"- {one_line(name)}" + (f" ({one_line('; '.join(details))})" if details else "")


def text(entries):
    """Write episodes, then their shows, each once and in the order of the episodes."""
    if not entries:
        return ""
    shows = {}
    for entry in entries:
        if entry.show:
            shows[entry.show] = shows.get(entry.show) or entry.about
    lines = [
        f"- {one_line(show)}" + (f": {one_line(about)}" if about else "")
        for show, about in shows.items()
    ]
    episodes = ["Episodes:"]
    for entry in entries:
        episodes += [
            entry.line,
            *([f"  Transcript: {one_line(entry.transcript)}"] if entry.transcript else []),
        ]
    return "\n".join(episodes + (["", "Shows:", *lines] if lines else []))
