"""Measure how closely the mean of every subset of the judges follows the reference, by size."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from analysis.reports.base import Report, draw_notes, reason_notes
from analysis.reports.compare.usual import rank_judges
from analysis.reports.correlation.report import AVERAGE, correlate
from analysis.reports.differences.report import PARTS
from analysis.reports.ensembles.spreads import NO_INTERVALS, average_of, ends, spreads
from analysis.reports.shared.evaluators import interval_note, policy_notes, undefined_note
from analysis.reports.shared.scores import Evaluator, Scores
from analysis.stats.ensembles.average import average
from analysis.stats.ensembles.subsets import (
    folds_of,
    memberships,
    subset_coefficients,
    winner_elsewhere,
)
from analysis.stats.estimate import Estimate
from analysis.stats.inputs import without_rounding
from annotate.design.splits import TEST

MOST_MEMBERS = 8  # 255 subsets; each more doubles them
MOST_FOLDS = 5
SUBSET, SIZE, BEST, BEST_SINGLE = "subset", "size", "best", "best_single"
NO_FOLD = "no fold of recipients has a coefficient of its own"


def ensembles(answers, options, parts=None):
    """A row per subset, question, level and coefficient; then per size, and of the best subset.

    parts: such as "pearson dataset"; all of PARTS where none are named.
    """
    scores = Scores(answers, options)
    report = Report("ensembles", answers.study.slug, options.as_dict())
    sets = _Subsets(scores)
    for part in PARTS if parts is None else parts:
        if sets.questions:
            _add(report, sets, *part.split())
    report.verdict = list(_verdict(report))
    report.notes = [
        *policy_notes(scores, compared=False),
        *_notes(sets),
        undefined_note(options),
        interval_note(scores),
        *([NO_INTERVALS] if options.draws and sets.questions else []),
        *draw_notes(report, options.draws),
        *reason_notes(report, ["question", "level", "kind"]),
    ]
    return report


@dataclass
class _Subsets:
    """The judges that are combined, and per question the items on which all have a value."""

    scores: Scores

    @cached_property
    def candidates(self):
        """Return the single judges on the questions' scales, whose values may be averaged."""
        apart = {*self.on_own_scale, *self.without_order, *self.of_other_questions}
        return [name for name in self.singles if name not in apart]

    @cached_property
    def singles(self):
        """Return the judges that are no ensembles, by their scores."""
        scores = self.scores
        singles = [name for name in scores.judges if scores.sampled(name) == name]
        return [name for name in singles if name not in scores.ensembles]

    @cached_property
    def on_own_scale(self):
        """Return the single judges that answer an ordered question on their own scale."""
        own = self.scores.answers.own_scale
        return [
            name
            for name in self.singles
            if name in own and any(level in own[name].levels for _, level in self._answered[name])
        ]

    @cached_property
    def without_order(self):
        """Return the single judges that answer no ordered question, e.g. only on pairs of lists."""
        return [name for name in self.singles if not self._answered[name]]

    @cached_property
    def of_other_questions(self):
        """Return the judges that lack a question of the others, which would be left without items.

        The questions are those of the judges that answer most of them together; judges that were
        chosen by name are all taken, on the questions that they share.
        """
        able = {*self.singles} - {*self.on_own_scale, *self.without_order}
        asked = {name: {place for place, _ in self._answered[name]} for name in self.singles}
        if self.scores.options.judges or not able:
            return []
        sets = [asked[name] for name in self.singles if name in able]
        core = max(sets, key=lambda own: len(own) * sum(own <= other for other in sets))
        return [name for name in self.singles if name in able and not core <= asked[name]]

    @cached_property
    def _answered(self):
        """Return {judge: (place, level) of the ordered questions that it answers}."""
        scores, answered = self.scores, {}
        for name in self.singles:
            scales = [(int(i), scores.questions[i].scale) for i in scores.answered(name)]
            answered[name] = [(i, scale.level) for i, scale in scales if scale.is_ordered]
        return answered

    @cached_property
    def judges(self):
        """Return the judges that are combined: the best MOST_MEMBERS of the candidates, if more."""
        if len(self.candidates) <= MOST_MEMBERS:
            return self.candidates
        others = self.scores.choosing or self.scores
        order = rank_judges(others.answers, others.options)
        ranks = {name: place for place, name in enumerate(order)}
        ranked = sorted(self.candidates, key=lambda name: ranks.get(name, len(ranks)))
        return [name for name in self.candidates if name in ranked[:MOST_MEMBERS]]

    @cached_property
    def choosing(self):
        """Return the same judges on the choose part; None if a judge has nothing there."""
        others = self.scores.choosing
        options = replace(others.options, judges=tuple(self.judges))
        subsets = _Subsets(Scores(others.answers, options))
        return subsets if subsets.questions and subsets.judges == self.judges else None

    @cached_property
    def members(self):
        """Return which judges each subset has (subsets, judges), the smallest subsets first."""
        return memberships(len(self.judges))

    @cached_property
    def questions(self):
        """Return [(key, values (judges, n), reference (n,), rows (n,))] of ordered questions."""
        if not self.judges:
            return []
        reference = self.scores.reference()
        stack = np.stack([self.scores.judge(name) for name in self.judges])
        usable = []
        for place, question in enumerate(self.scores.questions):
            if not question.scale.is_ordered:
                continue
            x, y = stack[:, :, place], reference[:, place]
            rows = np.flatnonzero(~np.isnan(y) & ~np.isnan(x).any(axis=0))
            if len(rows):
                usable.append((question.key, x[:, rows], y[rows], rows))
        return usable

    @cached_property
    def folds(self):
        """Return (the fold of each item, how many): by recipient, else content, else item."""
        clusters = self.scores.clusters
        n = min(MOST_FOLDS, int(clusters.max(initial=-1)) + 1)
        rng = np.random.default_rng(self.scores.options.seed)
        return folds_of(clusters, max(n, 1), rng), n

    def fit(self, coefficient, level, keep=None):
        """Return each subset's value for each question (questions, subsets), on the items kept."""
        kept = slice(None) if keep is None else keep
        return np.stack(
            [
                self._fit_question(x, y, rows, coefficient, level, kept)
                for _, x, y, rows in self.questions
            ]
        )

    def _fit_question(self, x, y, rows, coefficient, level, kept):
        if not isinstance(kept, slice):
            inside = kept[rows]
            x, y, rows = x[:, inside], y[inside], rows[inside]
        groups = self.groups(level, rows)
        if groups is not None:
            inside = groups >= 0
            x, y, groups = x[:, inside], y[inside], groups[inside]
        if level == "system":
            x, y = _means_of_groups(x, y, groups)
            groups = None
        zero = self.scores.options.undefined == "zero"
        return subset_coefficients(x, y, self.members, coefficient, groups, zero)

    def estimate(self, place, coefficient, level, keep=None):
        """Return one subset's mean over the questions, with its interval, on the items kept."""
        scores = self.scores
        values, reference = np.full((2, *scores.shape), np.nan)
        columns = {question.key: column for column, question in enumerate(scores.questions)}
        estimates = []
        for key, x, y, rows in self.questions:
            inside = slice(None) if keep is None else keep[rows]
            values[rows[inside], columns[key]] = x[self.members[place]].mean(axis=0)[inside]
            reference[rows[inside], columns[key]] = y[inside]
            subset = Evaluator(self.names(place), "judge", np.round(values, 12), reference)
            estimates.append(correlate(scores, subset, columns[key], level, coefficient))
        return average(estimates)

    def groups(self, level, rows):
        """Return the group of each row at this level; None at the dataset level."""
        scores = self.scores
        of_level = {"user": scores.recipients, "pair": scores.pairs, "system": scores.systems}
        return None if level == "dataset" else of_level[level][rows]

    def names(self, place):
        """Return the subset's judges joined by +."""
        return " + ".join(np.array(self.judges)[self.members[place]])


