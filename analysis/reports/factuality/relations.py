"""Compare systems and metrics: paired differences, RQ2's correlations, RQ3's order of systems."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
from scipy.stats import rankdata

from analysis.figures.layout import Table, cell_of, cross_table
from analysis.options.choices import ALL
from analysis.reports.factuality.measures import FACTUAL, REVIEW, SAME_MEAN, SIMILARITY
from analysis.reports.factuality.names import by_domain, named, within
from analysis.reports.words import chance
from analysis.stats.comparison.differences import holm, two_sided
from analysis.stats.correlation.coefficients import COEFFICIENTS
from analysis.stats.correlation.correlation import dataset_correlation
from analysis.stats.correlation.rank_agreement import rank_agreement
from analysis.stats.estimate import Estimate
from analysis.stats.intervals.clustered_mean import means_of_columns

LABELS = {key: COEFFICIENTS[key].label for key in ("pearson", "spearman")}
MOST_LINES = 120
NO_PAIRS = "no recipient and content has a value of both systems"
SAME_VALUE = "a metric has the same value for all explanations"


def add_differences(work):
    """Add each metric's differences between systems on the pairs that both explain, by domain.

    A pair (recipient, content) has one recipient, and so one cluster.
    """
    explained, (names, codes) = work.explained, work.explained.systems
    both = list(combinations(range(len(names)), 2))
    if not both:
        return
    present, first, pairs = np.unique(explained.pairs, return_index=True, return_inverse=True)
    how = work.resampling(explained.clusters[first])
    for measure in work.measures.all:
        columns = []
        for _, inside in work.domains:
            has_value = explained.is_paired & inside & ~np.isnan(measure.values) & (codes >= 0)
            shape = len(present), len(names)
            flat, size = (pairs * shape[1] + codes)[has_value], shape[0] * shape[1]
            n = np.bincount(flat, minlength=size)
            sums = np.bincount(flat, measure.values[has_value], minlength=size)
            means = np.divide(sums, n, out=np.full(size, np.nan), where=n > 0).reshape(shape)
            columns += [means[:, a] - means[:, b] for a, b in both]
        differences = iter(means_of_columns(np.stack(columns, axis=1), **how))
        for domain, _ in work.domains:
            own = [next(differences) for _ in both]
            chances = [_chance(difference) for difference in own]
            tested = zip(both, own, chances, holm(chances).tolist(), strict=True)
            for (a, b), difference, p, p_holm in tested:
                estimate = difference if difference.n else Estimate(np.nan, reason=NO_PAIRS)
                facts = {"domain": domain, "system": names[a], "other": names[b]}
                facts |= measure.about | {"judge": measure.judge, "p": p, "p_holm": p_holm}
                work.add_estimate("difference", estimate, **facts)


def _chance(estimate):
    draws = np.array([]) if estimate.draws is None else estimate.draws[~np.isnan(estimate.draws)]
    return two_sided(draws) if len(draws) else float("nan")


def add_correlations(work):
    """Add r of each metric of similarity with each of factual consistency, over explanations."""
    similar_ones = work.measures.in_families(SIMILARITY, REVIEW)
    factual_ones = work.measures.in_families(*FACTUAL)
    for similar, factual in product(similar_ones, factual_ones):
        for (domain, inside), coefficient in product(work.domains, LABELS):
            has_both = inside & ~np.isnan(similar.values) & ~np.isnan(factual.values)
            estimate = _correlated(work, similar, factual, np.flatnonzero(has_both), coefficient)
            facts = {"domain": domain, "system": ALL, "coefficient": coefficient}
            facts |= similar.about | factual.about_other | {"judge": similar.judge}
            work.add_estimate("correlation", estimate, **facts)


def _correlated(work, similar, factual, places, coefficient):
    """Correlate two metrics; Spearman's ρ is Pearson's r of ranks.

    Its draws keep the ranks of all explanations, for speed; of a domain its clusters are drawn.
    """
    x, y, how = similar.values[places], factual.values[places], {}
    if coefficient == "spearman" and len(places):
        x, y = rankdata(x), rankdata(np.round(y, SAME_MEAN))
    if work.scores.counts is not None:
        present, own = np.unique(work.explained.clusters[places], return_inverse=True)
        how = {"clusters": own, "counts": work.scores.counts[:, present]}
    estimate = dataset_correlation(x, y, "pearson", **how)
    is_same = len(places) > 1 and np.isnan(estimate.value)
    # Neither is judge or reference.
    return replace(estimate, reason=SAME_VALUE) if is_same else estimate


def add_ranks(work):
    """Add the place of each system by each metric, and how alike the metrics place them."""
    names, codes = work.explained.systems
    if not names[1:]:
        return
    measures, resampling = work.measures.all, work.explained.resampling()
    for domain, inside in work.domains:
        own = inside[:, None] & (codes[:, None] == np.arange(len(names)))
        estimates = [
            means_of_columns(np.where(own, measure.values[:, None], np.nan), **resampling)
            for measure in measures
        ]
        means = [[estimate.value for estimate in row] for row in estimates]
        means = np.round(np.array(means).reshape(-1, len(names)), SAME_MEAN)
        for measure, row, values in zip(measures, estimates, means, strict=True):
            for name, estimate, value in zip(names, row, values, strict=True):
                facts = {"value": np.nan, "reason": estimate.reason}
                if not np.isnan(value):
                    facts = {"value": 1.0 + float((values > value).sum())}
                facts |= {"domain": domain, "system": name, "n": estimate.n}
                work.add("rank", judge=measure.judge, **measure.about, **facts)
        for (i, j), estimate in rank_agreement(means, _draws(estimates)).items():
            about = measures[i].about | measures[j].about_other
            facts = {"domain": domain, "coefficient": "kendall"}
            work.add_estimate("rank_agreement", estimate, **about, **facts)


def _draws(estimates):
    """Return the means in each draw (metrics, draws, systems); None without intervals.

    NaN where a system has no mean in a draw.
    """
    drawn = [own.draws for row in estimates for own in row if own.draws is not None]
    if not drawn:
        return None
    # A mean without an interval is of one cluster, in which it is the same in every draw.
    means = [
        [np.full(len(drawn[0]), own.value) if own.draws is None else own.draws for own in row]
        for row in estimates
    ]
    return np.round(means, SAME_MEAN).transpose(0, 2, 1)


def table_of_differences(entries):
    """Tabulate every metric's differences between pairs of systems."""
    lines = []
    for entry in by_domain(entries)[:MOST_LINES]:  # what is cut is of domains
        row = entry.row
        name = f"{within(row)}{named(row)}: {row['system']} less {row['other']}"
        numbers = [cell_of(entry), chance(row["p"]), chance(row["p_holm"]), f"{row['n']:,}"]
        lines.append((name, numbers))
    more = len(entries) - len(lines)
    caption = (
        "Differences between systems, on the recipients and contents that both explain. Holm: "
        "over the pairs of systems of a metric (in a domain)."
        + (f" {more:,} more are in the file." if more else "")
    )
    headings = ["Difference", "p", "Holm p", "Pairs"]
    return Table(caption, headings, lines, [], "Metric and systems")


