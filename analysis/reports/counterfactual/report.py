"""Report whether scores of explanations by their contents agree with people's ratings.

Tables 1 to 4 of Yao, Wang & Li (2022); which explanations people liked; what exactness costs.
"""

from functools import cached_property
from math import nan

import numpy as np

from analysis.answers.scoring_times import scoring_times
from analysis.options.choices import ALL
from analysis.reports.base import Report, draw_notes, reason_notes
from analysis.reports.counterfactual import convergence, exactness, liked, sample_flow, seeds
from analysis.reports.counterfactual.cells import add_tests, cells_of, notes
from analysis.reports.counterfactual.options import RECIPIENT, TOGETHER
from analysis.reports.shared.correlations import correlate
from analysis.reports.shared.evaluators import interval_note, policy_notes
from analysis.reports.shared.few_clusters import FEWEST, or_no_interval
from analysis.reports.shared.scores import Evaluator, Scores
from analysis.stats.regression.linear_prediction import random_splits, split_error
from annotate.design import checks
from judges.models import Judge

CORRELATION, PREDICTION = "correlation", "prediction"
TEXTS = ("part", "question", "score", "level", "other", "other_level", "measure")
NUMBERS = (
    "value",
    "low",
    "high",
    "n",
    "mean",
    "sd",
    "other_mean",
    "other_sd",
    "t",
    "p",
    "p_holm",
)
NAMES = ("item", "content", "explaining", "rule", "reason")
MOST_POINTS = 4000  # of all scatter plots of a page
NO_JUDGES = (
    "No judge has scored explanations by the contents that they name, so that there are no tables "
    "1 and 2: make judges of the kinds cf, cf-a, item-sim and genre-jacc on the page Judges and "
    "run them. Other judges are compared where they are chosen."
)
NO_CELLS = (
    "No item has the columns cell_score (cf, cf-a, item-sim, genre-jacc) and cell_level (highest, "
    "lowest, mean), so that there are no tables 3 and 4: manage.py make_counterfactual_study makes "
    "such a study, or items.csv brings the columns."
)


def counterfactual(answers, options, parts=None):
    """Compute all tables as rows of one fact each, told apart by `part`.

    parts: keys of questions, or "all"; everything where none is named.
    No rows where the study has neither judges of explanations nor the columns of cells.
    """
    work = Work(answers, options, parts)
    report, scores = work.report, work.scores
    cells = cells_of(scores)
    if work.judges or cells:
        _add_correlations(work)
        _add_predictions(work)
        if cells:
            add_tests(work, cells)
        liked.add(work)
        exactness.add(work)
        sample_flow.add(work)
        seeds.add(work)
        convergence.add(work)
        report.verdict = [
            *sample_flow.verdict(report),
            *_verdict(work),
            *seeds.verdict(work),
        ]
    report.verdict += [*([] if work.judges else [NO_JUDGES]), *([] if cells else [NO_CELLS])]
    report.notes = [
        *policy_notes(scores, compared=False),
        *(_notes(work) if report.rows else []),
        *notes(work, cells),
        *(liked.notes(report) if report.rows else []),
        *(exactness.notes(report) if report.rows else []),
        *(sample_flow.notes(report) if report.rows else []),
        *seeds.notes(report),
        *convergence.notes(report),
        interval_note(scores, FEWEST),
        *draw_notes(report, options.draws),
        *reason_notes(
            report,
            [
                "part",
                "question",
                "score",
                "level",
                "other",
                "other_level",
                "measure",
                "item",
                "content",
            ],
        ),
    ]
    return report


def correlations(answers, options, key):
    """Compute table 1 for one question alone."""
    work = Work(answers, options, [key])
    _add_correlations(work)
    return work.report


class Beside:
    """Reads what the report needs in addition to the answers, once for all groups.

    Its text changes with what was loaded, as titles do; times change with the judgments.
    """

    def __init__(self, study):
        self.study = study
        self._times: dict = {}
        self._titles = None

    def __str__(self):
        watched = self.study.extra.get(convergence.CONVERGENCE)
        more = f", {watched['made_at']}" if watched else ""
        return f"load {self.study.loads}, {checks.settings_of(self.study).sessions_by}{more}"

    def times(self, version):
        """Return {judge: Time} of its runs of a version of the questionnaire; None for all."""
        if version not in self._times:
            self._times[version] = scoring_times(self.study, version)
        return self._times[version]

    def titles(self, items):
        """Return {key: title} of the contents that items, a frame, recommend or name."""
        if self._titles is None:
            self._titles = liked.titles(self.study, items)
        return self._titles


