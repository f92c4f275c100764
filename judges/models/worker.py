"""Store signs of life of workers, and the computations that pages wait for."""

from datetime import timedelta

from django.db import models
from django.db.models import Case, ExpressionWrapper, F, OuterRef, Q, Subquery, Value, When
from django.utils import timezone

STALE_AFTER = timedelta(seconds=20)
LEFT_AFTER = timedelta(minutes=2)  # hidden pages are let ask once a minute


class HeartbeatQuerySet(models.QuerySet):
    """Queries over signs of life."""

    def alive(self):
        """Keep signs of life of the last 20 seconds."""
        return self.filter(at__gte=timezone.now() - STALE_AFTER)

    def any_alive(self):
        """Whether somebody is there to do what waits."""
        return self.alive().exists()


class Heartbeat(models.Model):
    """A worker's sign of life, written every five seconds by a thread of its own."""

    worker = models.CharField(max_length=120, unique=True)
    at = models.DateTimeField()

    objects = HeartbeatQuerySet.as_manager()

    def __str__(self):
        return self.worker


class Clock(models.Model):
    """The sign of life of beat, written as a worker's."""

    beat = models.CharField(max_length=120, unique=True)
    at = models.DateTimeField()

    objects = HeartbeatQuerySet.as_manager()

    def __str__(self):
        return self.beat


class ComputationQuerySet(models.QuerySet):
    """Queries over computations."""

    def claim(self, pk, now):
        """Take it if it waits or its worker is silent; return whether it is ours."""
        free = Q(state=Computation.State.WAITING)
        free |= Q(state=Computation.State.COMPUTING, due_at__lt=now)
        ours = self.filter(free, pk=pk).update(
            state=Computation.State.COMPUTING, started_at=now, due_at=now + STALE_AFTER
        )
        return ours == 1

    def with_seconds_before(self):
        """Add how long the study's last computation of that report took (`before`)."""
        same = Computation.objects.filter(
            study=OuterRef("study"), report=OuterRef("report"), state=Computation.State.DONE
        )
        took = ExpressionWrapper(F("finished_at") - F("started_at"), models.DurationField())
        last = same.exclude(pk=OuterRef("pk")).order_by("-finished_at").values_list(took)[:1]
        return self.annotate(before=Subquery(last))

    def claim_nudge(self, pk, now):
        """Whether it is time to tell a worker of it (again), and ours to do."""
        late = Q(due_at__lt=now, state__in=Computation.UNDER_WAY)
        late = self.filter(late | Q(state=Computation.State.DONE), pk=pk)
        is_waiting = When(state=Computation.State.WAITING, then=F("asked_at"))
        anew = Case(is_waiting, default=Value(now, models.DateTimeField()))
        waiting = {"state": Computation.State.WAITING, "due_at": now + STALE_AFTER}
        return late.update(asked_at=anew, **waiting) == 1

    def awaited(self):
        """Keep those under way that a page asked for, or a worker worked on, lately."""
        lately = timezone.now() - LEFT_AFTER
        return self.filter(state__in=Computation.UNDER_WAY, due_at__gte=lately)

    def ask_again(self):
        """Let failed computations wait as if nobody had been told of them yet."""
        failed = self.filter(state=Computation.State.FAILED)
        now = timezone.now()
        failed.update(state=Computation.State.WAITING, due_at=now, asked_at=now, reason="")

    def forgotten(self, before):
        """Keep those that nobody worked on or asked for since then, ended or not."""
        return self.filter(due_at__lt=before).exclude(finished_at__gte=before)


class Computation(models.Model):
    """A computation that pages wait for: a worker does it once, for everybody who asks.

    The result itself is kept elsewhere, under the hash of what it was computed from.
    """

    class State(models.TextChoices):
        WAITING = "waiting", "Waiting for a worker"
        COMPUTING = "computing", "Computing"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"

    UNDER_WAY = (State.WAITING, State.COMPUTING)

    key = models.CharField(max_length=64, unique=True, help_text="Hash of what is asked for.")
    study = models.ForeignKey("annotate.Study", models.CASCADE, related_name="+")
    report = models.CharField(max_length=40, blank=True, help_text="Blank: the index.")
    query = models.TextField(blank=True, help_text="Its options.")
    n_answers = models.PositiveIntegerField(help_text="How many ratings and judgments it reads.")
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    reason = models.CharField(
        max_length=500, blank=True, default="", db_default="", help_text="Why it failed."
    )
    asked_at = models.DateTimeField(
        default=timezone.now, help_text="Since when it waits, or waited, for a worker."
    )
    started_at = models.DateTimeField(null=True)
    due_at = models.DateTimeField(
        default=timezone.now, help_text="Until when its worker, or a message about it, counts."
    )
    finished_at = models.DateTimeField(null=True)

    objects = ComputationQuerySet.as_manager()

    def __str__(self):
        return f"{self.key[:8]} {self.state}"

    @property
    def elapsed(self):
        """Return the seconds since a worker began."""
        begun = self.state == self.State.COMPUTING and self.started_at
        return (timezone.now() - begun).total_seconds() if begun else 0

    @property
    def expected(self):
        """Return the seconds that it took the last time; None where unknown."""
        return self.before.total_seconds() if self.before else None

    @property
    def is_under_way(self):
        return self.state in self.UNDER_WAY
