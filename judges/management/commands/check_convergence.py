"""Check how counterfactual scores settle (manage.py check_convergence)."""

import time

from django.core.management.base import BaseCommand, CommandError

from annotate.models import Study
from judges.counterfactual.convergence import ITERATIONS, sample, watch
from judges.counterfactual.factorisation import Recipe
from judges.counterfactual.proximity import NoScore
from judges.counterfactual.watched import keep
from judges.management.commands.make_counterfactual_study import whole
from judges.models import Judge

MOST_QUESTIONS, MOST_SEEDS, MOST_ITERATIONS = 200, 20, 1000
USUAL_QUESTIONS, USUAL_SEEDS = 24, 3
SILENT = 2  # seconds between two lines of progress
NAMES = ("form", "factors", "iterations", "regularisation", "confidence", "seed")


class Command(BaseCommand):
    help = (
        "Trains the model of a study's judge CF from several seeds and keeps, for the report "
        "counterfactual, how recommendations and CF of a sample of its explanations settle."
    )

    def add_arguments(self, parser):
        parser.add_argument("study", help="the study's short name")
        parser.add_argument(
            "--questions",
            type=whole(1, MOST_QUESTIONS),
            default=USUAL_QUESTIONS,
            metavar="N",
            help=f"how many explanations, drawn by the judge's seed ({USUAL_QUESTIONS})",
        )
        parser.add_argument(
            "--seeds",
            type=whole(1, MOST_SEEDS),
            default=USUAL_SEEDS,
            metavar="N",
            help=f"the judge's seed and those that follow it ({USUAL_SEEDS})",
        )
        parser.add_argument(
            "--iterations",
            type=whole(1, MOST_ITERATIONS),
            nargs="+",
            default=[*ITERATIONS],
            metavar="N",
            help="after how many iterations the models are compared (10 20 50 100 200)",
        )

    def handle(self, **options):
        study = Study.objects.filter(slug=options["study"]).first()
        if study is None:
            raise CommandError(f"There is no study {options['study']!r}.")
        judge = Judge.objects.filter(study=study, kind=Judge.Kind.CF).order_by("pk").first()
        if judge is None:
            raise CommandError(f"The study {study.slug} has no judge of the kind cf.")
        recipe = Recipe(**{name: getattr(judge.settings, name) for name in NAMES})
        self._watch(study, recipe, options, judge.settings.top)

    def _watch(self, study, recipe, options, top):
        seeds = [recipe.seed + more for more in range(options["seeds"])]
        iterations = sorted({*options["iterations"]})
        try:
            cases = sample(study, options["questions"], recipe.seed, recipe.form)
            self.began = self.told = time.monotonic()
            watched = watch(cases, recipe, seeds, iterations, self._say, top)
        except NoScore as error:
            raise CommandError(str(error)) from None
        keep(study, watched)
        self.stdout.write(
            f"{len(cases):,} explanations, seeds {', '.join(map(str, seeds))}: the report "
            "counterfactual has the table and the figure."
        )

    def _say(self, done, total):
        now = time.monotonic()
        if now - self.told >= SILENT:
            self.told = now
            self.stdout.write(f"{done:,} of {total:,} explanations, {now - self.began:,.0f} s")
            self.stdout.flush()
