"""Make two tables of five: screens, with the answers on them.

Extra screens and their answers keep their tables, and so their ids. Attempts at the comprehension
check, practice, and answers about the rater are copied there, in chunks, with their times.
"""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import OuterRef, Q, Subquery

CHUNK = 2000


def check_at_once(apps, editor):
    """Let PostgreSQL check references row by row: it alters no table with checks yet to come."""
    if editor.connection.vendor == "postgresql":
        editor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def name_checks(apps, editor):
    """Give each answer to an attention check the check's key."""
    Screen, Answer = _models(apps, "Screen", "Answer")
    key = Screen.objects.filter(pk=OuterRef("screen")).values("key")[:1]
    Answer.objects.filter(item=None).update(key=Subquery(key))


def move_attempts(apps, editor):
    """Make a screen of each attempt: its questions as they were asked, and an answer to each."""
    Screen, Answer, CheckAttempt = _models(apps, "Screen", "Answer", "CheckAttempt")
    for attempts in _chunks(CheckAttempt):
        screens = Screen.objects.bulk_create(
            Screen(
                session_id=attempt.session_id,
                kind="check",
                number=attempt.number,
                spec={"questions": [asked["question"] for asked in attempt.answers]},
                passed=attempt.passed,
            )
            for attempt in attempts
        )
        Answer.objects.bulk_create(
            Answer(
                screen=screen,
                key=str(number),
                text=asked["answer"],
                passed=asked["right"],
                answered_at=attempt.at,
            )
            for screen, attempt in zip(screens, attempts, strict=True)
            for number, asked in enumerate(attempt.answers, 1)
        )


def move_practice(apps, editor):
    """Make a screen of each item that somebody practised on."""
    Screen, Answer, PracticeAnswer = _models(apps, "Screen", "Answer", "PracticeAnswer")
    for rows in _chunks(PracticeAnswer):
        screens = Screen.objects.bulk_create(
            Screen(session_id=row.session_id, kind="practice", item_id=row.item_id) for row in rows
        )
        Answer.objects.bulk_create(
            Answer(
                screen=screen,
                key=key,
                value=None if isinstance(said, str) else said,
                text=said if isinstance(said, str) else "",
                answered_at=row.at,
            )
            for screen, row in zip(screens, rows, strict=True)
            for key, said in row.answers.items()
            if said is not None and said != ""
        )


def move_answers_about_raters(apps, editor):
    """Make a screen of each step in which a rater told about themselves."""
    Screen, Answer, ExitAnswer = _models(apps, "Screen", "Answer", "ExitAnswer")
    for rows in _chunks(ExitAnswer):
        of_sessions = Screen.objects.filter(
            session__in={row.session_id for row in rows}, kind__in=["screener", "before", "exit"]
        )
        screens = {(screen.session_id, screen.kind): screen for screen in of_sessions}
        steps = dict.fromkeys((row.session_id, row.step) for row in rows)
        new = [Screen(session_id=pk, kind=step) for pk, step in steps if (pk, step) not in screens]
        for screen in Screen.objects.bulk_create(new):
            screens[screen.session_id, screen.kind] = screen
        Answer.objects.bulk_create(
            Answer(
                screen=screens[row.session_id, row.step],
                key=row.key,
                value=row.value,
                text=row.text,
                answered_at=row.at,
            )
            for row in rows
        )


def _models(apps, *names):
    return [apps.get_model("annotate", name) for name in names]


