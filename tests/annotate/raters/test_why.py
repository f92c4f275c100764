"""“Why?”: a reason beside an answer, saved with it, shown as text, exported and loaded again."""

import csv
import io

import pytest
import yaml
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotate.design import access, versions
from annotate.models import Place, Question, Rating, RatingRevision, Study
from annotate.raters.forms import LONGEST_TEXT
from annotate.sessions import session as sessions
from annotate.sessions.session import SentAnswer
from tests import factories
from tests.annotate.raters.test_preview import begun, open_preview

pytestmark = pytest.mark.django_db
EVIL = '<script>alert("x")</script>'


@pytest.fixture
def study(owner):
    study = factories.make_study(owner=owner, items=1, questions={})
    factories.make_question(study, "trust", text="I trust it.", why="optional")
    factories.make_question(study, "watch", text="I watch it.", position=1)
    return study


@pytest.fixture
def place(study):
    session = sessions.begin_visit(study, {}, consents=True)
    assert sessions.begin(session)
    return access.place_of_session(session.token, position=1)


def save(place, key, value, reason=""):
    question = place.study.questions.get(key=key)
    answers = [SentAnswer(question, value, reason=reason)]
    return sessions.save_answers(place, versions.asked(place.study_id), answers)


def post(place, key, why=None, value="4"):
    question = place.study.questions.get(key=key)
    given = {f"q{question.pk}": value} | ({f"q{question.pk}why": why} if why is not None else {})
    address = reverse("answer", args=[place.session.token, place.item_id, question.pk])
    return Client().post(address, given)


def page_of(place):
    address = reverse("session_item", args=[place.session.token, 1])
    return Client().get(address).content.decode()


def revisions():
    return list(RatingRevision.objects.values_list("value", "reason"))


def test_the_reason_is_saved_with_the_answer_and_each_change_is_kept(place):
    assert post(place, "trust", " a\r\nb ").status_code == 200
    rating = Rating.objects.get()
    assert (rating.value, rating.reason) == (4.0, "a\nb")
    post(place, "trust", "a\r\nb")
    post(place, "trust", "c", value="5")
    assert revisions() == [(4.0, "a\nb"), (5.0, "c")]


def test_another_reason_leaves_the_time_that_the_answer_took(place):
    post(place, "trust", "a")
    Rating.objects.update(seconds=2.5)
    save(place, "trust", 4.0, "b")
    assert Rating.objects.values_list("seconds", "reason").get() == (2.5, "b")


def test_a_reason_that_is_taken_back_is_not_kept(place):
    post(place, "trust", "my name is Ann")
    post(place, "watch")
    post(place, "trust", "")
    assert set(revisions()) == {(4.0, "")}
    assert not Rating.objects.exclude(reason="").exists()


def test_a_question_that_does_not_ask_takes_no_reason(place):
    post(place, "watch", "unasked")
    assert Rating.objects.get().reason == ""


def test_a_reason_is_as_long_as_a_text_may_be(place):
    assert post(place, "trust", "x" * LONGEST_TEXT).status_code == 200
    reply = post(place, "trust", "y" * (LONGEST_TEXT + 1))
    assert reply.status_code == 422 and "10,001 characters" in reply.content.decode()
    assert Rating.objects.get().reason == "x" * LONGEST_TEXT


def test_a_required_reason_keeps_the_place_until_it_is_there(place):
    place.study.questions.filter(key="trust").update(why="required")
    save(place, "watch", 4.0)
    assert [question.key for _, question in save(place, "trust", 4.0)] == ["trust"]
    assert Place.objects.get(pk=place.pk).state == Place.State.HELD
    assert sessions.finish(place.session) == 1
    assert save(place, "trust", 4.0, "because") == []
    assert Place.objects.get(pk=place.pk).state == Place.State.FILLED
    assert sessions.finish(place.session) is None


def test_an_optional_question_asks_for_its_required_reason_only_when_answered(place):
    place.study.questions.filter(key="trust").update(why="required", required=False)
    assert save(place, "watch", 4.0) == []
    assert [question.key for _, question in save(place, "trust", 4.0)] == ["trust"]


