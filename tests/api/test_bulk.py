"""Creating many rows: the loader's checks, all or nothing, every problem with row and field."""

import pytest

from annotate.models import Rater, Rating, Session, Study
from judges.models import Judge, Judgment
from tests import factories
from tests.api.conftest import ROOT

pytestmark = pytest.mark.django_db


def problems(answer):
    assert answer.status_code == 409, answer.content
    error = answer.json()["error"]
    assert error["code"] == "conflict" and error["message"].endswith("nothing was loaded.")
    assert error["problem_count"] >= len(error["problems"]) > 0
    return [(each["row"], each["field"], each["message"]) for each in error["problems"]]


def test_items_come_with_their_links_and_further_columns(api, at, study):
    rows = [
        {
            "item": "new-1",
            "text": "Because …",
            "system": "s",
            "recipient": "eva",
            "length": "short",
        },
        {"item": "new-2", "text": "=1+1", "kind": "text", "tags": ["a", "b"]},
    ]
    answer = api.post(at("items/"), {"rows": rows})
    assert answer.status_code == 201
    assert answer.json() == {"rows": 2, "new": 2, "changed": 0, "unchanged": 0, "note": ""}
    item = study.items.get(key="new-1")
    assert (item.recipient.key, item.data) == ("eva", {"length": "short"})
    assert study.items.get(key="new-2").data == {"tags": ["a", "b"]}
    assert item.places.count() == 3  # raters_per_item
    again = api.post(at("items/"), {"rows": rows}).json()
    assert (again["new"], again["unchanged"]) == (0, 2)


def test_every_problem_names_row_and_field_and_nothing_is_loaded(api, at, study):
    rows = [
        {"item": "fine", "text": "x"},
        {"item": "=1", "text": "x"},
        {"item": "twice", "text": "x", "kind": "song"},
        {"item": "twice", "text": "x", "position": -1},
        {"item": "orphan", "text": "x", "parent": "nobody", "side": "A"},
        {"text": "no id"},
    ]
    found = problems(api.post(at("items/"), {"rows": rows}))
    assert {(row, field) for row, field, _ in found} >= {
        (2, "item"),
        (3, "kind"),
        (4, "position"),
        (4, ""),
        (5, "parent"),
        (6, "item"),
    }
    words = {(row, field): message for row, field, message in found}
    assert "found 'song'" in words[3, "kind"] and "explanation" in words[3, "kind"]
    assert study.items.count() == 4


def test_ratings_are_those_of_completed_sessions_of_their_role(api, at, study):
    rows = [
        {
            "item": "item-0",
            "rater": "ann",
            "role": "expert",
            "question": "accuracy",
            "value": 4,
            "answered_at": "2026-03-01T10:00:00Z",
            "seconds": 8.5,
            "reason": "Why not.",
        },
        {"item": "item-1", "rater": "ann", "question": "accuracy", "value": "5"},
    ]
    assert api.post(at("ratings/"), {"rows": rows}).json()["new"] == 2
    session = Session.objects.get()
    assert (session.source, session.state, session.rater.role) == ("file", "completed", "expert")
    found = api.get(at("ratings/")).json()["results"][0]
    assert {name: found[name] for name in rows[0]} == rows[0]


@pytest.mark.parametrize("value", ["3", 3, 3.0])
def test_of_a_choice_rows_have_the_label(api, at, study, value):
    factories.make_question(study, "stars", {"choice": [3, 2, 1]})
    row = {"item": "item-0", "question": "stars", "value": value}
    given = {"ratings": row | {"rater": "ann"}, "judgments": row | {"judge": "elsewhere"}}
    for table, sent in given.items():
        for count in ("new", "unchanged"):
            assert api.post(at(f"{table}/"), {"rows": [sent]}).json()[count] == 1
        (found,) = api.get(at(f"{table}/")).json()["results"]
        assert found["value"] == "3"
    assert Rating.objects.get().value == Judgment.objects.get().value == 1


def test_a_wrong_rating_says_what_is_allowed_as_the_loader_does(api, at, study):
    ok = {"item": "item-0", "rater": "ann", "question": "accuracy", "value": 4}
    rows = [
        ok,
        ok | {"item": "item-1", "value": 6},
        ok | {"item": "nothing"},
        ok | {"question": "beauty", "item": "item-2"},
        ok | {"item": "item-3", "role": "boss"},
    ]
    found = problems(api.post(at("ratings/"), {"rows": rows}))
    found.sort()
    assert [(row, field) for row, field, _ in found] == [
        (2, "value"),
        (3, "item"),
        (4, "question"),
        (5, "role"),
    ]
    assert "1 to 5" in found[0][2] or "1, 2, 3, 4, 5" in found[0][2]
    assert not Rater.objects.exists()


