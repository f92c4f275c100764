"""Factual consistency by the small model, through a worker: poor answers, but a whole path."""

import os

import pytest

from judges.methods.extract import topics
from judges.models import Judgment, Run, Side, Statement
from judges.models.statement import ADDED_FROM
from judges.runs.nudge import nudge
from judges.runs.plan import plan
from judges.statements.items import current, make
from tests import factories, processes
from tests.extracting import make_item
from tests.small_model import small_model
from tests.stated import make_factuality

pytestmark = [pytest.mark.model, pytest.mark.django_db(transaction=True)]
PORT = 8351


def run_to_its_end(judge):
    run = plan(judge)
    nudge(run)
    ended = Run.objects.filter(pk=run.pk, state=Run.State.FINISHED)
    processes.wait_for(ended.exists, f"the end of the run of {judge}")
    return run


def test_the_small_local_model_extracts_and_checks_through_a_worker(tmp_path):
    study = make_factuality(factories.make_user("owner"), "coats")
    item = make_item(study)
    for side in Side.values:  # whatever the model extracts, both sides say something
        Statement.objects.create(
            item=item,
            side=side,
            number=ADDED_FROM,
            sentiment="positive",
            statement="the fabric is soft",
            topic="material",
        )
    extra = {"CELERY_QUEUE": f"test-{os.getpid()}-{tmp_path.name}"}
    with (
        small_model(tmp_path, PORT) as endpoint,
        processes.beat(tmp_path, **extra),
        processes.worker(tmp_path, **extra),
    ):
        run_to_its_end(
            factories.make_judge(
                study,
                "extractor",
                endpoint,
                method="extraction",
                prompt="extract.v1",
                topics=topics.ready()["clothes"],
                max_tokens=900,
                most_statements=3,
            )
        )
        made = make(study, fill_references=True)
        checked = run_to_its_end(
            factories.make_judge(
                study, "St2Exp", endpoint, method="support", prompt="support.v1", max_tokens=20
            )
        )
    assert made.new == current(study).count() >= 2
    assert made.new == Statement.objects.speaking(study).count()
    judgments = Judgment.objects.filter(run=checked)
    assert judgments.count() == made.new
    assert set(judgments.values_list("state", flat=True)) == {"done"}
    assert set(judgments.values_list("value", flat=True)) <= {0.0, 1.0}
