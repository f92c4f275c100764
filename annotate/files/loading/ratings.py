"""Check and write ratings.csv: people's answers, a completed session for each rater."""

import json
from array import array
from collections import namedtuple
from dataclasses import dataclass, field
from datetime import datetime
from operator import attrgetter

import numpy as np
from django.utils import timezone

from annotate.db.bulk import insert, update
from annotate.files.loading.common import Repeats, batches, merged, silent_rows
from annotate.models import Rater, Rating, Session
from annotate.models.rater import session_token

Old = namedtuple("Old", "value text")
Stored = namedtuple("Stored", "answer data pk beside")
BESIDE = ("reason", "seconds", "answered_at", "first_side", "version")  # a value, they stay too
# Two keys of 32 bits in one integer of an array: an (item, rater) pair takes eight bytes.
HALF = 32


@dataclass
class SeenRater:
    """A rater of the file: role, sessions, when they answered, which versions they answered.

    sessions: {version: the session that a file gave them for it}.
    """

    role: str
    line: int
    pk: int = 0
    sessions: dict[int, int] = field(default_factory=dict)
    versions: set[int] = field(default_factory=set)
    on_web: bool = False
    first: datetime | None = None
    last: datetime | None = None
    new: bool = False
    seen: bool = False

    @property
    def session(self):
        """Return the session of the newest version, for the rater's places; 0 for none."""
        return self.sessions[max(self.sessions)] if self.sessions else 0

    def is_same(self, other):
        """Return whether both stand for the same state in the database."""
        stored_state = attrgetter("role", "pk", "sessions", "on_web")
        return other is not None and stored_state(self) == stored_state(other)


def raters_of(study):
    """Return the study's raters by key, with the sessions that files gave them."""
    if study.pk is None:
        return {}
    rows = study.raters.values_list("key", "pk", "role")
    raters = {key: SeenRater(role=role, line=0, pk=pk) for key, pk, role in rows}
    sessions = study.sessions.values_list("rater__key", "pk", "source", "version")
    for key, pk, source, version in sessions:
        if key not in raters:  # arrived after the first query
            continue
        if source == Session.Source.FILE:
            raters[key].sessions[version] = pk
        else:
            raters[key].on_web = True
    return raters


def check_ratings(loading):
    """Count ratings, and note problems.

    Problems are unknown keys, values off the scale, repeats, and other answers than the stored
    ones.
    """
    file, repeats = loading.files["ratings"], Repeats()
    look = not loading.is_new and loading.answers.exist(loading.study)
    for batch in batches(file.rows(loading.problems)):
        existing = _existing(loading, batch) if look else {}
        for line, row in batch:
            loading.counts["ratings"].rows += 1
            repeats.note(_answer(row))
            value = _check_row(loading, line, row)
            if value is not None:
                _compare(loading, line, row, value, existing.get(_answer(row)))
    repeats.report(loading, "ratings", _answer, _answer_words)


def _answer(row):
    """Return the key of a rating (item, rater, question), or None if it is incomplete."""
    key = row["item"], row["rater"], row["question"]
    return None if None in key else key


def _answer_words(row):
    """Name a rating in a message."""
    return (
        f"the rating of item {row['item']!r} by rater {row['rater']!r} "
        f"on question {row['question']!r}"
    )


def _check_row(loading, line, row):
    """Return the answer as Old(value, text), or None after noting a problem."""
    question = known_question(loading, "ratings", line, row["item"], row["question"])
    _check_rater(loading, line, row)
    check_version(loading, "ratings", line, row["version"])
    value = row["value"]
    is_blank = not isinstance(value, bool) and not value.strip()
    if question is None or is_blank or row["rater"] is None:
        return None
    if not question.scale.has_values and not isinstance(value, bool):
        return Old(None, value)
    try:
        return Old(question.scale.parse(value), "")
    except ValueError as error:
        loading.add("ratings", str(error), line, "value")
    return None


def check_version(loading, table, line, version):
    """Note a problem if an answer is of a version of the questionnaire that does not exist yet."""
    if version is not None and version > loading.version:
        loading.add(
            table,
            f"found {version}; allowed is at most {loading.version}, the present version of the "
            "questionnaire",
            line,
            "version",
        )


def known_question(loading, table, line, item, key):
    """Return the question if it and the item are known and belong together.

    Else note a problem and return None.
    """
    question = loading.questions.get(key)
    if item is not None and item not in loading.kinds:
        loading.add(table, f"found {item!r}; allowed is the id of a loaded item", line, "item")
    elif key is not None and question is None:
        asked = ", ".join(loading.questions)
        loading.add(table, f"found {key!r}; allowed is one of {asked}", line, "question")
    elif item is not None and question and not question.applies_to_kind(loading.kinds[item]):
        loading.add(
            table,
            f"found {key!r}, which is not asked of the item's kind, {loading.kinds[item]}; it is "
            f"asked of {', '.join(question.applies_to)}",
            line,
            "question",
        )
    elif item is not None:
        return question
    return None


