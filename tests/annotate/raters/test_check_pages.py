"""The researchers' page about orders, checks and gold items, and their keys in study.yaml."""

import pytest

from annotate.files.loading.practice import mark_items
from annotate.files.reading import Problems
from annotate.files.reading.studyfile import read_study
from annotate.models import Study
from annotate.sessions import places
from annotate.sessions import session as sessions
from annotate.studies import edit
from tests.annotate.sessions.test_screens import BOTH

pytestmark = pytest.mark.django_db
PAGE = "/studies/films/settings/sessions/"
NUMBERS = {
    "order": "latin_square",
    "order_seed": 3,
    "repeats": 2,
    "minimum_seconds": 5,
    "attention_failures": 0,
    "gold_per_session": 0,
}
OWN = {
    "key": "read",
    "text": "Choose D.",
    "scale": "options",
    "options": "C\r\nD\r\n",
    "right": "D",
    "after": "item",
    "number": 2,
}


def extra():
    return Study.objects.get(slug="films").extra


def test_order_and_numbers_are_kept_and_shown(as_owner, study):
    assert as_owner.post(PAGE, NUMBERS).status_code == 302
    # What is not set stays away.
    assert extra() == {"order": "latin_square", "order_seed": 3, "repeats": 2, "minimum_seconds": 5}
    as_owner.post(PAGE, NUMBERS | {"repeats": 0})
    assert extra()["repeats"] == 0
    assert 'value="latin_square" selected' in as_owner.get(PAGE).content.decode()


@pytest.mark.parametrize("wrong", [{"repeats": 51}, {"order": "poem"}, {"minimum_seconds": -1}])
def test_what_cannot_be_set_is_said(as_owner, study, wrong):
    answer = as_owner.post(PAGE, NUMBERS | wrong)
    assert answer.status_code == 422 and "errorlist" in answer.content.decode()
    assert extra() == {}


def test_the_ready_made_check_is_the_paper_s(as_owner, study):
    assert "Add “Please choose both A and D.”" in as_owner.get(PAGE).content.decode()
    for _ in range(2):
        as_owner.post(PAGE + "check/ready/")
    assert extra()["attention"] == [BOTH]
    assert "Add “Please choose both" not in as_owner.get(PAGE).content.decode()


def test_a_check_is_made_changed_and_removed(as_owner, study):
    as_owner.post(PAGE + "check/ready/")
    assert as_owner.post(PAGE + "check/", OWN).status_code == 302
    assert extra()["attention"][1] == {
        "key": "read",
        "text": "Choose D.",
        "options": ["C", "D"],
        "right": "D",
        "after": 2,
    }
    page = as_owner.get(PAGE + "?check=read").content.decode()
    assert "Change read" in page and "Choose D.</textarea>" in page
    question = study.questions.first()
    changed = OWN | {
        "old": "read",
        "key": "likert",
        "scale": f"of-{question.key}",
        "right": "Disagree",
        "after": "random",
    }
    assert as_owner.post(PAGE + "check/", changed).status_code == 302
    assert extra()["attention"] == [
        BOTH,
        {
            "key": "likert",
            "text": "Choose D.",
            "scale": "likert5",
            "right": "Disagree",
            "after": "random",
        },
    ]
    as_owner.post(PAGE + "check/both/remove/")
    assert [entry["key"] for entry in extra()["attention"]] == ["likert"]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"right": "E"}, "allowed are C, D"),
        ({"key": "both"}, "already has a check"),
        ({"options": "C"}, "2 to 20 different"),
        ({"number": ""}, "middle, random"),
        ({"text": ""}, "required"),
        ({"key": "A b"}, "slug"),
    ],
)
def test_what_is_no_check_is_said(as_owner, study, wrong, words):
    as_owner.post(PAGE + "check/ready/")
    answer = as_owner.post(PAGE + "check/", OWN | wrong)
    assert answer.status_code == 422 and words in answer.content.decode()
    assert len(extra()["attention"]) == 1


def test_a_gold_item_is_made_and_removed_and_its_places_follow(as_owner, study):
    given = {"item": "item-1", "tolerance": 1, "q-accuracy": "5"}
    assert as_owner.post(PAGE + "gold/", given).status_code == 302
    assert extra()["gold"] == [{"item": "item-1", "answers": {"accuracy": 5}, "tolerance": 1}]
    assert study.places.filter(item__key="item-1").count() == 0
    page = as_owner.get(PAGE).content.decode()
    assert "accuracy 5" in page and "Sessions have no gold items yet" in page
    as_owner.post(PAGE + "gold/remove/", {"item": "item-1"})
    assert extra()["gold"] == [] and study.places.filter(item__key="item-1").count() == 3


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"item": "no", "q-accuracy": 5}, "no item with this id"),
        ({"item": "item-1"}, "at least one right answer"),
        ({"item": "item-1", "q-accuracy": 9}, "valid choice"),
    ],
)
def test_what_is_no_gold_item_is_said(as_owner, study, given, words):
    answer = as_owner.post(PAGE + "gold/", given | {"tolerance": 0})
    assert answer.status_code == 422 and words in answer.content.decode()
    assert study.places.count() == 12


