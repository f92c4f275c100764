"""Print the numbers of a report page on the command line: manage.py analyse STUDY REPORT."""

import json

from django.core.management.base import CommandError

from analysis.answers import frame
from analysis.answers.moment import one_moment
from analysis.management.asking import OptionsCommand, add_options, given_options
from analysis.management.studies import study_or_error
from analysis.options.choices import Choices
from analysis.options.form import OptionsForm
from analysis.reports.registry import EVERY_OPTION, REPORTS
from analysis.serving import latex, tables
from analysis.serving.grouping import computed
from analysis.serving.source import which


class Command(OptionsCommand):
    """The command that prints a report."""

    help = "Compute a report of a study and print it as text, CSV, JSON or a LaTeX table."

    def add_arguments(self, parser):
        parser.add_argument("study", help="the study's name in its address")
        parser.add_argument("report", help=", ".join(REPORTS))
        add_options(parser)
        parser.add_argument("--measure", help="only this measure of a report that has several")
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
        parts = _parts(kind, answers.questions, given["measure"])
        report = computed(kind, answers, form.options(kind.options), parts)
        self.stdout.write(WRITERS[given["format"]](report).rstrip("\n"))


def _parts(kind, questions, measure):
    """Return the parts of a report to compute, None for all; CommandError says what is allowed."""
    if measure is None:
        return None
    shown = kind.list_parts(questions)
    allowed = [key for key, _ in shown.choices] if shown.name == "measure" else []
    if measure not in allowed:
        words = f"allowed are {', '.join(allowed)}" if allowed else "this report has no measures"
        raise CommandError(f"measure: Found {measure!r}; {words}.")
    return [measure]


def as_json(report):
    """Write the whole report as JSON; undefined numbers are null."""
    return json.dumps(report.as_dict(), ensure_ascii=False, indent=1, allow_nan=False)


WRITERS = {
    "text": tables.as_text,
    "csv": tables.as_csv,
    "json": as_json,
    "latex": latex.as_latex,
}
