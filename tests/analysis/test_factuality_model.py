"""A file of texts and reviews becomes tables III and IV: commands, a worker, real local models.

The small model answers poorly and the NLI model is tiny; that all of it is done is what counts.
"""

import csv
import os
from io import StringIO

import pytest
from django.core.management import call_command

from annotate.models import Study
from judges.models import Heartbeat, Judgment, Run, Side, Statement
from judges.statements import edit
from judges.statements.items import current
from tests import factories, processes
from tests.judges.scorers.tiny_onnx import nli_folder
from tests.small_model import small_model

pytestmark = [pytest.mark.model, pytest.mark.django_db(transaction=True)]
PORT = 8352
STUDY = """
study: coats
title: Coats
kind: factuality
raters_per_item: 1
questions:
  - {key: supported, text: "Entailed?", scale: binary, applies_to: [statement]}
  - {key: convincing, text: "Convincing?", scale: likert5, applies_to: [explanation]}
judges:
  - {judge: extractor, endpoint: small, method: extraction, prompt: extract.v1, topics: clothes,
     max_tokens: 200, most_statements: 1}
  - {judge: St2Exp, endpoint: small, method: support, prompt: support.v1, max_tokens: 20}
  - {judge: StEnt, kind: nli, measure: ent_f1}
"""
ITEMS = """item,recipient,content,system,text,review
a1,ann,coat,good,The fabric is soft.,Soft and warm.
a2,ann,coat,bad,It is blue.,Soft and warm.
"""
FILLED = ["the fabric is soft", "material", "positive"]


@pytest.fixture
def nli_model(tmp_path, settings):
    settings.NLI_MODEL = str(nli_folder(tmp_path / "nli"))
    return settings.NLI_MODEL


def command(*arguments, **options):
    out = StringIO()
    call_command(*map(str, arguments), stdout=out, stderr=out, **options)
    return out.getvalue()


def load(folder):
    (folder / "study.yaml").write_text(STUDY)
    (folder / "items.csv").write_text(ITEMS)
    factories.make_user("owner")
    command("load_study", folder / "study.yaml", items=folder / "items.csv", owner="owner")
    return Study.objects.get()


def run_judge(name):
    """By the command, which waits for the worker; the model's replies may be of no use."""
    said = command("run_judge", "coats", name, "--wait", "--yes")
    run = Run.objects.get(judge__key=name)
    assert run.state == Run.State.FINISHED, said
    assert "is worked through here" not in said, "it was the worker's"
    assert not [one for one in run.calls.all() if f":{os.getpid()}:" in f":{one.worker}:"]
    return run


def fill_sides(study):
    """What an editor adds where the small model found nothing: each side says something."""
    values = dict(zip(("statement", "topic", "sentiment"), FILLED, strict=True))
    for item in study.items.filter(kind="explanation"):
        for side in Side.values:
            if not Statement.objects.speaking(study).filter(item=item, side=side).exists():
                edit.add(item, side, item.text, values, study.memberships.get().user)


def test_from_a_file_to_tables_iii_and_iv_by_commands_and_a_worker(tmp_path, nli_model):
    extra = {
        "CELERY_QUEUE": f"test-{os.getpid()}-{tmp_path.name}",
        "NLI_MODEL": nli_model,
    }
    with (
        small_model(tmp_path, PORT),
        processes.beat(tmp_path, **extra),
        processes.worker(tmp_path, **extra),
    ):
        study = load(tmp_path)
        processes.wait_for(Heartbeat.objects.any_alive, "a worker that lives")
        assert run_judge("extractor").calls.count() == 3, "the review of both is read once"
        fill_sides(study)
        command("make_statement_items", "coats", "--fill-references")
        checked = run_judge("St2Exp")
        entailed = run_judge("StEnt")
    assert set(checked.judgments.values_list("state", flat=True)) == {Judgment.State.DONE}
    assert entailed.judgments.filter(state=Judgment.State.DONE).exists()
    check_tables(study, checked)


def check_tables(study, checked):
    """Table III is the mean of the verdicts, by an own count; table IV has numbers beside it."""
    said = command("analyse", "coats", "factuality", draws=20, format="csv")
    rows = {
        (row["system"], row["metric"]): row
        for row in csv.DictReader(StringIO(said))
        if row["part"] == "consistency"
    }
    for system in ("good", "bad"):
        sides = {}
        for way, value in checked.judgments.filter(item__system__key=system).values_list(
            "item__data__direction", "value"
        ):
            sides.setdefault(way, []).append(value)
        shares = [sum(sides[way]) / len(sides[way]) for way in ("precision", "recall")]
        for metric, share in zip(("St2Exp-P", "St2Exp-R"), shares, strict=True):
            assert float(rows[system, metric]["value"]) == pytest.approx(share)
        both = 2 * shares[0] * shares[1] / sum(shares) if sum(shares) else 0
        assert float(rows[system, "St2Exp-F1"]["value"]) == pytest.approx(both)
        for metric in ("StEnt-P", "StEnt-R", "StEnt-F1"):
            assert 0 <= float(rows[system, metric]["value"]) <= 1
    assert current(study).count() == checked.judgments.count()
