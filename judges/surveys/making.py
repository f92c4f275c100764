"""All questions of a study, kept one by one while they are made, and the study's files.

Each question follows from the ratings, the seed, its survey and its number alone. So whoever goes
on after an interruption makes the same study, and one more survey changes none of the others.
"""

import csv
import hashlib
import json
import os
import secrets
from contextlib import contextmanager
from dataclasses import asdict

import yaml

from annotate.formulas import guarded
from annotate.making import FOLDER
from annotate.reading import Problems
from annotate.study_file import as_yaml
from judges.factorisation import Recipe
from judges.surveys.choosing import Question, question
from judges.surveys.plan import CELLS, SCORES, SEEN, NoQuestion
from judges.surveys.reading import MADE_UP, files_of, read

METHOD = 1  # raised where the same ratings and seed would make other questions
TEXT = "We recommend this movie to you because you watched the following movies in the past:"
TEMPLATE = FOLDER / "explanations-seven.yaml"
ITEM = ("item", "kind", "recipient", "content", "system", "text", "explaining_contents", "survey",
        "cell_score", "cell_level")  # fmt: skip
INTERACTION = ("recipient", "content", "rating", "at", "hypothetical")


def recipe_of(plan):
    """The model of the paper: 40 factors, 20 iterations."""
    return Recipe(seed=plan.seed)


def make_study(source, plan, folder, say=None):
    """The study's files in a folder, made of the ratings in another one, as write_files has them.

    NoQuestion says why it cannot be made.
    """
    problems = Problems()
    films = read(source, problems)
    if films is None:
        raise NoQuestion("; ".join(map(str, problems.shown)))
    questions = make(films, plan, folder / "questions", say)
    return write_files(films, questions, plan, files_of(source)["ratings"], folder)


def make(films, plan, folder, say=None):
    """{(survey, number): Question}, both from 1; those that stand in the folder are not made again.

    say(done, all) is called often, after each question and before each training.
    """
    kept = folder / _name(films, plan)
    kept.mkdir(parents=True, exist_ok=True)
    found: dict[tuple[int, int], Question] = {}
    say = say or (lambda done, whole: None)
    for survey in range(1, plan.surveys + 1):
        for number in range(len(CELLS)):
            path = kept / f"{survey}-{number + 1}.json"
            found[survey, number + 1] = _kept(path) or _made(
                path, films, plan, survey, number, lambda: say(len(found), plan.questions)
            )
            say(len(found), plan.questions)
    return found


def _name(films, plan):
    """A folder of its own for all that questions depend on, but for the number of surveys."""
    made_of = [METHOD, films.sha256, plan.seed, plan.people, recipe_of(plan).settings]
    return hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()[:20]


def _kept(path):
    return Question(**json.loads(path.read_text())) if path.exists() else None


def _made(path, films, plan, survey, number, tick):
    made = question(films, recipe_of(plan), number, [plan.seed, survey], tick, plan.people)
    with _whole(path) as file:
        file.write(json.dumps(asdict(made)))
    return made


@contextmanager
def _whole(path):
    """A file that stands there as a whole or not at all: two workers may be at the same study."""
    part = path.with_name(f"{path.name}.{secrets.token_hex(6)}.part")
    with part.open("w", encoding="utf-8", newline="") as file:
        yield file
    os.replace(part, path)


# The files


def write_files(films, questions, plan, ratings, folder):
    """study.yaml, contents.csv, items.csv and interactions.csv, for load_study.

    ratings: the TableFile of the folder. Returns (path of study.yaml, {table: path}).
    """
    folder.mkdir(parents=True, exist_ok=True)
    study = folder / "study.yaml"
    with _whole(study) as file:
        file.write(as_yaml(study_data(plan)))
    tables = {
        "contents": (("content", "title", "genres"), _contents(films)),
        "interactions": (INTERACTION, _interactions(films, questions, ratings)),
        "items": (ITEM, _items(films, questions)),
    }
    paths = {name: folder / f"{name}.csv" for name in tables}
    for name, (header, rows) in tables.items():
        with _whole(paths[name]) as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(header)
            writer.writerows([_cell(one) for one in row] for row in rows)
    return study, paths


def _cell(value):
    return guarded(value) if isinstance(value, str) else value


def study_data(plan):
    """The template of the seven questions, with what belongs to such a study."""
    data = yaml.safe_load(TEMPLATE.read_text(encoding="utf-8"))
    recipe = recipe_of(plan).settings
    model = {kind: {} if kind == "genre-jacc" else recipe for kind in SCORES}
    return data | {
        "exit": [_needed(one) for one in data["exit"]],
        "study": plan.slug,
        "title": plan.title,
        "raters_per_item": plan.raters,
        "items_per_session": len(CELLS),
        "sessions_by": "survey",
        "order": "latin_square",  # of the systems, which are the cells
        "show_history": SEEN,
        "judges": [{"judge": SCORES[kind], "kind": kind} | model[kind] for kind in SCORES],
    }


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
        for column in one.history:
            yield recipient_of(*place), films.keys[column], "", "", "yes"


def recipient_of(survey, number):
    return f"{MADE_UP}{survey}-{number}"


def _items(films, questions):
    for (survey, number), one in questions.items():
        named = [films.keys[column] for column in one.explaining]
        text = "\n".join([TEXT, *(films.titles[film] for film in named)])
        system = f"{SCORES[one.cell_score]} {one.cell_level}"
        yield (f"survey-{survey}-{number}", "explanation", recipient_of(survey, number),
               films.keys[one.content], system, text, "|".join(named), survey, one.cell_score,
               one.cell_level)  # fmt: skip
