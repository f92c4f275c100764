"""Scores by several seeds, against a plain loop of alternating least squares and values by hand."""

import csv

import numpy as np
import pytest
from django.core.management import call_command

from annotate.files.reading import Problems
from judges.counterfactual.factorisation import EXPLICIT, Recipe, start
from judges.counterfactual.surveys import making, seeds
from judges.counterfactual.surveys.choosing import Question, Repeat, question
from judges.counterfactual.surveys.plan import CELLS, Plan
from judges.counterfactual.surveys.reading import read_folder
from judges.counterfactual.surveys.steps import Steps
from tests.demo_files import made_up_ratings

SMALL = Recipe(factors=6, iterations=5, seed=3)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Ratings of 90 people on 240 films."""
    place = tmp_path_factory.mktemp("films")
    made_up_ratings.write_all(place)
    return place


@pytest.fixture(scope="module")
def films(folder):
    return read_folder(folder, Problems())


@pytest.fixture(autouse=True)
def var(settings, tmp_path):
    settings.VAR_DIR = tmp_path / "var"
    return settings.VAR_DIR


def scores_by_loop(films, history, seed):
    """All films' scores for somebody with this history, by dense alternating least squares."""
    dense = np.zeros((films.matrix.shape[0] + 1, films.matrix.shape[1]))
    dense[:-1] = films.matrix.toarray()
    dense[-1, history] = 1
    ridge = 0.01 * np.eye(SMALL.factors)
    contents = start(Recipe(factors=6, seed=seed), dense.shape).contents
    for _ in range(SMALL.iterations):
        people = dense @ contents @ np.linalg.inv(contents.T @ contents + ridge)
        contents = dense.T @ people @ np.linalg.inv(people.T @ people + ridge)
    return contents @ people[-1]


def by_loop(films, made, seed):
    """Whether a seed's model recommends the question's film, and its CF, by the loop."""
    before = scores_by_loop(films, made.history, seed)
    unseen = np.setdiff1d(np.arange(len(before)), made.history)
    kept = [film for film in made.history if film not in made.explaining]
    after = scores_by_loop(films, kept, seed)
    rivals = np.setdiff1d(np.arange(len(before)), [*kept, made.content])
    cf = (after[rivals].max() - after[made.content]) / (before.max() - before.min())
    return unseen[before[unseen].argmax()] == made.content, cf


def test_another_seed_scores_a_question_as_a_plain_loop_does(films):
    made = question(films, SMALL, CELLS.index(("item-sim", "highest")), [3, 1])
    recommended = set()
    for seed in range(3, 9):
        again = seeds.score_again(films, SMALL, made, seed)
        is_recommended, cf = by_loop(films, made, seed)
        assert (again.seed, again.is_recommended) == (seed, is_recommended)
        assert again.scores["cf"] == pytest.approx(cf, abs=1e-8)
        recommended.add(is_recommended)
    assert recommended == {True, False}  # the example has both
    own = seeds.score_again(films, SMALL, made, SMALL.seed)
    assert own.is_recommended
    for score in ("cf", "cf-a"):
        assert own.scores[score] == pytest.approx(made.scores[score], abs=1e-12)


@pytest.mark.parametrize("recipe", [SMALL, Recipe(EXPLICIT, factors=3, iterations=2, seed=3)])
@pytest.mark.parametrize("is_real", [False, True])
def test_the_study_s_own_seed_scores_a_question_as_it_was_made(films, recipe, is_real):
    """In both forms, of people who are made up and of real ones with a list of twelve."""
    row = [*films.histories][2] if is_real else None
    made = question(films, recipe, CELLS.index(("cf-a", "lowest")), [3, 1], row=row)
    own = seeds.score_again(films, recipe, made, 3, row)
    assert own.is_recommended
    for score in ("cf", "cf-a"):
        assert own.scores[score] == pytest.approx(made.scores[score], abs=1e-12)


def test_the_columns_of_a_question_by_hand():
    """CF of .1, .4 and −.2: mean .1, variance (0 + .09 + .09) / 2."""
    repeats = (Repeat(8, False, {"cf": 0.4, "cf-a": 0.0}), Repeat(9, True, {"cf": -0.2, "cf-a": 0}))
    made = Question("cf", "mean", [], 0, [], {"cf": 0.1, "cf-a": 0.3}, 1, repeats=repeats)
    cells = dict(zip(seeds.column_names(), seeds.cells_of(made, 7), strict=True))
    assert (cells["seeds"], cells["recommended_by_seeds"]) == ("7|8|9", "7|9")
    spread = [cells[f"cf_{name}"] for name in ("mean", "sd", "min", "max")]
    assert spread == pytest.approx([0.1, 0.3, -0.2, 0.4])
    assert cells["cf_a_mean"] == pytest.approx(0.1) and cells["cf_a_max"] == 0.3


def files_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def make_files(folder, out, **options):
    given = {"surveys": 1, "seed": 7, "study": "why", "verbosity": 0, "files": out} | options
    call_command("make_counterfactual_study", folder, **given)
    return files_of(out)


def test_more_seeds_add_columns_and_change_nothing_else(folder, films, tmp_path):
    plain = make_files(folder, tmp_path / "plain")
    three = make_files(folder, tmp_path / "three", seeds=3)
    assert make_files(folder, tmp_path / "one", seeds=1) == plain
    assert {name for name in plain if plain[name] != three[name]} == {"items.csv"}
    before, after = (
        list(csv.DictReader(f.decode().splitlines()))
        for f in (plain["items.csv"], three["items.csv"])
    )
    assert {*after[0]} - {*before[0]} == {*seeds.column_names()}
    for old, new in zip(before, after, strict=True):
        assert old.items() <= new.items() and new["seeds"] == "7|8|9"
        assert new["recommended_by_seeds"].startswith("7")
        assert float(new["cf_min"]) <= float(new["cf_mean"]) <= float(new["cf_max"])


def test_who_goes_on_in_the_middle_of_the_seeds_makes_the_same(films, var, monkeypatch):
    plan = Plan("s", "S", surveys=1, seed=4, seeds=3)
    monkeypatch.setattr(making, "recipe_of", lambda plan: SMALL)
    told = []
    whole = making.make(films, plan, var / "one", trained=lambda done, of: told.append((done, of)))
    assert told == sorted(told) and told[-1] == (276 + 24 * 2, 276 + 24 * 2)

    def goes_on():
        return len([*(var / "two").rglob("*-seed-*.json")]) < 5

    assert making.make(films, plan, var / "two", goes_on=goes_on) is None
    times = {path: path.stat().st_mtime_ns for path in (var / "two").rglob("*.json")}
    assert len(times) == 12 + 5
    assert making.make(films, plan, var / "two") == whole
    assert all(path.stat().st_mtime_ns == time for path, time in times.items())
    assert len({again.seed for made in whole.values() for again in made.repeats}) == 2


def test_trainings_of_other_seeds_count_in_the_bar():
    """Question 4 takes two trainings; each of its two repeats two more, one of them kept."""
    steps = Steps([4], [4], repeats=2, repeated=1)
    assert (steps.done, steps.whole) == (4, 6)
    steps.begin_repeat()
    steps.train()
    steps.train()
    assert steps.done == 5
    steps.keep_repeat()
    assert steps.done == 6
