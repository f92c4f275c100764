"""Raters one by one: how much, how fast, which answers, and how far with the rest."""

from collections import defaultdict

import numpy as np

from analysis.options import ALL
from analysis.reports.base import Report
from analysis.reports.evaluators import interval_note, policy_notes
from analysis.reports.labels import ORDERED
from analysis.reports.scores import Scores
from analysis.stats.correlation import dataset_correlation
from analysis.stats.estimate import Estimate
from annotate.models import Rating

FEWEST = 2  # Likert answers to an item that make a straight line
NAN = float("nan")


def raters(answers, options, parts=None):
    """One row a rater and question, by name; excluded raters too, compared with nobody."""
    scores = Scores(answers, options)
    report = Report("raters", answers.study.slug, options.as_dict())
    people = answers.study.raters.order_by("key").values_list("key", "role", "excluded_because")
    pace, straight = _pace(answers), _straight(answers)
    said = _values(answers)
    for place, question in enumerate(scores.questions):
        if question.scale.kind == "text" or not (parts is None or question.key in parts):
            continue
        points = question.scale.points if question.scale.kind != "choice" else []
        report.curves[question.key] = [label for _, label in points]  # of the bars
        estimates = _with_others(scores, place)
        for key, role, why in people:
            values, n_items = said.get((key, question.key), ()), pace[key][0]
            if not n_items:
                continue
            estimate = estimates.get(key, Estimate(NAN, reason="no answer of theirs counts"))
            lines, of = straight.get(key, (0, 0))
            row = {
                "rater": key,
                "role": role,
                "question": question.key,
                "n_items": n_items,
                "n_answers": len(values),
                "seconds": pace[key][1],
                "r": estimate.value,
                "low": estimate.low,
                "high": estimate.high,
                "n": estimate.n,
                "straight": lines / of if of else NAN,
                "straight_n": of,
                "counts": [int(np.sum(np.equal(values, p))) for p, _ in question.scale.points],
                "excluded": bool(why),
                "reason": why,
            }
            report.add(row, kind="rater", reason=estimate.reason)
    report.notes = [*policy_notes(scores, compared=False), *_notes(), interval_note(scores)]
    return report


def _pace(answers):
    """{rater: (items, median over them of the seconds to the last answer)}"""
    kept = set(answers.item_ids)
    longest: dict = defaultdict(dict)
    rows = Rating.objects.filter(session__study=answers.study).with_shown_item()
    for rater, item, seconds in rows.values_list(
        "session__rater__key", "shown_item", "seconds"
    ).iterator(20_000):
        if item not in kept:  # of another part of a split
            continue
        known = longest[rater].get(item)
        better = known is None or (seconds is not None and not known >= seconds)
        longest[rater][item] = (NAN if seconds is None else seconds) if better else known
    found = defaultdict(lambda: (0, NAN))
    for rater, items in longest.items():
        times = np.array(list(items.values()))
        times = times[~np.isnan(times)]
        found[rater] = (len(items), float(np.median(times)) if len(times) else NAN)
    return found


def _values(answers):
    """{(rater, question): values} of all their answers, counted or not."""
    people = answers.of("human")
    groups = people.groupby(["rater", "question"], observed=True)["value"]
    return {key: values.to_numpy() for key, values in groups}


def _straight(answers):
    """{rater: (items with the same answer to all Likert questions, of items with two or more)}"""
    people = answers.of("human")
    likert = [q.key for q in answers.questions if q.scale.kind == "likert"]
    people = people[people["question"].isin(likert)]
    items = people.groupby(["rater", "item"], observed=True)["value"].agg(["nunique", "count"])
    items = items[items["count"] >= FEWEST]
    same = (items["nunique"] == 1).groupby(level="rater", observed=True)
    return {rater: (int(part.sum()), len(part)) for rater, part in same}


def _with_others(scores, place):
    """{rater: Pearson's r with the mean of all others, with its interval}; words have none."""
    if scores.questions[place].scale.kind not in ORDERED:
        none = Estimate(NAN, reason="words have no correlation")
        return dict.fromkeys(scores.raters, none)
    names, ratings = scores.raters_of(ALL), scores.ratings(place, ALL)
    known = ~np.isnan(ratings)
    total, count = np.where(known, ratings, 0).sum(axis=1), known.sum(axis=1)
    found = {}
    for at, name in enumerate(names):
        rows = np.flatnonzero(known[:, at] & (count > 1))
        others = np.round((total[rows] - ratings[rows, at]) / (count[rows] - 1), 12)
        found[name] = dataset_correlation(
            ratings[rows, at], others, "pearson", **scores.resampling(rows)
        )
    return found


def _notes():
    return [
        "seconds: median over a rater's items of the time to the last answer; loaded ratings may "
        "have none.",
        "r: Pearson's, of a rater's answers with the mean of all others on the same items; raters "
        "who are excluded are no part of the others.",
        f"straight: share of the items with {FEWEST} Likert answers or more that are all equal.",
        "Raters go by their pseudonyms.",
    ]
