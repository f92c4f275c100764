"""Versions and reasons on the screens beside a session's items: gold, repeats, checks, practice."""

import csv
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client

from annotate.design import access, versions
from annotate.models import Answer, Question, Rating, Screen, Session
from annotate.sessions import session as sessions
from annotate.studies import edit
from annotate.studies.edit import follow_questions
from annotate.studies.questionnaire import remove, retire
from judges.runs.versions import answered_keys, begin_version, give_up_version, why_frozen
from tests import factories
from tests.annotate.sessions.test_screens import BOTH, begin, go_quiet, set_gold

pytestmark = pytest.mark.django_db
GOLD = {"item": "item-0", "answers": {"trust": 4, "liking": 2}, "tolerance": 0}


@pytest.fixture
def study(owner):
    """Three items, one of them gold; trust asks why, liking does not."""
    study = factories.make_study(owner=owner, items=3, questions={}, items_per_session=2)
    factories.make_question(study, "trust", text="Old words of trust.", why="required")
    factories.make_question(study, "liking", text="Old words of liking.", position=1)
    set_gold(study, [GOLD])
    study.extra |= {"gold_per_session": 1, "repeats": 1}
    study.save()
    return study


def second_version(study, owner):
    """Other words; liking is retired, and humour is new."""
    assert begin_version(study, owner)
    study.questions.filter(key="trust").update(text="New words of trust.", why="")
    retire(study.questions.get(key="liking"))
    factories.make_question(study, "humour", text="It is funny.", position=2)


def answered_and_changed(study, session, owner):
    place = access.place_of_session(session.token, item__isnull=False)
    question = study.questions.get(key="liking")
    given = [sessions.SentAnswer(question, 3.0)]
    sessions.save_answers(place, versions.asked(study), given)
    second_version(study, owner)


def page_of(session):
    return Client().get(f"/r/{session.token}/", follow=True)


def leave(session, page, said):
    """What a browser sends of the page on the screen."""
    context, token = page.context, session.token
    data = {"item": str(context["item"].pk), "shown": "1", "go": "next"}
    if context.get("screen"):
        data["screen"] = str(context["screen"])
    for row in context["asked"]:
        value, why = said[row.question.key]
        data |= {row.name: value} | ({row.why_name: why} if why is not None else {})
    return Client().post(f"/r/{token}/item/{context['place'].position}/", data, follow=True)


def test_a_session_with_gold_and_repeats_finishes_with_the_words_in_which_it_began(study, owner):
    session = begin(study)
    said = {"trust": ("4", "Because."), "liking": ("2", None)}
    page = leave(session, page_of(session), said)
    second_version(study, owner)
    shown = []
    for _ in range(3):
        page = page_of(session)
        html = page.content.decode()
        assert "Old words of trust." in html and "Old words of liking." in html
        assert "New words" not in html and "funny" not in html and 'class="why"' in html
        shown.append(type(page.context["place"]).__name__)
        unreasoned = leave(session, page, said | {"trust": ("4", "")})
        assert unreasoned.status_code == 422 and "Please say why." in unreasoned.content.decode()
        leave(session, page, said)
    session.refresh_from_db()
    assert (session.state, session.version) == (Session.State.COMPLETED, 1)
    assert "Screen" in shown
    extra = Answer.objects.values_list("screen__kind", "question__key", "value", "reason")
    assert sorted(extra) == [
        ("gold", "liking", 2.0, ""),
        ("gold", "trust", 4.0, "Because."),
        ("repeat", "liking", 2.0, ""),
        ("repeat", "trust", 4.0, "Because."),
    ]
    assert not Screen.objects.exclude(is_whole=True).exists()
    assert Screen.objects.get(kind="gold").passed is True
    assert Rating.objects.count() == 4


def test_each_answer_of_a_gold_item_is_saved_alone_with_its_reason(study, owner):
    session = begin(study)
    answered_and_changed(study, session, owner)
    gold = session.screens.among_items().get(kind="gold")
    liking, humour = study.questions.get(key="liking"), study.questions.get(key="humour")
    trust = study.questions.get(key="trust")
    address = f"/r/{session.token}/answer/{gold.item_id}/"
    name = f"q{trust.pk}"
    answer = Client().post(f"{address}{trust.pk}/", {name: "4", f"{name}why": " my \0 reason "})
    assert answer.status_code == 200
    assert Client().post(f"{address}{liking.pk}/", {f"q{liking.pk}": "5"}).status_code == 200
    assert Client().post(f"{address}{humour.pk}/", {f"q{humour.pk}": "5"}).status_code == 409
    stored = Answer.objects.get(question=trust)
    Answer.objects.update(seconds=2.5)
    Client().post(f"{address}{trust.pk}/", {name: "4", f"{name}why": "another"})
    stored.refresh_from_db()
    assert (stored.reason, stored.seconds, stored.changes) == ("another", 2.5, [])
    out = StringIO()
    call_command("export", study.slug, "checks", stdout=out)
    rows = csv.DictReader(StringIO(out.getvalue()))
    assert [row["reason"] for row in rows if row["question"] == "trust"] == ["another"]


