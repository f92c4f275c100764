"""Which platform a study says it is on: in study.yaml, on its page."""

import re
from io import StringIO

import pytest
from django.core.management import call_command

from annotate.design import platform
from annotate.files.reading import Problems
from annotate.files.reading.studyfile import read_study
from annotate.studies.templates import template_of
from tests.annotate.design.test_platform_links import on

pytestmark = pytest.mark.django_db


@pytest.fixture
def prolific(study):
    return on(study, "prolific")


# What a study says


@pytest.mark.parametrize(
    ("value", "name", "open_link"),
    [
        (None, "none", True),
        ("none", "none", True),
        ("prolific", "prolific", False),
        ({"name": "mturk", "open_link": True}, "mturk", True),
        ({"open_link": False}, "none", False),
    ],
)
def test_the_open_link_works_unless_there_is_a_platform(value, name, open_link):
    read = platform.read_platform(value)
    assert (read.name, read.open_link) == (name, open_link)
    assert platform.read_platform(read.as_data()) == read


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("clickworker", "allowed is none, prolific, mturk"),
        ({"names": "prolific"}, "not a known key"),
        ({"codes": {"complete": "X"}}, "completion_code"),
        ({"codes": {"no_consent": "a b"}}, "letters, digits"),
        ({"codes": {"no_consent": "X\n"}}, "letters, digits"),
        ({"codes": ["X"]}, "mapping"),
        ({"open_link": "no"}, "true or false"),
        (7, "a mapping"),
    ],
)
def test_a_wrong_platform_is_refused_in_words(value, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        platform.read_platform(value)


def test_ids_are_known_names_with_sane_values():
    given = {"PROLIFIC_PID": "p" * 101, "STUDY_ID": " s-1 ", "SESSION_ID": "{{%SESSION_ID%}}"}
    names = platform.PARAMETERS["prolific"]
    assert platform.platform_ids(given | {"evil__lookup": "x"}, names) == {"STUDY_ID": "s-1"}


# The page of the study


def test_choosing_a_platform_turns_the_open_link_off_until_it_is_ticked_again(as_owner, study):
    url = "/studies/films/settings/platform/"
    page = as_owner.post(url, {"name": "prolific", "open_link": "on"}, follow=True)
    assert "The open link is off now: on Prolific people could come twice" in page.content.decode()
    study.refresh_from_db()
    assert platform.platform_of(study).open_link is False
    page = as_owner.post(url, {"name": "prolific", "open_link": "on"}, follow=True)
    assert "off now" not in page.content.decode()
    study.refresh_from_db()
    assert platform.platform_of(study).open_link is True
    as_owner.post(url, {"name": "none", "open_link": "on"})
    study.refresh_from_db()
    assert platform.platform_of(study).open_link is True


def test_an_editor_chooses_the_platform_and_its_codes(as_owner, study):
    url = "/studies/films/settings/platform/"
    data = {"name": "prolific", "code_screened_out": "OUT1", "code_no_consent": ""}
    assert as_owner.post(url, data).status_code == 302
    study.refresh_from_db()
    assert study.extra["platform"] == {
        "name": "prolific",
        "open_link": False,
        "codes": {"screened_out": "OUT1"},
        "keep_for_recipients": False,
        "keep_days": 14,
    }
    page = as_owner.get(url).content.decode()
    assert "PROLIFIC_PID={{%PROLIFIC_PID%}}&amp;STUDY_ID={{%STUDY_ID%}}" in page
    assert as_owner.post(url, data | {"code_too_late": "a b"}).status_code == 422


FILE = """
study: films
platform:
  name: prolific
  codes: {screened_out: OUT1}
"""


def read_file(tmp_path, text):
    path, problems = tmp_path / "study.yaml", Problems()
    path.write_text(text)
    return read_study(path, "study.yaml", problems), [str(problem) for problem in problems.shown]


def test_study_yaml_names_the_platform_and_says_what_is_wrong_with_it(tmp_path):
    read, problems = read_file(tmp_path, FILE)
    assert problems == [] and read.fields["extra"]["platform"]["name"] == "prolific"
    _, problems = read_file(tmp_path, FILE.replace("prolific", "prolofic"))
    assert len(problems) == 1 and "line 3" in problems[0] and "prolofic" in problems[0]


def test_a_file_that_says_nothing_of_the_platform_leaves_it(tmp_path, prolific, owner):
    path = tmp_path / "study.yaml"
    path.write_text("study: films\ntitle: Other films\n")
    call_command("load_study", str(path), stdout=StringIO())
    prolific.refresh_from_db()
    assert prolific.title == "Other films" and platform.platform_of(prolific).name == "prolific"


def test_a_study_like_another_has_codes_of_its_own(prolific):
    fields = template_of(prolific).read.fields
    assert fields["extra"] == {"platform": {"name": "prolific"}}
