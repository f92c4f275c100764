"""A small study whose numbers a test can check by hand or with scipy."""

import random
import re
from io import StringIO
from pathlib import Path

from django.apps import apps
from django.core.management import call_command
from django.core.management.color import no_style
from django.db import connection

from analysis.answers import frame
from analysis.options.choices import Choices
from analysis.options.form import OptionsForm, query
from analysis.reports.registry import EVERY_OPTION, REPORTS
from annotate.models import Item, Rater, Study
from tests import factories

HANNA = Path(__file__).parent.parent / "data" / "hanna.yaml"
LOADED = [
    model for app in ("annotate", "judges") for model in apps.get_app_config(app).get_models()
]
OF_HANNA = {}  # the rows of its load: {model: rows}


def build(study, report, **options):
    """The report of a study; without intervals unless asked for."""
    answers = frame.read_answers(study)
    return REPORTS[report].build(answers, options_of(answers, report, **{"draws": 0} | options))


def options_of(answers, report, **given):
    """The options of a report, parsed as an address or a command gives them."""
    form = OptionsForm(query(given), Choices.from_answers(answers), EVERY_OPTION)
    assert form.is_valid(), form.errors
    return form.options(REPORTS[report].options)


def load_hanna(folder):
    """The HANNA study as anybody would load it; once a process, then by the rows of that load."""
    assert not Study.objects.exists(), "its rows come as they were kept, with their numbers"
    with connection.cursor() as cursor:
        if not OF_HANNA:
            files = [f"--{name}={folder / name}.csv" for name in ("items", "ratings", "judgments")]
            call_command("load_study", HANNA, *files, stdout=StringIO())
            for model in LOADED:
                cursor.execute(f"SELECT {columns_of(model)} FROM {model._meta.db_table}")
                if rows := cursor.fetchall():
                    OF_HANNA[model] = rows
        else:
            for model, rows in OF_HANNA.items():
                into = f"{model._meta.db_table} ({columns_of(model)})"
                places = ", ".join(["%s"] * len(rows[0]))
                cursor.executemany(f"INSERT INTO {into} VALUES ({places})", rows)
            for sql in connection.ops.sequence_reset_sql(no_style(), LOADED):
                cursor.execute(sql)
    return Study.objects.get(slug="hanna")


def columns_of(model):
    """The columns that are written, as SQL."""
    fields = [field for field in model._meta.local_concrete_fields if not field.generated]
    return ", ".join(connection.ops.quote_name(field.column) for field in fields)


def row_of(report, **wanted):
    """The one row with these keys."""
    rows = [row for row in report.rows if wanted.items() <= row.items()]
    assert len(rows) == 1, rows
    return rows[0]


def make_rated_study(owner=None, recipients=4, contents=2, systems=3, slug="films"):
    """Every item rated by three third parties; two judges, one close to them and one random."""
    study = factories.make_study(slug, owner)
    known = {}  # the rows that items share, so that each is looked for once
    for number in range(recipients * contents * systems):
        who, rest = divmod(number, contents * systems)
        what, system = divmod(rest, systems)
        keys = f"r{who}", f"film-{what}", f"system-{system}"
        item = factories.make_item(
            study,
            f"item-{number}",
            *(known.get(key, key) for key in keys),
            data={"genre": "drama" if what else "comedy"},
        )
        known |= zip(keys, (item.recipient, item.content, item.system), strict=True)
    rng = random.Random(5)
    items = enumerate(study.items.order_by("pk"), start=1)
    quality = {item: 1 + (number * 7) % 4 for number, item in items}
    add_raters(study, ["ann", "bob", "cem"], quality, rng)
    add_judge(study, "close", lambda item: near(quality[item], rng))
    add_judge(study, "random", lambda item: rng.randint(1, 5))
    return study


def near(value, rng):
    return min(5, max(1, value + rng.choice([-1, 0, 0, 1])))


def add_raters(study, names, quality, rng, role=Rater.Role.THIRD_PARTY):
    """Each of them answers everything, near the item's quality."""
    items, questions = list(study.items.order_by("pk")), list(study.questions.all())
    for name in names:
        session = factories.make_session(study, name, role)
        factories.make_ratings(
            session, ((i, q, near(quality[i], rng)) for i in items for q in questions)
        )


def add_judge(study, name, value_of):
    """An imported judge whose value of every question is value_of(item)."""
    judge = factories.make_judge(study, name)
    items = Item.objects.filter(study=study).order_by("pk")
    questions = list(study.questions.all())
    factories.make_judgments(
        judge, {(item, question): value_of(item) for item in items for question in questions}
    )
    return judge


def timeless(response):
    """A page without when it was computed."""
    return re.sub(r"<time.*?</time>", "", response.content.decode())
