"""A small study whose numbers a test can check by hand or with scipy."""

import random
import re
from io import StringIO
from pathlib import Path

from django.core.management import call_command

from analysis.answers import frame
from analysis.options.choices import Choices
from analysis.options.form import OptionsForm, query
from analysis.reports.registry import EVERY_OPTION, REPORTS
from annotate.models import Item, Rater, Study
from tests import factories

HANNA = Path(__file__).parent.parent / "data" / "hanna.yaml"


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
    """The HANNA study, loaded as anybody would load it."""
    tables = [f"--{table}={folder / table}.csv" for table in ("items", "ratings", "judgments")]
    call_command("load_study", HANNA, *tables, stdout=StringIO())
    return Study.objects.get(slug="hanna")


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
