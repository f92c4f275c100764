"""Report whether explanations are supported by, and cover, what recipients wrote.

Tables II to VII and the research questions of Kabongo & Guigue (2025), a fact a row.
"""

from dataclasses import replace
from math import isnan, nan

import numpy as np

from analysis.figures import scatter
from analysis.figures.dots import dot_figure
from analysis.figures.layout import Figure, Layout, cell_of, cross_table
from analysis.options.choices import ALL
from analysis.reports.base import group_by
from analysis.reports.closeness.compare import call
from analysis.reports.factuality import counts, failures, relations
from analysis.reports.factuality.items import FROM_FILE, Beside, Explained
from analysis.reports.factuality.measures import MENTION, REVIEW, SAME_MEAN, STATEMENTS, Measures
from analysis.reports.factuality.names import has_evaluator, heading, is_consistency, named
from analysis.reports.kind import Shown
from analysis.reports.shared.evaluators import interval_note, policy_notes
from analysis.reports.shared.facts import Facts
from analysis.reports.shared.measured import MeasuredReport
from analysis.reports.shared.options import DeviationOptions
from analysis.reports.words import notes_beside
from analysis.stats.intervals.clustered_mean import means_of_columns
from analysis.stats.statements.features import (
    feature_coverage_ratio,
    feature_diversity,
    mentioned,
    unique_sentence_ratio,
    words_of,
)
from annotate.templatetags.concord import called, leading_point

COUNTS, CONSISTENCY, REVIEWS = "counts", "consistency", "review"
DIFFERENCE, CORRELATION, FAILURE = "difference", "correlation", "failure"
RANK, RANKS = "rank", "rank_agreement"
PARTS = {
    ALL: "everything",
    COUNTS: "what there is",
    CONSISTENCY: "consistency by system",
    REVIEWS: "the texts and the reviews",
    DIFFERENCE: "differences between systems",
    CORRELATION: "similarity and consistency",
    RANK: "order of the systems",
    FAILURE: "topics made up and left out",
}
COMPARED = (DIFFERENCE, CORRELATION, RANK, RANKS)
TEXTS = (
    *("part", "domain", "system", "other", "evaluator", "metric"),
    *("other_evaluator", "other_metric", "coefficient", "by", "name"),
)
say = notes_beside(__file__, "factuality")
STATED = ("St2Exp-P", "St2Exp-R")  # that sentences say, as about.yaml has them
LOWER_IS_BETTER = ("DIV",)
TABLE_V = "Table V. Consistency by other means: sentences, chunks, questions and answers."
# Which table of the page shows a metric, by how its name begins.
TABLES = {
    "St2Exp": "Table III. Statements that the other text supports, each checked by itself.",
    "StEnt": "Table IV. Entailment between statements.",
    "StCoh": "Table IV. Entailment less contradiction between statements.",
    "SummaC-ZS": TABLE_V,
    "USR": "How varied the texts are, and which features they name.",
}
TABLES |= dict.fromkeys(("FMR", "FCR", "DIV"), TABLES["USR"])
SIMILARITY = "Table VI. Similarity with the reference."
AGAINST_REVIEW = "Table VII. Similarity with the review."
HOW = (
    "Mean ± standard deviation over explanations, 95 % intervals; of a line the best is bold, the "
    "second underlined."
)