def test_another_value_for_a_loaded_rating_is_refused(api, at, study):
    row = {"item": "item-0", "rater": "ann", "question": "accuracy", "value": 4}
    api.post(at("ratings/"), {"rows": [row]})
    assert api.post(at("ratings/"), {"rows": [row]}).json()["unchanged"] == 1
    more = api.post(at("ratings/"), {"rows": [row | {"reason": "Because."}]}).json()
    assert more["note"] == "1 row differs in reason from what is loaded, which stays."
    (found,) = problems(api.post(at("ratings/"), {"rows": [row | {"value": 2}]}))
    assert found[:2] == (1, "value") and "is 4 already" in found[2]


def test_judgments_become_an_imported_judge(api, at, study):
    rows = [
        {"item": "item-0", "judge": "elsewhere", "value": 3.5, "cost_usd": 0.01},
        {"item": "item-1", "judge": "elsewhere", "question": "accuracy", "value": None},
    ]
    assert api.post(at("judgments/"), {"rows": rows}).status_code == 201
    assert Judge.objects.get().kind == "imported"
    found = api.get(at("judgments/")).json()["results"]
    assert [(row["value"], row["state"]) for row in found] == [(3.5, "done")] * 4 + [
        (None, "failed")
    ]
    assert found[4]["reason"] == "missing in file"
    assert Judgment.objects.filter(question__key="accuracy").count() == 2


def test_a_judge_of_the_study_cannot_be_written_to(api, at, study):
    factories.make_judge(study, "drawn", kind="random")
    rows = [{"item": "item-0", "judge": "drawn", "value": 1}]
    (found,) = problems(api.post(at("judgments/"), {"rows": rows}))
    assert found[:2] == (1, "judge")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"rows": []},
        {"rows": {}},
        {"rows": ["x"]},
        {"rows": [[]]},
        {"rows": [None]},
        {"row": [{"item": "x"}]},
        {"rows": [{"item": "x"}], "force": True},
        {"rows": [{"item": "x"}] * 10_001},
    ],
)
def test_another_shape_is_400(api, at, body):
    answer = api.post(at("items/"), body)
    assert answer.status_code == 400 and answer.json()["error"]["fields"]


def test_an_infinite_number_has_a_row_too(api, at):
    body = b'{"rows": [{"item": "a", "text": "x"}, {"item": "b", "text": "x", "n": 1e999}]}'
    answer = api.generic("POST", at("items/"), body, content_type="application/json")
    assert (2, "n") in [found[:2] for found in problems(answer)]


def test_ten_thousand_rows_are_one_load(api, at, study):
    rows = [{"item": f"n{number}", "text": "x"} for number in range(10_000)]
    assert api.post(at("items/"), {"rows": rows}).json()["new"] == 10_000
    assert study.items.count() == 10_004


# Studies


QUESTION = {"key": "fits", "text": "It fits me.", "scale": "likert5"}


def test_a_study_is_made_of_its_questions(api, owner):
    body = {
        "study": "songs",
        "title": "Songs",
        "kind": "text",
        "raters_per_item": 2,
        "consent": "Yes\n\n# 1: no",
        "media_hosts": ["media.example.org"],
        "questions": [
            QUESTION,
            {
                "key": "mood",
                "text": "Mood?",
                "scale": {"choice": ["on", "no"]},
                "required": False,
                "applies_to": ["text"],
            },
        ],
    }
    answer = api.post(ROOT, body)
    assert answer.status_code == 201
    made = answer.json()
    assert made["role"] == "owner" and made["questions"][1]["scale"] == {"choice": ["on", "no"]}
    study = Study.objects.get(slug="songs")
    assert (study.consent, study.kind, study.raters_per_item) == ("Yes\n\n# 1: no", "text", 2)
    assert study.media_hosts == ["media.example.org"]
    assert [q.required for q in study.questions.all()] == [True, False]


