"""Statements by the small local model: it answers poorly, and all it says is counted and shown."""

import pytest
from django.test import Client
from django.urls import reverse

from judges.methods.extract import topics
from judges.models import Run, Statement
from judges.runs import drive
from judges.runs.plan import plan
from tests import factories
from tests.extracting import make_item
from tests.small_model import small_model

pytestmark = [pytest.mark.model, pytest.mark.django_db(transaction=True)]
PORT = 8341


def test_the_small_local_model_extracts_by_a_schema(tmp_path):
    owner = factories.make_user("owner")
    study = factories.make_study("clothes", owner)
    item = make_item(study)
    with small_model(tmp_path, PORT) as endpoint:
        judge = factories.make_judge(
            study,
            "small",
            endpoint,
            method="extraction",
            prompt="extract.v1",
            topics=topics.ready()["clothes"],
            max_tokens=900,
            most_statements=5,
        )
        run = plan(judge)
        drive.work_through(run.pk)
    run.refresh_from_db()
    assert run.state == Run.State.FINISHED
    assert set(run.judgments.values_list("state", flat=True)) == {"done"}
    for part in run.extractions.all():
        assert 1 <= part.kept + len(part.dropped) <= 5
        assert Statement.objects.filter(run=run, side=part.side).count() == part.kept
    client = Client()
    client.force_login(owner)
    page = client.get(reverse("statements_of", args=[study.slug, item.pk, "reference"])).text
    assert Statement.objects.filter(side="reference").first().statement in page.replace(
        "&#x27;", "'"
    )
