"""Gather the evidence on judges, baselines and raters, decide on them, and write their rows.

judges_of, others_of        Candidates: judges, then baselines and single raters
decide_together(judged)     all judges of a role at once, corrected for all that were tried
entries_of(candidate)       its rows: on rating items, on groups of items, on systems
judges_by_rank(rows)        which judge is best: every page names the same one
"""

from collections import Counter
from dataclasses import dataclass, replace
from math import isnan, nan

import numpy as np

from analysis.reports.base import Entry
from analysis.reports.shared.scores import LEARNED
from analysis.reports.verdict.baselines import BASELINE, baselines_of, raters_left_out
from analysis.reports.verdict.options import SHOW
from analysis.reports.verdict.questions import SYSTEM, Asked
from analysis.reports.verdict.sentences import (
    COMPARE,
    GROUP,
    NOT_TESTED,
    RATE,
    UNCHECKED,
    UNPROVEN_NAME,
    Case,
    OwnCase,
    SystemsCase,
    list_limits,
    names_unchecked,
    say_unproven,
)
from analysis.stats.replacement.interval_narrowing import interval_narrowing
from analysis.stats.validation.checks import find_echoes
from analysis.stats.validation.decision import (
    MOST_GROUPS,
    Answer,
    Reason,
    Verdict,
    compare_groups,
    correct_family,
    decide,
    largest_judge_p,
)
from analysis.stats.validation.evidence import Evidence, gather_evidence, largest_p
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


def groups_of(candidate):
    """Return {value of the declared column: its GroupResult}, in the order of the column."""
    asked = candidate.asked
    scores, reference = asked.scores, asked.reference
    column, is_fitted = scores.options.groups, candidate.evidence.is_fitted
    if not column or is_fitted or not reference.people.n or not candidate.evidence.n:
        return {}
    codes, names = scores.codes(column), list(scores.items[column].cat.categories)
    present = np.unique(codes[codes >= 0])
    people = reference.people.restrict(codes[reference.people.rows] >= 0)
    results = compare_groups(
        reference.with_people(people),
        candidate.judgments,
        np.maximum(np.searchsorted(present, codes), 0),
        len(present),
        scores.options.criteria,
        has_own_scale=candidate.has_own_scale,
    )
    return {str(names[code]): result for code, result in zip(present, results, strict=True)}


def limit_to_groups(decided, groups):
    """Return a verdict in which a yes that is shown in no declared group is none yet."""
    answers = {own.answer for own in groups.values()}
    if decided.answer != Answer.YES or not answers or Answer.YES in answers:
        return decided
    return replace(
        decided, answer=Answer.NOT_YET, reason=Reason.UNDECIDED, grade=None, missing="groups"
    )


def limits_of(groups, scores):
    """Say for which groups a yes is shown; where groups exist and none were declared, say so."""
    if not groups:
        return NOT_TESTED if not scores.options.groups and has_groups(scores) else ""
    words = list_limits([(name, own.answer, own.reason) for name, own in groups.items()])
    return f" {words[0].upper()}{words[1:]}."


def has_groups(scores):
    """Return whether an extra column of the items divides them into two to five groups."""
    columns = (scores.items[name] for name in scores.answers.extra_columns)
    present = (column.cat.remove_unused_categories().cat.categories for column in columns)
    return any(2 <= sum(map(bool, values)) <= MOST_GROUPS for values in present)


NUMBERS = (
    *("rho", "rho_low", "rho_high", "agreement", "agreement_low", "agreement_high"),
    *("retention", "retention_p", "worth", "worth_low", "worth_high"),
    *("level", "level_low", "level_high", "level_p"),
    *("share_proven", "rho_within", "agreement_within", "within_p", "p_adjusted"),
)


def entries_of(candidate):
    """Return the Entries of a Candidate: on rating items, then of groups, then on systems."""
    groups = groups_of(candidate) if candidate.is_judge else {}
    entries = [_entry_of_rating(candidate, groups)]
    entries += [_entry_of_group(candidate, *group) for group in groups.items()]
    if candidate.compared is not None:
        entries += _entries_of_systems(candidate, candidate.compared)
    return entries


def _entry_of_rating(candidate, groups):
    asked, evidence, is_judge = candidate.asked, candidate.evidence, candidate.is_judge
    decided = limit_to_groups(candidate.decided, groups)
    case = (OwnCase if asked.repeats else Case)(candidate, decided)
    sentence, next_step = case.say()
    why, warnings = [*filter(None, (decided.grouping, decided.half, decided.missing))], []
    if is_judge:
        warnings += case.warnings
        is_yes = decided.answer == Answer.YES
        if is_yes or decided.missing == "groups":
            sentence += limits_of(groups, asked.scores)
        if is_yes and (unproven := say_unproven(candidate.name, asked.scores)):
            sentence += unproven
            warnings.append(UNPROVEN_NAME)
        absent, few = names_unchecked(evidence)
        if is_yes and absent + few:
            why = absent + few
            warnings.append(UNCHECKED)
    row = _row(candidate, RATE, decided.answer, decided.reason, _numbers(candidate, decided))
    row |= {"why": ", ".join(why), "sentence": sentence, "next": next_step if is_judge else ""}
    row |= {"family": candidate.family, "warnings": " ".join(warnings)}
    return _entry(candidate, row, candidate.kind)


