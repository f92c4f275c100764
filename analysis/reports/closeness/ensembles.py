"""Measure how closely the mean of every subset of the judges follows the reference, by size."""

from dataclasses import replace
from functools import cached_property
from math import isnan, nan

import numpy as np

from analysis.figures import scatter
from analysis.figures.layout import (
    Cell,
    Figure,
    Layout,
    cell_of,
    cross_table,
    details,
    interval_cell,
    listing,
)
from analysis.reports.closeness.compare import rank_judges
from analysis.reports.closeness.engine import ClosenessReport, in_words
from analysis.reports.shared.correlations import AVERAGE, PARTS, correlate_rows, groups_of
from analysis.reports.shared.options import CorrelationOptions
from analysis.reports.shared.scores import Scores
from analysis.reports.words import NoFinding, notes_beside
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
            coefficient, level = part.split()
            _add_part(report, subsets, {"level": level, "coefficient": coefficient})
        if len(subsets.judges) == 1:
            report.verdict = [NoFinding(say("alone", name=subsets.judges[0]))]
        return scores, list(_notes(subsets))

    def layout(self, report, measure, looks):
        """Return the page of one coefficient and level: the subsets by size, the best of them."""
        words = f"{in_words(measure)} level"
        sizes = [entry for entry in report.entries if entry.kind == SIZE]
        means = [entry for entry in sizes if entry.row["question"] == AVERAGE]
        own = [e for e in report.entries if (e.kind, e.row["question"]) == (SUBSET, AVERAGE)]
        own = [entry for entry in own if not isnan(entry.row["value"])]
        figure = Figure(
            "ensembles",
            say("figure", words=words),
            scatter.subsets(own, means, words),
        )
        best = sorted(own, key=lambda entry: -entry.row["value"])[:MOST_LINES]
        won = [entry for entry in report.entries if entry.kind in WINNERS]
        tables = [
            cross_table(
                say("sizes", words=words),
                "Judges",
                {(entry.row["size"], entry.row["question"]): _spread(entry) for entry in sizes},
            ),
            listing(
                say("leaders", words=words, n=len(best)),
                "Subset",
                [entry.row["members"] for entry in best],
                best,
                OF_SUBSETS,
            ),
            listing(
                say("winners", words=words),
                "Best",
                [WINNERS[entry.kind] for entry in won],
                won,
                OF_WINNERS,
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
        self.scores, self.zero = scores, scores.options.undefined == "zero"
        self.judges, self.left_out = choose_judges(scores)
        self.members, self.questions = memberships(len(self.judges)), []
        self.sizes = self.members.sum(axis=1)
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
        if groups is None:
            return x[:, inside], y[inside], rows[inside], None
        inside &= groups[rows] >= 0
        x, y, rows = x[:, inside], y[inside], rows[inside]
        if level != "system":
            return x, y, rows, groups[rows]
        _, codes = np.unique(groups[rows], return_inverse=True)
        sizes = np.bincount(codes)
        *x, y = (without_rounding(np.bincount(codes, line) / sizes) for line in (*x, y))
        return np.stack(x), y, rows, None

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
        return own | {
            AVERAGE: [average(of_subset) for of_subset in zip(*own.values(), strict=True)]
        }

    def _estimates_of(self, question, coefficient, level):
        x, y, rows, groups = self._as_seen(question, level)
        table = coefficients_by_group(x, y, self.members, coefficient, groups)
        draws, why = self._draws(table, x, y, rows, groups, (level, coefficient))
        is_grouped = groups is not None and len(rows) > 0
        skipped = np.isnan(table).sum(axis=1).tolist()
        plain = [
            Estimate(
                value,
                n=len(question[-1]),
                groups=table.shape[1] if is_grouped else None,
                skipped=skipped[place] if is_grouped else None,
                reason=UNDEFINED if isnan(value) else why,
                draws=None if draws is None else draws[place],
            )
            for place, value in enumerate(mean_of_groups(table, self.zero).tolist())
        ]
        # The average of one has the interval of its draws.
        return [average([estimate]) for estimate in plain]

    def _draws(self, table, x, y, rows, groups, measure):
        """Return each subset's values in each draw (subsets, draws), or None, and why not.

        table: r by subset and group. Of other measures than these two there are none.
        """
        counts, clusters = self.scores.counts, self.scores.clusters[rows]
        has_none = groups is None and measure != ("dataset", "pearson")
        if counts is None or has_none or not len(rows):
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
    asked = {
        name: {place for place in scores.answered(name) if questions[place].scale.is_ordered}
        for name in scores.judges
        if scores.sampled(name) == name and name not in scores.ensembles
    }
    apart = [
        name
        for name, places in asked.items()
        if name in own_scale
        and any(own_scale[name].replaces(questions[place].scale) for place in places)
    ]
    able = {name: own for name, own in asked.items() if own and name not in apart}
    core: set = set()
    if able and not scores.options.judges:
        sets = able.values()
        core = max(sets, key=lambda own: len(own) * sum(own <= other for other in sets))
    candidates = best = [name for name, own in able.items() if core <= own]
    if len(candidates) > MOST_MEMBERS:
        others = scores.choosing or scores
        order = rank_judges(others.answers, others.options)
        ranks = {name: place for place, name in enumerate(order)}
        best = sorted(candidates, key=lambda name: ranks.get(name, len(ranks)))[:MOST_MEMBERS]
    left_out = {
        "best": [name for name in candidates if name not in best],
        "own_scale": apart,
        "core": [name for name in able if name not in candidates],
        "no_order": [name for name, own in asked.items() if not own],
    }
    sizes = {"n": len(candidates), "most": MOST_MEMBERS}
    notes = [say(why, names=", ".join(own), **sizes) for why, own in left_out.items() if own]
    return [name for name in candidates if name in best], notes


def _add_part(report, subsets, part):
    """Add the rows of one level and coefficient: of subsets and sizes, then of the best."""
    measure = part["coefficient"], part["level"]
    for question, own in subsets.estimates(*measure).items():
        about = {"question": question, **part, "n": own[0].n}
        for place, estimate in enumerate(own):
            _add(report, subsets, SUBSET, place, about, estimate)
        for size in range(1, len(subsets.judges) + 1):
            of_size = [own[place] for place in np.flatnonzero(subsets.sizes == size)]
            defined = [estimate for estimate in of_size if not isnan(estimate.value)]
            mean, more = Estimate(nan, reason=UNDEFINED), {"of": len(defined)}
            if defined:
                mean = replace(average(defined), groups=None, skipped=None)
                values = [estimate.value for estimate in defined]
                more |= {"mean": mean.value, "min": min(values), "max": max(values)}
            _add(report, subsets, SIZE, size, about, mean, **more)
    won = _add_best(report, subsets, measure, about, [estimate.value for estimate in own])
    if len(won) == len(WINNERS) and not any(isnan(row["cross_validated"]) for row in won.values()):
        case = "on_test" if report.options["part"] == TEST else "elsewhere"
        name = "r" if part["coefficient"] == "pearson" else part["coefficient"]
        report.verdict.append(
            say(case, **part, measure=name, best=won[BEST], single=won[BEST_SINGLE])
        )


def _add_best(report, subsets, measure, about, values):
    """Add the subset that looks best, and its value on items on which it was not chosen.

    Returns {BEST or BEST_SINGLE: its row}.
    """
    looks, has_split, won = np.array(values), bool(subsets.scores.choosing), {}
    if has_split:
        choosing = subsets.choosing
        looks = choosing.fit(*measure) if choosing else np.full(len(values), nan)
    folds, n_folds = subsets.folds
    fits = [
        np.stack([subsets.fit(*measure, (folds == f) == is_inside) for f in range(n_folds)])
        for is_inside in (True, False)
        if n_folds > 1 and not has_split
    ]
    for kind, among in ((BEST, subsets.sizes > 0), (BEST_SINGLE, subsets.sizes == 1)):
        chosen = np.where(among, looks, nan)
        if np.isnan(chosen).all():
            continue
        place, drawn = int(np.nanargmax(chosen)), []
        if has_split:
            is_defined = not isnan(values[place])
            drawn = [
                subsets.estimate(place, *measure) if is_defined else Estimate(nan, reason=UNDEFINED)
            ]
        elif fits:
            worth, winners = winner_elsewhere(*fits, among)
            drawn = [
                subsets.estimate(winners[fold], *measure, folds == fold)
                for fold in np.flatnonzero(~np.isnan(worth))
            ]
        mean = average(drawn) if drawn else Estimate(nan, reason=NO_FOLD)
        best = Estimate(values[place], reason=mean.reason, undefined_draws=mean.undefined_draws)
        facts = dict(zip(CROSSED, (mean.value, mean.low, mean.high), strict=True))
        n = sum(not isnan(estimate.value) for estimate in drawn)
        _add(report, subsets, kind, place, about, best, **facts, of=n)
        won[kind] = report.rows[-1]
    return won


def _add(report, subsets, kind, place, about, estimate, **more):
    """Add one row; place: of the subset, or the size."""
    own = {"kind": kind, "size": place, "members": ""}
    if kind != SIZE:
        names = " + ".join(np.array(subsets.judges)[subsets.members[place]])
        own |= {"size": int(subsets.sizes[place]), "members": names}
    counts = {"groups": estimate.groups, "skipped": estimate.skipped}
    report.add_estimate(own | about, estimate, counts | BLANK | more, kind=kind)


def _notes(subsets):
    sizes = ", ".join(f"{key} {len(rows):,}" for key, _, _, rows in subsets.questions)
    yield say("subsets", sizes=sizes or "none")
    yield from subsets.left_out
    options = subsets.scores.options
    if not subsets.scores.choosing:
        yield say("folds", n=subsets.folds[1], seed=options.seed)
    else:
        yield say("chosen")
        if not subsets.choosing:
            yield say("not_chosen")
    if options.draws and subsets.questions:
        yield say("no_intervals")


def _spread(entry):
    row = entry.row
    words = f"{row['of']} subset{'' if row['of'] == 1 else 's'}"
    around = interval(row["low"], row["high"])
    ends = {"low": row["min"], "high": row["max"]}
    return Cell(ends, row["value"], entry.reason, f"{words}; mean: {around}" if around else words)


def _skipped(entry):
    row = entry.row
    return "–" if row["groups"] is None else f"{row['skipped']:,} of {row['groups']:,}"


OF_SUBSETS = {
    "Judges": lambda entry: entry.row["size"],
    "Value": cell_of,
    "Groups skipped": _skipped,
}
OF_WINNERS = {
    "Judges": lambda entry: entry.row["members"],
    "Looks like": lambda e: Cell({"value": e.row["value"]}, e.row["value"], e.reason),
    "Is worth": lambda e: replace(interval_cell(e.row, "cross_validated"), reason=e.reason),
    "Folds": lambda entry: entry.row["of"],
}
KIND = Ensembles().kind()
