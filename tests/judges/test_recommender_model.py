"""A real model recommends from MovieLens: badly, but all the way through."""

import pytest
from django.core.management import CommandError

from judges import rated_folders
from judges.models import Judgment, RecommendedList, Run
from tests.judges.test_recommender_pages import tell
from tests.judges.test_recommending import make_recommender
from tests.small_model import small_model

pytestmark = [pytest.mark.model, pytest.mark.django_db(transaction=True)]
PORT = 8322


def test_the_small_model_is_tested_on_movielens(shared_data, tmp_path):
    study, problems = rated_folders.load(shared_data / "movielens-small", "movielens", "MovieLens")
    assert not problems and study.recipients.count() == 610 and study.contents.count() == 9742
    with small_model(tmp_path, PORT) as endpoint:
        judge = make_recommender(study, max_tokens=60)
        judge.endpoint = endpoint
        judge.save()
        options = ["--users", 2, "--iterations", 1, "--k", 2, "--l", 5, "--relations", "multiply"]
        try:
            told = tell("movielens", "recommender", *options, "--wait", "--yes")
        except CommandError as error:  # it may name nothing that can be read
            told = str(error)
    run = Run.objects.get()
    assert run.state == Run.State.FINISHED, told
    assert RecommendedList.objects.count() == 6 == run.calls.count()
    assert all(call.reply and not call.failure for call in run.calls.all())
    for one in RecommendedList.objects.all():
        judgment = run.judgments.get(unit=one.unit)
        assert one.is_parsed == (judgment.state == Judgment.State.DONE) == bool(one.entries)
        assert one.is_parsed or judgment.reason
        assert len(one.given) == 5 and len(one.entries) <= 2
