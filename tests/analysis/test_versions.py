"""Versions of a questionnaire, from a rater's screen to the analysis: nothing is asked or counted
in another version's words."""

import csv
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from analysis.answers import frame
from analysis.options.choices import Choices
from analysis.options.form import OptionsForm, query
from analysis.reports.registry import EVERY_OPTION
from annotate.design import access, versions
from annotate.models import Place, Question, Rating, Session, Study
from annotate.sessions import session as sessions
from annotate.sessions.session import SentAnswer
from judges.models import Judge, Judgment, Run
from judges.runs import lease
from judges.runs.plan import plan
from judges.runs.versions import begin_version
from tests import factories

pytestmark = pytest.mark.django_db
HOME = "/studies/films/questions/"
NEW = {"low": "", "high": "", "labels": "", "why": "", "scale": "likert5", "required": "on"}


def begun(study):
    """A rater at the first item: the place, with its session."""
    session = sessions.begin_visit(study, {}, consents=True)
    assert sessions.begin(session)
    return access.place_of_session(session.token, position=1)


def answer(place, key, value, **more):
    question = place.study.questions.get(key=key)
    asked = versions.asked(place.study_id, place.session.version)
    return sessions.save_answers(place, asked, [SentAnswer(question, value, **more)])


def page_of(place):
    address = reverse("session_item", args=[place.session.token, place.position])
    return Client().get(address).content.decode()


def second_version(study, owner):
    """A rater at work in version 1, then version 2 with other words, one retired, one new."""
    place = begun(study)
    answer(place, "accuracy", 4.0)
    assert begin_version(study, owner)
    study.refresh_from_db()
    study.questions.filter(key="accuracy").update(text="New words.", position=0, required=False)
    study.questions.filter(key="persuasiveness").update(position=2)
    study.questions.filter(key="transparency").update(retired=True)
    factories.make_question(study, "watch", text="I would watch it.", position=9)
    return place


def test_who_is_at_work_finishes_with_the_old_words_who_begins_sees_the_new(study, owner):
    old = second_version(study, owner)
    new = begun(study)
    assert (old.session.version, new.session.version) == (1, 2)
    before, after = page_of(old), page_of(new)
    assert "consistent with my interests" in before and "New words." not in before
    assert "I understand why this film" in before and "I would watch it." not in before
    assert "New words." in after and "consistent with my interests" not in after
    assert "I understand why this film" not in after and "I would watch it." in after
    assert after.index("New words.") < after.index("convincing to me")  # moved to the front


def test_a_save_asks_what_its_version_asks(study, owner):
    old = second_version(study, owner)
    new = begun(study)
    retired, added = (study.questions.get(key=key).pk for key in ("transparency", "watch"))
    for place, there, gone in ((old, retired, added), (new, added, retired)):
        for question, status in ((there, 200), (gone, 409)):
            path = f"/r/{place.session.token}/answer/{place.item_id}/{question}/"
            assert Client().post(path, {f"q{question}": "5"}).status_code == status
    place, _, asked = access.asked_of_session(old.session.token, old.item_id)
    assert {q.key for q in asked if q.required} == {*factories.ASPECTS}
    place, _, asked = access.asked_of_session(new.session.token, new.item_id)
    assert {q.key for q in asked if q.required} == {"persuasiveness", "satisfaction", "watch"}


def test_a_place_is_filled_by_the_questions_of_its_version(study, owner):
    old = second_version(study, owner)
    for key in ("persuasiveness", "transparency"):
        answer(old, key, 3.0)
    assert Place.objects.get(pk=old.pk).state == Place.State.HELD
    assert answer(old, "satisfaction", 3.0) == []
    assert Place.objects.get(pk=old.pk).state == Place.State.FILLED
    new = begun(study)
    for key in ("persuasiveness", "satisfaction"):
        answer(new, key, 3.0)
    assert [question.key for _, question in answer(new, "accuracy", 3.0)] == ["watch"]
    assert answer(new, "watch", 3.0) == []
    assert Place.objects.get(pk=new.pk).state == Place.State.FILLED


def test_the_present_version_costs_no_query_more(study, owner, django_assert_num_queries):
    place = begun(study)
    with django_assert_num_queries(1):
        versions.asked(study.pk, place.session.version)
    with django_assert_num_queries(1):
        access.asked_of_session(place.session.token, place.item_id)
    second_version(study, owner)
    with django_assert_num_queries(2):
        versions.asked(study.pk, 1)
    with django_assert_num_queries(1):
        access.asked_of_session(place.session.token, place.item_id)


