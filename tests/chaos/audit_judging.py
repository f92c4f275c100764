"""What the server confirmed of runs, and the endpoint's books, against judgments and calls."""

from collections import Counter
from decimal import Decimal

from tests.chaos.judging import PRICE


def write(ledger, actors, books):
    """Put the checks of all runs into the ledger."""
    runs = {run: total for actor in actors for run, total in actor.confirmed.items()}
    ledger.check("Runs met nothing unexpected", (t for actor in actors for t in actor.trouble))
    _judgments(ledger, runs)
    _calls(ledger, books)
    _money(ledger, books)
    ledger.figure("Budgets raised", sum(actor.raised for actor in actors))


def _judgments(ledger, runs):
    from judges.models import Judgment, Run

    states = dict(Run.objects.values_list("pk", "state"))
    ledger.check("Runs that the server confirmed are there", runs.keys() - states.keys(), len(runs))
    rows = Judgment.objects.filter(run__in=runs)
    counts = Counter(rows.values_list("run", flat=True))
    wrong = [f"run {run}: {counts[run]} of {total}" for run, total in runs.items()]
    wrong = [words for words in wrong if len(set(words.split(": ")[1].split(" of "))) > 1]
    ledger.check("Each has the judgments that were planned", wrong, f"{rows.count():,} judgments")
    keys = Counter(rows.values_list("run", "item", "question", "sample", "order", "relation"))
    ledger.check("No judgment is double", (key for key, n in keys.items() if n > 1))
    finished = rows.filter(run__state="finished")
    # The endpoint replies with the highest point of the scale to every call.
    failed = finished.filter(state="failed").exclude(reason="")
    bad = finished.exclude(state="done", value=5, call__isnull=False).exclude(pk__in=failed)
    words = f"{finished.count():,} judgments in {sum(states[r] == 'finished' for r in runs):,} runs"
    ledger.check(
        "In finished runs each has its value and its call", bad.values_list("pk", "state"), words
    )
    ledger.figure("Judgments without a value, with a reason", failed.count())


def _calls(ledger, books):
    from judges.models import Call

    stored = list(Call.objects.exclude(fingerprint="").values_list("fingerprint", "model"))
    numbers = Counter(int(name.removeprefix("reply-")) for name, _ in stored)
    words = f"{len(books.sent):,} sent, {len(stored):,} stored"
    unknown = [n for n in numbers if n not in books.sent]
    ledger.check("Each stored reply is one that the endpoint sent", unknown, words)
    ledger.check("No reply is stored twice", (n for n, count in numbers.items() if count > 1))
    ledger.figure("Replies that no worker could store", f"{len(books.sent) - len(numbers):,}")
    ledger.figure("Calls that the endpoint refused", f"{books.refused:,}")


def _money(ledger, books):
    from judges.models import Call, Run

    costs = Call.objects.exclude(fingerprint="").values_list("fingerprint", "cost_usd")
    wrong = [name for name, cost in costs if cost != PRICE]
    ledger.check("Each stored reply has the endpoint's price", wrong)
    capped = Run.objects.filter(judge__key="capped")
    over = [run for run in capped if run.spent_usd + run.reserved_usd > run.budget_usd]
    ledger.check("No run has spent more than its budget", over, f"{len(capped):,} runs")
    budgets = sum((run.budget_usd for run in capped), Decimal(0))
    bill = PRICE * books.count("capped")
    passed = [f"{bill} USD billed"] if bill > budgets else []
    words = f"{bill:.2f} of {budgets:.2f} USD, booked {sum(n.spent_usd for n in capped):.2f}"
    ledger.check("The endpoint's bill stays within the budgets", passed, words)
    runs = Run.objects.filter(judge__key__in=("free", "capped"))
    calls = {run.pk: sum(c.cost_usd or 0 for c in run.calls.all()) for run in runs}
    low = [
        f"run {n.pk}: {n.spent_usd} for {calls[n.pk]}" for n in runs if n.spent_usd < calls[n.pk]
    ]
    ledger.check("Each run has booked at least what its stored calls cost", low)
