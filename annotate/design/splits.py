"""Lock a test split of a study: whatever is chosen on data may not have seen its items.

A study keeps a seed, a share and a log. No item is marked: its side follows from the seed and the
id of its recipient, so that all items of a recipient, also those loaded later, are on one side.
"""

import hashlib
from dataclasses import dataclass

from django.db import transaction
from django.db.models.fields.json import KeyTextTransform
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from annotate.db.bulk import among
from annotate.models import Item, Recipient, Study
from annotate.models.item import WITHHELD
from annotate.values.numbers import is_number, is_whole

ALL, CHOOSE, TEST = "all", "choose", "test"
LARGEST_SEED = 2**32 - 1
SMALLEST, LARGEST = 0.01, 0.99  # share
LOCKED, UNLOCKED = "locked", "unlocked"  # what the log says was done
FILE = "a file"  # who locked the split of a study that was loaded


class Refused(ValueError):
    """The split's present state forbids the step; the message says why."""


@dataclass(frozen=True)
class Event:
    """One line of the log of a split: locked or unlocked, when, by whom and why.

    seed, share: of the split from then on. ratings, judgments: how many of its test part there were
    when it was locked.
    """

    did: str
    at: object
    by: str
    seed: int
    share: float
    reason: str = ""
    ratings: int = 0
    judgments: int = 0

    @property
    def words(self):
        """Return when and by whom it was done."""
        return f"{self.at:%Y-%m-%d %H:%M} UTC by {self.by}"

    def as_json(self):
        """Return the mapping that the study stores."""
        return vars(self) | {"at": self.at.isoformat()}


@dataclass(frozen=True)
class Split:
    """A share of the recipients drawn by a seed, with its log, the oldest event first."""

    seed: int
    share: float
    log: tuple

    @property
    def is_locked(self):
        return self.log[-1].did == LOCKED

    @property
    def since(self):
        """Return the Event that led to the present state."""
        return self.log[-1]

    @property
    def openings(self):
        """Return the Events that unlocked it; a new lock does not take them away."""
        return [event for event in self.log if event.did == UNLOCKED]

    @property
    def seen(self):
        """Return the first lock at which the test part had answers already, or None."""
        return next((event for event in self.log if event.ratings or event.judgments), None)

    def side(self, unit):
        """Return TEST or CHOOSE for a unit's id: sha256 of "seed:unit" as a fraction of 2^256."""
        digest = hashlib.sha256(f"{self.seed}:{unit}".encode()).digest()
        return TEST if int.from_bytes(digest) / 2**256 < self.share else CHOOSE

    def sides(self, rows):
        """Return the side of each (item, recipient, content, parent, explanation), ids or None.

        parent: the id of the item of which it is a part, which is among the rows. explanation: see
        `explanation_of`; may be left out.
        """
        rows = list(rows)
        by_key = {row[0]: row for row in rows}
        units = [unit_of(row, by_key.get(row[3]), *row[4:]) for row in rows]
        side_by_unit = {unit: self.side(unit) for unit in set(units)}
        return [side_by_unit[unit] for unit in units]


def unit_of(row, parent=None, explanation=None):
    """Return the id whose items share a side: recipient, else pair's, else content, else item.

    row, parent: (item, recipient, content, …), ids or None. It is the cluster of the analysis; the
    parts of a pair belong to their pair's unit, and a statement to its explanation's.
    """
    whole = parent or row
    return row[1] or whole[1] or whole[2] or explanation or whole[0]


def explanation_of(kind, name):
    """Return the id of the explanation that a statement item names in its columns, else None."""
    return str(name) if kind == Item.Kind.STATEMENT and name else None


def split_of(study):
    """Return the study's Split, or None."""
    kept = study.split
    if not kept:
        return None
    log = tuple(Event(**entry | {"at": parse_datetime(entry["at"])}) for entry in kept["log"])
    return Split(kept["seed"], kept["share"], log)


def is_locked(study):
    """Return whether the study has a test part that nobody may see."""
    split = split_of(study)
    return split is not None and split.is_locked


def check(seed, share):
    """Return (seed, share) if they are valid; ValueError says what is allowed."""
    if not is_whole(seed) or not 0 <= seed <= LARGEST_SEED:
        raise ValueError(f"allowed is a seed, a whole number from 0 to {LARGEST_SEED:,}")
    if not is_number(share) or not SMALLEST <= share <= LARGEST:
        raise ValueError(f"allowed is a share from {SMALLEST:g} to {LARGEST:g}")
    return seed, float(share)


def locked_anew(study, seed, share, by, **facts):
    """Return what a study stores once it is locked with this seed and share; its log goes on."""
    seed, share = check(seed, share)
    event = Event(LOCKED, timezone.now(), by, seed, share, **facts)
    return _kept(seed, share, study.split, event)


