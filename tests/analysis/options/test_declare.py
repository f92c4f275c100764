"""One declaration of an option is what the form, the command, the API and the report have."""

from dataclasses import fields

import pytest

from analysis.management.commands.analyse import Command
from analysis.options.choices import Choices
from analysis.options.declare import declared
from analysis.options.form import OptionsForm, query
from analysis.reports.registry import EVERY_OPTION, REPORTS
from analysis.serving.api import OPTIONS

CHOICES = Choices({"item": ["a", "b"], "system": ["s", "t"]}, ["expert"], ["j", "k"], [1], 1)


@pytest.mark.parametrize("name", REPORTS)
def test_a_form_without_anything_given_has_the_defaults_of_the_class(name):
    """But for the reference, which is by the study."""
    options_class = REPORTS[name].options
    form = OptionsForm(query({}), CHOICES, declared(options_class))
    assert form.is_valid(), form.errors
    has_reference = "reference" in declared(options_class)
    reference = {"reference": "expert"} if has_reference else {}
    assert form.options(options_class) == options_class(**reference)


@pytest.mark.parametrize("name", REPORTS)
def test_what_a_report_writes_of_its_options_is_read_back(name):
    given = {"only": ["item=a"], "exclude": ["system=s"], "judges": ["k"], "draws": "7"}
    form = OptionsForm(query(given), CHOICES, EVERY_OPTION)
    assert form.is_valid(), form.errors
    options = form.options(REPORTS[name].options)
    again = OptionsForm(query(options.as_dict()), CHOICES, declared(type(options)))
    assert again.is_valid(), again.errors
    assert again.options(type(options)) == options


def test_command_and_api_offer_every_option_once():
    arguments = {action.dest for action in Command().create_parser("manage.py", "analyse")._actions}
    assert {*EVERY_OPTION} <= arguments
    assert [*OPTIONS] == [*EVERY_OPTION]
    of_reports = {field.name for kind in REPORTS.values() for field in fields(kind.options)}
    assert of_reports == {*EVERY_OPTION}


def test_choose_takes_what_the_class_has():
    options = REPORTS["raters"].options.choose(reference="expert", draws=3)
    assert (options.draws, options.reference) == (3, "all")
