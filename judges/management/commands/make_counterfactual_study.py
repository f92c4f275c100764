"""Make a counterfactual study from ratings (manage.py make_counterfactual_study)."""

import argparse
import shutil
import sys
import time
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from annotate.files.reading import Problems
from annotate.models import Study
from annotate.models.study import study_slug_rule
from annotate.values.texts import composed
from judges.counterfactual.surveys.making import make, repeated, write_files
from judges.counterfactual.surveys.plan import (
    LARGEST_SEED,
    MOST_RATERS,
    MOST_SEEDS,
    MOST_SURVEYS,
    SCORES,
    NoQuestion,
    Plan,
)
from judges.counterfactual.surveys.reading import files_of, read_folder
from judges.counterfactual.surveys.sampling import sampled
from judges.counterfactual.surveys.scores import plan_scores, unfinished
from judges.files import load_files
from judges.management.owners import owner_or_error
from judges.models import Judgment
from judges.runs.through import see_through
from judges.scorers.settings import ModelSettings
from judges.values.settings import SettingsError

BAR = 30
MOST_PEOPLE = 1_000_000
OF_PLAN = (
    "title",
    "surveys",
    "seed",
    "seeds",
    "raters",
    "people",
    "form",
    "factors",
    "iterations",
    "regularisation",
)


def whole(low, high):
    """Return an argument type for a whole number from low to high."""

    def parse(text):
        if not low <= int(text) <= high:
            raise ValueError(f"{text!r} is not from {low} to {high}")
        return int(text)

    parse.__name__ = f"whole number from {low} to {high}"
    return parse


def setting(name):
    """Return an argument type for what a judge’s setting may be."""
    kind = ModelSettings.model_fields[name].annotation

    def parse(text):
        try:
            return getattr(ModelSettings.checked({name: kind(text)}), name)
        except SettingsError as error:
            raise argparse.ArgumentTypeError(error.problems[name]) from None

    return parse


def kept_folder():
    """Return the folder where the questions of studies are kept, and samples of ratings."""
    return Path(settings.VAR_DIR) / "surveys"


