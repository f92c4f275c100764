"""Serve reports by the HTTP API: the same numbers as the pages and `manage.py analyse`."""

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.response import Response
from rest_framework.views import APIView

from analysis.answers.moment import one_moment
from analysis.options.declare import TEXT, declared
from analysis.options.form import OptionsForm
from analysis.reports.registry import EVERY_OPTION, KINDS, REPORTS
from analysis.serving.source import ReportForm, Source, report_of, whole_report_of
from annotate.api import examples
from annotate.api.auth import study_of
from annotate.api.errors import Conflict
from annotate.api.fields import Filters

# What these may be depends on what the study holds.
OF_THE_STUDY = {name for name, option in EVERY_OPTION.items() if option.of_study}


def _parameter(name, about, schema, many=False):
    schema = {"type": "array", "items": schema, "minItems": 1} if many else schema
    return OpenApiParameter(name, schema, description=about, explode=many or None)


OPTIONS = {
    name: _parameter(name, option.about, option.schema, option.is_repeated)
    for name, option in EVERY_OPTION.items()
}

# Each report has one of these.
PARTS = [
    _parameter(name, f"This {name} only, where list_reports names it for the report.", TEXT)
    for name in ("question", "measure", "coefficient", "table")
]


class OptionRow(serializers.Serializer):
    """One option of a report, a parameter of its address."""

    name = serializers.CharField()
    about = serializers.CharField()
    schema = serializers.JSONField(help_text="What is allowed, as JSON schema.")


class PartRow(serializers.Serializer):
    """The parameter that asks for a part of a report only, as its page does."""

    name = serializers.CharField()
    choices = serializers.ListField(child=serializers.CharField())


class ReportKind(serializers.Serializer):
    """One report that there is."""

    report = serializers.CharField(help_text="Its name in addresses.")
    title = serializers.CharField()
    method = serializers.CharField(help_text="How it is computed.")
    options = OptionRow(many=True)
    part = PartRow()


class ReportKinds(serializers.Serializer):
    """All reports."""

    results = ReportKind(many=True)


class ReportRow(serializers.Serializer):
    """A report, as `manage.py analyse --format json` prints it; docs/REPORTS.md has the keys."""

    study = serializers.CharField()
    report = serializers.CharField()
    options = serializers.DictField(child=serializers.JSONField())
    rows = serializers.ListField(child=serializers.DictField(child=serializers.JSONField()))
    notes = serializers.ListField(child=serializers.CharField())


KIND_EXAMPLE = {
    "report": "roc",
    "title": "ROC",
    "method": "How well a judge tells what people rate highly.",
    "options": [{"name": "draws", "about": "Of the bootstrap.", "schema": {"type": "integer"}}],
    "part": {"name": "question", "choices": ["convincing"]},
}
REPORT_EXAMPLE = {
    "study": "films",
    "report": "roc",
    "options": {"reference": "recipient", "draws": 2000, "seed": 1},
    "rows": [
        {
            "evaluator": "gpt-small",
            "question": "convincing",
            "threshold": 4.0,
            "auc": 0.71,
            "low": 0.63,
            "high": 0.78,
            "positives": 74,
            "negatives": 86,
        }
    ],
    "notes": ["160 of 160 items are used."],
}


@extend_schema_view(
    get=extend_schema(
        operation_id="list_reports",
        tags=["reports"],
        summary="Reports and their options",
        responses=ReportKinds,
        examples=[examples.answer({"results": [KIND_EXAMPLE]})],
    )
)
class Reports(APIView):
    """The reports that there are, each with the options that it takes notice of."""

    def get(self, request, slug):
        """Every report with its options, and what of it can be asked for alone."""
        Filters.parse_query(request)
        questions = list(study_of(request, slug).questions.all())
        return Response({"results": [_told(kind, questions) for kind in KINDS]})


def _told(kind, questions):
    shown = kind.list_parts(questions)
    taken = [OPTIONS[name] for name in declared(kind.options)]
    options = [
        {"name": option.name, "about": option.description, "schema": option.type}
        for option in taken
    ]
    return {
        "report": kind.name,
        "title": kind.title,
        "method": kind.method,
        "options": options,
        "part": {"name": shown.name, "choices": [value for value, _ in shown.choices]},
    }


@extend_schema_view(
    get=extend_schema(
        operation_id="get_report",
        tags=["reports"],
        summary="Compute a report",
        description="The whole report; with the part's parameter (list_reports names it) the part "
        "that its page shows.",
        parameters=[
            OpenApiParameter("report", {"type": "string", "enum": list(REPORTS)}, "path"),
            *OPTIONS.values(),
            *PARTS,
        ],
        responses={200: ReportRow, 409: ReportRow},
        examples=[examples.answer(REPORT_EXAMPLE)],
    )
)
class Report(APIView):
    """A report of a study, computed with the options of the address or kept since the last time."""

    @one_moment()
    def get(self, request, slug, report):
        """The numbers of a report page, with everything that it takes to compute them again."""
        study = study_of(request, slug)
        if report not in REPORTS:
            raise Http404("no such report")
        kind = REPORTS[report]
        source = Source(study, request.query_params)
        shown = kind.list_parts(source.reader.questions)
        _check_names(request.query_params, shown)
        options = OptionsForm(request.query_params, source.choices, EVERY_OPTION)
        _check(options, OF_THE_STUDY)
        if not request.query_params.get(shown.name):
            whole = whole_report_of(source, options.options(kind.options), kind)
            return Response(whole.as_dict())
        form = ReportForm(request.query_params, source, kind)
        _check(form, {shown.name})
        return Response(report_of(source, form, kind).as_dict())


def _check_names(query, shown):
    allowed = [*EVERY_OPTION, shown.name]
    others = {part.name for part in PARTS} - {shown.name}
    if others_asked := sorted(others & set(query)):
        words = f"This report has no part of that kind; it has {shown.name}."
        raise Conflict(words, fields={name: [words] for name in others_asked})
    check_query(query, allowed)


def check_query(query, allowed):
    """Raise ValidationError for parameters that are not allowed, or empty."""
    wrong = {
        name: [f"This is not known here; allowed are {', '.join(allowed)}."]
        for name in query
        if name not in allowed
    }
    wrong |= {
        name: ["This is empty; leave it out."] for name, texts in query.lists() if "" in texts
    }
    if wrong:
        raise ValidationError(wrong)


def _check(form, of_the_study):
    if form.is_valid():
        return
    if set(form.errors) <= of_the_study:
        raise Conflict("; ".join(form.errors_in_words()), fields=form.errors)
    raise ValidationError(form.errors)
