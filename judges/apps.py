from celery.signals import worker_ready, worker_shutdown, worker_shutting_down
from django.apps import AppConfig


class JudgesConfig(AppConfig):
    name = "judges"
    verbose_name = "Judges, runs, judgments"

    def ready(self):
        """Celery's worker tells of its life by these signals; no other process sends them."""
        from judges import heartbeat  # noqa: PLC0415 - models cannot be imported any earlier

        worker_ready.connect(heartbeat.start)
        worker_shutting_down.connect(heartbeat.stop)
        worker_shutdown.connect(heartbeat.end)
