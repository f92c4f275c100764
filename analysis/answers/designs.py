"""Find the items that strict judges learn from, which no comparison with them may use."""

from judges.models import HeldOut


def held_out_of(study):
    """Return {judge: ids of the items that its examples are drawn from}, over all its runs."""
    items_by_judge: dict[str, set] = {}
    rows = HeldOut.objects.filter(run__judge__study=study).order_by("run", "item")
    for judge, item in rows.values_list("run__judge__key", "item"):
        items_by_judge.setdefault(judge, set()).add(item)
    return {judge: sorted(items) for judge, items in items_by_judge.items()}
