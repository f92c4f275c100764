"""The report of ensembles: every subset against scipy, the policies, poor data."""

import re
from itertools import combinations, product
from math import isnan

import numpy as np
import pytest
from scipy import stats

from analysis.answers import frame
from analysis.reports.closeness.ensembles import MOST_MEMBERS, Ensembles
from analysis.reports.shared.options import CorrelationOptions
from analysis.reports.shared.scores import Scores
from analysis.stats.ensembles.subsets import folds_of
from analysis.stats.intervals.bootstrap import draw_counts
from annotate.design import splits
from annotate.models import Rating
from judges.models import Judgment
from tests import factories
from tests.analysis.small import (
    add_judge,
    build,
    load_hanna,
    make_rated_study,
    options_of,
    row_of,
)

pytestmark = pytest.mark.django_db
NAMES = ["close", "random", "third"]


@pytest.fixture
def study():
    study = make_rated_study()
    add_judge(study, "third", lambda item: 1 + item.pk % 5)
    return study


def values(judge, key):
    judged = Judgment.objects.filter(question__key=key, run__judge__key=judge)
    return dict(judged.values_list("item", "value"))


def reference(study, key):
    found: dict = {}
    for item, value in Rating.objects.filter(question__key=key).values_list("item", "value"):
        found.setdefault(item, []).append(value)
    return {item: np.mean(rated) for item, rated in found.items()}


def test_every_subset_equals_scipy(study):
    report = build(study, "ensembles")
    mean = reference(study, "accuracy")
    judged = {name: values(name, "accuracy") for name in NAMES}
    found = [
        row
        for row in report.rows
        if row["kind"] == "subset"
        and row["question"] == "accuracy"
        and (row["coefficient"], row["level"]) == ("pearson", "dataset")
    ]
    assert len(found) == 7
    for size in (1, 2, 3):
        for members in combinations(NAMES, size):
            row = next(row for row in found if row["members"] == " + ".join(members))
            own = [np.mean([judged[name][item] for name in members]) for item in mean]
            assert row["value"] == pytest.approx(stats.pearsonr(own, list(mean.values()))[0])
            assert (row["size"], row["n"]) == (size, 24)


def test_a_size_has_mean_and_ends_of_its_subsets(study):
    report = build(study, "ensembles")
    wanted = {"level": "user", "coefficient": "kendall", "question": "average"}
    pairs = [
        row["value"]
        for row in report.rows
        if (wanted | {"kind": "subset", "size": 2}).items() <= row.items()
    ]
    size = row_of(report, kind="size", size=2, **wanted)
    assert (size["of"], len(pairs)) == (3, 3)
    assert size["value"] == pytest.approx(np.mean(pairs))
    assert (size["min"], size["max"]) == (min(pairs), max(pairs))


def test_the_mean_of_a_size_has_the_interval_of_the_means_of_each_draw(study):
    """Against scipy on the rows of each draw, repeated."""
    row = row_of(
        build(study, "ensembles", draws=60),
        kind="size",
        size=2,
        question="accuracy",
        level="dataset",
        coefficient="pearson",
    )
    assert row["mean"] == row["value"]
    mean = dict(sorted(reference(study, "accuracy").items()))
    judged = [[values(name, "accuracy")[item] for item in mean] for name in NAMES]
    scores = Scores(
        frame.read_answers(study), CorrelationOptions(reference="third_party", draws=60)
    )
    drawn = []
    for counts in scores.counts:
        rows = np.repeat(np.arange(24), counts[scores.clusters])
        people = np.array([*mean.values()])[rows]
        pairs = [np.mean(pair, axis=0)[rows] for pair in combinations(np.array(judged), 2)]
        drawn.append(np.mean([stats.pearsonr(pair, people)[0] for pair in pairs]))
    assert (row["low"], row["high"]) == pytest.approx(np.quantile(drawn, [0.025, 0.975]))


def test_one_judge_alone_agrees_with_the_correlation_report(study):
    correlations, report = build(study, "correlation"), build(study, "ensembles")
    for level in ("dataset", "user", "pair", "system"):
        for coefficient in ("pearson", "spearman", "kendall"):
            same = {"level": level, "coefficient": coefficient, "question": "average"}
            one = row_of(report, kind="subset", members="close", **same)
            other = row_of(correlations, evaluator="close", **same)
            assert one["value"] == pytest.approx(other["value"], nan_ok=True)


