"""Offer the options of reports on the command line: the same options as on the pages."""

from django.core.management.base import BaseCommand

from analysis.options.form import query
from analysis.reports.registry import EVERY_OPTION, takers

FEW = 3  # reports that an option's words name; one of more reports needs no names


class OptionsCommand(BaseCommand):
    """A command that takes the options of reports."""

    def create_parser(self, *args, **kwargs):
        # Django's own --version, which tells that of Django, gives way.
        return super().create_parser(*args, conflict_handler="resolve", **kwargs)


def add_options(parser):
    """Add all options of reports to a command's parser."""
    for name, option in EVERY_OPTION.items():
        add_option(parser, name, option, _words(name, option))


def add_option(parser, name, option, words):
    """Add one option to a command's parser, with the words that say what it does."""
    repeated = {"action": "append", "default": []} if option.is_repeated else {}
    flag = option.flag or f"--{name.replace('_', '-')}"
    parser.add_argument(flag, dest=name, help=words, metavar=option.metavar, **repeated)


def _words(name, option):
    """Write what an option does, after the reports that alone take it."""
    names = takers(name)
    return option.about if len(names) > FEW else f"{', '.join(names)}: {option.about}"


def given_options(given):
    """Return the options given in the shape that the form of a page reads."""
    return query({name: given[name] for name in EVERY_OPTION})
