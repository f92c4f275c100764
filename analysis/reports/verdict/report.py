"""Decide for which use each judge may stand in for people: rating items, comparing systems."""

from dataclasses import dataclass, replace
from math import nan

import numpy as np

from analysis.options.choices import ALL
from analysis.reports.base import Report
from analysis.reports.shared.evaluators import item_notes
from analysis.reports.shared.scores import LEARNED, Scores
from analysis.reports.verdict import words
from analysis.reports.verdict.baselines import baseline_values, raters_left_out
from analysis.reports.verdict.groups import (
    GROUP,
    groups_of,
    limit_to_groups,
    limits_of,
    list_limits,
)
from analysis.reports.verdict.in_figures import TEXT_METRICS, text_metrics
from analysis.reports.verdict.notes import (
    UNPROVEN_NAME,
    list_notes,
    named_of,
    pairs_gone,
    repeat_unproven,
    say_unproven,
)
from analysis.reports.verdict.of_raters import echoes_of, warn_of_people
from analysis.reports.verdict.options import SHOW
from analysis.reports.verdict.own_answers import own_answer_notes, with_own_answers
from analysis.reports.verdict.own_words import (
    choose_case,
    say_use_of_yes,
    say_worth,
    stood_in_for,
    without_use,
)
from analysis.reports.verdict.published import (
    published_notes,
    published_tests,
    show_published,
)
from analysis.reports.verdict.questions import SYSTEM, Asked, asked_questions, read_lengths
from analysis.reports.verdict.systems_in_short import say_systems
from analysis.reports.verdict.tables import LADDERS, rungs_of
from analysis.reports.verdict.unchecked import mark_unchecked, unchecked_in_short
from analysis.reports.verdict.uses import COMPARE, RATE
from analysis.stats.replacement.interval_narrowing import interval_narrowing
from analysis.stats.validation.answers import Answer, Reason
from analysis.stats.validation.evidence import Evidence, largest_p
from analysis.stats.validation.systems import compare_systems
from analysis.stats.validation.verdict import correct_family, decide, largest_judge_p
from annotate.models import Rater

BASELINE, RATER, JUDGE = "baseline", "rater", "judge"
MOST_NAMED = 3  # judges in a sentence
OWN_SCALE = "own scale"  # of a report's curves: (judge, question) that items give no level
THESE = "these raters"  # of a report's curves: numbers of raters who are no sample
MATRIX = "matrix"  # of a report's curves: the rows of judges on all questions
YES, PEOPLE_DISAGREE = str(Answer.YES), str(Answer.PEOPLE_DISAGREE)
NOT_TESTABLE = str(Answer.NOT_TESTABLE)
NUMBERS = (
    *("rho", "rho_low", "rho_high", "agreement", "agreement_low", "agreement_high"),
    *("retention", "retention_p", "worth", "worth_low", "worth_high"),
    *("level", "level_low", "level_high", "level_p"),
    *("share_proven", "rho_within", "agreement_within", "within_p", "p_adjusted"),
)


@dataclass(frozen=True)
class Candidate:
    """A judge on one question: its name and kind, its judgments and their evidence."""

    name: str
    kind: str
    asked: Asked
    evidence: Evidence
    judgments: np.ndarray | None = None
    has_own_scale: bool = False

    @property
    def narrowing(self):
        """Return the share by which its judgments narrow the interval of people's means."""
        if self.judgments is None:
            return nan
        return interval_narrowing(self.evidence.r_squared, *self.counts)

    @property
    def counts(self):
        """Return how many of the items that it judged have a rating, and how many it judged."""
        if self.judgments is None:
            return 0, 0
        table = self.judgments.reshape(len(self.judgments), -1)
        is_judged = ~np.isnan(table).any(axis=1)
        return int((is_judged & self.asked.is_rated).sum()), int(is_judged.sum())


