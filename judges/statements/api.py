"""Serve statements by the HTTP API: list, add, correct, remove and undo, as the pages do."""

from django.http import Http404
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.generics import GenericAPIView, ListAPIView, RetrieveAPIView
from rest_framework.response import Response

from annotate.api import examples
from annotate.api.auth import check_writing, study_of
from annotate.api.errors import Conflict
from annotate.api.fields import Filters
from annotate.db.bulk import among
from annotate.design.splits import WITHHELD, withheld
from annotate.models import Item
from judges.models import Statement
from judges.statements import edit
from judges.statements.api_rows import (
    ADDED,
    ALL,
    COUNTING,
    STATED,
    STATEMENT,
    StatementChange,
    StatementFilters,
    StatementNew,
    StatementRow,
)
from judges.statements.forms import StatementForm
from judges.statements.items import KINDS


def _shown(rows):
    return rows.with_said().values(*StatementRow.columns())


def _one(pk):
    return StatementRow(_shown(Statement.objects.filter(pk=pk)).get()).data


def _repeated(words):
    return Conflict(words, "repeated", fields={"statement": [words]})


def _checked(form):
    """Return the form's values; raise Conflict where only the form refuses them."""
    if form.is_valid():
        return form.cleaned_data
    messages = {name: [str(words) for words in errors] for name, errors in form.errors.items()}
    if edit.REPEATED in messages.get("statement", ()):
        raise _repeated(edit.REPEATED)
    words = "; ".join(f"{name}: {' '.join(errors)}" for name, errors in messages.items())
    raise Conflict(words, fields=messages)


def _done(change, *arguments):
    """Return what the change gives; raise Conflict where another statement says the same by now."""
    try:
        return change(*arguments)
    except edit.Repeated as repeated:
        raise _repeated(str(repeated)) from None


def _item(study, key):
    """Return the item whose texts may be read; raise Conflict with the reason why not."""
    item = Item.objects.select_related("study").filter(study=study, key=key).first()
    words = ""
    if item is None:
        words = f"Found {key!r}, which is no item of this study."
    elif item.kind not in KINDS:
        words = (
            f"Found {key!r}, a {item.kind}; allowed is an item of the kind {' or '.join(KINDS)}."
        )
    elif withheld(study, pk=item.pk):
        words = f"Found {key!r}. {WITHHELD}"
    if words:
        raise Conflict(words, fields={"item": [words]})
    return item


def _open_or_404(study, item):
    """Raise 404 where the item belongs to a locked test part."""
    if withheld(study, pk=item):
        raise Http404(WITHHELD)


def _writable(request, slug, pk):
    """Return (study, statement) that the caller may change."""
    study = study_of(request, slug)
    check_writing(request, study)
    rows = Statement.objects.select_related("item__study", "run")
    statement = get_object_or_404(rows, item__study=study, pk=pk)
    _open_or_404(study, statement.item_id)
    return study, statement


@extend_schema_view(
    get=extend_schema(
        operation_id="list_statements",
        tags=["statements"],
        summary="Statements",
        description="What texts state, run by run. Of a locked test part none.",
        parameters=[StatementFilters],
        examples=[examples.page(STATEMENT)],
    ),
    post=extend_schema(
        operation_id="add_statement",
        tags=["statements"],
        summary="Add a statement",
        description="One that a person reads in a text. One that is there already is a 409.",
        request=StatementNew,
        responses={201: StatementRow},
        examples=[
            examples.body({"item": "e1", "side": "reference"} | STATED),
            examples.answer(ADDED, "201"),
        ],
    ),
)
class Statements(ListAPIView):
    """List the study's statements and add to them."""

    serializer_class = StatementRow

    def get_queryset(self):
        study = study_of(self.request, self.kwargs["slug"])
        asked = StatementFilters.parse_query(self.request)
        rows = Statement.objects.filter(item__study=study)
        if asked.pop("which", ALL) == COUNTING:
            rows = Statement.objects.speaking(study)
        return _shown(rows.exclude(item__in=among(withheld(study)))).filter(**asked)

    def post(self, request, slug):
        """Add a statement that a person read in a text."""
        study = study_of(request, slug)
        check_writing(request, study)
        asked = StatementNew(data=request.data)
        asked.is_valid(raise_exception=True)
        values = asked.validated_data
        item, side = _item(study, values["item"]), values["side"]
        reading = edit.reading(item, side)
        form = StatementForm(edit.topics_of(study, reading.run), reading.counting_texts(), values)
        added = _done(edit.add, item, side, reading.text, _checked(form), request.user)
        return Response(_one(added.pk), status=201)


@extend_schema_view(
    get=extend_schema(
        operation_id="get_statement",
        tags=["statements"],
        summary="One statement",
        examples=[examples.answer(STATEMENT)],
    ),
    patch=extend_schema(
        operation_id="correct_statement",
        tags=["statements"],
        summary="Correct a statement",
        description="The correction stands beside what was extracted, never in its place.",
        request=StatementChange,
        responses=StatementRow,
        examples=[examples.body({"topic": "material"}), examples.answer(STATEMENT)],
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
        _open_or_404(study, row["item_id"])
        return row

    def patch(self, request, slug, pk):
        """Correct words, topic or sentiment; a removed statement stays removed."""
        study, statement = _writable(request, slug, pk)
        change = StatementChange(data=request.data)
        change.is_valid(raise_exception=True)
        now = {name: getattr(statement, values) for name, values in edit.CHANGES.items()}
        reading = edit.reading(statement.item, statement.side, statement.run_id or "")
        names = edit.with_own(edit.topics_of(study, reading.run), statement)
        values = now | change.validated_data
        form = StatementForm(names, reading.counting_texts(statement), values, initial=now)
        _done(edit.correct, statement.pk, _checked(form), request.user)
        return Response(_one(pk))


class Changed(GenericAPIView):
    """Change a statement without taking new words, topic or sentiment."""

    serializer_class = StatementRow

    def post(self, request, slug, pk):
        """Change the statement and return it."""
        _, statement = _writable(request, slug, pk)
        _done(self.change, statement.pk, request.user)
        return Response(_one(pk))


def _changes(operation, summary, description, shown):
    """Return what the schema says of removing or undoing."""
    return extend_schema_view(
        post=extend_schema(
            operation_id=operation,
            tags=["statements"],
            summary=summary,
            description=description,
            request=None,
            responses=StatementRow,
            examples=[examples.answer(shown)],
        )
    )


@_changes(
    "remove_statement",
    "Remove a statement",
    "It counts no longer, and stays where it was.",
    STATEMENT | {"removed": True},
)
class RemoveStatement(Changed):
    """Remove a statement: it counts no longer."""

    change = staticmethod(edit.remove)


@_changes(
    "undo_statement",
    "Undo what people changed of a statement",
    "It counts as it was extracted or added. Where another one says that by now it is a 409.",
    STATEMENT | {"topic": "fit", "changed_at": None},
)
class UndoStatement(Changed):
    """Undo corrections and removal: the statement is as it was extracted or added."""

    change = staticmethod(edit.undo)
