"""Serve studies, items, raters and ratings over the HTTP API; judges serves the loading of rows."""

from abc import ABC, abstractmethod
from functools import cached_property

from django.db.models import F
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.generics import ListAPIView, RetrieveAPIView
from rest_framework.response import Response

from annotate.api import examples
from annotate.api.auth import check_writing, studies_of, study_of
from annotate.api.fields import Filters
from annotate.api.rows import (
    ItemFilters,
    ItemRow,
    RaterFilters,
    RaterRow,
    RatingFilters,
    RatingRow,
    StudyChange,
    StudyRow,
)
from annotate.design.splits import withheld, without_wording
from annotate.models.item import Item as ItemModel
from annotate.values.written import Written


def with_details(studies):
    """Add all that a StudyRow shows to the studies, in two queries."""
    return (
        studies.with_progress().annotate(role=F("memberships__role")).prefetch_related("questions")
    )


class StudyRows(ABC, ListAPIView):
    """A list of a study's rows: rows_of_study(study) returns all of them, filters select some."""

    filters: type[Filters]

    def get_queryset(self):
        self.study = study_of(self.request, self.kwargs["slug"])
        rows = self.rows_of_study(self.study).filter(**self.filters.parse_query(self.request))
        return rows.values(*self.serializer_class.columns())

    @abstractmethod
    def rows_of_study(self, study):
        """Return the study's rows."""


class StudyRowOne(ABC, RetrieveAPIView):
    """One of a study's rows, by its id."""

    def get_object(self):
        Filters.parse_query(self.request)
        study = study_of(self.request, self.kwargs["slug"])
        rows = self.rows_of_study(study).values(*self.serializer_class.columns())
        return get_object_or_404(rows, pk=self.kwargs["pk"])

    @abstractmethod
    def rows_of_study(self, study):
        """Return the study's rows."""


def reads(operation, tag, summary, shown, **more):
    """Describe a GET in the schema; shown: an example of its answer."""
    description = extend_schema(
        operation_id=operation, tags=[tag], summary=summary, examples=[shown], **more
    )
    return extend_schema_view(get=description)


class OfItems:
    """The rows of a study's items."""

    serializer_class, filters = ItemRow, ItemFilters

    def rows_of_study(self, study):
        self.study = study
        return study.items.all()

    def without_withheld(self, rows):
        """Hide the wording of statements of a locked test part."""
        stated = [row["id"] for row in rows if row["kind"] == ItemModel.Kind.STATEMENT]
        hidden = withheld(self.study, pk__in=stated) if stated else {}
        return [without_wording(row) if row["id"] in hidden else row for row in rows]


class OfRaters:
    """The rows of a study's raters."""

    serializer_class, filters = RaterRow, RaterFilters

    def rows_of_study(self, study):
        return study.raters.all()


@reads("list_studies", "studies", "Your studies", examples.page(examples.STUDY))
class Studies(ListAPIView):
    """The studies of which the caller is a member, as far as the token reaches."""

    serializer_class = StudyRow

    def get_queryset(self):
        Filters.parse_query(self.request)
        return with_details(studies_of(self.request))


@reads("get_study", "studies", "One study", examples.answer(examples.STUDY))
@extend_schema_view(
    patch=extend_schema(
        operation_id="change_study",
        tags=["studies"],
        summary="Change title, state or notice",
        request=StudyChange,
        responses=StudyRow,
        examples=[
            examples.body({"state": "closed"}),
            examples.answer(examples.STUDY | {"state": "closed"}),
        ],
    ),
)
class Study(RetrieveAPIView):
    """One study: settings, progress, questions."""

    serializer_class = StudyRow

    def get_object(self):
        Filters.parse_query(self.request)
        study = study_of(self.request, self.kwargs["slug"])
        return with_details(studies_of(self.request)).get(pk=study.pk)

    def patch(self, request, slug):
        """Changes what is given."""
        study = study_of(request, slug)
        check_writing(request, study)
        change = StudyChange(data=request.data)
        change.is_valid(raise_exception=True)
        for name, value in change.validated_data.items():
            setattr(study, name, value)
        study.save(update_fields=list(change.validated_data))
        return Response(self.get_serializer(self.get_object()).data)


@reads("list_items", "items", "Items", examples.page(examples.ITEM), parameters=[ItemFilters])
class Items(OfItems, StudyRows):
    """The study's items."""

    def paginate_queryset(self, queryset):
        return self.without_withheld(super().paginate_queryset(queryset))


@reads("get_item", "items", "One item", examples.answer(examples.ITEM))
class Item(OfItems, StudyRowOne):
    """One item."""

    def get_object(self):
        return self.without_withheld([super().get_object()])[0]


@reads(
    "list_raters",
    "raters",
    "Raters, by their pseudonyms",
    examples.page(examples.RATER),
    parameters=[RaterFilters],
)
class Raters(OfRaters, StudyRows):
    """The study's raters. What a platform calls them never leaves by the API."""


@reads("get_rater", "raters", "One rater", examples.answer(examples.RATER))
class Rater(OfRaters, StudyRowOne):
    """One rater."""


@reads(
    "list_ratings",
    "ratings",
    "Ratings that count",
    examples.page(examples.RATING),
    parameters=[RatingFilters],
)
class Ratings(StudyRows):
    """The answers of completed sessions whose rater no rule excluded: those of the export."""

    serializer_class, filters = RatingRow, RatingFilters

    def rows_of_study(self, study):
        return RatingRow.ratings_of(study)

    @cached_property
    def written(self):
        return Written(self.study.questions.all())