def _means_of_groups(x, y, groups):
    present, codes = np.unique(groups, return_inverse=True)
    sizes = np.bincount(codes)
    means = [np.bincount(codes, line, minlength=len(present)) / sizes for line in (*x, y)]
    table = np.stack([without_rounding(line) for line in means])
    return table[:-1], table[-1]


def _add(report, sets, coefficient, level):
    values = sets.fit(coefficient, level)
    averages = values.mean(axis=0)
    sizes = sets.members.sum(axis=1)
    ns = [len(rows) for *_, rows in sets.questions]
    keys = [key for key, *_ in sets.questions]
    beside = spreads(sets, coefficient, level)
    lines = [*zip(keys, values, ns, beside, strict=True)]
    for key, line, n, spread in [*lines, (AVERAGE, averages, sum(ns), average_of(beside))]:
        same = {"question": key, "level": level, "coefficient": coefficient, "n": n}
        around = ends(spread, len(line))
        for place, value in enumerate(line):
            facts = spread.group_counts(place) | ({} if np.isnan(value) else around[place])
            _row(report, same, SUBSET, sizes[place], sets.names(place), value, **facts)
        for size in range(1, len(sets.judges) + 1):
            _add_size(report, same, size, line, (sizes == size) & ~np.isnan(line), spread)
    _add_best(report, sets, coefficient, level, averages)


