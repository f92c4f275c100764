"""Report: how closely the mean of every subset of the judges follows the reference, by size."""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np

from analysis.reports.base import Report, draw_notes, reason_notes
from analysis.reports.correlation.report import AVERAGE, COEFFICIENTS, LEVELS, correlate
from analysis.reports.ensembles.spreads import NO_INTERVALS, average_of, ends, spreads
from analysis.reports.shared.evaluators import interval_note, policy_notes, undefined_note
from analysis.reports.shared.labels import ORDERED
from analysis.reports.shared.scores import Evaluator, Scores
from analysis.stats.correlation.correlation import without_rounding
from analysis.stats.ensembles.average import average
from analysis.stats.ensembles.subsets import (
    folds_of,
    memberships,
    subset_coefficients,
    winner_elsewhere,
)
from analysis.stats.estimate import Estimate
from annotate.design.splits import TEST

MOST_MEMBERS = 8  # 255 subsets; each more doubles them
MOST_FOLDS = 5
SUBSET, SIZE, BEST, BEST_SINGLE = "subset", "size", "best", "best_single"
NO_FOLD = "no fold of recipients has a coefficient of its own"
PARTS = [f"{coefficient} {level}" for coefficient, level in product(COEFFICIENTS, LEVELS)]


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
        """Those that may stand in a mean: scores of single judges on the scale of the question."""
        apart = {*self.on_own_scale, *self.without_order, *self.of_other_questions}
        return [name for name in self.singles if name not in apart]

    @cached_property
    def singles(self):
        """Judges that are no ensembles, by their scores."""
        scores = self.scores
        singles = [name for name in scores.judges if scores.sampled(name) == name]
        return [name for name in singles if name not in scores.ensembles]

    @cached_property
    def on_own_scale(self):
        """Those of them that answer a question with an order on a scale of their own."""
        own = self.scores.answers.own_scale
        return [
            name
            for name in self.singles
            if name in own and any(kind in own[name].kinds for _, kind in self._answered[name])
        ]

    @cached_property
    def without_order(self):
        """Those of them that answer no question with an order: of a pair of lists, for example."""
        return [name for name in self.singles if not self._answered[name]]

    @cached_property
    def of_other_questions(self):
        """Those that lack a question of the others: with them no item of it would be common to all.

        The questions are those of the judges that answer most of them together; judges that were
        chosen by name are all taken, on the questions that they share.
        """
        able = {*self.singles} - {*self.on_own_scale, *self.without_order}
        asked = {name: {at for at, _ in self._answered[name]} for name in self.singles}
        if self.scores.options.judges or not able:
            return []
        sets = [asked[name] for name in self.singles if name in able]
        core = max(sets, key=lambda own: len(own) * sum(own <= other for other in sets))
        return [name for name in self.singles if name in able and not core <= asked[name]]

    @cached_property
    def _answered(self):
        """{judge: (place, kind) of the questions with an order that it answers}"""
        scores, found = self.scores, {}
        for name in self.singles:
            kinds = [(at, scores.questions[at].scale.kind) for at in scores.answered(name)]
            found[name] = [(int(at), kind) for at, kind in kinds if kind in ORDERED]
        return found

    @cached_property
    def judges(self):
        return self.candidates[:MOST_MEMBERS]

    @cached_property
    def choosing(self):
        """The same judges on the choose part; None where one of them has nothing there."""
        others = self.scores.choosing
        options = replace(others.options, judges=tuple(self.judges))
        found = _Subsets(Scores(others.answers, options))
        return found if found.questions and found.judges == self.judges else None

    @cached_property
    def members(self):
        return memberships(len(self.judges))

    @cached_property
    def questions(self):
        """(key, values (judges, n), reference (n,), rows (n,)) where the scale has an order."""
        if not self.judges:
            return []
        reference = self.scores.reference()
        stack = np.stack([self.scores.judge(name) for name in self.judges])
        found = []
        for place, question in enumerate(self.scores.questions):
            if question.scale.kind not in ORDERED:
                continue
            x, y = stack[:, :, place], reference[:, place]
            rows = np.flatnonzero(~np.isnan(y) & ~np.isnan(x).any(axis=0))
            if len(rows):
                found.append((question.key, x[:, rows], y[rows], rows))
        return found

    @cached_property
    def folds(self):
        """A fold for each item, by recipient, else content, else item; and how many."""
        clusters = self.scores.clusters
        n = min(MOST_FOLDS, int(clusters.max(initial=-1)) + 1)
        rng = np.random.default_rng(self.scores.options.seed)
        return folds_of(clusters, max(n, 1), rng), n

    def fit(self, coefficient, level, keep=None):
        """The value of each subset for each question (questions, subsets), on the items kept."""
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
        """The value of one subset, mean of the questions, with its interval, on the items kept."""
        scores = self.scores
        values, reference = np.full((2, *scores.shape), np.nan)
        columns = {question.key: at for at, question in enumerate(scores.questions)}
        found = []
        for key, x, y, rows in self.questions:
            inside = slice(None) if keep is None else keep[rows]
            values[rows[inside], columns[key]] = x[self.members[place]].mean(axis=0)[inside]
            reference[rows[inside], columns[key]] = y[inside]
            subset = Evaluator(self.names(place), "judge", np.round(values, 12), reference)
            found.append(correlate(scores, subset, columns[key], level, coefficient))
        return average(found)

    def groups(self, level, rows):
        scores = self.scores
        of_level = {"user": scores.recipients, "pair": scores.pairs, "system": scores.systems}
        return None if level == "dataset" else of_level[level][rows]

    def names(self, place):
        """The subset as one writes it."""
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
            facts = spread.of(place) | ({} if np.isnan(value) else around[place])
            _row(report, same, SUBSET, sizes[place], sets.names(place), value, **facts)
        for size in range(1, len(sets.judges) + 1):
            _add_size(report, same, size, line, (sizes == size) & ~np.isnan(line), spread)
    _add_best(report, sets, coefficient, level, averages)


