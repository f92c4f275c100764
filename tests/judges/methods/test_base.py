"""What every method says of itself, wherever something asks it."""

import pytest
from django.template.loader import get_template

from judges import methods
from judges.models import Judge
from judges.prompting import fill

ALL = Judge.Method.values


def test_each_method_has_a_plug_in_and_words_of_its_own():
    assert set(methods.METHODS) == set(ALL)
    assert len({methods.named(name).offer for name in ALL} - {""}) == len(ALL)


@pytest.mark.parametrize("name", ALL)
def test_what_judges_nothing_is_kept_out_of_analyses(name):
    assert methods.named(name).judges_nothing == (name in Judge.JUDGING_NOTHING)


@pytest.mark.parametrize("name", ALL)
def test_its_keys_are_columns_of_a_judge_and_then_its_settings(name):
    method = methods.named(name)
    assert len(set(method.keys)) == len(method.keys)
    assert method.keys == (*method.columns, *method.settings.names())
    for key in method.columns:
        Judge._meta.get_field(key)


@pytest.mark.parametrize("name", ALL)
def test_its_usual_prompt_asks_what_it_asks(name):
    method = methods.named(name)
    prompt = fill.load(method.usual_prompt)
    assert prompt.method == name
    assert all(prompt.has(place) for place in method.needed_places)


@pytest.mark.parametrize("name", [name for name in ALL if name != "questions"])
def test_a_page_says_what_is_asked(name):
    assert get_template(methods.named(name).about)
