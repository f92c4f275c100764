"""List what is compared with the reference, and write the notes that every report has."""

import numpy as np

from analysis.options.choices import ALL
from analysis.reports.shared.few_clusters import FEW_CLUSTERS, FEWEST
from analysis.reports.shared.scores import LEARNED, MOST_SINGLE_RATERS, Evaluator
from analysis.stats.ensembles.learned_weights import FOLDS

NEVER_ASKED = "never asked"


def evaluators(scores):
    """Yield judges, then single raters, then means of the roles that are not the reference.

    Raters of a role stand alone where it has few of them. A rater who belongs to the reference is
    compared with the mean of the others.
    """
    reference = scores.reference()
    for judge in scores.judges:
        apart = scores.apart(judge, reference)
        yield Evaluator(judge, "judge", scores.judge(judge), apart)
    yield from _single_raters(scores, reference)
    for role in other_roles(scores):
        if len(scores.raters_of(role)) > 1:
            yield Evaluator(f"mean of {role}", "mean", scores.role_mean(role), reference)


def other_roles(scores):
    """Return the roles with ratings that are not (part of) the reference."""
    chosen = scores.options.reference
    return [role for role in scores.roles if chosen not in (role, ALL)]


def _single_raters(scores, reference):
    chosen = scores.options.reference
    own = scores.raters_of(chosen)
    others = {role: scores.raters_of(role) for role in other_roles(scores)}
    if 1 < len(own) <= MOST_SINGLE_RATERS and overlap(scores, own):
        for rater in own:
            yield _rater(scores, rater, scores.reference(without=rater), rater)
    for raters in others.values():
        for rater in raters if len(raters) <= MOST_SINGLE_RATERS else []:
            yield _rater(scores, rater, reference)


def _rater(scores, rater, reference, without=""):
    name = f"{rater} (rater)" if rater in scores.judges else rater
    return Evaluator(name, "rater", scores.rater(rater), reference, without)


def overlap(scores, raters):
    """Return whether some item has answers of two of these raters."""
    seen = np.zeros(scores.shape, dtype=int)
    for rater in raters:
        seen += ~np.isnan(scores.rater(rater))
    return bool((seen > 1).any())


def policy_notes(scores, compared=True):
    """Write the notes on the reference, on missing values, and on what was left out.

    compared: whether single raters, and only items with a reference, are compared with it.
    """
    options, notes = scores.options, []
    raters = scores.raters_of(options.reference)
    whose = "all people" if options.reference == ALL else f"role {options.reference}"
    notes.append(
        f"Reference: mean of the included ratings of {whose}, {_count(len(raters), 'rater')}, "
        f"{_count(len(scores.items), 'item')}."
    )
    if compared and 1 < len(raters) <= MOST_SINGLE_RATERS and overlap(scores, raters):
        notes.append(
            "A rater who belongs to the reference is compared with the mean of the others."
        )
    for role in scores.roles if options.reference != ALL else [ALL]:
        if compared and (n := len(scores.raters_of(role))) > MOST_SINGLE_RATERS:
            notes.append(f"The {n} raters of {role} are not shown one by one.")
    if options.judges:
        notes.append(f"Only these judges were chosen: {', '.join(options.judges)}.")
    notes += (
        _version_notes(scores)
        + _exclusion_notes(scores)
        + _missing_notes(scores)[0 if compared else 1 :]
    )
    return notes + [*_file_notes(scores), *_design_notes(scores), *_ensemble_notes(scores)]


def item_notes(scores):
    """Write the notes on version and items, for a report without a reference."""
    return _version_notes(scores) + _exclusion_notes(scores)


def _version_notes(scores):
    """Name the versions of the questionnaire whose answers are used, if there are several."""
    study, chosen = scores.answers.study, scores.options.version
    if study.questionnaire_version == 1:
        return []
    if chosen is not None:
        return [f"Only answers of version {chosen} of the questionnaire, of people and judges."]
    return [f"{together(scores.answers.versions)}."]


def together(versions):
    """Name the versions whose answers a report takes together."""
    *some, last = map(str, versions or ["none"])
    if not some:
        return f"Answers of version {last} of the questionnaire"
    return f"Answers of versions {', '.join(some)} and {last} of the questionnaire"


def _exclusion_notes(scores):
    options, answers, notes = scores.options, scores.answers, []
    only, own_only = _rules(options.only, answers.answer_columns)
    exclude, own_exclude = _rules(options.exclude, answers.answer_columns)
    if only:
        notes.append(f"Only the {_count(len(scores.items), 'item')} with {' and '.join(only)}.")
    if exclude:
        left_out = len(answers.items) - len(scores.items)
        notes.append(f"Left out: {_count(left_out, 'item')} with {', '.join(exclude)}.")
    whose = (
        "where the file of the ratings or judgments has that column; what judges cost and how "
        "often they failed is told of all their judgments"
    )
    if own_only:
        notes.append(f"Only answers with {' and '.join(own_only)}, {whose}.")
    if own_exclude:
        notes.append(f"Left out: answers with {', '.join(own_exclude)}, {whose}.")
    flagged = answers.table.loc[answers.table["excluded"], "exclusion_reason"]
    for reason, n in flagged.astype(str).value_counts().items():
        notes.append(f"Not counted: {_count(n, 'rating')} ({reason}).")
    return notes


def _rules(conditions, own):
    """Return conditions as texts: those on columns of items, then those on answers' own."""
    texts: tuple[list, list] = [], []
    for column, value in conditions:
        texts[column in own].append(f"{column}={value}")
    return texts


