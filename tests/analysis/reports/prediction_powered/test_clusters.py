"""Errors by system: items of a recipient (else a content) depend on each other, in each system."""

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from analysis.answers import frame
from analysis.reports.prediction_powered.report import MEANS_OF_PEOPLE
from tests import factories
from tests.analysis.small import add_judge, options_of, row_of

pytestmark = pytest.mark.django_db
CLUSTERS, LABELLED = 60, 25
SYSTEMS = {"A": 3.0, "B": 3.5}
SPREAD, SPREAD_IN_SYSTEM, NOISE = 0.5, 1.0, 0.4  # SDs of clusters, of these by system, of items
STUDIES = 200


def make_study(by):
    """Items of 60 recipients (or contents) in two systems, 2 to 4 in each; people rated 25."""
    study = factories.make_study(questions={})
    question = factories.make_question(study, "q")
    session = factories.make_session(study, "ann")
    rows = {}
    for number in range(CLUSTERS):
        for system in SYSTEMS:
            for place in range(2 + number % 3):
                key, cluster = f"{number}-{system}-{place}", rows.get(number, f"c{number}")
                which = {"recipient": None, "content": None, by: cluster}
                item = factories.make_item(study, key, system=rows.get(system, system), **which)
                rows |= {number: getattr(item, by), system: item.system}
                if number < LABELLED:
                    factories.make_rating(session, item, question, 3.0)
    add_judge(study, "gpt", lambda item: 3)
    return frame.read_answers(study)


def simulate(answers, rng):
    """The answers with other values: the judge's are the truth with an error of its own."""
    own, inside = (
        defaultdict(lambda: rng.normal(0, SPREAD)),
        defaultdict(lambda: rng.normal(0, SPREAD_IN_SYSTEM)),
    )
    truth = {}
    for item in answers.items["item"]:
        number, system, _ = item.split("-")
        truth[item] = SYSTEMS[system] + own[number] + inside[number, system] + rng.normal(0, NOISE)
    items, sources = answers.table["item"].astype(str), answers.table["source"].astype(str)
    values = [
        truth[item] + (rng.normal(0, 0.7) if source == "judge" else 0)
        for item, source in zip(items, sources, strict=True)
    ]
    return replace(answers, table=answers.table.assign(value=values))


def values_of(answers, source):
    """{item: value} of people or of the judge."""
    table = answers.table[answers.table["source"] == source]
    return dict(zip(table["item"].astype(str), table["value"], strict=True))


def cluster_means(values, system):
    """{cluster: mean value of its items in a system}, by loops."""
    gathered = defaultdict(list)
    for item, value in values.items():
        number, own, _ = item.split("-")
        if own == system:
            gathered[number].append(value)
    return {number: sum(own) / len(own) for number, own in gathered.items()}


def less(first, other):
    return {number: first[number] - other[number] for number in first if number in other}


def powered(labels, scores):
    """Estimate, interval of PPI++ by its definition, of {cluster: label} and {cluster: score}."""
    y = np.array([labels[number] for number in labels])
    f = np.array([scores[number] for number in labels])
    more = np.array([score for number, score in scores.items() if number not in labels])
    n, rest = len(y), len(more)
    covariance = sum((y - y.mean()) * (f - f.mean())) / n
    pooled = np.var([*f, *more], ddof=1)
    weight = min(1, max(0, covariance / ((1 + n / rest) * pooled)))
    value = weight * more.mean() + (y - weight * f).mean()
    square = weight**2 * np.var(more, ddof=1) / rest + np.var(y - weight * f, ddof=1) / n
    half = stats.t.ppf(0.975, n - 1) * square**0.5
    return value, value - half, value + half


@pytest.mark.parametrize("by", ["recipient", "content"])
def test_means_by_system_and_their_difference_are_of_clusters(by):
    answers = simulate(make_study(by), np.random.default_rng(4))
    report = MEANS_OF_PEOPLE.build(answers, options_of(answers, "prediction_powered"))
    labels, scores = (
        {system: cluster_means(values_of(answers, source), system) for system in SYSTEMS}
        for source in ("human", "judge")
    )
    for system in SYSTEMS:
        row = row_of(report, evaluator="gpt", system=system)
        expected = powered(labels[system], scores[system])
        assert (row["estimate"], row["low"], row["high"]) == pytest.approx(expected)
        assert (row["n"], row["n_unlabelled"]) == (LABELLED, CLUSTERS - LABELLED)
    row = row_of(report, evaluator="gpt", system="A − B")
    expected = powered(less(labels["A"], labels["B"]), less(scores["A"], scores["B"]))
    assert (row["estimate"], row["low"], row["high"]) == pytest.approx(expected)
    assert (row["n"], row["n_unlabelled"]) == (LABELLED, CLUSTERS - LABELLED)


def test_a_cluster_labelled_in_one_system_is_a_label_of_that_system_alone():
    answers = simulate(make_study("recipient"), np.random.default_rng(5))
    items, sources = answers.table["item"].astype(str), answers.table["source"].astype(str)
    gone = items.str.startswith("0-B") & (sources == "human")
    answers = replace(answers, table=answers.table[~gone.to_numpy()])
    report = MEANS_OF_PEOPLE.build(answers, options_of(answers, "prediction_powered"))
    n = {
        row["system"]: (row["n"], row["n_unlabelled"])
        for row in report.rows
        if row["evaluator"] == "gpt"
    }
    assert (n["A"], n["B"], n["A − B"]) == ((25, 35), (24, 36), (24, 36))


def by_items(answers, systems):
    """The interval of people alone that would take all items as independent."""
    labels = values_of(answers, "human")
    own = [[v for item, v in labels.items() if item.split("-")[1] == name] for name in systems]
    value = np.mean(own[0]) - (np.mean(own[1]) if len(own) > 1 else 0)
    half = 1.96 * sum(np.var(values, ddof=1) / len(values) for values in own) ** 0.5
    return value - half, value + half


def test_intervals_by_system_cover_the_truth_where_items_are_clustered():
    """Of 95 % intervals; if items counted as independent, a quarter or more would miss."""
    study, rng = make_study("recipient"), np.random.default_rng(6)
    truth = SYSTEMS | {"A − B": SYSTEMS["A"] - SYSTEMS["B"]}
    covered = defaultdict(list)
    for _ in range(STUDIES):
        answers = simulate(study, rng)
        report = MEANS_OF_PEOPLE.build(answers, options_of(answers, "prediction_powered"))
        for row in report.rows:
            if row["system"] != "all":
                is_covered = row["low"] <= truth[row["system"]] <= row["high"]
                covered[row["evaluator"], row["system"]].append(is_covered)
        for name, systems in (("A", "A"), ("A − B", "AB")):
            low, high = by_items(answers, systems)
            covered["items", name].append(low <= truth[name] <= high)
    shares = {key: np.mean(own) for key, own in covered.items()}
    # Three Monte Carlo errors of .95 with 200 studies are .046.
    wanted = [(who, name) for who in ("humans", "gpt") for name in truth]
    assert {key: shares[key] for key in wanted} == {
        key: pytest.approx(0.95, abs=0.046) for key in wanted
    }
    assert shares["items", "A"] < 0.85 and shares["items", "A − B"] < 0.85, shares
