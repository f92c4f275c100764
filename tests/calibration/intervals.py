"""Count how often the intervals of the reports beside Verdict hold the truth.

The truth is known by construction: of the points by integrals over quality, of all else it is
what the numbers are drawn from.
"""

from dataclasses import dataclass
from functools import cache, partial
from math import sqrt

import numpy as np
from scipy.special import ndtr

from analysis.stats.agreement.krippendorff_alpha import krippendorff_alpha
from analysis.stats.agreement.variance_components import (
    generalisability,
    shares,
    variance_components,
)
from analysis.stats.classification.classification import at_least, auc
from analysis.stats.correlation.correlation import dataset_correlation
from analysis.stats.intervals.bootstrap import draw_counts
from analysis.stats.intervals.clustered_mean import clustered_mean
from analysis.stats.intervals.clustered_median import clustered_median
from analysis.stats.intervals.jackknife import jackknife
from analysis.stats.intervals.wilson_interval import wilson_interval
from analysis.stats.regression.clustered_slope import clustered_slope
from analysis.stats.replacement.prediction_powered import prediction_powered_mean
from analysis.stats.validation.people import gather_people
from analysis.stats.validation.systems import compare_systems
from tests.analysis.stats.validation.simulated import FIVE
from tests.calibration.crowds import CUTS, NODES, WEIGHTS
from tests.calibration.experiments import Experiment
from tests.calibration.tables import Line, Table
from tests.calibration.targets import between

NAME = "intervals"
TITLE = "Intervals of other reports"
STUDIES, FEW, DRAWS = 1000, 6, 599
CLUSTERS = (10, 20, 30, 100)
PROMISED = 30  # clusters, from which on 95 % are asked for
SIZE, RATERS, BEYOND = 4, 3, 3  # items of a cluster, ratings of an item, clusters without a label
RELIABILITY, Q, SHARE = 0.5, 0.8, 0.4  # SHARE: of clusters in quality
BY_SYSTEM = np.array([-0.6, -0.2, 0.2, 0.6])  # an item of each system in every cluster
POSITIVE = 3.5
PARTS = {"clusters": 0.3, "items": 0.3, "the rest": 0.4}  # variances
OF_RATERS = 0.3  # SD
SYSTEMS, OF_SYSTEMS = 12, 0.3  # SD of the judge's level over systems
SECONDS = 30.0
BY_JACKKNIFE = (
    *("variance of clusters", "variance of items", "variance of the rest"),
    *("share of items in the variance", "mean of three raters, relative"),
)
OF_SPREAD = "SD of the level over systems"
METHODS = {
    **dict.fromkeys(("Pearson", "Spearman", "AUC", "ordinal alpha"), "bootstrap"),
    **dict.fromkeys(("mean", "share", "median of seconds"), "bootstrap"),
    "slope": "robust error, t",
    **dict.fromkeys(BY_JACKKNIFE, "jackknife"),
    "prediction-powered mean": "t",
    "prediction-powered mean of a system": "t",
    "prediction-powered difference": "t",
    **dict.fromkeys(("recall", "precision"), "Wilson"),
    OF_SPREAD: "chi-squared",
}


@dataclass(frozen=True)
class Points:
    """Answers on five points. ratings: (n, raters); judge, system, cluster: (n,)."""

    ratings: np.ndarray
    judge: np.ndarray
    system: np.ndarray
    cluster: np.ndarray


def draw_points(rng, n_clusters):
    """Draw clusters of one item a system; items of a cluster share quality, and seconds."""
    n = n_clusters * SIZE
    cluster, system = np.repeat(np.arange(n_clusters), SIZE), np.tile(np.arange(SIZE), n_clusters)
    common = rng.normal(size=n_clusters)[cluster]
    own = rng.normal(size=n)
    quality = BY_SYSTEM[system] + sqrt(SHARE) * common + sqrt(1 - SHARE) * own
    people = _answer(rng, quality[:, None], sqrt(RELIABILITY), (n, RATERS))
    return Points(people, _answer(rng, quality, Q, n), system, cluster)


