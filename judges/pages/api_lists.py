"""Serve the lists of recommenders under test by the HTTP API, read only."""

from django.db.models import OuterRef, Subquery
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers

from annotate.api import examples, views
from annotate.api.fields import Filters, key_filter
from annotate.api.rows import Rows
from annotate.design.splits import WITHHELD, withheld_names
from judges.models import Judgment, RecommendedList

MOST_ID, MOST_ITERATION = 2**63 - 1, 2**15 - 1


class EntryRow(serializers.Serializer):
    """What stands in a list."""

    said = serializers.CharField(help_text="As the reply has it.")
    content = serializers.CharField(
        allow_null=True, help_text="Id of the content it was taken for; null: none is called so."
    )
    how = serializers.CharField(
        help_text="How it was found: exact, normalised or fuzzy; blank where it was not."
    )


class LeftOutRow(EntryRow):
    """What a reply names and no list has."""

    why = serializers.CharField(help_text="repeated: named before; extra: beyond k.")


class ListRow(Rows):
    """One list that a recommender was asked for, and what it replied."""

    id = serializers.IntegerField()
    run = serializers.IntegerField(source="run_id")
    judge = serializers.CharField(source="run__judge__key")
    recipient = serializers.CharField(source="recipient__key")
    plan = serializers.ChoiceField(RecommendedList.Plan)
    relation = serializers.CharField(help_text="How the prompt was changed.")
    options = serializers.JSONField(help_text="Of the relation: {name: value}.")
    iteration = serializers.IntegerField(help_text="0: the baseline list.")
    k = serializers.IntegerField(help_text="How many contents were asked for.")
    l = serializers.IntegerField(  # noqa: E741 - the literature's name for it
        help_text="How many rated contents were shown; 0: all above a rating."
    )
    state = serializers.ChoiceField(Judgment.State)
    reason = serializers.CharField(help_text="Why there is no list.")
    entries = EntryRow(many=True, help_text="In the list's order, the first first.")
    left_out = LeftOutRow(many=True)


class ListFilters(Filters):
    judge = key_filter("Of this recommender.", source="run__judge__key")
    recipient = key_filter("For this recipient.", source="recipient__key")
    run = serializers.IntegerField(
        required=False, min_value=1, max_value=MOST_ID, source="run_id", help_text="Of this run."
    )
    plan = serializers.ChoiceField(RecommendedList.Plan, required=False)
    relation = serializers.CharField(
        required=False,
        min_length=1,
        max_length=60,
        trim_whitespace=False,
        help_text="With the prompt changed so.",
    )
    iteration = serializers.IntegerField(required=False, min_value=0, max_value=MOST_ITERATION)
    state = serializers.ChoiceField(Judgment.State, required=False)


LIST = {
    "id": 88,
    "run": 12,
    "judge": "recommender gpt-small",
    "recipient": "anna",
    "plan": "relations",
    "relation": "multiply",
    "options": {"factor": 2},
    "iteration": 1,
    "k": 2,
    "l": 20,
    "state": "done",
    "reason": "",
    "entries": [
        {"said": "Heat (1995)", "content": "6", "how": "exact"},
        {"said": "Heat 2", "content": None, "how": ""},
    ],
    "left_out": [{"said": "Heat", "content": "6", "how": "normalised", "why": "repeated"}],
}


@extend_schema_view(
    get=extend_schema(
        operation_id="list_lists",
        tags=["lists"],
        summary="Lists of recommenders under test",
        parameters=[ListFilters],
        examples=[examples.page(LIST)],
    )
)
class Lists(views.StudyRows):
    """The lists that recommenders were asked for; one that could not be read has no entries."""

    serializer_class, filters = ListRow, ListFilters

    def rows_of_study(self, study):
        self.study = study
        asked = Judgment.objects.filter(run=OuterRef("run"), unit=OuterRef("unit"), lead=True)
        return (
            RecommendedList.objects.kept()
            .filter(run__judge__study=study)
            .annotate(**{name: Subquery(asked.values(name)[:1]) for name in ("state", "reason")})
        )

    def paginate_queryset(self, queryset):
        """Return a page; recipients of a locked test part come without what was named."""
        page = super().paginate_queryset(queryset)
        hidden = withheld_names(self.study, [row["recipient__key"] for row in page])
        for row in page:
            if row["recipient__key"] in hidden:
                row |= {"entries": [], "left_out": [], "reason": WITHHELD}
        return page
