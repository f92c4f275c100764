"""The demo studies: whole, honest about their raters, and reproducible."""

import csv
import re
from collections import Counter, defaultdict
from pathlib import Path
from statistics import mean

import pytest
import yaml

from judges.counterfactual.surveys.making import make, read_films, write_files
from judges.counterfactual.surveys.plan import Plan
from judges.counterfactual.surveys.reading import files_of
from tests.demo_files import made_up_answers, made_up_ratings
from tests.demo_files.__main__ import HERE, write_all

SYSTEMS = ["personal", "feature", "template", "vague"]
QUESTIONS = ["persuasiveness", "transparency", "accuracy", "satisfaction"]
STUDIES = ["films", "films-open"]
HEADERS = {
    "contents": "content,title,description,genres,year,director",
    "interactions": "recipient,content,rating,at",
    "items": "item,kind,recipient,content,system,text,reference",
    "ratings": "item,rater,role,question,value,answered_at,seconds",
    "judgments": "item,judge,question,value",
}
OTHERS = {
    "helpdesk": {
        "contents": "content,title,description",
        "items": "item,kind,content,system,text",
        "ratings": "item,rater,role,question,value",
        "judgments": "item,judge,question,value",
    },
    "podcasts": {
        "contents": "content,title,show,topics,description",
        "interactions": "recipient,content,share_listened,at",
        "items": "item,kind,recipient,content,system,parent,side,position",
        "ratings": "rater,role,item,question,value",
        "judgments": "judge,item,question,value",
    },
}


