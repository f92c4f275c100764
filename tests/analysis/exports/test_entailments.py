"""The export of what NLI models said: its rows, and a copy that has the same report."""

import csv
import json
import re

import numpy as np
import pytest
from django.core.management import call_command

from analysis.exports.tables import rows
from annotate.design import splits
from annotate.models import Study
from judges.files import check_files
from judges.models import Entailment, Grain, Judge, Run, Statement
from judges.models.entailment import as_array, as_bytes
from judges.statements.items import current, make
from tests import factories
from tests.analysis.small import build
from tests.stated import make_explained, make_factuality

pytestmark = pytest.mark.django_db
SOFT, LOUD = ("it is soft", "build", "positive"), ("it is loud", "sound", "negative")
CHEAP = ("it is cheap", "price", "positive")
TABLES = ("items", "judgments", "statements", "entailments")


def matrix(n, m, seed):
    """Probabilities with all their digits, so that a file that rounds them is found out."""
    drawn = np.random.default_rng(seed).dirichlet([1, 1, 1], n * m)
    return as_bytes(drawn)


def keep(run, item, n, m, seed=1, grain=Grain.STATEMENT, **texts):
    backward = matrix(m, n, seed + 100) if grain == Grain.STATEMENT else b""
    return Entailment.objects.create(
        run=run,
        item=item,
        grain=grain,
        n_generated=n,
        n_reference=m,
        forward=matrix(n, m, seed),
        backward=backward,
        **texts,
    )


@pytest.fixture
def study(owner):
    """Statements of four explanations (one without a reference's), what two NLI judges, an older
    run and a file said of them, and one matrix of a statement that was corrected since.
    """
    study = make_factuality(owner)
    sides = {
        "a": ([SOFT, LOUD], [SOFT]),
        "b": ([SOFT], []),
        "c": ([CHEAP, LOUD], [SOFT, CHEAP]),
        "d": ([SOFT], [LOUD]),
    }
    items = {key: make_explained(study, key, *both) for key, both in sides.items()}
    make(study)
    judge = factories.make_judge(study, "NLI", kind=Judge.Kind.NLI)
    asked = study.questions.get(key="supported")
    factories.make_judgments(judge, {(one, asked): 0.25 for one in current(study)})
    run = judge.runs.get()
    keep(Run.objects.create(judge=judge, state=Run.State.FINISHED), items["a"], 2, 1, 9)
    newest = Run.objects.create(judge=judge, state=Run.State.FINISHED)
    keep(newest, items["a"], 2, 1, 2, generated=_texts(study, "a"), reference=["=SUM(1)"])
    keep(run, items["b"], 1, 0, generated=[""])
    keep(run, items["c"], 2, 2, 3, generated=_texts(study, "c"), reference=["x", "y"])
    chunks = factories.make_judge(study, "chunks", kind=Judge.Kind.NLI, measure="align_score")
    keep(
        Run.objects.create(judge=chunks, state=Run.State.FINISHED),
        items["c"],
        3,
        1,
        4,
        Grain.CHUNK,
        generated=["A.", "B.", "C."],
        reference=["D. E."],
    )
    keep(None, items["d"], 1, 1, 5)
    Statement.objects.filter(item=items["c"], side="generated", number=2).update(
        corrected_statement="it is very loud"
    )
    make(study)
    return study


def _texts(study, key):
    own = current(study).filter(data__explanation=key, data__direction="precision")
    return [one.text for one in own.order_by("pk")]


def export(study, folder):
    """{table: path}, the study under another name."""
    paths = {table: folder / f"{table}.csv" for table in TABLES}
    paths["study"] = folder / "study.yaml"
    for table, path in paths.items():
        call_command("export", study.slug, table, output=path)
    text = paths["study"].read_text(encoding="utf-8")
    paths["study"].write_text(re.sub(r"^study: .*$", "study: copy", text, count=1, flags=re.M))
    return paths


def load(paths):
    tables = {table: paths[table] for table in TABLES}
    call_command("load_study", paths["study"], verbosity=0, **tables)
    return Study.objects.get(slug="copy")


def report_of(study):
    return json.dumps(build(study, "factuality", draws=20).as_dict()["rows"])


def test_a_copy_has_the_same_report_and_the_same_file(study, tmp_path):
    paths = export(study, tmp_path)
    before = {table: paths[table].read_bytes() for table in ("entailments", "items")}
    copy = load(paths)
    rows = report_of(study)
    assert "StEnt-F1" in rows and "AlignScore" in rows and "entailments.csv" in rows
    assert report_of(copy) == rows
    again = export(copy, tmp_path)
    # The rows of an item stand together; their order follows who said it first.
    lines = {table: sorted(paths[table].read_bytes().splitlines()) for table in before}
    assert lines == {table: sorted(was.splitlines()) for table, was in before.items()}
    counts = check_files(None, {"entailments": again["entailments"]}, "copy").counts["entailments"]
    assert (counts.new, counts.changed) == (0, 0)
    assert counts.unchanged == counts.rows == 4 + 2 + 8 + 3 + 2


def test_rows_stand_pair_by_pair_with_their_texts(study, tmp_path):
    path = export(study, tmp_path)["entailments"]
    found = list(csv.DictReader(path.open(newline="", encoding="utf-8")))
    of_a = [row for row in found if row["item"] == "a"]
    assert {row["judge"] for row in of_a} == {"NLI"}, "only the newest of its runs"
    assert [(row["direction"], row["premise"], row["hypothesis"]) for row in of_a] == [
        ("precision", "1", "1"),
        ("precision", "1", "2"),
        ("recall", "1", "1"),
        ("recall", "2", "1"),
    ]
    assert of_a[1]["hypothesis_text"] == of_a[3]["premise_text"] == _texts(study, "a")[1]
    assert of_a[0]["premise_text"] == "'=SUM(1)", "no formula in a spreadsheet"
    kept = Entailment.objects.filter(item__key="a").order_by("pk").last()
    names = "entailment", "neutral", "contradiction"
    assert [[float(row[name]) for name in names] for row in of_a[:2]] == as_array(
        kept.forward
    ).tolist()
    (first, second) = [row for row in found if row["item"] == "b"]
    assert (first["premise"], first["hypothesis"], first["entailment"]) == ("", "1", "")
    assert (second["direction"], second["premise"], second["hypothesis"]) == ("recall", "1", "")


def test_a_locked_part_is_left_out(study, owner):
    def keys():
        _, found = rows(study, "entailments")
        return {part[0][0] for part in found}

    assert keys() == {"a", "b", "c", "d"}
    splits.lock(study, 1, 0.5, "owner")
    hidden = set(splits.withheld(study).values())
    assert hidden & {"a", "b", "c", "d"}
    assert keys() == {"a", "b", "c", "d"} - hidden


def test_matrices_are_read_a_few_at_once(study, django_assert_num_queries):
    from analysis.exports import statements as statement_exports

    statement_exports.MATRICES, was = 2, statement_exports.MATRICES
    try:
        with django_assert_num_queries(4):  # which there are, and five of them by two
            list(rows(study, "entailments")[1])
    finally:
        statement_exports.MATRICES = was
