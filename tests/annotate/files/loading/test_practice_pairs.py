"""Practice on a pair of lists: what is expected of the verdict and of single episodes."""

import pytest

from annotate.design.expected import misfit
from annotate.files.loading.practice import mark_items
from annotate.files.reading.stepspec import read_practice
from annotate.flow import around
from annotate.models import (
    Screen,
    Study,
)
from annotate.studies.forms_steps import PracticeRow
from annotate.values.wrong import Wrong
from judges.files import load_files
from judges.files.study_file import study_yaml
from tests.annotate.sessions.test_steps import begin, text_of
from tests.podcasts import make_podcasts

pytestmark = pytest.mark.django_db
PAGE = "/studies/podcasts/settings/steps/practice/"
EXPECTED = {"better-list": "B", "episode-fit@pair-1-A-1": 1, "episode-fit@pair-1-B-2": 5}


@pytest.fixture
def study(owner):
    return make_podcasts(owner, pairs=2)


def practise_on(study, answers=EXPECTED, item="pair-1"):
    entries = [{"item": item, "answers": answers, "feedback": "List B keeps to history."}]
    study.extra |= {"practice": read_practice(entries)}
    study.save()
    mark_items(study)
    return study


def fields(study):
    """{question@item or question: the field of the page}"""
    keys = {question.key: question.pk for question in study.questions.all()}
    found = {"better-list": f"q{keys['better-list']}"}
    for part in study.items.filter(parent__key="pair-1"):
        found[f"episode-fit@{part.key}"] = f"q{keys['episode-fit']}i{part.pk}"
    return found


def test_what_differs_from_an_episodes_expected_value_is_told_by_its_title(client, study):
    session = begin(client, practise_on(study))
    names = fields(study)
    said = {name: 3 for key, name in names.items() if key != "better-list"}
    said |= {names["better-list"]: 3, names["episode-fit@pair-1-B-2"]: 5}  # the third choice is B
    page = text_of(client.post(f"/r/{session.token}/practice/1/", said, follow=True))
    assert "One answer differs" in page
    wrong, right = page.index("Episode pair-1 alpha 1"), page.index("Episode pair-1 beta 2")
    assert "Expected: <strong>Strongly disagree" in page[wrong:right]
    assert page.count("badge ok") == 2 and "alpha 2" not in page
    assert Screen.objects.get(kind="practice").by_key["episode-fit@pair-1-A-1"] == 3


def test_all_as_expected(client, study):
    session = begin(client, practise_on(study))
    names = fields(study)
    said = dict.fromkeys(names.values(), 4)
    said |= {
        names["better-list"]: 3,
        names["episode-fit@pair-1-A-1"]: 1,
        names["episode-fit@pair-1-B-2"]: 5,
    }
    page = text_of(client.post(f"/r/{session.token}/practice/1/", said, follow=True))
    assert "Your answers are those that were expected here." in page


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"episode-fit@pair-2-A-1": 3}, "is no part of this item"),
        ({"episode-fit@nothing": 3}, "is no part of this item"),
        ({"episode-fit@pair-1-A-1": 6}, "6"),
        ({"better-list@pair-1-A-1": "A"}, "is not asked about this item"),
        ({"episode-fit": 3}, "is not asked about this item"),
        ({"better-list": "C"}, "C"),
    ],
)
def test_what_does_not_fit_is_refused(study, answers, words):
    practice = [around.Practice("pair-1", answers)]
    parts = {"pair-1": {"pair-1-A-1": "recommendation"}}
    wrong = misfit(practice, study.questions.all(), {"pair-1": "list_pair"}, parts)
    assert isinstance(wrong, Wrong) and wrong.key == "answers" and words in str(wrong)


def test_the_page_takes_and_shows_what_is_expected_of_episodes(as_owner, study):
    row = {"rows": 1, "r0-item": "pair-1", "r0-feedback": "", "r0-q-better-list": "B"}
    lines = " episode-fit@pair-1-A-1 = 1 \n\nepisode-fit@pair-1-B-2=5"
    assert as_owner.post(PAGE, row | {"r0-parts": lines}).status_code == 302
    study.refresh_from_db()
    assert study.extra["practice"][0]["answers"] == EXPECTED
    page = as_owner.get(PAGE).content.decode()
    assert "episode-fit@pair-1-A-1 = 1\nepisode-fit@pair-1-B-2 = 5" in page
    for typed, words in (
        ("episode-fit@pair-1-A-1", "KEY@ITEM = VALUE"),
        ("episode-fit = 1", "KEY@ITEM = VALUE"),
        ("episode-fit@pair-2-A-1 = 1", "no part of this item"),
        ("episode-fit@pair-1-A-1 = 9", "9"),
    ):
        answer = as_owner.post(PAGE, row | {"r0-parts": typed})
        assert answer.status_code == 422 and words in answer.content.decode()


@pytest.mark.parametrize(
    ("line", "key", "value"),
    [
        ("fit@one = a = b", "fit@one", "a = b"),
        ("fit@one=a=b", "fit@one", "a=b"),
        ("fit@one = x>=3", "fit@one", "x>=3"),
        ("fit@one=1 = 4", "fit@one=1", "4"),
    ],
)
def test_labels_and_ids_may_have_an_equals_sign(line, key, value):
    row = PracticeRow({"item": "pair-1", "parts": line})
    assert row.is_valid() and row.cleaned_data["parts"] == {key: value}


def test_study_yaml_has_them_both_ways(study, tmp_path):
    practise_on(study)
    path = tmp_path / "study.yaml"
    path.write_text(study_yaml(study))
    assert "episode-fit@pair-1-A-1: 1" in path.read_text()
    again = load_files(path, {})
    assert not again.problems and not any(one.changed for one in again.counts.values())
    path.write_text(path.read_text().replace("fit@pair-1-A-1", "fit@pair-2-A-1"))
    (problem,) = load_files(path, {}).problems.shown
    assert "episode-fit@pair-2-A-1: is no part of this item" in problem.message


NEW = """\
study: pairs
title: Pairs
questions:
  - {key: fit, text: "Does it fit?", scale: likert5, applies_to: [recommendation]}
  - {key: better, text: "Which?", scale: {choice: [A, tie, B]}, applies_to: [list_pair]}
practice:
  - {item: p, answers: {better: tie, fit@PART: 5}}
"""
ITEMS = """\
item,kind,parent,side,position,content
p,list_pair,,,,
a1,recommendation,p,A,1,c1
b1,recommendation,p,B,1,c2
q,list_pair,,,,
a2,recommendation,q,A,1,c1
"""


@pytest.mark.parametrize(("part", "fits"), [("b1", True), ("a2", False), ("p", False)])
def test_a_new_study_is_checked_with_the_parts_of_its_own_file(db, tmp_path, part, fits):
    path, items = tmp_path / "study.yaml", tmp_path / "items.csv"
    path.write_text(NEW.replace("PART", part))
    items.write_text(ITEMS)
    load = load_files(path, {"items": items})
    assert bool(load.problems) != fits and Study.objects.exists() == fits
    assert fits or "is no part of this item" in load.problems.shown[0].message
