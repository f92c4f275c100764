"""Print a paper's numbers beside those of a study: manage.py recipe STUDY PAPER."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from analysis.answers import frame
from analysis.answers.moment import one_moment
from analysis.management.files import replace
from analysis.management.studies import study_or_error
from analysis.recipes.base import choose, named_in
from analysis.recipes.registry import RECIPES
from analysis.recipes.table import table_of
from analysis.serving import tables
from analysis.serving.source import which


class Command(BaseCommand):
    """The command that puts a study's numbers beside a paper's."""

    help = "Put what a study measures beside the numbers that a paper prints, as text or CSV."

    def add_arguments(self, parser):
        parser.add_argument("study", help="the study's name in its address")
        parser.add_argument("paper", help=", ".join(RECIPES))
        parser.add_argument(
            "--judge",
            action="append",
            default=[],
            metavar="ROLE=NAME",
            help="which judge does what in the paper; may be repeated",
        )
        parser.add_argument(
            "-o", "--output", type=Path, metavar="FILE", help="write CSV; a FILE.md is Markdown"
        )

    def handle(self, **given):
        recipe = RECIPES.get(given["paper"])
        if recipe is None:
            raise CommandError(
                f"There is no recipe {given['paper']!r}; there are: {', '.join(RECIPES)}."
            )
        with one_moment():
            table = _table(recipe, study_or_error(given["study"]), given["judge"])
        if given["output"]:
            is_markdown = given["output"].suffix == ".md"
            write = tables.as_markdown if is_markdown else tables.as_csv
            replace(given["output"], [write(table)])
            self.stdout.write(
                "\n".join([f"Wrote {given['output']}.", *table.verdict, *table.notes])
            )
        else:
            self.stdout.write(tables.as_text(table))


def _table(recipe, study, named):
    try:
        chosen = choose(recipe, study, named_in(named))
    except ValueError as error:
        raise CommandError(f"--judge: {error}") from error
    answers = frame.read_answers(study, *which(study, {}))
    return table_of(recipe, answers, chosen)
