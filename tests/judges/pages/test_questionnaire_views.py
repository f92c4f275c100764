"""The questionnaire on its pages: who may, what each scale becomes, order, when it is frozen."""

import threading

import pytest
from django.db import connection, connections
from django.test import Client

from annotate.models import Membership, Question, Study
from annotate.studies.forms_question import QuestionForm
from annotate.values.scales import parse_scale
from judges.runs.versions import changing
from tests import factories
from tests.processes import wait_for

pytestmark = pytest.mark.django_db
HOME = "/studies/films/questions/"
NEW = {
    "text": "I would watch it.",
    "key": "watch",
    "scale": "likert5",
    "low": "",
    "high": "",
    "labels": "",
    "required": "on",
}


def member(study, role):
    client, user = Client(), factories.make_user(f"{role}-{study.slug}")
    Membership.objects.create(study=study, user=user, role=role)
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def add(client, **given):
    return client.post(HOME + "new/", {**NEW, **given}, follow=True)


def keys(study):
    return list(study.questions.values_list("key", flat=True))


def test_viewers_are_shown_no_link_to_the_pages(study):
    assert HOME not in member(study, "viewer").get("/studies/films/").content.decode()
    assert HOME in member(study, "editor").get("/studies/films/").content.decode()


def test_a_question_of_another_study_is_not_there(as_owner, study):
    other = factories.make_study("other").questions.first()
    for path in (f"{other.pk}/", f"{other.pk}/delete/"):
        assert as_owner.get(HOME + path).status_code == 404
    assert as_owner.post(f"{HOME}{other.pk}/move/", {"to": "up"}).status_code == 404


# What is typed, and the same scale in the form of study.yaml.
SCALES = {
    "agreement, five": ({}, "likert5"),
    "agreement, seven": ({"scale": "likert7"}, "likert7"),
    "no or yes": ({"scale": "binary"}, "binary"),
    "two words": (
        {"scale": "binary", "labels": "Not supported\r\nSupported"},
        {"binary": ["Not supported", "Supported"]},
    ),
    "options": (
        {"scale": "choice", "labels": " A \r\ntie\r\n\r\nB\r\n"},
        {"choice": ["A", "tie", "B"]},
    ),
    "number": ({"scale": "number"}, "number"),
    "text": ({"scale": "text"}, "text"),
    "points": ({"scale": "own", "low": "0", "high": "10"}, {"min": 0, "max": 10}),
    "points with ends": (
        {"scale": "own", "low": "-2", "high": "2", "labels": "worst\nbest"},
        {"min": -2, "max": 2, "labels": ["worst", "best"]},
    ),
    "points with all words": (
        {"scale": "own", "low": "1", "high": "3", "labels": "low\nmiddle\nhigh"},
        {"min": 1, "max": 3, "labels": ["low", "middle", "high"]},
    ),
    "leftovers of another scale": ({"low": "3", "high": "1", "labels": "x"}, "likert5"),
}


@pytest.mark.parametrize("given, spec", SCALES.values(), ids=SCALES)
def test_each_scale_can_be_made_and_is_shown_again_as_typed(as_owner, study, given, spec):
    assert add(as_owner, **given).status_code == 200
    question = study.questions.get(key="watch")
    assert question.scale == parse_scale(spec)
    form = as_owner.get(f"{HOME}{question.pk}/").context["form"]
    typed = {name: form[name].value() for name in form.fields}
    given = {name: "" if value is None else value for name, value in typed.items() if value}
    as_owner.post(f"{HOME}{question.pk}/", given)
    assert study.questions.get(key="watch").scale == parse_scale(spec)


BAD = {
    "key taken": ({"key": "accuracy"}, "This study already has a question with that key."),
    "key with capitals": ({"key": "Accuracy"}, "Use 1 to 60 lower-case letters"),
    "no wording": ({"text": " "}, "This field is required."),
    "one option": ({"scale": "choice", "labels": "A"}, "two or more different labels"),
    "options twice": ({"scale": "choice", "labels": "A\nA"}, "two or more different labels"),
    "three words for two": ({"scale": "binary", "labels": "a\nb\nc"}, "two different labels"),
    "no ends": ({"scale": "own"}, "allowed are whole numbers, min &lt; max"),
    "ends the wrong way": ({"scale": "own", "low": "5", "high": "1"}, "min &lt; max"),
    "too few words": (
        {"scale": "own", "low": "1", "high": "5", "labels": "a\nb\nc"},
        "both ends (two) or every",
    ),
    "far away": ({"scale": "own", "low": "1", "high": "9999999"}, "less than or equal to 1000000"),
    "no such scale": ({"scale": "likert6"}, "Select a valid choice"),
    "no such kind": ({"applies_to": ["poem"]}, "Select a valid choice"),
}


@pytest.mark.parametrize("given, message", BAD.values(), ids=BAD)
def test_what_is_wrong_is_said_and_nothing_is_written(as_owner, study, given, message):
    answer = add(as_owner, **given)
    assert answer.status_code == 422
    assert message in answer.content.decode()
    assert keys(study) == list(factories.ASPECTS)


def test_wording_required_and_kinds_are_edited(as_owner, study):
    question = study.questions.get(key="accuracy")
    given = {
        **NEW,
        "key": "accuracy",
        "text": "Fits?\r\nReally?",
        "applies_to": ["explanation", "text"],
        "required": "",
    }
    page = as_owner.post(f"{HOME}{question.pk}/", given, follow=True).content.decode()
    question.refresh_from_db()
    assert (question.text, question.required) == ("Fits?\nReally?", False)
    assert question.applies_to == ["explanation", "text"]
    assert "optional · about: explanation, text" in page
    assert question.position == 2


