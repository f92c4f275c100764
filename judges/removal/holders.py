"""Say what rests on a judge, so that it cannot be deleted, and what would go with it."""

from django.db.models import Q, Sum

from annotate.models import Item
from annotate.values.texts import count_of
from judges.models import Call, Judge, Judgment, Run, Statement, StoppingPair, Writing
from judges.removal.archive import RUNNING
from judges.runs.naming import words_of
from judges.statements.items import EXPLANATION

MOST_NAMED = 5


def what_goes(judge):
    """Return {runs, judgments, calls, usd} of a judge: what its deletion takes away."""
    runs = Run.objects.filter(judge=judge)
    return {
        "runs": runs.count(),
        "judgments": Judgment.objects.filter(run__judge=judge).count(),
        "calls": Call.objects.filter(run__judge=judge).count(),
        "usd": float(runs.aggregate(usd=Sum("spent_usd"))["usd"] or 0),
    }


def what_holds(judge):
    """List in sentences what rests on the judge; an empty list lets it be deleted."""
    holders = (_moving, _promises, _ensembles, _replies, _profiles, _statements)
    return [sentence for holder in holders for sentence in holder(judge)]


def _moving(judge):
    runs = Run.objects.filter(judge=judge)
    if runs.filter(state=Run.State.ACTIVE).exists():
        yield RUNNING.format(judge)
    elif Judgment.objects.filter(run__in=runs, state=Judgment.State.LEASED).exists():
        yield f"Calls of {judge} are still under way. Wait until they have come back."


def _promises(judge):
    if judge.named_at:
        yield f"It was named for the verdict on {words_of(judge.named_at)}."
    if StoppingPair.objects.filter(judge=judge).exists():
        yield "The study’s stopping plan decides on it."


def _ensembles(judge):
    """Yield the ensembles of which it is a member, also those whose deletion can be undone."""
    ensembles = Judge.with_deleted.filter(members=judge, gone_pairs__isnull=True)
    if names := list(ensembles.values_list("key", flat=True)):
        yield f"It is a member of {_listed(names)}."


def _replies(judge):
    """Yield the judges that took over replies of this one instead of asking again."""
    if names := replies_taken_by(judge):
        yield f"Its replies were taken over by {_listed(names)}, whose evidence they are."


def replies_taken_by(judge):
    """List the names of other judges whose calls refer to calls of this one."""
    calls = Call.objects.filter(reused_from__run__judge=judge).exclude(run__judge=judge)
    return list(
        calls.order_by("run__judge__key").values_list("run__judge__key", flat=True).distinct()
    )


def _profiles(judge):
    written = Writing.objects.filter(run__judge=judge, item__isnull=False).count()
    if written:
        yield f"{count_of(written, 'profile')} that it wrote {_are(written)} among the items."


def _statements(judge):
    own = Statement.objects.filter(run__judge=judge)
    if not own.exists():
        return
    edited = own.filter(Q(corrected_at__isnull=False) | Q(is_removed=True)).count()
    if edited:
        yield f"People corrected or removed {count_of(edited, 'statement')} that it extracted."
    explained = set(own.order_by().values_list("item__key", flat=True).distinct())
    items = Item.objects.filter(study=judge.study_id, kind=Item.Kind.STATEMENT)
    named = items.values_list("data", flat=True).iterator(2000)
    if made := sum(data.get(EXPLANATION) in explained for data in named):
        yield f"{count_of(made, 'item')} {_are(made)} made from statements that it extracted."


def _listed(names):
    shown = ", ".join(names[:MOST_NAMED])
    return shown if len(names) <= MOST_NAMED else f"{shown} and {len(names) - MOST_NAMED} more"


def _are(count):
    return "is" if count == 1 else "are"