def test_right_answers_follow_the_questions(as_owner, study):
    as_owner.post(
        PAGE + "gold/", {"item": "item-1", "tolerance": 0, "q-accuracy": 5, "q-satisfaction": 2}
    )
    question = study.questions.get(key="accuracy")
    as_owner.post(
        f"/studies/films/questions/{question.pk}/",
        {"text": "About it.", "key": "fits", "scale": "likert5", "required": "on"},
    )
    assert extra()["gold"][0]["answers"] == {"fits": 5, "satisfaction": 2}
    as_owner.post(f"/studies/films/questions/{question.pk}/delete/")
    assert extra()["gold"][0]["answers"] == {"satisfaction": 2}


def test_what_people_typed_is_escaped(as_owner, study):
    bad = "<script>alert(1)</script>"
    as_owner.post(PAGE + "check/", OWN | {"text": bad, "options": f"{bad}\nD"})
    page = as_owner.get(PAGE + "?check=read").content.decode()
    assert bad not in page and "&lt;script&gt;" in page


def test_the_page_takes_few_queries(as_owner, study, django_assert_max_num_queries):
    study.extra["gold"] = [{"item": f"item-{n}", "answers": {"accuracy": 5}} for n in range(50)]
    study.save()
    with django_assert_max_num_queries(10):
        as_owner.get(PAGE)


# study.yaml

QUESTIONS = "study: films\nquestions:\n  - {key: fits, text: T, scale: likert5}\n"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("order: poem", 4, "column order: found 'poem'; allowed is random, latin_square"),
        ("repeats: many", 4, "column repeats: found 'many'; allowed is a whole number from 0"),
        ("attention: both", 4, "column attention: allowed is a list"),
        ("attention:\n  - {key: a, text: T, options: [A], right: A}", 5, "column options"),
        (
            "attention:\n  - key: a\n    text: T\n    scale: likert5\n    right: 9",
            8,
            "column right: found '9'; allowed are Strongly disagree",
        ),
        ("attention:\n  - {key: a, text: T, scale: likert5, right: 1, at: 2}", 5, "column at"),
        ("attention:\n" + "  - {key: a, text: T, scale: likert5, right: 1}\n" * 2, 6, "twice"),
        ("gold:\n  - {item: e1, answers: {other: 5}}", 5, "found “other”; the questions are fits"),
        ("gold:\n  - {item: e1, answers: {fits: 6}}", 5, "fits: found '6'; allowed is a whole"),
        ("gold:\n  - {item: e1, answers: {fits: 5}, tolerance: 2}", 5, "column tolerance"),
        ("gold:\n  - e1", 5, "column gold: allowed is a list of mappings"),
    ],
)
def test_a_wrong_key_is_named_with_its_line(tmp_path, text, line, words):
    path, problems = tmp_path / "study.yaml", Problems()
    path.write_text(QUESTIONS + text)
    read_study(path, path.name, problems)
    (message,) = map(str, problems.shown)
    assert f"line {line}," in message and words in message, message


def test_one_right_option_in_a_list_is_the_same_as_without(tmp_path):
    path, problems = tmp_path / "study.yaml", Problems()
    path.write_text(QUESTIONS + "attention:\n  - {key: a, text: T, options: [1, 2], right: [2]}\n")
    read = read_study(path, path.name, problems)
    assert read.fields["extra"]["attention"] == [
        {"key": "a", "text": "T", "options": ["1", "2"], "right": "2", "after": "random"}
    ]


def test_an_item_that_is_gold_and_for_practice_never_gets_places_by_one_of_them(study):
    key = "item-1"
    gold = {"item": key, "answers": {"accuracy": 5}, "tolerance": 0}
    edit.change(study, lambda extra: extra.update(gold=[gold], practice=[{"item": key}]))
    mark_items(study)
    edit.change(study, lambda extra: extra.update(practice=[]))
    mark_items(Study.objects.get())
    assert not study.places.filter(item__key=key).exists()  # gold still
    edit.change(study, lambda extra: extra.update(practice=[{"item": key}]))
    mark_items(Study.objects.get())
    edit.change(study, lambda extra: extra.update(gold=[]))
    assert not study.places.filter(item__key=key).exists()  # for practice still
    edit.change(study, lambda extra: extra.update(practice=[]))
    mark_items(Study.objects.get())
    assert study.places.filter(item__key=key).count() == study.raters_per_item


def test_a_place_of_an_item_that_became_gold_goes_with_the_session_that_held_it(study):
    session = sessions.begin_visit(study, {}, consents=True)
    assert sessions.begin(session)
    held = session.places.first().item
    gold = {"item": held.key, "answers": {"accuracy": 5}, "tolerance": 0}
    edit.change(study, lambda extra: extra.update(gold=[gold]))
    assert session.places.filter(item=held).exists()  # who holds it answers it as before
    places.release([session.pk])
    assert not study.places.filter(item=held).exists()
