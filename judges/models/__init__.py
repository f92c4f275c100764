"""Store judges, runs, judgments, statements, and the signs of life of workers."""

from judges.models.endpoint import Endpoint, Window
from judges.models.entailment import Entailment, Grain, Measure
from judges.models.flag import Flag
from judges.models.judge import Judge
from judges.models.judge_step import JudgeStep
from judges.models.material import HeldOut, Material
from judges.models.prompt import StudyPrompt
from judges.models.recommended import RecommendedList
from judges.models.run import Call, Judgment, Run
from judges.models.statement import Extraction, Sentiment, Side, Statement
from judges.models.stopping import StoppingPair
from judges.models.topic import TopicSample
from judges.models.upload import ColumnMapping, Upload
from judges.models.worker import Clock, Computation, Heartbeat
from judges.models.writing import Writing

__all__ = [
    "ColumnMapping",
    "Clock",
    "Call",
    "Computation",
    "Endpoint",
    "Entailment",
    "Extraction",
    "Flag",
    "Grain",
    "HeldOut",
    "Heartbeat",
    "Judge",
    "JudgeStep",
    "Judgment",
    "Material",
    "Measure",
    "RecommendedList",
    "Run",
    "Sentiment",
    "Side",
    "Statement",
    "StoppingPair",
    "StudyPrompt",
    "TopicSample",
    "Upload",
    "Window",
    "Writing",
]
