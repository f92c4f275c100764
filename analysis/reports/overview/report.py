"""Put the other reports' numbers on each judge next to people's agreement, in one place.

Nothing is computed here that another report does not: the test of substitution with its human
ceiling, prediction-powered means, the judge's mean difference from people, and its robustness where
it was tested.
"""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from analysis.reports.base import Report, reason_notes
from analysis.reports.bias.bias import BIAS, SYSTEMS
from analysis.reports.bias.robustness import EVERY, ROBUSTNESS, TEST
from analysis.reports.prediction_powered.report import EVERYTHING, MEAN, MEANS_OF_PEOPLE
from analysis.reports.shared.evaluators import other_roles, policy_notes
from analysis.reports.shared.scores import Scores
from analysis.reports.substitution.report import (
    CONDITIONS,
    agreement_sentence,
    substitution,
)
from analysis.stats.replacement.substitution import FEWEST_ITEMS

PASSED, NOT_PASSED, UNTESTED = "passed", "not passed", "not tested"
PLACE, CEILING, WORTH, KINDNESS, ROBUST = FIGURES = (
    "place",
    "ceiling",
    "worth",
    "kindness",
    "robust",
)
MOST_JUDGES = 12  # named in words and drawn; all of them stand in the rows
FEW_CLUSTERS = 10


def systems_bias(answers, options, questions=None):
    """Compute the report of bias with only the mean differences from people."""
    return BIAS.build(answers, options, questions, biases=(SYSTEMS,))


SOURCES = {
    "substitution": substitution,
    "prediction_powered": MEANS_OF_PEOPLE.build,
    "bias": systems_bias,
    "robustness": TEST.build,
}


def overview(answers, options, questions=None, source=None, names=tuple(SOURCES)):
    """Give a verdict per judge and question, and the numbers behind it, from the other reports.

    questions: keys whose numbers are wanted; the verdicts are of all. source(name, questions)
    gives one of SOURCES' reports, e.g. a stored one; without it they are computed. names: of the
    reports that are needed; that of substitution always is.
    """

    def computed(name, questions):
        return SOURCES[name](answers, options, questions)

    source = source or computed
    report = Report("overview", answers.study.slug, options.as_dict())
    facts = Facts.collect(Scores(answers, options))
    tests = source("substitution", None)
    _add_verdicts(report, tests, facts)
    report.sources["substitution"] = tests
    if facts.judges:
        _add_ceilings(report, tests, questions or facts.questions)
    for name, add in ADDED.items():
        if facts.judges and name in names:
            report.sources[name] = source(name, questions)
            add(report, report.sources[name], facts)
    report.verdict = words(tests, facts)
    report.notes = [
        *facts.notes,
        *tests.notes[1:],
        *reason_notes(report, ["evaluator", "question", "figure"]),
    ]
    return report


@dataclass(frozen=True)
class Facts:
    """What a study has for the verdicts: judges, raters, items and questions."""

    judges: list
    raters: int
    items: int
    clusters: int
    unit: str
    questions: list
    others: list
    silent: list
    comparable: dict
    roles: list
    notes: list

    @classmethod
    def collect(cls, scores):
        """Collect the facts from the scores."""
        recipients = (scores.recipients >= 0).any()
        places = [place for place, q in enumerate(scores.questions) if q.scale.has_values]
        asked = [q.key for q in scores.questions if q.scale.has_values]
        return cls(
            judges=scores.judges,
            raters=len(scores.raters_of(scores.options.reference)),
            items=len(scores.items),
            clusters=len(np.unique(scores.clusters)),
            unit="recipients" if recipients else "contents or items",
            questions=asked,
            others=[q.key for q in scores.questions if q.key not in asked],
            silent=[name for name in scores.judges if not len(scores.answered(name))],
            comparable=_comparable(scores, places),
            roles=other_roles(scores),
            notes=policy_notes(scores, compared=False)[:1],
        )