@pytest.fixture
def part(owner):
    """A part of a pair of lists, about which the one question is asked, with a reason."""
    study = factories.make_study("lists", questions={}, kind="list_pair")
    factories.make_question(study, "fit", applies_to=["recommendation"], why="required")
    pair = factories.make_item(study, "pair", kind="list_pair")
    part = factories.make_item(study, "part", kind="recommendation", parent=pair, side="A")
    part.places.all().delete()
    return part


def place_of(part):
    session = sessions.begin_visit(part.study, {}, consents=True)
    assert sessions.begin(session)
    return access.place_of_session(session.token, position=1)


def test_a_reason_about_a_part_that_is_taken_back_is_not_kept(part):
    place, fit = place_of(part), part.study.questions.get()
    for reason in ("my name is Ann", ""):
        sessions.save_answers(place, [fit], [SentAnswer(fit, 4.0, item_id=part.pk, reason=reason)])
    assert set(revisions()) == {(4.0, "")}
    assert Rating.objects.get().reason == ""


def test_a_pair_waits_for_the_required_reasons_of_its_parts(part):
    place, fit = place_of(part), part.study.questions.get()
    for reason, state, gaps in (("", "held", 1), ("because", "filled", 0)):
        said = [SentAnswer(fit, 4.0, item_id=part.pk, reason=reason)]
        assert len(sessions.save_answers(place, [fit], said)) == gaps
        assert Place.objects.get(pk=place.pk).state == state


def test_reasons_are_shown_and_never_run(as_owner, study, place):
    post(place, "trust", EVIL)
    item = as_owner.get(f"/studies/films/items/{place.item_id}/").content.decode()
    for page in (page_of(place), item):
        assert EVIL not in page and "&lt;script&gt;alert(" in page


def test_the_preview_shows_the_field_and_checks_it(as_owner, study):
    address = open_preview(as_owner)
    session = begun()
    question = session.study.questions.get(key="trust")
    page = as_owner.get(f"{address}item/1/").content.decode()
    assert f'name="q{question.pk}why"' in page and "Why?" in page
    address = reverse("answer", args=[session.token, session.places.get().item_id, question.pk])
    given = {f"q{question.pk}": "4", f"q{question.pk}why": "x" * (LONGEST_TEXT + 1)}
    assert as_owner.post(address, given).status_code == 422


def exported(table):
    out = io.StringIO()
    call_command("export", "films", table, stdout=out)
    return out.getvalue()


def test_reasons_leave_guarded_and_come_back_as_they_were(study, place, tmp_path):
    said = '=HYPERLINK("x")\nline 2, "quoted"'
    post(place, "trust", said)
    post(place, "watch")
    assert sessions.finish(place.session) is None
    rows = list(csv.DictReader(io.StringIO(exported("revisions"))))
    assert [row["reason"] for row in rows] == ["'" + said, ""]
    files = {"items": exported("items"), "ratings": exported("ratings")}
    rows = list(csv.DictReader(io.StringIO(files["ratings"])))
    assert rows[0]["reason"] == "'" + said
    files["study"] = yaml.safe_dump(yaml.safe_load(exported_study()) | {"study": "again"})
    for name, text in files.items():
        (tmp_path / name).with_suffix(".yaml" if name == "study" else ".csv").write_text(
            text, newline=""
        )
    call_command(
        "load_study",
        tmp_path / "study.yaml",
        items=tmp_path / "items.csv",
        ratings=tmp_path / "ratings.csv",
    )
    again = Rating.objects.filter(session__study__slug="again").order_by("question__position")
    assert list(again.values_list("value", "reason")) == [(4.0, said), (4.0, "")]


def exported_study():
    out = io.StringIO()
    call_command("export", "films", "study", stdout=out)
    return out.getvalue()


@pytest.mark.parametrize(
    "written, why", [(True, "optional"), ("required", "required"), (False, "")]
)
def test_why_of_study_yaml(tmp_path, written, why):
    question = {"key": "a", "text": "A?", "scale": "likert5", "why": written}
    path = tmp_path / "study.yaml"
    path.write_text(yaml.safe_dump({"study": "s", "questions": [question]}))
    call_command("load_study", path)
    assert Question.objects.get().why == why
    out = io.StringIO()
    call_command("export", "s", "study", stdout=out)
    assert yaml.safe_load(out.getvalue())["questions"][0].get("why", False) == written
    call_command("load_study", path)
    assert Study.objects.get().loads == 1
