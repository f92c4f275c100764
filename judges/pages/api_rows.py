"""Describe the rows and bodies of judges, runs and judgments in the HTTP API."""

from decimal import ROUND_UP, Decimal

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotate.api.fields import Answer, Filters, Flag, Number, Strict, Text, Whole, key_filter
from annotate.api.rows import Rows, extra_columns
from judges import methods
from judges.files.study_file import judge_data
from judges.models import Judge, Judgment, Run
from judges.runs import pilots
from judges.scorers import SCORERS
from judges.values.settings import schema_of

SMALLEST, MOST_USD = 0.000001, 999_999
COUNTS = ("total", "settled", "pending", "leased", "done", "unparsable", "refused", "failed")


def settings_schemas():
    """Return {setting: its JSON schema} of all kinds and methods of judges."""
    declared = [scorer.settings for scorer in SCORERS.values()]
    declared += [methods.named(name).settings for name in Judge.Method.values]
    return {name: schema_of(cls, name) for cls in declared for name in cls.names()}


class JudgeRow(serializers.Serializer):
    """Anything automatic that scores items."""

    id = serializers.IntegerField()
    judge = serializers.CharField(source="key", help_text="Its name.")
    kind = serializers.ChoiceField(Judge.Kind)
    frozen = serializers.BooleanField(source="is_frozen", help_text="It was run once.")
    can_run = serializers.BooleanField(source="runs_here", help_text="Its scores come from runs.")
    archived = serializers.BooleanField(
        source="is_archived", help_text="It stands in no list and on no page of results."
    )
    settings = serializers.SerializerMethodField(help_text="As in study.yaml.")

    @extend_schema_field(
        {"type": "object", "properties": settings_schemas(), "additionalProperties": {}}
    )
    def get_settings(self, judge):
        return judge_data(judge)


class ProgressRow(serializers.Serializer):
    """Judgments of a run by their state."""

    def get_fields(self):
        """Return a number for each state, and for all."""
        names = (*COUNTS, "not_asked")
        return {name: serializers.IntegerField() for name in names}


class RunRow(serializers.Serializer):
    """One judge over a set of items."""

    id = serializers.IntegerField()
    judge = serializers.CharField(source="judge.key")
    state = serializers.ChoiceField(Run.State)
    budget_usd = serializers.FloatField(allow_null=True)
    spent_usd = serializers.FloatField()
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)
    progress = ProgressRow()


class OneRunRow(RunRow):
    """A run with its rate over the last minute."""

    per_minute = serializers.FloatField(source="progress.per_minute", allow_null=True)
    seconds_left = serializers.FloatField(source="progress.seconds_left", allow_null=True)
    settings = serializers.JSONField(source="frozen", help_text="The judge's, as they were.")
    reuse = serializers.BooleanField(help_text="Takes over replies to identical past calls.")
    forecast = serializers.SerializerMethodField(
        help_text="Of a run that waits for a confirmation: what it will take in all, by its pilot."
    )

    @extend_schema_field({"type": "object", "nullable": True, "additionalProperties": {}})
    def get_forecast(self, run):
        return pilots.as_data(pilots.forecast(run)) if run.state == Run.State.WAITING else None


class StartedRow(OneRunRow):
    """A run that was started or goes on, and which of the two, in words."""

    message = serializers.CharField()


class RunStart(Strict):
    """Which judge, how much, and what it may cost."""

    judge = Text(max_length=200, help_text="Its name.")
    limit = Whole(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=10_000_000,
        help_text="The first so many items only; null: all.",
    )
    budget_usd = Number(
        required=False,
        allow_null=True,
        min_value=SMALLEST,
        max_value=MOST_USD,
        help_text="The run stops before it would spend more; null: no cap.",
    )

    reuse = Flag(
        required=False,
        default=True,
        help_text="Take over replies to identical calls of the study's past runs, at no cost.",
    )
    confirmed = Flag(
        required=False,
        default=False,
        help_text="Do not wait for a confirmation after the first calls; or: the confirmation.",
    )

    def validate_budget_usd(self, budget):
        """Return dollars as the database keeps them."""
        if budget is None:
            return None
        return Decimal(str(budget)).quantize(Decimal(str(SMALLEST)), rounding=ROUND_UP)


class RunFilters(Filters):
    judge = key_filter("Of this judge.", source="judge__key")
    state = serializers.ChoiceField(Run.State, required=False)


class JudgedValue(Answer):
    """The value of a judgment; of a choice its label, but a metric has a scale of its own."""

    columns = ("value", "question__key", "run__judge__key")

    def __init__(self, **options):
        super().__init__(source="*", read_only=True, **options)

    def to_representation(self, row):
        value, question, judge = (row[name] for name in self.columns)
        return self.context["view"].written(question, value, judge)


class JudgmentRow(Rows):
    """One judge's answer to one question on one item, each sample for itself."""

    id = serializers.IntegerField()
    run = serializers.IntegerField(source="run_id")
    judge = serializers.CharField(source="run__judge__key")
    item = serializers.CharField(source="item__key")
    question = serializers.CharField(source="question__key")
    sample = serializers.IntegerField()
    order = serializers.CharField()
    state = serializers.ChoiceField(Judgment.State)
    value = JudgedValue(
        help_text="On the question's scale, of a choice its label; null: missing, see reason."
    )
    reason = serializers.CharField(help_text="Why there is no value.")
    rationale = serializers.CharField()
    cost_usd = serializers.FloatField(allow_null=True)
    settled_at = serializers.DateTimeField(allow_null=True)
    extra = extra_columns()


class JudgmentFilters(Filters):
    judge = key_filter("By this judge.", source="run__judge__key")
    item = key_filter("Of this item.", source="item__key")
    question = key_filter("On this question.", source="question__key")
    run = serializers.IntegerField(
        required=False, min_value=1, max_value=2**63 - 1, source="run_id", help_text="Of this run."
    )
    state = serializers.ChoiceField(Judgment.State, required=False)


JUDGE = {
    "id": 4,
    "judge": "gpt-small",
    "kind": "llm",
    "frozen": True,
    "can_run": True,
    "archived": False,
    "settings": {"judge": "gpt-small", "kind": "llm", "endpoint": "openai", "temperature": 0.0},
}
RUN = {
    "id": 9,
    "judge": "gpt-small",
    "state": "active",
    "budget_usd": 2.5,
    "spent_usd": 0.31,
    "created_at": "2026-03-04T08:00:00Z",
    "started_at": "2026-03-04T08:00:02Z",
    "ended_at": None,
    "progress": dict.fromkeys([*COUNTS, "not_asked"], 0)
    | {"total": 640, "settled": 80, "pending": 560, "done": 80},
}
ONE_RUN = RUN | {"per_minute": 96.0, "seconds_left": 350.0, "settings": {"kind": "llm"}}
ONE_RUN |= {"reuse": True, "forecast": None}
JUDGMENT = {
    "id": 5012,
    "run": 9,
    "judge": "gpt-small",
    "item": "e1",
    "question": "convincing",
    "sample": 0,
    "order": "",
    "state": "done",
    "value": 4.0,
    "reason": "",
    "rationale": "It names a film that she liked.",
    "cost_usd": 0.0004,
    "settled_at": "2026-03-04T08:00:09Z",
    "extra": {},
}
