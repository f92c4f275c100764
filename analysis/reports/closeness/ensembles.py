"""Measure how closely the mean of every subset of the judges follows the reference, by size."""

from dataclasses import replace
from functools import cache, cached_property
from math import isnan, nan

import numpy as np

from analysis.figures import scatter
from analysis.figures.layout import Cell, Figure, Layout, Table, cross_table, details, interval_cell
from analysis.reports.base import group_by
from analysis.reports.closeness.compare import rank_judges
from analysis.reports.closeness.engine import ClosenessReport
from analysis.reports.shared.correlations import (
    AVERAGE,
    LABELS,
    PARTS,
    correlate_rows,
    groups_of,
)
from analysis.reports.shared.options import CorrelationOptions
from analysis.reports.shared.scores import Scores
from analysis.reports.words import notes_beside
from analysis.stats.ensembles.average import average
from analysis.stats.ensembles.subsets import (
    coefficients_by_group,
    folds_of,
    mean_of_groups,
    memberships,
    subset_coefficients,
    winner_elsewhere,
)
from analysis.stats.estimate import Estimate
from analysis.stats.inputs import without_rounding
from analysis.stats.intervals.subset_draws import group_draws, pearson_draws
from annotate.design.splits import TEST
from annotate.templatetags.concord import interval

MOST_MEMBERS = 8  # 255 subsets; each more doubles them
MOST_FOLDS = 5
MOST_LINES = 15  # of the table of the best subsets
SUBSET, SIZE, BEST, BEST_SINGLE = "subset", "size", "best", "best_single"
WINNERS = {BEST: "of all subsets", BEST_SINGLE: "of single judges"}
UNDEFINED = "all values of a side are equal, or too few items"
NO_FOLD = "no fold of recipients has a coefficient of its own"
ONE_CLUSTER = "no interval: all observations are in one cluster"
SEVERAL = "no interval: groups span several clusters"
CROSSED = ("cross_validated", "cross_validated_low", "cross_validated_high")
BLANK = dict.fromkeys(("mean", "min", "max", *CROSSED), nan) | {"of": None}
say = notes_beside(__file__, "ensembles")


class Ensembles(ClosenessReport):
    """A row per subset, question, level and coefficient; then per size, and of the best subset."""

    name, title, options = "ensembles", "Ensembles", CorrelationOptions
    singles, named_by = False, ("question", "level", "kind")

    def compare(self, report, scores, parts):
        subsets = Subsets(scores)
        for part in (PARTS if parts is None else parts) if subsets.questions else ():
            _add_part(report, subsets, *part.split())
        report.verdict = list(_verdict(report))
        notes = list(_notes(subsets))
        if scores.options.draws and subsets.questions:
            notes.append(say("no_intervals"))
        return subsets.scores, notes

    def layout(self, report, measure, looks):
        """Return the page of one coefficient and level: the subsets by size, the best of them."""
        coefficient, level = measure.split()
        words = f"{LABELS[coefficient]}, {level} level"
        sizes = [entry for entry in report.entries if entry.kind == SIZE]
        means = [entry for entry in sizes if entry.row["question"] == AVERAGE]
        own = [e for e in report.entries if (e.kind, e.row["question"]) == (SUBSET, AVERAGE)]
        own = [entry for entry in own if not isnan(entry.row["value"])]
        caption = (
            f"{words}, mean of the questions: each dot is the mean of one subset of the judges; "
            "the line joins the means of each size, with their 95 % intervals where they have any."
        )
        figure = Figure("ensembles", caption, scatter.subsets(own, means, words))
        best = sorted(own, key=lambda entry: -entry.row["value"])[:MOST_LINES]
        tables = [
            cross_table(
                f"{words}: mean over the subsets of a size [smallest, largest]; mean: 95 % "
                "interval.",
                "Judges",
                {(entry.row["size"], entry.row["question"]): _spread(entry) for entry in sizes},
            ),
            Table(
                f"{words}, mean of the questions: the {len(best)} subsets that look best.",
                ["Judges", "Value", "Groups skipped"],
                [(entry.row["members"], _subset_cells(entry)) for entry in best],
                corner="Subset",
            ),
            Table(
                f"{words}, mean of the questions: the winners, where they were not chosen.",
                ["Judges", "Looks like", "Is worth", "Folds"],
                [(WINNERS[e.kind], _best_cells(e)) for e in report.entries if e.kind in WINNERS],
                corner="Best",
            ),
        ]
        return Layout([figure] if own else [], tables, *details(report))