def _answer(rng, quality, slope, shape):
    latent = slope * quality + sqrt(1 - slope**2) * rng.normal(size=shape)
    return 1.0 + (latent[..., None] > CUTS).sum(axis=-1)


@dataclass(frozen=True)
class Truth:
    """What the points estimate, from their joint distribution."""

    table: np.ndarray  # of judge (5) and sum of three ratings (13), per system (4, 5, 13)
    pairs: np.ndarray  # of two ratings of an item (5, 5)
    majority: np.ndarray  # of judge positive or not (2) and number of positive ratings (4)


@cache
def know_points():
    """Integrate over quality: of an item of each system, the answers are independent given it."""
    quality = BY_SYSTEM[:, None] + NODES  # systems, nodes
    rating, judge = _chances(quality, sqrt(RELIABILITY)), _chances(quality, Q)
    total = rating
    for _ in range(RATERS - 1):
        total = _convolve(total, rating)
    positive = rating[..., 3:].sum(axis=-1)
    yes = np.stack([1 - positive, positive], axis=-1)
    number = yes
    for _ in range(RATERS - 1):
        number = _convolve(number, yes)
    marked = np.stack([judge[..., :3].sum(axis=-1), judge[..., 3:].sum(axis=-1)], axis=-1)
    return Truth(
        np.einsum("w,swj,swt->sjt", WEIGHTS, judge, total),
        np.einsum("w,swa,swb->ab", WEIGHTS, rating, rating) / SIZE,
        np.einsum("w,swj,swk->jk", WEIGHTS, marked, number) / SIZE,
    )


def _chances(quality, slope):
    """Return the probability of each of five points, on a last axis."""
    below = ndtr((CUTS - slope * quality[..., None]) / sqrt(1 - slope**2))
    edge = np.zeros((*quality.shape, 1))
    return np.diff(np.concatenate([edge, below, edge + 1], axis=-1), axis=-1)


def _convolve(first, second):
    """Return the distribution of a sum of two independent numbers, on the last axis."""
    sums = np.zeros((*first.shape[:-1], first.shape[-1] + second.shape[-1] - 1))
    for k in range(second.shape[-1]):
        sums[..., k : k + first.shape[-1]] += first * second[..., k : k + 1]
    return sums


@cache
def true_values():
    """Return {name: true value} of what the points and the seconds estimate."""
    known = know_points()
    table = known.table.mean(axis=0)
    judge, people = np.arange(1.0, 6), np.arange(13) / RATERS + 1
    means = (known.table.sum(axis=1) * people).sum(axis=1)
    is_positive = people >= POSITIVE
    covariance = _covariance(table, judge, people)
    majority = known.majority[:, 2:].sum(axis=1)
    return {
        "Pearson": covariance / sqrt(_variance(table, judge) * _variance(table.T, people)),
        "Spearman": _rank_correlation(table),
        "AUC": _auc(table[:, ~is_positive].sum(axis=1), table[:, is_positive].sum(axis=1)),
        "ordinal alpha": _alpha(known.pairs),
        "mean": float(means.mean()),
        "share": float(table[:, is_positive].sum()),
        "median of seconds": SECONDS,
        "slope": covariance / _variance(table.T, people),
        "prediction-powered mean": float(means.mean()),
        "prediction-powered mean of a system": float(means[0]),
        "prediction-powered difference": float(means[-1] - means[0]),
        "recall": float(majority[1] / majority.sum()),
        "precision": float(majority[1] / known.majority[1].sum()),
    }


def _variance(table, values):
    chances = table.sum(axis=1)
    return float(chances @ values**2 - (chances @ values) ** 2)


def _covariance(table, rows, columns):
    return float(rows @ table @ columns - (table.sum(1) @ rows) * (table.sum(0) @ columns))