def _add_size(report, same, size, line, defined, spread):
    """Add the mean over the defined subsets of one size, with its minimum and maximum."""
    if not defined.any():
        _row(report, same, SIZE, size, "", np.nan, of=0)
        return
    facts = {"min": line[defined].min(), "max": line[defined].max(), "mean": line[defined].mean()}
    facts |= ends(spread.mean_of(defined), 1)[0]
    _row(report, same, SIZE, size, "", facts["mean"], **facts, of=int(defined.sum()))


def _add_best(report, sets, coefficient, level, averages):
    """Add the subset that looks best, and its value on items on which it was not chosen."""
    sizes = sets.members.sum(axis=1)
    same = {"question": AVERAGE, "level": level, "coefficient": coefficient}
    same["n"] = sum(len(rows) for *_, rows in sets.questions)
    worth = _worth_on_test if sets.scores.choosing else _worth_on_folds
    fits = _remembered(lambda keep: sets.fit(coefficient, level, keep).mean(axis=0))
    find_winner = worth(sets, coefficient, level, averages, fits)
    for kind, among in ((BEST, sizes > 0), (BEST_SINGLE, sizes == 1)):
        place, values, drawn = find_winner(among)
        if place is None:
            continue
        usable = values[~np.isnan(values)]
        _row(
            report,
            same,
            kind,
            sizes[place],
            sets.names(place),
            averages[place],
            cross_validated=usable.mean() if len(usable) else np.nan,
            of=len(usable),
            cross_validated_low=drawn.low,
            cross_validated_high=drawn.high,
            reason=drawn.reason,
            undefined_draws=drawn.undefined_draws,
        )


def _worth_on_folds(sets, coefficient, level, averages, fits):
    """Return find_winner(among), which chooses the best subset on other folds.

    It gives (the best place, values where it was not chosen, an Estimate of their mean).
    """
    folds, n_folds = sets.folds

    def find_winner(among):
        candidates = np.where(among, averages, np.nan)
        if np.isnan(candidates).all():
            return None, None, None
        place = int(np.nanargmax(candidates))
        if n_folds < 2:
            return place, np.array([np.nan]), Estimate(np.nan, reason=NO_FOLD)
        elsewhere = winner_elsewhere(fits, folds, n_folds, among)
        drawn = [
            sets.estimate(chosen, coefficient, level, folds == fold)
            for fold, (value, chosen) in enumerate(zip(*elsewhere, strict=True))
            if not np.isnan(value)
        ]
        none = Estimate(np.nan, reason=NO_FOLD)
        return place, elsewhere.values, average(drawn) if drawn else none

    return find_winner


def _worth_on_test(sets, coefficient, level, averages, _):
    """Return find_winner(among), which chooses on the choose part and measures on the test part."""
    looks = np.full(len(averages), np.nan)
    if sets.choosing:
        looks = sets.choosing.fit(coefficient, level).mean(axis=0)

    def find_winner(among):
        candidates = np.where(among, looks, np.nan)
        if np.isnan(candidates).all():
            return None, None, None
        place = int(np.nanargmax(candidates))
        return place, averages[[place]], sets.estimate(place, coefficient, level)

    return find_winner