def _comparable(scores, places):
    """Return {(judge, question): items with its judgment and two ratings of the reference}."""
    counts = {}
    values = {judge: ~np.isnan(scores.judge(judge)) for judge in scores.judges}
    for place in places:
        rated = (~np.isnan(scores.ratings(place, scores.options.reference))).sum(axis=1) > 1
        for judge, has_value in values.items():
            counts[judge, scores.questions[place].key] = int((has_value[:, place] & rated).sum())
    return counts


def _add_verdicts(report, tests, facts):
    """Add a row per judge and question; without a test the row says why."""
    rows = {(e.row["evaluator"], e.row["question"]): e for e in tests.entries}
    for judge in facts.judges:
        for question in facts.questions:
            entry = rows.get((judge, question))
            row = entry.row if entry else {}
            verdict = {True: PASSED, False: NOT_PASSED}.get(row.get("passes"), UNTESTED)
            why = _why(judge, entry, facts) if verdict == UNTESTED else ""
            low_high = row.get("low", np.nan), row.get("high", np.nan)
            numbers = row.get("advantage_probability", np.nan), *low_high, row.get("n", 0)
            _add(report, (judge, question, PLACE), numbers, verdict, why)


def _why(judge, entry, facts):
    """Return what is missing for a verdict."""
    if judge in facts.silent:
        return "the judge has no value on any item: run it again, or see why it failed"
    if facts.raters < 2:
        return f"{facts.raters} rater: a second one has to rate the same items"
    if entry is None:
        return "the judge has a scale of its own, on which it cannot be tested against a rater"
    n = facts.comparable[judge, entry.row["question"]]
    if n < FEWEST_ITEMS:
        return (
            f"{n} items have two ratings and a judgment; a rater is tested from "
            f"{FEWEST_ITEMS} on, so at least {FEWEST_ITEMS - n} more are needed"
        )
    return entry.reason or "no rater is tested"


def _add_ceilings(report, tests, questions):
    for entry in tests.entries:
        row = entry.row
        if row["question"] in questions:
            names = ("difference", "difference_low", "difference_high", "ceiling_n")
            what = row["evaluator"], row["question"], CEILING
            _add(report, what, [row[name] for name in names], why=entry.reason)


def _add_worth(report, means, facts):
    for entry in means.entries:
        row = entry.row
        if entry.judge in facts.judges and (row["system"], row["method"]) == (EVERYTHING, MEAN):
            numbers = row["n_effective"], np.nan, np.nan, row["n"]
            _add(report, (entry.judge, row["question"], WORTH), numbers, why=entry.reason)


def _add_kindness(report, differences, facts):
    for entry in differences.entries:
        row = entry.row
        if entry.judge in facts.judges and row["group"] in ("all", ""):
            numbers = [row[name] for name in ("value", "low", "high", "n")]
            _add(report, (entry.judge, row["question"], KINDNESS), numbers, why=entry.reason)


def _add_robustness(report, tests, facts):
    """Add robustness over all relations together, or of the only one."""
    entries_by_question: dict = {}
    for entry in tests.entries:
        if entry.row["measure"] == ROBUSTNESS and entry.judge in facts.judges:
            entries_by_question.setdefault((entry.judge, entry.row["question"]), []).append(entry)
    for what, entries in entries_by_question.items():
        entry = next(
            (candidate for candidate in entries if candidate.row["relation"] == EVERY), entries[0]
        )
        numbers = [entry.row[name] for name in ("value", "low", "high", "n")]
        _add(report, (*what, ROBUST), numbers, why=entry.reason)


ADDED = {
    "prediction_powered": _add_worth,
    "bias": _add_kindness,
    "robustness": _add_robustness,
}


def _add(report, what, numbers, verdict="", why=""):
    """Add one row; what: judge, question, figure; numbers: value, low, high, n."""
    names = ("evaluator", "question", "figure"), ("value", "low", "high", "n")
    row = {**dict(zip(names[0], what, strict=True)), **dict(zip(names[1], numbers, strict=True))}
    row |= {"verdict": verdict, "why": why}
    report.add(row, reason=why, judge=what[0], kind="judge")


