"""Studies of counterfactual explanations: their questions against brute force and other libraries,
and what is made of them.
"""

import json
import os
import shutil
from collections import Counter
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone
from implicit.cpu.als import AlternatingLeastSquares
from scipy import sparse

from annotate.files.reading import Problems
from annotate.models import Interaction, Item, Study
from judges.counterfactual.factorisation import Recipe, start
from judges.counterfactual.surveys import making
from judges.counterfactual.surveys.choosing import drawn, explanation, pick, question
from judges.counterfactual.surveys.plan import CELLS, NoQuestion, Plan
from judges.counterfactual.surveys.reading import popular, read_folder
from judges.models import Judgment, Run
from tests.demo_files import made_up_ratings
from tests.processes import Process, wait_for

SMALL = Recipe(factors=6, iterations=5, seed=3)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Ratings of 90 people on 240 films."""
    found = tmp_path_factory.mktemp("films")
    made_up_ratings.write_all(found)
    return found


@pytest.fixture(scope="module")
def films(folder):
    problems = Problems()
    found = read_folder(folder, problems)
    assert not problems.shown
    return found


@pytest.fixture(autouse=True)
def var(settings, tmp_path):
    settings.VAR_DIR = tmp_path / "var"
    return settings.VAR_DIR


# Choosing


def test_what_is_picked_by_hand():
    values = [0.1, 0.5, 0.3, 0.3, 0.5]  # their mean is .34
    assert pick(values, "highest") == [1] and pick(values, "highest", 3) == [1, 4, 2]
    assert pick(values, "lowest") == [0] and pick(values, "lowest", 3) == [0, 2, 3]
    assert pick(values, "mean") == [2] and pick(values, "mean", 3) == [2, 3, 1]


def test_rounding_makes_no_difference_between_equals():
    third = 1 / 3
    assert pick([third, 1 - 2 * third, 0.5], "lowest") == [0]
    assert pick([1 - 2 * third, third, 0.5], "lowest") == [0]


def test_popular_are_those_from_the_quantile_on():
    """Of 1, 2, … 11 people the 90 % quantile is 10."""
    matrix = sparse.csr_matrix(np.tril(np.ones((11, 11))))
    columns, least = popular(matrix)
    assert (columns.tolist(), least) == ([0, 1], 10)


def fake(**scores):
    """A case of nine contents with these scores of each kind, a function of an explanation."""
    kinds = {kind.replace("_", "-"): of for kind, of in scores.items()}
    seen = np.array([2, 3, 5, 7, 11, 13, 17, 19, 23])
    return SimpleNamespace(seen=seen, scores_of=lambda kind, some: [kinds[kind](e) for e in some])


def test_cf_takes_one_of_84_subsets_and_a_baseline_three_single_contents():
    """Sums of three primes: the mean of all is 100/3, and 33 comes first with 3, 7 and 23."""
    case = fake(cf=sum, item_sim=lambda one: -(one[0] % 10))
    assert explanation(case, "cf", "highest") == [17, 19, 23]
    assert explanation(case, "cf", "lowest") == [2, 3, 5]
    sums = {some: sum(some) for some in combinations(case.seen.tolist(), 3)}
    assert len(sums) == 84 and sum(sums.values()) / 84 == pytest.approx(100 / 3)
    assert explanation(case, "cf", "mean") == [3, 7, 23]
    # Last digits 2 3 5 7 1 3 7 9 3; their mean is 40/9 = 4.44.
    assert explanation(case, "item-sim", "highest") == [2, 3, 11]
    assert explanation(case, "item-sim", "lowest") == [7, 17, 19]
    assert explanation(case, "item-sim", "mean") == [3, 5, 13]


def test_a_history_of_people_is_of_films_that_one_person_has(films):
    rows = [set(films.matrix[row].indices) for row in range(films.matrix.shape[0])]
    often, usual = set(films.popular.tolist()), 0
    for seed in range(20):
        history = set(drawn(films, np.random.default_rng(seed), people=True)[0])
        assert len(history) == 9 and history <= often and any(history <= row for row in rows)
        usual += any(set(drawn(films, np.random.default_rng(seed))[0]) <= row for row in rows)
    assert usual < 20


def by_implicit(films, history):
    """What a model of the films and this history scores, trained by implicit alone."""
    rows = films.matrix.shape[0]
    own = sparse.csr_matrix(
        (np.ones(len(history)), ([0] * len(history), history)), shape=(1, films.matrix.shape[1])
    )
    model = AlternatingLeastSquares(
        factors=6, iterations=5, regularization=0.01, use_cg=False, dtype=np.float64, num_threads=1
    )
    begin = start(SMALL, (rows + 1, films.matrix.shape[1]))
    model.user_factors, model.item_factors = begin.recipients.copy(), begin.contents.copy()
    model.fit(sparse.vstack([films.matrix, own], format="csr"), show_progress=False)
    return model.item_factors @ model.user_factors[rows]


def cf_by_implicit(films, before, made, some):
    after = by_implicit(films, [one for one in made.history if one not in some])
    others = np.ones(len(after), dtype=bool)
    others[[one for one in made.history if one not in some]] = False
    others[made.content] = False
    return (after[others].max() - after[made.content]) / (before.max() - before.min())


def test_a_question_equals_one_made_by_brute_force_with_another_library(films):
    """The recommendation, the explanation with the highest CF of all 84, and that CF."""
    made = question(films, SMALL, CELLS.index(("cf", "highest")), [5, 1])
    before = by_implicit(films, made.history)
    unseen = np.setdiff1d(np.arange(len(before)), made.history)
    assert made.content == unseen[np.argmax(before[unseen])]
    assert len(made.history) == 9 and set(made.history) <= set(films.popular.tolist())
    scores = {
        some: cf_by_implicit(films, before, made, some) for some in combinations(made.history, 3)
    }
    assert tuple(made.explaining) == max(scores, key=scores.__getitem__)
    assert made.scores["cf"] == pytest.approx(max(scores.values()), abs=1e-8)


# Making


def kept(var):
    return {path.name: path.read_text() for path in var.rglob("*.json")}


def test_who_goes_on_after_an_interruption_makes_the_same(films, var, monkeypatch):
    plan = Plan("s", "S", surveys=1, seed=4)
    monkeypatch.setattr(making, "recipe_of", lambda plan: SMALL)
    whole = making.make(films, plan, var / "one")
    calls = []

    def killed(done, _whole):
        calls.append(done)
        if done == 5 and calls.count(5) > 1:  # in the middle of the sixth
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        making.make(films, plan, var / "two", killed)
    before = kept(var / "two")
    assert len(before) == 5
    made = []
    again = making.make(films, plan, var / "two", lambda done, _: made.append(done))
    assert again == whole and kept(var / "two") == kept(var / "one")
    assert before.items() <= kept(var / "two").items()
    assert making.make(films, Plan("s", "S", 1, seed=5), var / "one") != whole


def run(folder, **options):
    given = {"surveys": 1, "seed": 7, "study": "why", "verbosity": 0} | options
    call_command("make_counterfactual_study", folder, **given)


@pytest.mark.django_db
def test_a_study_is_made_with_its_scores_and_judges_give_what_it_was_made_by(folder, films, var):
    run(folder)
    study = Study.objects.get(slug="why")
    items = list(study.items.select_related("content", "recipient", "system"))
    assert Counter((i.data["cell_score"], i.data["cell_level"]) for i in items) == Counter(CELLS)
    assert {item.data["survey"] for item in items} == {"1"} and len({i.system for i in items}) == 12
    for item in items:
        history = Interaction.objects.filter(recipient=item.recipient)
        assert set(history.values_list("data__hypothetical", flat=True)) == {"yes"}
        seen = dict(history.values_list("content__key", "content__title"))
        named = item.data["explaining_contents"].split("|")
        assert len(seen) == 9 and item.content.key not in seen and set(named) < set(seen)
        assert item.text.splitlines()[1:] == [seen[key] for key in named]
    trained = Interaction.objects.filter(study=study).exclude(data__has_key="hypothetical")
    assert trained.count() == films.matrix.nnz
    expected = {
        f"survey-{name[:-5]}": json.loads(text)["scores"] for name, text in kept(var).items()
    }
    rows = Judgment.objects.filter(item__study=study)
    found = list(rows.values_list("item__key", "run__judge__kind", "value"))
    assert len(found) == 12 * 4 * 7
    for key, kind, value in found:
        assert value == pytest.approx(expected[key][kind], abs=1e-9), (key, kind)
    assert (study.items_per_session, study.show_history) == (12, 9)
    assert study.extra["sessions_by"] == "survey" and study.questions.count() == 7


@pytest.mark.django_db
def test_a_command_that_was_killed_while_it_scored_goes_on(folder, monkeypatch, capsys):
    def killed(pk):
        held = Judgment.objects.filter(run=pk, unit=0)
        held.update(state="leased", leased_by="dead", leased_until=timezone.now())
        raise KeyboardInterrupt

    with monkeypatch.context() as dying, pytest.raises(KeyboardInterrupt):
        dying.setattr("judges.runs.drive.work_through", killed)
        run(folder)
    assert set(Run.objects.values_list("state", flat=True)) == {"active"}
    run(folder)
    assert "Study why is there already." in capsys.readouterr().out
    assert set(Run.objects.values_list("state", flat=True)) == {"finished"}
    assert Item.objects.count() == 12 and Run.objects.count() == 4


@pytest.mark.django_db
def test_a_study_of_another_kind_is_not_touched(folder, study):
    with pytest.raises(CommandError, match="there is a study 'films' already"):
        run(folder, study="films")


def test_a_command_that_was_killed_goes_on_and_ends_with_the_same_files(folder, var, tmp_path):
    """SIGKILL in the middle of a thousand surveys; the first of them does not depend on the rest.

    Files alone need no database.
    """
    arguments = ["manage.py", "make_counterfactual_study", str(folder), "--seed", "7"]
    arguments += ["--surveys", "1000", "--files", str(tmp_path / "never")]
    process = Process(arguments, {**os.environ, "CONCORD_VAR": str(var)}, tmp_path / "log")
    wait_for(lambda: len(kept(var)) >= 3, what=f"a third question: {process.output()}")
    process.kill()
    assert not (tmp_path / "never").exists()
    before = kept(var)
    run(folder, files=tmp_path / "again")
    assert before.items() <= kept(var).items()
    shutil.rmtree(var)
    run(folder, files=tmp_path / "whole")
    assert kept(var).keys() == {f"1-{number}.json" for number in range(1, 13)}
    for path in (tmp_path / "whole").iterdir():
        assert path.read_bytes() == (tmp_path / "again" / path.name).read_bytes()


def test_one_thread_and_two_make_the_same_questions_with_the_same_scores(folder, tmp_path):
    """All four scores of each, to the last digit."""
    made = []
    for count in "12":
        threads = {f"{library}_NUM_THREADS": count for library in ("OMP", "OPENBLAS", "MKL")}
        env = {**os.environ, "CONCORD_VAR": str(tmp_path / count), **threads}
        arguments = ["manage.py", "make_counterfactual_study", str(folder), "--seed", "7"]
        arguments += ["--surveys", "2", "--files", str(tmp_path / f"{count}-files")]
        process = Process(arguments, env, tmp_path / f"log-{count}")
        assert process.popen.wait(120) == 0, process.output()
        made.append(kept(tmp_path / count))
    assert len(made[0]) == 24 and made[0] == made[1]


def test_a_question_in_the_middle_is_given_up_where_making_does_not_go_on(films, tmp_path):
    plan, trainings = Plan("s", "S", surveys=1, seed=4), []

    def trained(done, whole):
        trainings.append(done)

    made = making.make(
        films, plan, tmp_path, goes_on=lambda: trainings[-1:] != [100], trained=trained
    )
    assert made is None and kept(tmp_path).keys() == {"1-1.json"}


# What cannot be made


def changed(folder, target, **texts):
    """The folder again, with files changed: None is left out, a function changes the text."""
    target.mkdir()
    for name in ("movies", "ratings"):
        text = (folder / f"{name}.csv").read_text()
        change = texts.get(name, str)
        if change is not None:
            (target / f"{name}.csv").write_text(change(text))
    return target


def few(text):
    """Two films that everybody has, and two that nobody else has."""
    rows = [f"{who},{film},3" for who in range(20) for film in (1, 2)]
    return "\n".join(["userId,movieId,rating", *rows, "1,3,4", "1,4,4"]) + "\n"


def constant(text):
    """Everybody has rated everything, and all the same."""
    rows = [f"{who},{film},3" for who in range(20) for film in range(1, 31)]
    return "\n".join(["userId,movieId,rating", *rows]) + "\n"


BAD = {
    "constant": (
        {"ratings": constant},
        "ratings.csv: found 20 people who all have the same 30 films; allowed are people who",
    ),
    "no file": ({"ratings": None}, "ratings.csv: there is no such file; allowed is a folder"),
    "column": (
        {"ratings": lambda text: text.replace("movieId", "film", 1)},
        "ratings.csv, line 1, column movieId: this column is missing; found are 'userId, film",
    ),
    "genres": (
        {"movies": lambda text: text.replace("genres", "tags", 1)},
        "movies.csv, line 1, column genres: this column is missing; found are 'movieId, title",
    ),
    "unknown": (
        {"ratings": lambda text: text + "1,no-film,3\n"},
        "ratings.csv, line 2715, column movieId: found 'no-film'; allowed is a movieId of",
    ),
    "rating": (
        {"ratings": lambda text: text + "1,2,good\n"},
        "ratings.csv, line 2715, column rating: found 'good'; allowed is a number",
    ),
    "title": (
        {"movies": lambda text: text + "241,,Drama\n"},
        "movies.csv, line 242, column title: this cell is empty",
    ),
    "bar": (
        {"movies": lambda text: text + "2|4,Two,Drama\n"},
        "movies.csv, line 242, column movieId: found '2|4'; allowed is an id without |",
    ),
    "twice": (
        {"movies": lambda text: text + "7,Seven,Drama\n"},
        "movies.csv, line 242: the film '7' stands on line 8 already",
    ),
    "again": (
        {"ratings": lambda text: text + text.splitlines()[1] + "\n"},
        "ratings.csv, line 2715: '1' and ",
    ),
    "made up": (
        {"ratings": lambda text: text + "hypothetical-1-1,2,3\n"},
        "ratings.csv, line 2715, column userId: found 'hypothetical-1-1'; allowed is",
    ),
    "few": (
        {"ratings": few},
        "ratings.csv: found 2 films that at least 20 people have, the 90% quantile of 4 films; "
        "allowed are 9 or more",
    ),
}


@pytest.mark.parametrize(("texts", "message"), BAD.values(), ids=BAD)
def test_bad_files_are_refused_in_words(folder, tmp_path, texts, message):
    problems = Problems()
    assert read_folder(changed(folder, tmp_path / "bad", **texts), problems) is None
    assert str(problems.shown[0]).startswith(message)


def test_one_interaction_a_film_nobody_rated_and_equal_ratings_are_ordinary(
    folder, films, tmp_path
):
    """Who rated one film is one row; what nobody has is never recommended; ratings do not count."""

    def rated_alike(text):
        header, *rows = text.splitlines()
        rows = [",".join([*row.split(",")[:2], "3"]) for row in rows]
        return "\n".join([header, *rows, "lonely,17,3"]) + "\n"

    other = changed(
        folder,
        tmp_path / "other",
        movies=lambda text: text + "999,Unseen,Drama\n",
        ratings=rated_alike,
    )
    found = read_folder(other, Problems())
    assert found.matrix.shape[0] == films.matrix.shape[0] + 1
    assert found.titles["999"] == "Unseen" and "999" not in found.keys
    made = question(found, SMALL, 0, [1, 1])
    assert set(made.scores) == {"cf", "cf-a", "item-sim", "genre-jacc"}


def test_films_that_cannot_be_told_apart_make_no_question(folder, tmp_path):
    """All of the same genre: no explanation has the highest Genre-Jacc."""

    def alike(text):
        header, *rows = text.splitlines()
        return "\n".join([header, *(row.rsplit(",", 1)[0] + ",Drama" for row in rows)]) + "\n"

    films = read_folder(changed(folder, tmp_path / "alike", movies=alike), Problems())
    with pytest.raises(NoQuestion, match="all candidates have the same Genre-Jacc, in 50 hist"):
        question(films, SMALL, CELLS.index(("genre-jacc", "highest")), [1, 1])


def test_a_film_without_genres_is_refused_before_anything_is_retrained(folder, tmp_path):
    def without_genres(text):
        header, *rows = text.splitlines()
        bare = (row.rsplit(",", 1)[0] + ",(no genres listed)" for row in rows)
        return "\n".join([header, *bare]) + "\n"

    films = read_folder(changed(folder, tmp_path / "bare", movies=without_genres), Problems())
    trained = []
    with pytest.raises(NoQuestion, match="the recommended content has no genres, in 50 hist"):
        question(films, SMALL, CELLS.index(("cf", "highest")), [1, 1], lambda: trained.append(1))
    assert not trained


def test_no_number_is_no_setting_of_the_model(folder):
    with pytest.raises(CommandError, match="found 'nan'; allowed is a number from"):
        call_command("make_counterfactual_study", folder, "--regularisation", "nan")