def table(study, name):
    with (HERE / study / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def study_file(study):
    return yaml.safe_load((HERE / study / "study.yaml").read_text(encoding="utf-8"))


def csv_files():
    made = [path for folder in ("films*", *OTHERS) for path in HERE.glob(f"{folder}/*.csv")]
    return sorted(path.relative_to(HERE).as_posix() for path in made)


def test_the_script_writes_the_same_bytes_again(tmp_path):
    written = sorted(path.relative_to(tmp_path).as_posix() for path in write_all(tmp_path))
    assert written == csv_files()
    for name in written:
        assert (tmp_path / name).read_bytes() == (HERE / name).read_bytes(), name


@pytest.mark.parametrize("name", csv_files())
def test_a_file_has_its_header_no_byte_order_mark_and_no_ragged_row(name):
    text = (HERE / name).read_bytes().decode("utf-8")
    rows = list(csv.reader(text.splitlines()))
    headers = OTHERS.get(Path(name).parent.name, HEADERS)
    assert text.startswith(headers[Path(name).stem] + "\n")
    assert {len(row) for row in rows} == {len(rows[0])}
    assert "\r" not in text


SHIPPED = [*HERE.glob("*/study.yaml"), *(HERE.parents[1] / "annotate").glob("**/*.yaml")]


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_instructions_do_not_say_how_many_pages_come(path):
    """Checks, repeats and places that are taken make it another number."""
    told = yaml.safe_load(path.read_text(encoding="utf-8")).get("instructions", "")
    assert not re.search(r"(will see|将看到)\s*\d", told)


@pytest.mark.parametrize(("study", "key"), [("films", "films-demo"), ("films-open", "films-open")])
def test_a_study_asks_the_four_questions(study, key):
    settings = study_file(study)
    assert settings["study"] == key
    assert [question["key"] for question in settings["questions"]] == QUESTIONS
    assert {question["scale"] for question in settings["questions"]} == {"likert5"}
    llms = [judge for judge in settings["judges"] if judge["kind"] == "llm"]
    assert [judge["endpoint"] for judge in llms] == ["local-demo"]


def test_the_rated_study_is_ten_recipients_by_four_films_by_four_systems():
    items = table("films", "items")
    films = {(row["recipient"], row["content"]) for row in items}
    assert len(items) == 160
    assert set(Counter(recipient for recipient, _ in films).values()) == {4}
    assert len({recipient for recipient, _ in films}) == 10


def test_the_open_study_is_three_recipients_by_four_systems_without_ratings():
    assert len(table("films-open", "items")) == 12
    assert len({row["recipient"] for row in table("films-open", "items")}) == 3
    assert not (HERE / "films-open" / "ratings.csv").exists()


@pytest.mark.parametrize("study", STUDIES)
def test_every_pair_is_explained_once_by_every_system(study):
    systems = defaultdict(list)
    for row in table(study, "items"):
        systems[row["recipient"], row["content"]].append(row["system"])
    assert all(sorted(of_pair) == sorted(SYSTEMS) for of_pair in systems.values())


@pytest.mark.parametrize("study", STUDIES)
def test_every_item_has_a_known_recipient_and_a_film_that_is_new_to_them(study):
    films = {row["content"] for row in table(study, "contents")}
    watched = defaultdict(set)
    for row in table(study, "interactions"):
        watched[row["recipient"]].add(row["content"])
    assert all(seen <= films for seen in watched.values())
    for row in table(study, "items"):
        assert row["recipient"] in watched
        assert row["content"] in films - watched[row["recipient"]]


def test_a_recipient_has_watched_and_rated_six_to_ten_films():
    counts = Counter(row["recipient"] for row in table("films", "interactions"))
    assert all(6 <= count <= 10 for count in counts.values())
    assert {row["rating"] for row in table("films", "interactions")} <= set("12345")


@pytest.mark.parametrize("study", STUDIES)
def test_texts_are_unique_short_and_finished(study):
    items = table(study, "items")
    texts = [row["text"] for row in items]
    assert len(set(texts)) == len(texts)
    assert len({row["item"] for row in items}) == len(items)
    for text in texts + [row["reference"] for row in items]:
        assert text == text.strip() and text.endswith(".")
        assert 3 <= len(text.split()) <= 70
        assert "$" not in text and "  " not in text


@pytest.mark.parametrize("study", STUDIES)
@pytest.mark.parametrize("system", ["personal", "feature", "template"])
def test_a_text_names_no_film_that_its_recipient_has_not_watched(study, system):
    titles = {row["content"]: row["title"] for row in table(study, "contents")}
    watched = {(row["recipient"], row["content"]) for row in table(study, "interactions")}
    for row in table(study, "items"):
        if row["system"] == system:
            named = {film for film, title in titles.items() if title in row["text"]}
            known = {film for film in named if (row["recipient"], film) in watched}
            assert named - known <= {row["content"]}, row["item"]


def test_references_differ_from_pair_to_pair():
    references = {row["reference"] for study in STUDIES for row in table(study, "items")}
    assert len(references) == 43


@pytest.mark.parametrize("study", STUDIES)
def test_the_id_of_an_item_does_not_give_away_its_system(study):
    letters = defaultdict(set)
    for row in table(study, "items"):
        letters[row["system"]].add(row["item"][-1])
        assert row["system"] not in row["item"]
    assert all(len(used) > 1 for used in letters.values())


def test_every_rater_is_named_as_simulated():
    raters = {row["rater"] for row in table("films", "ratings")}
    assert len(raters) == 13
    assert all(rater.startswith("simulated-") for rater in raters)


def test_recipients_rate_only_what_was_recommended_to_them():
    recipient_of = {row["item"]: row["recipient"] for row in table("films", "items")}
    for row in table("films", "ratings"):
        if row["role"] == "recipient":
            assert row["rater"] == f"simulated-{recipient_of[row['item']]}"
        else:
            assert row["role"] == "third_party"


def test_ratings_are_on_the_scale_once_each_and_by_three_raters_an_item():
    ratings = table("films", "ratings")
    raters = defaultdict(set)
    for row in ratings:
        raters[row["item"]].add(row["rater"])
        assert row["value"] in set("12345")
        assert row["question"] in QUESTIONS
        assert float(row["seconds"]) > 0
    assert len({(row["item"], row["rater"], row["question"]) for row in ratings}) == len(ratings)
    assert set(raters) == {row["item"] for row in table("films", "items")}
    assert {len(of_item) for of_item in raters.values()} == {3}


def test_a_few_answers_are_missing():
    assert 0.005 < 1 - len(table("films", "ratings")) / (160 * 3 * 4) < 0.03


@pytest.mark.parametrize("role", ["recipient", "third_party"])
def test_mean_ratings_order_the_systems(role):
    system_of = {row["item"]: row["system"] for row in table("films", "items")}
    values = defaultdict(list)
    for row in table("films", "ratings"):
        if row["role"] == role:
            values[system_of[row["item"]]].append(int(row["value"]))
    assert sorted(SYSTEMS, key=lambda system: -mean(values[system])) == SYSTEMS


@pytest.mark.parametrize("question", QUESTIONS)
def test_raters_agree_as_far_as_people_do(question):
    krippendorff = pytest.importorskip("krippendorff")
    answers = defaultdict(list)
    for row in table("films", "ratings"):
        if row["question"] == question:
            answers[row["item"]].append(int(row["value"]))
    counts = [[values.count(scale) for scale in range(1, 6)] for values in answers.values()]
    alpha = krippendorff.alpha(
        value_counts=counts, value_domain=range(1, 6), level_of_measurement="interval"
    )
    assert 0.4 < alpha < 0.6


def test_the_baseline_of_the_file_judges_every_item_and_is_named_as_what_it_is():
    items = {row["item"]: row for row in table("films", "items")}
    judged = defaultdict(dict)
    for row in table("films", "judgments"):
        judged[row["judge"]][row["item"], row["question"]] = row["value"]
    assert set(judged) == {"text length", "Simulated judge"}
    assert set(judged["Simulated judge"]) == {(item, key) for item in items for key in QUESTIONS}
    assert set(judged["Simulated judge"].values()) <= {*"12345"}
    for item, row in items.items():
        assert int(judged["text length"][item, ""]) == len(row["text"].split())


def test_the_surveys_are_made_of_the_made_up_ratings(tmp_path):
    """As the first lines of made_up_ratings.py say; only a notice and a consent are its own."""
    source, folder = tmp_path / "ratings", tmp_path / "study"
    made_up_ratings.write_all(source)
    plan = Plan("surveys-demo", "Films, counterfactual explanations", surveys=2, seed=7, raters=14)
    films = read_films(source)
    questions = make(films, plan, folder / "questions")
    study, tables = write_files(films, questions, plan, files_of(source)["ratings"], folder)
    for name, path in tables.items():
        assert path.read_bytes() == (HERE / "surveys" / f"{name}.csv").read_bytes(), name
    added = {"notice", "consent", "platform"}
    kept = {key: value for key, value in study_file("surveys").items() if key not in added}
    made = yaml.safe_load(study.read_text(encoding="utf-8"))
    assert {key: value for key, value in made.items() if key not in added} == kept


def test_the_surveys_have_simulated_raters_and_places_left(tmp_path):
    made_up_answers.write(tmp_path / "ratings.csv")
    assert (tmp_path / "ratings.csv").read_bytes() == (HERE / "surveys/ratings.csv").read_bytes()
    survey_of = {row["item"]: row["survey"] for row in table("surveys", "items")}
    asked = {question["key"] for question in study_file("surveys")["questions"]}
    given = defaultdict(set)
    for row in table("surveys", "ratings"):
        assert row["rater"].startswith("simulated-") and row["value"] in set("12345")
        given[row["rater"], survey_of[row["item"]]].add((row["item"], row["question"]))
    assert Counter(survey for _, survey in given) == {"1": 4, "2": 4}
    assert {len(answers) for answers in given.values()} == {12 * len(asked)}
    assert 2 * (study_file("surveys")["raters_per_item"] - 4) == 20  # visitors, a survey each
