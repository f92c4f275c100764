"""The lists of recommenders under test: the one reader of them, in two queries."""

from dataclasses import dataclass
from functools import cached_property
from math import inf

from django.db.models import Count, Max, OuterRef, Q, Subquery, Sum

from annotate.design.splits import ALL, split_of
from judges.models import Judgment, RecommendedList, Run
from judges.perturbations.relations import NO_CHANGE, RELATIONS
from judges.values.titles import identity

RELATIONS_PLAN = str(RecommendedList.Plan.RELATIONS)
K_SWEEP, L_SWEEP = str(RecommendedList.Plan.K_SWEEP), str(RecommendedList.Plan.L_SWEEP)
COUNTED = ("repeated", "unmatched", "extra", "known")
COLUMNS = (
    "run__judge__key",
    "plan",
    "k",
    "l",
    "relation",
    "cell",
    "recipient__key",
    "iteration",
    "entries",
    "is_parsed",
    "state",
    "reason",
    *COUNTED,
)


@dataclass(frozen=True)
class Listed:
    """One list that was asked for. entries: of each what was said, and its id in the catalogue,
    None where nothing matches; state: of its judgment, "done" where there is a list; reason: why
    there is none.
    """

    evaluator: str
    plan: str
    k: int
    l: int  # noqa: E741 - the literature's name for it; 0: all above a threshold
    relation: str
    cell: str
    recipient: str
    iteration: int
    entries: list
    is_parsed: bool = True
    state: str = str(Judgment.State.DONE)
    reason: str = ""
    repeated: int = 0
    unmatched: int = 0
    extra: int = 0
    known: int = 0

    @property
    def is_baseline(self):
        return self.relation == NO_CHANGE and self.iteration == 0

    @property
    def place(self):
        """Where its cell stands among others: as the relations do."""
        return [*RELATIONS].index(self.relation) if self.relation in RELATIONS else inf, self.cell

    def identities(self, matched_only):
        """What is compared: contents' ids, else what was said, or contents alone."""
        entries = self.entries
        if matched_only:
            entries = [entry for entry in entries if entry["content"] is not None]
        return [identity(entry) for entry in entries]

    @property
    def said(self):
        """Its entries as the reply named them."""
        return [entry["said"] for entry in self.entries]


class Lists:
    """A study's lists, of each recommender and plan those of one run: see `runs`.

    Its text changes with them: also when replies are read again.
    """

    def __init__(self, study, are_there=True):
        self.study, self.are_there = study, are_there

    @classmethod
    def known_by(cls, reader):
        """Of a reader, which knows whether there are lists."""
        return cls(reader.study, reader.judges.recommends)

    def __str__(self):
        return f"lists {self._runs}"

    @cached_property
    def _runs(self):
        """[(run, plan, …)] with what changes whenever a list does."""
        if not self.are_there:
            return []
        rows = RecommendedList.objects.filter(run__judge__study=self.study).order_by()
        totals = {name: Sum(name) for name in COUNTED}
        found = rows.values_list("run", "plan", "run__judge", "run__state").annotate(
            n=Count("pk"),
            parsed=Count("pk", filter=Q(is_parsed=True)),
            **totals,
            read=Max("read_at"),
        )
        return sorted(found, key=repr)

    @property
    def runs(self):
        """{(judge, plan): its newest finished run with a list, else its newest with one, else its
        newest}.
        """
        newest = {}
        for run, plan, judge, state, _, parsed, *_ in self._runs:
            rank = (parsed > 0, parsed > 0 and state == Run.State.FINISHED, run)
            newest[judge, plan] = max(rank, newest.get((judge, plan), rank))
        return {about: run for about, (*_, run) in newest.items()}

    def of(self, part=ALL):
        """Those of a part of the recipients, by recommender, plan, size, relation and iteration."""
        split = split_of(self.study)
        if part == ALL or split is None:
            return self._every
        return [each for each in self._every if split.side(each.recipient) == part]

    @cached_property
    def _every(self):
        if not self._runs:
            return []
        chosen = Q()
        for (_, plan), run in self.runs.items():
            chosen |= Q(run=run, plan=plan)
        judgment = Judgment.objects.filter(run=OuterRef("run"), unit=OuterRef("unit"))
        rows = (
            RecommendedList.objects.filter(chosen)
            .order_by("pk")
            .annotate(
                state=Subquery(judgment.values("state")[:1]),
                reason=Subquery(judgment.values("reason")[:1]),
            )
            .values_list(*COLUMNS)
        )
        return in_order(Listed(*row) for row in rows.iterator(chunk_size=5000))


def in_order(lists):
    """Recommenders as their first lists come; then plans, sizes, relations, people, iterations."""
    lists = list(lists)
    judges = [*dict.fromkeys(each.evaluator for each in lists)]
    plans = [RELATIONS_PLAN, K_SWEEP, L_SWEEP]

    def place(each):
        size = each.k, each.l or inf
        known = plans.index(each.plan) if each.plan in plans else len(plans)
        about = judges.index(each.evaluator), known, size, each.place
        return *about, each.recipient, each.iteration

    return sorted(lists, key=place)