class Subsets:
    """The judges that are combined, and per question the items on which all have a value.

    members: which judges each subset has (subsets, judges), the smallest subsets first; questions:
    [(key, values (judges, n), reference (n,), rows (n,))] of ordered questions; left_out: notes on
    the judges that are in no mean.
    """

    def __init__(self, scores):
        self.scores = scores
        self.judges, self.left_out = choose_judges(scores)
        self.members, self.questions = memberships(len(self.judges)), []
        if not self.judges:
            return
        stack = np.stack([scores.judge(name) for name in self.judges])
        reference = scores.reference()
        for place, question in enumerate(scores.questions):
            x, y = stack[:, :, place], reference[:, place]
            rows = np.flatnonzero(~np.isnan(y) & ~np.isnan(x).any(axis=0))
            if question.scale.is_ordered and len(rows):
                self.questions.append((question.key, x[:, rows], y[rows], rows))

    @cached_property
    def choosing(self):
        """Return the same judges on the choose part; None if a judge has nothing there."""
        others = self.scores.choosing
        options = replace(others.options, judges=tuple(self.judges))
        subsets = Subsets(Scores(others.answers, options))
        return subsets if subsets.questions and subsets.judges == self.judges else None

    @cached_property
    def folds(self):
        """Return (the fold of each item, how many): by recipient, else content, else item."""
        clusters = self.scores.clusters
        n = min(MOST_FOLDS, int(clusters.max(initial=-1)) + 1)
        rng = np.random.default_rng(self.scores.options.seed)
        return folds_of(clusters, max(n, 1), rng), n

    @property
    def zero(self):
        return self.scores.options.undefined == "zero"

    def names(self, place):
        """Return the subset's judges joined by +."""
        return " + ".join(np.array(self.judges)[self.members[place]])

    def fit(self, coefficient, level, keep=None):
        """Return each subset's mean over the questions (subsets,), on the items to keep."""
        fits = []
        for question in self.questions:
            x, y, _, groups = self._as_seen(question, level, keep)
            own = subset_coefficients(x, y, self.members, coefficient, groups, self.zero)
            fits.append(own)
        return np.mean(fits, axis=0)

    def _as_seen(self, question, level, keep=None):
        """Return (values, reference, rows, groups) of one question as a level sees it."""
        _, x, y, rows = question
        groups = groups_of(self.scores, level)
        inside = np.ones(len(rows), dtype=bool) if keep is None else keep[rows]
        if groups is not None:
            inside &= groups[rows] >= 0
        x, y, rows = x[:, inside], y[inside], rows[inside]
        if level == "system":
            return *_means_of_groups(x, y, groups[rows]), rows, None
        return x, y, rows, None if groups is None else groups[rows]

    def estimate(self, place, coefficient, level, keep=None):
        """Return one subset's mean over the questions, with its interval, on the items to keep."""
        estimates = []
        for _, x, y, rows in self.questions:
            inside = slice(None) if keep is None else keep[rows]
            own = np.round(x[self.members[place]].mean(axis=0), 12)[inside]
            both = own, y[inside], rows[inside]
            estimates.append(correlate_rows(self.scores, *both, level, coefficient))
        return average(estimates)

    def estimates(self, coefficient, level):
        """Return {question: [the Estimate of each subset]}, the mean of the questions last."""
        own = {q[0]: self._estimates_of(q, coefficient, level) for q in self.questions}
        # The average of one has the interval of its draws.
        alone = {
            key: [average([estimate]) for estimate in estimates] for key, estimates in own.items()
        }
        return alone | {
            AVERAGE: [average(of_subset) for of_subset in zip(*own.values(), strict=True)]
        }

    def _estimates_of(self, question, coefficient, level):
        x, y, rows, groups = self._as_seen(question, level)
        table = coefficients_by_group(x, y, self.members, coefficient, groups)
        draws, why = self._draws(table, x, y, rows, groups, (level, coefficient))
        n_groups = skipped = None
        if groups is not None and len(rows):
            n_groups, skipped = table.shape[1], np.isnan(table).sum(axis=1).tolist()
        return [
            Estimate(
                value,
                n=len(question[-1]),
                groups=n_groups,
                skipped=skipped and skipped[place],
                reason=UNDEFINED if isnan(value) else why,
                draws=None if draws is None else draws[place],
            )
            for place, value in enumerate(mean_of_groups(table, self.zero).tolist())
        ]

    def _draws(self, table, x, y, rows, groups, measure):
        """Return each subset's values in each draw (subsets, draws), or None, and why not.

        table: r by subset and group. Of other measures than these two there are none.
        """
        counts, clusters = self.scores.counts, self.scores.clusters[rows]
        if counts is None or not len(rows):
            return None, ""
        if groups is None and measure != ("dataset", "pearson"):
            return None, ""
        _, first, codes = np.unique(
            rows if groups is None else groups, return_index=True, return_inverse=True
        )
        if not np.array_equal(clusters[first][codes], clusters):
            return None, SEVERAL
        if len(np.unique(clusters)) < 2:
            return None, ONE_CLUSTER
        if groups is None:
            return pearson_draws(x, y, self.members, clusters, counts), ""
        return group_draws(table, clusters[first], counts, self.zero), ""


