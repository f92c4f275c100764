"""Lists: filtered, a page at a time, in as many queries however long, equal to the exports."""

import io
import tracemalloc

import pytest
from django.core.management import call_command

from annotate.db.bulk import insert
from annotate.models import Item, Rater, Rating, Session
from annotate.studies.study_file import question_data
from annotate.values.scales.choice import Choice
from judges.models import Run
from tests import factories
from tests.api.conftest import ROOT, program
from tests.recommended import make_lists, make_recommender

pytestmark = pytest.mark.django_db
LISTS = ["items/", "raters/", "ratings/", "judges/", "judgments/", "lists/", "runs/"]


@pytest.fixture
def filled(study):
    def fill(start, count):
        questions = list(study.questions.all())
        judge = factories.make_judge(study, f"judge-{start}")
        for number in range(start, start + count):
            item = factories.make_item(
                study, f"i{number}", f"r{number}", f"c{number}", f"s{number}"
            )
            session = factories.make_session(study, f"rater-{number}")
            for question in questions[:2]:
                factories.make_rating(session, item, question, 1 + number % 5)
            factories.make_judgments(judge, {(item, questions[0]): number / 2})
        make_lists(
            make_recommender(study, f"teller-{start}"),
            {(f"r{number}", "no_change", 0): "ab" for number in range(start, start + count)},
        )
        ensemble = factories.make_judge(study, f"mean-{start}", kind="ensemble")
        ensemble.members.add(judge)

    fill(0, 3)
    return fill


def everything(api, path, size):
    rows, pages = [], 0
    answer = api.get(path, {"page_size": size}).json()
    while True:
        rows, pages = rows + answer["results"], pages + 1
        if answer["next"] is None:
            return rows, pages
        answer = api.get(answer["next"]).json()


@pytest.mark.parametrize("path", LISTS)
def test_a_list_takes_as_many_queries_however_long(
    api, at, filled, path, django_assert_num_queries
):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    api.get(at(path))  # the token's first use is written
    with CaptureQueriesContext(connection) as few:
        assert api.get(at(path)).status_code == 200
    filled(10, 8)
    with django_assert_num_queries(len(few)):
        api.get(at(path))
    assert len(few) <= 6


def test_a_scale_is_made_once_a_question_however_many_rows(api, at, study, monkeypatch):
    question = factories.make_question(study, "which", {"choice": ["A", "tie", "B"]})
    answers = [(factories.make_item(study, f"i{n}"), question, 1 + n % 3) for n in range(6)]
    factories.make_ratings(factories.make_session(study), answers)
    judged = {(item, question): value for item, question, value in answers}
    factories.make_judgments(factories.make_judge(study, "elsewhere"), judged)
    made, init = [], Choice.__init__
    monkeypatch.setattr(Choice, "__init__", lambda *args, **more: made.append(init(*args, **more)))
    for path in ("ratings/", "judgments/"):
        made.clear()
        rows = api.get(at(path)).json()["results"]
        assert [row["value"] for row in rows] == ["A", "tie", "B"] * 2
        assert len(made) == 1


def test_studies_take_as_many_queries_however_many(api, owner, study, django_assert_num_queries):
    api.get(ROOT)
    for number in range(6):
        factories.make_study(f"more-{number}", owner=owner)
    with django_assert_num_queries(3):  # token, studies, questions
        assert len(api.get(ROOT).json()["results"]) == 7


def test_a_study_says_what_its_pages_say(api, study, owner, viewer):
    row = api.get(f"{ROOT}films/").json()
    assert [row["role"], row["items"], row["places"], row["places_filled"]] == ["owner", 4, 12, 0]
    assert row["questions"][0] == {
        "key": "persuasiveness",
        "text": factories.ASPECTS["persuasiveness"],
        "scale": "likert5",
        "required": True,
    }
    assert (
        len(row["questions"]) == 4 == len([question_data(q, "en") for q in study.questions.all()])
    )
    assert program(viewer).get(ROOT).json()["results"][0]["role"] == "viewer"


def test_pages_lead_through_all_rows_once_and_back(api, at, filled):
    filled(10, 4)
    rows, pages = everything(api, at("items/"), 4)
    assert pages == 3 and [row["item"] for row in rows] == list(
        Item.objects.order_by("pk").values_list("key", flat=True)
    )
    second = api.get(api.get(at("items/"), {"page_size": 4}).json()["next"]).json()
    assert api.get(second["previous"]).json()["results"] == rows[:4]
    assert "count" not in second


def test_pages_stay_in_step_while_rows_come_and_go(api, at, study):
    first = api.get(at("items/"), {"page_size": 2}).json()
    Item.objects.filter(key="item-0").delete()
    factories.make_item(study, "late")
    seen = [row["item"] for row in first["results"]]
    rest = api.get(first["next"]).json()
    seen += [row["item"] for row in rest["results"]]
    seen += [row["item"] for row in api.get(rest["next"]).json()["results"]]
    assert seen == ["item-0", "item-1", "item-2", "item-3", "late"]


