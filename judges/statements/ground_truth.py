"""Compose the ground truth of an explanation: a paragraph of all its review's statements.

Rule-based and grouped by polarity, so that no statement is lost and no model is asked. A single
statement is wrapped in the same words before any check, so that its polarity is checked with it.
Source: Kabongo and Guigue, On the Factual Consistency of Text-based Explainable Recommendation
Models, section III-B; the wording is our own.
"""

from dataclasses import dataclass

POLARITIES = ("positive", "negative", "neutral")
ENDS = " \t\r\n.!?;,:…。！？；，、：؟؛،।"
# English words that begin with a capital only where a sentence begins.
OPENERS = """
a all although an as at because both but by each for from he her his if in is it its many most
no not of on one only our she some that the their there these they this those we when while with
you your
"""
LOWERED = frozenset(OPENERS.split())


@dataclass(frozen=True)
class Wording:
    """Words around statements in a language.

    begins: how a polarity's sentence begins; after: the same where an earlier sentence stands.
    """

    begins: dict
    after: dict
    clause: str  # around a statement
    between: str
    end: str
    space: str  # between sentences


ENGLISH = Wording(
    begins={
        "positive": "The user appreciates ",
        "negative": "The user dislikes ",
        "neutral": "The user is indifferent to the fact ",
    },
    after={
        "negative": "However, the user dislikes ",
        "neutral": "Besides, the user is indifferent to the fact ",
    },
    clause="that {}",
    between="; ",
    end=".",
    space=" ",
)
CHINESE = Wording(
    begins={
        "positive": "用户喜欢的是：",
        "negative": "用户不喜欢的是：",
        "neutral": "用户觉得无所谓的是：",
    },
    after={"negative": "但用户不喜欢的是：", "neutral": "另外，用户觉得无所谓的是："},
    clause="{}",
    between="；",
    end="。",
    space="",
)
WORDINGS = {"en": ENGLISH, "zh-hans": CHINESE}


def wrapped(statement, polarity, language="en"):
    """Wrap one statement in the words of its polarity; return "" for an empty statement.

    ValueError for an unknown polarity. language: a study's; others get English words.
    """
    return _sentence([_bare(statement)], _known(polarity), _wording(language), "begins")


def composed(statements, language="en"):
    """Compose the paragraph of all [(statement, polarity)], in their order within each polarity.

    Repeated statements of a polarity stand once; "" where nothing is said. ValueError as above.
    """
    groups = {polarity: [] for polarity in POLARITIES}
    for statement, polarity in statements:
        groups[_known(polarity)].append(_bare(statement))
    sentences, wording = [], _wording(language)
    for polarity, group in groups.items():
        which = "after" if sentences else "begins"
        sentences += filter(None, [_sentence(group, polarity, wording, which)])
    return wording.space.join(sentences)


def _sentence(group, polarity, wording, which):
    once = {text.casefold(): text for text in reversed(group) if text}  # as it was said first
    clauses = [wording.clause.format(text) for text in reversed(once.values())]
    begins = getattr(wording, which).get(polarity) or wording.begins[polarity]
    return f"{begins}{wording.between.join(clauses)}{wording.end}" if clauses else ""


def _bare(statement):
    """Return the statement as it stands within a sentence: one line, without its own end."""
    text = " ".join(statement.split()).rstrip(ENDS)
    first = text.partition(" ")[0].partition("'")[0].partition("’")[0]
    is_loud = text.isupper() if len(first) == 1 else first.isupper()  # capitals are its own
    is_opener = first.lower() in LOWERED and not is_loud
    return text[:1].lower() + text[1:] if is_opener else text


def _known(polarity):
    if polarity not in POLARITIES:
        raise ValueError(f"found the polarity {polarity!r}; allowed is {', '.join(POLARITIES)}")
    return str(polarity)


def _wording(language):
    return WORDINGS.get(language, ENGLISH)
