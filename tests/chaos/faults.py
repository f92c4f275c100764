"""Faults done at their times, each kept with when it began and ended."""

import time

from tests.chaos import schedule

FELT = {"web server": 8, "database": 1}  # seconds until what was killed serves again


class Faults:
    """The schedule of a run, and what of it was done."""

    def __init__(self, product, ground, answers, planned):
        self.product, self.ground, self.answers, self.planned = product, ground, answers, planned
        self.done, self.terminated, self.trouble = [], 0, []

    def work(self, stop):
        """Do each fault at its second."""
        start = time.monotonic()
        for fault in self.planned:
            if stop.wait(max(0.0, start + fault.second - time.monotonic())):
                return
            begun = time.monotonic()
            try:
                getattr(self, "_" + fault.kind.replace(" ", "_"))(fault)
            except Exception as error:  # into the ledger: the other faults come all the same
                self.trouble.append(f"{fault.kind}: {type(error).__name__}: {error}")
            lasts = max(fault.lasts, FELT.get(fault.kind, 0))
            self.answers.faults.append((begun, max(time.monotonic(), begun + lasts)))
            self.done.append(fault)

    def _web_process(self, fault):
        self.product.services["web"].kill_child(fault.draw)

    def _web_server(self, _fault):
        self.product.services["web"].kill()

    def _worker(self, fault):
        self.product.services[f"worker {fault.draw % 2 + 1}"].kill()

    def _all_workers(self, _fault):
        for name in ("worker 1", "worker 2"):
            self.product.services[name].kill()

    def _beat(self, _fault):
        self.product.services["beat"].kill()

    def _redis(self, fault):
        self.product.services["redis"].kill(down=fault.lasts)
        time.sleep(fault.lasts)

    def _database(self, _fault):
        from django.db import connection

        others = "datname = current_database() AND pid <> pg_backend_pid()"
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE {others}"
            )
            self.terminated += cursor.fetchone()[0]
        connection.close()

    def _disk(self, fault):
        self.ground.fill()
        time.sleep(fault.lasts)
        self.ground.free()


def kinds_possible(vendor, ground):
    """Return (the kinds of faults that can be done here, {the others: why not})."""
    skipped = {}
    if vendor == "sqlite":
        skipped["database"] = "SQLite has no connections that could be terminated"
    if ground.disk:
        skipped["disk"] = f"no small disk could be mounted: {ground.disk}"
    return [kind for kind in schedule.KINDS if kind not in skipped], skipped
