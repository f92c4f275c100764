"""Options of studies made of ratings: real people, the explicit form, what the model is trained by;
the words of the paper's section 4.4.
"""

import csv
import json
import re
from collections import defaultdict
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import yaml
from implicit.cpu.als import AlternatingLeastSquares

from annotate.files.reading import Problems
from annotate.models import Interaction, Session, Study
from annotate.sessions import links, places
from annotate.studies.templates import study_templates
from judges.counterfactual.factorisation import Recipe, fold_in, start
from judges.counterfactual.proximity import proximity
from judges.counterfactual.surveys import making
from judges.counterfactual.surveys.choosing import OWN, Question, drawn, made_up, question, rank_of
from judges.counterfactual.surveys.plan import NoQuestion, Plan
from judges.counterfactual.surveys.reading import read_folder, refusal, rows_of
from judges.models import Judge, Judgment
from tests import factories
from tests.demo_files import made_up_ratings
from tests.judges.counterfactual.surveys.test_making import SMALL, changed, kept, run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Ratings of 90 people on 240 films."""
    found = tmp_path_factory.mktemp("films")
    made_up_ratings.write_all(found)
    return found


@pytest.fixture(scope="module")
def films(folder):
    return read_folder(folder, Problems())


@pytest.fixture(autouse=True)
def var(settings, tmp_path):
    settings.VAR_DIR = tmp_path / "var"
    return settings.VAR_DIR


# Real people, and the explicit form


def scores_of_judges(study):
    rows = Judgment.objects.filter(item__study=study).exclude(value=None)
    found = rows.values_list("item__key", "run__judge__kind", "value")
    return {(key, kind): value for key, kind, value in found}


def expected_scores(var):
    found = {f"survey-{name[:-5]}": json.loads(text)["scores"] for name, text in kept(var).items()}
    return {(key, kind): score for key, own in found.items() for kind, score in own.items()}


def seen_by(study, who):
    history = Interaction.objects.filter(study=study, recipient__key=who)
    return set(history.values_list("content__key", flat=True))


def best_by_implicit(films, who):
    """The twelve best that somebody has not seen, by a model of implicit alone."""
    model = AlternatingLeastSquares(
        factors=40, iterations=20, regularization=0.01, use_cg=False, dtype=np.float64
    )
    begin = start(Recipe(seed=7), films.matrix.shape)
    model.user_factors, model.item_factors = begin.recipients.copy(), begin.contents.copy()
    model.fit(films.matrix, show_progress=False)
    row = films.people.index(who)
    scores = model.item_factors @ model.user_factors[row]
    scores[films.matrix[row].indices] = -np.inf
    return {films.keys[column] for column in np.argsort(-scores)[:12]}


@pytest.mark.django_db
def test_a_survey_about_a_real_person_is_theirs_by_their_link(folder, films, var):
    """Its twelve questions are about their own twelve best, and only they get the kept places."""
    run(folder, only=["5", "7"], raters=1)
    study = Study.objects.get(slug="why")
    items = study.items.select_related("content", "recipient")
    assert {(i.recipient.key, i.data["survey"]) for i in items} == {("5", "1"), ("7", "2")}
    assert not Interaction.objects.filter(study=study, data__has_key="hypothetical").exists()
    for who in ("5", "7"):
        own = [item for item in items if item.recipient.key == who]
        assert len({i.system_id for i in own}) == 12
        recommended = {item.content.key for item in own}
        assert len(recommended) > 8 and recommended <= best_by_implicit(films, who)
        assert not seen_by(study, who) & {item.content.key for item in own}
        assert all(
            set(i.data["explaining_contents"].split("|")) <= seen_by(study, who) for i in own
        )
    assert scores_of_judges(study) == pytest.approx(expected_scores(var), abs=1e-9)
    tops = {judge.kind: judge.settings.stored.get("top") for judge in Judge.objects.all()}
    assert tops == {"cf": 12, "cf-a": 12, "item-sim": None, "genre-jacc": None}
    made = links.for_recipients(study)
    assert [(name, recipient.key) for name, _, recipient in made] == [("5", "5"), ("7", "7")]
    links.make(study, made)
    stranger = factories.make_session(study, state=Session.State.INSTRUCTIONS)
    assert places.claim(stranger, ["explanation"], 12) == []
    session = Session.objects.get(rater__key="7")
    claimed = places.claim(session, ["explanation"], 12)
    assert {one.data["survey"] for one in study.items.filter(pk__in=claimed)} == {"2"}
    assert len(claimed) == 12


def test_who_is_named_is_asked_and_else_people_are_drawn(films):
    plan = Plan("s", "S", surveys=3, real=True)
    drawn_rows = rows_of(films, plan)
    assert len(set(drawn_rows)) == len(films.histories) >= 3
    assert rows_of(films, replace(plan, surveys=5))[:3] == drawn_rows[:3]
    assert rows_of(films, replace(plan, seed=2)) != drawn_rows
    assert [films.people[row] for row in rows_of(films, replace(plan, only=("7", "5")))] == [
        "7",
        "5",
    ]


@pytest.mark.parametrize("draw", [1, 2, OWN])
def test_each_cell_has_a_film_of_its_own_as_long_as_other_histories_may_do(draw):
    places = [rank_of(number, draw, [7, 1]) for number in range(12)]
    assert sorted(places) == [*range(12)]
    assert places == [rank_of(number, 1, [7, 1]) for number in range(12)]
    later = [rank_of(number, OWN + 1, [7, 1]) for number in range(12)]
    assert later == [*places[1:], places[0]], "then the next one's"
    alone = [rank_of(number, 2, [7, 1], others=False) for number in range(12)]
    assert alone == later, "at once, as who has nine popular films has one history"


@pytest.mark.parametrize("who", ["5", "9"])
def test_another_history_is_drawn_before_another_film_is_taken(films, who):
    """Of few genres the first history of a cell of Genre-Jacc does not tell candidates apart."""
    genres = {key: "Drama" if int(key) % 5 else "Comedy" for key in films.genres}
    few, row = replace(films, genres=genres), films.people.index(who)
    made = [question(few, SMALL, number, [7, 1], row=row) for number in range(3, 12)]
    assert max(one.draws for one in made) > 1
    assert len({one.content for one in made}) == 9


def test_what_stands_twice_is_counted_by_survey_and_said(
    films, folder, tmp_path, monkeypatch, capsys
):
    def one(who, content):
        return Question("cf", "highest", [], content, [], {}, 1, [], who)

    found = {
        (1, 1): one("5", 3),
        (1, 2): one("5", 3),
        (1, 3): one("5", 3),
        (1, 4): one("5", 4),
        (2, 1): one("7", 3),
        (2, 2): one("7", 4),
    }
    found |= {(3, number): one("", 3) for number in (1, 2)}  # who is made up is somebody else each
    assert making.repeated(found) == {1: 2}
    command = "judges.management.commands.make_counterfactual_study"
    monkeypatch.setattr(f"{command}.repeated", lambda questions: {1: 2, 4: 1})
    run(folder, factors=4, iterations=2, files=tmp_path / "out", only=["5"])
    said = capsys.readouterr().out
    assert "3 of 12 questions are about a film that another question of the same person" in said
    assert "Surveys: 1, 4." in said


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"real": True, "only": ("nobody",)}, "found 'nobody' as a recipient; allowed is a userId"),
        ({"real": True, "surveys": 1000}, "1,000 surveys of people, and 61 people have 9 popular"),
        ({"form": "explicit"}, "the explicit form needs ratings, and 1 of ratings.csv have none"),
    ],
)
def test_what_the_ratings_do_not_give_is_said(folder, tmp_path, fields, words):
    other = changed(folder, tmp_path / "x", ratings=lambda text: text + "lonely,17,\n")
    found = read_folder(other, Problems())
    assert words in refusal(found, Plan("s", "S", **fields))
    with pytest.raises(NoQuestion, match=words.split(",")[0]):
        making.make(found, Plan("s", "S", **fields), tmp_path / "kept")
    who = replace(Plan("s", "S"), real=True, only=("lonely",))
    assert "'lonely' has fewer than 9 popular films" in refusal(found, who)


@pytest.mark.django_db
@pytest.mark.parametrize("people", [False, True])
def test_the_explicit_form_trains_on_ratings_and_its_judges_agree(folder, films, var, people):
    """A made-up recipient rates as that person did, else as films are rated on average."""
    run(folder, form="explicit", factors=5, iterations=4, regularisation=0.1, people=people)
    study = Study.objects.get(slug="why")
    assert scores_of_judges(study) == pytest.approx(expected_scores(var), abs=1e-9)
    judge = Judge.objects.get(kind="cf")
    assert (
        judge.settings.form,
        judge.settings.factors,
        judge.settings.iterations,
        judge.settings.regularisation,
        judge.settings.seed,
    ) == (
        "explicit",
        5,
        4,
        0.1,
        7,
    )
    given = list(csv.DictReader((folder / "ratings.csv").open()))
    by_film = defaultdict(list)
    for row in given:
        by_film[row["movieId"]].append(float(row["rating"]))
    rows = Interaction.objects.filter(study=study, data__hypothetical="yes")
    own = rows.filter(recipient__key="hypothetical-1-1").values_list("content__key", "rating")
    assert len(own) == 9
    if people:
        whole = {(row["userId"], row["movieId"], float(row["rating"])) for row in given}
        assert any(all((who, *pair) in whole for pair in own) for who in films.people)
    else:
        for film, rating in own:
            assert rating == pytest.approx(np.mean(by_film[film]), abs=0.0051)


def test_the_newest_rating_of_a_pair_counts(folder, tmp_path):
    """One without a time is older than any with one, whatever stands first."""
    rows = ["new,1,1,1200000200", "new,1,5,1200000100", "new,2,2,", "new,2,4,1200000050"]

    def more(text):
        header, *others = text.splitlines()
        return "\n".join([f"{header},timestamp", *(f"{row}," for row in others), *rows]) + "\n"

    films = read_folder(changed(folder, tmp_path / "more", ratings=more), Problems())
    own = films.ratings[films.people.index("new")]
    found = zip(own.indices, own.data, strict=True)
    assert {films.keys[column]: value for column, value in found} == {"1": 1, "2": 4}


def test_cf_a_of_all_84_is_that_of_each_alone(films):
    """All in one product, against one explanation after the other by its definition."""
    dice = np.random.default_rng(5)
    seen, of = drawn(films, dice)
    for top in (1, 12):
        case, _ = made_up(films, SMALL, seen, of)
        case.top = top
        candidates = [list(some) for some in combinations(seen, 3)]
        found = case.scores_of("cf-a", candidates)
        for value, some in zip(found, candidates, strict=True):
            left = [one for one in seen if one not in some]
            (alone,) = fold_in(case.model.contents, [(left, np.ones(6))], SMALL)
            after = case.model.contents @ alone
            one = proximity(case.before, after, case.content, seen, some, top)
            assert value == pytest.approx(one.raw / one.spread, abs=1e-8)


# Section 4.4

ASKED = (
    "What percentage of the movies shown in this survey are familiar to you?",
    "How many movies do you usually watch in a month?",
)


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_the_template_has_what_section_4_4_asks_for(language):
    """The requirement is declared twice: before consent, and in what MTurk shows in advance."""
    fields = study_templates(language)["explanations-seven"].read.fields
    word = {"en": "familiar with movies", "zh-hans": "熟悉电影"}[language]
    assert all(word in fields[text].splitlines()[0] for text in ("consent", "instructions"))
    (check,) = fields["extra"]["attention"]
    assert check["options"] == ["A", "B", "C", "D"] and check["right"] == ["A", "D"]
    assert check["after"] == "middle"
    asked = [one if isinstance(one, str) else one["ready"] for one in fields["extra"]["exit"]]
    assert asked == ["familiarity", "movies_per_month", "gender", "age"]
    if language == "en":
        assert check["text"] == "Please choose both A and D."
        assert tuple(one["text"] for one in fields["extra"]["exit"][:2]) == ASKED


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_reasons_are_asked_where_the_paper_reads_them(language):
    """Section 4.3: in some of the questions; 5.1 quotes what was written at transparency."""
    template = study_templates(language)["explanations-seven"]
    asked = {one["key"]: one["why"] for one in template.read.questions}
    assert len(asked) == 7 and {key for key, why in asked.items() if why} == {
        "transparency",
        "satisfaction",
    }
    assert "required" not in asked.values()
    made = {one["key"]: one.get("why") for one in making.study_data(Plan("s", "S"))["questions"]}
    assert (made["transparency"], made["satisfaction"], made["trustworthiness"]) == (
        True,
        True,
        None,
    )


def test_in_a_study_what_rules_read_is_required_and_who_one_is_is_not():
    data = making.study_data(Plan("s", "S"))
    assert [one if isinstance(one, str) else one["required"] for one in data["exit"]] == [
        True,
        True,
        "gender",
        "age",
    ]
    assert making.WATCHED in data["instructions"] and data["show_history"] == 9
    real = making.study_data(Plan("s", "S", real=True))
    assert making.WATCHED not in real["instructions"] and real["show_history"] == 0
    assert yaml.safe_load(yaml.safe_dump(data)) == data


def test_the_huge_catalogue_is_planned_on_paper_with_numbers_that_add_up(settings):
    """docs/FILES.md, the shape of MovieLens 27M: 12 bytes an entry, 8 a factor."""
    text = (Path(settings.BASE_DIR) / "docs" / "FILES.md").read_text(encoding="utf-8")
    people, films_, ratings = 283_228, 53_889, 27_753_444
    (size,) = re.findall(r"\*\*Size\.\*\*.*?(?=\n\n)", text, re.DOTALL)
    size = " ".join(size.split())
    assert f"{people:,} people, {films_:,} films, 27.8 M ratings" in size
    assert f"sparse matrix takes {round(ratings * (8 + 4) / 1e6)} MB" in size
    assert f"the factors {round((people + films_) * 40 * 8 / 1e6)} MB" in size
    assert f"implicit's two copies {round(2 * ratings * (4 + 4) / 1e6)} MB" in size
    assert f"need {round(2000 * 2000 * 8 / 1e6)} MB for people by people" in size


def test_a_bar_says_how_far_it_is(folder, tmp_path, capsys):
    options = {"factors": 4, "iterations": 2, "files": tmp_path / "out", "only": ["5"]}
    run(folder, **options)
    lines = capsys.readouterr().out.splitlines()
    bars = [line for line in lines if line.startswith("[")]
    assert bars[0].startswith("[..............................] 0 of 12 questions")
    assert bars[-1].startswith("[##############################] 12 of 12 questions")
    assert lines[0] == "90 people, 240 films, 2,713 ratings; 24 films are popular enough."
