"""Print the numbers of a report page on the command line: manage.py analyse STUDY REPORT."""

import json

from django.core.management.base import BaseCommand, CommandError

from analysis.answers import frame
from analysis.answers.moment import one_moment
from analysis.management.asking import add_options, given_options
from analysis.management.studies import study_or_error
from analysis.options.choices import Choices
from analysis.options.form import OptionsForm
from analysis.reports.registry import EVERY_OPTION, REPORTS
from analysis.serving import latex, tables
from analysis.serving.grouping import computed
from analysis.serving.source import which


class Command(BaseCommand):
    """The command that prints a report."""

    help = "Compute a report of a study and print it as text, CSV, JSON or a LaTeX table."

    def create_parser(self, *args, **kwargs):
        # Django's own --version, which tells that of Django, gives way.
        return super().create_parser(*args, conflict_handler="resolve", **kwargs)

    def add_arguments(self, parser):
        parser.add_argument("study", help="the study's name in its address")
        parser.add_argument("report", help=", ".join(REPORTS))
        add_options(parser)
        parser.add_argument("--format", choices=list(WRITERS), default="text")

    @one_moment()
    def handle(self, **given):
        if given["report"] not in REPORTS:
            raise CommandError(
                f"There is no report {given['report']!r}; there are: {', '.join(REPORTS)}."
            )
        study = study_or_error(given["study"])
        answers = frame.read_answers(study, *which(study, given))
        form = OptionsForm(given_options(given), Choices.from_answers(answers), EVERY_OPTION)
        if not form.is_valid():
            raise CommandError("\n".join(form.errors_in_words()))
        kind = REPORTS[given["report"]]
        report = computed(kind, answers, form.options(kind.options))
        self.stdout.write(WRITERS[given["format"]](report).rstrip("\n"))


def as_json(report):
    """Write the whole report as JSON; undefined numbers are null."""
    return json.dumps(report.as_dict(), ensure_ascii=False, indent=1, allow_nan=False)


WRITERS = {
    "text": tables.as_text,
    "csv": tables.as_csv,
    "json": as_json,
    "latex": latex.as_latex,
}
