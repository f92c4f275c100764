from judges.models.endpoint import Endpoint
from judges.models.judge import Judge
from judges.models.material import HeldOut, Material
from judges.models.run import Call, Judgment, Run
from judges.models.upload import Upload
from judges.models.worker import Heartbeat

__all__ = [
    "Call",
    "Endpoint",
    "HeldOut",
    "Heartbeat",
    "Judge",
    "Judgment",
    "Material",
    "Run",
    "Upload",
]
