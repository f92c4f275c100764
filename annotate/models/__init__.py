"""Store studies, their items, raters, sessions and answers."""

from annotate.models.catalogue import Content, Interaction, Recipient, System
from annotate.models.coding import Code, CodesCompared, Coding
from annotate.models.deletion import Deletion, Erasure
from annotate.models.exclusion import ExcludedRater, FreedPlace, QualityStep, Tombstone
from annotate.models.item import Item
from annotate.models.late import Latecomer
from annotate.models.load import FileLoad, Loaded
from annotate.models.media import MediaFile, MediaKind, MissingMedia
from annotate.models.more import AddedPlace, ExtraPlaces
from annotate.models.questionnaire import QuestionnaireVersion
from annotate.models.rater import OrderCounter, Place, Rater, RepeatVisit, Session
from annotate.models.rating import Rating, RatingRevision
from annotate.models.screen import Answer, Screen
from annotate.models.stopping import StoppingPlan
from annotate.models.study import Membership, Question, Study
from annotate.models.taste import Making, Pick
from annotate.models.timing import ItemTime, Listening
from annotate.models.token import ApiToken

__all__ = [
    "AddedPlace",
    "Answer",
    "ApiToken",
    "Code",
    "CodesCompared",
    "Coding",
    "Content",
    "Deletion",
    "Erasure",
    "ExcludedRater",
    "ExtraPlaces",
    "FileLoad",
    "FreedPlace",
    "Interaction",
    "Item",
    "ItemTime",
    "Latecomer",
    "Listening",
    "Loaded",
    "Making",
    "MediaFile",
    "MediaKind",
    "Membership",
    "MissingMedia",
    "OrderCounter",
    "Pick",
    "Place",
    "QualityStep",
    "Question",
    "QuestionnaireVersion",
    "Rater",
    "Rating",
    "RatingRevision",
    "Recipient",
    "RepeatVisit",
    "Screen",
    "Session",
    "StoppingPlan",
    "Study",
    "System",
    "Tombstone",
]
