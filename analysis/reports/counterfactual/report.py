"""Report whether scores of explanations by their contents agree with people's ratings.

Tables 1 to 4 of Yao, Wang & Li (2022); which explanations people liked; what exactness costs.
"""

from collections import Counter
from dataclasses import dataclass, replace
from itertools import product
from math import isnan, nan

import numpy as np
from django import forms

from analysis.answers.scoring_times import scoring_times
from analysis.figures.dots import dots
from analysis.figures.layout import Figure, Layout, Table, cell_of, cross_table, n_words, ranked
from analysis.figures.scatter import scatter
from analysis.options.choices import ALL
from analysis.options.declare import TEXT, option, whole_number
from analysis.reports.base import group_by
from analysis.reports.counterfactual import cells, convergence, exactness, liked, sample_flow, seeds
from analysis.reports.kind import Shown
from analysis.reports.shared.correlations import correlate_rows
from analysis.reports.shared.evaluators import interval_note, policy_notes
from analysis.reports.shared.facts import Facts
from analysis.reports.shared.few_clusters import FEWEST, or_no_interval
from analysis.reports.shared.measured import MeasuredReport
from analysis.reports.shared.options import DeviationOptions
from analysis.reports.words import notes_beside, with_spread
from analysis.stats.regression.linear_prediction import random_splits, split_error
from annotate.design import checks
from annotate.models import Rater
from judges.models import Judge

say = notes_beside(__file__, "counterfactual")

CORRELATION, PREDICTION = "correlation", "prediction"
TEXTS = ("part", "question", "score", "level", "other", "other_level", "measure")
ESTIMATED = ("value", "low", "high", "n")
NUMBERS = (*ESTIMATED, "mean", "sd", "other_mean", "other_sd", "t", "p", "p_holm")
NAMES = ("item", "content", "explaining", "rule", "reason")
MOST_POINTS = 4000  # of all scatter plots of a page


DEFAULT_SPLITS, MOST_SPLITS = 200, 2000
TOGETHER, RECIPIENT = "together", str(Rater.Role.RECIPIENT)


def _clusters(choices):
    columns = ((name, f"by {name}") for name in choices.columns if name != RECIPIENT)
    usual = [(TOGETHER, "what a session takes together"), (RECIPIENT, "recipients")]
    return forms.ChoiceField(choices=[*usual, *columns], label="Intervals draw")


@dataclass(frozen=True, kw_only=True)
class CounterfactualOptions(DeviationOptions):
    """Options of the report.

    splits: how many random splits into a training and a test part a regression is tried on;
    cluster: what the bootstrap draws, items that a session takes "together", those of a
    "recipient", or of one value of a column.
    """

    splits: int = whole_number(
        DEFAULT_SPLITS,
        1,
        MOST_SPLITS,
        "Random 70/30 splits",
        f"random 70/30 splits; default {DEFAULT_SPLITS}",
    )
    cluster: str = option(
        TOGETHER,
        label="Intervals draw",
        about="what intervals draw: together (default: what a session takes), recipient, or a "
        "COLUMN",
        make_field=_clusters,
        schema=TEXT,
        usual=lambda choices: TOGETHER,
        of_study=True,
    )


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


class Counterfactual(MeasuredReport):
    """Rows of one fact each, told apart by `part`.

    None where the study has neither judges of explanations nor the columns of cells.
    """

    name, title, options = "counterfactual", "Counterfactual scores", CounterfactualOptions
    named_by = (*TEXTS, "item", "content")
    stamp, brief = Beside, {"is_page": False}
    silent = "no judge has scored explanations by the contents that they name"

    def list_parts(self, questions):
        """Return the questions of which the page shows one, or all."""
        keys = [question.key for question in questions if question.scale.is_ordered]
        choices = [(ALL, "all"), *((key, key) for key in keys)] if keys else []
        return Shown("question", "Question", choices)

    def measure(self, report, scores, parts, is_page=True):
        """Add the rows. parts: keys of questions, or "all"; all where none is named.

        is_page: false where only the finding is read, of the correlations.
        """
        scores.drawn_by = drawn_by(scores.whole, scores.options)
        work = Work(report, scores, parts)
        if not is_page:
            _add_correlations(work)
            report.verdict = [*_say_best(work)]
            return []
        cells_of_items = cells.cells_of(scores)
        if work.judges or cells_of_items:
            _add_correlations(work)
            _add_predictions(work)
            if cells_of_items:
                cells.add(work, cells_of_items)
            for part in (liked, exactness, sample_flow, seeds, convergence):
                part.add(work)
            report.verdict = [
                *_say_best(work),
                *sample_flow.count_raters(report),
                *seeds.judge_seeds(work),
            ]
        report.verdict += [] if work.judges else [say("no_judges")]
        report.verdict += [] if cells_of_items else [say("no_cells")]
        notes = [*policy_notes(scores, compared=False)]
        if report.rows:
            notes += _list_notes(work)
        notes += cells.list_notes(work, cells_of_items)
        notes += _notes_on_parts(report)
        return [*notes, interval_note(scores, FEWEST)]

    def layout(self, report, question, looks):
        """Return the page of one question, or of all."""
        of = group_by(report.entries, "part")
        tables = [
            _table_of_correlations(of[CORRELATION]),
            _table_of_predictions(of[PREDICTION]),
            *cells.tables(of),
            *liked.tables(report, of[liked.PART]),
            exactness.table(of[exactness.PART]),
            sample_flow.table(of[sample_flow.PART]),
            *seeds.tables(of[seeds.PART]),
            *convergence.tables(of[convergence.PART]),
        ]
        figures = _figures(report, of[CORRELATION], question, looks)
        return Layout([*figures, *convergence.figures(of[convergence.PART])], tables)