def test_an_answer_to_a_gold_item_freezes_its_own_version_and_settles_its_question(study, owner):
    session = begin(study)
    gold = session.screens.among_items().get(kind="gold")
    trust = study.questions.get(key="trust")
    name = f"q{trust.pk}"
    Client().post(f"/r/{session.token}/answer/{gold.item_id}/{trust.pk}/", {name: "4"})
    assert why_frozen(study) and answered_keys(study) == {"trust"}
    second_version(study, owner)
    study.refresh_from_db()
    assert not why_frozen(study)


def test_who_has_only_gold_answers_goes_on_with_their_version(study, owner):
    session = begin(study)
    gold = session.screens.among_items().get(kind="gold")
    trust = study.questions.get(key="trust")
    Client().post(f"/r/{session.token}/answer/{gold.item_id}/{trust.pk}/", {f"q{trust.pk}": "4"})
    second_version(study, owner)
    go_quiet(session)
    assert sessions.resume(session)
    session.refresh_from_db()
    assert (session.state, session.version) == (Session.State.RATING, 1)
    assert (
        session.screens.among_items().get(kind="gold").pk == gold.pk and session.places.count() == 2
    )


def test_who_begins_with_the_new_version_gets_gold_that_it_asks(study, owner):
    set_gold(study, [GOLD | {"answers": {"liking": 2}}])
    first = begin(study)
    assert first.screens.among_items().filter(kind="gold").exists()
    answered_and_changed(study, first, owner)
    study.refresh_from_db()
    second = begin(study)
    assert second.version == 2 and not second.screens.among_items().filter(kind="gold").exists()


def test_right_answers_stay_with_a_retired_question_and_follow_others(study):
    practice = {"item": "item-1", "answers": {"trust": "Agree", "liking": 1}, "feedback": "So."}
    edit.change(study, lambda extra: extra.update(practice=[practice]))
    retire(study.questions.get(key="liking"))
    Question.objects.filter(key="trust").update(key="faith")
    follow_questions(study, renamed=("trust", "faith"))
    assert study.extra["gold"][0]["answers"] == {"faith": 4, "liking": 2}
    remove(study.questions.get(key="faith"))
    study.refresh_from_db()
    assert study.extra["gold"][0]["answers"] == {"liking": 2}
    assert study.extra["practice"] == [practice | {"answers": {"liking": 1}}]


def test_a_version_that_is_given_up_takes_right_answers_to_its_questions_along(study, owner):
    answered_and_changed(study, begin(study), owner)
    study.refresh_from_db()
    set_gold(study, [GOLD | {"answers": {"trust": 4, "humour": 1}}])
    assert give_up_version(study)
    study.refresh_from_db()
    assert study.extra["gold"][0]["answers"] == {"trust": 4}


def test_practice_asks_the_present_version_without_reasons(study, owner):
    answered_and_changed(study, begin(study), owner)
    study.refresh_from_db()
    study.questions.filter(key="trust").update(why="required")
    study.extra["practice"] = [{"item": "item-1", "answers": {"trust": 4, "liking": 2}}]
    study.save()
    session = sessions.begin_visit(study, {}, consents=True)
    assert sessions.begin(session)
    page = page_of(session)
    html = page.content.decode()
    assert "New words of trust." in html and "funny" in html
    assert "Old words" not in html and 'class="why"' not in html
    said = {"trust": ("4", None), "humour": ("3", None)}
    data = {row.name: said[row.question.key][0] for row in page.context["asked"]}
    done = Client().post(f"/r/{session.token}/practice/1/", data, follow=True)
    assert [row["text"] for row in done.context["rows"]] == ["New words of trust."]


def test_an_attention_check_asks_for_no_reason(study):
    study.extra |= {"gold": [], "repeats": 0}
    session = begin(study, attention=[BOTH | {"after": 0}])
    page = page_of(session)
    assert 'class="why"' not in page.content.decode()
    check = page.context["screen"]
    data = {"screen": check, "item": "", "shown": "1", "go": "next"}
    empty = Client().post(f"/r/{session.token}/item/1/", data)
    assert empty.status_code == 422
    name = page.context["asked"][0].name
    assert (
        Client().post(f"/r/{session.token}/item/1/", data | {name: ["A", "D"]}).status_code == 303
    )
    assert Answer.objects.get().reason == ""
