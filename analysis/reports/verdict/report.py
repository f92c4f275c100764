"""Decide for which use each judge may stand in for people: rating items, comparing systems."""

from dataclasses import dataclass
from math import nan

import numpy as np

from analysis.options.choices import ALL
from analysis.reports.base import Report
from analysis.reports.shared.evaluators import item_notes
from analysis.reports.shared.scores import LEARNED, Scores
from analysis.reports.substitution.options import EPSILONS
from analysis.reports.verdict import words
from analysis.reports.verdict.baselines import baseline_values, raters_left_out
from analysis.reports.verdict.echoes import echoes_of
from analysis.reports.verdict.groups import (
    GROUP,
    group_notes,
    groups_of,
    limit_to_groups,
    limits_of,
)
from analysis.reports.verdict.in_figures import TEXT_METRICS, text_metrics
from analysis.reports.verdict.ladder import LADDERS, rungs_of
from analysis.reports.verdict.lowers_rho import warn_of_people
from analysis.reports.verdict.named import (
    UNPROVEN_NAME,
    named_note,
    named_of,
    repeat_unproven,
    say_unproven,
)
from analysis.reports.verdict.options import SHOW
from analysis.reports.verdict.own_answers import own_answer_notes, with_own_answers
from analysis.reports.verdict.own_words import choose_case, stood_in_for, unit_of
from analysis.reports.verdict.questions import SYSTEM, Asked, asked_questions, read_lengths
from analysis.reports.verdict.simulated import simulation_notes
from analysis.stats.replacement.interval_narrowing import interval_narrowing
from analysis.stats.validation.answers import Answer
from analysis.stats.validation.evidence import Evidence
from analysis.stats.validation.family import correct_family
from analysis.stats.validation.systems import compare_systems
from analysis.stats.validation.verdict import decide, largest_judge_p
from annotate.models import Rater

RATE, COMPARE = "rate_items", "compare_systems"
BASELINE, RATER, JUDGE = "baseline", "rater", "judge"
MOST_NAMED = 3  # judges in a sentence
OWN_SCALE = "own scale"  # of a report's curves: (judge, question) that items give no level
MATRIX = "matrix"  # of a report's curves: the rows of judges on all questions
USUAL_EPSILON = 0.1
YES, PEOPLE_DISAGREE = str(Answer.YES), str(Answer.PEOPLE_DISAGREE)
NOT_TESTABLE = str(Answer.NOT_TESTABLE)
NUMBERS = (
    *("rho", "rho_low", "rho_high", "agreement", "agreement_low", "agreement_high"),
    *("retention", "retention_p", "worth", "worth_low", "worth_high"),
    *("level", "level_low", "level_high", "level_p", "closeness", "closeness_p"),
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
        table = self.judgments.reshape(len(self.judgments), -1)
        is_judged = ~np.isnan(table).any(axis=1)
        rated = int((is_judged & self.asked.is_rated).sum())
        return interval_narrowing(self.evidence.r_squared, rated, int(is_judged.sum()))


def verdict(answers, options, parts=None):
    """Give each judge, question and use one of five answers, with its reason and next step.

    parts: keys of the questions that get rows, None for all; the family counts all.
    """
    scores = Scores(answers, options)
    report = Report("verdict", answers.study.slug, options.as_dict())
    lengths, sizes, judges_entries, notes, of_people = read_lengths(scores), [], [], [], []
    report.curves |= {OWN_SCALE: set(), LADDERS: {}}
    for role in list_roles(scores):
        asked_people = asked_questions(scores, role, lengths)
        questions = list(with_own_answers(asked_people, scores, role))
        notes += own_answer_notes(questions)
        judged = [candidate for asked in questions for candidate in _judges(asked)]
        families = _correct(judged, questions, options, named_of(answers, options))
        sizes.append(families.size)
        decided = [
            decide(candidate.evidence, options.criteria, passes_correction=bool(passes))
            for candidate, passes in zip(judged, families.passes, strict=True)
        ]
        echoes = _echoes(questions, judged, decided)
        whole = Report("verdict", report.study, report.options)
        for place, candidate in enumerate(judged):
            if not options.judges or candidate.name in options.judges:
                family = float(families.p_adjusted[place]), families.size
                compared = _compare_systems(candidate)
                _add_rating(whole, candidate, decided[place], family, echoes.get(place), compared)
                if compared is not None:
                    _add_systems(whole, candidate, compared)
        shown = [asked for asked in questions if parts is None or asked.question.key in parts]
        for candidate in (candidate for asked in shown for candidate in _baselines(asked)):
            _add_rating(whole, candidate, decide(candidate.evidence, options.criteria))
        of_people += warn_of_people(questions, [e for e in whole.entries if _rates(e)])
        keys = {asked.question.key for asked in shown}
        report.curves[OWN_SCALE] |= {
            (candidate.name, candidate.asked.question.key)
            for candidate in judged
            if candidate.has_own_scale
        }
        report.curves[LADDERS] |= whole.curves
        report.entries += [entry for entry in whole.entries if entry.row["question"] in keys]
        judges_entries += [entry for entry in whole.entries if entry.kind == JUDGE]
    report.curves[MATRIX] = [entry.row for entry in judges_entries]
    report.curves[TEXT_METRICS] = text_metrics(answers)
    report.verdict = [
        *_sentences(judges_entries),
        *_other_roles(scores, judges_entries),
        *of_people,
    ]
    report.notes = [*item_notes(scores), *_notes(scores, report, sizes), *notes]
    return report


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
            judgments, has_own_scale=has_own_scale, is_fitted=_is_fitted(scores, name)
        )
        yield Candidate(name, JUDGE, asked, evidence, judgments, has_own_scale)


