"""Describe the rows and filters of statements in the HTTP API."""

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotate.api.fields import Filters, key_filter
from annotate.api.rows import Rows
from judges.models import Sentiment, Side

MODEL, PERSON = ORIGINS = "model", "person"
ALL, COUNTING = "all", "counting"


@extend_schema_field({"type": "string", "enum": list(ORIGINS)})
class Origin(serializers.Field):
    """The origin of a statement: a person added each statement that has no run."""

    columns = ("run_id",)

    def __init__(self, **options):
        super().__init__(source="*", read_only=True, **options)

    def to_representation(self, row):
        return PERSON if row["run_id"] is None else MODEL


class OriginFilter(serializers.ChoiceField):
    """Filter by origin."""

    def to_internal_value(self, data):
        return super().to_internal_value(data) == PERSON


class StatementRow(Rows):
    """One thing that a text says: as it counts, and as it was extracted or added."""

    id = serializers.IntegerField()
    item = serializers.CharField(source="item__key")
    side = serializers.ChoiceField(Side, help_text="The item's text, or its reference.")
    number = serializers.IntegerField(help_text="Within the side; added ones begin at 10,001.")
    statement = serializers.CharField(source="now_statement", help_text="As it counts.")
    topic = serializers.CharField(source="now_topic")
    sentiment = serializers.ChoiceField(Sentiment, source="now_sentiment")
    original_statement = serializers.CharField(
        source="statement", help_text="As it was extracted or added; a correction never changes it."
    )
    original_topic = serializers.CharField(source="topic")
    original_sentiment = serializers.ChoiceField(Sentiment, source="sentiment")
    start = serializers.IntegerField(
        allow_null=True, help_text="Where it stands in the side's text, in characters; null: not."
    )
    end = serializers.IntegerField(allow_null=True, help_text="The character after it.")
    origin = Origin(help_text="model: extracted or loaded with a run; person: added.")
    run = serializers.IntegerField(source="run_id", allow_null=True)
    judge = serializers.CharField(source="run__judge__key", allow_null=True)
    removed = serializers.BooleanField(source="is_removed", help_text="It does not count.")
    changed_at = serializers.DateTimeField(source="corrected_at", allow_null=True)


class StatementFilters(Filters):
    item = key_filter("Of this item.", source="item__key")
    side = serializers.ChoiceField(Side, required=False)
    run = serializers.IntegerField(
        required=False, min_value=1, max_value=2**63 - 1, source="run_id", help_text="Of this run."
    )
    topic = key_filter("About this topic, as it counts.", source="now_topic")
    sentiment = serializers.ChoiceField(Sentiment, required=False, source="now_sentiment")
    origin = OriginFilter(ORIGINS, required=False, source="run_id__isnull")
    which = serializers.ChoiceField(
        [ALL, COUNTING],
        required=False,
        help_text="counting: of each side those of the newest run that has it whole, and those "
        "that people added, without what was removed.",
    )


STATED = {"statement": "the fabric is soft", "topic": "material", "sentiment": "positive"}
STATEMENT = {
    "id": 44,
    "item": "e1",
    "side": "reference",
    "number": 2,
    **STATED,
    **{f"original_{name}": words for name, words in STATED.items()},
    "original_topic": "fit",
    "start": 17,
    "end": 35,
    "origin": "model",
    "run": 9,
    "judge": "extractor",
    "removed": False,
    "changed_at": "2026-03-04T09:12:00Z",
}
