"""How judges were asked, as far as the analysis has to heed it."""

from judges.models import HeldOut, Run


def designs_of(study):
    """[(run id, judge, samples of each answer, whether examples are held out)] of all runs."""
    runs = Run.objects.filter(judge__study=study).order_by("pk")
    return list(runs.values_list("pk", "judge__key", "judge__samples", "judge__strict"))


def held_out_of(runs):
    """{judge: ids of the items that its examples are drawn from}, of these runs together."""
    found: dict[str, set] = {}
    rows = HeldOut.objects.filter(run__in=runs).order_by("run", "item")
    for judge, item in rows.values_list("run__judge__key", "item"):
        found.setdefault(judge, set()).add(item)
    return {judge: sorted(items) for judge, items in found.items()}