def _is_fitted(scores, name):
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
    """Correct for all judges of the study, chosen or not, and for all questions."""
    criteria, place = options.criteria, {id(asked): k for k, asked in enumerate(questions)}
    return correct_family(
        [largest_judge_p(candidate.evidence, criteria) for candidate in judged],
        [asked.people_p for asked in questions],
        [place[id(candidate.asked)] for candidate in judged],
        named=[candidate.name == named for candidate in judged],
        criteria=criteria,
    )


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


def _add_rating(report, candidate, decided, family=(nan, 0), echo=None, compared=None):
    """Add the row on rating items.

    family: adjusted p and size; a baseline has none. compared: its words on comparing systems.
    """
    asked, evidence = candidate.asked, candidate.evidence
    criteria = asked.scores.options.criteria
    about = candidate.name, asked.question.key
    groups = groups_of(candidate) if candidate.kind == JUDGE else []
    decided = limit_to_groups(decided, groups)
    make_case = choose_case(asked)
    case = make_case(*about, evidence, decided, criteria, echo, candidate.narrowing, compared)
    sentence, next_step = case.say()
    is_passed = decided.answer == Answer.YES or decided.missing == "groups"
    if is_passed and candidate.kind == JUDGE:
        sentence += limits_of(groups, asked.scores)
    unproven = ""
    if candidate.kind == JUDGE:
        key = candidate.name, asked.role, asked.question.key
        report.curves[key] = rungs_of(evidence, criteria, family[0])
        unproven = say_unproven(candidate.name, asked.scores) * (decided.answer == Answer.YES)
    numbers = _numbers(evidence, decided, asked.role, criteria) | {"p_adjusted": family[0]}
    row = _row(candidate, RATE, decided.answer, decided.reason, numbers)
    row["why"] = ", ".join(filter(None, (decided.grouping, decided.half, decided.missing)))
    if candidate.kind == JUDGE:
        warnings = [*case.warnings, *([UNPROVEN_NAME] if unproven else [])]
        row["next"], row["warnings"] = next_step, " ".join(warnings)
    row["family"] = family[1]
    report.add(row, reason=sentence + unproven, judge=_judge(candidate), kind=candidate.kind)
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
    why = f"in this group of items; {criteria.fewest_items} items are the least"
    report.add(row, reason=why, judge=candidate.name, kind=GROUP)