def choose_judges(scores):
    """Return the judges that are combined, and notes on those that are not.

    They are single judges on the questions' scales, the best MOST_MEMBERS if more; of unnamed ones
    those that answer what most of them share, since one that lacks a question leaves no item.
    """
    own_scale, questions = scores.answers.own_scale, scores.questions
    single = [name for name in scores.judges if scores.sampled(name) == name]
    asked = {
        name: {place for place in scores.answered(name) if questions[place].scale.is_ordered}
        for name in single
        if name not in scores.ensembles
    }
    apart = [
        name
        for name, places in asked.items()
        if name in own_scale
        and any(questions[place].scale.level in own_scale[name].levels for place in places)
    ]
    able = {name: own for name, own in asked.items() if own and name not in apart}
    core: set = set()
    if able and not scores.options.judges:
        sets = able.values()
        core = max(sets, key=lambda own: len(own) * sum(own <= other for other in sets))
    candidates = judges = [name for name, own in able.items() if core <= own]
    if len(candidates) > MOST_MEMBERS:
        others = scores.choosing or scores
        order = rank_judges(others.answers, others.options)
        ranks = {name: place for place, name in enumerate(order)}
        best = sorted(candidates, key=lambda name: ranks.get(name, len(ranks)))[:MOST_MEMBERS]
        judges = [name for name in candidates if name in best]
    left_out = {
        "best": [name for name in candidates if name not in judges],
        "own_scale": apart,
        "core": [name for name in able if name not in candidates],
        "no_order": [name for name, own in asked.items() if not own],
    }
    sizes = {"n": len(candidates), "most": MOST_MEMBERS}
    return judges, [say(w, names=", ".join(n), **sizes) for w, n in left_out.items() if n]


def _means_of_groups(x, y, groups):
    present, codes = np.unique(groups, return_inverse=True)
    sizes = np.bincount(codes)
    means = [np.bincount(codes, line, minlength=len(present)) / sizes for line in (*x, y)]
    table = np.stack([without_rounding(line) for line in means])
    return table[:-1], table[-1]


def _add_part(report, subsets, coefficient, level):
    """Add the rows of one coefficient and level: of subsets and sizes, then of the best."""
    sizes = subsets.members.sum(axis=1)
    for question, own in subsets.estimates(coefficient, level).items():
        about = {"question": question, "level": level, "coefficient": coefficient, "n": own[0].n}
        for place, estimate in enumerate(own):
            _add(report, SUBSET, sizes[place], subsets.names(place), about, estimate)
        for size in range(1, len(subsets.judges) + 1):
            of_size = [own[place] for place in np.flatnonzero(sizes == size)]
            defined = [estimate for estimate in of_size if not isnan(estimate.value)]
            mean, more = Estimate(nan, reason=UNDEFINED), {"of": len(defined)}
            if defined:
                mean = replace(average(defined), groups=None, skipped=None)
                values = [estimate.value for estimate in defined]
                more |= {"mean": mean.value, "min": min(values), "max": max(values)}
            _add(report, SIZE, size, "", about, mean, **more)
    _add_best(report, subsets, about, np.array([estimate.value for estimate in own]))