def verdict(answers, options, parts=None):
    """Give each judge, question and use one of five answers, with its reason and next step.

    parts: keys of the questions that get rows, None for all; the family counts all.
    """
    scores = Scores(answers, options)
    report = Report("verdict", answers.study.slug, options.as_dict())
    lengths, sizes, of_judges, notes, of_people = read_lengths(scores), [], [], [], []
    report.curves |= {OWN_SCALE: set(), THESE: set(), LADDERS: {}}
    shown_judges = set(scores.judges)
    for role in list_roles(scores):
        asked_people = asked_questions(scores, role, lengths)
        questions = list(with_own_answers(asked_people, scores, role))
        notes += own_answer_notes(questions)
        judged = [candidate for asked in questions for candidate in _judges(asked)]
        named = named_of(answers, options)
        families = _correct(judged, questions, options, named)
        compared = _compare_in_family(judged, questions, options, named)
        published = published_tests(questions, judged, role, options.seed)
        sizes.append((families.size, max((case.family for case in compared if case), default=0)))
        decided = [
            decide(candidate.evidence, options.criteria, passes_correction=bool(passes))
            for candidate, passes in zip(judged, families.passes, strict=True)
        ]
        echoes = _echoes(questions, judged, decided)
        whole = Report("verdict", report.study, report.options)
        for place, candidate in enumerate(judged):
            if candidate.name in shown_judges:
                family = float(families.p_adjusted[place]), families.size
                tried = 1 if candidate.name == named else _count_tried(candidate, judged)
                beside = echoes.get(place), compared[place], tried
                _add_rating(whole, candidate, decided[place], family, *beside)
                if compared[place] is not None:
                    _add_systems(whole, candidate, compared[place])
        shown = [asked for asked in questions if parts is None or asked.question.key in parts]
        for candidate in (candidate for asked in shown for candidate in _baselines(asked)):
            _add_rating(whole, candidate, decide(candidate.evidence, options.criteria))
        show_published([e for e in whole.entries if e.row["use"] == RATE], published)
        judges = [entry for entry in whole.entries if _rates(entry)]
        notes += published_notes(judges, published, role)
        of_people += warn_of_people(questions, judges)
        keys = {asked.question.key for asked in shown}
        _keep_for_notes(report.curves, judged)
        report.curves[LADDERS] |= whole.curves
        report.entries += [entry for entry in whole.entries if entry.row["question"] in keys]
        of_judges += [entry for entry in whole.entries if entry.kind in (JUDGE, GROUP)]
    report.curves[MATRIX] = [entry.row for entry in of_judges if entry.kind == JUDGE]
    report.curves[TEXT_METRICS] = text_metrics(answers)
    report.verdict = [
        *_sentences(of_judges),
        *_other_roles(scores, of_judges),
        *of_people,
    ]
    report.notes = [
        *item_notes(scores),
        *list_notes(
            scores,
            list_roles(scores),
            [entry.row for entry in report.entries if entry.kind == JUDGE],
            sizes,
            report.curves[THESE],
        ),
        *notes,
    ]
    return report


def _keep_for_notes(curves, judged):
    """Keep which judges have a scale of their own, and of how many raters who are no sample."""
    for candidate in judged:
        evidence = candidate.evidence
        if candidate.has_own_scale:
            curves[OWN_SCALE].add((candidate.name, candidate.asked.question.key))
        if evidence.n and not evidence.are_sample:
            curves[THESE].add(evidence.n_raters)


def _rates(entry):
    return entry.kind == JUDGE and entry.row["use"] == RATE


def list_roles(scores):
    """Return the roles that each have a verdict of their own: they are not one population."""
    chosen = scores.options.reference
    return scores.roles if chosen == ALL and len(scores.roles) > 1 else [chosen]


def _judges(asked):
    """Yield a Candidate for each judge of the study that answers the question."""
    scores = asked.scores
    for name in scores.every_judge:
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


def _baselines(asked):
    """Yield the Candidates that show what no insight, and single raters, would give."""
    options = asked.scores.options
    for name, values in baseline_values(asked, options.seed):
        judgments = asked.as_judgments(values)
        evidence = asked.gather_evidence(judgments, has_own_scale=not asked.has_ends)
        yield Candidate(name, BASELINE, asked, evidence)
    for name, evidence in raters_left_out(asked, options.criteria, options.seed):
        yield Candidate(name, RATER, asked, evidence)


def _correct(judged, questions, options, named):
    """Correct the verdicts on rating items for all judges, chosen or not, and all questions."""
    judge_p = [largest_judge_p(candidate.evidence, options.criteria) for candidate in judged]
    people_p = [asked.people_p for asked in questions]
    return _correct_p(judge_p, people_p, judged, questions, (options, named))


