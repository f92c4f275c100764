"""Factual consistency of a study whose numbers are worked out here, by hand or with scipy.

    item  system domain  generated (by the LLM)    reference           P    R    F1
    a     good   toys    build 1, price 0          build 1             1/2  1    2/3
    b     good   toys    build 1                   build 1, sound 0    1    1/2  2/3
    c     bad    toys    sound 0, price 1          build 0, price 1    1/2  1/2  1/2
    d     bad    sports  price 0                   none                0    0    0
    e     bad    sports  none                      sound 0             0    0    0
    f     bad    sports  none                      none                –    –    –
a and c are of one recipient and content, b and d too.
"""

import json
from io import StringIO
from math import isnan

import numpy as np
import pytest
from django.core.management import call_command
from django.utils import timezone
from scipy import stats

from analysis.answers import frame
from analysis.figures.layout import Cell
from analysis.reports.factuality.report import marked
from analysis.reports.registry import REPORTS
from analysis.stats.intervals.bootstrap import draw_counts
from annotate.design import splits
from annotate.models import Item
from judges.models import Entailment, Extraction, Judge, Run, Side, Statement
from judges.models.entailment import as_bytes
from tests import factories, factual
from tests.analysis.small import build, options_of, row_of

pytestmark = pytest.mark.django_db
PAGE = "/studies/facts/analysis/factuality/"
VERDICTS = {
    "a-p1": 1,
    "a-p2": 0,
    "a-r1": 1,
    "b-p1": 1,
    "b-r1": 1,
    "b-r2": 0,
    "c-p1": 0,
    "c-p2": 1,
    "c-r1": 0,
    "c-r2": 1,
    "d-p1": 0,
    "e-r1": 0,
}
P = {"a": 0.5, "b": 1, "c": 0.5, "d": 0, "e": 0}
R = {"a": 1, "b": 0.5, "c": 0.5, "d": 0, "e": 0}
F1 = {"a": 2 / 3, "b": 2 / 3, "c": 0.5, "d": 0, "e": 0}
BLEU = {"a": 90.0, "b": 50.0, "c": 70.0, "d": 10.0, "e": 20.0, "f": 5.0}
FEATURES = {"a": "cheap", "b": "Quiet", "c": "loud", "e": "blue"}
# E, N, C of a: (premise build) → the two generated; the reverse.
FORWARD = [[0.9, 0.05, 0.05], [0.1, 0.1, 0.8]]
BACKWARD = [[0.4, 0.5, 0.1], [0.6, 0.2, 0.2]]


def judged(study, name, values, question, **fields):
    """A judge with these values of items, by their keys."""
    judge = factories.make_judge(study, name, **fields)
    items = {item.key: item for item in Item.objects.filter(study=study)}
    asked = study.questions.get(key=question)
    factories.make_judgments(judge, {(items[key], asked): v for key, v in values.items()})
    return judge


def nothing_said(item):
    """A run read both sides, and found nothing."""
    extractor = factories.make_judge(item.study, "extractor")
    run = Run.objects.create(judge=extractor, state=Run.State.FINISHED)
    for unit, side in enumerate(Side):
        Extraction.objects.create(run=run, item=item, side=side, unit=unit, kept=0)


@pytest.fixture
def facts(owner):
    study = factual.make_study(owner)
    silent = factories.make_item(
        study, "f", "r3", "content of r3", "bad", text="Bought it.", data={"domain": "sports"}
    )
    nothing_said(silent)
    for key, feature in FEATURES.items():
        study.items.filter(key=key).update(feature=feature)
    judged(study, "LLM", VERDICTS, factual.SUPPORTED)
    judged(study, "BLEU", BLEU, "overall", kind=Judge.Kind.BLEU_1)
    return study


def consistency(report, metric, domain="all", system="all", evaluator="LLM"):
    return row_of(
        report, part="consistency", metric=metric, domain=domain, system=system, evaluator=evaluator
    )


