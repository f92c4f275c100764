"""Measure whether a judge gains from a longer history, and how people rate the profiles.

Accuracy by the number of episodes is figure 4 of P3.
"""

from dataclasses import dataclass
from math import isnan

import numpy as np

from analysis.answers.families import families
from analysis.figures.frame import span
from analysis.figures.layout import Cell, Figure, Layout, cell_of, cross_table, listing
from analysis.figures.likert import likert
from analysis.figures.lines import series
from analysis.reports.base import group_by
from analysis.reports.kind import Shown
from analysis.reports.shared.correlations import LABELS
from analysis.reports.shared.evaluators import interval_note, policy_notes
from analysis.reports.shared.labels import MOST_LABELS, labels_of, positive_from
from analysis.reports.shared.measured import MeasuredReport
from analysis.reports.shared.options import YesNoOptions
from analysis.reports.words import notes_beside
from analysis.stats.classification.classification import at_least, auc
from analysis.stats.correlation.correlation import dataset_correlation
from analysis.stats.estimate import Estimate
from analysis.stats.intervals.clustered_mean import clustered_mean
from annotate.models import Item
from annotate.raters import profiles
from judges.models import Judge

AUC, ALIKE = "auc", "accuracy"
MEASURES = {AUC: "AUC", ALIKE: "Accuracy"} | LABELS
ACCURACY, RATINGS = "accuracy", "ratings"
OF_JUDGE, OF_WRITTEN, OF_PROFILE = "history_length", "profile_episodes", "profile items"
# Which setting says how much a judge knows, by what it is shown.
LENGTHS = {OF_JUDGE: Judge.Context.HISTORY, OF_WRITTEN: Judge.Context.PROFILE}
COLUMN = profiles.EPISODES
NOTHING = (
    "no two judges differ only in how much of the history they are shown (history_length) or of "
    "how many episodes the profiles are (profile_episodes), and no "
    f"profile that judges are shown says its number (column {COLUMN})"
)
say = notes_beside(__file__, "profile")
SOURCES = {OF_JUDGE: "judges", OF_WRITTEN: "written", OF_PROFILE: "profiles"}


@dataclass(frozen=True)
class Step:
    """A judge that knows of n episodes, as one point of a series of comparable ones.

    source: what n is of; chosen (items, questions): the answers that the series compares.
    """

    series: str
    source: str
    n: int
    judge: str
    chosen: np.ndarray