def _ranks(chances):
    return np.cumsum(chances) - chances / 2


def _rank_correlation(table):
    rows, columns = _ranks(table.sum(axis=1)), _ranks(table.sum(axis=0))
    spreads = _variance(table, rows) * _variance(table.T, columns)
    return _covariance(table, rows, columns) / sqrt(spreads)


def _auc(negative, positive):
    return float(positive @ _ranks(negative) / positive.sum() / negative.sum())


def _alpha(pairs):
    """Return alpha of two ratings of an item: distances between midranks, squared."""
    ranks = _ranks(pairs.sum(axis=1))
    squares = (ranks[:, None] - ranks) ** 2
    by_chance = np.outer(pairs.sum(axis=1), pairs.sum(axis=0))
    return float(1 - (squares * pairs).sum() / (squares * by_chance).sum())


def try_intervals(n_clusters, rng):
    """Ask which intervals of one study hold what they estimate."""
    points = draw_points(rng, n_clusters * (1 + BEYOND))
    study = points.cluster < n_clusters
    ratings, judge, cluster = points.ratings[study], points.judge[study], points.cluster[study]
    people = ratings.mean(axis=1)
    drawn = {"clusters": cluster, "counts": draw_counts(n_clusters, DRAWS, rng)}
    positive = at_least(people, POSITIVE)
    slowness = rng.normal(size=n_clusters)[cluster] + rng.normal(size=len(cluster))
    seconds = SECONDS * np.exp(0.5 * slowness)
    intervals = {
        "Pearson": dataset_correlation(judge, people, "pearson", **drawn),
        "Spearman": dataset_correlation(judge, people, "spearman", **drawn),
        "AUC": auc(judge, positive, **drawn),
        "ordinal alpha": krippendorff_alpha(ratings, "ordinal", **drawn),
        "mean": clustered_mean(people, **drawn),
        "share": clustered_mean(positive, is_share=True, **drawn),
        "median of seconds": clustered_median(seconds, **drawn),
        "slope": clustered_slope(people, judge, cluster).slope,
        **_powered(points, n_clusters),
    }
    ends = {name: (own.low, own.high) for name, own in intervals.items()}
    rare, marked = (ratings > POSITIVE).mean(axis=1) > 0.5, judge > POSITIVE
    hits = int((rare & marked).sum())
    ends |= {
        name: wilson_interval(hits, n) if n else (np.nan, np.nan)
        for name, n in (("recall", int(rare.sum())), ("precision", int(marked.sum())))
    }
    truth = true_values()
    held = {
        name: None if np.isnan(low) else bool(low <= truth[name] <= high)
        for name, (low, high) in ends.items()
    }
    return held | _of_components(rng, n_clusters) | {OF_SPREAD: _of_spread(rng, n_clusters)}


def _powered(points, n_clusters):
    """Return the prediction-powered means: units are clusters, the first of them with labels."""
    shape = -1, SIZE
    people, judge = points.ratings.mean(axis=1).reshape(shape), points.judge.reshape(shape)
    columns = {
        "prediction-powered mean": (people.mean(axis=1), judge.mean(axis=1)),
        "prediction-powered mean of a system": (people[:, 0], judge[:, 0]),
        "prediction-powered difference": (people[:, -1] - people[:, 0], judge[:, -1] - judge[:, 0]),
    }
    return {
        name: prediction_powered_mean(labels[:n_clusters], scores[:n_clusters], scores[n_clusters:])
        for name, (labels, scores) in columns.items()
    }


