"""The project's Celery application whose limits by the minute count a minute of four seconds."""

from celery.signals import worker_init

from config.celery import app

__all__ = ["app"]
SECONDS = 4


@worker_init.connect
def shorten(**_signal):
    from judges.endpoints import limits  # noqa: PLC0415 - models cannot be imported any earlier

    limits.KEPT = SECONDS + limits.LATE + 1
    limits.REQUESTS_SLOT = limits.TOKENS_SLOT = 4
