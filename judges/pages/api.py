"""Serve judges, runs and judgments by the HTTP API, and take all rows that files could bring.

A list and its bulk creation share an address but not an app: loading needs the judges, so the
classes here add `post` to the views of annotate.
"""

from functools import cached_property

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.generics import GenericAPIView, ListAPIView, RetrieveAPIView
from rest_framework.response import Response

from annotate.api import examples, views
from annotate.api.auth import check_writing, studies_of, study_of
from annotate.api.errors import Conflict
from annotate.api.fields import Filters
from annotate.api.rows import StudyRow
from annotate.design.splits import WITHHELD, withheld
from judges.files.api_loading import (
    LOADED,
    LOADED_JUDGMENTS,
    Counted,
    CountedJudgments,
    StudyNew,
    load_rows,
    load_study,
    rows_serializer,
)
from judges.files.written import WrittenByJudges
from judges.models import Judge, Judgment, Run
from judges.pages.api_rows import (
    JUDGE,
    JUDGMENT,
    ONE_RUN,
    RUN,
    JudgeRow,
    JudgmentFilters,
    JudgmentRow,
    OneRunRow,
    RunFilters,
    RunRow,
    RunStart,
    StartedRow,
)
from judges.runs import plan, progress, resume
from judges.runs.nudge import nudge

NewItems, NewRatings, NewJudgments = map(rows_serializer, ("items", "ratings", "judgments"))
ALL_OR_NOTHING = "All rows or none; rows that are there with the same values change nothing."


def _load(request, slug, table, serializer):
    """Load the rows of a request by the checks of files."""
    study = study_of(request, slug)
    check_writing(request, study)
    asked = serializer(data=request.data)
    asked.is_valid(raise_exception=True)
    return Response(load_rows(study, table, by=request.user, **asked.validated_data), status=201)


def _loads(table, serializer, row, counted=Counted, loaded=LOADED):
    """Return what the schema says of a bulk creation."""
    return extend_schema(
        operation_id=f"load_{table}",
        tags=[table],
        summary=f"Load {table}",
        description=f"Rows as in {table}.csv. {ALL_OR_NOTHING}",
        request=serializer,
        responses={201: counted},
        examples=[examples.body({"rows": [row]}), loaded],
    )


@extend_schema_view(
    post=extend_schema(
        operation_id="create_study",
        tags=["studies"],
        summary="Make a study",
        description="The keys of study.yaml as JSON, or a template's with your own on top.",
        request=StudyNew,
        responses={201: StudyRow},
        examples=[
            examples.body(
                {"study": "films", "title": "Films", "questions": [examples.QUESTION]}, "Questions"
            ),
            examples.body({"study": "films", "template": "explanations-four"}, "Template"),
            examples.answer(examples.STUDY, "201"),
        ],
    )
)
class Studies(views.Studies):
    """The studies that the caller sees."""

    def post(self, request):
        """Make a study that the caller owns."""
        check_writing(request)
        asked = StudyNew(data=request.data)
        asked.is_valid(raise_exception=True)
        study = load_study(asked.data_of_file(), request.user)
        made = views.with_details(studies_of(request)).get(pk=study.pk)
        return Response(StudyRow(made).data, status=201)


@extend_schema_view(
    post=_loads("items", NewItems, {"item": "e1", "text": "Because …", "system": "personal"})
)
class Items(views.Items):
    """The study's items."""

    def post(self, request, slug):
        """Make items, or change items without answers."""
        return _load(request, slug, "items", NewItems)


@extend_schema_view(
    post=_loads(
        "ratings",
        NewRatings,
        {"item": "e1", "rater": "ann", "role": "expert", "question": "convincing", "value": 4},
    )
)
class Ratings(views.Ratings):
    """The answers that count."""

    def post(self, request, slug):
        """Load answers from elsewhere, in a completed session for each rater."""
        return _load(request, slug, "ratings", NewRatings)


@extend_schema_view(
    get=extend_schema(
        operation_id="list_judgments",
        tags=["judgments"],
        summary="Judgments",
        parameters=[JudgmentFilters],
        examples=[examples.page(JUDGMENT)],
    ),
    post=_loads(
        "judgments",
        NewJudgments,
        {"item": "e1", "judge": "elsewhere", "question": "convincing", "value": 3.5},
        CountedJudgments,
        LOADED_JUDGMENTS,
    ),
)
class Judgments(views.StudyRows):
    """What judges said, each sample, and what has no value with the reason why."""

    serializer_class, filters = JudgmentRow, JudgmentFilters

    def rows_of_study(self, study):
        return Judgment.objects.judging().filter(run__judge__study=study)

    @cached_property
    def written(self):
        return WrittenByJudges(self.study)

    def paginate_queryset(self, queryset):
        """Return a page; items of a locked test part come without what the judge said."""
        page = super().paginate_queryset(queryset)
        hidden = withheld(self.study, key__in={row["item__key"] for row in page})
        for row in page:
            if row["item__key"] in hidden.values():
                row |= {"value": None, "rationale": "", "reason": WITHHELD}
        return page

    def post(self, request, slug):
        """Load judgments of an imported judge; make the judge if it is new."""
        return _load(request, slug, "judgments", NewJudgments)


