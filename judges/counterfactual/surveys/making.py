"""Make all questions of a study, kept one by one while they are made, and the study's files.

Each question follows from the ratings, the seed, its survey and its number alone. So whoever goes
on after an interruption makes the same study, and one more survey changes none of the others.
"""

import csv
import hashlib
import json
from collections import Counter
from dataclasses import replace

import yaml

from annotate.files.reading import Problems
from annotate.studies.study_file import as_yaml
from annotate.studies.templates import FOLDER
from annotate.values.formulas import guarded
from judges.counterfactual.factorisation import Recipe
from judges.counterfactual.surveys.choosing import question
from judges.counterfactual.surveys.kept import (
    keep_question,
    keep_repeat,
    kept_questions,
    kept_repeats,
    whole,
)
from judges.counterfactual.surveys.plan import CELLS, COUNTERFACTUAL, SCORES, SEEN, NoQuestion
from judges.counterfactual.surveys.reading import MADE_UP, read_folder, refusal, rows_of
from judges.counterfactual.surveys.seeds import cells_of, column_names, score_again
from judges.counterfactual.surveys.steps import Steps

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
    """Return how the model is trained; by default as in the paper: 40 factors, 20 iterations."""
    names = "form", "factors", "iterations", "regularisation", "seed"
    return Recipe(**{name: getattr(plan, name) for name in names})


def read_films(source):
    """Read the Films of a folder; NoQuestion says what is wrong with it."""
    problems = Problems()
    films = read_folder(source, problems)
    if films is None:
        raise NoQuestion("; ".join(map(str, problems.shown)))
    return films


def make(films, plan, folder, say=None, goes_on=lambda: True, trained=None):
    """Make all questions in turn; return {(survey, number): Question}, both from 1.

    Each is kept in the folder, and none that stands there is made again. Before each training
    say(done, all) is called with questions, then trained(done, all) with trainings, which move
    before the first question is made. Then the plan's other seeds score each, which is kept too.
    Return None as soon as goes_on() says no, in the middle of a question too. Raise NoQuestion,
    which says what is wrong.
    """
    if why := refusal(films, plan):
        raise NoQuestion(why)
    kept = folder / name_of(films, plan)
    kept.mkdir(parents=True, exist_ok=True)
    making = _Making(films, plan, kept, goes_on, [say or _nothing, trained or _nothing])
    try:
        return making.make_all()
    except _Unwanted:
        return None


class _Unwanted(Exception):
    """Raised where nobody waits any longer for what is being made."""


class _Making:
    """The questions of one study while they are made.

    tell: functions for questions and trainings.
    """

    def __init__(self, films, plan, folder, goes_on, tell):
        self.films, self.plan, self.folder = films, plan, folder
        self.goes_on, self.tell = goes_on, tell
        surveys, numbers = range(1, plan.surveys + 1), range(1, len(CELLS) + 1)
        self.places = [(survey, number) for survey in surveys for number in numbers]
        self.questions = kept_questions(folder, self.places)
        self.rows = rows_of(films, plan) if plan.real else [None] * plan.surveys
        self.repeats = kept_repeats(folder, self.places, plan.other_seeds)
        self.steps = Steps(
            [number for _, number in self.places],
            [number for _, number in self.questions],
            len(self.places) * len(plan.other_seeds),
            len(self.repeats),
        )

    def make_all(self):
        """Make every question that is not kept yet; return all, in order."""
        self.look()
        for place in self.places:
            if place not in self.questions:
                self.make(*place)
                self.look()
        for place in self.places:
            for seed in self.plan.other_seeds:
                if (place, seed) not in self.repeats:
                    self.repeat(place, seed)
                    self.look()
        return {place: self.with_repeats(place) for place in self.places}

    def with_repeats(self, place):
        """Return the question of a place with what the other seeds say of it."""
        repeats = tuple(self.repeats[place, seed] for seed in self.plan.other_seeds)
        return replace(self.questions[place], repeats=repeats)

    def make(self, survey, number):
        """Make one question and keep it."""
        plan, row = self.plan, self.rows[survey - 1]
        self.steps.begin(number)
        made = question(
            self.films,
            recipe_of(plan),
            number - 1,
            [plan.seed, survey],
            self.train,
            plan.people,
            row,
        )
        keep_question(self.folder, (survey, number), made)
        self.questions[survey, number] = made
        self.steps.keep(number)

    def repeat(self, place, seed):
        """Score the question of a place by another seed's model and keep that."""
        self.steps.begin_repeat()
        made, row = self.questions[place], self.rows[place[0] - 1]
        again = score_again(self.films, recipe_of(self.plan), made, seed, row, self.train)
        keep_repeat(self.folder, place, again)
        self.repeats[place, seed] = again
        self.steps.keep_repeat()

    def train(self):
        """Count a training that begins."""
        self.steps.train()
        self.look()

    def look(self):
        """Say how far this is; raise _Unwanted where it does not go on."""
        if not self.goes_on():
            raise _Unwanted
        say, trained = self.tell
        say(len(self.questions), self.plan.questions)
        trained(self.steps.done, self.steps.whole)