def test_precision_recall_and_f1_of_all_and_of_each_system_and_domain(facts):
    report = build(facts, "factuality")
    for metric, values in {"St2Exp-P": P, "St2Exp-R": R, "St2Exp-F1": F1}.items():
        row = consistency(report, metric)
        assert row["value"] == pytest.approx(np.mean(list(values.values())))
        assert row["sd"] == pytest.approx(np.std(list(values.values()), ddof=1))
        assert [row[name] for name in ("n", "skipped", "zero", "missing")] == [5, 1, 2, 0]
        good = consistency(report, metric, system="good")
        assert good["value"] == pytest.approx((values["a"] + values["b"]) / 2)
        bad = consistency(report, metric, system="bad")
        assert bad["value"] == pytest.approx((values["c"] + values["d"] + values["e"]) / 3)
        assert (bad["n"], bad["skipped"], bad["zero"]) == (3, 1, 2)
        both = consistency(report, metric, "toys", "bad")
        assert (both["value"], both["n"]) == (pytest.approx(values["c"]), 1)
        assert consistency(report, metric, "sports")["value"] == 0
    none = consistency(report, "St2Exp-P", "sports", "good")
    assert isnan(none["value"])
    assert none["n"] == 0
    assert any(note.startswith("Of 6 explanations 1 have no statement") for note in report.notes)
    assert report.verdict[0].startswith("40.0 % of what an explanation says is supported")
    assert report.verdict[0].endswith("checked by LLM.")


def test_intervals_draw_whole_recipients(facts):
    report = build(facts, "factuality", draws=50, seed=4)
    row = consistency(report, "St2Exp-P")
    clusters = [["a", "c"], ["b", "d"], ["e"]]
    # Clusters in the order of the recipients, each drawn as often as the seed says.
    drawn = []
    for draw in draw_counts(3, 50, np.random.default_rng(4)):
        some = [P[k] for times, keys in zip(draw, clusters, strict=True) for k in keys * times]
        drawn.append(np.mean(some))
    assert (row["low"], row["high"]) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])))


def test_people_count_by_the_mean_of_their_answers_and_an_item_without_all_is_missing(facts):
    """a: generated 1 and .5, reference 1, so P = .75; d and e are 0 by rule; b and c are missing"""
    asked = facts.questions.get(key=factual.SUPPORTED)
    said = {
        "ann": {"a-p1": 1, "a-p2": 1, "a-r1": 1},
        "bob": {"a-p1": 1, "a-p2": 0, "a-r1": 1, "b-r1": 1},
    }
    for rater, answers in said.items():
        session = factories.make_session(facts, rater)
        for key, value in answers.items():
            factories.make_rating(session, facts.items.get(key=key), asked, value)
    report = build(facts, "factuality", reference="third_party")
    row = consistency(report, "St2Exp-P", evaluator="mean of third_party")
    assert row["value"] == pytest.approx(0.25)
    assert [row[name] for name in ("n", "skipped", "zero", "missing")] == [3, 1, 2, 2]


def test_answers_beyond_0_and_1_are_left_out_and_named(facts):
    judged(facts, "percent", {"a-p1": 90.0}, factual.SUPPORTED)
    report = build(facts, "factuality")
    assert not [row for row in report.rows if row["evaluator"] == "percent"]
    assert "Left out of St2Exp, with answers beyond 0 to 1: percent." in report.notes


def kept(study, key, run, grain="statement", forward=FORWARD, backward=BACKWARD, sizes=(2, 1)):
    return Entailment.objects.create(
        run=run,
        item=study.items.get(key=key),
        grain=grain,
        n_generated=sizes[0],
        n_reference=sizes[1],
        forward=as_bytes(forward),
        backward=as_bytes(backward),
    )


def test_entailment_of_a_run_and_of_a_file(facts):
    """a: P = (.9 + .1)/2, R = .6; d and e 0 by rule, b and c missing."""
    nli = judged(facts, "NLI", {"a": 0.5}, "overall", kind=Judge.Kind.NLI)
    kept(facts, "a", nli.runs.get())
    kept(facts, "a", None, forward=BACKWARD, backward=FORWARD)
    report = build(facts, "factuality")
    row = consistency(report, "StEnt-P", evaluator="NLI")
    assert row["value"] == pytest.approx(0.5 / 3)
    assert [row[name] for name in ("n", "skipped", "zero", "missing")] == [3, 1, 2, 2]
    assert consistency(report, "StEnt-R", evaluator="NLI")["value"] == pytest.approx(0.2)
    bin_f1 = consistency(report, "StEnt-bin-F1", "toys", evaluator="NLI")
    assert bin_f1["value"] == pytest.approx(2 * 0.5 / 1.5)  # P .5, R 1
    coherent = consistency(report, "StCoh-P", evaluator="NLI")
    assert (coherent["value"], coherent["n"]) == (pytest.approx(0.075), 1)
    assert not [row for row in report.rows if row["metric"] == "StCoh-F1"]
    loaded = consistency(report, "StEnt-P", "toys", evaluator="entailments.csv")
    assert loaded["value"] == pytest.approx(0.5)  # .4 and .6
    assert any(note.startswith("entailments.csv: ") for note in report.notes)


