"""A judge's name is made of letters that people see."""

import pytest

from judges.models import Judge
from judges.pages.forms_kinds import ScorerForm
from tests.files import ITEMS, STUDY, load, messages

pytestmark = pytest.mark.django_db


def test_the_form_refuses_a_judges_name_with_a_letter_that_nobody_sees(study):
    form = ScorerForm(study, "random", {"key": "a\u202eb"})
    assert "found the character U+202E (RIGHT-TO-LEFT OVERRIDE)" in form.errors["key"][0]


def with_judge(name):
    """Return the text of a study.yaml with one more judge."""
    return f'{STUDY}judges:\n  - {{judge: "{name}", kind: random}}\n'


@pytest.mark.parametrize("letter", ["u202e", "u200b", "ufe00", "u2028"])
def test_a_study_file_brings_no_new_name_with_a_letter_that_nobody_sees(tmp_path, letter):
    loading = load(tmp_path, study=with_judge(f"a\\{letter}b"), items=ITEMS)
    assert len(messages(loading)) == 1
    expected = f"judges.judge: found the character U+{letter[1:].upper()} ("
    assert expected in messages(loading)[0] and not Judge.objects.exists()


def test_a_name_that_stands_already_may_stay(tmp_path):
    load(tmp_path, study=with_judge("ab"), items=ITEMS)
    Judge.objects.update(key="a\u200bb")
    loading = load(tmp_path, study=with_judge("a\\u200bb"))
    assert messages(loading) == [] and loading.counts["judges"].unchanged == 1
