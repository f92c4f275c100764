"""Migration 0003 makes screens and answers of five tables: every row of them is found again."""

import importlib
from datetime import UTC, datetime

import pytest
from django.apps import apps
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from annotate.models import Answer, Screen
from tests import factories

AT, LATER = (datetime(2026, 5, day, 9, 30, tzinfo=UTC) for day in (1, 2))
NEW = "Answer", "Screen"
OLD = "Extra", "CheckAttempt", "PracticeAnswer", "ExitAnswer", "ExtraAnswer"


def migrate(fill):
    """Put the five old tables in the place of the two new ones, fill them, and migrate."""
    loader = MigrationLoader(connection)
    state = loader.project_state([("annotate", "0002_preview_studies")])
    old = {name: state.apps.get_model("annotate", name) for name in OLD}
    with connection.schema_editor() as editor:
        for name in NEW:
            editor.delete_model(apps.get_model("annotate", name))
        for model in old.values():
            editor.create_model(model)
    fill(**old)
    migration = loader.get_migration("annotate", "0003_screens")
    with connection.schema_editor(atomic=migration.atomic) as editor:
        migration.apply(state, editor)
    left = {f"annotate_{name.lower()}" for name in OLD} & {*connection.introspection.table_names()}
    assert not left


@pytest.mark.django_db(transaction=True)
def test_every_row_is_kept_with_its_time_and_what_is_seen_of_it(monkeypatch):
    module = importlib.import_module("annotate.migrations.0003_screens")
    monkeypatch.setattr(module, "CHUNK", 2)  # so that each table takes several
    study = factories.make_study(items=3)
    sessions = [factories.make_session(study, key) for key in ("ann", "ben", "cas")]
    items, question = list(study.items.all()), study.questions.first()
    ids = {}

    def fill(Extra, CheckAttempt, PracticeAnswer, ExitAnswer, ExtraAnswer):
        for position, fields in enumerate(
            (
                {"kind": "attention", "check_key": "read", "spec": {"key": "read"}, "passed": True},
                {"kind": "gold", "item_id": items[0].pk, "spec": {"answers": {}, "tolerance": 1}},
                {"kind": "repeat", "item_id": items[1].pk, "first_side": "B", "is_whole": True},
            ),
            start=4,
        ):
            fields |= {"session_id": sessions[0].pk, "position": position}
            ids[fields["kind"]] = Extra.objects.create(pk=100 + position, **fields).pk
        about = {"item_id": items[1].pk, "question_id": question.pk, "answered_at": AT}
        ExtraAnswer.objects.create(
            pk=70, extra_id=ids["repeat"], value=4, reason="so", seconds=2.5, **about,
            changes=[[3.0, "2026-05-01T09:00:00"]],
        )  # fmt: skip
        ExtraAnswer.objects.create(
            pk=71, extra_id=ids["attention"], text="A | B", passed=True, answered_at=AT
        )
        asked = [
            {"question": "What?", "answer": "Texts", "right": True},
            {"question": "How many?", "answer": "2", "right": False},
        ]
        for number, passed in ((1, False), (2, True)):
            CheckAttempt.objects.create(
                session_id=sessions[1].pk, number=number, answers=asked, passed=passed
            )
        CheckAttempt.objects.create(
            session_id=sessions[2].pk, number=1, answers=asked[:1], passed=True
        )
        for item, said in zip(
            items, ({"fit": 4.0, "fit@part": 2}, {"why": "=1", "no": ""}, {}), strict=True
        ):
            PracticeAnswer.objects.create(session_id=sessions[1].pk, item_id=item.pk, answers=said)
        for session in sessions[:2]:
            for step, key, value, text in (
                ("exit", "age", 34, ""),
                ("exit", "comments", None, "none"),
                ("before", "gender", 1, "woman"),
                ("screener", "job", 2, "nurse"),
                ("before", "tv", 0, "No"),
            ):
                ExitAnswer.objects.create(
                    session_id=session.pk, step=step, key=key, value=value, text=text
                )
        CheckAttempt.objects.update(at=LATER)
        PracticeAnswer.objects.update(at=LATER)
        ExitAnswer.objects.update(at=LATER)

    migrate(fill)
    among = Screen.objects.exclude(position=None).values_list(
        "pk", "kind", "position", "item", "key", "spec", "first_side", "is_whole", "passed"
    )
    gold = {"answers": {}, "tolerance": 1}
    assert list(among) == [
        (ids["attention"], "attention", 4, None, "read", {"key": "read"}, "", False, True),
        (ids["gold"], "gold", 5, items[0].pk, "", gold, "", False, None),
        (ids["repeat"], "repeat", 6, items[1].pk, "", {}, "B", True, None),
    ]
    first, second = Answer.objects.among_items()
    assert (first.pk, first.name) == (70, (items[1].pk, question.pk, ""))
    assert (first.value, first.reason, first.seconds) == (4, "so", 2.5)
    assert first.changes == [[3.0, "2026-05-01T09:00:00"]]
    assert (second.pk, second.name) == (71, (None, None, "read"))
    assert (second.text, second.passed, second.answered_at) == ("A | B", True, AT)

    attempts = Screen.objects.filter(kind="check")
    right = {"question": "What?", "answer": "Texts", "right": True}
    wrong = {"question": "How many?", "answer": "2", "right": False}
    assert [(one.session, one.number, one.passed, one.judged) for one in attempts] == [
        (sessions[1], 1, False, [right, wrong]),
        (sessions[1], 2, True, [right, wrong]),
        (sessions[2], 1, True, [right]),
    ]
    practice = Screen.objects.filter(kind="practice")
    assert [(one.session, one.item, one.by_key) for one in practice] == [
        (sessions[1], items[0], {"fit": 4.0, "fit@part": 2.0}),
        (sessions[1], items[1], {"why": "=1"}),
        (sessions[1], items[2], {}),
    ]
    told = Answer.objects.about_raters()
    columns = "screen__session", "screen__kind", "key", "value", "text"
    assert list(told.values_list(*columns)) == [
        (session.pk, *row)
        for session in sessions[:2]
        for row in (
            ("exit", "age", 34, ""),
            ("exit", "comments", None, "none"),
            ("before", "gender", 1, "woman"),
            ("screener", "job", 2, "nurse"),
            ("before", "tv", 0, "No"),
        )
    ]
    later = Answer.objects.filter(screen__position=None)
    assert set(later.values_list("answered_at", flat=True)) == {LATER}
    # What comes next has a new id, and keeps the new rules.
    new = factories.make_about(sessions[2], "age", 20)
    assert new.pk > max(told.exclude(pk=new.pk).values_list("pk", flat=True))
