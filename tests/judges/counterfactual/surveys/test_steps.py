"""How far a study of ratings is: trainings move the bar, before the first question is made too."""

import pytest

from annotate.files.reading import Problems
from judges.counterfactual.factorisation import Recipe
from judges.counterfactual.surveys import making
from judges.counterfactual.surveys.plan import CELLS, Plan
from judges.counterfactual.surveys.reading import read_folder
from judges.counterfactual.surveys.steps import Steps, trainings_of
from judges.models import Upload
from judges.uploads import uploads
from tests.demo_files import made_up_ratings

PLAN = Plan("s", "S", surveys=2, seed=4)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("films")
    made_up_ratings.write_all(found)
    return found


@pytest.fixture(scope="module")
def films(folder):
    return read_folder(folder, Problems())


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(making, "recipe_of", lambda plan: Recipe(factors=4, iterations=2, seed=3))


def test_a_survey_is_276_trainings_as_the_documents_say():
    """12 original models, 84 of each of three questions of CF, and 12 of what is shown."""
    assert [trainings_of(n) for n in range(1, 13)] == [86] * 3 + [2] * 9
    assert sum(trainings_of(n) for n in range(1, len(CELLS) + 1)) == 12 + 3 * 84 + 12 == 276


def made(films, folder, plan=PLAN):
    """[(questions, trainings)] as they were told, all of all."""
    told, questions = [], []

    def say(done, whole):
        assert whole == 24
        questions.append(done)

    def trained(done, whole):
        assert whole == 552
        told.append((questions[-1], done))

    making.make(films, plan, folder, say, trained=trained)
    return told


def test_trainings_move_before_the_first_question_and_end_at_the_whole(films, tmp_path):
    told = made(films, tmp_path)
    before_the_first = [done for questions, done in told if questions == 0]
    assert len(set(before_the_first)) > 80 and max(before_the_first) == 85
    steps = [done for _, done in told]
    assert steps == sorted(steps) and steps[0] == 0 and told[-1] == (24, 552)


def test_who_goes_on_begins_where_the_questions_that_stand_there_end(films, tmp_path):
    def killed(done, whole):
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        making.make(films, PLAN, tmp_path, killed)
    told = made(films, tmp_path)
    assert told[0] == (3, 3 * 86) and told[-1] == (24, 552)


def test_a_question_whose_history_is_drawn_often_does_not_count_above_its_own():
    """Its steps stop before the last one, which is that it is kept."""
    steps = Steps([1, 4])
    steps.begin(4)
    for _ in range(9):
        steps.train()
    assert (steps.done, steps.whole) == (1, 88)
    steps.keep(4)
    assert steps.done == 2


def test_questions_that_stand_there_count_whole_and_the_one_under_way_its_trainings():
    steps = Steps([1, 4], [4])
    assert (steps.done, steps.whole) == (2, 88)
    steps.begin(1)
    for _ in range(7):
        steps.train()
    assert steps.done == 9
    steps.keep(1)
    assert steps.done == steps.whole


@pytest.mark.django_db
def test_the_page_has_questions_and_trainings_together(owner, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    upload = Upload.objects.create(user=owner, slug="s", is_new=True, making={"slug": "s"})
    uploads.folder_of(upload).mkdir(parents=True, exist_ok=True)
    progress = uploads.Progress(upload)
    progress.making(0, 24)
    progress.trained(40, 552)
    progress.making(1, 24)
    assert uploads.progress_of(upload) == {
        "making": True,
        "rows": 1,
        "total": 24,
        "trained": 40,
        "trainings": 552,
    }
