"""Export robustness tests: every answer to a changed prompt, and to the unchanged prompt."""

from django.db.models import FloatField
from django.db.models.functions import Cast

from analysis.answers.perturbed import setting
from annotate.design.splits import withheld
from judges.files.written import WrittenByJudges
from judges.models import Judgment, Run

CHUNK = 5000
FIELDS = [
    "run",
    "run__judge__key",
    "item__key",
    "question__key",
    "relation",
    "sample",
    "order",
    "state",
    "value",
    "reason",
    "rationale",
    "call__model_returned",
    "call__fingerprint",
    "run__version",
    "call",
    "cost",
    "settled_at",
]


def robustness(study):
    """Yield one row per judgment of a test, settled or not; nothing of a locked test part."""
    hidden, values = withheld(study), WrittenByJudges(study)
    tests = Run.objects.robustness_tests().filter(judge__study=study).order_by("pk")
    settings = {
        run.pk: {key: setting(of) for key, of in run.frozen["robustness"]["relations"].items()}
        for run in tests.only("frozen")
    }
    answers = Judgment.objects.filter(run__in=list(settings)).order_by("run", "unit", "pk")
    answers = answers.annotate(cost=Cast("cost_usd", FloatField()))
    for pk, *row in answers.values_list("item", *FIELDS).iterator(CHUNK):
        if pk in hidden:
            continue
        run, judge, item, question, relation, sample, order, state, value, *rest = row
        reason, rationale, model, fingerprint, *end = rest
        asked = relation, settings[run].get(relation, ""), sample, order, state
        texts = reason, rationale, model or "", fingerprint or ""
        yield run, judge, item, question, *asked, values(question, value), *texts, *end
