"""Write the rows of a judge, baseline or rater: on rating items, groups of items, and systems."""

from math import nan

from analysis.reports.base import Entry
from analysis.reports.verdict.candidates import JUDGE
from analysis.reports.verdict.groups import (
    GROUP,
    answer_in_group,
    groups_of,
    limit_to_groups,
    limits_of,
)
from analysis.reports.verdict.notes import say_unproven
from analysis.reports.verdict.options import SHOW
from analysis.reports.verdict.questions import OwnAsked
from analysis.reports.verdict.sentences import Case, OwnCase, names_unchecked
from analysis.reports.verdict.summary import UNCHECKED, UNPROVEN_NAME
from analysis.reports.verdict.texts import COMPARE, RATE
from analysis.stats.validation.decision import Answer
from analysis.stats.validation.evidence import largest_p

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
    case = (OwnCase if isinstance(asked, OwnAsked) else Case)(candidate, decided)
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
    decided, least = answer_in_group(result, candidate.criteria), candidate.criteria.fewest_items
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