def test_a_loaded_scale_stays_as_it_is_where_only_the_wording_changes(as_owner, study):
    spec = {"choice": ["a\nb", "c", "  d "]}
    question = factories.make_question(study, "odd", scale=spec, position=9)
    form = as_owner.get(f"{HOME}{question.pk}/").context["form"]
    given = {name: form[name].value() for name in ("key", "scale")}
    given["labels"] = form["labels"].value().replace("\n", "\r\n")
    as_owner.post(f"{HOME}{question.pk}/", {**given, "text": "New words"})
    question = Question.objects.get(key="odd")
    assert (question.text, question.scale) == ("New words", parse_scale(spec))


def test_questions_move_up_and_down_and_stop_at_the_ends(as_owner, study):
    first, second, third, last = study.questions.all()
    as_owner.post(f"{HOME}{third.pk}/move/", {"to": "up"})
    assert keys(study) == [first.key, third.key, second.key, last.key]
    as_owner.post(f"{HOME}{first.pk}/move/", {"to": "down"})
    assert keys(study) == [third.key, first.key, second.key, last.key]
    as_owner.post(f"{HOME}{third.pk}/move/", {"to": "up"})
    as_owner.post(f"{HOME}{last.pk}/move/", {"to": "down"})
    assert keys(study) == [third.key, first.key, second.key, last.key]
    assert list(study.questions.values_list("position", flat=True)) == [0, 1, 2, 3]


def test_deleting_asks_once_and_closes_the_gap(as_owner, study):
    question = study.questions.all()[1]
    page = as_owner.get(f"{HOME}{question.pk}/delete/").content.decode()
    assert question.text in page and study.questions.count() == 4
    as_owner.post(f"{HOME}{question.pk}/delete/")
    assert keys(study) == ["persuasiveness", "accuracy", "satisfaction"]
    assert list(study.questions.values_list("position", flat=True)) == [0, 1, 2]


def test_a_new_question_comes_last(as_owner, study):
    add(as_owner)
    assert keys(study)[-1] == "watch" and study.questions.last().position == 4


def test_saving_closes_the_gap_that_an_operator_left(as_owner, study):
    study.questions.filter(key="transparency").delete()
    add(as_owner)
    assert list(study.questions.values_list("position", flat=True)) == [0, 1, 2, 3]


def answered_by_a_rater(study):
    factories.make_rating(
        factories.make_session(study), study.items.first(), study.questions.first(), 4
    )


def answered_by_a_judge(study):
    judge = factories.make_judge(study)
    factories.make_judgments(judge, {(study.items.first(), study.questions.first()): 3})


@pytest.mark.parametrize(
    "answer, words",
    [(answered_by_a_rater, "raters have"), (answered_by_a_judge, "judges have")],
    ids=["people", "judges"],
)
def test_a_questionnaire_with_answers_is_frozen_and_says_why(as_owner, study, answer, words):
    answer(study)
    before = list(Question.objects.order_by("pk").values())
    page = as_owner.get(HOME).content.decode()
    assert "The questions are frozen" in page and f"{words} answered them" in page
    assert "question_new" not in page and "/delete/" not in page and "/move/" not in page
    pk = study.questions.first().pk
    for path, given in [
        ("new/", NEW),
        (f"{pk}/", NEW),
        (f"{pk}/move/", {"to": "down"}),
        (f"{pk}/delete/", {}),
    ]:
        said = as_owner.post(HOME + path, given, follow=True).content.decode()
        assert f"Nothing was changed: {words} answered them" in said, path
    assert list(Question.objects.order_by("pk").values()) == before


def test_an_editor_hears_that_raters_are_at_work(as_owner, study):
    assert "on the screen now" not in as_owner.get(HOME).content.decode()
    factories.make_session(study, state="rating", source="web")
    assert "1 rater may have the questions on the screen now" in as_owner.get(HOME).content.decode()


def test_wording_is_shown_and_never_run(as_owner, study):
    bad = "<script>alert(1)</script>"
    add(as_owner, text=bad, scale="choice", labels=f"{bad}\nB")
    pk = study.questions.get(key="watch").pk
    for address in (HOME, f"{HOME}{pk}/", f"{HOME}{pk}/delete/"):
        page = as_owner.get(address).content.decode()
        assert bad not in page and "&lt;script&gt;" in page, address


def test_the_page_takes_few_queries(as_owner, study, django_assert_max_num_queries):
    for number in range(30):
        factories.make_question(study, f"q{number}", position=number + 4)
    with django_assert_max_num_queries(9):
        assert "q29" in as_owner.get(HOME).content.decode()


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_two_editors_at_once_change_one_after_the_other(study):
    """The first one's question is written but not committed: the second waits, and counts it."""
    positions = []

    def second():
        form = QuestionForm(Study.objects.get(), {**NEW, "key": "second"})
        assert form.is_valid()
        with changing(form.instance.study):
            positions.append(form.saved().position)
        connections.close_all()

    editor = threading.Thread(target=second)
    with changing(study):
        factories.make_question(study, "first", position=4)
        editor.start()
        wait_for(_somebody_waits, "the second editor to wait for the first")
    editor.join(10)
    assert positions == [5] and keys(study)[4:] == ["first", "second"]


def _somebody_waits():
    with connection.cursor() as cursor:
        # Within a transaction the first look would be repeated.
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return cursor.fetchone()[0] > 0
