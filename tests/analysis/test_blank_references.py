"""What earlier versions kept of sentences without a reference: undefined, and it says why."""

from importlib import import_module

import pytest
from django.apps import apps
from django.db.migrations.loader import MigrationLoader

from judges.models import Entailment, Grain, Judge, Judgment, Run
from judges.models.entailment import as_bytes
from judges.scorers.base import NO_REFERENCE
from tests import factories, factual
from tests.analysis.small import build, row_of

pytestmark = pytest.mark.django_db


def settle():
    """Runs the migration; its number may change."""
    (name,) = [
        name
        for app, name in MigrationLoader(None).disk_migrations
        if app == "judges" and name.endswith("_nothing_to_compare_with")
    ]
    import_module(f"judges.migrations.{name}").settle(apps, None)


def align_score(study):
    report = build(study, "factuality")
    return row_of(report, part="consistency", metric="AlignScore", system="all", domain="all")


@pytest.fixture
def scored(owner):
    """Chunks: a .9; b has no reference, its text no chunk to be compared with; c no text.

    The same judge compared b's statements in another run, in which a reference without any is a
    finding.
    """
    study = factual.make_study(owner)
    judge = factories.make_judge(study, "chunks", kind=Judge.Kind.NLI, measure="align_score")
    items = {key: study.items.get(key=key) for key in "abc"}
    asked = study.questions.get(key="overall")
    factories.make_judgments(
        judge, {(items[k], asked): v for k, v in zip("abc", (0.9, 0, 0), strict=True)}
    )
    run = judge.runs.get()
    for key, n, m in (("a", 1, 1), ("b", 2, 0), ("c", 0, 1)):
        forward = as_bytes([[0.9, 0.05, 0.05]] * (n * m))
        Entailment.objects.create(
            run=run, item=items[key], grain=Grain.CHUNK, n_generated=n, n_reference=m,
            forward=forward,
        )  # fmt: skip
    other = Run.objects.create(judge=judge, state=Run.State.FINISHED)
    Entailment.objects.create(run=other, item=items["b"], n_generated=2, n_reference=0)
    return study


def test_the_report_and_the_judgment_have_no_0_of_a_blank_reference(scored):
    before = align_score(scored)
    assert (before["value"], before["n"]) == (pytest.approx(0.3), 3), "as earlier versions said"
    settle()
    after = align_score(scored)
    assert (after["value"], after["n"]) == (pytest.approx(0.45), 2)
    assert after["missing"] == before["missing"] + 1
    judgment = Judgment.objects.get(item__key="b")
    assert (judgment.state, judgment.value, judgment.reason) == ("failed", None, NO_REFERENCE)
    others = Judgment.objects.exclude(item__key="b").values_list("item__key", "state", "value")
    assert sorted(others) == [("a", "done", 0.9), ("c", "done", 0)]
    assert Entailment.objects.get(item__key="b").grain == Grain.STATEMENT
    settle()
    assert align_score(scored)["value"] == pytest.approx(0.45)
