"""Read what each judge spent on each item, in two queries; no other report reads calls."""

from dataclasses import dataclass

import pandas as pd
from django.db.models import Count, FloatField, Q, Sum
from django.db.models.functions import Cast

from judges.models import Call, Judge, Judgment

MEASURES = ["cost", "calls", "tokens_in", "tokens_out", "seconds"]


@dataclass(frozen=True)
class Spent:
    """Spending of one judge, all samples together.

    items: a frame by item with MEASURES (NaN: unknown). unknown: why its cost is not known; blank
    where it is. here: it computes without any call. reused: how many replies were taken over from
    past runs, which cost nothing and are no calls.
    """

    items: pd.DataFrame
    unknown: str = ""
    here: bool = False
    reused: int = 0


# Of a judge that was never asked: every judgment was settled without it.
NOTHING = Spent(pd.DataFrame(columns=MEASURES, dtype=float), "it was never asked")


def spending(study, version=None):
    """Return {judge: Spent} of judges with settled judgments; failed and repeated calls count too.

    Checks for drift do not: they are about the judge, and would make a few items dearer.
    version: of the questionnaire; None for all.
    """
    answers = _judgments(study, version)
    merged = answers.merge(_calls(study), on=["run", "unit"], how="left")
    return {judge: _of_judge(rows) for judge, rows in merged.groupby("judge", sort=False)}


def _judgments(study, version):
    """Return a row per unit asked: judge, kind, run, unit, item, and the cost its rows state."""
    asked = Judgment.objects.speaking(version).settled()
    asked = asked.exclude(state=Judgment.State.NOT_ASKED)
    asked = asked if version is None else asked.filter(run__version=version)
    rows = (
        asked.filter(run__judge__study=study)
        .order_by()
        .values_list("run__judge__key", "run__judge__kind", "run_id", "unit", "item__key")
        .annotate(rows=Count("pk"), priced=Count("cost_usd"), own=_sum("cost_usd"))
    )
    names = ["judge", "kind", "run", "unit", "item", "rows", "priced", "own"]
    return pd.DataFrame(list(rows), columns=names)


def _calls(study):
    """Return a row per unit with calls: how many, their cost, tokens and seconds."""
    rows = (
        Call.objects.filter(run__judge__study=study)
        .order_by()
        .values_list("run_id", "unit")
        .annotate(
            calls=Count("pk", filter=Q(reused_from=None)),
            reused=Count("reused_from"),
            unpriced=Count("pk", filter=Q(failure="", cost_usd=None)),
            cost=_sum("cost_usd"),
            tokens_in=Sum("tokens_in"),
            tokens_out=Sum("tokens_out"),
            seconds=Sum("latency_seconds"),
        )
    )
    names = ["run", "unit", "calls", "reused", "unpriced", "cost"]
    names += ["tokens_in", "tokens_out", "seconds"]
    frame = pd.DataFrame(list(rows), columns=names)
    return frame.astype({name: float for name in names[2:]})


def _sum(name):
    return Sum(Cast(name, FloatField()))


def _of_judge(rows):
    sums = rows[["item", *MEASURES]].groupby("item", sort=False).sum(min_count=1)
    if rows["calls"].notna().any():
        return _of_calls(rows, sums)
    sums["calls"] = 0.0
    kind = rows["kind"].iloc[0]
    if kind not in (Judge.Kind.LLM, Judge.Kind.IMPORTED):
        sums["cost"] = 0.0
        return Spent(sums, here=True)
    sums["calls"] = float("nan")
    total, priced = int(rows["rows"].sum()), int(rows["priced"].sum())
    if priced == total:
        sums["cost"] = rows.groupby("item", sort=False)["own"].sum()
        return Spent(sums)
    what = "imported without cost_usd" if kind == Judge.Kind.IMPORTED else "no call was kept"
    return Spent(sums, what if not priced else f"{total - priced} of {total} rows have no cost_usd")


def _of_calls(rows, sums):
    """Return the Spent of a calling judge: unknown where an answered call has no price."""
    units = rows.drop_duplicates(["run", "unit"])
    unpriced, calls = int(units["unpriced"].sum()), int(units["calls"].sum())
    reused = int(units["reused"].sum())
    sums["cost"] = sums["cost"].fillna(0.0)  # only calls that failed, which nobody bills
    if not unpriced:
        return Spent(sums, reused=reused)
    sums["cost"] = float("nan")
    why = f"{unpriced:,} of {calls:,} calls have no price: its endpoint had none at the run"
    return Spent(sums, why, reused=reused)
