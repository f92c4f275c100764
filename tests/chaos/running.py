"""One run: the actors and the faults at once, then calm, then the audit."""

import threading
import time
from itertools import chain

from django.db import connection

from tests import factories
from tests.chaos import audit, calm, deleting, files, judging, raters, schedule
from tests.chaos.answers import Answers
from tests.chaos.caller import Caller, browser_headers, program_headers
from tests.chaos.faults import Faults, kinds_possible
from tests.chaos.ledger import Ledger
from tests.chaos.product import Product
from tests.chaos.visiting import Visitor
from tests.scripted_server import ScriptedServer

# Seconds of faults in the short form, which takes two minutes with its start and its audit.
SHORT_SECONDS, SHORT_GAP, GAP = 40, 3.5, 8
LANES = 2  # waves of raters at once
WAVE_SECONDS = 8  # no wave is faster
PATIENCE = {True: 30, False: 240}  # seconds that a run (short or not) waits for its end


class Run:
    """All that takes part in one run, and what each part kept."""

    def __init__(self, options, product, books, url):
        self.options, self.product, self.books = options, product, books
        self.answers, self.deleter, self.trouble_after = Answers(), None, []
        owner = factories.make_user("owner")
        port = product.port
        self.browser = Caller(port, self.answers, "researcher's browser", browser_headers(owner))
        self.program = Caller(port, self.answers, "researcher's program", program_headers(owner))
        waves = LANES * (int(self.seconds / WAVE_SECONDS) + 1)
        studies = raters.make_studies(waves)
        self.crowd = raters.Crowd(port, self.answers, options.seed, studies)
        judging.make_judges(url, owner)
        self.judges = [
            judging.RunsOfJudge(self.program, "judged", "free", has_budget=False),
            judging.RunsOfJudge(self.program, "judged", "capped", has_budget=True),
        ]
        files.make_loaded(owner)
        self.loaders = [
            files.Loader(self.program, "loaded", False, "program", 400),
            files.Loader(self.browser, "loaded", True, "many", 3000),
            files.Loader(self.browser, "loaded", True, "few", 100),
        ]
        self.exporters = [
            files.Exporter(self.browser, "loaded", form, self.loaders) for form in ("csv", "jsonl")
        ]
        self.visitor = Visitor(self.browser)
        if options.delete_studies:
            names = deleting.make_studies(owner, judging.make_endpoint(url, "doomed"), 100)
            self.deleter = deleting.Deleter(self.browser, self.program, names)

    @property
    def seconds(self):
        """How long faults come."""
        return SHORT_SECONDS if self.options.short else self.options.minutes * 60

    def actors(self):
        """Return what works at once, each a function of the event that stops it."""
        lanes = [self.crowd] * LANES
        others = chain(self.judges, self.loaders, self.exporters, [self.visitor])
        return [actor.work for actor in chain(lanes, others, filter(None, [self.deleter]))]

    def go(self, ground):
        """Let all of them work while the faults come, then bring calm."""
        kinds, self.skipped = kinds_possible(connection.vendor, ground)
        gap = SHORT_GAP if self.options.short else GAP
        planned = schedule.plan(self.options.seed, self.seconds, gap, kinds)
        print("\n".join(map(str, planned)), flush=True)
        for kind, why in self.skipped.items():
            print(f"left out: {kind}, since {why}", flush=True)
        (ground.kept / "schedule.txt").write_text("\n".join(map(str, planned)) + "\n")
        self.faults = Faults(self.product, ground, self.answers, planned)
        stop, begun = threading.Event(), time.monotonic()
        threads = [
            threading.Thread(target=work, args=[stop], daemon=True) for work in self.actors()
        ]
        for thread in threads:
            thread.start()
        self.faults.work(stop)
        stop.wait(max(0.0, begun + self.seconds - time.monotonic()))
        stop.set()
        self.bring_calm(threads)

    def bring_calm(self, threads):
        """Wait for the actors, for runs and for what was left half-way."""
        patience = PATIENCE[self.options.short]
        end = time.monotonic() + patience
        for thread in threads:
            thread.join(max(0.1, end - time.monotonic()))
        calm.wait_until(calm.runs_have_ended, patience)
        self.crowd.open_places = calm.open_places(self.crowd)
        calm.give_back_what_was_left(patience)
        self.trouble_after = calm.look_around(self.browser, ("loaded", "judged"))


def run(options, ground):
    """Do one run and return its Ledger, printed and kept."""
    begun, books, ledger = time.monotonic(), judging.Books(options.seed), Ledger()
    with (
        ScriptedServer(books.script) as server,
        Product(ground, ground.kept, server.url) as product,
    ):
        whole = Run(options, product, books, server.url)
        print(f"Started in {time.monotonic() - begun:.0f} s. The faults:", flush=True)
        whole.go(ground)
        calm_at = time.monotonic()
        words = f"{whole.seconds / 60:.1f} minutes of faults, seed {options.seed}"
        ledger.title(f"Ledger: {connection.vendor}, Redis, {words}")
        audit.write(ledger, whole)
        ledger.figure("Seconds in all, and of these the audit", seconds(begun, calm_at))
    (ground.kept / "ledger.txt").write_text(f"{ledger}\n")
    print(f"{ledger}", flush=True)
    return ledger


def seconds(begun, calm_at):
    """Return both in words."""
    now = time.monotonic()
    return f"{now - begun:.0f}, {now - calm_at:.0f}"