class Profile(MeasuredReport):
    """A row for each judge, number of episodes and question; then the ratings of profiles."""

    name, title, options = "profile", "Profiles", YesNoOptions
    named_by = ("question", "measure", "evaluator")

    def list_parts(self, questions):
        """Return the measures of accuracy of which the page shows one."""
        ordered = any(question.scale.is_ordered for question in questions)
        return Shown("measure", "Accuracy as", list(MEASURES.items()) if ordered else [])

    def measure(self, report, scores, parts):
        measures = [measure for measure in MEASURES if not parts or measure in parts]
        ordered = {place: q for place, q in enumerate(scores.questions) if q.scale.is_ordered}
        steps = [*_by_length(scores), *_by_profile(scores)]
        for measure in measures:
            for place, question in ordered.items():
                for step in steps:
                    estimate = _accuracy(scores, step, place, measure)
                    numbers = {"source": step.source, "episodes": step.n}
                    facts = {"judge": step.judge, "kind": step.series}
                    _add(
                        report, ACCURACY, step.judge, question, measure, estimate, numbers, **facts
                    )
                if not steps:
                    _add(report, ACCURACY, "", question, measure, Estimate(np.nan, reason=NOTHING))
        for place, question in enumerate(scores.questions):
            _add_ratings(report, scores, place, question)
        sources = {step.source for step in steps}
        notes = [say(case, column=COLUMN) for own, case in SOURCES.items() if own in sources]
        if {AUC, ALIKE} & {*measures} and steps:
            cuts = {q.key: positive_from(q, scores.options.threshold) for q in ordered.values()}
            given = [f"{key} ≥ {cut:g}" for key, cut in cuts.items() if cut is not None]
            notes.append(say("positive", cuts=", ".join(given) or "nothing"))
            if ALIKE in measures:
                notes.append(say("accuracy"))
        if not any(row["part"] == RATINGS for row in report.rows):
            notes.append(say("no_ratings"))
        return [*policy_notes(scores, compared=False), *notes, interval_note(scores)]

    def layout(self, report, measure, looks):
        """Return the page of one measure: accuracy by question, and the ratings of profiles."""
        words, figures, tables = MEASURES[measure], [], []
        by_question = group_by(report.entries, "part", "question")
        ratings = {key: own for (part, key), own in by_question.items() if part == RATINGS}
        for (part, question), entries in by_question.items():
            if part == RATINGS:
                continue
            caption = f"{question}: {words} by the number of episodes."
            if any(not isnan(entry.row["value"]) for entry in entries):
                lines: dict = {}
                for entry in entries:
                    point = [entry.row[name] for name in ("episodes", "value", "low", "high")]
                    line = entry.kind, looks.colour(entry.judge), []
                    lines.setdefault(entry.kind, line)[2].append(tuple(point))
                title = f"{words} (n = {span(entry.row['n'] for entry in entries)})"
                plot = series([*lines.values()], "Episodes that the judge knows of", title)
                caption_of_figure = f"{caption} Lines: 95 % intervals."
                figures.append(Figure(f"episodes-{question}", caption_of_figure, plot))
            shown = [entry for entry in entries if entry.row["episodes"] is not None]
            shown.sort(key=lambda entry: (entry.kind, entry.row["episodes"]))
            columns = {
                "Number from": lambda e: e.row["source"].replace("_", " "),
                "Episodes": lambda e: e.row["episodes"],
                words: lambda e: cell_of(e, f"n = {e.row['n']:,}"),
            }
            names = [entry.row["evaluator"] for entry in shown]
            tables.append(listing(caption, "Judge", names, shown, columns))
        if ratings:
            counts = [
                (key, [(str(e.row["rating"]), round(e.row["value"] * e.row["n"])) for e in own])
                for key, own in ratings.items()
            ]
            caption = "What people say of the profiles; the middle of the scale around zero."
            figures.append(Figure("ratings", caption, likert(counts)))
            caption = "Ratings of the profiles: share of each point of the scale."
            cells = {
                (key, str(e.row["rating"])): Cell(e.row, e.row["value"])
                for key, own in ratings.items()
                for e in own
            }
            cells |= {(key, "Ratings"): own[0].row["n"] for key, own in ratings.items()}
            columns = [*dict.fromkeys(column for _, column in cells if column != "Ratings")]
            tables.append(cross_table(caption, "Question", cells, [*columns, "Ratings"]))
        return Layout(figures, tables)

    def find(self, report, measure):
        """Say how many ratings of profiles lie above the middle, on the first question rated."""
        if not report.curves:
            return ""
        question, middle = next(iter(report.curves.items()))
        rows = [row for row in report.rows if (row["part"], row["question"]) == (RATINGS, question)]
        above = sum(row["value"] for row in rows if row["rating"] > middle)
        return (
            f"On {question} {100 * above:.0f} % of {rows[0]['n']:,} ratings of profiles lie above "
            "the middle of the scale."
        )


def _add(report, part, evaluator, question, measure, estimate, numbers=None, **facts):
    about = {"part": part, "evaluator": evaluator, "source": "", "episodes": None}
    about |= {"question": question.key, "measure": measure, "rating": None}
    report.add_estimate(about | (numbers or {}), estimate, {"n": estimate.n}, **facts)


def _by_length(scores):
    """Yield Steps of judges that differ in one of LENGTHS alone, on the items that all have.

    profile_episodes of 0 is no number of episodes.
    """
    shown = [design for design in scores.answers.settings if design["key"] in scores.judges]
    for length, context in LENGTHS.items():
        alike = [design for design in shown if design["context"] == context and design[length]]
        for family in families(alike, length):
            members = sorted(family.items())
            has_all = ~np.isnan(np.stack([scores.judge(judge) for _, judge in members])).any(axis=0)
            name = f"{members[0][1]} and {len(members) - 1} more"
            for n, judge in members:
                yield Step(name, length, n, judge, has_all)


