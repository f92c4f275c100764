"""Show a recommended content to a judge: its show, title, topics and description.

Read when a run is planned, for all that is asked about together. Nothing else is shown: ids,
systems and sides would tell which recommender a content is from.
"""

from collections import defaultdict
from dataclasses import dataclass, field

from django.db.models import Q
from django.db.models.functions import Left

from annotate.models import Item
from judges.prompting.fill import one_line

LONGEST = 1500  # characters of each text
LONGEST_TITLE = 300
CUT = " […]"
LABELS = {"show": "Show", "title": "Title", "topics": "Topics", "description": "Description"}
NOTHING_KNOWN = "nothing is known of the recommendation but its id"
EMPTY_LIST = "no comparison: list {} is empty"
UNKNOWN_EPISODE = "no comparison: nothing is known of an episode of list {} but its id"


@dataclass
class Subject:
    """The contents judged in one item, or why they cannot be judged.

    lists: {"item": [entry]} or {"A": [entry, …], "B": […]}. contents: ids of all that are judged
    here, which no history beside them may show.
    """

    lists: dict = field(default_factory=dict)
    contents: set = field(default_factory=set)
    missing: str = ""


def subjects_of(items):
    """Load {item id: Subject} of recommendations and pairs of lists, in one query."""
    ids = [item.pk for item in items]
    rows = Item.objects.filter(Q(pk__in=ids) | Q(parent__in=ids)).order_by("position", "pk")
    rows = rows.values_list(
        "pk",
        "parent",
        "side",
        "content",
        "content__show",
        "content__title",
        "content__data__topics",
        Left("content__description", LONGEST + 1),
        Left("text", LONGEST + 1),
    )
    own, parts = {}, defaultdict(list)
    for pk, parent, side, content, *texts in rows:
        own[pk] = content, _entry(*texts)
        parts[parent].append((side, content, own[pk][1]))
    return {
        item.pk: _pair(parts[item.pk]) if item.kind == Item.Kind.LIST_PAIR else _one(*own[item.pk])
        for item in items
    }


def _entry(show, title, topics, description, text):
    """Return the non-empty texts of a content by field, each cut at its length."""
    topics = ", ".join(topics) if isinstance(topics, list) else str(topics or "")
    texts = {
        "show": cut(show or "", LONGEST_TITLE),
        "title": cut(title or "", LONGEST_TITLE),
        "topics": cut(topics.replace("|", ", ")),
        "description": cut(description or text or ""),
    }
    return {name: text for name, text in texts.items() if text}


def cut(text, longest=LONGEST):
    """Write a text in one line of at most `longest` characters, with a mark where it was cut."""
    line = " ".join(text.split())
    return line if len(line) <= longest else line[:longest].rstrip() + CUT


def _one(content, entry):
    return Subject({"item": [entry]}, {content}, "" if entry else NOTHING_KNOWN)


def _pair(parts):
    lists = {side: [entry for place, _, entry in parts if place == side] for side in "AB"}
    contents = {content for _, content, _ in parts}
    missing = ""
    for side, entries in lists.items():
        if not all(entries):
            missing = missing or UNKNOWN_EPISODE.format(side)
        if not entries:
            missing = EMPTY_LIST.format(side)
    return Subject(lists, contents, missing)


def lines(entry):
    """Write an entry for a prompt: a line for each field, with its name."""
    return "\n".join(f"{LABELS[name]}: {one_line(text)}" for name, text in entry.items())


def ranked(entries):
    """Write a list for a prompt, the best entry first."""
    return "\n\n".join(f"{rank}. {lines(entry)}" for rank, entry in enumerate(entries, start=1))


def plain(entry):
    """Write an entry for embeddings: its texts alone, a line each."""
    return "\n".join(entry.values())