def _add_best(report, subsets, about, averages):
    """Add the subset that looks best, and its value on items on which it was not chosen."""
    sizes, measure = subsets.members.sum(axis=1), (about["coefficient"], about["level"])
    (folds, n_folds), looks = subsets.folds, averages
    if subsets.scores.choosing:
        choosing = subsets.choosing
        looks = choosing.fit(*measure) if choosing else np.full(len(averages), nan)

    @cache
    def fit(rows):
        return subsets.fit(*measure, np.frombuffer(rows, dtype=bool))

    for kind, among in ((BEST, sizes > 0), (BEST_SINGLE, sizes == 1)):
        chosen = np.where(among, looks, nan)
        if np.isnan(chosen).all():
            continue
        place = int(np.nanargmax(chosen))
        worth, drawn = np.zeros(0), []
        if subsets.scores.choosing:
            worth, drawn = averages[[place]], [subsets.estimate(place, *measure)]
        elif n_folds > 1:
            worth, winners = winner_elsewhere(lambda own: fit(own.tobytes()), folds, n_folds, among)
            drawn = [
                subsets.estimate(winners[fold], *measure, folds == fold)
                for fold in np.flatnonzero(~np.isnan(worth))
            ]
        worth = worth[~np.isnan(worth)]
        mean = average(drawn) if drawn else Estimate(nan, reason=NO_FOLD)
        facts = {
            "cross_validated": float(worth.mean()) if len(worth) else nan,
            "cross_validated_low": mean.low,
            "cross_validated_high": mean.high,
            "of": len(worth),
        }
        why = {"reason": mean.reason, "undefined_draws": mean.undefined_draws}
        best = Estimate(float(averages[place]), **why)
        _add(report, kind, sizes[place], subsets.names(place), about, best, **facts)


def _add(report, kind, size, members, about, estimate, **more):
    about = {"kind": kind, "size": int(size), "members": members, **about}
    counts = {"groups": estimate.groups, "skipped": estimate.skipped}
    report.add_estimate(about, estimate, counts | BLANK | more, kind=kind)


def _verdict(report):
    """Name the winner of each coefficient and level, and its value elsewhere, in a sentence."""
    won = [entry for entry in report.entries if entry.kind in WINNERS]
    for (coefficient, level), own in group_by(won, "coefficient", "level").items():
        rows = {entry.kind: entry.row for entry in own}
        worth = [row["cross_validated"] for row in rows.values()]
        if len(worth) == len(WINNERS) and not np.isnan(worth).any():
            case = "on_test" if report.options["part"] == TEST else "elsewhere"
            measure = "r" if coefficient == "pearson" else coefficient
            facts = {"coefficient": coefficient, "level": level, "measure": measure}
            yield say(case, **facts, best=rows[BEST], single=rows[BEST_SINGLE])


def _notes(subsets):
    sizes = ", ".join(f"{key} {len(rows):,}" for key, _, _, rows in subsets.questions)
    yield say("subsets", sizes=sizes or "none")
    yield from subsets.left_out
    if not subsets.scores.choosing:
        yield say("folds", n=subsets.folds[1], seed=subsets.scores.options.seed)
        return
    yield say("chosen")
    if not subsets.choosing:
        yield say("not_chosen")


def _spread(entry):
    row = entry.row
    words = f"{row['of']} subset{'' if row['of'] == 1 else 's'}"
    around = interval(row["low"], row["high"])
    ends = {"low": row["min"], "high": row["max"]}
    return Cell(ends, row["value"], entry.reason, f"{words}; mean: {around}" if around else words)


def _subset_cells(entry):
    row = entry.row
    skipped = "–" if row["groups"] is None else f"{row['skipped']:,} of {row['groups']:,}"
    return [row["size"], Cell(row, row["value"], entry.reason), skipped]


def _best_cells(entry):
    row = entry.row
    plain = Cell({"value": row["value"]}, row["value"], entry.reason)
    worth = replace(interval_cell(row, "cross_validated"), reason=entry.reason)
    return [row["members"], plain, worth, row["of"]]


KIND = Ensembles().kind()
