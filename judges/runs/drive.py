"""Work on a run as one worker: lease units, ask many at once, store and settle the replies."""

import asyncio
import logging
import os
import secrets
import socket
import threading
import time
from collections import deque
from contextlib import suppress
from copy import copy
from functools import partial

from asgiref.sync import async_to_sync, sync_to_async
from django.core.exceptions import ObjectDoesNotExist
from django.db import IntegrityError, connection
from django.utils import timezone

from judges import methods
from judges.endpoints import refusals
from judges.endpoints.asking import Asking
from judges.endpoints.client import OF_ALL, UNSENT, Client
from judges.endpoints.gate import Gate
from judges.endpoints.parameters import spoken
from judges.models import Run
from judges.perturbations import perturb
from judges.replies import logprobs
from judges.runs import disclosure, lease, left_out, reuse, score, settle
from judges.runs.check import why_not_local
from judges.runs.settle import Outcome
from judges.scorers import SCORERS

log = logging.getLogger(__name__)
# Set when the worker's process shuts down: runs stop leasing and give back what waits.
stopping = threading.Event()
POLL_SECONDS = 1.0
GATHER_SECONDS = 0.001  # replies that come so close together are written together
GIVES_WAY = 3  # times that a unit is put off, before all others come first
MOST_ODD = 100  # units that come last
_busy: set[int] = set()
_busy_lock = threading.Lock()


def work_through(run_id):
    """Work on a run until nothing is left to lease; return at once if this process does already."""
    with _busy_lock:
        if run_id in _busy:
            return
        _busy.add(run_id)
    try:
        run = Run.objects.select_related("judge__endpoint").filter(pk=run_id).first()
        if run is not None and run.state == Run.State.ACTIVE:
            _drive(run)
            lease.finish_if_done([run.pk])
    except (ObjectDoesNotExist, IntegrityError):
        if Run.objects.filter(pk=run_id).exists():
            raise
        log.info("run %s: it was deleted with its study", run_id)
    finally:
        with _busy_lock:
            _busy.discard(run_id)


def _drive(run):
    if run.judge.kind in SCORERS:
        score.drive(run, worker_name(), stopping)
    elif refused := why_not_local(run.judge) or disclosure.why_moved(run):
        lease.stop(run, refused)
    elif lease.has_work(run):
        log.info("run %s: work begins", run.pk)
        async_to_sync(Drive(run).go)()
        log.info("run %s: work ends", run.pk)


def worker_name():
    """Return a new name for the leases of one drive; no other drive ever has the same."""
    return f"{socket.gethostname()[:40]}:{os.getpid()}:{secrets.token_hex(6)}"


def parameters(frozen, questions):
    """Return what is sent with the messages, by the judge's settings as they were frozen."""
    longest = methods.of_frozen(frozen).max_tokens(frozen, questions)
    sent = {"temperature": frozen["temperature"], "max_tokens": longest}
    if sent["temperature"] is None:
        del sent["temperature"]
    if frozen.get("weighted"):
        sent |= logprobs.REQUEST
    if frozen["json_schema"]:
        schema = methods.of_frozen(frozen).schema(frozen, questions)
        sent["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "ratings", "strict": True, "schema": schema},
        }
    elif frozen.get("json_mode"):
        sent["response_format"] = {"type": "json_object"}
    return spoken(sent, [*frozen.get("refused", ()), *frozen.get("not_taken", ())])


def sent_for(frozen, unit):
    """Return (messages, parameters), exactly as they are sent for a unit."""
    asked = perturb.changed(frozen, unit).questions
    return perturb.messages(frozen, unit, methods.of_frozen(frozen)), parameters(frozen, asked)


def endpoint_of(run):
    """Return the endpoint with the model that the run was planned with, even if changed since."""
    endpoint = copy(run.judge.endpoint)
    endpoint.model = run.frozen["model"]
    return endpoint