@pytest.mark.parametrize("undefined", ["skip", "zero"])
def test_one_judge_alone_has_the_interval_and_the_groups_of_the_correlation_report(
    study, undefined
):
    options = {"draws": 150, "undefined": undefined}
    mean = {
        (r["evaluator"], r["question"], r["level"], r["coefficient"]): r
        for r in build(study, "correlation", **options).rows
    }
    rows = [
        row
        for row in build(study, "ensembles", **options).rows
        if (row["kind"], row["size"]) == ("subset", 1)
    ]
    compared = 0
    for row in rows:
        other = mean[row["members"], row["question"], row["level"], row["coefficient"]]
        if other["n"] != row["n"]:
            continue
        if row["level"] in ("user", "pair"):
            assert (row["groups"], row["skipped"]) == (other["groups"], other["skipped"])
        if row["level"] in ("user", "pair") or (row["level"], row["coefficient"]) == (
            "dataset",
            "pearson",
        ):
            ends = other["low"], other["high"]
            assert (row["low"], row["high"]) == pytest.approx(ends, nan_ok=True), row
            compared += 1
        else:
            assert np.isnan(row["low"])
    assert compared > 10


def test_of_one_recipient_or_equal_ratings_no_subset_has_an_interval(study):
    study.items.update(recipient=study.recipients.first())
    rows = build(study, "ensembles", draws=50).rows
    assert all(np.isnan(row["low"]) for row in rows)
    Rating.objects.update(value=4)
    assert all(np.isnan(row["value"]) for row in build(study, "ensembles", draws=50).rows)


def test_a_missing_member_drops_the_item_or_counts_as_said(study):
    lost = Judgment.objects.filter(run__judge__key="close", question__key="accuracy").first()
    Judgment.objects.filter(pk=lost.pk).update(state="failed", value=None, reason="timed out")
    wanted = {
        "kind": "subset",
        "members": "random",
        "question": "accuracy",
        "level": "dataset",
        "coefficient": "pearson",
    }
    assert row_of(build(study, "ensembles"), **wanted)["n"] == 23
    assert row_of(build(study, "ensembles", missing_judgment="0"), **wanted)["n"] == 24


def test_the_chosen_judges_are_the_set(study):
    report = build(study, "ensembles", judges=["close", "third"])
    members = {row["members"] for row in report.rows if row["kind"] == "subset"}
    assert members == {"close", "third", "close + third"}
    assert "Only these judges were chosen: close, third." in report.notes


def test_of_many_judges_the_best_are_taken_and_it_is_said(study):
    for number in range(MOST_MEMBERS - 2):
        add_judge(study, f"more-{number}", lambda item, k=number: 1 + (item.pk * (k + 2)) % 5)
    close = values("close", study.questions.first().key)
    add_judge(study, "late", lambda item: close[item.pk])
    report = build(study, "ensembles")
    assert max(row["size"] for row in report.rows) == MOST_MEMBERS
    members = {row["members"] for row in report.rows if row["kind"] == "subset"}
    assert {"close", "late"} <= members
    [note] = [note for note in report.notes if "Left out: " in note]
    left_out = note.rpartition("Left out: ")[2].rstrip(".").split(", ")
    assert len(left_out) == 2 and not {"close", "late"} & {*left_out}


def test_what_is_undefined_on_the_test_part_is_worth_nothing(owner):
    study = make_rated_study(owner, recipients=10, contents=1, systems=2)
    splits.lock(study, 7, 0.4, "owner")
    splits.unlock(study, "owner", "final")
    tested = list(frame.read_answers(study, part="test").item_ids)
    Rating.objects.filter(item__in=tested).update(value=3)
    answers = frame.read_answers(study, part="test")
    options = options_of(answers, "ensembles", part="test", undefined="zero", draws=20)
    report = Ensembles().build(answers, options, ["pearson user"])
    best = row_of(report, kind="best", question="average")
    assert np.isnan([best["value"], best["cross_validated"]]).all() and best["of"] == 0
    assert not report.verdict


def test_of_one_judge_no_best_mean_is_named(study):
    (sentence,) = build(study, "ensembles", judges=["close"]).verdict
    assert sentence.startswith("close is the only judge that can be combined")


