from judges.models.endpoint import Endpoint
from judges.models.judge import Judge
from judges.models.run import Call, Judgment, Run
from judges.models.upload import Upload
from judges.models.worker import Heartbeat

__all__ = ["Call", "Endpoint", "Heartbeat", "Judge", "Judgment", "Run", "Upload"]