def repeated(questions):
    """Count {survey: its questions about a film of an earlier question}.

    Only real people's questions count, as everybody made up has a recommendation of their own.
    """
    seen, counts = set(), Counter()
    for (survey, _), made in questions.items():
        counts[survey] += bool(made.person) and (survey, made.content) in seen
        seen.add((survey, made.content))
    return {survey: n for survey, n in counts.items() if n}


def _nothing(done, whole):
    pass


def name_of(films, plan):
    """Name a folder by all that questions depend on, but for the number of surveys."""
    made_of = [METHOD, films.sha256, plan.seed, plan.people, recipe_of(plan).settings]
    made_of += [list(plan.only)] if plan.real else []
    return hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()[:20]


# The files


def write_files(films, questions, plan, ratings, folder):
    """Write study.yaml, contents.csv, items.csv and interactions.csv, for load_study.

    ratings: the TableFile of the folder. Returns (path of study.yaml, {table: path}).
    """
    folder.mkdir(parents=True, exist_ok=True)
    study = folder / "study.yaml"
    with whole(study) as file:
        file.write(as_yaml(study_data(plan)))
    items = _items(films, questions, plan.seed)
    tables = {
        "contents": (("content", "title", "genres"), _contents(films)),
        "interactions": (INTERACTION, _interactions(films, questions, ratings)),
        "items": ((*ITEM, *(column_names() if plan.other_seeds else ())), items),
    }
    paths = {name: folder / f"{name}.csv" for name in tables}
    for name, (header, rows) in tables.items():
        with whole(paths[name]) as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(header)
            writer.writerows([_cell(value) for value in row] for row in rows)
    return study, paths


def _cell(value):
    return guarded(value) if isinstance(value, str) else value


def study_data(plan):
    """Return study.yaml's data: the template of the seven questions, filled for the plan."""
    data = yaml.safe_load(TEMPLATE.read_text(encoding="utf-8"))
    instructions = data["instructions"]
    return data | {
        "instructions": instructions
        if plan.real
        else instructions.replace(IMAGINE, f"{IMAGINE} {WATCHED}"),
        "exit": [_needed(entry) for entry in data["exit"]],
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
    """Require an answer to a ready-made question that an exclusion rule of the paper reads."""
    return entry | {"required": True} if isinstance(entry, dict) else entry


def _contents(films):
    for film, title in films.titles.items():
        yield film, title, films.genres[film]


def _interactions(films, questions, ratings):
    """Yield the interactions of the folder, then the made-up histories."""
    problems = Problems()
    ratings.open(problems)
    for _, row in ratings.rows(problems):
        time = row["timestamp"]
        yield row["userId"], row["movieId"], row["rating"], time and time.isoformat(), ""
    for place, made in questions.items():
        for number, column in enumerate([] if made.person else made.history):
            rating = made.ratings[number] if made.ratings else ""
            yield recipient_of(*place), films.keys[column], rating, "", "yes"


def recipient_of(survey, number):
    """Return the id of the recipient that is made up for a question."""
    return f"{MADE_UP}{survey}-{number}"


def _items(films, questions, seed):
    for (survey, number), made in questions.items():
        named = [films.keys[column] for column in made.explaining]
        text = "\n".join([TEXT, *(films.titles[film] for film in named)])
        system = f"{SCORES[made.cell_score]} {made.cell_level}"
        who = made.person or recipient_of(survey, number)
        yield (
            f"survey-{survey}-{number}",
            "explanation",
            who,
            films.keys[made.content],
            system,
            text,
            "|".join(named),
            survey,
            made.cell_score,
            made.cell_level,
            *(cells_of(made, seed) if made.repeats else ()),
        )
