"""Connect celery's signals once the app is ready."""

from celery.signals import beat_init, worker_ready, worker_shutdown, worker_shutting_down
from django.apps import AppConfig


class JudgesConfig(AppConfig):
    name = "judges"
    verbose_name = "Judges, runs, judgments"

    def ready(self):
        """Connect the signals by which celery's worker and beat tell of their lives."""
        from judges.runs import heartbeat  # noqa: PLC0415 - models cannot be imported any earlier

        beat_init.connect(heartbeat.start_clock)
        worker_ready.connect(heartbeat.start)
        worker_shutting_down.connect(heartbeat.stop)
        worker_shutdown.connect(heartbeat.end)
