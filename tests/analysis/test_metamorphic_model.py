"""A real model recommends from MovieLens, badly, but all the way: command, worker, tables."""

import os
import re
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotate.models import Study
from judges.models import Heartbeat, Judgment, RecommendedList, Run
from tests import factories, processes
from tests.judges.methods.recommend.test_method import make_recommender
from tests.judges.methods.recommend.test_recommender_pages import tell
from tests.small_model import small_model

pytestmark = [pytest.mark.model, pytest.mark.django_db(transaction=True)]
PORT = 8322
SMALL = [
    "--plan",
    "relations,k_sweep,l_sweep",
    "--users",
    2,
    "--iterations",
    1,
    "--k",
    2,
    "--l",
    5,
    "--ks",
    2,
    "--ls",
    3,
    "--above",
    4.9,
    "--relations",
    "multiply",
]
LISTS = 2 * ((1 + 2) + 2 + 2)  # of two recipients: table 4, the sweep of k, that of l


def make_study(folder):
    """The study that the command makes of the folder, and a recommender with short replies."""
    factories.make_endpoint(key="unused")
    with pytest.raises(CommandError, match="has no judge 'nobody'"):
        tell(folder, "nobody", "--owner", "owner", "--name", "movielens")
    study = Study.objects.get()
    assert (study.recipients.count(), study.contents.count()) == (610, 9742)
    return study


def test_the_small_model_is_tested_on_movielens_through_a_worker(shared_data, tmp_path, client):
    folder, owner = shared_data / "movielens-small", factories.make_user("owner")
    study = make_study(folder)
    extra = {"CELERY_QUEUE": f"test-{os.getpid()}-{tmp_path.name}"}
    with (
        small_model(tmp_path, PORT) as endpoint,
        processes.beat(tmp_path, **extra),
        processes.worker(tmp_path, **extra),
    ):
        judge = make_recommender(study, max_tokens=60)
        judge.endpoint = endpoint
        judge.save()
        processes.wait_for(Heartbeat.objects.any_alive, "a worker that lives")
        try:
            told = tell(folder, "recommender", *SMALL, "--name", study.slug, "--wait", "--yes")
        except CommandError as error:  # it may name nothing that can be read
            told = str(error)
    check_replies(told)
    # What it says is its own: a list that was read is what the tables are made of, else no list.
    client.force_login(owner)
    page = client.get("/studies/movielens/analysis/metamorphic/", {"draws": 20}).text
    printed = StringIO()
    call_command("analyse", "movielens", "metamorphic", draws=20, stdout=printed)
    for table in ("Table 4", "Table 2", "Table 3", "What replies lacked"):
        assert table in page
    for part in ("relations", "k_sweep", "l_sweep", "counts"):
        assert re.search(rf"\b{part}\b", printed.getvalue())


def check_replies(told):
    run = Run.objects.get()
    assert run.state == Run.State.FINISHED, told
    assert RecommendedList.objects.count() == LISTS == run.calls.count()
    assert all(f":{os.getpid()}:" not in f":{call.worker}:" for call in run.calls.all())
    assert all(call.reply and not call.failure for call in run.calls.all())
    for one in RecommendedList.objects.all():
        judgment = run.judgments.get(unit=one.unit)
        assert one.is_parsed == (judgment.state == Judgment.State.DONE) == bool(one.entries)
        assert one.is_parsed or judgment.reason
        assert len(one.given) == one.l or one.l == 0
        assert len(one.entries) <= 2 and "(0.5 being lowest" in one.text
