"""Serve statements by the HTTP API; they are corrected on their pages."""

from django.http import Http404
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.generics import ListAPIView, RetrieveAPIView

from annotate.api import examples
from annotate.api.auth import study_of
from annotate.api.fields import Filters
from annotate.db.bulk import among
from annotate.design.splits import WITHHELD, withheld
from judges.models import Statement
from judges.statements.api_rows import ALL, COUNTING, STATEMENT, StatementFilters, StatementRow


def _shown(rows):
    return rows.with_said().values(*StatementRow.columns())


@extend_schema_view(
    get=extend_schema(
        operation_id="list_statements",
        tags=["statements"],
        summary="Statements",
        description="What texts state, run by run. Of a locked test part none.",
        parameters=[StatementFilters],
        examples=[examples.page(STATEMENT)],
    ),
)
class Statements(ListAPIView):
    """List the study's statements."""

    serializer_class = StatementRow

    def get_queryset(self):
        study = study_of(self.request, self.kwargs["slug"])
        asked = StatementFilters.parse_query(self.request)
        rows = Statement.objects.filter(item__study=study)
        if asked.pop("which", ALL) == COUNTING:
            rows = Statement.objects.speaking(study)
        return _shown(rows.exclude(item__in=among(withheld(study)))).filter(**asked)


@extend_schema_view(
    get=extend_schema(
        operation_id="get_statement",
        tags=["statements"],
        summary="One statement",
        examples=[examples.answer(STATEMENT)],
    ),
)
class OneStatement(RetrieveAPIView):
    """One statement."""

    serializer_class = StatementRow

    def get_object(self):
        Filters.parse_query(self.request)
        study = study_of(self.request, self.kwargs["slug"])
        rows = _shown(Statement.objects.filter(item__study=study))
        columns = (*StatementRow.columns(), "item_id")
        row = get_object_or_404(rows.values(*columns), pk=self.kwargs["pk"])
        if withheld(study, pk=row["item_id"]):
            raise Http404(WITHHELD)
        return row