def _kept(seed, share, before, event):
    log = [*(before.get("log", ()) if before else ()), event.as_json()]
    return {"seed": seed, "share": share, "log": log}


@transaction.atomic
def lock(study, seed, share, by, **facts):
    """Make and lock the split, or lock an unlocked split again; Refused while it is locked.

    by: name of the owner. facts: ratings, judgments of the test part that exist already.
    """
    now = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if is_locked(now):
        raise Refused("The study has a locked test split already.")
    _save(study, locked_anew(now, seed, share, by, **facts))


@transaction.atomic
def unlock(study, by, reason):
    """Unlock the test part; Refused if no split is locked, or the reason is empty."""
    now = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if not is_locked(now):
        raise Refused("There is no locked test split to unlock.")
    if not reason.strip():
        raise Refused("Say why it is unlocked: the reason is shown with every number of it.")
    split = split_of(now)
    event = Event(UNLOCKED, timezone.now(), by, split.seed, split.share, reason.strip())
    _save(study, _kept(split.seed, split.share, now.split, event))


def _save(study, kept):
    study.split = kept
    Study.objects.filter(pk=study.pk).update(split=kept)


def _units(study, which):
    """Yield (primary key, id, id of its unit) of items."""
    rows = (
        Item.objects.filter(study=study, **which)
        .order_by("pk")
        .values_list(
            "pk",
            "key",
            "recipient__key",
            "content__key",
            "parent__key",
            "parent__recipient__key",
            "parent__content__key",
            "kind",
            KeyTextTransform("explanation", "data"),
        )
    )
    for pk, *own, parent, recipient, content, kind, name in rows.iterator(chunk_size=20_000):
        whole = parent and (parent, recipient, content)
        yield pk, own[0], unit_of(own, whole, explanation_of(kind, name))


def units_of(study):
    """Return the ids of the study's units, each of which falls on one side."""
    return {unit for *_, unit in _units(study, {})}


def unit_by_item(study, **which):
    """Return {primary key: id of its unit} of the study's items, or of which."""
    return {pk: unit for pk, _, unit in _units(study, which)}


def sides_of_items(study, split=None, **which):
    """Return {primary key: (id, side)} of the study's items, or of which.

    split: whose sides; the study's own by default.
    """
    split, side_by_unit = split or split_of(study), {}
    sides = {}
    for pk, key, unit in _units(study, which):
        if unit not in side_by_unit:
            side_by_unit[unit] = split.side(unit)
        sides[pk] = key, side_by_unit[unit]
    return sides


def withheld(study, **which):
    """Return {primary key: id} of the items, all or which, whose judgments nobody may see.

    Empty, without a query, where no split is locked.
    """
    if not is_locked(study):
        return {}
    sides = sides_of_items(study, **which)
    return {pk: key for pk, (key, side) in sides.items() if side == TEST}


def without_wording(row):
    """Return the row {column: value} of a statement item without what its explanation states.

    row: with "data", the extra columns.
    """
    data = row["data"]
    return row | {
        **{name: WITHHELD for name in ("text", "reference") if row.get(name)},
        "data": data | {name: WITHHELD for name in ("topic", "sentiment") if data.get(name)},
    }


def as_seen(study, items):
    """Hide the wording of statements of a locked test part, as researchers see the items.

    They are changed in memory and are not to be saved. One query where a split is locked and
    statements are among the items, else none.
    """
    stated = [item for item in items if item.kind == Item.Kind.STATEMENT]
    hidden = withheld(study, pk__in={item.pk for item in stated}) if stated else {}
    for item in stated:
        if item.pk in hidden:
            row = {name: getattr(item, name) for name in ("text", "reference", "data")}
            vars(item).update(without_wording(row))
    return items


def withheld_statements(study):
    """Return the keys of the statement items whose wording researchers may not see, for `pk__in=`.

    None where all may be seen.
    """
    hidden = withheld(study, kind=Item.Kind.STATEMENT)
    return among(hidden) if hidden else None


def with_wording(row, old):
    """Fill a file's row with the old row's values wherever the file says they are withheld."""
    old_values = {
        name: old[name] for name, value in row.items() if value == WITHHELD and name in old
    }
    data = {
        name: old["data"][name]
        for name, value in row["data"].items()
        if value == WITHHELD and name in old["data"]
    }
    return row | old_values | {"data": row["data"] | data}


def withheld_recipients(study):
    """Return the primary keys of the recipients of a locked test part.

    Empty, without a query, where no split is locked.
    """
    if not is_locked(study):
        return set()
    split = split_of(study)
    rows = Recipient.objects.filter(study=study).values_list("pk", "key")
    return {pk for pk, key in rows if split.side(key) == TEST}


def withheld_names(study, names):
    """Return the recipients' names that belong to a locked test part, without a query."""
    split = split_of(study)
    if split is None or not split.is_locked:
        return set()
    return {name for name in set(names) if split.side(name) == TEST}
