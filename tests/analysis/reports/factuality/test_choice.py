"""The report on factual consistency of a choice of statements, and of one side's statements."""

from math import isnan

import pytest
from scipy.stats import spearmanr

from judges.models import Entailment, Judge, Run
from judges.models.entailment import as_bytes
from judges.scorers.nli_texts import Parts
from judges.statements.items import current, make
from tests import factories, factual
from tests.analysis.small import build, row_of
from tests.stated import make_explained, make_factuality

pytestmark = pytest.mark.django_db
SOFT, LOUD = ("it is soft", "build", "positive"), ("it is loud", "sound", "negative")


def value(report, metric, evaluator="LLM"):
    row = row_of(
        report, part="consistency", metric=metric, system="all", domain="all", evaluator=evaluator
    )
    return row["value"], row["n"], row["zero"], row["missing"]


def judged(study, supported):
    judge, asked = factories.make_judge(study, "LLM"), study.questions.get(key="supported")
    factories.make_judgments(judge, {(item, asked): supported(item) for item in current(study)})


def test_a_choice_of_statements_is_of_st2exp_and_leaves_matrices_whole(owner):
    """Of a's two statements the soft one is supported; b says nothing but that it is loud."""
    study = make_factuality(owner)
    make_explained(study, "a", [SOFT, LOUD], [SOFT])
    make_explained(study, "b", [LOUD], [SOFT])
    make(study)
    judged(study, lambda item: int("soft" in item.text))
    nli = factories.make_judge(study, "nli", kind=Judge.Kind.NLI)
    run = Run.objects.create(judge=nli, state=Run.State.FINISHED)
    for key, n in (("a", 2), ("b", 1)):
        pairs = as_bytes([[0.9, 0.05, 0.05], [0.1, 0.1, 0.8]][:n])
        texts = current(study).filter(data__explanation=key, data__direction="precision")
        Entailment.objects.create(
            run=run,
            item=study.items.get(key=key),
            n_generated=n,
            n_reference=1,
            forward=pairs,
            backward=pairs,
            generated=[one.text for one in texts.order_by("pk")],
        )
    whole, soft = build(study, "factuality"), build(study, "factuality", exclude=["topic=sound"])
    assert value(whole, "St2Exp-P") == (0.25, 2, 0, 0)
    assert value(soft, "St2Exp-P") == (0.5, 2, 1, 0), "b says nothing else: one side empty"
    for metric in ("StEnt-P", "StEnt-R", "StCoh-P"):
        assert value(soft, metric, "nli") == value(whole, metric, "nli")
    assert value(soft, "StEnt-P", "nli") == (pytest.approx(0.7), 2, 0, 0)
    assert not [note for note in soft.notes if "of earlier statements" in note]
    assert any(note.startswith("2 statement items left out by the choice") for note in soft.notes)
    assert not [note for note in whole.notes if "by the choice of items" in note]


def test_statements_of_one_side_alone_have_their_share_and_nothing_more(owner):
    """No item is about what references state: that nobody forgot anything is not known."""
    study = factual.make_study(
        owner,
        {
            "a": ("r1", "good", "toys", "Sturdy.", ["build", "price"], []),
            "b": ("r2", "good", "toys", "Cheap.", ["price"], []),
            "c": ("r3", "bad", "toys", "It is.", [], []),
        },
    )
    judged(study, lambda item: int(item.data["topic"] == "build"))
    report = build(study, "factuality")
    assert value(report, "St2Exp-P") == (0.25, 2, 0, 1)
    for metric in ("St2Exp-R", "St2Exp-F1"):
        found, n, zero, missing = value(report, metric)
        assert isnan(found) and (n, zero, missing) == (0, 0, 3)
    assert any(note.startswith("Of 2 explanations only one side has") for note in report.notes)
    assert any(note.startswith("Of 1 explanations the statements") for note in report.notes)
    parts = Parts(list(study.items.filter(kind="explanation")), "statement")
    assert not parts.by_item and set(parts.reasons.values()) == {
        "no statements of the reference are known",
        "no statements of the generated text are known",
    }


def test_an_empty_side_is_a_finding_where_other_references_state_something(owner):
    study = factual.make_study(owner)
    judged(study, lambda item: 1)
    assert value(build(study, "factuality"), "St2Exp-P") == (0.6, 5, 2, 0)


def test_shares_that_differ_by_rounding_share_a_rank(owner):
    """.1 + .2 + .3 and .3 + .2 + .1, each by three: .2, though their sums differ at the end."""
    study = factual.make_study(
        owner,
        {
            key: (f"r{key}", "good", "toys", "Sturdy.", ["build", "price", "size"], ["build"])
            for key in "abcd"
        },
    )
    shares = {"a": (0.1, 0.2, 0.3), "b": (0.3, 0.2, 0.1), "c": (0, 0, 0.1), "d": (1, 1, 1)}
    of_people = {}
    for item in current(study):
        number = int(item.data["statement"]) - 1
        of_people[item] = shares[item.data["explanation"]][number]
    judged(study, of_people.get)
    like = dict(zip("abcd", (1.0, 2.0, 3.0, 4.0), strict=True))
    similar = factories.make_judge(study, "STS", kind=Judge.Kind.STS)
    asked = study.questions.get(key="overall")
    explained = study.items.filter(kind="explanation")
    factories.make_judgments(similar, {(item, asked): like[item.key] for item in explained})
    row = row_of(
        build(study, "factuality"),
        part="correlation",
        coefficient="spearman",
        domain="all",
        metric="STS",
        other_metric="St2Exp-P",
    )
    assert row["value"] == pytest.approx(spearmanr([1, 2, 3, 4], [2, 2, 1, 3])[0], abs=1e-12)
