"""A worker's part in a run: lease, ask many at once, store, settle, until nothing is left."""

import asyncio
import logging
import os
import secrets
import socket
import threading

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
    """One worker driving one run: `asked` are the calls under way."""

    def __init__(self, run):
        self.run, self.endpoint, self.worker = run, run.judge.endpoint, worker_name()
        self.endpoint.model = run.frozen["model"]  # as planned, whatever was changed since
        self.asked = set()
        self.halted = asyncio.Event()

    async def go(self):
        async with Client(self.endpoint) as client:
            self.client = client
            try:
                while await self._lease() or self.asked:
                    await self._settle(await self._finished())
            finally:
                for task in self.asked:
                    task.cancel()
                await sync_to_async(leasing.give_back)(self.run, self.worker)

    async def _lease(self):
        """Fills the free places; nothing more once the run or the process is to stop."""
        if stopping.is_set():
            self.halted.set()
            return False
        free = self.endpoint.concurrency - len(self.asked)
        units = []
        if free > 0:
            units = await sync_to_async(self._lease_units)(free)
        for unit in units:
            self._start(unit, 0)
        return bool(units)

    def _lease_units(self, free):
        units = leasing.lease(self.run, self.endpoint, self.worker, free)
        if not units and Run.objects.filter(pk=self.run.pk, state=Run.State.CANCELLED).exists():
            self.halted.set()
        return units

    def _start(self, unit, wait):
        self.asked.add(asyncio.ensure_future(self._ask(unit, wait)))

    async def _ask(self, unit, wait):
        sent = prompting.messages(
            self.run.frozen["prompt_text"], unit.item, unit.questions, self.run.frozen["rationale"]
        )
        if wait and await self._halted_within(wait):
            return Outcome(unit, sent)
        options = parameters(self.run.frozen, unit.questions)
        return Outcome(unit, sent, options, await self.client.ask(sent, options))

    async def _halted_within(self, seconds):
        try:
            await asyncio.wait_for(self.halted.wait(), seconds)
        except TimeoutError:
            return False
        return True

    async def _finished(self):
        """The outcomes there are; waits for the first, though never long without a look around."""
        done, self.asked = await asyncio.wait(
            self.asked, timeout=POLL_SECONDS, return_when=asyncio.FIRST_COMPLETED
        )
        return [task.result() for task in done]

    async def _settle(self, outcomes):
        """Stores every answer, settles last words, starts the others again after their wait."""
        outcomes = [outcome for outcome in outcomes if outcome.answer is not None]
        if not outcomes:
            return
        again = [(o.unit, o.wait()) for o in outcomes if o.wait() is not None]
        for unit, wait in await sync_to_async(self._write)(outcomes, again):
            unit.attempt += 1
            self._start(unit, wait)

    def _write(self, outcomes, again):
        """What of `again` can be paid for."""
        calls = settling.store_calls(self.run, self.endpoint, outcomes)
        last = [(o, call) for o, call in zip(outcomes, calls, strict=True) if o.wait() is None]
        settling.settle(self.run, self.worker, last)
        length = leasing.lease_length(self.endpoint).total_seconds()
        again = settling.affordable(self.run, self.worker, again)
        leasing.extend(self.run, self.worker, again, length)
        return again
