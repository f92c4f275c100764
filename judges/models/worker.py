from datetime import timedelta

from django.db import models
from django.utils import timezone

STALE_AFTER = timedelta(seconds=20)


class HeartbeatQuerySet(models.QuerySet):
    def alive(self):
        """Workers heard of within the last 20 seconds."""
        return self.filter(at__gte=timezone.now() - STALE_AFTER)

    def any_alive(self):
        """True when somebody is there to do what waits."""
        return self.alive().exists()


class Heartbeat(models.Model):
    """A worker's sign of life, written every five seconds by a thread of its own."""

    worker = models.CharField(max_length=120, unique=True)
    at = models.DateTimeField()

    objects = HeartbeatQuerySet.as_manager()

    def __str__(self):
        return self.worker