def tables_of_correlations(entries):
    for coefficient, words in LABELS.items():
        caption = (
            f"Does similarity say anything of consistency? {words} over explanations. Metrics of "
            "similarity are the lines, those of consistency the columns."
        )
        yield _crossed([e for e in entries if e.row["coefficient"] == coefficient], caption)


def table_of_ranks(entries):
    places = {
        (f"{within(row)}{named(row)}", row["system"]): (
            "–" if np.isnan(row["value"]) else f"{row['value']:.0f}"
        )
        for row in (entry.row for entry in by_domain(entries))
    }
    systems = list(dict.fromkeys(entry.row["system"] for entry in entries))
    caption = "The place of each system by each metric; systems with the same mean share it."
    return cross_table(caption, "Metric", places, systems, blank="–")


def table_of_rank_agreement(entries):
    caption = "Do metrics order the systems alike? Kendall's τ-b of the systems' means."
    return _crossed(entries, caption)


def _crossed(entries, caption):
    """Tabulate metrics by other metrics: all domains together first, then each domain."""
    if any(entry.row["n"] == 2 for entry in entries):
        caption += " Of two values (n = 2) it can be nothing but 1, −1 or undefined."
    cells = {
        (f"{within(e.row)}{named(e.row)}", named(e.row, "other_")): cell_of(
            e, f"n = {e.row['n']:,}"
        )
        for e in by_domain(entries)
    }
    return cross_table(caption, "Metric", cells)