def drawn_by(answers, options):
    """Return the column whose values the bootstrap draws; empty for recipients.

    Explanations of one survey share its raters: their means are not independent points.
    """
    column = options.cluster
    if column == TOGETHER:
        column = checks.settings_of(answers.study).sessions_by
    return column if column in answers.items.columns and column != RECIPIENT else ""


class Work:
    """Holds what the parts of one report share."""

    def __init__(self, answers, options, parts):
        self.scores = Scores(answers, options)
        self.scores.drawn_by = drawn_by(answers, options)
        self.beside = answers.beside or Beside(answers.study)
        self.report = Report("counterfactual", answers.study.slug, options.as_dict())
        self.places = {
            question.key: place
            for place, question in enumerate(self.scores.questions)
            if question.scale.is_ordered
        }
        self.is_whole = not parts or ALL in parts
        self.wanted = [key for key in self.places if self.is_whole or key in parts]

    @cached_property
    def judges(self):
        """Return the judges chosen by name, whatever they are; else those of explanations."""
        scoring_judges = self.scores.answers.of_explanations
        return [
            name
            for name in self.scores.judges
            if self.scores.options.judges or name in scoring_judges
        ]

    @cached_property
    def reference(self):
        return self.scores.reference()

    def splits(self, n):
        """Return the random splits of n items, the same for all numbers of as many items."""
        if n not in self._splits:
            options = self.scores.options
            rng = np.random.default_rng(options.seed)
            self._splits[n] = random_splits(n, options.splits, rng)
        return self._splits[n]

    @cached_property
    def _splits(self):
        return {}

    def both(self, judge, place):
        """Return (rows, score, mean rating) of the items that have both, on one question."""
        values = self.scores.judge(judge)[:, place]
        people = self.scores.apart(judge, self.reference)[:, place]
        rows = np.flatnonzero(~np.isnan(values) & ~np.isnan(people))
        return rows, values[rows], people[rows]

    def add(self, part, *, reason="", judge="", undefined_draws=0, **facts):
        """Add one row; columns that are not given are blank, or NaN."""
        row = {name: "" for name in TEXTS} | {name: nan for name in NUMBERS}
        row |= {name: "" for name in NAMES} | {"part": part, "n": None, "reason": reason} | facts
        self.report.add(
            row,
            reason=reason,
            judge=judge,
            kind="judge" if judge else "mean",
            undefined_draws=undefined_draws,
        )

    def add_estimate(self, part, estimate, **facts):
        """Add the row of an Estimate."""
        self.add(
            part,
            value=estimate.value,
            low=estimate.low,
            high=estimate.high,
            n=estimate.n,
            reason=estimate.reason,
            undefined_draws=estimate.undefined_draws,
            **facts,
        )


def _add_correlations(work):
    """Add table 1: Pearson's r of each score with the mean rating, over explanations."""
    most = MOST_POINTS // max(1, len(work.judges) * len(work.wanted))
    for judge in work.judges:
        people = work.scores.apart(judge, work.reference)
        evaluator = Evaluator(judge, "judge", work.scores.judge(judge), people)
        for key in work.wanted:
            place = work.places[key]
            estimate = correlate(work.scores, evaluator, place, "dataset", "pearson")
            rows, x, y = work.both(judge, place)
            estimate = or_no_interval(estimate, work.scores, rows)
            work.add_estimate(
                CORRELATION, estimate, question=key, score=judge, measure="pearson", judge=judge
            )
            work.report.curves[judge, key] = _points(x, y, most, work.scores.options.seed)