def test_sentences_and_chunks_stand_beside(facts):
    kept(facts, "a", None, "sentence", backward=[])
    kept(facts, "a", None, "chunk", backward=[])
    report = build(facts, "factuality")
    zs = consistency(report, "SummaC-ZS", evaluator="entailments.csv")
    assert (zs["value"], zs["n"], zs["missing"]) == (pytest.approx((0.85 - 0.7) / 2), 1, 5)
    chunks = consistency(report, "AlignScore", evaluator="entailments.csv")
    assert chunks["value"] == pytest.approx(0.5)


def test_a_later_run_of_a_judge_counts_and_a_check_for_drift_does_not(facts):
    nli = judged(facts, "NLI", {"a": 0.5}, "overall", kind=Judge.Kind.NLI)
    first = nli.runs.get()
    kept(facts, "a", first, forward=BACKWARD)
    kept(facts, "a", Run.objects.create(judge=nli, state=Run.State.FINISHED))
    check = Run.objects.create(judge=nli, state=Run.State.FINISHED, checked=first)
    kept(facts, "a", check, forward=BACKWARD, backward=FORWARD)
    row = consistency(build(facts, "factuality"), "StEnt-R", "toys", evaluator="NLI")
    assert row["value"] == pytest.approx(0.6)


def test_texts_and_their_features_by_hand(facts):
    """Six texts, b and c alike. cheap, loud and blue are named, Quiet is not; b and c share one
    feature, of 15 pairs; sports has one feature, which one of three texts names."""
    report = build(facts, "factuality")

    def of(metric, domain="all"):
        return consistency(report, metric, domain, evaluator="texts")["value"]

    assert of("USR") == pytest.approx(5 / 6)
    assert of("FMR") == pytest.approx(3 / 4)
    assert of("FCR") == pytest.approx(3 / 4)
    assert of("DIV") == pytest.approx(1 / 15)
    assert of("FCR", "sports") == 1.0
    assert of("DIV", "sports") == 0


def test_similarity_is_correlated_with_consistency_over_explanations(facts):
    report = build(facts, "factuality")
    keys = sorted(P)
    for metric, values in {"St2Exp-P": P, "St2Exp-F1": F1}.items():
        x, y = [BLEU[key] for key in keys], [values[key] for key in keys]
        expected = {"pearson": stats.pearsonr(x, y)[0], "spearman": stats.spearmanr(x, y)[0]}
        for coefficient, value in expected.items():
            row = row_of(
                report,
                part="correlation",
                metric="BLEU",
                other_metric=metric,
                domain="all",
                coefficient=coefficient,
            )
            assert (row["value"], row["n"]) == (pytest.approx(value), 5)


def test_systems_differ_on_the_pairs_that_both_explain(facts):
    """bad less good: c − a and d − b. P: 0 and −1, mean −.5; f and e have no partner."""
    report = build(facts, "factuality", draws=200, seed=2)
    row = row_of(report, part="difference", metric="St2Exp-P", domain="all")
    assert (row["system"], row["other"]) == ("bad", "good")
    assert (row["value"], row["n"]) == (pytest.approx(-0.5), 2)
    drawn = []
    for one, other, _ in draw_counts(3, 200, np.random.default_rng(2)).astype(int):
        drawn.append(-other / (one + other) if one + other else np.nan)
    known = np.array(drawn)[~np.isnan(drawn)]
    assert (row["low"], row["high"]) == pytest.approx(tuple(np.quantile(known, [0.025, 0.975])))
    tail = min((known <= 0).sum(), (known >= 0).sum())
    assert row["p"] == pytest.approx(min(1, 2 * (tail + 1) / (len(known) + 1)))
    assert row["p_holm"] == pytest.approx(row["p"])  # two systems: one pair


