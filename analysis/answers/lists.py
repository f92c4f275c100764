"""Read the lists of recommenders under test for reports, in two queries."""

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
    """One list that was asked for.

    entries: of each what was said, and its id in the catalogue, None where nothing matches; state:
    of its judgment, "done" where there is a list; reason: why there is none.
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
        """Return whether this is the first list to the unchanged prompt."""
        return self.relation == NO_CHANGE and self.iteration == 0

    @property
    def place(self):
        """Return a sort key that orders cells as the relations are ordered."""
        return [*RELATIONS].index(self.relation) if self.relation in RELATIONS else inf, self.cell

    def identities(self, matched_only):
        """Return what is compared: ids of contents, or the titles said unless matched_only."""
        entries = self.entries
        if matched_only:
            entries = [entry for entry in entries if entry["content"] is not None]
        return [identity(entry) for entry in entries]

    @property
    def titles(self):
        """Return the entries as the reply named them."""
        return [entry["said"] for entry in self.entries]


class Lists:
    """A study's lists, for every recommender and plan those of one run: see `runs`.

    The text of a Lists changes with its lists: also when replies are read again.
    """

    def __init__(self, study, are_there=True):
        self.study, self.are_there = study, are_there

    @classmethod
    def known_by(cls, reader):
        """Return the Lists of a reader's study; the reader knows whether there are any."""
        return cls(reader.study, reader.judges.recommends)

    def __str__(self):
        return f"lists {self._runs}"

    @cached_property
    def _runs(self):
        """Return [(run, plan, …)] with counts that change whenever a list does."""
        if not self.are_there:
            return []
        rows = RecommendedList.objects.kept().order_by()
        rows = rows.filter(run__judge__study=self.study, run__judge__archived_at=None)
        totals = {name: Sum(name) for name in COUNTED}
        counted = rows.values_list("run", "plan", "run__judge", "run__state").annotate(
            n=Count("pk"),
            parsed=Count("pk", filter=Q(is_parsed=True)),
            **totals,
            read=Max("read_at"),
        )
        return sorted(counted, key=repr)

    @property
    def runs(self):
        """Return {(judge, plan): its newest finished run with a list}.

        Else its newest run with a list, else its newest run.
        """
        newest = {}
        for run, plan, judge, state, _, parsed, *_ in self._runs:
            rank = (parsed > 0, parsed > 0 and state == Run.State.FINISHED, run)
            newest[judge, plan] = max(rank, newest.get((judge, plan), rank))
        return {about: run for about, (*_, run) in newest.items()}

    def select_part(self, part=ALL):
        """Return the lists of a part's recipients, in the order of `in_order`."""
        split = split_of(self.study)
        if part == ALL or split is None:
            return self._every
        return [listed for listed in self._every if split.side(listed.recipient) == part]

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
    """Sort lists by recommender, in order of first appearance, then by what was asked.

    Within a recommender: plans, sizes, relations, people, iterations.
    """
    lists = list(lists)
    judges = [*dict.fromkeys(listed.evaluator for listed in lists)]
    plans = [RELATIONS_PLAN, K_SWEEP, L_SWEEP]

    def place(listed):
        size = listed.k, listed.l or inf
        plan_index = plans.index(listed.plan) if listed.plan in plans else len(plans)
        about = judges.index(listed.evaluator), plan_index, size, listed.place
        return *about, listed.recipient, listed.iteration

    return sorted(lists, key=place)