def _by_profile(scores):
    """Yield Steps of judges that are shown the profile: items by their recipient's profile."""
    numbers = _episodes_of_items(scores)
    for design in scores.answers.settings:
        judge = design["key"]
        newest = design["context"] == Judge.Context.PROFILE and not design[OF_WRITTEN]
        if newest and judge in scores.judges:
            has_value = ~np.isnan(scores.judge(judge))
            for n in np.unique(numbers[~np.isnan(numbers)]):
                chosen = has_value & (numbers == n)[:, None]
                yield Step(judge, OF_PROFILE, int(n), judge, chosen)


def _episodes_of_items(scores):
    """Return how many episodes each item's profile was made of (items,); NaN: unknown.

    The profile is the recipient's. Of several profiles the newest counts: judges see that one.
    """
    items = scores.answers.items
    if COLUMN not in items:
        return np.full(len(scores.items), np.nan)
    written: dict[str, list] = {}
    rows = items[(items["kind"] == Item.Kind.PROFILE) & (items["recipient"] != "")]
    runs = rows[profiles.RUN] if profiles.RUN in rows else [""] * len(rows)
    for recipient, text, run in zip(rows["recipient"], rows[COLUMN], runs, strict=True):
        data = {COLUMN: text, profiles.RUN: run}
        written.setdefault(recipient, []).append((data, profiles.episodes_in(data)))
    of_recipient = {name: profiles.newest(episodes)[1] for name, episodes in written.items()}
    others = (scores.items["kind"] != Item.Kind.PROFILE).to_numpy()
    recipients = scores.items["recipient"].astype(str)
    numbers = np.array([of_recipient.get(name, np.nan) for name in recipients], dtype=float)
    return np.where(others, numbers, np.nan)


def _accuracy(scores, step, place, measure):
    """Return the Estimate of one judge on the items that its series compares."""
    question = scores.questions[place]
    own_scale = scores.answers.own_scale.get(step.judge)
    people = scores.apart(step.judge, scores.reference())[:, place]
    rows = np.flatnonzero(step.chosen[:, place] & ~np.isnan(people))
    x, y, resampling = scores.judge(step.judge)[rows, place], people[rows], scores.resampling(rows)
    if measure not in (AUC, ALIKE):
        return dataset_correlation(x, y, measure, **resampling)
    cut = positive_from(question, scores.options.threshold)
    if cut is None:
        return Estimate(np.nan, n=len(x), reason="a number without ends needs a threshold")
    positive = at_least(y, cut)
    if measure == AUC:
        return auc(x, positive, **resampling)
    says_fit = own_scale and own_scale.above is not None and own_scale.replaces(question.scale)
    aligned = own_scale.fits(x) if says_fit else at_least(x, cut)
    return clustered_mean((aligned == positive).astype(float), is_share=True, **resampling)


def _add_ratings(report, scores, place, question):
    """Add the share of each point among the ratings of profiles, and the middle of the scale."""
    rated = np.flatnonzero((scores.items["kind"] == Item.Kind.PROFILE).to_numpy())
    points = labels_of(question)
    if not len(rated) or not points or len(points) > MOST_LABELS:
        return
    ratings = scores.ratings(place, scores.options.reference)[rated]
    rows, raters = np.nonzero(~np.isnan(ratings))
    values, resampling = ratings[rows, raters], scores.resampling(rated[rows])
    if len(values) and question.scale.has_graded_points:
        report.curves[question.key] = (question.scale.low + question.scale.high) / 2  # of the title
    for point in points if len(values) else ():
        estimate = clustered_mean((values == point).astype(float), is_share=True, **resampling)
        _add(report, RATINGS, "people", question, "share", estimate, {"rating": point})


PROFILES = Profile()
KIND = PROFILES.kind()