def _judge(candidate):
    return candidate.name if candidate.kind == JUDGE else ""


def _row(candidate, use, answer, reason, numbers):
    evidence = candidate.evidence
    return {
        "evaluator": candidate.name,
        "question": candidate.asked.question.key,
        "role": candidate.asked.role,
        "use": use,
        "systems": "",
        **({"group": ""} if candidate.asked.scores.options.groups else {}),
        "answer": str(answer),
        "verdict": str(reason),
        "why": "",
        "next": "",
        **dict.fromkeys(NUMBERS, nan),
        **numbers,
        "family": 0,
        "items": evidence.n,
        "clusters": evidence.n_clusters,
        "raters": evidence.n_raters,
        "warnings": "",
    }


def _numbers(evidence, decided, role, criteria):
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
    if evidence.closeness is not None:
        numbers["closeness"] = evidence.closeness.value
        epsilon = EPSILONS.get(role, USUAL_EPSILON)
        numbers["closeness_p"] = evidence.closeness.p_below(epsilon)
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
    """Return the numbers beyond the grouping that failed, else beyond systems, else the worst."""
    checked = [part for part in evidence.beyond if part.agreement is not None]
    if not checked:
        return {}
    p = {part.name: _p_beyond(part, criteria) for part in checked}
    wanted = [decided.grouping, SYSTEM, max(p, key=lambda name: p[name])]
    part = next(part for name in wanted for part in checked if part.name == name)
    return {
        "rho_within": part.agreement.rho.value,
        "agreement_within": part.agreement.r.value,
        "within_p": p[part.name],
    }


def _p_beyond(part, criteria):
    theta = part.agreement.retention(criteria.beyond_retention)
    both = part.agreement.rho.p_above(), theta.p_above()
    return float(np.max(np.nan_to_num(both, nan=1.0)))


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
    criteria = scores.options.criteria
    judge, systems = candidate.judgments[people.rows], codes[people.rows]
    comparison = compare_systems(people, judge, systems, reference.scale, criteria)
    names = list(scores.items["system"].cat.categories)
    margin = criteria.system_margin or reference.scale.system_margin
    about = candidate.name, asked.question.key
    return words.SystemsCase(*about, comparison, names, margin, people, candidate.evidence)


def _add_systems(report, candidate, case):
    """Add the row on comparing systems."""
    comparison, people = case.comparison, case.people
    sentence, next_step = case.say()
    numbers = {"p_adjusted": comparison.max_p}
    row = _row(candidate, COMPARE, comparison.answer, comparison.reason, numbers)
    row |= {"items": people.n, "clusters": people.n_clusters, "raters": people.n_raters}
    row |= {"why": comparison.missing, "next": next_step}
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
        decided = pair.decide(alpha, len(comparison.pairs))
        row = _row(candidate, COMPARE, *decided, numbers)
        row |= {"items": people.n, "clusters": people.n_clusters, "raters": people.n_raters}
        row["systems"] = f"{names[pair.second]} − {names[pair.first]}"
        row["warnings"] = "favours" if pair.is_favoured else ""
        why = "level: the judge's difference of the two systems, less people's"
        report.add(row, reason=why, judge=candidate.name, kind=JUDGE)


def _sentences(entries):
    """Yield a sentence a question and role on rating items, then one on comparing systems."""
    rated = [entry for entry in entries if entry.row["use"] == RATE]
    columns = dict.fromkeys((e.row["role"], e.row["question"]) for e in rated)
    several = len({role for role, _ in columns}) > 1
    for role, question in columns:
        own = [e for e in rated if (e.row["role"], e.row["question"]) == (role, question)]
        yield f"{question}{f' ({role})' if several else ''}: {_in_short(own)}"
    compared = [e.row for e in entries if e.row["use"] == COMPARE and not e.row["systems"]]
    if compared:
        yes = [row for row in compared if row["answer"] == YES]
        names = ", ".join(f"{row['evaluator']} ({row['question']})" for row in yes[:MOST_NAMED])
        others = " and others" if len(yes) > MOST_NAMED else ""
        yield f"Comparing systems in place of people: {names + others or 'no judge may'}."


