"""The raw history beside a recommendation: episodes with the share listened to, and their shows."""

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
    """One entry of a history: its line, and the show that it is of."""

    line: str
    show: str = ""
    about: str = ""
    transcript: str = ""
    content: str = ""
    at: datetime | None = None
    share: float | None = None
    rating: float | None = None


def histories(study, recipients, transcript_length=0):
    """{recipient: [(content, Listened)]}, the newest first; entries without a time come last.

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
    found = defaultdict(list)
    for recipient, content, title, show, topics, about, rating, share, *more in dated:
        if title or show:
            line = _line(title, show, topics, rating, share)
            at, words, in_all, key = more
            entry = Listened(
                line=line,
                show=cut(show, LONGEST_TITLE),
                about=cut(str(about or ""), LONGEST_ABOUT),
                transcript=_begun(words or "", in_all or 0),
                content=key,
                at=at,
                share=share,
                rating=rating,
            )
            found[recipient].append((content, entry))
    return found


def _begun(words, in_all):
    """The beginning of a transcript of so many characters, as one line."""
    return " ".join(words.split()) + (CUT if len(words) < in_all else "")


def _line(title, show, topics, rating, share):
    topics = ", ".join(topics) if isinstance(topics, list) else str(topics or "")
    said = [f"of the show {cut(show, LONGEST_TITLE)}"] if show else []
    said += [f"rated {rating:g}"] if rating is not None else []
    said += [f"{share:.0%} listened to"] if share is not None else []
    said += [f"topics: {cut(topics.replace('|', ', '), LONGEST_ABOUT)}"] if topics else []
    name = cut(title or "(no title)", LONGEST_TITLE)
    return f"- {one_line(name)}" + (f" ({one_line('; '.join(said))})" if said else "")


def text(entries):
    """Episodes, then the shows that they are of, in their order and each once."""
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
