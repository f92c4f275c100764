"""An address has each number as short as it can be, and is read back as the same number."""

import unicodedata

import pytest
from django.http import QueryDict

from analysis.options.choices import Choices
from analysis.options.form import OptionsForm, query
from analysis.reports.registry import EVERY_OPTION
from analysis.reports.verdict.options import VerdictOptions


@pytest.mark.parametrize(
    ("floor", "written"),
    [(0.1, "0.1"), (0.1 + 0.2, "0.30000000000000004"), (1e-9, "1e-09"), (2.0, "2"), (0, "0")],
)
def test_a_number_in_an_address_is_the_shortest_that_is_read_back(floor, written):
    given = QueryDict(VerdictOptions(floor=floor).query_string())["floor"]
    assert given == written and float(given) == floor


@pytest.mark.parametrize("name", ["judges", "of", "other", "named", "only"])
def test_a_name_may_be_given_in_either_form_of_unicode(name):
    judge = "José"
    columns = {"item": ["a"], "system": [judge]}
    choices = Choices(columns, ["expert"], [judge, "b"], [1], 1, raters={"Zoë": 20})
    written = {"of": f"{judge} + Zoë", "only": f"system={judge}"}.get(name, judge)
    given = unicodedata.normalize("NFD", written)
    is_list = name in ("judges", "of", "only")
    form = OptionsForm(query({name: [given] if is_list else given}), choices, EVERY_OPTION)
    form.is_valid()
    expected = ("system", judge) if name == "only" else written
    assert name not in form.errors
    assert form.cleaned_data[name] == ((expected,) if is_list else expected)
