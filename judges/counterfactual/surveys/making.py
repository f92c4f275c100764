"""All questions of a study, kept one by one while they are made, and the study's files.

Each question follows from the ratings, the seed, its survey and its number alone. So whoever goes
on after an interruption makes the same study, and one more survey changes none of the others.
"""

import csv
import hashlib
import json
from collections import Counter

import yaml

from annotate.files.reading import Problems
from annotate.studies.study_file import as_yaml
from annotate.studies.templates import FOLDER
from annotate.values.formulas import guarded
from judges.counterfactual.factorisation import Recipe
from judges.counterfactual.surveys import sharing, steps
from judges.counterfactual.surveys.choosing import question
from judges.counterfactual.surveys.plan import CELLS, COUNTERFACTUAL, SCORES, SEEN, NoQuestion
from judges.counterfactual.surveys.reading import MADE_UP, files_of, read, refusal, rows_of
from judges.counterfactual.surveys.sharing import whole

METHOD = 2  # raised where the same ratings and seed would make other questions
TEXT = "We recommend this movie to you because you watched the following movies in the past:"
# After the sentence of the template that it belongs to.
IMAGINE = "Imagine that you are browsing a movie recommendation website."
WATCHED = (
    "Above each recommended movie stands a group of movies. Imagine that you have watched these in "
    "the past."
)
TEMPLATE = FOLDER / "explanations-seven.yaml"
ITEM = (
    "item",
    "kind",
    "recipient",
    "content",
    "system",
    "text",
    "explaining_contents",
    "survey",
    "cell_score",
    "cell_level",
)
INTERACTION = ("recipient", "content", "rating", "at", "hypothetical")


def recipe_of(plan):
    """How the model is trained; by default as in the paper: 40 factors, 20 iterations."""
    names = "form", "factors", "iterations", "regularisation", "seed"
    return Recipe(**{name: getattr(plan, name) for name in names})


def read_films(source):
    """The Films of a folder; NoQuestion says what is wrong with it."""
    problems = Problems()
    films = read(source, problems)
    if films is None:
        raise NoQuestion("; ".join(map(str, problems.shown)))
    return films


def make_study(source, plan, folder, say=None):
    """The study's files in a folder, made of the ratings in another one, as write_files has them.

    NoQuestion says why it cannot be made.
    """
    films = read_films(source)
    questions = make(films, plan, folder / "questions", say)
    return write_files(films, questions, plan, files_of(source)["ratings"], folder)


def make(films, plan, folder, say=None, goes_on=lambda: True, trained=None):
    """{(survey, number): Question}, both from 1; those that stand in the folder are not made again.

    Several processes may be at the same folder: each question is made by one of them.
    say(done, all) is called often, and then trained(done, all) of trainings, which move before the
    first question is made. None where goes_on() says no. NoQuestion says what is wrong.
    """
    if why := refusal(films, plan):
        raise NoQuestion(why)
    kept = folder / name_of(films, plan)
    kept.mkdir(parents=True, exist_ok=True)
    rows, recipe = rows_of(films, plan), recipe_of(plan)
    places = [
        (survey, number + 1)
        for survey in range(1, plan.surveys + 1)
        for number in range(len(CELLS))
    ]
    far = steps.Steps(places, lambda: sharing.made_of(places, kept), trained or _nothing)

    def one(place, tick):
        survey, number = place
        row = rows[survey - 1] if plan.real else None
        far.begin(place)

        def train():
            far.train()
            tick()

        return question(films, recipe, number - 1, [plan.seed, survey], train, plan.people, row)

    def said(done):
        (say or _nothing)(done, plan.questions)
        far.say(done)

    return sharing.make_all(places, kept, one, said, goes_on)


def repeated(questions):
    """{survey: how many of its questions are about a film that an earlier one is about}; of real
    people, as everybody made up has a recommendation of their own.
    """
    seen, found = set(), Counter()
    for (survey, _), one in questions.items():
        found[survey] += bool(one.person) and (survey, one.content) in seen
        seen.add((survey, one.content))
    return {survey: n for survey, n in found.items() if n}


