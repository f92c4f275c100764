"""Make items of a study's statements (manage.py make_statement_items)."""

from django.core.management.base import BaseCommand, CommandError

from annotate.models import Study
from judges.statements import items


class Command(BaseCommand):
    help = (
        "Makes an item of each statement of a study's explanations, with the document to check it "
        "by. Safe to repeat: only what changed gets new items."
    )

    def add_arguments(self, parser):
        parser.add_argument("study", help="the study's short name")
        parser.add_argument(
            "--fill-references",
            action="store_true",
            help="put the composed ground truth where an item has a review and no reference",
        )

    def handle(self, **options):
        study = Study.objects.kept().filter(slug=options["study"]).first()
        if study is None:
            raise CommandError(f"There is no study {options['study']!r}.")
        try:
            made = items.make(study, options["fill_references"])
        except ValueError as error:
            raise CommandError(str(error)) from None
        self.stdout.write(str(made))
