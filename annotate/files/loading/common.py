"""Share between the steps of a load: its state, its counts, comparison with the database."""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from django.db.models import Exists, OuterRef, Q

from annotate.design.versions import kept_keys
from annotate.files.reading import Problems, TableFile
from annotate.models import Answer, Item, Place, Question, Rating, Study
from annotate.values.texts import count_of

# Rows looked up in the database at once: below SQLite's limit of parameters in one query.
BATCH = 500


@dataclass
class Counts:
    """How many rows of a file are new, changed or unchanged."""

    rows: int = 0
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    judgments: int = 0  # what the new rows become, where a row may stand for several
    # In how many rows of loaded answers each column says something else, which is not taken.
    differing: Counter = field(default_factory=Counter)

    def as_dict(self):
        """Return the counts of rows."""
        return {name: getattr(self, name) for name in ("rows", "new", "changed", "unchanged")}

    def compare(self, row, stored):
        """Count the columns of a loaded answer that a row has otherwise; a blank says nothing."""
        self.differing.update(n for n, value in stored.items() if row[n] not in (None, "", value))

    @property
    def what_stays(self):
        """Say in how many rows which columns differ from what is loaded; empty where none does."""
        if not self.differing:
            return ""
        (column, count), *more = self.differing.items()
        rows = f"{count_of(count, 'row')} differ{'s' if count == 1 else ''} in {column}"
        others = "".join(f", {number:,} in {name}" for name, number in more)
        return f"{rows}{others} from what is loaded, which stays."


class Answers:
    """Look up which items and studies have answers of people; judges adds its own answers."""

    def items(self, pks: Iterable[int]) -> set[int]:
        """Return the items that have an answer, or that a rater at work holds.

        A pair has the answers of its parts: they take its recipient, and with it their side of a
        split.
        """
        held = Q(places__state=Place.State.HELD) | Q(parent__places__state=Place.State.HELD)
        at_work = Item.objects.filter(held, pk__in=pks).order_by()
        first, *more = (
            model.objects.filter(**{f"{which}__in": pks}).order_by().values_list(which, flat=True)
            for model in (Rating, Answer)
            for which in ("item", "item__parent")
        )
        return {*first.union(*more), *at_work.values_list("pk", flat=True)}

    def exist(self, study) -> bool:
        """Return whether the study has any answer."""
        answers = (
            Rating.objects.filter(item__study=study),
            Answer.objects.filter(item__study=study),
        )
        return any(some.exists() for some in answers)

    def freeze(self, study) -> bool:
        """Return whether the present version of the questionnaire has any answer."""
        version = study.questionnaire_version
        rated = Rating.objects.filter(item__study=study, session__version=version)
        extra = Answer.objects.filter(item__study=study, screen__session__version=version)
        return rated.exists() or extra.exists()

    def settled(self, study) -> set[str]:
        """Return keys of the questions that have answers, or that an earlier version asks."""
        rated = Exists(Rating.objects.filter(question=OuterRef("pk")))
        extra = Exists(Answer.objects.filter(question=OuterRef("pk")))
        keys = study.questions.filter(Q(rated) | Q(extra)).values_list("key", flat=True)
        return kept_keys(study) | set(keys)


@dataclass
class Loading:
    """The state of a load: the study, its files by table, problems, counts, known keys.

    recipients, contents, systems and items map keys to primary keys (0: to be made);
    kinds maps the keys of items to their kind. changed_items are the primary keys of items whose
    texts or links change. new_version: the questions change as a new version. load: the FileLoad
    that new rows are marked with. again does the same check once more, under a lock; see
    holding.py.
    """

    study: Study
    files: dict[str, TableFile]
    problems: Problems
    answers: Answers = field(default_factory=Answers)
    progress: Callable[[str, int], None] = lambda table, rows: None
    counts: dict[str, Counts] = field(default_factory=dict)
    questions: dict[str, Question] = field(default_factory=dict)
    recipients: dict[str, int] = field(default_factory=dict)
    contents: dict[str, int] = field(default_factory=dict)
    systems: dict[str, int] = field(default_factory=dict)
    items: dict[str, int] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    raters: dict = field(default_factory=dict)
    changed_items: array = field(default_factory=lambda: array("q"))
    stamp: list = field(default_factory=list)
    again: Callable[[], "Loading"] | None = None
    has_children: bool = False
    more_places: bool = False
    new_version: bool = False
    load: int | None = None

    @property
    def is_new(self):
        return self.study.pk is None

    @property
    def version(self):
        """Return the number of the questionnaire's version once the load is written."""
        return self.study.questionnaire_version + self.new_version

    @property
    def changes(self):
        """Tell whether anything is to be written."""
        return any(counts.new or counts.changed for counts in self.counts.values())

    @property
    def mark(self):
        """Return what every new row says of the load that brought it."""
        return {"load": self.load}

    def add(self, table, message, line=None, column=""):
        """Note a problem in the table's file."""
        self.problems.add(self.files[table].name, message, line, column)

    def count(self, table):
        """Return the table's counts, at first all zero."""
        return self.counts.setdefault(table, Counts())

    def reporter(self, table):
        """Return a function that reports a number of rows of the table as written."""
        return lambda rows: self.progress(table, rows)


def batches(rows, size=BATCH):
    """Yield the rows in lists of at most size rows."""
    rows = iter(rows)
    while batch := list(islice(rows, size)):
        yield batch


def silent_rows(file):
    """Return the file's rows again; their problems were noted at the first reading."""
    return file.rows(Problems())


class Repeats:
    """Find keys that stand twice in a file, with eight bytes a row.

    Equal hashes are suspects only; the file is read again to compare the keys themselves.
    """

    def __init__(self):
        self.hashes = array("q")

    def note(self, key):
        """Remember a row's key; None, an unreadable key, is a problem of its own."""
        if key is not None:
            self.hashes.append(hash(key))

    def suspects(self):
        values, counts = np.unique(np.frombuffer(self.hashes, dtype=np.int64), return_counts=True)
        return set(values[counts > 1].tolist())

    def report(self, loading, table, key_of, what):
        """Note a problem for each further row with the same key."""
        suspects = self.suspects() if self.hashes else None
        if not suspects:
            return
        first: dict = {}
        for line, row in silent_rows(loading.files[table]):
            key = key_of(row)
            if key is None or hash(key) not in suspects:
                continue
            if key in first:
                loading.add(table, f"{what(row)} stands on line {first[key]} already", line)
            else:
                first[key] = line


def differing(existing, row, given):
    """List the columns in which the file's row differs from the stored row."""
    # A column of the file may be called as a field of ours, such as pk: it is in the row's data.
    names = [name for name in existing if name in given and name in row and name != "data"]
    columns = [name for name in names if existing[name] != row[name]]
    if merged(existing["data"], row["data"]) != existing["data"]:
        columns.append("data")
    return columns


def merged(old, new):
    """Merge extra columns: those of the file replace those of the same name."""
    return {**old, **new}