def _other_roles(scores, entries):
    """Yield where to look when no item has two ratings by this role, but other roles rated too."""
    others = [str(Rater.Role(r).label) for r in scores.roles if r not in list_roles(scores)]
    if others and entries and all(e.row["answer"] == NOT_TESTABLE for e in entries):
        yield f"Others have rated too: choose “{'” or “'.join(others)}” as the reference role."


def least_worth(row):
    """Write what a row's judge is worth at least."""
    return f"at least {words.worth(row['worth_low'], unit_of(row))}"


def _in_short(entries):
    """Say how many judges may rate the items of one question, and which first, or why none."""
    rows = [entry.row for entry in entries]
    many = "1 judge" if len(rows) == 1 else f"{len(rows)} judges"
    yes = [row for row in rows if row["answer"] == YES]
    whom = stood_in_for(rows)
    if yes:
        top = max(yes, key=lambda row: np.nan_to_num(row["worth_low"]))
        return (
            f"{len(yes)} of {many} may stand in for {whom}, first {top['evaluator']}, worth "
            f"{least_worth(top)}{repeat_unproven(entries)}.{_flagged(yes)}"
        )
    if all(row["answer"] == NOT_TESTABLE for row in rows):
        return f"{entries[0].reason} {rows[0]['next']}"
    none = f"none of {many} may stand in for {whom}"
    of_people = [entry for entry in entries if entry.row["answer"] == PEOPLE_DISAGREE]
    if len(of_people) * 2 > len(entries):
        plainest = min(of_people, key=lambda entry: len(entry.row["warnings"].split()))
        return f"{none}. {plainest.reason}"
    answers = [words.ANSWERS[row["answer"]] for row in rows]
    counts = [f"{answer}: {answers.count(answer)}" for answer in dict.fromkeys(answers)]
    return f"{none} ({', '.join(counts)})."


def _flagged(rows):
    """Repeat in short of which judges with a yes some raters may have pasted the answers."""
    names = [row["evaluator"] for row in rows if "echo" in row["warnings"].split()]
    if not names:
        return ""
    shown = ", ".join(names[:MOST_NAMED]) + (" and others" if len(names) > MOST_NAMED else "")
    return f" Some raters agree with {shown} more than with people, as if they had pasted it."


def _notes(scores, report, sizes):
    options = scores.options
    yield (
        f"Reference: ratings by {', '.join(list_roles(scores))}, item by item; each role has a "
        "verdict of its own."
    )
    yield (
        f"Family: {' and '.join(map(str, sizes)) or 0} pairs of a judge and a question were tried "
        "on these ratings, those that are not shown included, judges on a scale of their own left "
        "out; judges are corrected by Benjamini–Hochberg and questions by Holm, each at "
        f"{words.short(options.alpha / 2, 3)}."
    )
    yield from named_note(scores.answers, options)
    yield from group_notes(options)
    yield (
        "Baselines and single raters are no candidates: they show what no insight, or one more "
        "rater, would give. A mean of a group leaves the item itself out."
    )
    yield "“No” and “people disagree” rest on one-sided bounds without a correction."
    judged = [e.row for e in report.entries if e.kind == JUDGE and e.row["use"] == RATE]
    yield from simulation_notes(judged)
    level = "its usual margin" if options.level is None else f"{options.level:g} points"
    yield (
        f"Conventions: {options.retention} of a rater's agreement is to be kept; raters agree by "
        f"{words.short(options.floor)} at least; each check at {words.short(options.alpha, 3)}; "
        f"level within {level}."
    )
    few = {row["raters"] for row in report.rows if 0 < row["raters"] < 10}
    if few:
        yield f"With fewer than ten raters a verdict is about raters exactly like these {max(few)}."
    if not judged:
        yield "No judge has judged an item that people rated."
