"""Print how many ratings a study needs, before there is a study: manage.py plan."""

import json

from django.core.management.base import BaseCommand, CommandError

from analysis.management.asking import add_option
from analysis.options.form import query
from analysis.reports.how_many.options import OPTIONS, PlanForm, PlanOptions
from analysis.reports.how_many.planner import Plan
from analysis.serving import tables


class Command(BaseCommand):
    """The command that plans a study."""

    help = "Compute how many items, ratings and sessions a study needs, and what they cost."

    def add_arguments(self, parser):
        for name, option in OPTIONS.items():
            usual = option.usual(None)
            add_option(parser, name, option, f"{option.about}; default {usual}")
        parser.add_argument("--format", choices=list(WRITERS), default="text")

    def handle(self, **given):
        form = PlanForm(query({name: given[name] for name in OPTIONS}))
        if not form.is_valid():
            raise CommandError("\n".join(form.errors_in_words()))
        report = Plan(form.options(PlanOptions)).as_report()
        self.stdout.write(WRITERS[given["format"]](report).rstrip("\n"))


def as_json(report):
    """Write the whole plan as JSON; undefined numbers are null."""
    whole = report.as_dict()
    parts = {name: whole[name] for name in ("options", "rows", "notes")}
    return json.dumps(parts, ensure_ascii=False, indent=1, allow_nan=False)


WRITERS = {"text": tables.as_text, "csv": tables.as_csv, "json": as_json}
