"""manage.py analyse STUDY REPORT: the numbers of a report page on the command line."""

import json

from django.core.management.base import BaseCommand, CommandError

from analysis import frames, tables
from analysis.management.studies import study_or_error
from analysis.options import DEFAULT_DRAWS, Choices, OptionsForm, query
from analysis.pages.kinds import REPORTS

OPTIONS = [
    ("--reference", "ROLE: recipient, third_party, expert or all people; default: by the study"),
    ("--missing-reference", "drop (default), or the number to put in"),
    ("--missing-judgment", "drop (default), or the number to put in"),
    ("--undefined", "skip (default) or zero: groups without a coefficient"),
    ("--threshold", "least mean rating that counts as positive; default: by the scale"),
    ("--epsilon", "substitution: head start of a judge, 0 to 0.5; default: by the reference role"),
    ("--standard-errors", "substitution: cluster (default) or plain"),
    ("--draws", f"bootstrap draws, 0 = no intervals; default {DEFAULT_DRAWS}"),
    ("--seed", "of the draws; default 1"),
]


class Command(BaseCommand):
    help = "Compute a report of a study and print it as text, CSV or JSON."

    def add_arguments(self, parser):
        parser.add_argument("study", help="the study's name in its address")
        parser.add_argument("report", help=", ".join(REPORTS))
        parser.add_argument(
            "--exclude",
            action="append",
            default=[],
            metavar="COLUMN=VALUE",
            help="leave out items with this value; may be repeated",
        )
        for name, text in OPTIONS:
            parser.add_argument(name, help=text)
        parser.add_argument("--format", choices=list(WRITERS), default="text")

    def handle(self, **given):
        if given["report"] not in REPORTS:
            raise CommandError(
                f"There is no report {given['report']!r}; there are: {', '.join(REPORTS)}."
            )
        answers = frames.read(study_or_error(given["study"]))
        names = ["exclude", *(name[2:].replace("-", "_") for name, _ in OPTIONS)]
        form = OptionsForm(query({name: given[name] for name in names}), Choices.of(answers))
        if not form.is_valid():
            raise CommandError("\n".join(form.errors_in_words()))
        report = REPORTS[given["report"]].build(answers, form.options())
        self.stdout.write(WRITERS[given["format"]](report).rstrip("\n"))


def as_json(report):
    """The whole report; undefined numbers are null."""
    return json.dumps(report.as_dict(), ensure_ascii=False, indent=1, allow_nan=False)


WRITERS = {"text": tables.as_text, "csv": tables.as_csv, "json": as_json}
