"""A study that is exported and loaded as a new one has the same numbers in every report."""

import json
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse

from analysis.answers import frame
from analysis.demo.preparing import prepare
from analysis.reports.registry import REPORTS
from annotate.models import Item, Rater, Study
from judges.checks import drift
from judges.models import Judge, Run, Upload
from judges.runs import plan, resume
from judges.runs.drive import work_through
from judges.runs.reread import reread
from judges.tasks import load_upload
from tests import factories
from tests.analysis.small import options_of
from tests.podcasts import make_podcasts

pytestmark = pytest.mark.django_db
TABLES = ("items", "ratings", "judgments")
# What the files do not hold: calls and times behind a cost, and why a judgment failed.
LOST = {
    "cost": ("calls", "tokens_in", "tokens_out", "seconds"),
}
FILES = {"study": "study.yaml"} | {table: f"{table}.csv" for table in TABLES}


def exported(slug, folder):
    """{table: path} of all that can be loaded again; the study has another name."""
    paths = {name: folder / file for name, file in FILES.items()}
    for table, path in paths.items():
        call_command("export", slug, table, output=path)
    text = paths["study"].read_text(encoding="utf-8")
    paths["study"].write_text(re.sub(r"^study: .*$", "study: copy", text, count=1, flags=re.M))
    return paths


def rows_of(slug, report, without=()):
    """All rows of a report, undefined numbers as null, without what cannot come back."""
    answers = frame.read_answers(Study.objects.get(slug=slug))
    chosen = options_of(answers, report, **{"draws": 20})
    rows = REPORTS[report].build(answers, chosen).as_dict()["rows"]
    lost = LOST.get(report, ())
    kept = [{key: value for key, value in row.items() if key not in lost} for row in rows]
    return json.dumps([row for row in kept if not any(row.get(k) == v for k, v in without)])


def load_by_command(paths):
    tables = {table: paths[table] for table in TABLES}
    call_command("load_study", paths["study"], verbosity=0, **tables)


@pytest.fixture
def demo(tmp_path, monkeypatch):
    """The demo study, its judges run, and its copy by way of the command."""
    monkeypatch.setattr("analysis.demo.preparing.nudge", lambda run: None)
    prepare(model_port=9, say=lambda words: None)
    for run in Run.objects.filter(judge__study__slug="films-demo", state=Run.State.ACTIVE):
        work_through(run.pk)
    load_by_command(exported("films-demo", tmp_path))
    # No file can claim that a judge was named before it had judged: a copy has no named judge.
    Judge.objects.update(named_at=None)


def test_every_report_of_the_demo_has_the_same_numbers(demo):
    for report in REPORTS:
        before, after = rows_of("films-demo", report), rows_of("copy", report)
        assert after == before, report
        if report not in ELSEWHERE:
            assert json.loads(before), report


@pytest.fixture
def podcasts(owner):
    """Lists that stood on either side, an excluded rater, a verdict of fit, failures, samples."""
    study = make_podcasts(owner, pairs=6)
    questions = {question.key: question for question in study.questions.all()}
    pairs = list(Item.objects.filter(study=study, kind="list_pair").order_by("pk"))
    parts = list(Item.objects.filter(study=study, kind="recommendation").order_by("pk"))
    for number, name in enumerate(("ann", "bob", "out")):
        session = factories.make_session(study, name, Rater.Role.RECIPIENT)
        for at, item in enumerate(pairs):
            side = "AB"[at % 2]
            value = 1 + (at + number) % 3
            factories.make_rating(session, item, questions["better-list"], value, first_side=side)
        for at, item in enumerate(parts):
            factories.make_rating(session, item, questions["episode-fit"], 1 + (at + number) % 5)
    Rater.objects.filter(key="out").update(excluded_because="Too fast.")
    endpoint = factories.make_endpoint()
    fit = factories.make_judge(
        study,
        "LaaJ",
        endpoint,
        method="fit",
        prompt="fit.v1",
        question="episode-fit",
        context="profile",
        kind=Judge.Kind.LLM,
        samples=2,
        temperature=0.7,
    )
    asked = {(item, questions["episode-fit"]): item.pk % 2 for item in parts}
    run = factories.make_judgments(fit, asked)
    run.judgments.filter(item=parts[0]).update(state="failed", value=None, reason="timed out")
    lists = factories.make_judge(study, "lists")
    factories.make_judgments(
        lists, {(item, questions["better-list"]): 1 + at % 3 for at, item in enumerate(pairs)}
    )
    return study


# People who are excluded stay behind; why a judgment failed comes back as "failed".
ELSEWHERE = (
    "counterfactual",
    "examples",
    "factuality",
    "metamorphic",
    "plan",
    "preferences",
    "reasons",
    "robustness",
    "stop",
)  # no rows here
STAYS_BEHIND = {"raters": [("rater", "out")], "exclusions": None, "bias": [("bias", "failures")]}


def test_lists_roles_and_failures_come_back_by_the_page(podcasts, as_owner, tmp_path, monkeypatch):
    paths = exported(podcasts.slug, tmp_path)
    monkeypatch.setattr(load_upload, "delay", lambda token: None)
    files = {table: SimpleUploadedFile(p.name, p.read_bytes()) for table, p in paths.items()}
    page = as_owner.post(reverse("study_new"), files, follow=True).text
    assert "No problems found" in page
    upload = Upload.objects.get()
    as_owner.post(f"/uploads/{upload.token}/load/")
    load_upload(upload.pk)
    assert "out" not in (tmp_path / "ratings.csv").read_text()
    for report in REPORTS:
        without = STAYS_BEHIND.get(report, ())
        if without is not None:
            assert rows_of("copy", report, without) == rows_of(podcasts.slug, report, without), (
                report
            )


def test_what_was_loaded_is_neither_asked_nor_read_again(podcasts, tmp_path, as_owner):
    paths = exported(podcasts.slug, tmp_path)
    load_by_command(paths)
    load_by_command(paths)  # the same files again change nothing
    assert Run.objects.filter(judge__study__slug="copy").count() == 2
    run = Run.objects.get(judge__study__slug="copy", judge__key="LaaJ")
    for act in (resume.reset_failed, drift.plan_check, reread):
        with pytest.raises(plan.PlanError, match="was loaded from a file"):
            act(run)
    assert drift.checkable(run.judge) is None