class Drive:
    """Drive one run as one worker.

    A unit takes a place from the moment it is sent until its reply is stored, so a kill repeats no
    more calls than there are places; the gate says how many. Units that `wait` for a place are
    leased and not sent. What came `back` is stored, its places are filled, and while those
    calls are under way it is settled and new units are leased: one trip a round.
    """

    def __init__(self, run):
        self.run, self.endpoint, self.worker = run, endpoint_of(run), worker_name()
        self.asked, self.waiting, self.later, self.back = set(), deque(), [], []
        self.odd = []  # numbers of units that gave way: they come last
        self.unstored = set()  # numbers of units that were sent, until their replies are stored
        self.taken = self.pauses = 0
        self.arrived, self.halted = asyncio.Event(), asyncio.Event()
        self.options, self.ahead = {}, {}
        self.reuses, self.reused = None, False
        self.gate = Gate(self.endpoint)
        self.may_leave_out = left_out.untried(run)
        self.renewed = time.monotonic()

    async def go(self):
        """Drive the run in rounds until nothing is under way and nothing is left to ask."""
        self.loop = asyncio.get_running_loop()
        async with Client(self.endpoint) as client:
            self.asking = Asking(client, self.may_leave_out)
            try:
                await self._round([])
                while (
                    self.taken
                    or not self.halted.is_set()
                    and (self.waiting or self.later or self.reused)
                ):
                    await self._round(await self._outcomes())
            finally:
                unsent = self._unsent()
                self.halted.set()
                for task in self.asked:
                    task.cancel()
                await sync_to_async(self._end)(unsent)

    def _unsent(self):
        """Return the numbers of units that were never sent as the run, or this worker, stopped.

        Not after an error: it may be theirs, and they must not bring it about for ever.
        """
        waiting = self.waiting if self.halted.is_set() else ()
        return [unit.number for unit in waiting if not unit.sent]

    async def _outcomes(self):
        """Wait for replies and return those that came together, or nothing after a while."""
        if not self.back and not self.reused:
            self.arrived.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self.arrived.wait(), self._patience())
                await asyncio.sleep(GATHER_SECONDS)
        back, self.back = self.back, []
        return [task.result() for task in back]

    def _patience(self):
        """Return the seconds after which there is something to do even if no reply comes."""
        if self.later:
            return max(0.0, min(POLL_SECONDS, min(due for due, _ in self.later) - time.monotonic()))
        return self.gate.patience if self.waiting and self.gate.counts else POLL_SECONDS

    async def _round(self, outcomes):
        """Store what came back in one trip to the database and send the units that it brought."""
        if stopping.is_set():
            self.halted.set()
        now = time.monotonic()
        due = [unit for moment, unit in self.later if moment <= now]
        self.later = [(moment, unit) for moment, unit in self.later if moment > now]
        self.waiting.extendleft(unit for unit in due if not unit.pauses)
        self.waiting.extend(unit for unit in due if unit.pauses)  # behind those that wait
        again, units, permitted = await sync_to_async(self._trip)(outcomes)
        now = time.monotonic()
        self.later += [(now + wait, unit) for unit, wait in again]
        self.waiting.extend(units)
        self._fill(permitted)

    def _fill(self, permitted=None):
        """Send waiting units from free places, or as many as are permitted; nothing once halted."""
        most = self.gate.limit - self.taken
        if self.gate.counts:
            most = min(most, permitted or 0)
        if self.halted.is_set() or self.gate.is_closed():
            return
        for _ in range(min(most, len(self.waiting))):
            task = asyncio.ensure_future(self._ask(self.waiting.popleft()))
            self.taken += 1
            self.asked.add(task)
            task.add_done_callback(self._came_back)
        self.gate.uses(self.taken)

    def _came_back(self, task):
        self.asked.discard(task)
        self.back.append(task)
        self.arrived.set()

    def _stored(self, outcomes):
        """Free the places of outcomes whose replies are stored."""
        self.taken -= len(outcomes)
        for outcome in outcomes:
            self.gate.heard(outcome)
        self._fill()

    async def _ask(self, unit):
        messages, parameters = self._sent(unit)
        self.unstored.add(unit.number)
        unit.sent = True
        permitted = partial(self._permitted, unit)
        sent, answer = await self.asking.ask(messages, parameters, permitted)
        return Outcome(unit, messages, sent, answer)

    async def _permitted(self, unit):
        """Wait until a call beside the unit's first one may be sent, where minutes are limited."""
        while self.gate.counts and not self.halted.is_set():
            if await sync_to_async(self.gate.permit)([unit], self._sent):
                return
            await asyncio.sleep(self.gate.patience)

    def _sent(self, unit):
        """Return (messages, parameters).

        The parameters are made once for each set of questions: hundreds of calls share a schema.
        """
        frozen = self.run.frozen
        questions = perturb.changed(frozen, unit).questions
        asked = unit.relation, *(question.pk for question in questions)
        if asked not in self.options:
            self.options[asked] = parameters(frozen, questions)
        return perturb.messages(frozen, unit, methods.of_frozen(frozen)), self.options[asked]

    # In the thread that holds the database connection:

    def _trip(self, outcomes):
        """Return [(unit, wait)] to ask again, new units, and how many of all may be sent now."""
        if self.asking.found.keys() - self.run.frozen.get("not_taken", {}):
            left_out.keep(self.run, self.asking.found)
            self.options.clear()
        again = self._write(outcomes) if outcomes else []
        self._renew()
        units = self._reuse(self._lease(len(again)))
        self.gate.look()
        return again, units, self._permit(units)

    def _permit(self, units):
        """Count how many waiting units may be sent, where the endpoint has limits by the minute."""
        free = self.gate.limit - self.taken
        if not self.gate.counts or free <= 0 or self.halted.is_set() or self.gate.is_closed():
            return None
        next_ones = [*self.waiting, *units][:free]
        return self.gate.permit(next_ones, self._sent)

    def _write(self, outcomes):
        """Store every answer, settle the final ones and return the units to ask again."""
        calls = settle.store_calls(self.run, self.endpoint, outcomes, self.worker)
        self.unstored -= {outcome.unit.number for outcome in outcomes}
        self._mark_odd(outcomes)
        self.gate.record(outcomes)  # before any place is free: the endpoint may want to be left
        self.loop.call_soon_threadsafe(partial(self._stored, outcomes))
        hopeless = self._unpaid(outcomes, calls) or self._unheard(outcomes)
        hopeless = hopeless or self._unanswered(outcomes) or self._late(outcomes)
        last = [
            (o, call)
            for o, call in zip(outcomes, calls, strict=True)
            if o.wait() is None and o not in hopeless
        ]
        settle.settle(self.run, self.worker, last)
        if hopeless:
            self._stop(hopeless)
        elif any(o.answer.failure in OF_ALL for o, _ in last) and settle.stop_if_alike(self.run):
            self.halted.set()
        again = [o for o in outcomes if o.wait() is not None and o not in hopeless]
        paused = {o.unit.number for o in again if o.is_pause}
        again = settle.affordable(self.run, self.worker, [(o.unit, o.wait()) for o in again])
        tried = [unit for unit, _ in again if unit.number not in paused]
        lease.count_attempts(self.run, self.worker, tried)
        for unit, _ in again:
            unit.pauses += unit.number in paused
        return self._without_the_odd(again, paused)

    def _mark_odd(self, outcomes):
        """Mark what was put off often, and again though others were answered meanwhile.

        The endpoint stands them, so they are slowed no more than it asks for in so many words.
        """
        for outcome in outcomes:
            unit = outcome.unit
            if outcome.is_pause:
                often = unit.pauses >= GIVES_WAY and unit.put_off
                outcome.odd = bool(often) and settle.has_answered(self.endpoint, unit.put_off)
                unit.put_off = timezone.now()

    def _without_the_odd(self, again, paused):
        """Return what is asked again here; the rest gives way to the others of the run, once.

        What is put off again and again while others are answered is so for its own sake. Where
        nobody is answered it gives way only if it alone keeps others from being asked; they are
        patient in its place.
        """
        new = [u for u, _ in again if u.number in paused and u.number not in self.odd]
        # Not one that may have been billed before: it has fewer attempts left than a new lease.
        often = [unit for unit in new if unit.pauses >= GIVES_WAY and unit.attempt == 1]
        if not often or len(self.odd) >= MOST_ODD:
            return again
        silent = settle.is_silent(self.endpoint, timezone.now())
        numbers = [unit.number for unit in often]
        gone = lease.give_way(self.run, self.worker, numbers, self.odd, if_alone=silent)
        self.odd += gone
        self.pauses = often[0].pauses if gone else 0
        return [(unit, wait) for unit, wait in again if unit.number not in gone]

    def _unpaid(self, outcomes, calls):
        """Return the outcomes that an account cannot pay, but for items that are refused so again.

        Such an item speaks of money itself: others were paid since.
        """
        unpaid = [o for o in outcomes if o.is_billing]
        numbers = [o.unit.number for o in unpaid]
        again = settle.asked_in_vain(self.run, numbers, calls[0]) if unpaid else ()
        return [o for o in unpaid if o.unit.number not in again]

    def _unheard(self, outcomes):
        """Return the outcomes of units that never reached the endpoint, nor did any of the run."""
        unsent = [o for o in outcomes if o.answer.failure in UNSENT and o.wait() is None]
        if unsent and self.run.calls.filter(reused_from=None).exclude(failure__in=UNSENT).exists():
            return []
        return unsent

    def _unanswered(self, outcomes):
        """Return the outcomes of units put off again and again by an endpoint that is silent."""
        put_off = [o for o in outcomes if o.is_pause and o.unit.pauses + 1 >= settle.MOST_PAUSES]
        return put_off if put_off and settle.is_silent(self.endpoint, timezone.now()) else []

    def _late(self, outcomes):
        """Return the outcomes that would have stopped the run, had it not been stopped before."""
        alike = [o for o in outcomes if o.answer.failure in OF_ALL]
        stopped = Run.objects.filter(pk=self.run.pk, state=Run.State.STOPPED)
        return alike if alike and stopped.exists() else []

    def _stop(self, hopeless):
        """Stop the run, as no other call would be answered; its units wait for a resume."""
        self.halted.set()
        first, since = hopeless[0], ""
        if first.is_pause:
            since = f"no call was answered in {settle.PATIENCE.seconds // 60} minutes: "
        reason = refusals.why(first.answer.failure, first.answer.detail)
        lease.stop(self.run, f"{since}{reason}")
        lease.give_back(self.run, self.worker, [o.unit.number for o in hopeless])

    def _renew(self):
        """Renew the leases of waiting units long before they end."""
        length = lease.lease_length(self.endpoint)
        if time.monotonic() - self.renewed > length.total_seconds() / 4:
            lease.renew(self.run, self.worker, length)
            self.renewed = time.monotonic()
            if refused := why_not_local(self.run.judge):  # the study was changed meanwhile
                self.halted.set()
                lease.stop(self.run, refused)

    def _lease(self, again):
        """Lease new units as far as there is room; halt the drive once the run was stopped."""
        if self.halted.is_set():
            return []
        held = self.taken + len(self.waiting) + len(self.later) + again
        most = self.gate.limit + lease.ahead(self.gate.limit) - held
        units = []
        if most > 0:
            units = lease.lease(self.run, self.endpoint, self.worker, most, self.ahead, self.odd)
        for unit in units:  # as patient as the ones that gave way to them
            unit.pauses = self.pauses
        if units:
            self.pauses = 0
        halting = [Run.State.CANCELLED, Run.State.STOPPED, Run.State.WAITING]
        if not units and Run.objects.filter(pk=self.run.pk, state__in=halting).exists():
            self.halted.set()
        return units

    def _reuse(self, units):
        """Settle units by replies of past runs and return the units that have to be asked.

        Units read ahead are settled too: they cost nothing, so they wait for no money or places.
        """
        if self.reuses is None:
            self.reuses = reuse.is_possible(self.run)
        outcomes = self._past_replies(units) if self.reuses and units else []
        self.reused = bool(outcomes)
        if outcomes:
            settle.take_over(self.run, self.endpoint, self.worker, outcomes, self.ahead)
        done = {outcome.unit.number for outcome in outcomes}
        for number in done & self.ahead.keys():
            del self.ahead[number]
        return [unit for unit in units if unit.number not in done]

    def _past_replies(self, units):
        """Return outcomes by past calls of these units and of the units read ahead.

        Each unit is compared once, unless its own run may answer it when it is leased.
        """
        again = methods.of_frozen(self.run.frozen).reuses
        new = [unit for unit in units if again or not unit.compared]
        new += [unit for unit in self.ahead.values() if not unit.compared]
        asked = [(unit, *self._sent(unit)) for unit in new]
        for unit in new:
            unit.compared = True
        return settle.taken_over(self.run, self.endpoint, asked) if asked else []

    def _end(self, unsent=()):
        """Give back to the queue what was not sent; unsent: what never was, and need not be.

        Where an error ended the drive, calls are left that may be billed, though nobody stored
        their replies. Their leases expire, as a killed worker's do, and are charged then.
        """
        if connection.errors_occurred and not connection.is_usable():
            connection.close()  # it was terminated; the next query opens another
        self.gate.keep()
        lease.give_back(self.run, self.worker, but=self.unstored, uncounted=unsent)