class Work(Facts):
    """What the parts of one report share.

    judges: those chosen by name, whatever they are; else those of explanations. wanted: keys of the
    questions that are shown, of all in places.
    """

    blank = dict.fromkeys(TEXTS, "") | dict.fromkeys(NUMBERS, nan) | {"n": None}
    blank |= dict.fromkeys(NAMES, "")

    def __init__(self, report, scores, parts):
        super().__init__(report)
        self.scores = scores
        self.beside = scores.answers.beside or Beside(scores.answers.study)
        self.places = {
            q.key: place for place, q in enumerate(scores.questions) if q.scale.is_ordered
        }
        self.is_whole = not parts or ALL in parts
        self.wanted = [key for key in self.places if self.is_whole or key in parts]
        scoring = scores.answers.of_explanations
        self.judges = [name for name in scores.judges if scores.options.judges or name in scoring]
        self.reference = scores.reference()

    def both(self, judge, place):
        """Return (rows, score, mean rating) of the items that have both, on one question."""
        values = self.scores.judge(judge)[:, place]
        people = self.scores.apart(judge, self.reference)[:, place]
        rows = np.flatnonzero(~np.isnan(values) & ~np.isnan(people))
        return rows, values[rows], people[rows]


def drawn_by(answers, options):
    """Return the column whose values the bootstrap draws; empty for recipients.

    Explanations of one survey share its raters: their means are not independent points.
    """
    column = options.cluster
    if column == TOGETHER:
        column = checks.settings_of(answers.study).sessions_by
    return column if column in answers.items.columns and column != RECIPIENT else ""


def _add_correlations(work):
    """Add table 1: Pearson's r of each score with the mean rating, over explanations."""
    scores, curves = work.scores, work.report.curves
    most = MOST_POINTS // max(1, len(work.judges) * len(work.wanted))
    for judge, key in product(work.judges, work.wanted):
        rows, x, y = work.both(judge, work.places[key])
        estimate = correlate_rows(scores, x, y, rows, "dataset", "pearson")
        facts = {"question": key, "score": judge, "judge": judge, "measure": "pearson"}
        work.add_estimate(CORRELATION, or_no_interval(estimate, scores, rows), **facts)
        curves[judge, key] = _points(x, y, most, scores.options.seed)


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
    options = work.scores.options
    splits: dict = {}  # the same for all numbers of as many items
    for judge, key in product(work.judges, work.wanted):
        _, x, y = work.both(judge, work.places[key])
        if len(x) not in splits:
            rng = np.random.default_rng(options.seed)
            splits[len(x)] = random_splits(len(x), options.splits, rng)
        own = split_error(x, y, splits[len(x)])
        of_both = {"mse": (own.error, own.sd), "mse_of_mean": (own.of_mean, own.of_mean_sd)}
        for measure, (error, sd) in of_both.items():
            reason, lost = error.reason, error.undefined_draws
            if lost and not isnan(error.value):
                left_out = "splits left out: their training items have one value of the score"
                reason = "; ".join(filter(None, (reason, f"{lost} {left_out}")))
            # Not a draw of the bootstrap: a split without a line has a note of its own.
            told = replace(error, reason=reason, undefined_draws=0)
            facts = {"question": key, "score": judge, "judge": judge, "measure": measure}
            work.add_estimate(PREDICTION, told, **facts, sd=sd)