def _chunks(model):
    """Yield all rows of a table in the order of their ids, some at a time."""
    last = 0
    while rows := list(model.objects.filter(pk__gt=last).order_by("pk")[:CHUNK]):
        yield rows
        last = rows[-1].pk


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0002_preview_studies"),
    ]

    operations = [
        migrations.RunPython(check_at_once),
        migrations.RemoveConstraint("extra", "extra_once_a_position"),
        migrations.RemoveConstraint("extra", "extra_item_once_a_session"),
        migrations.RemoveConstraint("extra", "extra_check_once_a_session"),
        migrations.RemoveConstraint("extra", "extra_has_an_item_or_a_check"),
        migrations.RemoveConstraint("extraanswer", "one_answer_a_question_of_an_extra"),
        migrations.RemoveConstraint("extraanswer", "one_answer_a_check"),
        migrations.RemoveConstraint("extraanswer", "extra_answer_is_about_both_or_neither"),
        migrations.RemoveConstraint("extraanswer", "extra_answer_has_an_answer"),
        migrations.RemoveConstraint("checkattempt", "attempt_number_once"),
        migrations.RenameModel("Extra", "Screen"),
        migrations.RenameModel("ExtraAnswer", "Answer"),
        migrations.RenameField("screen", "check_key", "key"),
        migrations.RenameField("answer", "extra", "screen"),
        migrations.AlterModelOptions(
            "screen", {"ordering": ["session", "position", "number", "id"]}
        ),
        migrations.AlterModelOptions("answer", {"ordering": ["id"]}),
        migrations.AlterField(
            "screen",
            "session",
            models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="screens",
                to="annotate.session",
            ),
        ),
        migrations.AlterField(
            "screen",
            "kind",
            models.CharField(
                choices=[
                    ("attention", "Attention check"),
                    ("gold", "Gold item"),
                    ("repeat", "Repeated item"),
                    ("screener", "Screener"),
                    ("before", "Questions before"),
                    ("check", "Comprehension check"),
                    ("practice", "Practice"),
                    ("exit", "Exit questions"),
                ],
                max_length=10,
            ),
        ),
        migrations.AlterField(
            "screen", "position", models.PositiveSmallIntegerField(blank=True, null=True)
        ),
        migrations.AlterField(
            "screen",
            "key",
            models.CharField(blank=True, help_text="Of an attention check.", max_length=60),
        ),
        migrations.AlterField(
            "screen",
            "spec",
            models.JSONField(
                blank=True,
                default=dict,
                help_text="The check, or the right answers, as they were when it was drawn; of an "
                "attempt the questions as they were asked.",
            ),
        ),
        migrations.AlterField(
            "screen",
            "is_whole",
            models.BooleanField(
                default=False, help_text="Among the items: nothing required is missing."
            ),
        ),
        migrations.AddField(
            "screen",
            "number",
            models.PositiveSmallIntegerField(
                blank=True, help_text="Of an attempt at the comprehension check, from 1.", null=True
            ),
        ),
        migrations.AddField(
            "answer", "key", models.CharField(blank=True, default="", max_length=300), False
        ),
        migrations.AlterField(
            "answer",
            "text",
            models.TextField(blank=True, help_text="Of a choice about the rater its words."),
        ),
        migrations.RunPython(name_checks),
        migrations.AddConstraint(
            "screen",
            models.UniqueConstraint(fields=["session", "position"], name="screen_once_a_position"),
        ),
        migrations.AddConstraint(
            "screen",
            models.UniqueConstraint(
                fields=["session", "kind", "item"], name="screen_of_an_item_once_a_session"
            ),
        ),
        migrations.AddConstraint(
            "screen",
            models.UniqueConstraint(
                fields=["session", "kind", "key"],
                condition=~Q(key=""),
                name="screen_of_a_key_once_a_session",
            ),
        ),
        migrations.AddConstraint(
            "screen",
            models.UniqueConstraint(fields=["session", "number"], name="attempt_number_once"),
        ),
        migrations.AddConstraint(
            "screen",
            models.UniqueConstraint(
                fields=["session", "kind"],
                condition=Q(kind__in=["screener", "before", "exit"]),
                name="screen_about_the_rater_once_a_session",
            ),
        ),
        migrations.AddConstraint(
            "screen",
            models.CheckConstraint(
                condition=Q(kind="attention", position__isnull=False, item=None, number=None)
                & ~Q(key="")
                | Q(kind__in=["gold", "repeat"], position__isnull=False, item__isnull=False)
                & Q(key="", number=None)
                | Q(kind="practice", position=None, item__isnull=False, key="", number=None)
                | Q(kind="check", position=None, item=None, key="", number__isnull=False)
                | Q(kind__in=["screener", "before", "exit"], position=None, item=None)
                & Q(key="", number=None),
                name="screen_has_what_its_kind_has",
            ),
        ),
        migrations.AddConstraint(
            "answer",
            models.UniqueConstraint(
                fields=["screen", "item", "question"], name="one_answer_a_question_of_a_screen"
            ),
        ),
        migrations.AddConstraint(
            "answer",
            models.UniqueConstraint(
                fields=["screen", "key"], condition=~Q(key=""), name="one_answer_a_key_of_a_screen"
            ),
        ),
        migrations.AddConstraint(
            "answer",
            models.CheckConstraint(
                condition=Q(item=None, question=None) & ~Q(key="")
                | Q(item__isnull=False, question__isnull=False, key=""),
                name="answer_is_about_an_item_or_has_a_key",
            ),
        ),
        migrations.AddConstraint(
            "answer",
            models.CheckConstraint(
                condition=Q(value__isnull=False) | ~Q(text=""), name="answer_says_something"
            ),
        ),
        migrations.RunPython(move_attempts),
        migrations.RunPython(move_practice),
        migrations.RunPython(move_answers_about_raters),
        migrations.DeleteModel("CheckAttempt"),
        migrations.DeleteModel("PracticeAnswer"),
        migrations.DeleteModel("ExitAnswer"),
    ]