def test_the_best_is_measured_where_it_was_not_chosen(study):
    report = build(study, "ensembles")
    best = row_of(report, kind="best", level="dataset", coefficient="pearson")
    same = {"kind": "subset", "question": "average", "coefficient": "pearson", "level": "dataset"}
    subsets = [row for row in report.rows if same.items() <= row.items()]
    assert best["value"] == max(row["value"] for row in subsets)
    assert best["of"] == 4  # one fold a recipient
    assert any("looks best" in sentence for sentence in report.verdict)


def test_what_the_best_is_worth_has_the_interval_of_its_folds_draws():
    study = make_rated_study(recipients=10, contents=1, systems=4)
    report = build(study, "ensembles", judges=["close"], draws=40)
    best = row_of(report, kind="best", level="dataset", coefficient="pearson")
    keys = [question.key for question in study.questions.all()]
    said = {key: list(values("close", key).items()) for key in keys}
    clusters = np.arange(40) // 4  # items of one recipient stand together
    folds = folds_of(clusters, 5, np.random.default_rng(1))
    draws = []
    for count in draw_counts(10, 40, np.random.default_rng(1)):
        found = []
        for key, fold in product(keys, range(5)):
            rows = np.repeat(np.arange(40), np.where(folds == fold, count[clusters], 0))
            mean = reference(study, key)
            pairs = [(value, mean[item]) for item, value in sorted(said[key])]
            found.append(stats.pearsonr(*np.array(pairs)[rows].T)[0] if len(rows) else np.nan)
        draws.append(np.mean(found))
    low, high = np.nanpercentile(draws, [2.5, 97.5])
    assert (best["cross_validated_low"], best["cross_validated_high"]) == pytest.approx((low, high))
    assert low < best["cross_validated"] < high
    assert any("draws undefined" in note for note in report.notes), "a fold of two may be empty"


def test_a_judge_of_one_question_leaves_the_others_to_the_rest(study):
    question = factories.make_question(study, "fits", "binary")
    session = study.sessions.first()
    for item in study.items.all():
        factories.make_rating(session, item, question, item.pk % 2)
    fit = factories.make_judge(study, "fit")
    factories.make_judgments(fit, {(item, question): item.pk % 3 % 2 for item in study.items.all()})
    report = build(study, "ensembles")
    accuracy = [row for row in report.rows if row["question"] == "accuracy"]
    assert {row["members"] for row in accuracy if row["size"] == 3} >= {" + ".join(NAMES)}
    assert any(note.endswith("unless chosen above: fit.") for note in report.notes)
    chosen = build(study, "ensembles", judges=["fit"])
    assert {row["question"] for row in chosen.rows} == {"fits", "average"}


def test_one_recipient_has_no_second_fold():
    report = build(make_rated_study(recipients=1, contents=1, systems=1), "ensembles")
    rows = [row for row in report.rows if row["kind"] == "best"]
    assert all(isnan(row["cross_validated"]) for row in rows)


def test_without_judges_nothing_is_invented(study):
    Judgment.objects.all().delete()
    assert build(study, "ensembles").rows == []


@pytest.mark.shared_data
def test_hanna_has_255_subsets_of_eight_judges(shared_data):
    study = load_hanna(shared_data / "hanna")
    answers = frame.read_answers(study)
    report = Ensembles().build(
        answers, CorrelationOptions(reference="third_party"), ["pearson dataset"]
    )
    rows = [row for row in report.rows if row["kind"] == "subset" and row["question"] == "average"]
    assert len(rows) == 255


def test_the_page_says_every_number_in_words(client, owner):
    make_rated_study(owner)
    client.force_login(owner)
    page = client.get("/studies/films/analysis/ensembles/").content.decode()
    assert ">2 subsets; mean: [" in page and ">1 subset; mean: [" in page
    leaders = page[page.index("subsets that look best") :].partition("</table>")[0]
    cells = re.findall(r'<td class="num"[^>]*>(.*?)</td>', leaders)
    found = [re.sub("<[^>]+>", "", cell) for cell in cells]
    number = r"-?\.\d\d \[-?\.\d\d, -?\.\d\d\]"  # with its interval; no groups at this level
    assert len(found) == 9, found
    assert all(re.fullmatch(rf"[12]|{number}|–", one) for one in found), found
