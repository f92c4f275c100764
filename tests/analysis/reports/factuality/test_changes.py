"""What the report on factual consistency makes of statements that change, and of odd items."""

from math import isnan

import pytest

from analysis.answers import frame
from analysis.reports.factuality.relations import NO_PAIRS
from annotate.models import Item
from judges.models import Entailment, Judge, Run, Statement
from judges.models.entailment import as_bytes
from judges.statements import edit
from judges.statements.items import current, make
from tests import factories, factual
from tests.analysis.small import build, row_of
from tests.stated import make_explained, make_factuality

pytestmark = pytest.mark.django_db
SOFT, LOUD = ("it is soft", "build", "positive"), ("it is loud", "sound", "negative")


def fingerprint(study):
    return frame.Reader(study).fingerprint()


def test_a_change_that_is_undone_after_a_later_one_is_noticed(owner):
    study = make_factuality(owner)
    item = make_explained(study, "a", [SOFT, LOUD], [SOFT])
    one, other = Statement.objects.filter(item=item, side="generated").order_by("number")
    corrected = {"statement": "it is hard", "topic": "build", "sentiment": "negative"}
    for change in (edit.remove, lambda pk, by: edit.correct(pk, corrected, by)):
        before = fingerprint(study)
        change(one.pk, owner)
        edit.remove(other.pk, owner)
        changed = fingerprint(study)
        edit.undo(one.pk, owner)
        undone = fingerprint(study)
        edit.undo(other.pk, owner)
        assert len({before, changed, undone}) == 3 and fingerprint(study) == before


def test_a_run_that_ends_after_its_last_reply_is_noticed(owner):
    study = make_factuality(owner)
    make_explained(study, "a", [SOFT], [SOFT])
    Run.objects.update(state=Run.State.ACTIVE)
    before = fingerprint(study)
    Run.objects.update(state=Run.State.CANCELLED)
    assert fingerprint(study) != before


def bare(study):
    """Nothing is known of the recipient and the content of any item."""
    Item.objects.filter(study=study).update(recipient=None, content=None)


def judged(study, supported=lambda item: True):
    """Statement items are made, and a judge finds some of them supported."""
    make(study)
    judge, asked = factories.make_judge(study, "LLM"), study.questions.get(key="supported")
    values = {(item, asked): int(supported(item)) for item in current(study)}
    factories.make_judgments(judge, values)


def mean_of(report, metric, evaluator="LLM"):
    return row_of(
        report, part="consistency", metric=metric, system="all", domain="all", evaluator=evaluator
    )


def test_statements_of_an_explanation_are_drawn_together_whatever_is_known_of_it(owner):
    """Two explanations, one supported and one not: half of the draws have only one of them."""
    study = make_factuality(owner)
    many = [(f"part {n} is soft", "build", "positive") for n in range(12)]
    for key in ("a", "b"):
        make_explained(study, key, many, [SOFT])
    bare(study)
    judged(study, lambda item: item.data["explanation"] == "a")
    report = build(study, "factuality", draws=200)
    row = row_of(report, part="failure", metric="hallucinated", by="topic", name="build")
    assert (row["value"], row["low"], row["high"]) == (0.5, 0, 1)


def test_matrices_of_earlier_statements_are_left_out(owner):
    study = make_factuality(owner)
    item = make_explained(study, "a", [SOFT, LOUD], [SOFT])
    make(study)
    judge = factories.make_judge(study, "nli", kind=Judge.Kind.NLI)
    both = as_bytes([[0.9, 0.05, 0.05], [0.1, 0.1, 0.8]])
    texts = list(current(study).filter(data__direction="precision").order_by("pk"))
    kept = Entailment.objects.create(
        run=Run.objects.create(judge=judge, state=Run.State.FINISHED),
        item=item,
        n_generated=2,
        n_reference=1,
        forward=both,
        backward=both,
        generated=[one.text for one in texts],
    )
    report = build(study, "factuality")
    assert mean_of(report, "StEnt-P", "nli")["value"] == pytest.approx(0.5)
    assert not [note for note in report.notes if "of earlier statements" in note]
    Statement.objects.filter(number=2).update(corrected_statement="it is quiet")
    make(study)
    report = build(study, "factuality")
    assert not [row for row in report.rows if row["evaluator"] == "nli"], "other texts"
    assert "1 matrix of earlier statements left out." in report.notes
    Entailment.objects.filter(pk=kept.pk).update(generated=[])
    Statement.objects.filter(number=2).update(is_removed=True)
    make(study)
    report = build(study, "factuality")
    assert not [row for row in report.rows if row["evaluator"] == "nli"], "another number of them"
    assert "1 matrix of earlier statements left out." in report.notes


def test_texts_count_with_and_without_items_and_practice_does_not(owner):
    """x: 1; y: one side empty, 0; z: both; other texts say nothing of statements."""
    study = make_factuality(owner)
    make_explained(study, "x", [SOFT], [SOFT], kind="text")
    make_explained(study, "y", [SOFT], [], kind="text")
    make_explained(study, "z", [], [], kind="text")
    factories.make_item(study, "other", kind="text")
    factories.make_item(study, "practised", is_practice=True, kind="explanation")
    judged(study)
    row = mean_of(build(study, "factuality"), "St2Exp-P")
    found = [row[name] for name in ("value", "n", "skipped", "zero", "missing")]
    assert found == [0.5, 2, 1, 1, 0]
    assert mean_of(build(study, "factuality"), "USR", "texts")["n"] == 3


def test_a_number_for_missing_references_is_no_verdict_of_people(owner):
    study = factual.make_study(owner)
    asked, session = study.questions.get(key="supported"), factories.make_session(study)
    for item in study.items.filter(kind="statement", data__explanation="a"):
        factories.make_rating(session, item, asked, 1)
    rows = []
    for missing in ("drop", "0", "3"):
        report = build(study, "factuality", missing_reference=missing)
        row = next(row for row in report.rows if row["metric"] == "St2Exp-P")
        rows.append([row[name] for name in ("evaluator", "value", "n", "missing")])
        said = [note for note in report.notes if "none is filled in" in note]
        assert len(said) == (missing != "drop")
    assert rows[0] == rows[1] == rows[2]


def test_explanations_of_nothing_known_are_no_pair(owner):
    study = make_factuality(owner)
    for number in range(4):
        system = "good" if number % 2 else "bad"
        make_explained(study, f"e{number}", [SOFT], [SOFT], system=system)
    bare(study)
    judged(study, lambda item: item.system.key == "good")
    report = build(study, "factuality")
    row = row_of(report, part="difference", metric="St2Exp-P", system="bad", other="good")
    assert isnan(row["value"])
    assert any(NO_PAIRS[1:] in note for note in report.notes)
