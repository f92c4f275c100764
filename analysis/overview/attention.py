"""List what a researcher should look at while a study runs: a sentence and where to look."""

from datetime import timedelta

from django.db.models import Count
from django.urls import reverse

from analysis.overview import waiting_work
from annotate.models import MediaKind, Place, Session
from annotate.models.media import count_naming_no_file
from annotate.values.texts import count_of
from judges.health import readiness
from judges.models import Judgment, Run

State = Session.State
QUIET = timedelta(days=1)
SWEPT = timedelta(minutes=5)  # after which a worker has long opened what is held by nobody


class Attention:
    """The things to look at as (sentence, address); places and visits are counted already."""

    def __init__(self, study, places, visits, now):
        self.study, self.places, self.visits, self.now = study, places, visits, now
        self.work = waiting_work.find_work(study)

    def list_problems(self):
        """List everything that needs a look, the most pressing first."""
        return [
            *self._disk(),
            *self._work(),
            *self._judges(),
            *self._sessions(),
            *self._media(),
            *self._standing(),
        ]

    def _url(self, name):
        return reverse(name, args=[self.study.slug])

    def _disk(self):
        disk = readiness.disk()
        if not disk.ok:
            yield disk.words, self._url("study")

    def _work(self):
        pages = {
            waiting_work.RUN: self._url("runs"),
            waiting_work.LOAD: self._url("load"),
            waiting_work.REPORT: self._url("analysis"),
            waiting_work.DELETION: reverse("studies"),
        }
        for words, name in waiting_work.explain_waiting(self.work, self.now).items():
            yield words, pages[name]

    def _judges(self):
        runs = self._url("runs")
        kinds = {(row.state, row.checked) for row in self.work if row.name == waiting_work.RUN}
        states = {state for state, _ in kinds}
        if Run.State.WAITING in states:
            yield "A run waits for you to confirm its forecast", runs
        if (Run.State.STOPPED, None) in kinds:
            yield "A run was stopped before its end: its page says why", runs
        if states:
            current = {"archived_at": None, "deleted_at": None}
            judges = {f"run__judge__{name}": none for name, none in current.items()}
            bad = Judgment.objects.filter(
                run__checked=None,
                run__judge__study=self.study,
                state__in=Judgment.NO_VALUE,
                **judges,
            )
            counts = dict(bad.order_by().values_list("state").annotate(n=Count("pk")))
            for state, label in Judgment.State.choices:
                if state in counts:
                    words = f"{count_of(counts[state], 'judgment')} without a value"
                    yield f"{words}: {label.lower()}", runs

    def _sessions(self):
        raters = self._url("raters")
        if failed := self.visits.count(State.FAILED_ATTENTION):
            yield f"{count_of(failed, 'session')} failed the attention checks", self._url("quality")
        if stopped := self.visits.count(State.ABANDONED):
            yield f"{count_of(stopped, 'session')} stopped half-way", raters

    def _media(self):
        rows = self.study.missing_media.standing().order_by().values_list("kind")
        failed = dict(rows.annotate(n=Count("pk")))
        media = self._url("media")
        lacking = count_naming_no_file(self.study)
        for kind in MediaKind:
            what = kind.label.lower()
            if kind in failed:
                yield f"{count_of(failed[kind], what)} could not be loaded", media
            if lacking[kind]:
                yield f"{count_of(lacking[kind], what)} named, but not uploaded", media

    def _standing(self):
        raters = self._url("raters")
        held, waiting = self.places[Place.State.HELD], self.places[Place.State.OPEN]
        if held and not self.study.is_open:
            yield f"The study is closed, and raters at work hold {count_of(held, 'place')}", raters
        last = self.visits.last_seen
        patience = timedelta(minutes=self.study.hold_minutes) + SWEPT
        if held and last and self.now - last > patience:
            gone = "held by raters who are gone: no worker opens them"
            yield f"{count_of(held, 'place')} {gone}", raters
        if self.study.is_open and waiting and last and self.now - last > QUIET:
            yield f"Nobody has been here for a day; open: {count_of(waiting, 'place')}", raters