def test_a_study_is_made_from_a_template_with_what_differs(api):
    made = api.post(
        ROOT, {"study": "mine", "template": "explanations-four", "title": "Mine"}
    ).json()
    assert (made["title"], len(made["questions"])) == ("Mine", 4)


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        ({"study": "new"}, "study", "Not “new”"),
        ({"study": "films"}, "study", "is taken"),
        ({"questions": [QUESTION, QUESTION]}, "questions", "twice"),
        (
            {"questions": [QUESTION, QUESTION | {"key": "b", "scale": "likert9"}]},
            "questions.2.scale",
            "allowed is likert5",
        ),
        ({"questions": [{"key": "b", "text": "x"}]}, "questions.1.scale", "is missing"),
        ({"questions": [QUESTION | {"colour": "red"}]}, "questions.1.colour", "not a known key"),
        (
            {"judges": [{"judge": "a", "kind": "llm", "endpoint": "none"}]},
            "judges.1.endpoint",
            "endpoints here",
        ),
        ({"platform": 7}, "platform", ""),
    ],
)
def test_a_wrong_study_is_refused_with_its_field(api, study, change, field, words):
    answer = api.post(ROOT, {"study": "songs", "questions": [QUESTION]} | change)
    found = problems(answer)
    assert (found[0][0], found[0][1]) == (None, field) and words in found[0][2]
    assert Study.objects.count() == 1


@pytest.mark.parametrize(
    "change",
    [
        {"raters_per_item": 0},
        {"kind": "song"},
        {"title": 5},
        {"colour": "x"},
        {"template": "nothing"},
    ],
)
def test_a_study_of_another_shape_is_400(api, change):
    answer = api.post(ROOT, {"study": "songs", "questions": [QUESTION]} | change)
    assert answer.status_code == 400 and list(change) == list(answer.json()["error"]["fields"])


def test_title_state_and_notice_can_be_changed_and_nothing_else(api, at, study):
    row = api.patch(at(), {"title": " Songs ", "state": "closed", "notice": "a\r\nb"}).json()
    assert (row["title"], row["state"], row["notice"]) == ("Songs", "closed", "a\nb")
    study.refresh_from_db()
    assert not study.is_open
    assert api.patch(at(), {"slug": "x"}).status_code == 400
    assert api.delete(at()).status_code == 405


def test_a_row_of_too_many_names_is_refused(api, at):
    row = {"item": "a"} | {f"c{number}": 1 for number in range(100_000)}
    assert problems(api.post(at("items/"), {"rows": [row]})) == [
        (1, "", "found 100,001 columns; allowed are 1,000")
    ]


def test_a_body_of_too_many_unknown_names_is_answered_with_some(api, at):
    answer = api.post(at("items/"), {f"c{number}": 1 for number in range(100_000)})
    assert answer.status_code == 400 and len(answer.content) < 20_000


def test_a_study_of_too_many_values_is_refused_before_a_file_is_made_of_it(api):
    questions = [{"key": "q", "text": "?", "scale": {"choice": list(range(100_000))}}]
    answer = api.post(ROOT, {"study": "wide", "kind": "text", "questions": questions})
    assert answer.status_code == 400
    assert "found more than 50,000 keys and values; allowed are 50,000" in answer.content.decode()


def test_judgments_outside_the_scale_are_counted_and_missing_unless_chosen(api, at, study):
    """A scale from 1 to 5: two of the three values lie on it."""
    keys = study.items.order_by("pk").values_list("key", flat=True)[:3]
    rows = [
        {"item": key, "judge": "gpt", "question": "accuracy", "value": value}
        for key, value in zip(keys, (4, 2, -1), strict=True)
    ]
    answer = api.post(at("judgments/"), {"rows": rows, "out_of_range": "refuse"}, format="json")
    ((_, field, message),) = problems(answer)
    assert field == "value"
    assert message == "gpt: 1 of 3 judgments is outside the scale 1 to 5 (lowest −1, highest 4)."
    answer = api.post(at("judgments/"), {"rows": rows}, format="json")
    counted = {"judge": "gpt", "judgments": 3, "outside": 1, "lowest": -1, "highest": 4}
    assert answer.json()["out_of_range"] == [counted | {"own_scale": False}]
    stored = Judgment.objects.order_by("item__pk").values_list("value", flat=True)
    assert list(stored) == [4, 2, None]
    answer = api.post(at("judgments/"), {"rows": rows, "out_of_range": "guess"}, format="json")
    assert answer.status_code == 400
