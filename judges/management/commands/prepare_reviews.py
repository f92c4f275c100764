"""Turn a file of reviews into a study's files (manage.py prepare_reviews)."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from annotate.files.reading import Problems
from judges.statements import review_files
from judges.statements.review_splits import LEAST


def positive(text):
    """Parse a whole number above 0."""
    if int(text) < 1:
        raise ValueError(text)
    return int(text)


class Command(BaseCommand):
    help = (
        "Splits a file of reviews by time into training, validation and test, recipient by "
        "recipient, and writes the files of a study and the counts."
    )

    def add_arguments(self, parser):
        parser.add_argument("file", type=Path, help="recipient, content, at, rating, review, …")
        parser.add_argument("--out", type=Path, default=Path("prepared"), metavar="DIR")
        parser.add_argument(
            "--least",
            type=positive,
            default=LEAST,
            metavar="N",
            help="leave out recipients with fewer interactions; default 5",
        )

    def handle(self, **options):
        problems = Problems()
        reviews = review_files.read_reviews(options["file"], problems)
        if problems:
            for problem in problems.shown:
                self.stderr.write(str(problem))
            raise CommandError(f"{problems.total:,} problems; nothing was written")
        prepared = review_files.prepare(reviews, options["least"], options["out"])
        width = max(len(name) for name, _ in prepared.counts)
        for name, count in prepared.counts:
            self.stdout.write(f"{name:<{width}}  {count:>9,}")
        self.stdout.write(f"The files are in {options['out']}.")