class Command(BaseCommand):
    help = (
        "Makes a study of counterfactual explanations from FOLDER/movies.csv and "
        "FOLDER/ratings.csv, as MovieLens has them. Stopped, it goes on where it was."
    )

    def add_arguments(self, parser):
        parser.add_argument("folder", type=Path)
        parser.add_argument("--surveys", type=whole(1, MOST_SURVEYS), default=10, metavar="N")
        parser.add_argument("--seed", type=whole(0, LARGEST_SEED), default=1, metavar="S")
        parser.add_argument(
            "--seeds",
            type=whole(1, MOST_SEEDS),
            default=1,
            metavar="N",
            help="score each question with N models, of the seed and those that follow it (1)",
        )
        parser.add_argument("--raters", type=whole(1, MOST_RATERS), default=3, help="of a survey")
        parser.add_argument(
            "--people",
            action="store_true",
            help="draw each history from the popular films that one person has",
        )
        parser.add_argument(
            "--real",
            action="store_true",
            help="each survey is about what is recommended to one person in the ratings",
        )
        parser.add_argument(
            "--only", nargs="+", default=[], metavar="ID", help="these people, a survey each"
        )
        parser.add_argument(
            "--sample",
            type=whole(2, MOST_PEOPLE),
            metavar="N",
            help="take N people of the ratings, drawn by the seed, with all that they rated",
        )
        for name in ("form", "factors", "iterations", "regularisation"):
            parser.add_argument(
                f"--{name}",
                type=setting(name),
                default=getattr(Plan, name),
                help=f"of the model ({getattr(Plan, name)})",
            )
        parser.add_argument("--study", default="counterfactual", help="its name in addresses")
        parser.add_argument("--title", default="Explanations of films")
        parser.add_argument("--owner", metavar="USERNAME", help="who owns the study")
        parser.add_argument(
            "--files", type=Path, metavar="OUT", help="write the study’s files there; load nothing"
        )

    def handle(self, **options):
        plan = self._plan(options)
        owner = owner_or_error(options["owner"])
        study = None if options["files"] else self._made_before(plan.slug)
        if study is None:
            folder = self._folder(options["folder"], options["sample"], plan.seed)
            study = self._make(folder, plan, owner, options["files"])
        if study is not None:
            self._score(study)

    def _plan(self, options):
        given = {name: options[name] for name in OF_PLAN}
        only = tuple(dict.fromkeys(map(composed, options["only"])))
        if only:
            given["surveys"] = len(only)
        real = options["real"] or bool(only)
        return Plan(slug=self._slug(options["study"]), real=real, only=only, **given)

    def _slug(self, slug):
        try:
            study_slug_rule(slug)
        except ValidationError as error:
            raise CommandError(f"--study {slug!r}: {error.message}") from None
        return slug

    def _made_before(self, slug):
        """Return the study of this name if this command made it, perhaps before it was killed."""
        study = Study.objects.filter(slug=slug).first()
        if study and not study.items.filter(data__has_key="cell_score").exists():
            raise CommandError(f"there is a study {slug!r} already; choose another name: --study")
        if study:
            self.stdout.write(f"Study {slug} is there already. Another needs another --study.")
        return study

    def _folder(self, folder, n, seed):
        """Return the folder, or a folder with a sample of its people."""
        sample = sampled(folder, n, seed, kept_folder()) if n else None
        if not sample:
            return folder
        self.stdout.write(f"A sample of {n:,} of {sample.of:,} people, drawn by the seed {seed}.")
        return sample.folder

    def _make(self, folder, plan, owner, out):
        """Make and load the study; None where only its files are wanted."""
        problems = Problems()
        films = read_folder(folder, problems)
        self._refuse(problems)
        self.stdout.write(
            f"{films.matrix.shape[0]:,} people, {len(films.keys):,} films, "
            f"{films.matrix.nnz:,} ratings; {len(films.popular):,} films are popular enough."
        )
        kept, bar = kept_folder(), Bar(self.stdout)
        try:
            questions = make(films, plan, kept, bar, trained=bar.trained)
        except NoQuestion as error:
            raise CommandError(str(error)) from None
        self._say_repeated(questions)
        ratings = files_of(folder)["ratings"]
        target = out or kept / f"files-{plan.slug}"
        paths = write_files(films, questions, plan, ratings, target)
        if out:
            self.stdout.write(f"The study’s files are in {out}.")
            return None
        with transaction.atomic():
            loading = load_files(*paths, new=True, owner=owner)
            self._refuse(loading.problems)
            plan_scores(loading.study)
        shutil.rmtree(target)
        self.stdout.write(f"Study {plan.slug} is loaded: {len(questions):,} items.")
        return loading.study

    def _say_repeated(self, questions):
        if again := repeated(questions):
            self.stdout.write(
                f"{sum(again.values()):,} of {len(questions):,} questions are about a film that "
                "another question of the same person is about: no history of theirs tells the "
                f"candidates of another film apart. Surveys: {', '.join(map(str, again))}."
            )

    def _refuse(self, problems):
        if problems:
            for problem in problems.shown:
                self.stderr.write(str(problem))
            raise CommandError(f"{problems.total:,} problems; nothing was written")

    def _score(self, study):
        """Stay until the judges’ runs have ended."""
        for run in unfinished(study).select_related("judge"):
            self.stdout.write(f"Scoring: {run.judge.key}")
            see_through(run, self.stdout.write)
        scores = Judgment.objects.filter(run__judge__study=study, run__judge__kind__in=SCORES)
        failed = scores.filter(state__in=Judgment.NO_VALUE).count()
        if failed:
            self.stdout.write(
                f"Not all explanations have their scores: {failed:,} judgments have no value. "
                "The page Runs says more."
            )
        else:
            self.stdout.write("All explanations have their scores.")


class Bar:
    """Show how far a study is made on a line of a terminal; else print a line now and then.

    It is told the questions, then the trainings, by which it grows: they come before questions.
    """

    def __init__(self, out):
        self.out, self.began, self.shown = out, time.monotonic(), None
        self.is_terminal = sys.stdout.isatty()
        self.questions = ""

    def __call__(self, done, whole):
        self.questions = f"{done:,} of {whole:,} questions"

    def trained(self, done, whole):
        seconds = time.monotonic() - self.began
        step = (done, int(seconds)) if self.is_terminal else done * 10 // whole
        if step == self.shown:
            return
        self.shown = step
        filled = "#" * (BAR * done // whole)
        trainings = f"{done:,} of {whole:,} trainings"
        line = f"[{filled:.<{BAR}}] {self.questions}, {trainings}, {seconds:,.0f} s"
        end = "" if self.is_terminal and done < whole else "\n"
        self.out.write(("\r" if self.is_terminal else "") + line, ending=end)
        self.out.flush()