class Factuality(MeasuredReport):
    """Rows of one fact each, told apart by `part`."""

    name, title, options = "factuality", "Factual consistency", DeviationOptions
    named_by = TEXTS
    stamp, needs_ratings = Beside, False

    def list_parts(self, questions):
        """Return the tables of which the page shows one, or all."""
        return Shown("measure", "Table", list(PARTS.items()))

    def measure(self, report, scores, parts):
        """Add the rows. parts: some of PARTS; everything where none is named."""
        work = Work(report, scores, parts)
        policy = policy_notes(scores, compared=False)
        if not work.explained.has_statements:
            report.verdict = [say("nothing")]
            return policy
        if work.wants(COUNTS):
            counts.add(work)
        _add_consistency(work)
        for part, add in (
            (DIFFERENCE, relations.add_differences),
            (CORRELATION, relations.add_correlations),
            (RANK, relations.add_ranks),
            (FAILURE, failures.add),
        ):
            if work.wants(part):
                add(work)
        report.verdict = list(_sentences(work))
        return [*policy, *_notes(work), interval_note(scores)]

    def layout(self, report, chosen, looks):
        """Return the page of one table, or of all, with the figures of consistency."""
        by_part = group_by(_worth_showing(report.entries), "part")
        tables = [
            *_tables_of_consistency(by_part[CONSISTENCY]),
            *_tables_by_system({f"{AGAINST_REVIEW} {HOW}": by_part[REVIEWS]}),
            *counts.tables(by_part[COUNTS]),
            relations.table_of_differences(by_part[DIFFERENCE]),
            *relations.tables_of_correlations(by_part[CORRELATION]),
            relations.table_of_ranks(by_part[RANK]),
            relations.table_of_rank_agreement(by_part[RANKS]),
            *failures.tables(by_part[FAILURE]),
        ]
        whole = [entry for entry in by_part[CONSISTENCY] if entry.row["domain"] == ALL]
        return Layout([*_figures(whole, looks)], [table for table in tables if table.lines])


class Work(Facts):
    """What the parts of one report share.

    groups: (domain, system, mask of explanations (E,)), all together first; domains: (domain, mask
    of explanations).
    """

    blank = dict.fromkeys(TEXTS, "")
    blank |= dict.fromkeys(("value", "low", "high", "sd", "p", "p_holm"), nan)
    blank |= dict.fromkeys(("n", "skipped", "zero", "missing"))

    def __init__(self, report, scores, parts=None):
        super().__init__(report)
        self.scores, self.explained = scores, (explained := Explained(scores))
        self.measures = Measures(explained) if explained.has_statements else None
        self.parts = None if not parts or ALL in parts else {*parts}
        masks = [
            {ALL: np.ones(len(explained), dtype=bool)}
            | {name: codes == code for code, name in enumerate(names)}
            for names, codes in (explained.domains, explained.systems)
        ]
        self.groups = [
            (domain, system, in_domain & of_system)
            for domain, in_domain in masks[0].items()
            for system, of_system in masks[1].items()
        ]
        self.domains = [(name, inside) for name, system, inside in self.groups if system == ALL]

    def wants(self, part):
        """Return whether this part was asked for."""
        return self.parts is None or part in self.parts

    def resampling(self, clusters):
        """Return the clusters= and counts= of the bootstrap for these clusters."""
        counts = self.scores.counts
        return {} if counts is None else {"clusters": clusters, "counts": counts}


def _add_consistency(work):
    """Add the mean ± sd of every metric, over explanations, of each domain and system."""
    measures = sorted(work.measures.all, key=lambda measure: measure.family == REVIEW)
    inside = np.stack([mask for *_, mask in work.groups], axis=1)
    for measure in measures:
        part = REVIEWS if measure.family == REVIEW else CONSISTENCY
        if not work.wants(part):
            continue
        values = np.where(inside, measure.values[:, None], np.nan)
        estimates = means_of_columns(values, **work.explained.resampling())
        for (domain, system, mask), estimate, column in zip(
            work.groups, estimates, values.T, strict=True
        ):
            defined = column[~np.isnan(column)]
            n, skipped = int(mask.sum()), int((measure.skipped & mask).sum())
            reason = estimate.reason if estimate.n else _why_none(measure, n, skipped)
            facts = measure.about | {"domain": domain, "system": system, "judge": measure.judge}
            facts |= {"sd": float(defined.std(ddof=1)) if len(defined) > 1 else nan}
            facts |= {"skipped": skipped, "zero": int((measure.zero & mask).sum())}
            facts |= {"missing": n - estimate.n - skipped}
            work.add_estimate(part, replace(estimate, reason=reason), **facts)
    if work.wants(CONSISTENCY):
        _add_of_corpora(work)


