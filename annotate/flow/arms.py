"""Assign sessions to the arms of a study, each with instructions or a layout of its own.

They stand in Study.extra as in study.yaml; annotate/files/reading/stepspec.py reads them.
"""

import hashlib
from collections import Counter
from dataclasses import dataclass

from django.db.models import Count

from annotate.models import Session, Study

KEY = "arms"
State = Session.State
# The states of sessions that an arm counts: those that run, and those that completed.
COUNTED = (*Session.BEFORE, State.RATING, State.EXIT, State.COMPLETED)


@dataclass(frozen=True)
class Arm:
    """An arm: its name, what differs in it (empty: as in the study), and its share of sessions."""

    name: str
    instructions: str = ""
    layout: str = ""
    share: int = 1


def arms_of(study):
    """Return the Arms of a study, in their order."""
    return [Arm(**entry) for entry in study.extra.get(KEY) or ()]


def assign(session):
    """Put a session that begins into the arm with the fewest for its share; ties are drawn.

    Sets the field without saving it. Call it in a transaction that has locked the study, so that
    sessions are counted one after the other. A session keeps its arm.
    """
    arms = arms_of(session.study)
    if not arms or session.arm:
        return
    counts = {arm.name: count for arm, count in list_counts(session.study)}
    fewest = min(counts[arm.name] / arm.share for arm in arms)
    tied = [arm.name for arm in arms if counts[arm.name] / arm.share == fewest]
    session.arm = min(tied, key=lambda name: _draw(session, name))


def _draw(session, name):
    seed = session.study.extra.get("order_seed") or 0
    return hashlib.sha256(f"arm {seed} {session.pk} {name}".encode()).digest()


def wait_for_turn(study):
    """Let no other session of a study with arms be assigned until this transaction ends."""
    if study.extra.get(KEY):
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)


def list_counts(study):
    """Return (arm, how many of its sessions run or are completed) of each arm of a study."""
    arms = arms_of(study)
    if not arms:
        return []
    rows = Session.objects.filter(study=study, state__in=COUNTED).exclude(arm="").order_by()
    counts = Counter(dict(rows.values_list("arm").annotate(n=Count("pk"))))
    return [(arm, counts[arm.name]) for arm in arms]


def _arm_of(session):
    return next((arm for arm in arms_of(session.study) if arm.name == session.arm), Arm(""))


def instructions_of(study, session=None):
    """Return the instructions that a session reads; the study's without a session."""
    return (session.arm and _arm_of(session).instructions if session else "") or study.instructions


def layout_of(session):
    """Return the layout of a session that claims its items now."""
    return (session.arm and _arm_of(session).layout) or session.study.layout
