from annotate.models.catalogue import Content, Interaction, Recipient, System
from annotate.models.exclusion import ExcludedRater, FreedPlace, QualityStep, Tombstone
from annotate.models.item import Item
from annotate.models.rater import Place, Rater, Session
from annotate.models.rating import Rating, RatingRevision
from annotate.models.study import Membership, Question, Study

__all__ = [
    "Content", "ExcludedRater", "FreedPlace", "Interaction", "Item", "Membership", "Place",
    "QualityStep", "Question", "Rater", "Rating", "RatingRevision", "Recipient", "Session", "Study",
    "System", "Tombstone",
]  # fmt: skip
