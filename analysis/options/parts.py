"""State in a report which part of a test split it covers."""

from collections import Counter

from django.db.models import Count

from annotate.design.splits import CHOOSE, TEST, Split, sides_of_items, split_of, units_of
from annotate.models import Rating
from judges.models import Judgment

ELSEWHERE = (
    "What is chosen on data (thresholds, ensembles, weights, calibration) is chosen on the rest."
)
RULE = "whole recipients, else contents, else items, by a hash of seed and id"


def part_notes(study, options):
    """Return the notes on the split that every number depends on; none without a test split."""
    split = split_of(study)
    if split is None:
        return []
    how = f"{100 * split.share:g} % of the recipients ({RULE}), seed {split.seed}"
    if options.part == CHOOSE:
        state = "locked since" if split.is_locked else "unlocked on"
        return [
            f"Choose part: without the test part, {how}, which was {state} {split.since.words}."
        ]
    is_test = options.part == TEST
    what = "Test part" if is_test else "Both parts of the test split; its test part is"
    also = [ELSEWHERE] if is_test else []
    return [f"{what}: {how}.", *also, *history(split)]


def history(split):
    """Yield how often and why the test part was opened, and what existed when it was locked."""
    for event in split.log:
        reason = f": “{event.reason}”" if event.reason else ""
        rule = f" (seed {event.seed}, share {event.share:g})"
        yield f"The test part was {event.did} on {event.words}{rule}{reason}."
    if seen := split.seen:
        yield (
            f"When it was locked on {seen.words}, {seen.ratings:,} ratings and {seen.judgments:,} "
            "judgments of its items existed: somebody may have seen them."
        )


def sizes(study):
    """Return (part, number of its units, number of its items) of both parts."""
    split = split_of(study)
    items = Counter(side for _, side in sides_of_items(study).values())
    units = Counter(map(split.side, units_of(study)))
    return [(part, units[part], items[part]) for part in (CHOOSE, TEST)]


def answers_of_test(study, seed, share):
    """Count the answers to the items that a split would set aside: {ratings: n, judgments: n}."""
    sides = sides_of_items(study, Split(seed, share, ()))
    ratings = Rating.objects.filter(session__study=study)
    judgments = Judgment.objects.judging().filter(
        run__judge__study=study, state=Judgment.State.DONE
    )
    return {
        name: sum(n for item, n in _by_item(rows) if sides.get(item, ("", ""))[1] == TEST)
        for name, rows in (("ratings", ratings), ("judgments", judgments))
    }


def _by_item(rows):
    return rows.order_by().values_list("item").annotate(n=Count("pk"))
