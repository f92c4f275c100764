"""A changed study.yaml on a questionnaire with answers: a new version, if the file says so."""

import pytest
import yaml

from analysis.answers import frame
from annotate.models import Question, Rating, Session, Study
from judges.files.load import load_files
from judges.files.study_file import study_yaml
from judges.models import Judgment
from tests import factories

pytestmark = pytest.mark.django_db
RATINGS = "item,rater,question,value,version\n"
JUDGMENTS = "item,judge,question,value,prompt,version\n"


@pytest.fixture
def answered(study):
    """One answer, by ann, to accuracy."""
    accuracy = study.questions.get(key="accuracy")
    factories.make_rating(factories.make_session(study), study.items.first(), accuracy, 4)
    return study


def data_of(study):
    return yaml.safe_load(study_yaml(study))


def load(tmp_path, data, ratings="", judgments=""):
    (tmp_path / "study.yaml").write_text(yaml.safe_dump(data, sort_keys=False))
    (tmp_path / "ratings.csv").write_text(RATINGS + ratings)
    (tmp_path / "judgments.csv").write_text(JUDGMENTS + judgments)
    paths = {"ratings": tmp_path / "ratings.csv"} if ratings else {}
    paths |= {"judgments": tmp_path / "judgments.csv"} if judgments else {}
    return load_files(tmp_path / "study.yaml", paths)


def said(loading):
    return [str(problem) for problem in loading.problems.shown]


def changed(data):
    """Accuracy reworded, transparency left out, watch new."""
    for question in data["questions"]:
        if question["key"] == "accuracy":
            question["text"] = "New words."
    data["questions"] = [q for q in data["questions"] if q["key"] != "transparency"]
    data["questions"].append({"key": "watch", "text": "Watch it?", "scale": "binary"})
    return data


def test_without_the_next_number_nothing_changes(answered, tmp_path):
    before = study_yaml(answered)
    (problem,) = said(load(tmp_path, changed(data_of(answered))))
    assert "write questionnaire_version: 2 to change it as a new version" in problem
    assert study_yaml(Study.objects.get()) == before


def test_with_it_a_version_begins_and_what_is_left_out_is_retired(answered, tmp_path):
    session = factories.make_session(answered, "bea", state="rating", source="web")
    factories.make_rating(
        session, answered.items.first(), answered.questions.get(key="transparency"), 2
    )
    data = changed(data_of(answered)) | {"questionnaire_version": 2}
    assert said(load(tmp_path, data)) == []
    study = Study.objects.get()
    assert study.questionnaire_version == 2
    assert Question.objects.get(key="accuracy").text == "New words."
    assert Question.objects.get(key="transparency").retired
    assert [q["text"] for q in study.versions.get().questions] == list(factories.ASPECTS.values())
    once = study_yaml(study)
    assert load(tmp_path, yaml.safe_load(once)).changes is False
    assert study_yaml(Study.objects.get()) == once
    assert {
        key: row.get("retired")
        for key, row in {q["key"]: q for q in yaml.safe_load(once)["questions"]}.items()
    } == {
        "persuasiveness": None,
        "accuracy": None,
        "satisfaction": None,
        "watch": None,
        "transparency": True,
    }


def test_the_scale_of_an_answered_question_stays(answered, tmp_path):
    data = data_of(answered) | {"questionnaire_version": 2}
    data["questions"][2]["scale"] = "likert7"
    (problem,) = said(load(tmp_path, data))
    assert "another kind, range or other options of the scale of accuracy" in problem
    data["questions"][2]["scale"] = {"min": 1, "max": 5, "labels": ["never", "always"]}
    assert said(load(tmp_path, data)) == []


@pytest.mark.parametrize(
    "number, why",
    [(2, "no question changes"), (3, "no question changes"), (0, "a whole number from 1 to")],
)
def test_a_number_without_a_change_is_refused(answered, tmp_path, number, why):
    (problem,) = said(load(tmp_path, data_of(answered) | {"questionnaire_version": number}))
    assert why in problem


def test_before_there_are_answers_the_number_stays(study, tmp_path):
    data = changed(data_of(study))
    (problem,) = said(load(tmp_path, data | {"questionnaire_version": 2}))
    assert "nobody has answered version 1 yet" in problem
    assert said(load(tmp_path, data)) == []
    assert not Question.objects.filter(key="transparency").exists()


def test_loaded_ratings_are_of_the_present_version_or_of_the_one_they_name(answered, tmp_path):
    data = changed(data_of(answered)) | {"questionnaire_version": 2}
    rows = "item-0,cem,accuracy,5,\nitem-1,cem,accuracy,3,1\nitem-2,cem,transparency,3,1\n"
    assert said(load(tmp_path, data, rows)) == []
    found = Rating.objects.filter(session__rater__key="cem").order_by("item__key")
    assert list(found.values_list("item__key", "session__version")) == [
        ("item-0", 2),
        ("item-1", 1),
        ("item-2", 1),
    ]
    assert Session.objects.filter(rater__key="cem").count() == 2
    assert load(tmp_path, data_of(Study.objects.get()), rows).changes is False


def test_a_judgment_of_another_version_is_another_judgment(answered, tmp_path):
    data = changed(data_of(answered)) | {"questionnaire_version": 2}
    assert said(load(tmp_path, data)) == []
    data = data_of(Study.objects.get())
    first, second = "item-0,G,accuracy,5,,{}\n", "item-0,G,accuracy,3,own.v1,{}\n"
    assert said(load(tmp_path, data, judgments=first.format(2))) == []
    both = first.format("") + second.format(1)
    loading = load(tmp_path, data, judgments=both)
    assert said(loading) == []
    counts = loading.counts["judgments"]
    assert (counts.new, counts.unchanged) == (1, 1)
    found = Judgment.objects.order_by("run__version").values_list("run__version", "value")
    assert list(found) == [(1, 3.0), (2, 5.0)]
    table = frame.read_answers(Study.objects.get()).select_source("judge")
    assert table["value"].to_list() == [5.0], "of the later version, though it was loaded first"
    assert load(tmp_path, data, judgments=both).changes is False
    (problem,) = said(load(tmp_path, data, judgments=first.format(2) + first.format("")))
    assert "stands on line 2 already" in problem


def test_a_version_that_is_not_there_yet_is_refused(answered, tmp_path):
    (problem,) = said(load(tmp_path, data_of(answered), "item-0,cem,accuracy,5,2\n"))
    assert "found 2; allowed is at most 1" in problem


def test_a_study_of_two_versions_can_be_made_from_its_files(answered, tmp_path):
    assert said(load(tmp_path, changed(data_of(answered)) | {"questionnaire_version": 2})) == []
    data = data_of(Study.objects.get()) | {"study": "again"}
    assert said(load(tmp_path, data)) == []
    assert data_of(Study.objects.get(slug="again")) == data