def test_systems_are_ranked_by_each_metric_and_the_orders_compared(facts):
    """BLEU: good 70, bad 26.25; St2Exp-P: good .75, bad 1/6: the same order."""
    report = build(facts, "factuality")
    places = {
        (row["metric"], row["system"]): row["value"]
        for row in report.rows
        if (row["part"], row["domain"]) == ("rank", "all")
    }
    assert (places["BLEU", "good"], places["BLEU", "bad"]) == (1, 2)
    assert (places["St2Exp-P", "good"], places["St2Exp-P", "bad"]) == (1, 2)
    row = row_of(
        report, part="rank_agreement", metric="St2Exp-P", other_metric="BLEU", domain="all"
    )
    assert (row["value"], row["n"], row["coefficient"]) == (1.0, 2, "kendall")


def failures(report, metric, by="topic", system="all", domain="all"):
    return {
        row["name"]: (pytest.approx(row["value"]), row["n"])
        for row in report.rows
        if row["part"] == "failure"
        and row["evaluator"] == "LLM"
        and (row["metric"], row["by"], row["system"]) == (metric, by, system)
        and row["domain"] == domain
    }


def test_which_topics_are_made_up_and_which_left_out(facts):
    report = build(facts, "factuality")
    assert failures(report, "hallucinated") == {
        "build": (0, 2),
        "price": (2 / 3, 3),
        "sound": (1, 1),
    }
    assert failures(report, "forgotten") == {"build": (1 / 3, 3), "price": (0, 1), "sound": (1, 2)}
    assert failures(report, "hallucinated", system="good") == {"build": (0, 2), "price": (1, 1)}
    assert failures(report, "forgotten", "sentiment") == {"positive": (0.5, 6)}


def test_the_review_is_a_second_reference(facts):
    judged(
        facts,
        "BLEU review",
        {"a": 30.0, "c": 10.0},
        "overall",
        kind=Judge.Kind.BLEU_1,
        against="review",
    )
    report = build(facts, "factuality")
    row = row_of(report, part="review", metric="BLEU review", domain="all", system="all")
    assert (row["value"], row["n"]) == (20.0, 2)
    assert not [
        row
        for row in report.rows
        if row["part"] == "consistency" and row["metric"] == "BLEU review"
    ]


def test_outdated_statements_do_not_count(facts):
    item = facts.items.get(key="a-p2")
    facts.items.filter(pk=item.pk).update(data=item.data | {"outdated": "yes"})
    assert consistency(build(facts, "factuality"), "St2Exp-P", "toys", "good")["value"] == 1.0


def test_statements_without_items_yet_are_missing_not_empty(facts):
    run = Run.objects.filter(judge__key="extractor").get()
    for side in Side:
        Statement.objects.create(
            run=run,
            item=facts.items.get(key="f"),
            side=side,
            number=1,
            statement="it came",
            topic="shipping",
            sentiment="neutral",
        )
    report = build(facts, "factuality")
    row = consistency(report, "St2Exp-P")
    assert [row[name] for name in ("n", "skipped", "missing")] == [5, 0, 1]
    assert any(
        note.startswith("Of 1 explanations the statements of a side") for note in report.notes
    )


def test_items_can_be_left_out_with_their_statements(facts):
    report = build(facts, "factuality", only=["domain=toys"])
    assert consistency(report, "St2Exp-P")["n"] == 3
    assert failures(report, "hallucinated")["price"] == (0.5, 2)
    report = build(facts, "factuality", exclude=["system=bad"])
    assert consistency(report, "St2Exp-P")["value"] == pytest.approx(0.75)


def test_a_study_without_statements_says_so(study):
    report = build(study, "factuality")
    assert report.rows == []
    assert report.verdict[0].startswith("Nothing has been said of statements")


def test_the_command_prints_it_as_json(facts):
    out = StringIO()
    call_command("analyse", "facts", "factuality", format="json", draws=20, stdout=out)
    rows = json.loads(out.getvalue())["rows"]
    assert {row["part"] for row in rows} == {
        "counts",
        "consistency",
        "difference",
        "correlation",
        "rank",
        "rank_agreement",
        "failure",
    }