def _compare_in_family(judged, questions, options, named):
    """Return the SystemsCase of each Candidate or None, corrected as rating items is.

    What people see of systems is no check here: where they see nothing, no judge gets a yes.
    """
    cases = [_compare_systems(candidate) for candidate in judged]
    judge_p = [nan if case is None else case.comparison.judge_p for case in cases]
    tested = {id(c.asked) for c, p in zip(judged, judge_p, strict=True) if not np.isnan(p)}
    no_p = [0.0 if id(asked) in tested else nan for asked in questions]
    family = _correct_p(judge_p, no_p, judged, questions, (options, named))
    tests = zip(cases, family.passes, family.p_adjusted, strict=True)
    return [case and case.correct(bool(passes), float(p), family.size) for case, passes, p in tests]


def _count_tried(candidate, judged):
    """Return how many judges were tried on a Candidate's question, deleted ones too."""
    asked = candidate.asked
    return pairs_gone(asked) + sum(other.asked is asked for other in judged)


def _correct_p(judge_p, people_p, judged, questions, by):
    """Return the Family of these p of the Candidates in judged, and of their questions.

    people_p: NaN for a question on which nothing is tested. by: the options, and the name of the
    judge named beforehand. A deleted judge whose answers are gone counts as one that failed: that
    makes no other p smaller.
    """
    (options, named), place = by, {id(asked): k for k, asked in enumerate(questions)}
    criteria, tested = options.criteria, ~np.isnan(people_p)
    of_gone = [place[id(asked)] for asked in questions for _ in range(pairs_gone(asked))]
    gone = [number for number in of_gone if tested[number]]
    family = correct_family(
        [*judge_p, *[1.0] * len(gone)],
        np.nan_to_num(people_p, nan=1.0),
        [place[id(candidate.asked)] for candidate in judged] + gone,
        named=[candidate.name == named for candidate in judged] + [False] * len(gone),
        criteria=criteria,
    )
    shown = slice(len(judged))
    return replace(family, passes=family.passes[shown], p_adjusted=family.p_adjusted[shown])


def _echoes(questions, judged, decided):
    """Return {place: Echoed} of the judges with a yes whose answers some raters may have pasted."""
    return {
        place: echo
        for asked in questions
        for place, echo in echoes_of(
            asked,
            {
                place: candidate
                for place, candidate in enumerate(judged)
                if candidate.asked is asked and decided[place].answer == Answer.YES
            },
        )
    }


def _add_rating(report, candidate, decided, family=(nan, 0), echo=None, compared=None, tried=1):
    """Add the row on rating items.

    family: adjusted p and size; a baseline has none. compared: its words on comparing systems;
    tried: as many judges on this question.
    """
    asked, evidence = candidate.asked, candidate.evidence
    criteria = asked.scores.options.criteria
    about = candidate.name, asked.question.key
    groups = groups_of(candidate) if candidate.kind == JUDGE else []
    decided = limit_to_groups(decided, groups)
    make_case = choose_case(asked)
    is_candidate = candidate.kind == JUDGE
    beside = echo, candidate.narrowing, compared, family[1], tried, is_candidate, candidate.counts
    case = make_case(*about, evidence, decided, criteria, *beside)
    sentence, next_step = case.say()
    is_passed = decided.answer == Answer.YES or decided.missing == "groups"
    if is_passed and candidate.kind == JUDGE:
        sentence += limits_of(groups, asked.scores)
    unproven = ""
    if candidate.kind == JUDGE:
        key = candidate.name, asked.role, asked.question.key
        report.curves[key] = rungs_of(evidence, criteria, family[0])
        unproven = say_unproven(candidate.name, asked.scores) * (decided.answer == Answer.YES)
    numbers = _numbers(evidence, decided, criteria) | {"p_adjusted": family[0]}
    row = _row(candidate, RATE, decided.answer, decided.reason, numbers)
    row["why"] = ", ".join(filter(None, (decided.grouping, decided.half, decided.missing)))
    if candidate.kind == JUDGE:
        warnings = [*case.warnings, *([UNPROVEN_NAME] if unproven else [])]
        row["next"], row["warnings"] = next_step, " ".join(warnings)
        mark_unchecked(row, evidence)
    row["family"] = family[1]
    row["sentence"] = sentence + unproven
    report.add(row, reason=row["sentence"], judge=_judge(candidate), kind=candidate.kind)
    for group in groups:
        _add_group(report, candidate, group)


