"""What the analysis index says: a headline per report, or what is missing and where to get it."""

from collections import Counter
from dataclasses import dataclass
from math import isnan

from django.urls import reverse

from analysis import charts
from analysis.options import ALL, Options
from analysis.report_tables import Figure, over_questions
from analysis.reports.correlation import AVERAGE
from analysis.reports.kinds import REPORTS
from analysis.reports.labels import MOST_LABELS
from annotate.templatetags.concord import interval, leading_point

DRAWS = 500  # of the headlines' intervals


@dataclass(frozen=True)
class Missing:
    """What a report cannot do without: a sentence, and the page to get it, if one may."""

    text: str
    url: str
    button: str


def missing(source, options=None):
    """What keeps every report from saying anything; None where there is something to say."""
    choices, slug = source.choices, source.study.slug
    if not choices.has_items:
        load = reverse("load", args=[slug]) if source.study.may_edit else ""
        return Missing("No items are loaded.", load, "Load items")
    if not choices.roles:
        return Missing("No rating counts yet.", reverse("raters", args=[slug]), "Invite raters")
    if options and options.reference not in (ALL, *choices.roles):
        text = f"Nobody with the role {options.reference} has rated: choose another reference."
        return Missing(text, "?reference=all", "Compare with all people")
    return None


def no_judges(source):
    """The gap that leaves only people to compare."""
    if source.choices.judges:
        return None
    text = "No judge has scored an item yet, so that only people are compared."
    return Missing(text, reverse("judges", args=[source.study.slug]), "Run judges")


@dataclass(frozen=True)
class Card:
    """A report on the index: its headline is a number, its interval and what they are."""

    name: str
    title: str
    method: str
    value: str
    interval: str
    words: str


def cards(source):
    """One card a report; without an answer the headline says so."""
    headlines = source.kept("headlines", lambda: _headlines(source))
    return [Card(name, kind.title, kind.method, *headlines[name]) for name, kind in REPORTS.items()]


def _headlines(source):
    choices = source.choices
    options = Options(choices.reference, draws=DRAWS)
    if not choices.roles:
        return {name: ("–", "", "nothing to compare yet") for name in REPORTS}
    makers = {
        "correlation": _best_correlation,
        "agreement": _agreement_of_people,
        "roc": _best_area,
        "confusion": _most_equal,
    }
    return {name: make(source.answers, options, choices.judges) for name, make in makers.items()}


def _no_value(words):
    return "–", "", words


NO_JUDGE = _no_value("no judge has scored an item yet")
UNDEFINED = _no_value("undefined for every judge: the report says why")


def _best(rows, judges, key):
    rows = [row for row in rows if row["evaluator"] in judges and not isnan(row[key])]
    return max(rows, key=lambda row: row[key], default=None)


def _best_correlation(answers, options, judges):
    if not judges:
        return NO_JUDGE
    report = REPORTS["correlation"].build(answers, options, ["pearson"], ["dataset"])
    row = _best([row for row in report.rows if row["question"] == AVERAGE], judges, "value")
    if row is None:
        return UNDEFINED
    words = (
        f"largest Pearson r of a judge: {row['evaluator']}, mean of the questions, "
        f"n = {row['n']:,} {over_questions(report)}"
    )
    return leading_point(row["value"]), interval(row["low"], row["high"]), words


def _agreement_of_people(answers, options, judges):
    report = REPORTS["agreement"].build(answers, options, [])
    rows = [row for row in report.rows if row["measure"] == "alpha_ordinal"]
    rows = [row for row in rows if row["raters"] == "humans" and not isnan(row["value"])]
    if not rows:
        ordinal = any(q.scale.kind in ("likert", "binary") for q in answers.questions)
        why = "α is undefined for every question: the report says why"
        return _no_value(why if ordinal else "no question has an ordinal scale for α")
    row = sorted(rows, key=lambda row: row["value"])[len(rows) // 2]
    words = (
        f"Krippendorff's ordinal α of people on {row['question']}, the median question, "
        f"n = {row['n_units']:,} items"
    )
    return leading_point(row["value"]), interval(row["low"], row["high"]), words


def _best_area(answers, options, judges):
    keys = [q.key for q in answers.questions if q.scale.kind in ("likert", "binary")]
    if not judges or not keys:
        return _no_value("no question has an ordered scale with ends") if judges else NO_JUDGE
    row = _best(REPORTS["roc"].build(answers, options, keys[:1]).rows, judges, "auc")
    if row is None:
        return _no_value(f"AUC on {keys[0]}{_first_of(keys)} is undefined: the report says why")
    words = (
        f"largest AUC on {row['question']}{_first_of(keys)}: {row['evaluator']}, "
        f"{row['positives']:,} positive and {row['negatives']:,} negative items"
    )
    return leading_point(row["auc"]), interval(row["low"], row["high"]), words


def _first_of(keys):
    """Says which question was taken where there are several."""
    return "" if len(keys) == 1 else f" (the first of {len(keys)} questions)"


def _most_equal(answers, options, judges):
    keys = [q.key for q in answers.questions if 0 < len(q.scale.points) <= MOST_LABELS]
    if not judges or not keys:
        return _no_value("no question has labels that can be counted") if judges else NO_JUDGE
    rows = REPORTS["confusion"].build(answers, options, keys[:1]).rows
    found = []
    for row in rows:
        total = sum(map(sum, row["matrix"]))
        if row["evaluator"] in judges and total:
            same = sum(line[place] for place, line in enumerate(row["matrix"]))
            found.append((same / total, row, same, total))
    if not found:
        return _no_value(f"no judge has labels for {keys[0]}{_first_of(keys)}")
    share, row, same, total = max(found, key=lambda one: one[0])
    words = (
        f"of {total:,} items get the same label on {keys[0]}{_first_of(keys)} from people "
        f"and from {row['evaluator']}, the closest judge"
    )
    return f"{100 * share:.0f} %", "", words


def likert_figure(source):
    """Answers of people by question as diverging bars, and their counts; None without answers."""
    counts = source.kept("likert", lambda: _distributions(source.answers))
    if not counts:
        return None
    caption = "Answers of people that count, by question; the middle of the scale around zero."
    lines = [(key, points, sum(n for _, n in points)) for key, points in counts]
    return Figure("likert", caption, charts.likert(counts)), lines


def _distributions(answers):
    """(question, [(label, count)]) of the Likert questions that have answers."""
    people = answers.of("human")
    people = people[~people["excluded"]]
    found = []
    for question in answers.questions:
        values = Counter(people.loc[people["question"] == question.key, "value"])
        if question.scale.kind == "likert" and values:
            points = [(label, values[value]) for value, label in question.scale.points]
            found.append((question.key, points))
    return found