def _entry_of_group(candidate, name, result):
    """Return the Entry of a judge in one group of items; p_adjusted is of "it fails there"."""
    decided, least = (result.answer, result.reason), candidate.criteria.fewest_items
    numbers = {"retention": result.retention.value, "retention_p": result.retention.p_above()}
    numbers |= {"p_adjusted": result.fails_p} | _of_level(result.evidence.level, candidate)
    row = _row(candidate, RATE, *decided, numbers, result.evidence) | {"group": name}
    row["sentence"] = f"in this group of items; {least} items are the least"
    return _entry(candidate, row, GROUP)


def _entries_of_systems(candidate, case):
    comparison, people = case.comparison, case.people
    sentence, next_step = case.say()
    decided = comparison.answer, comparison.reason
    row = _row(candidate, COMPARE, *decided, {"p_adjusted": case.p_adjusted}, people)
    row |= {"family": case.family, "why": comparison.missing}
    row |= {"sentence": sentence, "next": next_step}
    row["warnings"] = "favours" if comparison.favoured else ""
    yield _entry(candidate, row, JUDGE)
    if candidate.asked.scores.options.pairs != SHOW:
        return
    for pair in comparison.pairs:
        numbers = _with_interval("level", pair.offset)
        numbers |= {"level_p": pair.p_within, "p_adjusted": pair.p_pair, "p_winner": pair.p_winner}
        decided = pair.decide(candidate.criteria.alpha, len(comparison.pairs))
        row = _row(candidate, COMPARE, *decided, numbers, people)
        row["systems"] = f"{case.names[pair.second]} − {case.names[pair.first]}"
        row["warnings"] = "favours" if pair.is_favoured else ""
        row["sentence"] = "level: the judge's difference of the two systems, less people's"
        yield _entry(candidate, row, JUDGE)


def _entry(candidate, row, kind):
    judge = candidate.name if candidate.is_judge else ""
    return Entry(row, reason=row["sentence"], judge=judge, kind=kind)


def _row(candidate, use, answer, reason, numbers, sizes=None):
    """Return a row; sizes: what has the numbers of clusters and raters, the evidence if None."""
    options, sizes = candidate.asked.scores.options, sizes or candidate.evidence
    return {
        "evaluator": candidate.name,
        "question": candidate.asked.question.key,
        "role": candidate.asked.role,
        "use": use,
        "systems": "",
        **({"group": ""} if options.groups else {}),
        "answer": str(answer),
        "verdict": str(reason),
        "why": "",
        "sentence": "",
        "next": "",
        **dict.fromkeys(NUMBERS, nan),
        **({"p_winner": nan} if options.pairs == SHOW else {}),
        **numbers,
        "family": 0,
        "winning_rate": nan,
        "published_test": "",
        "items": sizes.n,
        "clusters": sizes.n_clusters,
        "raters": sizes.n_raters,
        "warnings": "",
    }


def _numbers(candidate, decided):
    """Return the numbers of a row on rating items by their keys."""
    evidence, criteria = candidate.evidence, candidate.criteria
    agreement, beyond, k = evidence.agreement, evidence.beyond, criteria.beyond_retention
    theta = agreement.retention(criteria.retention)
    low, high = agreement.least_worth(criteria.alpha), agreement.most_worth(criteria.alpha)
    low, high = (low, high) if low < high else (nan, nan)  # one point is no interval
    numbers = {
        **_with_interval("rho", agreement.rho),
        **_with_interval("agreement", agreement.r),
        "retention": theta.value,
        "retention_p": theta.p_above(),
        "worth": agreement.worth,
        "worth_low": low,
        "worth_high": high,
        "share_proven": agreement.share_proven(criteria.alpha),
        **_of_level(evidence.level, candidate),
        "p_adjusted": candidate.p_adjusted,
    }
    if beyond.parts:  # of the part that failed, or the worst
        part = dict(beyond.parts).get(decided.grouping) or beyond.worst(k)[1]
        numbers |= {"rho_within": part.rho.value, "agreement_within": part.r.value}
        numbers["within_p"] = largest_p((beyond.judge_p(k), beyond.people_p))
    return numbers


def _of_level(level, candidate):
    if level is None:
        return {}
    p = level.p_within(candidate.evidence.level_margin)
    return {**_with_interval("level", level.largest), "level_p": p}


def _with_interval(name, quantity):
    """Return {key: number} of an estimate with its 95 % interval; none where it is a point."""
    low, high = quantity.interval()
    low, high = (low, high) if low < high else (nan, nan)
    return {name: quantity.value, f"{name}_low": low, f"{name}_high": high}


def judges_by_rank(rows):
    """Return the judges' names, the best first.

    First most questions with a yes, then with a not yet; then the largest mean of what a judge is
    worth at least, where people agree; then the largest mean agreement. rows: of the verdict on
    rating items, whole studies' (not of groups or pairs of systems).
    """
    own: dict = {}
    for row in rows:
        own.setdefault(row["evaluator"], []).append(row)
    return sorted(own, key=lambda name: _rank(own[name]))


def _rank(rows):
    tested = [row for row in rows if row["answer"] != Answer.NOT_TESTABLE]
    agreed = [row for row in tested if row["answer"] != Answer.PEOPLE_DISAGREE]
    return (
        -sum(row["answer"] == Answer.YES for row in rows),
        -sum(row["answer"] == Answer.NOT_YET for row in rows),
        -mean_of(agreed, "worth_low"),
        -mean_of(tested, "agreement"),
    )


def mean_of(rows, key):
    """Return the mean of a number over the questions that have it; −∞ where none has."""
    values = [row[key] for row in rows if not isnan(row[key])]
    return sum(values) / len(values) if values else float("-inf")