# The page


def test_a_version_begins_changes_and_is_given_up_on_its_page(as_owner, study):
    place = begun(study)
    answer(place, "accuracy", 4.0)
    before = list(study.questions.order_by("pk").values())
    assert "Begin version 2" in as_owner.get(HOME).content.decode()
    page = as_owner.post(HOME + "version/", follow=True).content.decode()
    assert "Version 2 may be changed" in page and "Nothing is changed yet." in page
    accuracy, other = study.questions.get(key="accuracy"), study.questions.get(key="satisfaction")
    as_owner.post(f"{HOME}{accuracy.pk}/", {**NEW, "text": "New <b>words</b>", "key": "x"})
    as_owner.post(f"{HOME}{other.pk}/retire/")
    as_owner.post(HOME + "new/", {**NEW, "text": "Added.", "key": "added"})
    accuracy.refresh_from_db()
    assert (accuracy.key, accuracy.text) == ("accuracy", "New <b>words</b>")
    page = as_owner.get(HOME).content.decode()
    assert "New &lt;b&gt;words&lt;/b&gt;" in page and "New <b>" not in page
    changes = as_owner.get(HOME).context["versions"][0][0].changes
    assert [(each.key, each.what) for each in changes] == [
        ("added", "added"),
        ("accuracy", "wording"),
        ("satisfaction", "asked"),
    ]
    assert [row[0].answers for row in as_owner.get(HOME).context["versions"]] == [0, 1]
    late = begun(study)
    as_owner.post(HOME + "version/give-up/")
    assert list(study.questions.order_by("pk").values()) == before
    assert Study.objects.get().questionnaire_version == 1 and not study.versions.exists()
    assert Session.objects.get(pk=late.session_id).version == 1


def test_an_answer_to_it_freezes_the_new_version_too(as_owner, study, owner):
    second_version(study, owner)
    new = begun(study)
    answer(new, "watch", 2.0)
    page = as_owner.get(HOME).content.decode()
    assert "Version 2 of the questions is frozen" in page and "Begin version 3" in page
    said = as_owner.post(HOME + "version/give-up/", follow=True).content.decode()
    assert "Nothing was changed: raters have answered them" in said
    assert Study.objects.get().questionnaire_version == 2


def test_before_there_are_answers_no_version_begins(as_owner, study):
    as_owner.post(HOME + "version/")
    assert Study.objects.get().questionnaire_version == 1


OTHER = {
    "more points": {"scale": "likert7"},
    "a number": {"scale": "number"},
    "another range": {"scale": "own", "low": "0", "high": "4"},
}


@pytest.mark.parametrize("scale", OTHER.values(), ids=OTHER)
def test_the_values_of_an_answered_question_keep_their_meaning(as_owner, study, owner, scale):
    second_version(study, owner)
    accuracy = study.questions.get(key="accuracy")
    reply = as_owner.post(f"{HOME}{accuracy.pk}/", {**NEW, "text": "x", **scale})
    assert reply.status_code == 422 and "add one with another key" in reply.content.decode()
    words = {"scale": "own", "low": "1", "high": "5", "labels": "never\nalways"}
    assert as_owner.post(f"{HOME}{accuracy.pk}/", {**NEW, "text": "x", **words}).status_code == 302
    accuracy = Question.objects.get(pk=accuracy.pk)
    assert accuracy.scale.labels == ["never", "always"]


def test_what_has_answers_is_retired_and_comes_back(as_owner, study, owner):
    second_version(study, owner)
    accuracy = study.questions.get(key="accuracy")
    as_owner.post(f"{HOME}{accuracy.pk}/delete/")
    assert Question.objects.get(pk=accuracy.pk).retired
    as_owner.post(f"{HOME}{accuracy.pk}/retire/", {"to": "back"})
    asked = [question.key for question in versions.asked(study)]
    assert asked == ["persuasiveness", "satisfaction", "watch", "accuracy"]


# Judges


def judged(study, **values):
    """A run of a judge that computes, of the present version, with values by question."""
    judge = Judge.objects.get_or_create(study=study, key="random", kind=Judge.Kind.RANDOM)[0]
    run = plan(judge)
    for key, value in values.items():
        asked = run.judgments.filter(question__key=key, item__key="item-0")
        asked.update(state=Judgment.State.DONE, value=value)
    Run.objects.filter(pk=run.pk).update(state=Run.State.FINISHED)
    return Run.objects.get(pk=run.pk)