def _points(x, y, most, seed):
    """Return a scatter plot's points, thinned by chance if there are many, and their line."""
    line = None
    if len(x) > 1 and x.min() < x.max():
        slope, start = np.polyfit(x, y, 1)
        ends = np.array([x.min(), x.max()])
        line = {"x": ends.tolist(), "y": (start + slope * ends).tolist()}
    shown = np.arange(len(x))
    if len(x) > most:
        shown = np.sort(np.random.default_rng(seed).choice(len(x), most, replace=False))
    return {"score": x[shown].tolist(), "people": y[shown].tolist(), "line": line, "n": len(x)}


def _add_predictions(work):
    """Add table 2: mean squared error on test items of a line fitted on training items."""
    for judge in work.judges:
        for key in work.wanted:
            _, x, y = work.both(judge, work.places[key])
            prediction = split_error(x, y, work.splits(len(x)))
            facts = {"question": key, "score": judge, "judge": judge}
            errors = {
                "mse": (prediction.error, prediction.sd),
                "mse_of_mean": (prediction.of_mean, prediction.of_mean_sd),
            }
            for measure, (error, sd) in errors.items():
                # Not a draw of the bootstrap: a split without a line has a note of its own.
                work.add(
                    PREDICTION,
                    measure=measure,
                    value=error.value,
                    low=error.low,
                    high=error.high,
                    n=error.n,
                    sd=sd,
                    reason=_why(error),
                    **facts,
                )


def _why(error):
    """Return why an error or its spread is undefined, and how many splits were left out."""
    lost = error.undefined_draws
    if np.isnan(error.value) or not lost:
        return error.reason
    left_out = f"{lost} splits left out: their training items have one value of the score"
    return "; ".join(filter(None, (error.reason, left_out)))


def _verdict(work):
    """Name the scores with the largest r, and on how many questions."""
    best: dict[str, int] = {}
    for key in work.wanted:
        rows = [
            row
            for row in work.report.rows
            if (row["part"], row["question"]) == (CORRELATION, key) and not np.isnan(row["value"])
        ]
        if len(rows) > 1:
            name = max(rows, key=lambda row: row["value"])["score"]
            best[name] = best.get(name, 0) + 1
    if best and work.is_whole:
        ranked = sorted(best, key=lambda name: -best[name])
        wins = ", ".join(f"{name} on {best[name]}" for name in ranked)
        yield f"The largest r with people, of {sum(best.values())} questions: {wins}."


def _notes(work):
    options = work.scores.options
    if work.judges:
        yield (
            "Table 1: Pearson's r over explanations of the score and the mean rating, an "
            "explanation a point."
        )
        yield (
            "Table 2: a straight line from score to mean rating, fitted on 70 % of the "
            f"explanations and tested on the other 30 %; mean over {options.splits:,} random "
            f"splits, seed {options.seed}, the same for all scores of as many explanations. low "
            "and high are the middle 95 % of the splits, sd is theirs: a spread, no confidence "
            "interval. mse_of_mean: the same of saying the training explanations' "
            "mean."
        )
        if "survey" in work.scores.items.columns and not work.scores.drawn_by:
            yield (
                "Explanations of one survey share its participants, who may be kinder than "
                "others; intervals by recipient do not know that: --cluster survey draws surveys."
            )
    yield from _variants(work)


def _variants(work):
    """Yield notes on judges with other settings than the best other content's lead."""
    for judge in work.judges:
        kind, (effect, top, *_) = work.scores.answers.of_explanations.get(judge, ("", ("", 1)))
        if kind.startswith(str(Judge.Kind.CF)) and effect == Judge.Effect.RANK:
            yield f"{judge}: by how many ranks the recommended content falls; differences in ranks."
        elif kind.startswith(str(Judge.Kind.CF)) and top > 1:
            yield f"{judge}: compared with place {top} of the others, of {top} that are shown."
        if kind.startswith(str(Judge.Kind.CF)) and effect == Judge.Effect.SCORE:
            yield from _clipped(judge, exactness.one_value(work.scores.judge(judge)))


def _clipped(judge, values):
    """Yield how many scores were clipped to −1 or 1, if any."""
    n, total = np.count_nonzero(np.abs(values) == 1), np.count_nonzero(~np.isnan(values))
    if n:
        yield (
            f"{judge}: {n:,} of {total:,} scores stand at −1 or 1, clipped there: the difference "
            "was larger than the range of the original model's scores."
        )
