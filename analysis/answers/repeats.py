"""Read what the frame leaves out of judges' answers: single samples and orders, and failures."""

import re

import numpy as np
import pandas as pd
from django.db.models import (
    BigIntegerField,
    Count,
    FloatField,
    OuterRef,
    Q,
    Subquery,
    Value,
)
from django.db.models.functions import Cast

from annotate.models import Answer, Item, Place, Screen
from judges.models import Judgment

CJK = re.compile(r"[぀-ヿ㐀-䶿一-鿿豈-﫿]")
WORDS, CHARACTERS = "words", "characters"
PER, PER_SHORT = 100, 10  # words or characters of a slope; of texts that are mostly short
SHORT_TEXT = 50


def repeats_and_outcomes(study, version=None, systems=None):
    """Return a frame of repeated answers and a frame counting how judgments ended.

    The first has a row for every value that was asked several times, as samples or in orders. The
    second says how many judgments of each judge, question and system ended in each state.

    In one query: in the rows of the second `run` is 0 and the value is how many they are.
    version: of the questionnaire; None for all. systems: {item: its system}, where the states of
    these items alone are to be counted.
    """
    judgments = Judgment.objects.speaking(version).filter(run__judge__study=study).order_by()
    if version is not None:
        judgments = judgments.filter(run__version=version)
    several = judgments.filter(
        Q(run__judge__settings__samples__gt=1) | ~Q(order=""), value__isnull=False
    )
    who = ["run__judge__key", "question__key"]
    singles = several.values_list(*who, "item__key", "order", "run_id", "pk", "sample", "value")
    asked = judgments.settled().exclude(state=Judgment.State.NOT_ASKED)
    none = (Value(0, output_field=BigIntegerField()),) * 2
    item_or_system = "item__system__key" if systems is None else "item__key"
    states = asked.values_list(*who, item_or_system, "state", *none, Value(0))
    rows = states.annotate(n=Cast(Count("pk"), FloatField())).union(singles, all=True)
    columns = ["judge", "question", "item", "order", "run", "pk", "sample", "value"]
    frame = pd.DataFrame(list(rows.iterator(chunk_size=20_000)), columns=columns)
    values = frame[frame["run"] > 0].sort_values("pk").drop(columns="pk")
    counts = frame[frame["run"] == 0].rename(
        columns={"item": "system", "order": "state", "value": "n"}
    )
    if systems is not None:
        counts = counts[counts["system"].isin(systems)]
        counts = counts.assign(system=counts["system"].map(systems))
        counts = counts.groupby([*columns[:2], "system", "state"], sort=False)["n"].sum()
        counts = counts.reset_index()
    return values, counts.astype({"n": int})


def people_twice(study, role=None, version=None):
    """Return ids (rater, item, question, first, second) of answers that people gave twice.

    Only numbers that count. role: of the raters; version: of the questionnaire; None for all.
    """
    answers = Answer.objects.for_analysis().filter(screen__session__study=study)
    if version is not None:
        answers = answers.filter(screen__session__version=version)
    if role is not None:
        answers = answers.filter(screen__session__rater__role=role)
    return list(answers.test_retest())


def pages_between(study, role, version=None):
    """Return how many other pages stood between the two answers to each item given twice.

    Of items whose first page is known: answers that were loaded from files have none.
    """
    answers = Answer.objects.for_analysis().filter(screen__session__study=study)
    answers = answers.filter(screen__session__rater__role=role, screen__kind=Screen.Kind.REPEAT)
    if version is not None:
        answers = answers.filter(screen__session__version=version)
    first = Place.objects.filter(session=OuterRef("screen__session"), item=OuterRef("screen__item"))
    seen = answers.order_by().annotate(before=Subquery(first.values("position")[:1]))
    pages = seen.filter(before__isnull=False).values_list("screen", "screen__position", "before")
    return [again - before - 1 for _, again, before in pages.distinct()]


def _texts(study, keys):
    texts = dict(Item.objects.filter(study=study).order_by().values_list("key", "text"))
    return [texts.get(key, "").strip() for key in keys]


def lengths(study, keys):
    """Return the length of each item's text (items,), NaN without a text, and the unit of length.

    Words are counted where most letters belong to scripts that part them; else characters without
    blanks. In a mixed text each Chinese or Japanese character counts as a word.
    """
    item_texts = _texts(study, keys)
    cjk = sum(len(CJK.findall(text)) for text in item_texts)
    others = sum(len(re.findall(r"[^\W\d_]", text)) for text in item_texts) - cjk
    unit = CHARACTERS if cjk > others else WORDS
    measure = _characters if unit == CHARACTERS else _words
    return np.array([measure(text) if text else np.nan for text in item_texts], dtype=float), unit


def _characters(text):
    return len("".join(text.split()))


def _words(text):
    return len(CJK.sub(" x ", text).split())