@extend_schema_view(
    get=extend_schema(
        operation_id="list_judges",
        tags=["judges"],
        summary="Judges",
        examples=[examples.page(JUDGE)],
    )
)
class Judges(ListAPIView):
    """The study's judges with their settings."""

    serializer_class = JudgeRow

    def get_queryset(self):
        Filters.parse_query(self.request)
        study = study_of(self.request, self.kwargs["slug"])
        judges = Judge.objects.filter(study=study)
        return judges.select_related("endpoint").prefetch_related("members")


@extend_schema_view(
    get=extend_schema(
        operation_id="list_runs",
        tags=["runs"],
        summary="Runs, the newest first",
        parameters=[RunFilters],
        examples=[examples.page(RUN)],
    ),
    post=extend_schema(
        operation_id="start_run",
        tags=["runs"],
        summary="Run a judge",
        description="The judge's newest run goes on while it is unfinished, with a new budget if "
        "one is given; else a new one is planned. A run of more than 20 calls to a model makes 20 "
        "of them and is then `waiting`, with a `forecast`: start it again as `confirmed`, or "
        "cancel it.",
        request=RunStart,
        responses={200: StartedRow, 201: StartedRow},
        examples=[
            examples.body({"judge": "gpt-small", "limit": 20, "budget_usd": 2.5}),
            examples.answer(ONE_RUN | {"message": "Run 9 is resumed: it was unfinished."}),
            examples.answer(
                ONE_RUN | {"message": "Run 9 of gpt-small is planned: 80 judgments."}, "201"
            ),
        ],
    ),
)
class Runs(ListAPIView):
    """The study's runs with how far they are."""

    serializer_class = RunRow

    def get_queryset(self):
        study = study_of(self.request, self.kwargs["slug"])
        runs = Run.objects.kept().filter(judge__study=study, **RunFilters.parse_query(self.request))
        return runs.select_related("judge").order_by("-id")

    def paginate_queryset(self, queryset):
        return progress.with_progress(super().paginate_queryset(queryset))

    def post(self, request, slug):
        """Start a run, or continue the unfinished run."""
        study = study_of(request, slug)
        check_writing(request, study)
        asked = RunStart(data=request.data)
        asked.is_valid(raise_exception=True)
        given = asked.validated_data
        judge = _judge(study, given["judge"])
        before = (
            Run.objects.filter(judge=judge).order_by("-id").values_list("pk", flat=True).first()
        )
        try:
            run, message = resume.start(
                judge,
                given.get("limit"),
                given.get("budget_usd"),
                request.user,
                reuse=given["reuse"],
                confirmed=given["confirmed"],
            )
        except plan.PlanError as error:
            raise Conflict(str(error), "cannot_run") from None
        nudge(run)
        run.progress, run.message = progress.progress(run), message
        return Response(StartedRow(run).data, status=200 if run.pk == before else 201)


def _judge(study, key):
    judge = Judge.objects.select_related("endpoint", "study").filter(study=study, key=key).first()
    if judge is None:
        words = f"Found {key!r}, which is no judge of this study."
        raise Conflict(words, fields={"judge": [words]})
    return judge


def _run_or_404(study, pk):
    runs = Run.objects.kept().select_related("judge__endpoint")
    run = get_object_or_404(runs, judge__study=study, pk=pk)
    run.progress = progress.progress(run)
    return run


@extend_schema_view(
    get=extend_schema(
        operation_id="get_run",
        tags=["runs"],
        summary="One run with its progress",
        examples=[examples.answer(ONE_RUN)],
    )
)
class OneRun(RetrieveAPIView):
    """One run: how far it is, and the judge's settings as they were."""

    serializer_class = OneRunRow

    def get_object(self):
        Filters.parse_query(self.request)
        return _run_or_404(study_of(self.request, self.kwargs["slug"]), self.kwargs["pk"])


@extend_schema_view(
    post=extend_schema(
        operation_id="cancel_run",
        tags=["runs"],
        summary="Cancel a run",
        description="Calls under way still end. Starting the judge again goes on with the run.",
        request=None,
        responses=OneRunRow,
        examples=[examples.answer(ONE_RUN | {"state": "cancelled"})],
    )
)
class CancelRun(GenericAPIView):
    """Stop an active run."""

    serializer_class = OneRunRow

    def post(self, request, slug, pk):
        """Cancel the run; a run that is cancelled already stays as it is."""
        study = study_of(request, slug)
        check_writing(request, study)
        run = _run_or_404(study, pk)
        if not resume.cancel(run) and run.state != Run.State.CANCELLED:
            words = f"Run {run.pk} is not active ({run.get_state_display().lower()})."
            raise Conflict(words, "not_active")
        return Response(OneRunRow(run).data)
