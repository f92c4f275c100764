from judges.models.endpoint import Endpoint, Window
from judges.models.flag import Flag
from judges.models.judge import Judge
from judges.models.material import HeldOut, Material
from judges.models.prompt import StudyPrompt
from judges.models.run import Call, Judgment, Run, RunPace
from judges.models.upload import Upload
from judges.models.worker import Computation, Heartbeat
from judges.models.writing import Writing

__all__ = [
    "Call",
    "Computation",
    "Endpoint",
    "Flag",
    "HeldOut",
    "Heartbeat",
    "Judge",
    "Judgment",
    "Material",
    "Run",
    "RunPace",
    "StudyPrompt",
    "Upload",
    "Window",
    "Writing",
]
