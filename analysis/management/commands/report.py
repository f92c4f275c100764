"""Write every report into one HTML file that needs no network: manage.py report STUDY -o FILE."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from analysis.management.asking import add_options, given_options
from analysis.management.files import replace
from analysis.management.studies import study_or_error
from analysis.options.form import OptionsForm
from analysis.reports.registry import EVERY_OPTION
from analysis.serving.report_file import NothingToReport, pieces
from analysis.serving.source import Source


class Command(BaseCommand):
    """The command that writes all reports into one file."""

    help = (
        "Write every table and figure of a study, a methods section and the codebook into one HTML "
        "file that opens without a network."
    )

    def create_parser(self, *args, **kwargs):
        # Django's own --version, which tells that of Django, gives way.
        return super().create_parser(*args, conflict_handler="resolve", **kwargs)

    def add_arguments(self, parser):
        parser.add_argument("study", help="the study's name in its address")
        parser.add_argument("-o", "--output", type=Path, metavar="FILE", required=True)
        add_options(parser)

    def handle(self, **given):
        source = Source(study_or_error(given["study"]), given)
        form = OptionsForm(given_options(given), source.choices, EVERY_OPTION)
        if not form.is_valid():
            raise CommandError("\n".join(form.errors_in_words()))
        try:
            replace(given["output"], pieces(source, form))
        except NothingToReport as gap:
            raise CommandError(f"There is nothing to report yet. {gap}") from None
        self.stdout.write(f"Wrote {given['output']}.")