def _why_none(measure, explanations, skipped):
    if not explanations:
        return "there is no explanation"
    if skipped == explanations:
        return "every explanation is skipped for an empty side"
    return "no text has a feature" if measure.family == MENTION else "there is no value"


def _add_of_corpora(work):
    """Add USR, FCR and DIV of all texts together, for each domain and system."""
    explained = work.explained
    any_feature = any(map(words_of, explained.features))
    in_domains = dict(work.domains)
    for domain, system, mask in work.groups:
        texts = [explained.texts[place] for place in np.flatnonzero(mask)]
        features = {words_of(own) for own in explained.features[in_domains[domain]]} - {()}
        numbers = {"USR": (unique_sentence_ratio(texts), "there is no text")}
        if any_feature:
            is_mentioned = mentioned(texts, [" ".join(feature) for feature in features])
            ratio = feature_coverage_ratio(is_mentioned, len(features)) if texts else nan
            div = feature_diversity(is_mentioned) if features else nan
            none = None if features else "no explanation of the domain has a feature"
            numbers["FCR"] = ratio, none or "there is no text"
            numbers["DIV"] = div, none or "fewer than two texts"
        for metric, (value, why) in numbers.items():
            facts = {"domain": domain, "system": system, "evaluator": "texts", "n": len(texts)}
            facts |= {"metric": metric, "value": value, "reason": why if isnan(value) else ""}
            work.add(CONSISTENCY, **facts)


def _sentences(work):
    """State St2Exp's precision and recall, by each evaluator of single statements."""
    for measure in work.measures.in_families(STATEMENTS):
        defined = measure.values[~np.isnan(measure.values)]
        if measure.metric in STATED and len(defined):
            share, who = 100 * defined.mean(), call(measure.evaluator)
            yield say(measure.metric, share=share, n=len(defined), who=who)


def _notes(work):
    """Write how many statements there are, how empty sides count, and what is left out."""
    explained, measures, scores = work.explained, work.measures, work.scores
    is_empty, half = explained.sizes == 0, int(explained.is_half_known.sum())
    both = int(is_empty.all(axis=1).sum())
    facts = {
        "n": len(explained),
        "both": both,
        "one_empty": int(is_empty.any(axis=1).sum()) - both,
        "unknown": int((~explained.are_known).sum()) - half,
        "half": half,
        "key": "" if measures.question is None else scores.questions[measures.question].key,
        "withheld": explained.withheld,
        "by_choice": int((explained.all_statements.rows < 0).sum()),
        "earlier": measures.earlier,
        "matrices": "matrix" if measures.earlier == 1 else "matrices",
        "answering": ", ".join(measures.answering),
        "strange": ", ".join(measures.strange),
        "file": FROM_FILE,
    }
    has_features = any(measure.family == MENTION for measure in measures.all)
    cases = {
        "sizes": True,
        "unknown": facts["unknown"],
        "half": half,
        "columns": True,
        "counts": work.wants(COUNTS),
        "answers": measures.question is not None,
        "not_filled": scores.options.missing_reference is not None,
        "withheld": explained.withheld,
        "by_choice": facts["by_choice"],
        "earlier": measures.earlier,
        "answering": measures.answering,
        "strange": measures.strange,
        "spearman": work.wants(CORRELATION) and scores.counts is not None,
        "from_file": any(name == FROM_FILE for name, _ in explained.beside.matrices),
        "mentions": has_features,
        "no_features": not has_features and work.wants(CONSISTENCY),
    }
    return [say(case, **facts) for case, is_so in cases.items() if is_so]


def _worth_showing(entries):
    """Drop entries that say nothing.

    Of the only domain those that equal everything; of several domains the undefined comparisons of
    systems and metrics within them.
    """
    whole = [entry for entry in entries if entry.row["domain"] == ALL]
    own = [entry for entry in entries if entry.row["domain"] != ALL]
    n_of_whole, n_of_own = (sum(entry.row["n"] or 0 for entry in some) for some in (whole, own))
    if len({entry.row["domain"] for entry in own}) == 1 and n_of_own == n_of_whole:
        return whole
    return [
        entry
        for entry in entries
        if (row := entry.row)["part"] not in COMPARED
        or row["domain"] == ALL
        or not isnan(row["value"])
    ]


