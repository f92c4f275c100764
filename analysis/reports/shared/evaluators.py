"""List what is compared with the reference, and write the notes that every report has."""

import numpy as np

from analysis.options.choices import ALL
from analysis.reports.shared.few_clusters import FEW_CLUSTERS, FEWEST
from analysis.reports.shared.scores import LEARNED, MOST_SINGLE_RATERS, Evaluator
from analysis.reports.words import notes_beside
from analysis.stats.ensembles.learned_weights import FOLDS

NEVER_ASKED = "never asked"
say = notes_beside(__file__, "evaluators")


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
    options, raters = scores.options, scores.raters_of(scores.options.reference)
    whose = "all people" if options.reference == ALL else f"role {options.reference}"
    notes = [say("reference", whose=whose, n_raters=len(raters), n_items=len(scores.items))]
    if compared and 1 < len(raters) <= MOST_SINGLE_RATERS and overlap(scores, raters):
        notes.append(say("others"))
    for role in scores.roles if options.reference != ALL else [ALL]:
        if compared and (n := len(scores.raters_of(role))) > MOST_SINGLE_RATERS:
            notes.append(say("many_raters", n=n, role=role))
    if options.judges:
        notes.append(say("judges", names=", ".join(options.judges)))
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
        return [say("version", version=chosen)]
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
        notes.append(say("only", n=len(scores.items), what=" and ".join(only)))
    if exclude:
        left_out = len(answers.items) - len(scores.items)
        notes.append(say("exclude", n=left_out, what=", ".join(exclude)))
    if own_only:
        notes.append(say("own_only", what=" and ".join(own_only)))
    if own_exclude:
        notes.append(say("own_exclude", what=", ".join(own_exclude)))
    flagged = answers.table.loc[answers.table["excluded"], "exclusion_reason"]
    flagged = flagged.astype(str).value_counts()
    return [*notes, *(say("flagged", n=n, reason=reason) for reason, n in flagged.items())]


def _rules(conditions, own):
    """Return conditions as texts: those on columns of items, then those on answers' own."""
    texts: tuple[list, list] = [], []
    for column, value in conditions:
        texts[column in own].append(f"{column}={value}")
    return texts


def _missing_notes(scores):
    options, notes = scores.options, []
    if options.missing_reference is None:
        notes.append(say("dropped"))
    else:
        gaps = np.isnan(scores.role_mean(options.reference)) & scores.applies
        notes.append(say("filled", value=options.missing_reference, n=gaps.sum()))
    policy, gaps = options.missing_judgment, list(_judge_gaps(scores))
    what = "are dropped" if policy is None else f"count as {policy:g}"
    if policy is not None and any(NEVER_ASKED in gap for gap in gaps):
        what += "; what a judge was never asked is dropped"
    return [*notes, say("judgments", what=what, gaps="; ".join(gaps) or "none")]


def _file_notes(scores):
    """Yield notes on judges with values from a file, and whether these values count."""
    names = {scores.sampled(judge) for judge in scores.judges}
    of_file = {judge: yes for judge, yes in scores.answers.from_file.items() if judge in names}
    if loaded := [judge for judge, speaks in of_file.items() if speaks]:
        yield say("from_file", names=", ".join(loaded))
    if asked := [judge for judge, speaks in of_file.items() if not speaks]:
        yield say("asked_since", names=", ".join(asked))


def _design_notes(scores):
    """Yield notes on samples, orders and weights of judges, and on items kept for examples."""
    for judge in scores.judges:
        if (sampled := scores.sampled(judge)) != judge:
            yield say("weighted", judge=judge, sampled=sampled)
        if samples := scores.answers.samples.get(sampled):
            yield say("samples", judge=judge, n=samples)
        if both := scores.answers.both_orders.get(judge):
            yield say("both_orders", judge=judge, n=both[0], differ=both[1])
        if held_out := int(scores.held_out(judge).sum()):
            yield say("held_out", judge=judge, n=held_out)


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
            yield say("absent", name=ensemble.name, members=", ".join(absent))
        else:
            facts = {"name": ensemble.name, "rule": ensemble.rule, "gap": gap}
            yield say("ensemble", **facts, members=", ".join(ensemble.members))
            if ensemble.rule == LEARNED:
                yield from _weight_notes(scores, ensemble)


def _weight_notes(scores, ensemble):
    """Yield the weights that an ensemble learned, per question, or why there are none."""
    how = "learned_on_choose" if scores.choosing else "learned_in_folds"
    yield say(how, name=ensemble.name, folds=FOLDS, seed=scores.options.seed)
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
        return say("no_draws")
    draws, n = scores.counts.shape
    drawn = f"{scores.drawn_by}, else " if scores.drawn_by else ""
    case = "fewest" if n < FEWEST else "few" if n < FEW_CLUSTERS else "intervals"
    facts = {"draws": draws, "n": n, "by": drawn, "few": FEW_CLUSTERS, "seed": scores.options.seed}
    return say("would_draw" if n < least else case, **facts)