def _add_size(report, same, size, line, known, spread):
    """The mean over the subsets of a size that have a value (known), and the ends of these."""
    if not known.any():
        _row(report, same, SIZE, size, "", np.nan, of=0)
        return
    facts = {"min": line[known].min(), "max": line[known].max(), "mean": line[known].mean()}
    facts |= ends(spread.mean_of(known), 1)[0]
    _row(report, same, SIZE, size, "", facts["mean"], **facts, of=int(known.sum()))


def _add_best(report, sets, coefficient, level, averages):
    """The subset that looks best, and what such a choice is worth on items it was not made on."""
    sizes = sets.members.sum(axis=1)
    same = {"question": AVERAGE, "level": level, "coefficient": coefficient}
    same["n"] = sum(len(rows) for *_, rows in sets.questions)
    worth = _worth_on_test if sets.scores.choosing else _worth_on_folds
    fits = _remembered(lambda keep: sets.fit(coefficient, level, keep).mean(axis=0))
    found = worth(sets, coefficient, level, averages, fits)
    for kind, among in ((BEST, sizes > 0), (BEST_SINGLE, sizes == 1)):
        place, values, drawn = found(among)
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
    """found(among): (the best place, values where it was not chosen, an Estimate of their mean)."""
    folds, n_folds = sets.folds

    def found(among):
        known = np.where(among, averages, np.nan)
        if np.isnan(known).all():
            return None, None, None
        place = int(np.nanargmax(known))
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

    return found


def _worth_on_test(sets, coefficient, level, averages, _):
    """The same of a test part: what is best on the choose part, and its value here."""
    looks = np.full(len(averages), np.nan)
    if sets.choosing:
        looks = sets.choosing.fit(coefficient, level).mean(axis=0)

    def found(among):
        known = np.where(among, looks, np.nan)
        if np.isnan(known).all():
            return None, None, None
        place = int(np.nanargmax(known))
        return place, averages[[place]], sets.estimate(place, coefficient, level)

    return found


def _remembered(fits):
    """fits(rows) computed once for each choice of rows."""
    known: dict = {}

    def remembered(rows):
        key = rows.tobytes()
        if key not in known:
            known[key] = fits(rows)
        return known[key]

    return remembered


def _row(report, same, kind, size, members, value, **more):
    """One row; more: mean, min, max, of (how many), cross_validated, reason, undefined_draws."""
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
    """One sentence per coefficient and level: the winner, and what it is worth elsewhere."""
    found = {(entry.kind, *_measure(entry.row)): entry.row for entry in report.entries}
    for (kind, coefficient, level), best in found.items():
        measure = "r" if coefficient == "pearson" else coefficient
        single = found.get((BEST_SINGLE, coefficient, level))
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
    left_out = sets.candidates[MOST_MEMBERS:]
    yield (
        "Each subset is the unweighted mean of its judges, on the items that all chosen judges "
        f"and the reference have: {_sizes(sets)}."
    )
    if left_out:
        yield (
            f"Of {len(sets.candidates)} judges the first {MOST_MEMBERS} are combined; choose "
            f"others above. Left out: {', '.join(left_out)}."
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
