"""Gather the evidence on judges, baselines and raters; decide on all judges of a role at once."""

from collections import Counter
from dataclasses import dataclass, replace
from math import isnan, nan

import numpy as np

from analysis.reports.shared.scores import LEARNED
from analysis.reports.verdict.baselines import BASELINE, baselines_of, raters_left_out
from analysis.reports.verdict.questions import SYSTEM, Asked
from analysis.reports.verdict.sentences import SystemsCase
from analysis.stats.replacement.interval_narrowing import interval_narrowing
from analysis.stats.validation.decision import (
    Answer,
    Reason,
    Verdict,
    correct_family,
    decide,
    largest_judge_p,
)
from analysis.stats.validation.echo import find_echoes
from analysis.stats.validation.evidence import Evidence, gather_evidence
from analysis.stats.validation.systems import compare_systems, correct_comparison

RATER, JUDGE = "rater", "judge"  # kinds of candidates, with BASELINE


@dataclass(frozen=True)
class Echoed:
    """What speaks for pasted answers.

    raters: those who can be named; without: the answer without them, None where nobody is named.
    """

    raters: tuple = ()
    without: Answer | None = None


@dataclass
class Candidate:
    """A judge, baseline or rater on one question: its judgments, their evidence, what is decided.

    p_adjusted: of its ratings of items, in a family of so many; compared: on systems; tried: as
    many judges on this question, 1 for one that was named beforehand.
    """

    name: str
    kind: str
    asked: Asked
    evidence: Evidence
    judgments: np.ndarray | None = None
    has_own_scale: bool = False
    decided: Verdict | None = None
    p_adjusted: float = nan
    family: int = 0
    compared: SystemsCase | None = None
    tried: int = 1
    echo: Echoed | None = None

    @property
    def criteria(self):
        return self.asked.scores.options.criteria

    @property
    def is_judge(self):
        return self.kind == JUDGE

    @property
    def question(self):
        return self.asked.question.key

    @property
    def table(self):
        """The judgments (items, K)."""
        return self.judgments.reshape(len(self.judgments), -1)

    @property
    def counts(self):
        """How many of the items that it judged have a rating, and how many it judged."""
        if self.judgments is None:
            return 0, 0
        is_judged = ~np.isnan(self.table).any(axis=1)
        return int((is_judged & self.asked.is_rated).sum()), int(is_judged.sum())

    @property
    def narrowing(self):
        """The share by which its judgments narrow the interval of people's means."""
        if self.judgments is None:
            return nan
        return interval_narrowing(self.evidence.r_squared, *self.counts)


def judges_of(asked, names):
    """Yield a Candidate for each judge of these names that answers the question."""
    scores = asked.scores
    for name in names:
        values, has_own_scale = asked.values_of(name)
        if np.isnan(values).all():
            continue
        has_own_scale |= not asked.has_ends
        judgments = asked.as_judgments(values)
        evidence = asked.gather_evidence(
            judgments, has_own_scale=has_own_scale, is_fitted=is_fitted(scores, name)
        )
        yield Candidate(name, JUDGE, asked, evidence, judgments, has_own_scale)


def is_fitted(scores, name):
    """Return whether an ensemble learned its weights from the ratings that would test it."""
    ensemble = scores.ensembles.get(name)
    return bool(ensemble) and ensemble.rule == LEARNED and scores.choosing is None


def others_of(asked):
    """Yield, decided, what no insight and what single raters would give."""
    options = asked.scores.options
    for name, values in baselines_of(asked):
        judgments = asked.as_judgments(values)
        evidence = asked.gather_evidence(judgments, has_own_scale=not asked.has_ends)
        decided = decide(evidence, options.criteria)
        yield Candidate(name, BASELINE, asked, evidence, decided=decided)
    for name, evidence in raters_left_out(asked, options.criteria, options.seed):
        decided = decide(evidence, options.criteria)
        yield Candidate(name, RATER, asked, evidence, decided=decided)


