"""Report whether explanations are supported by, and cover, what recipients wrote.

Tables II to VII and the research questions of Kabongo & Guigue (2025), a fact a row.
"""

from dataclasses import replace
from math import nan

import numpy as np

from analysis.reports.base import Report, draw_notes, reason_notes
from analysis.reports.factuality import counts, failures, relations
from analysis.reports.factuality.items import FROM_FILE, Explained
from analysis.reports.factuality.measures import MENTION, REVIEW, STATEMENTS, Measures
from analysis.reports.shared.evaluators import interval_note, policy_notes
from analysis.stats.intervals.clustered_mean import means_of_columns
from analysis.stats.statements.features import (
    feature_coverage_ratio,
    feature_diversity,
    mentioned,
    unique_sentence_ratio,
    words_of,
)

ALL = "all"
COUNTS, CONSISTENCY, REVIEWS, DIFFERENCE, CORRELATION, RANK, RANKS, FAILURE = PARTS = (
    "counts",
    "consistency",
    "review",
    "difference",
    "correlation",
    "rank",
    "rank_agreement",
    "failure",
)
TEXTS = (
    "part",
    "domain",
    "system",
    "other",
    "evaluator",
    "metric",
    "other_evaluator",
    "other_metric",
    "coefficient",
    "by",
    "name",
)
NUMBERS = ("value", "low", "high", "sd", "p", "p_holm")
SIZES = ("n", "skipped", "zero", "missing")
NOTHING = (
    "Nothing has been said of statements: no item is a statement of an explanation (kind "
    "statement, with the columns explanation and direction), and no NLI model compared any. "
    "Extract statements by a judge that does, make their items and have them checked by people "
    "or judges; or load them with the items, or entailments.csv."
)
NO_FEATURE = "no explanation of the domain has a feature"
HEADLINES = {
    "St2Exp-P": "of what an explanation says is supported",
    "St2Exp-R": "of what the reference says is in the explanation",
}


def factuality(answers, options, parts=None):
    """Compute all tables as rows of one fact each, told apart by `part`.

    parts: some of PARTS; everything where none is named.
    """
    work = Work(answers, options, parts)
    report = work.report
    if not work.explained.has_statements:
        report.verdict = [NOTHING]
        report.notes = policy_notes(work.scores, compared=False)
        return report
    if work.wants(COUNTS):
        counts.add(work)
    _add_consistency(work)
    if work.wants(DIFFERENCE):
        relations.add_differences(work)
    if work.wants(CORRELATION):
        relations.add_correlations(work)
    if work.wants(RANK):
        relations.add_ranks(work)
    if work.wants(FAILURE):
        failures.add(work)
    report.verdict = list(_verdict(work))
    report.notes = [
        *policy_notes(work.scores, compared=False),
        *_notes(work),
        interval_note(work.scores),
        *draw_notes(report, options.draws),
        *reason_notes(report, [*TEXTS]),
    ]
    return report


class Work:
    """Holds what the parts of one report share.

    groups: (domain, system, mask of explanations (E,)), all together first; domains: (domain, mask
    of explanations).
    """

    def __init__(self, answers, options, parts=None):
        self.report = Report("factuality", answers.study.slug, options.as_dict())
        self.explained = Explained(answers, options)
        self.scores = self.explained.scores
        self.measures = Measures(self.explained) if self.explained.has_statements else None
        self.parts = {*PARTS} if not parts or ALL in parts else {*parts}
        self.groups = list(self._groups())
        self.domains = [(name, inside) for name, system, inside in self.groups if system == ALL]

    def wants(self, part):
        """Return whether this part was asked for."""
        return part in self.parts

    def _groups(self):
        systems, of_system = self.explained.systems
        domains, of_domain = self.explained.domains
        everything = np.ones(len(self.explained), dtype=bool)
        for d, domain in enumerate([ALL, *domains], start=-1):
            in_domain = everything if d < 0 else of_domain == d
            for s, system in enumerate([ALL, *systems], start=-1):
                yield domain, system, in_domain & (everything if s < 0 else of_system == s)

    def add(self, part, *, reason="", judge="", undefined_draws=0, **facts):
        """Add one row; columns that are not given are blank, or NaN."""
        row = {name: "" for name in TEXTS} | {name: nan for name in NUMBERS}
        row |= {name: None for name in SIZES} | {"part": part} | facts
        self.report.add(
            row,
            reason=reason,
            judge=judge,
            kind="judge" if judge else "mean",
            undefined_draws=undefined_draws,
        )

    def add_estimate(self, part, estimate, **facts):
        """Add the row of an Estimate."""
        self.add(
            part,
            value=estimate.value,
            low=estimate.low,
            high=estimate.high,
            reason=estimate.reason,
            undefined_draws=estimate.undefined_draws,
            **{"n": estimate.n} | facts,
        )


