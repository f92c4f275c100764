from celery.signals import beat_init, worker_ready, worker_shutdown, worker_shutting_down
from django.apps import AppConfig


class JudgesConfig(AppConfig):
    name = "judges"
    verbose_name = "Judges, runs, judgments"

    def ready(self):
        """Celery's worker and beat tell of their lives by these signals; no other process does."""
        from judges.runs import heartbeat  # noqa: PLC0415 - models cannot be imported any earlier

        beat_init.connect(heartbeat.start_clock)
        worker_ready.connect(heartbeat.start)
        worker_shutting_down.connect(heartbeat.stop)
        worker_shutdown.connect(heartbeat.end)
