"""What strict judges learn from, which no comparison with them may use."""

from judges.models import HeldOut


def held_out_of(study):
    """{judge: ids of the items that its examples are drawn from}, of all its runs together."""
    found: dict[str, set] = {}
    rows = HeldOut.objects.filter(run__judge__study=study).order_by("run", "item")
    for judge, item in rows.values_list("run__judge__key", "item"):
        found.setdefault(judge, set()).add(item)
    return {judge: sorted(items) for judge, items in found.items()}