def test_the_part_of_a_locked_split_that_is_not_asked_for_is_not_read(facts):
    """printf 7:r2 | sha256sum begins with c8, that of 7:r1 with 39: at .5 r1 is the test part."""
    kept(facts, "a", None)
    splits.lock(facts, 7, 0.5, "owner")
    report = build_part(facts, "choose")
    rest = {key for key, side in splits.sides_of_items(facts).values() if side == "choose"} & {*P}
    assert "a" not in rest
    assert "c" not in rest
    row = consistency(report, "St2Exp-P")
    assert row["value"] == pytest.approx(np.mean([P[key] for key in rest]))
    assert not [row for row in report.rows if row["evaluator"] == "entailments.csv"]


def build_part(study, part):
    answers = frame.read_answers(study, part=part)
    chosen = options_of(answers, "factuality", **{"draws": 0})
    return REPORTS["factuality"].build(answers, chosen)


# The page


def test_each_part_of_the_page(facts, as_owner):
    for part in ("all", "consistency", "review", "difference", "correlation", "rank", "failure"):
        answer = as_owner.get(PAGE, {"measure": part, "draws": 20})
        assert answer.status_code == 200, part
    text = as_owner.get(PAGE, {"draws": 20}).content.decode()
    for words in (
        "Table III.",
        "Table VI.",
        "St2Exp-P (LLM)",
        "toys: St2Exp-F1 (LLM)",
        "Made up: share",
        "bad less good",
        "± .42, n = 5, 1 skipped, 2 zero",
    ):
        assert words in text, words


def test_the_index_says_how_much_is_supported(facts, as_owner):
    asked = facts.questions.get(key="overall")
    factories.make_rating(factories.make_session(facts), facts.items.get(key="a"), asked, 4)
    text = as_owner.get("/studies/facts/analysis/headlines/").content.decode()
    assert "of what an explanation says is supported, on average over 5 explanations" in text


def test_a_page_takes_few_queries(facts, as_owner, django_assert_max_num_queries):
    kept(facts, "a", None)
    with django_assert_max_num_queries(14):
        as_owner.get(PAGE, {"draws": 20})
    with django_assert_max_num_queries(10):  # kept
        as_owner.get(PAGE, {"draws": 20})


def test_a_side_that_was_read_and_a_correction_change_the_page_at_once(facts, as_owner):
    def row():
        report = as_owner.get(PAGE, {"draws": 0, "measure": "consistency"}).context["report"]
        return consistency(report, "St2Exp-P")

    run = Run.objects.filter(judge__key="extractor").get()
    text = {"statement": "it came", "topic": "shipping", "sentiment": "neutral", "number": 1}
    item = facts.items.get(key="f")
    assert (row()["skipped"], row()["zero"]) == (1, 2)
    said = Statement.objects.create(run=run, item=item, side=Side.GENERATED, **text)
    assert (row()["skipped"], row()["zero"]) == (0, 3)
    now = timezone.now()
    Statement.objects.filter(pk=said.pk).update(is_removed=True, corrected_at=now)
    assert (row()["skipped"], row()["zero"]) == (1, 2)


def test_the_best_of_a_line_is_marked_and_all_systems_together_are_none():
    cells = [Cell({}, 0.9), Cell({}, 0.2), None, Cell({}, 0.4), Cell({}, float("nan"))]
    systems = ["all", "x", "y", "z", "w"]
    ranks = [cell.rank if cell else None for cell in marked(cells, systems)]
    assert ranks == ["", "second", None, "best", ""]
    lower = [cell.rank if cell else None for cell in marked(cells, systems, lower=True)]
    assert lower == ["", "best", None, "second", ""]
    same = [Cell({}, 0.5), Cell({}, 0.5), Cell({}, 0.5)]
    assert [cell.rank for cell in marked(same, ["all", "x", "y"])] == ["", "", ""]
    third = [Cell({}, 0.5), Cell({}, 0.1 + 0.2), Cell({}, 0.3)]
    assert [cell.rank for cell in marked(third, ["all", "x", "y"])] == ["", "", ""]