def _add_consistency(work):
    """Add the mean ± sd of every metric, over explanations, of each domain and system."""
    for part, wanted in ((CONSISTENCY, work.wants(CONSISTENCY)), (REVIEWS, work.wants(REVIEWS))):
        if wanted:
            for measure in work.measures.all:
                if (measure.family == REVIEW) == (part == REVIEWS):
                    _add_means(work, part, measure)
    if work.wants(CONSISTENCY):
        _add_of_corpora(work)


def _add_means(work, part, measure):
    inside = np.stack([mask for *_, mask in work.groups], axis=1)
    values = np.where(inside, measure.values[:, None], np.nan)
    estimates = means_of_columns(values, **work.explained.resampling())
    for (domain, system, mask), estimate, column in zip(
        work.groups, estimates, values.T, strict=True
    ):
        defined = column[~np.isnan(column)]
        skipped = int((measure.skipped & mask).sum())
        reason = estimate.reason if estimate.n else _why_none(measure, int(mask.sum()), skipped)
        work.add_estimate(
            part,
            replace(estimate, reason=reason),
            domain=domain,
            system=system,
            evaluator=measure.evaluator,
            metric=measure.metric,
            judge=measure.judge,
            skipped=skipped,
            sd=float(defined.std(ddof=1)) if len(defined) > 1 else nan,
            zero=int((measure.zero & mask).sum()),
            missing=int(mask.sum()) - estimate.n - skipped,
        )


def _why_none(measure, explanations, skipped):
    if not explanations:
        return "there is no explanation"
    if skipped == explanations:
        return "every explanation is skipped for an empty side"
    if measure.family == MENTION:
        return "no text has a feature"
    return "there is no value"


def _add_of_corpora(work):
    """Add USR, FCR and DIV of all texts together, for each domain and system."""
    explained = work.explained
    any_feature = any(map(words_of, explained.features))
    for domain, system, mask in work.groups:
        places = np.flatnonzero(mask)
        texts = [explained.texts[place] for place in places]
        own = work.explained.domains
        in_domain = own[1] == own[0].index(domain) if domain != ALL else np.ones(len(mask), bool)
        features = {words_of(feature) for feature in explained.features[in_domain]} - {()}
        is_mentioned = mentioned(texts, [" ".join(feature) for feature in features])
        about = {"domain": domain, "system": system, "evaluator": "texts", "n": len(texts)}
        _add_number(work, "USR", unique_sentence_ratio(texts), "there is no text", about)
        if any_feature:
            ratio = feature_coverage_ratio(is_mentioned, len(features)) if texts else nan
            div = feature_diversity(is_mentioned) if features else nan
            _add_number(work, "FCR", ratio, "there is no text" if features else NO_FEATURE, about)
            _add_number(work, "DIV", div, "fewer than two texts" if features else NO_FEATURE, about)


def _add_number(work, metric, value, reason, about):
    work.add(
        CONSISTENCY, metric=metric, value=value, reason=reason if np.isnan(value) else "", **about
    )


def _verdict(work):
    """State St2Exp's precision and recall, by each evaluator of single statements."""
    for measure in work.measures.in_families(STATEMENTS):
        what = HEADLINES.get(measure.metric)
        defined = measure.values[~np.isnan(measure.values)]
        if what and len(defined):
            yield (
                f"By {measure.evaluator} {100 * defined.mean():.1f} % {what}, on average over "
                f"{len(defined):,} explanations."
            )


