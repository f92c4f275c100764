"""Parse stored replies again by today's parser, without a call, and write what differs."""

from dataclasses import dataclass
from itertools import groupby

from django.db import transaction
from django.utils import timezone

from annotate.design.versions import questions_of
from judges import methods
from judges.methods.base import ASKED
from judges.models import Judgment, Run
from judges.perturbations import perturb
from judges.replies.logprobs import Weighted, weighted
from judges.replies.parse import Reason
from judges.replies.quotes import Rated
from judges.runs import lease
from judges.runs.plan import PlanError

BATCH = 500
READ = [
    "state",
    "value",
    "reason",
    "rationale",
    "weighted_value",
    "weighted_mass",
    "weighted_reason",
]
NEEDED = [
    "unit",
    "order",
    "relation",
    *READ,
    "call__reply",
    "call__messages",
    "call__parameters",
    "call__failure",
    "call__finish_reason",
    "call__logprobs",
    "question__key",
]
RANKS = (
    " {} were left as they are: their questions have labels with numbers, and their calls "
    "asked for a label's rank, as older versions did, or do not show what they asked for."
)


@dataclass
class Reread:
    """Counts of judgments that were parsed again, of what changed in them, and of those left out.

    ranks: their calls show no label to choose from, so that a number is the rank of one.
    """

    read: int = 0
    gained: int = 0
    lost: int = 0
    other: int = 0
    reworded: int = 0
    ranks: int = 0

    @property
    def changed(self):
        """Count the judgments that changed in any way."""
        return self.gained + self.lost + self.other + self.reworded

    def __str__(self):
        sentence = f"{self.read:,} judgments were read again from their stored replies: "
        left = RANKS.format(f"{self.ranks:,}") if self.ranks else ""
        if not self.changed:
            return f"{sentence}nothing changed.{left}"
        parts = {
            "have a value now": self.gained,
            "have none any more": self.lost,
            "have another value": self.other,
            "have another reason or rationale": self.reworded,
        }
        counts = ", ".join(f"{count:,} {what}" for what, count in parts.items() if count)
        return f"{sentence}{self.changed:,} changed ({counts}).{left}"


def reread(run):
    """Parse every stored reply of an inactive run again; return a Reread. Calls stay as they are.

    What changes gets the time of this reading, so that no report shows the old value.
    """
    if run.is_from_file:
        raise PlanError(f"Run {run.pk} was loaded from a file, so there is no reply to read.")
    with transaction.atomic():
        if lease.hold(run).state == Run.State.ACTIVE:
            raise PlanError(
                f"Run {run.pk} is active, so its replies are not read again yet. "
                "Let it finish or cancel it first."
            )
        tally, changed, method = Reread(), [], methods.of_frozen(run.frozen)
        rows = run.judgments.select_related("call", "question").only(*NEEDED)
        if not method.rereads_values:
            rows = rows.filter(state=Judgment.State.UNPARSABLE)
        rows = rows.order_by("unit", "id").iterator(chunk_size=BATCH)
        every = questions_of(run.judge.study_id, run.version)
        asked = {question.key: question for question in (ASKED, *every)}
        own = method.asked_by_unit(run)
        for number, unit in groupby(rows, key=lambda judgment: judgment.unit):
            of_unit = {ASKED.key: own[number]} if number in own else asked
            changed += _differing(run, list(unit), of_unit, tally)
        Judgment.objects.bulk_update(changed, [*READ, "settled_at"], batch_size=BATCH)
        method.keep_reread(run, [judgment.unit for judgment in changed])
    return tally


def _differing(run, unit, asked, tally):
    """Parse one unit's judgments again, count them, and yield those that changed."""
    # A call asked all questions of its unit, also those that another call answered since.
    keys = [_key(judgment) for judgment in unit]
    questions = [asked[key] for key in keys if key in asked]
    for judgment in unit:
        # An empty reply says nothing anew, nor does one that was removed with its example.
        if judgment.call is None or judgment.call.failure or not judgment.call.reply:
            continue
        if _may_be_rank(judgment.call, asked.get(_key(judgment))):
            tally.ranks += 1
            continue
        before = [getattr(judgment, name) for name in READ]
        _read(run, judgment, questions)
        tally.read += 1
        if before != [getattr(judgment, name) for name in READ]:
            judgment.settled_at = timezone.now()
            _count(tally, before[READ.index("value")], judgment.value)
            yield judgment


def _may_be_rank(call, question):
    """Whether a number in the reply may mean a rank: older versions asked for those of labels."""
    scale = getattr(question, "scale", None)  # a text that is written has none
    if scale is None or not scale.has_number_labels or scale.is_about_sides:
        return False
    form = (call.parameters.get("response_format") or {}).get("json_schema") or {}
    properties = form.get("schema", {}).get("properties", {})
    if question.key in properties:
        return properties[question.key] != scale.schema()
    rule = scale.rule(str)
    return not any(rule in str(message.get("content")) for message in call.messages)


def _key(judgment):
    return judgment.question.key if judgment.question else ASKED.key


def _read(run, judgment, questions):
    call, key = judgment.call, _key(judgment)
    unit = lease.Unit(
        judgment.unit, None, questions, order=judgment.order, relation=judgment.relation
    )
    method = methods.of_frozen(run.frozen)
    verdict = perturb.parse_reply(
        run.frozen, unit, method, call.reply, call.finish_reason, call.messages
    )
    judgment.value = verdict.values.get(key)
    reason = verdict.reasons.get(key, "")
    judgment.reason = str(reason)
    judgment.rationale = verdict.rationale
    done = judgment.value is not None
    judgment.state = Judgment.State.DONE if done else Judgment.State.UNPARSABLE
    if reason in (Reason.FILTERED, Reason.REFUSED):
        judgment.state = Judgment.State.REFUSED
    mean = Weighted()
    if done and run.frozen.get("weighted"):
        scales = {question.key: question.scale for question in questions}
        mean = weighted(call.reply, call.logprobs, scales, Rated(call.messages))[key]
    judgment.weighted_value, judgment.weighted_mass = mean.value, mean.mass
    judgment.weighted_reason = str(mean.reason)


def _count(tally, before, after):
    if before == after:
        tally.reworded += 1
    elif before is None:
        tally.gained += 1
    elif after is None:
        tally.lost += 1
    else:
        tally.other += 1