# In words


def words(tests, facts):
    """Say in plain words how people agree, how each judge tests, and what is missing."""
    if gap := _nothing(facts):
        return [gap]
    report = Report("overview", tests.study, tests.options)
    _add_verdicts(report, tests, facts)
    rows_by_judge: dict = {}
    for row in report.rows:
        rows_by_judge.setdefault(row["evaluator"], []).append(row)
    closeness = _closeness(tests)
    ranked = sorted(rows_by_judge.values(), key=lambda rows: -closeness[rows[0]["evaluator"]])
    alike: dict = {}
    for rows in ranked[:MOST_JUDGES]:
        alike.setdefault(_sentence(rows), []).append(rows[0]["evaluator"])
    sentences = [f"{', '.join(names)}: {sentence}." for sentence, names in alike.items()]
    if more := ranked[MOST_JUDGES:]:
        passing = sum(all(row["verdict"] == PASSED for row in rows) for rows in more)
        sentences.append(
            f"{len(more)} more judges stand in the rows; {passing} of them pass on every question."
        )
    return [*_agreement(tests), *sentences, *_conditions(report, facts)]


def _nothing(facts):
    """Return why no judge can have a verdict; blank if one can."""
    if not facts.judges:
        return (
            f"Nothing can be said of judges, as none has scored an item: {facts.items} items and "
            f"{facts.raters} raters wait for one. How far people agree stands in Agreement."
        )
    if not facts.questions:
        return "Nothing can be said, as no question has a scale: words alone cannot be compared."
    return ""


def _closeness(tests):
    """Map each judge to its mean r less people's r; −∞ without r, as for a constant judge."""
    differences: defaultdict = defaultdict(list)
    for row in tests.rows:
        if not np.isnan(row["difference"]):
            differences[row["evaluator"]].append(row["difference"])
    means = {judge: float(np.mean(values)) for judge, values in differences.items()}
    return defaultdict(lambda: -np.inf, means)


def _agreement(tests):
    """Say how far people agree on each question that was tested."""
    rows = {row["question"]: row for row in tests.rows if row["tested"]}
    for question, row in rows.items():
        yield agreement_sentence(question, row)


def _sentence(rows):
    """Say where one judge passed the test, where not, and where it was not tested and why."""
    parts = []
    for verdict in (PASSED, NOT_PASSED):
        keys = [row["question"] for row in rows if row["verdict"] == verdict]
        if keys:
            parts.append(f"{verdict} {_where(keys, len(rows))}")
    untested: dict = {}
    for row in rows:
        if row["verdict"] == UNTESTED:
            untested.setdefault(row["why"], []).append(row["question"])
    parts += [f"{UNTESTED} {_where(keys, len(rows))} ({why})" for why, keys in untested.items()]
    return f"alternative annotator test {'; '.join(parts)}"


def _where(keys, count):
    if len(keys) < count:
        return f"on {', '.join(keys)}"
    return f"on {keys[0]}" if count == 1 else f"on all {count} questions"


def _conditions(report, facts):
    """Tell what the test shows and does not show, and how certain the numbers are."""
    if any(row["verdict"] != UNTESTED for row in report.rows):
        yield CONDITIONS
        if facts.clusters < FEW_CLUSTERS:
            yield (
                f"All of this rests on {facts.clusters} {facts.unit}; from {FEW_CLUSTERS} on the "
                "intervals can be relied on."
            )
    else:
        yield (
            f"What there is: {facts.items} items of {facts.clusters} {facts.unit}, {facts.raters} "
            f"raters, {len(facts.judges)} judges. The figures say what can be said from these."
        )
        if facts.roles:
            roles = " or ".join(facts.roles)
            yield f"Raters of the role {roles} may allow more: choose it as the reference."
    if facts.others:
        yield f"Nothing is said on {', '.join(facts.others)}: texts have no scale."
