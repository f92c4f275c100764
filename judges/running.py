"""A worker's part in a run: lease, ask many at once, store, settle, until nothing is left."""

import asyncio
import logging
import os
import secrets
import socket
import threading
import time
from collections import deque
from contextlib import suppress

from asgiref.sync import async_to_sync, sync_to_async

from judges import leasing, prompting, scoring, settling
from judges.client import Client
from judges.models import Run
from judges.parsing import reply_schema
from judges.scorers import SCORERS
from judges.settling import Outcome

log = logging.getLogger(__name__)
# Set when the worker's process shuts down: runs stop leasing and give back what waits.
stopping = threading.Event()
POLL_SECONDS = 1.0
GATHER_SECONDS = 0.03  # replies that come so close together are written together
_busy: set[int] = set()
_busy_lock = threading.Lock()


def work_through(run_id):
    """Works on a run until it has nothing left to lease; at once back if this process is at it."""
    with _busy_lock:
        if run_id in _busy:
            return
        _busy.add(run_id)
    try:
        run = Run.objects.select_related("judge__endpoint").filter(pk=run_id).first()
        if run is not None and run.state == Run.State.ACTIVE:
            log.info("run %s: work begins", run_id)
            if run.judge.kind in SCORERS:
                scoring.drive(run, worker_name(), stopping)
            else:
                async_to_sync(Drive(run).go)()
            leasing.finish_if_done([run.pk])
            log.info("run %s: work ends", run_id)
    finally:
        with _busy_lock:
            _busy.discard(run_id)


def worker_name():
    """A name on the leases of one drive; no other ever has the same."""
    return f"{socket.gethostname()[:40]}:{os.getpid()}:{secrets.token_hex(6)}"


def parameters(frozen, questions):
    """What is sent beside the messages, by the judge's settings as they were frozen."""
    sent = {"temperature": frozen["temperature"], "max_tokens": frozen["max_tokens"]}
    if frozen["json_schema"]:
        scales = {question.key: question.scale for question in questions}
        schema = reply_schema(scales, frozen["rationale"])
        sent["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "ratings", "strict": True, "schema": schema},
        }
    return sent


class Drive:
    """One worker driving one run.

    `asked` are the calls under way. A call that ends leaves its place to the next unit `waiting` at
    once; what came `back` is stored and settled, and new units are leased, in one trip a round.
    """

    def __init__(self, run):
        self.run, self.endpoint, self.worker = run, run.judge.endpoint, worker_name()
        self.endpoint.model = run.frozen["model"]  # as planned, whatever was changed since
        self.asked, self.waiting, self.back = set(), deque(), []
        self.arrived, self.halted = asyncio.Event(), asyncio.Event()
        self.options, self.ahead = {}, {}
        self.renewed = time.monotonic()

    async def go(self):
        async with Client(self.endpoint) as client:
            self.client = client
            try:
                await self._round([])
                while self.asked or self.back:
                    await self._round(await self._outcomes())
            finally:
                self.halted.set()
                for task in self.asked:
                    task.cancel()
                await sync_to_async(leasing.give_back)(self.run, self.worker)

    async def _outcomes(self):
        """What came back, a handful together; never long without a look around."""
        if not self.back:
            self.arrived.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self.arrived.wait(), POLL_SECONDS)
                await asyncio.sleep(GATHER_SECONDS)
        back, self.back = self.back, []
        return [task.result() for task in back]

    async def _round(self, outcomes):
        """One trip to the database with what came back, and places filled with what it brought."""
        if stopping.is_set():
            self.halted.set()
        arrived = [outcome for outcome in outcomes if outcome.answer is not None]
        again, units = await sync_to_async(self._write_and_lease)(arrived)
        self.waiting.extendleft(again)
        self.waiting.extend((unit, 0) for unit in units)
        self._fill()

    def _fill(self):
        """Starts waiting units in free places; none once the run is cancelled or all is to stop."""
        while self.waiting and len(self.asked) < self.endpoint.concurrency:
            if self.halted.is_set():
                return
            task = asyncio.ensure_future(self._ask(*self.waiting.popleft()))
            self.asked.add(task)
            task.add_done_callback(self._came_back)

    def _came_back(self, task):
        self.asked.discard(task)
        self.back.append(task)
        self.arrived.set()
        self._fill()

    async def _ask(self, unit, wait):
        frozen = self.run.frozen
        sent = prompting.messages(
            frozen["prompt_text"], unit.item, unit.questions, frozen["rationale"], unit.shown
        )
        if wait and await self._halted_within(wait):
            return Outcome(unit, sent)
        options = self._parameters(unit.questions)
        return Outcome(unit, sent, options, await self.client.ask(sent, options))

    def _parameters(self, questions):
        """Made once for each set of questions: hundreds of calls share one schema."""
        asked = tuple(question.pk for question in questions)
        if asked not in self.options:
            self.options[asked] = parameters(self.run.frozen, questions)
        return self.options[asked]

    async def _halted_within(self, seconds):
        try:
            await asyncio.wait_for(self.halted.wait(), seconds)
        except TimeoutError:
            return False
        return True

    # In the thread that holds the database connection:

    def _write_and_lease(self, arrived):
        """What is asked next: [(unit, wait)] once more, and new units."""
        again = self._write(arrived) if arrived else []
        self._renew()
        return again, self._lease(len(again))

    def _write(self, arrived):
        """Stores every answer and settles the last words; what of the others can be paid for."""
        calls = settling.store_calls(self.run, self.endpoint, arrived)
        last = [(o, call) for o, call in zip(arrived, calls, strict=True) if o.wait() is None]
        settling.settle(self.run, self.worker, last)
        again = [(o.unit, o.wait()) for o in arrived if o.wait() is not None]
        again = settling.affordable(self.run, self.worker, again)
        leasing.count_attempts(self.run, self.worker, [unit for unit, _ in again])
        return again

    def _renew(self):
        """Keeps what waits for a place or for its next attempt, long before its lease ends."""
        length = leasing.lease_length(self.endpoint)
        if time.monotonic() - self.renewed > length.total_seconds() / 4:
            leasing.renew(self.run, self.worker, length)
            self.renewed = time.monotonic()

    def _lease(self, again):
        """New units as far as there is room; halts the drive once the run was cancelled."""
        if self.halted.is_set():
            return []
        held = len(self.asked) + len(self.waiting) + len(self.back) + again
        most = self.endpoint.concurrency + leasing.ahead(self.endpoint) - held
        units = []
        if most > 0:
            units = leasing.lease(self.run, self.endpoint, self.worker, most, self.ahead)
        if not units and Run.objects.filter(pk=self.run.pk, state=Run.State.CANCELLED).exists():
            self.halted.set()
        return units
