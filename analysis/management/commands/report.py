"""Write the paper of a study into a file: manage.py report STUDY -o FILE."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError
from django.http import QueryDict

from analysis.answers.moment import one_moment
from analysis.management.files import replace
from analysis.management.studies import study_or_error
from analysis.paper.build import paper_of
from analysis.paper.files import WRITERS
from analysis.paper.forms import PaperForm
from analysis.paper.sections import SECTIONS, offered
from analysis.serving.source import Source
from analysis.serving.summaries import missing

OPTIONS = ("sections", "digits", "width", "font", "part")
FLAGS = ("percent", "intervals")


class Command(BaseCommand):
    """The command that writes a study's paper."""

    help = (
        "Write the paper of a study (chosen tables, a figure, methods, references, codebook) as "
        "one HTML file that opens without a network, or as an archive with LaTeX, CSV, SVG, PDF "
        "and BibTeX."
    )

    def add_arguments(self, parser):
        names = ",".join(section.name for section in SECTIONS)
        usual = ",".join(section.name for section in SECTIONS if section.is_usual)
        parser.add_argument("study", help="the study's name in its address")
        parser.add_argument(
            "-o", "--output", type=Path, metavar="FILE", required=True, help="FILE.html or FILE.zip"
        )
        parser.add_argument("--sections", metavar="NAMES", help=f"some of {names}; default {usual}")
        parser.add_argument(
            "--digits", metavar="N", help="digits behind the point, 2 (default) to 4"
        )
        parser.add_argument("--percent", action="store_true", help="write shares in per cent")
        parser.add_argument("--intervals", action="store_true", help="write intervals too")
        parser.add_argument("--width", metavar="CM", help="width of figures in cm, default 16")
        parser.add_argument(
            "--font", metavar="NAME", help="font of figures: sans (default) or serif"
        )
        parser.add_argument("--part", metavar="PART", help="part of a study with a test split")

    def handle(self, **given):
        form = given["output"].suffix.removeprefix(".")
        if form not in WRITERS:
            endings = " or ".join(f".{name}" for name in WRITERS)
            raise CommandError(f"{given['output']}: expected a name that ends in {endings}.")
        with one_moment():
            written = _write(study_or_error(given["study"]), _query(given), form)
        replace(given["output"], [written])
        self.stdout.write(f"Wrote {given['output']}.")


def _query(given):
    """Return what was given as the form of the page reads it."""
    query = QueryDict(mutable=True)
    query.update({name: given[name] for name in OPTIONS if given[name] is not None})
    query.update({name: "on" for name in FLAGS if given[name]})
    return query


def _write(study, query, form):
    """Return the file's bytes; refuse what the study or the options do not allow."""
    source = Source(study, query)
    asked = PaperForm(query, source.choices, offered(source))
    if lack := missing(source):
        raise CommandError(f"There is nothing to report yet. {lack.text}")
    if not asked.is_valid():
        raise CommandError("\n".join(asked.errors_in_words()))
    return WRITERS[form](paper_of(source, asked.query), asked.looks)