def test_a_run_under_way_asks_its_words_to_the_end_and_the_next_one_the_new(study, owner):
    first = judged(study)
    second_version(study, owner)
    second = judged(study)
    assert (first.version, second.version) == (1, 2)
    for run, words in ((first, "consistent with my interests"), (second, "New words.")):
        (unit,) = lease._read(run, [0]).values()
        (accuracy,) = [q for q in unit.questions if q.key == "accuracy"]
        assert words in accuracy.text
    asked = [set(run.judgments.values_list("question__key", flat=True)) for run in (first, second)]
    assert asked[0] - asked[1] == {"transparency"} and asked[1] - asked[0] == {"watch"}


# The analysis


def exported(table):
    out = StringIO()
    call_command("export", "films", table, stdout=out)
    return list(csv.DictReader(StringIO(out.getvalue())))


@pytest.fixture
def two_versions(study, owner):
    """Accuracy of item-0: version 1 has 4 of ann and 2 of the judge, version 2 5 of ben and 1."""
    accuracy, item = study.questions.get(key="accuracy"), study.items.get(key="item-0")
    factories.make_rating(factories.make_session(study, "ann"), item, accuracy, 4)
    judged(study, accuracy=2.0)
    assert begin_version(study, owner)
    study.refresh_from_db()
    Question.objects.filter(pk=accuracy.pk).update(text="New words.")
    ben = factories.make_session(study, "ben", version=2)
    factories.make_rating(ben, item, accuracy, 5, reason="=SUM(1)")
    judged(study, accuracy=1.0)
    return study


@pytest.mark.parametrize(
    "version, values", [(None, {4.0, 5.0, 1.0}), (1, {4.0, 2.0}), (2, {5.0, 1.0})]
)
def test_a_report_takes_all_versions_or_one(two_versions, version, values):
    table = frame.read_answers(two_versions, version).table
    assert set(table["value"].dropna()) == values


def test_every_page_says_which_versions_are_together(as_owner, two_versions):
    for path in ("", "correlation/", "agreement/"):
        page = as_owner.get(f"/studies/films/analysis/{path}").content.decode()
        assert "Answers of versions 1 and 2 of the questionnaire are taken together" in page
    page = as_owner.get("/studies/films/analysis/correlation/?version=1&draws=0").content.decode()
    assert "taken together" not in page
    assert "Only answers of version 1 of the questionnaire, of people and judges." in page
    address = reverse("report_rows", args=["films", "correlation", "json"])
    found = as_owner.get(f"{address}?version=2&draws=0").json()
    assert found["options"]["version"] == 2
    reply = as_owner.get("/studies/films/analysis/correlation/?version=3")
    assert reply.status_code == 400


def test_a_study_with_one_version_says_nothing_of_versions(as_owner, study):
    item, question = study.items.first(), study.questions.first()
    factories.make_rating(factories.make_session(study), item, question, 4)
    page = as_owner.get("/studies/films/analysis/correlation/?draws=0").content.decode()
    assert "Version of the questions" not in page and "of the questionnaire" not in page


def test_a_changed_version_changes_the_fingerprint(two_versions):
    prints = {frame.Reader(two_versions, version).fingerprint() for version in (None, 1, 2)}
    assert len(prints) == 3


def test_an_option_without_a_meaning_is_said_to_have_none(two_versions):
    form = OptionsForm(
        query({"version": "7"}),
        Choices.from_answers(frame.read_answers(two_versions)),
        EVERY_OPTION,
    )
    assert not form.is_valid() and "version" in form.errors


def test_exports_tell_the_version_and_the_words_of_each(two_versions):
    found = {
        (row["rater"] or row["judge"], row["version"], row["value"], row["reason"])
        for row in exported("scores")
        if row["value"]
    }
    assert found == {("ann", "1", "4", ""), ("ben", "2", "5", "'=SUM(1)"), ("random", "2", "1", "")}
    assert [row["version"] for row in exported("ratings")] == ["1", "2"]
    book = {row["column"]: row["meaning"] for row in exported("codebook")}
    assert "consistent with my interests" in book["question = accuracy, version = 1"]
    assert "New words." in book["question = accuracy, version = 2"]


def test_retired_questions_stay_in_the_analysis(two_versions):
    Question.objects.filter(key="accuracy").update(retired=True)
    assert "accuracy" in set(frame.read_answers(two_versions).table["question"])
    assert Rating.objects.for_analysis().filter(question__key="accuracy").count() == 2