def _nothing(done, whole):
    pass


def name_of(films, plan):
    """A folder of its own for all that questions depend on, but for the number of surveys."""
    made_of = [METHOD, films.sha256, plan.seed, plan.people, recipe_of(plan).settings]
    made_of += [list(plan.only)] if plan.real else []
    return hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()[:20]


# The files


def write_files(films, questions, plan, ratings, folder):
    """study.yaml, contents.csv, items.csv and interactions.csv, for load_study.

    ratings: the TableFile of the folder. Returns (path of study.yaml, {table: path}).
    """
    folder.mkdir(parents=True, exist_ok=True)
    study = folder / "study.yaml"
    with whole(study) as file:
        file.write(as_yaml(study_data(plan)))
    tables = {
        "contents": (("content", "title", "genres"), _contents(films)),
        "interactions": (INTERACTION, _interactions(films, questions, ratings)),
        "items": (ITEM, _items(films, questions)),
    }
    paths = {name: folder / f"{name}.csv" for name in tables}
    for name, (header, rows) in tables.items():
        with whole(paths[name]) as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(header)
            writer.writerows([_cell(one) for one in row] for row in rows)
    return study, paths


def _cell(value):
    return guarded(value) if isinstance(value, str) else value


def study_data(plan):
    """The template of the seven questions, with what belongs to such a study."""
    data = yaml.safe_load(TEMPLATE.read_text(encoding="utf-8"))
    said = data["instructions"]
    return data | {
        "instructions": said if plan.real else said.replace(IMAGINE, f"{IMAGINE} {WATCHED}"),
        "exit": [_needed(one) for one in data["exit"]],
        "study": plan.slug,
        "title": plan.title,
        "raters_per_item": plan.raters,
        "items_per_session": len(CELLS),
        "sessions_by": "survey",
        "order": "latin_square",  # of the systems, which are the cells
        # Of a real person the whole history is meant, not the nine films that are named.
        "show_history": 0 if plan.real else SEEN,
        "judges": [
            {"judge": name, "kind": kind} | _settings(kind, plan) for kind, name in SCORES.items()
        ],
    }


def _settings(kind, plan):
    if kind == "genre-jacc":
        return {}
    top = {"top": plan.top} if kind in COUNTERFACTUAL and plan.top > 1 else {}
    return recipe_of(plan).settings | top


def _needed(entry):
    """A ready-made question that an exclusion rule of the paper reads has to be answered."""
    return entry | {"required": True} if isinstance(entry, dict) else entry


def _contents(films):
    for film, title in films.titles.items():
        yield film, title, films.genres[film]


def _interactions(films, questions, ratings):
    """Those of the folder, then the made-up histories."""
    problems = Problems()
    ratings.open(problems)
    for _, row in ratings.rows(problems):
        at = row["timestamp"]
        yield row["userId"], row["movieId"], row["rating"], at and at.isoformat(), ""
    for place, one in questions.items():
        for at, column in enumerate([] if one.person else one.history):
            rating = one.ratings[at] if one.ratings else ""
            yield recipient_of(*place), films.keys[column], rating, "", "yes"


def recipient_of(survey, number):
    return f"{MADE_UP}{survey}-{number}"


def _items(films, questions):
    for (survey, number), one in questions.items():
        named = [films.keys[column] for column in one.explaining]
        text = "\n".join([TEXT, *(films.titles[film] for film in named)])
        system = f"{SCORES[one.cell_score]} {one.cell_level}"
        who = one.person or recipient_of(survey, number)
        yield (
            f"survey-{survey}-{number}",
            "explanation",
            who,
            films.keys[one.content],
            system,
            text,
            "|".join(named),
            survey,
            one.cell_score,
            one.cell_level,
        )