def _check_rater(loading, line, row):
    key = row["rater"]
    if key is None:
        return
    rater = loading.raters.get(key)
    if rater is None:
        role = row["role"] or str(Rater.Role.THIRD_PARTY)
        rater = loading.raters[key] = SeenRater(role=role, line=line, new=True)
    elif row["role"] and row["role"] != rater.role:
        where = f"on line {rater.line}" if rater.line else "in the study"
        loading.add(
            "ratings",
            f"found {row['role']} for rater {key!r}, who is {rater.role} {where}; allowed is one "
            "role a rater",
            line,
            "role",
        )
    rater.seen = True
    rater.versions.add(row["version"] or loading.version)
    answered_at = row["answered_at"]
    if answered_at is not None:
        rater.first = answered_at if rater.first is None else min(answered_at, rater.first)
        rater.last = answered_at if rater.last is None else max(answered_at, rater.last)


def _compare(loading, line, row, value, old):
    counts = loading.counts["ratings"]
    if old is None:
        counts.new += 1
        if loading.raters[row["rater"]].on_web:
            loading.add(
                "ratings",
                f"rater {row['rater']!r} answered on the web pages; ratings of a file need "
                "another name",
                line,
                "rater",
            )
    elif old.answer != value:
        counts.changed += 1
        loading.add(
            "ratings",
            f"found {_shown(loading, row, value)}, but this rating is "
            f"{_shown(loading, row, old.answer)} already; a rating that was loaded does not change",
            line,
            "value",
        )
    else:
        is_changed = merged(old.data, row["data"]) != old.data
        counts.changed += is_changed
        counts.unchanged += not is_changed
        counts.compare(row, old.beside)


def _shown(loading, row, answer):
    if answer.value is None:
        return repr(answer.text)
    written = loading.questions[row["question"]].scale.written(answer.value)
    return written if isinstance(written, str) else f"{written:g}"


def _existing(loading, batch):
    """Return the stored ratings of a batch: {(item, rater, question): Stored}."""
    names = "item__key", "session__rater__key", "question__key", "value", "text", "data", "pk"
    beside = [*BESIDE[:-1], "session__version"]
    ratings = Rating.objects.filter(
        item__study=loading.study,
        item__key__in={row["item"] for _, row in batch},
        question__key__in={row["question"] for _, row in batch},
        session__rater__key__in={row["rater"] for _, row in batch},
    ).values_list(*names, *beside)
    return {
        row[:3]: Stored(Old(*row[3:5]), *row[5:7], dict(zip(BESIDE, row[7:], strict=True)))
        for row in ratings.iterator()
    }


# Writing


def write_ratings(loading):
    """Insert raters, their sessions and the new ratings; update extra columns of the others.

    Returns the (item, rater) pairs that gained a rating, packed as item << 32 | rater, sorted.
    """
    _write_raters(loading)
    pairs = array("q")
    names = ["session_id", "item_id", "question_id", "value", "text", "reason", "seconds"]
    names += ["answered_at", "first_side", "data"]
    if loading.counts["ratings"].changed:
        update(Rating, ["data"], _changed(loading))
    insert(Rating, names, _new(loading, pairs), loading.reporter("ratings"), loading.mark)
    return np.unique(np.frombuffer(pairs, dtype=np.int64)) if pairs else np.array([], np.int64)


def _changed(loading):
    """Yield (extra columns as JSON, primary key) of the stored ratings whose columns differ."""
    for batch in batches(silent_rows(loading.files["ratings"])):
        existing = _existing(loading, batch)
        for _, row in batch:
            old = existing.get(_answer(row))
            if old and (data := merged(old.data, row["data"])) != old.data:
                yield json.dumps(data), old.pk


def _new(loading, pairs):
    """Yield the new ratings' values, and append their (item, rater) pairs."""
    look = loading.counts["ratings"].unchanged or loading.counts["ratings"].changed
    for batch in batches(silent_rows(loading.files["ratings"])):
        existing = _existing(loading, batch) if look else {}
        for _, row in batch:
            if _answer(row) in existing:
                continue
            question, rater = loading.questions[row["question"]], loading.raters[row["rater"]]
            item = loading.items[row["item"]]
            pairs.append(item << HALF | rater.pk)
            is_text = not question.scale.has_values
            yield (
                rater.sessions[row["version"] or loading.version],
                item,
                question.pk,
                None if is_text else question.scale.parse(row["value"]),
                row["value"] if is_text else "",
                row["reason"],
                row["seconds"],
                row["answered_at"],
                row["first_side"],
                row["data"],
            )


def _write_raters(loading):
    study, now = loading.study, timezone.now()
    new = [(key, rater) for key, rater in loading.raters.items() if rater.new]
    rows = ((study.pk, key, rater.role, now) for key, rater in new)
    insert(Rater, ["study_id", "key", "role", "created_at"], rows, same=loading.mark)
    for key, pk in study.raters.values_list("key", "pk"):
        if key in loading.raters:  # others arrived since the check
            loading.raters[key].pk = pk
    names = ["study_id", "rater_id", "token", "state", "source"]
    names += ["started_at", "last_seen_at", "ended_at", "version"]
    seen = [rater for rater in loading.raters.values() if rater.seen and not rater.on_web]
    rows = (
        (*_session(study, rater, now), version)
        for rater in seen
        for version in sorted(rater.versions - rater.sessions.keys())
    )
    insert(Session, names, rows)
    of_file = study.sessions.filter(source=Session.Source.FILE)
    for key, pk, version in of_file.values_list("rater__key", "pk", "version"):
        loading.raters[key].sessions[version] = pk


def _session(study, rater, now):
    state, source = str(Session.State.COMPLETED), str(Session.Source.FILE)
    start, end = rater.first or now, rater.last or now
    return (study.pk, rater.pk, session_token(), state, source, start, end, end)