def _notes(work):
    explained, measures = work.explained, work.measures
    yield from _of_sizes(work)
    if measures.question is not None:
        key = work.scores.questions[measures.question].key
        yield (
            f"St2Exp: answers to {key}. An NLI model that runs here supports a statement above .5; "
            "all other answers count as they are, fractions too: an imported judge’s "
            "probabilities, the mean of a judge’s samples, the mean of people’s answers."
        )
    yield from _left_out(work, measures)
    if work.wants(CORRELATION) and work.scores.counts is not None:
        yield "Spearman's ρ: its intervals keep the ranks of all explanations in each draw."
    if any(name == FROM_FILE for name, _ in explained.beside.matrices):
        yield f"{FROM_FILE}: probabilities that were loaded, of a model elsewhere."
    if any(measure.family == MENTION for measure in measures.all):
        yield (
            "FMR, FCR, DIV: features by whole words, without regard to case; all features are "
            "those of the column feature of the domain. USR, FCR and DIV are of all texts "
            "together and have no interval; the lower DIV the better."
        )
    elif work.wants(CONSISTENCY):
        yield "No FMR, FCR and DIV: no explanation has a feature (the column feature of items.csv)."


def _of_sizes(work):
    """Write notes on how many statements there are, and on how empty sides count."""
    explained = work.explained
    sizes = explained.sizes
    both = int((sizes == 0).all(axis=1).sum())
    one_empty = int((sizes == 0).any(axis=1).sum()) - both
    half = int(explained.is_half_known.sum())
    unknown = int((~explained.are_known).sum()) - half
    yield (
        f"Of {len(explained):,} explanations {both:,} have no statement on either side: their "
        f"metrics of statements are undefined and skipped; {one_empty:,} have none on one side: "
        "precision, recall and F1 are 0, StCoh is undefined and skipped."
    )
    if unknown:
        yield (
            f"Of {unknown:,} explanations the statements of a side are not known (not extracted, "
            "or no items made of them yet); they count as missing."
        )
    if half:
        yield (
            f"Of {half:,} explanations only one side has statement items and nothing is known of "
            "the other: St2Exp is given for that side; what needs the other counts as missing."
        )
    yield (
        "n: explanations with a value; skipped: undefined as both sides are empty, of StCoh and "
        "SummaC-ZS (which have no worst value) also as one is; zero: one side empty, 0; missing: "
        "a statement has no verdict, its pairs no probabilities, or a text (FMR) no feature. An "
        "average is over explanations, F1 of each explanation; sd divides by n − 1."
    )
    if work.wants(COUNTS):
        yield (
            "Counts: of explanations whose statements are known. A reference that several "
            "explanations of an interaction (recipient and content) share counts once, as the "
            "first of them has it. Unique: different texts, with the words of their polarity."
        )


def _left_out(work, measures):
    """Write notes on what does not count, apart from missing values."""
    if work.scores.options.missing_reference is not None:
        yield "St2Exp of people: a statement without an answer has no verdict, none is filled in."
    if n := work.explained.withheld:
        yield (
            f"{n:,} statement {'item is' if n == 1 else 'items are'} left out: a file withheld "
            "what is stated, as its study had a locked test part."
        )
    if n := int((work.explained.all_statements.rows < 0).sum()):
        yield (
            f"{n:,} statement {'item is' if n == 1 else 'items are'} left out by the choice of "
            "items: St2Exp and failures are of the others; counts and NLI models are of all."
        )
    if measures.earlier:
        yield (
            f"{measures.earlier:,} {'matrix' if measures.earlier == 1 else 'matrices'} of earlier "
            "statements left out."
        )
    if measures.answering:
        yield (
            "No measures of similarity, as all their values are answers to the question: "
            f"{', '.join(measures.answering)}. A measure is known by how its name begins."
        )
    if measures.strange:
        yield f"Left out of St2Exp, with answers beyond 0 to 1: {', '.join(measures.strange)}."
