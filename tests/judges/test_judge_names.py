"""A judge's name is made of letters that people see."""

import pytest

from judges.forms_kinds import ScorerForm

pytestmark = pytest.mark.django_db


def test_the_form_refuses_a_judges_name_with_a_letter_that_nobody_sees(study):
    form = ScorerForm(study, "random", {"key": "a\u202eb"})
    assert "found the character U+202E (RIGHT-TO-LEFT OVERRIDE)" in form.errors["key"][0]