def _missing_notes(scores):
    options, notes = scores.options, []
    if options.missing_reference is None:
        notes.append("Items without a reference are dropped.")
    else:
        gaps = np.isnan(scores.role_mean(options.reference)) & scores.applies
        notes.append(
            f"Missing references count as {options.missing_reference:g} ({gaps.sum()} filled)."
        )
    policy, gaps = options.missing_judgment, list(_judge_gaps(scores))
    what = "are dropped" if policy is None else f"count as {policy:g}"
    if policy is not None and any(NEVER_ASKED in gap for gap in gaps):
        what += "; what a judge was never asked is dropped"
    notes.append(f"Missing judgments {what} ({'; '.join(gaps) or 'none'}).")
    return notes


def _file_notes(scores):
    """Yield notes on judges with values from a file, and whether these values count."""
    names = {scores.sampled(judge) for judge in scores.judges}
    of_file = {judge: yes for judge, yes in scores.answers.from_file.items() if judge in names}
    if loaded := [judge for judge, speaks in of_file.items() if speaks]:
        yield f"From a file, nothing was asked here: all values of {', '.join(loaded)}."
    if asked := [judge for judge, speaks in of_file.items() if not speaks]:
        yield (
            f"Asked here since a file was loaded, so that no value of the file counts or fills a "
            f"gap: {', '.join(asked)}."
        )


def _design_notes(scores):
    """Yield notes on samples, orders and weights of judges, and on items kept for examples."""
    for judge in scores.judges:
        if (sampled := scores.sampled(judge)) != judge:
            yield (
                f"{judge}: the mean of the scale's points, weighted by the probabilities that "
                f"{sampled} gave them; missing where these cannot be told."
            )
        if samples := scores.answers.samples.get(sampled):
            yield (
                f"{judge}: the mean of the {samples} samples of each answer, of those with a "
                "value; for a choice of words the most frequent, none at a tie."
            )
        if both := scores.answers.both_orders.get(judge):
            yield (
                f"{judge}: asked in both orders of the lists; of {_count(both[0], 'pair')} with "
                f"both verdicts {both[1]} differ by the order, which counts as a tie."
            )
        if held_out := int(scores.held_out(judge).sum()):
            yield (
                f"{judge}: {_count(held_out, 'item')} left out, which its examples are drawn from."
            )


def _ensemble_notes(scores):
    """Yield notes on the ensembles' members, and on ensembles that cannot be computed."""
    filled = scores.options.missing_judgment
    gap = "has no value" if filled is None else f"counts it as {filled:g}"
    for ensemble in scores.answers.ensembles:
        absent = [member for member in ensemble.members if member not in scores.every_judge]
        if scores.options.judges and ensemble.name not in scores.options.judges:
            continue
        if ensemble.name in scores.answers.set_aside:
            continue
        if absent:
            yield f"{ensemble.name} is left out: no judgment of {', '.join(absent)}."
        else:
            yield (
                f"{ensemble.name}: {ensemble.rule} of {', '.join(ensemble.members)}, computed "
                f"anew; where a member has no judgment the ensemble {gap}."
            )
            if ensemble.rule == LEARNED:
                yield from _weight_notes(scores, ensemble)


def _weight_notes(scores, ensemble):
    """Yield the weights that an ensemble learned, per question, or why there are none."""
    how = (
        "all of the choose part: no rating of the test part is in them"
        if scores.choosing
        else f"{FOLDS} folds by recipient (else content, else item), seed {scores.options.seed}: "
        "no item's value knows a rating of its own recipient"
    )
    yield (
        f"{ensemble.name}: weights by non-negative least squares, with a constant, of the members' "
        f"scores on the mean rating; {how}."
    )
    for question, learned in zip(scores.questions, scores.learned(ensemble.name), strict=True):
        words = learned.reason or f"{_weights(learned, ensemble.members)}; {learned.n} recipients"
        if not question.scale.is_nominal:
            yield f"{ensemble.name}, {question.key}: {words}."


def _weights(learned, members):
    """Write each member's mean weight, and the range over the folds."""
    lows, highs = learned.weights.min(axis=0), learned.weights.max(axis=0)
    rows = zip(members, learned.weights.mean(axis=0), lows, highs, strict=True)
    return ", ".join(
        f"{name} {mean:.3g} ({low:.3g} to {high:.3g})" for name, mean, low, high in rows
    )


def _judge_gaps(scores):
    """Yield what each judge with gaps lacks, of all items and the questions asked of their kind."""
    for judge in scores.judges:
        missing, never_asked = scores.judge_gaps(judge)
        if missing:
            asked = f", of these {never_asked} {NEVER_ASKED}" if never_asked else ""
            yield f"{judge}: {missing} of {scores.applies.sum()}{asked}"


def interval_note(scores, least=0):
    """Tell how intervals were made, and from what.

    least: clusters below which a report has no intervals.
    """
    if scores.counts is None:
        return "No intervals: 0 draws."
    draws, n = scores.counts.shape
    drawn = f"{scores.drawn_by}, else " if scores.drawn_by else ""
    many = "1 cluster" if n == 1 else f"{n} clusters"
    clusters = f"{many} ({drawn}recipient, else content, else item)"
    if n < least:
        return f"What intervals would draw: {clusters}."
    sentence = (
        f"Intervals: 95 % percentile, {draws} bootstrap draws of {clusters}, "
        f"seed {scores.options.seed}."
    )
    if n < FEWEST:
        return f"{sentence} They rest on {many} only and are narrower than they should be."
    if n < FEW_CLUSTERS:
        return (
            f"{sentence} With fewer than {FEW_CLUSTERS} clusters they may hold the truth less "
            "often than in 95 %."
        )
    return sentence


def _count(n, thing):
    return f"{n} {thing}{'' if n == 1 else 's'}"