def _figures(entries, looks):
    """Yield precision against recall of each system, and F1 with its intervals."""
    values = {
        (e.row["evaluator"], e.row["system"], e.row["metric"]): e.row["value"] for e in entries
    }
    points: dict = {}
    for (evaluator, system, metric), precision in values.items():
        if metric == "St2Exp-P" and system != ALL:
            recall = values[evaluator, system, "St2Exp-R"]
            if not isnan(precision) and not isnan(recall):
                points.setdefault(evaluator, []).append((system, recall, precision))
    if points:
        words = "Precision against recall of each system: statements supported by the other text."
        plot = scatter.precision_and_recall(points, looks)
        yield Figure("precision-recall", words, plot)
    f1 = [
        replace(entry, row=entry.row | {"system": heading(entry.row["system"])})
        for entry in entries
        if entry.row["metric"] == "St2Exp-F1"
    ]
    words = "St2Exp-F1 of each system, by who checked the statements. Lines: 95 % intervals."
    yield from dot_figure("f1", words, f1, "system", "evaluator", looks, "St2Exp-F1")


def _tables_of_consistency(entries):
    """Yield a table per family of metrics."""
    groups: dict = {title: [] for title in (*TABLES.values(), SIMILARITY)}
    for entry in entries:
        groups[_title(entry.row)].append(entry)
    return _tables_by_system({f"{title} {HOW}": own for title, own in groups.items()})


def _title(row):
    metric = row["metric"]
    if is_consistency(metric):
        return TABLE_V
    if metric == row["evaluator"]:
        return SIMILARITY
    return TABLES.get(metric) or TABLES.get(metric.split("-")[0], SIMILARITY)


def _tables_by_system(groups):
    """Yield a table for each caption: lines of domain and metric by system."""
    for caption, entries in groups.items():
        systems, domains = (
            list(dict.fromkeys(entry.row[name] for entry in entries))
            for name in ("system", "domain")
        )
        cells, whose = {}, {e.row["evaluator"] for e in entries if has_evaluator(e.row)}
        by = f" By {called(*whose)}." if len(whose) == 1 else ""
        for entry in sorted(entries, key=lambda entry: domains.index(entry.row["domain"])):
            row = entry.row
            size = "" if isnan(row["sd"]) else f"± {leading_point(row['sd'])}, "
            size += f"n = {row['n']:,}"
            for name in ("skipped", "zero", "missing"):
                size += f", {row[name]:,} {name}" if row[name] else ""
            words = "all domains" if row["domain"] == ALL else row["domain"]
            name = row["metric"] if len(whose) == 1 else named(row)
            line = name if len(domains) == 1 else f"{words}: {name}"
            cells[line, row["system"]] = cell_of(entry, size)
        table = cross_table(caption + by, "Metric", cells, systems)
        table.headings = [heading(system) for system in systems]
        table.lines = [
            (line, marked(own, systems, line.split(": ")[-1] in LOWER_IS_BETTER))
            for line, own in table.lines
        ]
        yield table


def marked(cells, systems, lower=False):
    """Mark the best and the second system of a line; the mean over all systems is not ranked."""
    sign = -1 if lower else 1
    distinct = {
        round(sign * cell.value, SAME_MEAN)
        for cell, system in zip(cells, systems, strict=True)
        if cell and system != ALL and not isnan(cell.value)
    }
    if len(distinct) < 2:  # nothing to choose between
        return cells
    marks = dict(zip(sorted(distinct, reverse=True)[:2], ("best", "second"), strict=False))
    return [
        replace(cell, rank=marks.get(round(sign * cell.value, SAME_MEAN), ""))
        if cell and system != ALL
        else cell
        for cell, system in zip(cells, systems, strict=True)
    ]


FACTUALITY = Factuality()
KIND = FACTUALITY.kind()