def _remembered(fits):
    """Return fits(rows) computed once for each choice of rows."""
    kept: dict = {}

    def remembered(rows):
        key = rows.tobytes()
        if key not in kept:
            kept[key] = fits(rows)
        return kept[key]

    return remembered


def _row(report, same, kind, size, members, value, **more):
    """Add a row; more: mean, min, max, of (how many), cross_validated, reason, undefined_draws."""
    reason, undefined = more.pop("reason", ""), int(more.pop("undefined_draws", 0))
    crossed = ("cross_validated", "cross_validated_low", "cross_validated_high")
    blank = dict.fromkeys(("low", "high"), np.nan) | dict.fromkeys(("groups", "skipped"))
    blank |= dict.fromkeys(("mean", "min", "max", *crossed), np.nan) | {"of": None}
    counted = ("groups", "skipped", "of")
    facts = blank | {
        name: number if number is None or name in counted else float(number)
        for name, number in more.items()
    }
    if np.isnan(value):
        reason = "all values of a side are equal, or too few items"
    report.add(
        {"kind": kind, "size": int(size), "members": members, **same, "value": float(value)}
        | facts,
        reason=reason,
        kind=kind,
        undefined_draws=undefined,
    )


def _verdict(report):
    """Name the winner of each coefficient and level, and its value elsewhere, in a sentence."""
    rows = {(entry.kind, *_measure(entry.row)): entry.row for entry in report.entries}
    for (kind, coefficient, level), best in rows.items():
        measure = "r" if coefficient == "pearson" else coefficient
        single = rows.get((BEST_SINGLE, coefficient, level))
        if kind != BEST or single is None:
            continue
        if np.isnan([best["cross_validated"], single["cross_validated"]]).any():
            continue
        if report.options["part"] == TEST:
            yield (
                f"{coefficient}, {level}: {best['members']}, the best on the choose part, has "
                f"{best['value']:.3f} on the test part; the single judge with the highest "
                f"{measure} there, {single['members']}, has {single['value']:.3f}."
            )
            continue
        yield (
            f"{coefficient}, {level}: {best['members']} looks best with {best['value']:.3f}. "
            f"Chosen on other recipients such a winner reaches {best['cross_validated']:.3f}, the "
            f"single judge with the highest {measure}: {single['cross_validated']:.3f}."
        )


def _measure(row):
    return row["coefficient"], row["level"]


def _notes(sets):
    left_out = [name for name in sets.candidates if name not in sets.judges]
    yield (
        "Each subset is the unweighted mean of its judges, on the items that all chosen judges "
        f"and the reference have: {_sizes(sets)}."
    )
    if left_out:
        yield (
            f"Of {len(sets.candidates)} judges the best {MOST_MEMBERS} are combined, in the order "
            "of Results; where no other ratings chose them, what they reach together may be "
            f"somewhat too high. Choose others above. Left out: {', '.join(left_out)}."
        )
    if sets.on_own_scale:
        yield f"On a scale of their own, so in no mean: {', '.join(sets.on_own_scale)}."
    if sets.of_other_questions:
        yield (
            "Without an answer to some question that the others share, so in no mean unless "
            f"chosen above: {', '.join(sets.of_other_questions)}."
        )
    if sets.without_order:
        yield f"Answers in no order, so in no mean: {', '.join(sets.without_order)}."
    if sets.scores.choosing:
        yield "Best: chosen on the choose part of the split; its value is that on the test part."
        if not sets.choosing:
            yield "No subset is chosen: the choose part lacks answers of some of these judges."
        return
    yield (
        f"Cross-validated: the recipients (else contents, else items) are cut into {sets.folds[1]} "
        "folds; the subset that is best on the others is measured on each fold, and the folds are "
        f"averaged. Seed {sets.scores.options.seed}. Its interval draws each fold's recipients "
        "again; what was chosen stays."
    )


def _sizes(sets):
    return ", ".join(f"{key} {len(rows):,}" for key, _, _, rows in sets.questions) or "none"