def _add_group(report, candidate, group):
    """Add the row of a judge in one group of items; p_adjusted is of "it fails there"."""
    result, criteria = group.result, candidate.asked.scores.options.criteria
    theta = {"retention": result.retention.value, "retention_p": result.retention.p_above()}
    numbers = theta | {"p_adjusted": result.fails_p}
    if result.level is not None:
        numbers |= _with_interval("level", result.level.largest)
        numbers["level_p"] = result.level.p_within(candidate.evidence.level_margin)
    row = _row(candidate, RATE, *group.answer, numbers) | {"group": group.name}
    row |= {"items": result.n, "clusters": result.n_clusters, "raters": result.n_raters}
    row["sentence"] = f"in this group of items; {criteria.fewest_items} items are the least"
    report.add(row, reason=row["sentence"], judge=candidate.name, kind=GROUP)


def _judge(candidate):
    return candidate.name if candidate.kind == JUDGE else ""


def _row(candidate, use, answer, reason, numbers):
    evidence, options = candidate.evidence, candidate.asked.scores.options
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
        "items": evidence.n,
        "clusters": evidence.n_clusters,
        "raters": evidence.n_raters,
        "warnings": "",
    }


def _numbers(evidence, decided, criteria):
    """Return the numbers of a row on rating items by their keys."""
    agreement, alpha = evidence.agreement, criteria.alpha
    theta = agreement.retention(criteria.retention)
    numbers = {
        **_with_interval("rho", agreement.rho),
        **_with_interval("agreement", agreement.r),
        "retention": theta.value,
        "retention_p": theta.p_above(),
        "worth": agreement.worth,
        **_worth_interval(agreement, alpha),
        "share_proven": agreement.share_proven(alpha),
    }
    if evidence.level is not None:
        numbers |= _with_interval("level", evidence.level.largest)
        numbers["level_p"] = evidence.level.p_within(evidence.level_margin)
    return numbers | _within(evidence, decided, criteria)


def _with_interval(name, quantity):
    """Return {key: number} of an estimate with its 95 % interval; none where it is a point."""
    reach = quantity.reach(0.025)
    ends = quantity.value - reach, quantity.value + reach
    low, high = ends if ends[0] < ends[1] else (nan, nan)
    return {name: quantity.value, f"{name}_low": low, f"{name}_high": high}


def _worth_interval(agreement, alpha):
    """Return K_low and the largest K that is not excluded; none where they are one point."""
    low, high = agreement.least_worth(alpha), agreement.most_worth(alpha)
    low, high = (low, high) if low < high else (nan, nan)
    return {"worth_low": low, "worth_high": high}


def _within(evidence, decided, criteria):
    """Return the numbers beyond what is known of items: of the part that failed, or the worst."""
    beyond, k = evidence.beyond, criteria.beyond_retention
    if not beyond.parts:
        return {}
    part = dict(beyond.parts).get(decided.grouping) or beyond.worst(k)[1]
    return {
        "rho_within": part.rho.value,
        "agreement_within": part.r.value,
        "within_p": largest_p((beyond.judge_p(k), beyond.people_p)),
    }


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
        comparison = replace(
            comparison, answer=Answer.NOT_TESTABLE, reason=Reason.HOLDS_RATINGS, judge_p=1.0
        )
    names = list(scores.items["system"].cat.categories)
    margin = criteria.system_margin or reference.scale.system_margin
    about = candidate.name, asked.question.key
    return words.SystemsCase(*about, comparison, names, margin, people, candidate.evidence)


def _add_systems(report, candidate, case):
    """Add the row on comparing systems."""
    comparison, people = case.comparison, case.people
    sentence, next_step = case.say()
    numbers = {"p_adjusted": case.p_adjusted}
    row = _row(candidate, COMPARE, comparison.answer, comparison.reason, numbers)
    row["family"] = case.family
    row |= {"items": people.n, "clusters": people.n_clusters, "raters": people.n_raters}
    row |= {"why": comparison.missing, "sentence": sentence, "next": next_step}
    row["warnings"] = "favours" if comparison.favoured else ""
    report.add(row, reason=sentence, judge=candidate.name, kind=JUDGE)
    if candidate.asked.scores.options.pairs == SHOW:
        _add_pairs(report, candidate, case)


