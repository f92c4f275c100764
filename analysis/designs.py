"""How judges were asked, as far as the analysis has to heed it."""

from judges.models import HeldOut, Judge


def samples_of(study):
    """{judge: how often each question is asked} of those that ask more than once."""
    judges = Judge.objects.filter(study=study, samples__gt=1).order_by("pk")
    return dict(judges.values_list("key", "samples"))


def held_out_of(study):
    """{judge: ids of the items that its examples are drawn from}, of all its runs."""
    found: dict[str, set] = {}
    rows = HeldOut.objects.filter(run__judge__study=study).order_by("run", "item")
    for judge, item in rows.values_list("run__judge__key", "item"):
        found.setdefault(judge, set()).add(item)
    return {judge: sorted(items) for judge, items in found.items()}