def decide_together(judged, questions, options, named):
    """Decide on each judge's ratings of items and of systems, corrected for all that were tried.

    Return the sizes of both families. judged: Candidates, also of judges that are not shown; named:
    the judge named beforehand, which is tested alone.
    """
    criteria, tried = options.criteria, Counter(candidate.asked.place for candidate in judged)
    cases = [_compare_systems(candidate) for candidate in judged]
    judge_p = [nan if case is None else case.comparison.judge_p for case in cases]
    # What people see of systems is no check here: where they see nothing, no judge gets a yes.
    tested = {
        candidate.asked.place for candidate, p in zip(judged, judge_p, strict=True) if not isnan(p)
    }
    no_p = [0.0 if asked.place in tested else nan for asked in questions]
    systems = _correct(judge_p, no_p, judged, questions, named)
    judge_p = [largest_judge_p(candidate.evidence, criteria) for candidate in judged]
    rating = _correct(judge_p, [asked.people_p for asked in questions], judged, questions, named)
    for k, (candidate, case) in enumerate(zip(judged, cases, strict=True)):
        passes = bool(rating.passes[k])
        candidate.decided = decide(candidate.evidence, criteria, passes_correction=passes)
        candidate.p_adjusted, candidate.family = float(rating.p_adjusted[k]), rating.size
        if case is not None:
            case.comparison = correct_comparison(case.comparison, passes=bool(systems.passes[k]))
            case.p_adjusted, case.family = float(systems.p_adjusted[k]), systems.size
            candidate.compared = case
        candidate.tried = (
            1 if candidate.name == named else tried[candidate.asked.place] + candidate.asked.n_gone
        )
    for asked in questions:
        _find_echoes(asked, [candidate for candidate in judged if candidate.asked is asked])
    return rating.size, systems.size if any(cases) else 0


def _correct(judge_p, people_p, judged, questions, named):
    """Return the Family of the p of these Candidates, and of their questions.

    people_p: NaN for a question on which nothing is tested. A deleted judge whose answers are gone
    counts as one that failed: that makes no other p smaller.
    """
    place = {asked.place: k for k, asked in enumerate(questions)}
    gone = [
        k
        for k, (asked, p) in enumerate(zip(questions, people_p, strict=True))
        for _ in range(0 if isnan(p) else asked.n_gone)
    ]
    return correct_family(
        [*judge_p, *[1.0] * len(gone)],
        np.nan_to_num(people_p, nan=1.0),
        [place[candidate.asked.place] for candidate in judged] + gone,
        named=[candidate.name == named for candidate in judged] + [False] * len(gone),
        criteria=judged[0].criteria if judged else None,
    )


def _compare_systems(candidate):
    """Return the SystemsCase of a judge; None without systems, or on a scale of its own."""
    asked, scores = candidate.asked, candidate.asked.scores
    reference, codes = asked.reference, scores.systems
    if asked.is_nominal or candidate.has_own_scale or SYSTEM not in reference.groupings:
        return None
    rows = reference.people.rows
    given = reference.scale.keep_inside(candidate.judgments[rows])
    keep = ~np.isnan(given) & (codes[rows] >= 0)
    if not keep.any():
        return None
    people = reference.people.restrict(keep)
    people = people.replace_clusters(scores.content_clusters[people.rows])
    criteria = scores.options.criteria
    judge, systems = candidate.judgments[people.rows], codes[people.rows]
    comparison = compare_systems(people, judge, systems, reference.scale, criteria)
    if candidate.evidence.held:
        held = {"answer": Answer.NOT_TESTABLE, "reason": Reason.HOLDS_RATINGS, "judge_p": 1.0}
        comparison = replace(comparison, **held)
    names = list(scores.items["system"].cat.categories)
    margin = criteria.system_margin or reference.scale.system_margin
    return SystemsCase(candidate, comparison, names, margin, people)


def _find_echoes(asked, judged):
    """Mark the judges with a yes on a question whose answers some raters seem to have pasted.

    They are tested together, on the items that all of them judged. Nobody is excluded for it.
    """
    people, options = asked.reference.people, asked.scores.options
    judged = [candidate for candidate in judged if candidate.decided.answer == Answer.YES]
    if not judged or not people.n:
        return
    judgments = np.stack([candidate.table[people.rows] for candidate in judged])
    common = ~np.isnan(judgments).any(axis=(0, 2))
    if not common.any():
        return
    here = people.restrict(common)
    echo = find_echoes(here, judgments[:, common])
    flags = echo.flag_raters(options.alpha)
    for place, candidate in enumerate(judged):
        if echo.study_p[place] < options.alpha:
            raters = here.raters[flags[place]]
            candidate.echo = _decide_without(candidate, raters) if len(raters) else Echoed()


def _decide_without(candidate, raters):
    """Name these raters (codes), and decide once more without them."""
    asked, criteria = candidate.asked, candidate.criteria
    people, names = asked.reference.people, asked.scores.raters_of(asked.role)
    others = replace(asked.reference, people=people.drop_raters(np.isin(people.raters, raters)))
    evidence = gather_evidence(
        others, candidate.judgments, criteria, has_own_scale=candidate.has_own_scale
    )
    return Echoed(tuple(names[code] for code in raters), decide(evidence, criteria).answer)
