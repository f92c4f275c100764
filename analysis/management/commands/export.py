"""Export a study's table as streamed CSV or JSON lines, or the study as study.yaml."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from analysis.exports import tables, write
from analysis.management.files import replace
from analysis.management.studies import study_or_error
from judges.files.study_file import study_yaml


class Command(BaseCommand):
    """The command that exports a table."""

    help = (
        f"Export a table of a study: {', '.join(tables.ROWS)}; or study, its study.yaml, which "
        "holds the questions, the settings with the completion code, and the judges."
    )

    def add_arguments(self, parser):
        parser.add_argument("study", help="the study's name in its address")
        parser.add_argument("table", choices=[*tables.ROWS, "study"])
        parser.add_argument(
            "--platform-ids",
            action="store_true",
            help="of raters: the platform's own ids of people instead of pseudonyms",
        )
        parser.add_argument("--format", choices=list(write.FORMS), help="default: csv")
        parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="default: print")

    def handle(self, **given):
        study = study_or_error(given["study"])
        options = {"platform_ids": True} if given["platform_ids"] else {}
        if options and given["table"] != "raters":
            raise CommandError("--platform-ids belongs to the table raters.")
        pieces = _pieces(study, given["table"], given["format"], **options)
        if given["output"] is None:
            for piece in pieces:
                self.stdout.write(piece, ending="")
            return
        replace(given["output"], pieces)


def _pieces(study, table, form, **options):
    if table != "study":
        return write.pieces(study, table, form or "csv", **options)
    if form:
        raise CommandError("study is YAML whatever the format: leave --format out.")
    return [study_yaml(study)]
