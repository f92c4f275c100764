"""Split reviews by time, recipient by recipient, as text generators are trained and tested.

Source: Kabongo and Guigue, On the Factual Consistency of Text-based Explainable Recommendation
Models, section III-C and table II. How the shares are rounded is not said there; so it is ours:
training gets eight tenths rounded down, validation half of the rest rounded down, the test what is
left. Of five that is 4, 0 and 1. On the paper's Toys the shares printed come out so.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

TRAIN, VALIDATION, TEST = PARTS = ("train", "validation", "test")
LEAST = 5


@dataclass(frozen=True)
class Review:
    """An interaction of a recipient with a content.

    number: its line in the file. more: its other columns.
    """

    recipient: str
    content: str
    moment: Any
    number: int
    rating: float | None = None
    text: str = ""
    more: dict = field(default_factory=dict)


@dataclass
class Split:
    """The reviews of each part, recipient by recipient in the order of time.

    kept: of recipients with enough interactions, before anything of their parts was dropped.
    few: of recipients with too few; repeated: earlier ones of the same content; unseen: of
    validation and test, about contents that are in nobody's training.
    """

    parts: dict
    kept: list
    few: int = 0
    repeated: int = 0
    unseen: int = 0

    @property
    def counts(self):
        """Return [(name, number)], as table II has them, and what was left out."""
        return [
            ("recipients", len({review.recipient for review in self.kept})),
            ("contents", len({review.content for review in self.kept})),
            ("interactions", len(self.kept)),
            *((part, len(self.parts[part])) for part in PARTS),
            ("left out: of contents unseen in training", self.unseen),
            ("left out: of recipients with too few interactions", self.few),
            ("left out: earlier reviews of the same content", self.repeated),
        ]


def split(reviews, least=LEAST):
    """Split Reviews; leave out recipients with fewer than `least` interactions.

    Of several reviews of a content by one recipient the latest stays. At equal times the order of
    the file decides.
    """
    reviews = list(reviews)
    newest = {(r.recipient, r.content): r for r in sorted(reviews, key=_when)}
    whose = defaultdict(list)
    for review in sorted(newest.values(), key=_when):
        whose[review.recipient].append(review)
    enough = {who: own for who, own in sorted(whose.items()) if len(own) >= least}
    kept = [review for own in enough.values() for review in own]
    parts = {part: [] for part in PARTS}
    for own in enough.values():
        for part, some in zip(PARTS, _cut(own), strict=True):
            parts[part] += some
    seen = {review.content for review in parts[TRAIN]}
    for part in (VALIDATION, TEST):
        parts[part] = [review for review in parts[part] if review.content in seen]
    return Split(
        parts,
        kept,
        few=len(newest) - len(kept),
        repeated=len(reviews) - len(newest),
        unseen=len(kept) - sum(map(len, parts.values())),
    )


def _when(review):
    return review.moment, review.number


def _cut(own):
    """Cut one recipient's ordered reviews into training, validation and test."""
    train = len(own) * 8 // 10
    validation = train + (len(own) - train) // 2
    return own[:train], own[train:validation], own[validation:]
