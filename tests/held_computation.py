"""The project's Celery application whose computations stop in the middle and never go on."""

import time
from pathlib import Path

from celery.signals import worker_init
from django.conf import settings

from config.celery import app

__all__ = ["app"]
HELD = "held"  # the file that says that a computation is in its middle


@worker_init.connect
def hold(**_signal):
    from analysis.serving import source as asking  # noqa: PLC0415 - models cannot be imported any earlier

    def held(*arguments):
        (Path(settings.VAR_DIR) / HELD).touch()
        while True:
            time.sleep(60)

    asking.computed = held