def test_a_page_of_a_hundred_thousand_rows_takes_no_more_than_a_page(api, at, study):
    rows = ((study.pk, f"bulk-{n}", "text", "words " * 20) for n in range(100_000))
    insert(Item, ["study_id", "key", "kind", "text"], rows)
    path = at("items/?page_size=100")
    api.get(path)
    tracemalloc.start()
    answer = api.get(path).json()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(answer["results"]) == 100 and answer["next"]
    assert peak < 4 * 1024 * 1024  # bytes; all rows would be 30 MB and more


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ("item=i1", ["i1"]),
        ("system=s2", ["i2"]),
        ("recipient=r0", ["i0"]),
        ("content=c1", ["i1"]),
        ("kind=text", []),
        ("kind=explanation&system=s1", ["i1"]),
        ("system=S2", []),
    ],
)
def test_items_are_filtered(api, at, filled, query, keys):
    found = api.get(at(f"items/?{query}")).json()["results"]
    assert [row["item"] for row in found] == keys


def test_answers_of_checks_and_tests_are_no_judgments(api, at, filled):
    before = api.get(at("judgments/")).json()
    run = Run.objects.first()
    item, question = run.judgments.values_list("item", "question").first()
    test = Run.objects.create(judge=run.judge, checked=run, state="finished")
    test.judgments.create(
        item_id=item, question_id=question, relation="spaces", lead=True, state="done", value=1
    )
    assert api.get(at("judgments/")).json() == before
    assert before["results"]


def test_ratings_and_judgments_are_filtered(api, at, filled):
    def found(path):
        return [(row["item"], row["question"]) for row in api.get(at(path)).json()["results"]]

    assert found("ratings/?rater=rater-1&question=transparency") == [("i1", "transparency")]
    assert len(found("ratings/?item=i2")) == 2
    assert found("ratings/?role=expert") == []
    assert found("judgments/?judge=judge-0&item=i2") == [("i2", "persuasiveness")]
    assert found("judgments/?state=failed") == [] and len(found("judgments/?state=done")) == 3


def test_one_item_and_one_rater(api, at, filled, study):
    item = study.items.get(key="i1")
    row = api.get(at(f"items/{item.pk}/")).json()
    assert (row["item"], row["system"], row["extra"]) == ("i1", "s1", {})
    rater = study.raters.get(key="rater-2")
    assert api.get(at(f"raters/{rater.pk}/")).json()["role"] == "third_party"
    other = factories.make_study("other", owner=None)
    stray = factories.make_item(other, "stray")
    assert api.get(at(f"items/{stray.pk}/")).status_code == 404


def test_platform_ids_never_leave(api, at, study):
    Rater.objects.create(
        study=study, key="pseudonym", platform_ids={"PROLIFIC_PID": "5f00real", "SESSION_ID": "s9"}
    )
    for path in ("raters/", "ratings/"):
        assert "5f00real" not in api.get(at(path)).content.decode()


def test_ratings_equal_those_of_the_export(api, at, study):
    """Who is excluded, unfinished or surplus is in neither; 4 is 4 and a text is a text."""
    why = factories.make_question(study, "why", "text")
    scale = study.questions.first()
    for name, state, reason in [
        ("ann", "completed", ""),
        ("bob", "completed", "too fast"),
        ("cat", "rating", ""),
    ]:
        session = factories.make_session(study, name, state=state)
        Rater.objects.filter(pk=session.rater_id).update(excluded_because=reason)
        for number, item in enumerate(study.items.all()):
            factories.make_rating(session, item, scale, number + 1, seconds=1.5)
            factories.make_rating(session, item, why, None, text="=because, “it” is")
    surplus = factories.make_session(study, "dan", source=Session.Source.WEB)
    factories.make_rating(surplus, study.items.first(), scale, 2)

    out = io.StringIO()
    call_command("export", "films", "ratings", format="jsonl", stdout=out)
    import json

    exported = [json.loads(line) for line in out.getvalue().splitlines()]
    rows, _ = everything(api, at("ratings/"), 3)
    assert len(rows) == 8 and rows[0]["value"] == 1 and rows[1]["value"] == "=because, “it” is"
    for row in rows + exported:
        row.pop("id", None)
        row["answered_at"] = row["answered_at"].replace("Z", "+00:00")
    assert [{name: row[name] or None for name in exported[0]} for row in rows] == [
        {name: value or None for name, value in row.items()} for row in exported
    ]


def test_what_a_list_gives_can_be_loaded_into_another_study(api, at, filled, owner):
    copied = factories.make_study("copy", owner=owner)
    items, _ = everything(api, at("items/"), 100)
    names = ["item", "kind", "recipient", "content", "system", "text"]
    body = {"rows": [{name: row[name] for name in names} for row in items]}
    assert api.post(f"{ROOT}copy/items/", body).status_code == 201
    Rating.objects.update(data={"device": "phone"})
    ratings, _ = everything(api, at("ratings/"), 100)
    for row in ratings:
        del row["id"]
    assert api.post(f"{ROOT}copy/ratings/", {"rows": ratings}).json()["new"] == len(ratings)
    again, _ = everything(api, f"{ROOT}copy/ratings/", 100)
    assert [{**row, "id": 0} for row in again] == [{**row, "id": 0} for row in ratings]
    assert copied.items.count() == len(items)