def _of_components(rng, n_clusters):
    """Say which jackknife intervals hold the variances, and what the report makes of them."""
    n = n_clusters * SIZE
    item = np.repeat(np.arange(n), RATERS)
    cluster, rater = item // SIZE, np.tile(np.arange(RATERS), n)
    values = sqrt(PARTS["clusters"]) * rng.normal(size=n_clusters)[cluster]
    values += sqrt(PARTS["items"]) * rng.normal(size=n)[item]
    values += sqrt(PARTS["the rest"]) * rng.normal(size=len(item))
    values += OF_RATERS * rng.normal(size=RATERS)[rater]

    def facts(rows):
        codes = [rater[rows], cluster[rows], item[rows]]
        return _facts(*variance_components(values[rows], codes)[1:])

    off = np.abs(facts(np.ones(len(values), dtype=bool)) - _facts(*PARTS.values()))
    half = jackknife(facts, cluster).half
    return dict(zip(BY_JACKKNIFE, (off <= half).tolist(), strict=True))


def _facts(of_clusters, of_items, of_rest):
    """Return the variances, the share of items among them, and what three raters are worth."""
    parts = np.array([of_clusters, of_items, of_rest])
    unit = max(of_clusters, 0.0) + max(of_items, 0.0)
    worth = generalisability(unit, 0.0, of_rest, RATERS).relative
    return np.array([*parts, shares(parts)[1], worth])


def _of_spread(rng, n_contents):
    """Say whether the interval of the level's SD over systems holds it, with its items' chance."""
    system, content = np.tile(np.arange(SYSTEMS), n_contents), np.arange(n_contents)
    content = np.repeat(content, SYSTEMS)
    n = len(system)
    quality = rng.normal(size=n_contents)[content] + rng.normal(size=n)
    ratings = (quality + rng.normal(size=(RATERS, n))).ravel()
    items, raters = np.tile(np.arange(n), RATERS), np.repeat(np.arange(RATERS), n)
    people = gather_people(ratings, items, raters, n, clusters=content)
    level = OF_SYSTEMS * rng.normal(size=SYSTEMS)[system]
    judge = quality + level + sqrt(1 - 1 / RATERS) * rng.normal(size=n)
    low, high = compare_systems(people, judge, system, FIVE).spread_interval
    return bool(
        low <= sqrt(OF_SYSTEMS**2 + 1 / n_contents) <= high
    )  # judge less people: variance 1


def experiments():
    """Return the studies of every number of clusters."""
    return [Experiment(_name(n), partial(try_intervals, n), STUDIES, FEW) for n in CLUSTERS]


def _name(n_clusters):
    return f"intervals of {n_clusters} clusters"


def tables(tallies):
    """Return the table of all intervals."""
    asked = tuple(between(0.93, 0.97) if n >= PROMISED else None for n in CLUSTERS)
    lines = [
        Line(
            (name, how), tuple(tallies[_name(n), name] for n in CLUSTERS), asked, SAID.get(how, "")
        )
        for name, how in METHODS.items()
    ]
    columns = ("interval", "made by", *map(str, CLUSTERS))
    return [
        Table("Shares of 95 % intervals of other reports that hold the truth", TEXT, columns, lines)
    ]


TEXT = (
    f"The columns are numbers of clusters, of {SIZE} items each: an item of each of {SIZE} "
    f"systems, with a quality of which clusters carry {SHARE:g} within a system. {RATERS} raters "
    f"answer on five points (reliability {RELIABILITY:g}), and so does a judge with q = {Q:g}; the "
    f"reference is the raters' mean, positive from {POSITIVE:g}. Seconds are log-normal and "
    f"clustered. For prediction-powered means {BEYOND} times as many clusters have the judge's "
    "answers alone. Variances are of normal scores with three raters, whose own variance is left "
    f"out: they are not drawn again. The SD of the level is of {SYSTEMS} systems whose contents "
    f"are the clusters. Bootstraps have {DRAWS} draws. All true values are known by construction, "
    "from integrals over quality or as the numbers are drawn; none is estimated. An interval that "
    f"is not printed is not counted. Below {PROMISED} clusters there is no target."
)
SAID = {
    "bootstrap": "The notes of reports warn below 30 clusters only.",
    "jackknife": "A note of the report Variance says so below 50 clusters.",
    "t": "The report Prediction-powered calls its intervals rough below 50 labels.",
}
