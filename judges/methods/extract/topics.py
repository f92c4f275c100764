"""Keep lists of topics: the ready-made ones, a study's own, and what is wrong with one."""

from functools import cache
from pathlib import Path

from judges.methods.extract.triplets import folded

FILE = Path(__file__).resolve().parent / "topics.txt"
OWN = "own"
MOST_TOPICS, LONGEST_NAME, LONGEST_DESCRIPTION = 50, 60, 300
WRONG = (
    f"Allowed are 1 to {MOST_TOPICS} different topics, each with a name of at most {LONGEST_NAME} "
    f"characters, without a colon or capitals, and a description of at most {LONGEST_DESCRIPTION}."
)

ALIKE = (
    "“{}” and “{}” are one topic, since they differ only in capitals or in how their letters are "
    "encoded. Keep one of them."
)


@cache
def ready():
    """Load {name: [[topic, description], …]} of the lists that come with the project."""
    lists: dict[str, list] = {}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            entries = lists[line.strip("[]")] = []
        elif line and not line.startswith("#"):
            entries.append(_pair(line))
    return lists


def name_of(topics):
    """Return the name of the ready-made list with these topics, or OWN."""
    return next((name for name, ready_topics in ready().items() if ready_topics == topics), OWN)


def parse_topics(text):
    """Parse the topics of a text with one a line, "name: description"."""
    return [_pair(line) for line in text.splitlines() if line.strip()]


def written(topics):
    """Write topics as `parse_topics` reads them."""
    return "\n".join(f"{name}: {words}" if words else name for name, words in topics)


def _pair(line):
    name, _, words = line.partition(":")
    return [" ".join(name.split()), " ".join(words.split())]


def problem_of(topics):
    """Return what is wrong with a list of topics; "" if nothing is."""
    if two := _alike(topics):
        return ALIKE.format(*two)
    pairs = isinstance(topics, list) and all(map(_is_pair, topics))
    right = pairs and 1 <= len(topics) <= MOST_TOPICS and len(dict(topics)) == len(topics)
    return "" if right else WRONG


def _alike(topics):
    """Return the first two names that would be taken for one topic, () if all differ."""
    seen: dict = {}
    for entry in topics if isinstance(topics, list) else ():
        name = entry[0] if isinstance(entry, list) and entry else None
        before = seen.setdefault(folded(name), name) if isinstance(name, str) else name
        if before != name:
            return before, name
    return ()


def _is_pair(entry):
    if not isinstance(entry, list) or len(entry) != 2 or not all(isinstance(x, str) for x in entry):
        return False
    name, words = entry
    return _is_name(name) and len(words) <= LONGEST_DESCRIPTION and words.isprintable()


def _is_name(name):
    fits = 0 < len(name) <= LONGEST_NAME and name.isprintable() and ":" not in name
    return fits and name == " ".join(name.split()) == name.lower()
