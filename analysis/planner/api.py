"""Serve plans by the HTTP API: the same numbers as the page and `manage.py plan`."""

from drf_spectacular.utils import (
    OpenApiParameter,
    extend_schema,
    extend_schema_field,
    extend_schema_view,
)
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.response import Response
from rest_framework.views import APIView

from analysis.planner.options import EQUAL, OPTIONS, RATE_ITEMS, PlanForm, PlanOptions
from analysis.planner.plan import RATINGS_AN_ITEM, make_plan
from analysis.planner.words import as_dict
from analysis.serving.api import check_query
from annotate.api import examples

PARAMETERS = [
    OpenApiParameter(name, option.schema, description=option.about)
    for name, option in OPTIONS.items()
]
NEVER = "null: no number of items can show it."


@extend_schema_field({"type": ["number", "string"]})
class Quality(serializers.Field):
    """A judge's correlation with what raters share, or the word equal."""

    def to_representation(self, value):
        return value


class DesignRow(serializers.Serializer):
    """What a number of ratings an item takes."""

    use = serializers.CharField()
    rho = serializers.FloatField(help_text="Agreement of two raters of an item.")
    judge = Quality(help_text="Its correlation with what raters share, or equal: to one rater.")
    raters_per_item = serializers.IntegerField()
    items = serializers.IntegerField(allow_null=True, help_text=f"Of all systems. {NEVER}")
    ratings = serializers.IntegerField(allow_null=True, help_text=NEVER)
    sessions = serializers.IntegerField(allow_null=True, help_text=NEVER)
    cost = serializers.FloatField(allow_null=True, help_text=f"In the currency of the pay. {NEVER}")
    power = serializers.FloatField(
        allow_null=True, help_text=f"Least probability that all checks pass together. {NEVER}"
    )


class PlanRow(serializers.Serializer):
    """A plan, as `manage.py plan --format json` prints it."""

    options = serializers.DictField(child=serializers.JSONField())
    rows = serializers.ListField(
        child=DesignRow(), help_text=f"For {', '.join(map(str, RATINGS_AN_ITEM))} ratings an item."
    )
    notes = serializers.ListField(child=serializers.CharField())


EXAMPLE = {
    "options": {"use": RATE_ITEMS, "rho": 0.3, "judge": EQUAL, "session_items": 10, "power": 0.8},
    "rows": [
        {
            "use": RATE_ITEMS,
            "rho": 0.3,
            "judge": EQUAL,
            "raters_per_item": 3,
            "items": 233,
            "ratings": 699,
            "sessions": 70,
            "cost": 93.33,
            "power": 0.69,
        }
    ],
    "notes": ["233 items with 3 ratings each decide: 699 ratings, 70 sessions, about 93.33."],
}


@extend_schema_view(
    get=extend_schema(
        operation_id="get_plan",
        tags=["plan"],
        summary="How many ratings a study needs",
        description="It needs no study. The rows are for several numbers of ratings an item.",
        parameters=PARAMETERS,
        responses=PlanRow,
        examples=[examples.answer(EXAMPLE)],
    )
)
class PlanByApi(APIView):
    """How many items, ratings and sessions decide, and what they cost, before there is a study."""

    def get(self, request):
        """Plan with the options of the address; what is left out takes its usual value."""
        check_query(request.query_params, OPTIONS)
        form = PlanForm(request.query_params)
        if not form.is_valid():
            raise ValidationError(form.errors)
        return Response(as_dict(make_plan(form.options(PlanOptions))))