def _add_pairs(report, candidate, case):
    alpha, comparison, people = candidate.asked.scores.options.alpha, case.comparison, case.people
    names = case.names
    for pair in comparison.pairs:
        numbers = _with_interval("level", pair.offset)
        numbers |= {"level_p": pair.p_within, "p_adjusted": pair.p_pair}
        numbers["p_winner"] = pair.p_winner
        decided = pair.decide(alpha, len(comparison.pairs))
        row = _row(candidate, COMPARE, *decided, numbers)
        row |= {"items": people.n, "clusters": people.n_clusters, "raters": people.n_raters}
        row["systems"] = f"{names[pair.second]} − {names[pair.first]}"
        row["warnings"] = "favours" if pair.is_favoured else ""
        row["sentence"] = "level: the judge's difference of the two systems, less people's"
        report.add(row, reason=row["sentence"], judge=candidate.name, kind=JUDGE)


def _sentences(entries):
    """Yield a sentence on rating items for all questions alike, then one on comparing systems.

    entries: of judges, and of judges in groups of items.
    """
    rated = [entry for entry in entries if _rates(entry)]
    columns = dict.fromkeys((e.row["role"], e.row["question"]) for e in rated)
    several = len({role for role, _ in columns}) > 1
    said: dict = {}
    for role, question in columns:
        own = [e for e in rated if (e.row["role"], e.row["question"]) == (role, question)]
        about = f"{question} ({role})" if several else question
        said.setdefault(_in_short(own, entries), []).append(about)
    for words_of_all, questions in said.items():
        yield f"{', '.join(questions)}: {words_of_all}"
    compared = [e.row for e in entries if e.row["use"] == COMPARE and not e.row["systems"]]
    if sentence := say_systems(compared):
        yield sentence


def _other_roles(scores, entries):
    """Yield where to look when no item has two ratings by this role, but other roles rated too."""
    others = [str(Rater.Role(r).label) for r in scores.roles if r not in list_roles(scores)]
    if others and entries and all(e.row["answer"] == NOT_TESTABLE for e in entries):
        yield f"Others have rated too: choose “{'” or “'.join(others)}” as the reference role."


def _in_short(entries, every):
    """Say how many judges may rate the items of one question, and which first, or why none.

    every: the entries of judges on all questions, and those in groups of items.
    """
    rows = [entry.row for entry in entries]
    many = "1 judge" if len(rows) == 1 else f"{len(rows)} judges"
    yes = [row for row in rows if row["answer"] == YES]
    whom = stood_in_for(rows)
    if yes:
        top = max(yes, key=lambda row: np.nan_to_num(row["worth_low"]))
        return (
            f"{len(yes)} of {many} {say_use_of_yes(top, whom)}, first {top['evaluator']}"
            f"{say_worth(top)}{_limits(top, every)}{repeat_unproven(entries)}"
            f", for items and raters like these.{_flagged(yes)}"
        )
    if all(row["answer"] == NOT_TESTABLE for row in rows):
        return f"{without_use(entries[0])} {rows[0]['next']}"
    none = f"none of {many} may stand in for {whom}"
    of_people = [entry for entry in entries if entry.row["answer"] == PEOPLE_DISAGREE]
    if len(of_people) * 2 > len(entries):
        plainest = min(of_people, key=lambda entry: len(entry.row["warnings"].split()))
        return f"{none}. {without_use(plainest)}"
    answers = [words.answer_of(row) for row in rows]
    counts = [f"{answer}: {answers.count(answer)}" for answer in dict.fromkeys(answers)]
    return f"{none} ({', '.join(counts)})."


def _limits(row, entries):
    """Repeat in short what was not checked, and in which groups of items a judge is shown."""
    own = ("evaluator", "question", "role")
    groups = [
        (entry.row["group"], entry.row["answer"], entry.row["verdict"])
        for entry in entries
        if entry.kind == GROUP and all(entry.row[key] == row[key] for key in own)
    ]
    limits = [unchecked_in_short(row), list_limits(groups) if groups else ""]
    return f" ({'; '.join(filter(None, limits))})" if any(limits) else ""


def _flagged(rows):
    """Repeat in short of which judges with a yes some raters may have pasted the answers."""
    names = [row["evaluator"] for row in rows if "echo" in row["warnings"].split()]
    if not names:
        return ""
    shown = ", ".join(names[:MOST_NAMED]) + (" and others" if len(names) > MOST_NAMED else "")
    return f" Some raters agree with {shown} more than with people, as if they had pasted it."
