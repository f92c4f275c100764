from annotate.models.catalogue import Content, Interaction, Recipient, System
from annotate.models.item import Item
from annotate.models.rater import Place, Rater, RepeatVisit, Session
from annotate.models.rating import Rating, RatingRevision
from annotate.models.study import Membership, Question, Study

__all__ = [
    "Content", "Interaction", "Item", "Membership", "Place", "Question", "Rater", "Rating",
    "RatingRevision", "Recipient", "RepeatVisit", "Session", "Study", "System",
]  # fmt: skip
