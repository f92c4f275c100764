"""How recommendations and CF settle, against a plain loop of alternating least squares."""

from io import StringIO

import numpy as np
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from scipy import sparse

from annotate.models import Study
from judges.counterfactual.convergence import Explained, watch
from judges.counterfactual.factorisation import Recipe, start
from judges.management.commands import check_convergence
from judges.models import Judge
from tests.demo_files import made_up_ratings

RECIPE = Recipe(factors=3, regularisation=0.2)


def matrix():
    return (np.random.default_rng(5).random((25, 40)) < 0.25).astype(float)


def scores_by_loop(dense, seed, iterations):
    """Scores of the first recipient, from the beginning."""
    ridge = RECIPE.regularisation * np.eye(RECIPE.factors)
    contents = start(Recipe(factors=3, seed=seed), dense.shape).contents
    for _ in range(iterations):
        people = dense @ contents @ np.linalg.inv(contents.T @ contents + ridge)
        contents = dense.T @ people @ np.linalg.inv(people.T @ people + ridge)
    return contents @ people[0]


@pytest.mark.parametrize("top", [1, 3])
def test_films_and_cf_after_each_number_of_iterations_are_those_of_a_plain_loop(top):
    dense = matrix()
    seen, unseen = np.flatnonzero(dense[0]), np.flatnonzero(dense[0] == 0)
    forgotten = seen[:3].tolist()
    less = dense.copy()
    less[0, forgotten] = 0
    case = Explained("a", sparse.csr_matrix(dense), 0, int(unseen[4]), forgotten)
    told = []
    watched = watch([case], RECIPE, [4, 9], [1, 3, 8], lambda *done: told.append(done), top)
    assert told == [(1, 2), (2, 2)] and watched["items"] == ["a"]
    for s, seed in enumerate([4, 9]):
        for t, count in enumerate([1, 3, 8]):
            before, after = (scores_by_loop(m, seed, count) for m in (dense, less))
            assert watched["best"][s][t] == [unseen[before[unseen].argmax()]]
            rivals = [column for column in [*unseen, *forgotten] if column != case.content]
            raw = np.sort(after[rivals])[-top] - after[case.content]
            expected = np.clip(raw / np.ptp(before), -1, 1)
            assert watched["cf"][s][t] == [pytest.approx(expected, abs=1e-9)]


@pytest.fixture
def made(tmp_path, settings):
    settings.VAR_DIR = tmp_path / "var"
    made_up_ratings.write_all(tmp_path)
    options = {"surveys": 1, "seed": 7, "study": "why", "factors": 6, "iterations": 3}
    call_command("make_counterfactual_study", tmp_path, verbosity=0, **options)
    return Study.objects.get()


def check(*options):
    out = StringIO()
    call_command("check_convergence", "why", *options, stdout=out)
    return out.getvalue()


@pytest.mark.django_db
def test_the_command_keeps_what_the_judge_s_model_gives(made, monkeypatch):
    """After the judge's own iterations the seed of the study gives the study's films and scores."""
    monkeypatch.setattr(check_convergence, "SILENT", 0)
    text = check("--iterations", "6", "3", "--seeds", "2")
    assert "24 of 24 explanations" in text and "12 explanations, seeds 7, 8" in text
    made.refresh_from_db()
    kept = made.extra["convergence"]
    assert (kept["iterations"], kept["seeds"], len(kept["items"])) == ([3, 6], [7, 8], 12)
    judge = Judge.objects.get(kind="cf")
    rows = judge.runs.get().judgments.values_list("item__key", "value")
    for item, cf in zip(kept["items"], kept["cf"][0][0], strict=True):
        assert cf == pytest.approx(dict(rows)[item], abs=1e-9)
    assert check("--iterations", "3", "--seeds", "1", "--questions", "5")
    few = Study.objects.get().extra["convergence"]["items"]
    assert few == kept["items"][:5]  # the same draw, fewer of it


@pytest.mark.django_db
def test_what_cannot_be_checked_is_said(made):
    made.items.update(recipient=None)
    with pytest.raises(CommandError, match="no item explains a recommendation"):
        check()
    Judge.objects.filter(kind="cf").delete()
    with pytest.raises(CommandError, match="has no judge of the kind cf"):
        check()
    with pytest.raises(CommandError, match="There is no study 'other'"):
        call_command("check_convergence", "other")