def _say_best(work):
    """Name the scores with the largest r, and on how many questions."""
    wins: Counter = Counter()
    for key in work.wanted:
        about = {"part": CORRELATION, "question": key}
        rows = [row for row in work.report.rows if about.items() <= row.items()]
        rows = [row for row in rows if not isnan(row["value"])]
        if rows[1:]:
            wins[max(rows, key=lambda row: row["value"])["score"]] += 1
    if wins:
        (first, n), *others = wins.most_common()
        of = f"{n} of {wins.total()} questions" if work.wanted[1:] else work.wanted[0]
        also = "".join(f", {name} on {n}" for name, n in others)
        yield f"{first} follows people most closely (largest r) on {of}{also}."


def _list_notes(work):
    options = work.scores.options
    if work.judges:
        yield say("table_1")
        yield say("table_2", splits=options.splits, seed=options.seed)
        if "survey" in work.scores.items.columns and not work.scores.drawn_by:
            yield say("surveys")
    for judge in work.judges:
        kind, (effect, top, *_) = work.scores.answers.of_explanations.get(judge, ("", ("", 1)))
        if not kind.startswith(str(Judge.Kind.CF)):
            continue
        if effect == Judge.Effect.RANK:
            yield say("ranks", judge=judge)
        elif top > 1:
            yield say("places", judge=judge, top=top)
        values = exactness.one_value(work.scores.judge(judge))
        clipped = np.count_nonzero(np.abs(values) == 1)
        if effect == Judge.Effect.SCORE and clipped:
            total = np.count_nonzero(~np.isnan(values))
            yield say("clipped", judge=judge, clipped=clipped, total=total)


def _notes_on_parts(report):
    """Write how the other parts are made, or how a study comes to have them."""
    if not report.rows:
        return
    of, facts = group_by(report.entries, "part"), {"column": liked.COLUMN}
    for part in (liked.PART, exactness.PART):
        yield say(part if of[part] else f"no_{part}", **facts)
    yield from sample_flow.list_notes(report)
    yield say("seeds" if of[seeds.PART] else "no_seeds", trusted=seeds.TRUSTED)
    if watched := of[convergence.PART]:
        yield say("convergence", n=watched[0].row["n"])


def _figures(report, entries, question, looks):
    """Yield table 1 as a figure, and the scatter plots behind it if one question is chosen."""
    if any(not isnan(entry.row["value"]) for entry in entries):
        plot = dots(entries, "score", "question", looks, f"Pearson's r ({n_words(entries)})")
        more = " One question alone, chosen above, has scatter plots." if question == ALL else ""
        lines = any(not isnan(entry.row["low"]) for entry in entries)
        caption = (
            "Pearson's r of each score with the mean rating, by question."
            f"{' Lines: 95 % intervals.' if lines else ''}{more}"
        )
        yield Figure("scores", caption, plot)
    panels = [
        (row["score"], curve, row["value"])
        for row in (entry.row for entry in entries)
        if question != ALL and (curve := report.curves[row["score"], row["question"]])["n"]
    ]
    if panels:
        some = any(len(curve["score"]) < curve["n"] for _, curve, _ in panels)
        caption = (
            f"{question}: mean rating of each explanation over its score, and the line of least "
            f"squares.{' Of many points a random choice is drawn.' if some else ''}"
        )
        yield Figure(f"scatter-{question}", caption, scatter(panels, question, looks))


def _table_of_correlations(entries):
    cells_by_place = {
        (entry.row["score"], entry.row["question"]): cell_of(entry, exactness.size_of(entry))
        for entry in entries
    }
    caption = (
        "Table 1. Pearson's r of each score with the mean rating, over explanations; the best of a "
        "question is bold, the second underlined."
    )
    table = cross_table(caption, "Score", cells_by_place)
    ranked(table.lines)
    return table


def _table_of_predictions(entries):
    """Tabulate errors with the spread over the splits, then the errors of the mean alone.

    Scores of the same explanations are tried on the same splits, and share that line.
    """
    errors: dict = {"mse": {}, "mse_of_mean": {}}
    for row in (entry.row for entry in entries):
        cells_of_score = errors[row["measure"]].setdefault(row["score"], [])
        cells_of_score.append(with_spread(row["value"], row["sd"]))
    lines, means = [*errors["mse"].items()], {}
    for score, own in errors["mse_of_mean"].items():
        means.setdefault(tuple(own), []).append(score)
    for own, names in means.items():
        of = "" if len(means) == 1 else f" ({', '.join(names)})"
        lines.append((f"the mean instead{of}", [*own]))
    questions = list(dict.fromkeys(entry.row["question"] for entry in entries))
    caption = (
        "Table 2. Mean squared error of a line from score to mean rating, on explanations that it "
        "was not fitted on: mean ± standard deviation over the splits. The lower the better."
    )
    return Table(caption, questions, lines, [], "Score")


COUNTERFACTUAL = Counterfactual()
KIND = COUNTERFACTUAL.kind()
