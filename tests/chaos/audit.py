"""What the clients were told against what the database holds, once calm has returned."""

from collections import Counter

from tests.chaos import audit_judging, audit_raters


def write(ledger, run):
    """Put every check of a run into the ledger."""
    ledger.title("Raters")
    audit_raters.write(ledger, run.crowd)
    ledger.title("Judges")
    audit_judging.write(ledger, run.judges, run.books)
    ledger.title("Loads and exports")
    loads(ledger, run.loaders)
    exports(ledger, run.exporters)
    ledger.title("What is left over")
    orphans(ledger)
    if run.deleter:
        deleted(ledger, run.deleter)
    ledger.title("Answers of the server")
    refusals(ledger, run.answers)
    ledger.check("Pages met nothing unexpected", run.visitor.trouble, run.visitor.pages)
    ledger.check("After the calm every page that was asked for came", run.trouble_after)
    ledger.title("Faults")
    faults(ledger, run)


def loads(ledger, loaders):
    """Each load is in the database whole or not at all, as the server told."""
    from annotate.models import Item

    keys = Item.objects.filter(study__slug="loaded").values_list("key", flat=True)
    stored = Counter(key.rpartition("-")[0] for key in keys.iterator())
    every = [load for loader in loaders for load in loader.loads]
    told = [load for load in every if load.outcome == "loaded"]
    wrong = [f"{n.name} has {stored[n.name]} of {n.rows}" for n in told if stored[n.name] != n.rows]
    ledger.check("Loads that the server confirmed are whole", wrong, f"{len(told):,} loads")
    unclear = [n for n in every if n.outcome == "unknown"]
    parts = [f"{n.name} has {stored[n.name]}" for n in unclear if stored[n.name] not in (0, n.rows)]
    ledger.check("Loads without a last word are whole or not there", parts, len(unclear))
    refused = [n for n in every if n.outcome == "refused"]
    there = [f"{n.name} has {stored[n.name]}" for n in refused if stored[n.name]]
    ledger.check("Loads with a faulty row changed nothing", there, f"{len(refused):,} loads")
    ledger.check("Loads met nothing unexpected", (t for n in loaders for t in n.trouble))


def exports(ledger, exporters):
    """An export with a normal end holds each load whole, and all that was loaded before it."""
    every = [export for exporter in exporters for export in exporter.exports]
    sizes = {load.name: load.rows for n in exporters for m in n.loaders for load in m.loads}
    whole = [export for export in every if export.ended == "whole"]
    wrong = [export.bad for export in every if export.bad]
    for export in (export for export in whole if not export.bad):
        wrong += _gaps(export, sizes)
    rows = sum(export.rows for export in whole)
    ended = Counter(export.ended for export in every)
    words = f"{ended['whole']:,} exports, {rows:,} rows"
    ledger.check("Exports that ended normally are whole", wrong, words)
    ledger.figure("Exports plainly broken off", ended["broken off"])
    ledger.figure("Exports refused, and not begun", f"{ended['refused']:,}, {ended['not begun']:,}")


def _gaps(export, sizes):
    from tests.chaos.files import STANDING

    if export.by_load["standing"] != STANDING:
        yield f"an export has {export.by_load['standing']} of {STANDING} standing items"
    for name, rows in export.by_load.items():
        if name != "standing" and rows != sizes[name]:
            yield f"an export has {rows} of the {sizes[name]} rows of {name}"
    for name in export.loaded_before:
        if name not in export.by_load:
            yield f"an export lacks {name}, which had been confirmed"


def orphans(ledger):
    """Nothing is held by anybody who is gone."""
    from annotate.models import Place, Session
    from judges.models import Judgment, Run, Upload

    leased = Judgment.objects.filter(state=Judgment.State.LEASED).values_list("pk", flat=True)
    ledger.check("No lease is left", leased)
    # Not by the database: SQLite adds decimals as floats, and leaves 1e-17 of them.
    ended = Run.objects.exclude(state=Run.State.ACTIVE)
    reserved = [run for run in ended if run.reserved_usd]
    ledger.check("No money is reserved by a run that ended", reserved)
    ledger.check("No run still waits for a worker", Run.objects.filter(state=Run.State.ACTIVE))
    held = Place.objects.filter(state=Place.State.HELD).values_list("pk", flat=True)
    ledger.check("No place is held by a rater who has gone", held)
    filled = Place.objects.filter(state=Place.State.FILLED)
    lost = filled.exclude(session__state=Session.State.COMPLETED).values_list("pk", flat=True)
    ledger.check("No place counts as filled without a completed session", lost)
    loading = Upload.objects.filter(state=Upload.State.LOADING).values_list("pk", flat=True)
    ledger.check("No load still waits for a worker", loading)


def deleted(ledger, deleter):
    """Studies whose deletion the server confirmed have gone."""
    from annotate.models import Study

    left = Study.objects.filter(slug__in=deleter.deleted).values_list("slug", flat=True)
    ledger.check("Studies deleted under their running judge are gone", left, len(deleter.deleted))
    ledger.check("Deletions met nothing unexpected", deleter.trouble)


def refusals(ledger, answers):
    """503 that says when to try again is allowed during a fault; every other 5xx is not."""
    for who, count in sorted(answers.asked.items()):
        ledger.figure(f"Requests answered to the {who}", f"{count:,}")
    for (status, kind), count in sorted(
        Counter((n.status, n.kind) for n in answers.refusals).items()
    ):
        ledger.figure(f"{status} to: {kind}", f"{count:,}")
    busy = [n for n in answers.refusals if n.status == 503]
    other = [n for n in answers.refusals if n.status != 503]
    ledger.check("No 5xx but 503", other)
    ledger.check("503 says when to try again", (n for n in busy if not n.in_words), len(busy))
    calm = [n for n in busy if not answers.during_fault(n)]
    ledger.check("503 only while a fault was under way", calm, len(busy))


def faults(ledger, run):
    """Every fault of the schedule was done."""
    done = Counter(fault.kind for fault in run.faults.done)
    for kind, count in done.items():
        ledger.figure(f"Faults: {kind}", count)
    ledger.figure("Connections to the database terminated", run.faults.terminated)
    missing = [fault for fault in run.faults.planned if fault not in run.faults.done]
    ledger.check("Every fault of the schedule was done", [*missing, *run.faults.trouble])
    for name, service in run.product.services.items():
        words = f"{service.starts}, killed {service.kills}, ended by itself {service.ended_itself}"
        ledger.figure(f"Starts of {name}", words)
