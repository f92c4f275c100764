"""Print how many ratings a study needs, before there is a study: manage.py plan."""

import json

from django.core.management.base import BaseCommand, CommandError

from analysis.management.asking import add_option
from analysis.options.form import query
from analysis.planner.options import OPTIONS, PlanForm, PlanOptions
from analysis.planner.plan import make_plan
from analysis.planner.words import as_dict, as_report
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
        made = make_plan(form.options(PlanOptions))
        self.stdout.write(WRITERS[given["format"]](made).rstrip("\n"))


def as_json(plan):
    """Write the whole plan as JSON; undefined numbers are null."""
    return json.dumps(as_dict(plan), ensure_ascii=False, indent=1, allow_nan=False)


WRITERS = {
    "text": lambda plan: tables.as_text(as_report(plan)),
    "csv": lambda plan: tables.as_csv(as_report(plan)),
    "json": as_json,
}
