"""Summarise every report for the analysis index: its headline, or what is missing and where."""

from collections import Counter
from dataclasses import dataclass, replace

from django.urls import reverse

from analysis.figures.layout import Figure
from analysis.figures.likert import likert
from analysis.options.choices import ALL
from analysis.options.declare import declared
from analysis.reports.registry import REPORTS
from analysis.reports.shared.evaluators import together

NOTHING_YET = ("–", "", "nothing to compare yet")
DRAWS = 500  # of the headlines' intervals


@dataclass(frozen=True)
class Missing:
    """What a report cannot do without: a sentence, and the page to get it, if allowed."""

    text: str
    url: str
    button: str


def missing(source, options=None, kind=None):
    """Return what keeps this report, or all that need ratings, from saying anything; else None."""
    if kind is not None and not kind.needs_ratings:
        return None
    choices, slug = source.choices, source.study.slug
    if not choices.has_items:
        # The study of a command has no role.
        may_load = getattr(source.study, "may_edit", False)
        load = reverse("load", args=[slug]) if may_load else ""
        return Missing("No items are loaded.", load, "Load items")
    if not choices.roles:
        return Missing("No rating counts yet.", reverse("raters", args=[slug]), "Invite raters")
    if options and options.reference not in (ALL, *choices.roles):
        text = f"Nobody with the role {options.reference} has rated: choose another reference."
        return Missing(text, "?reference=all", "Compare with all people")
    return None


def no_judges(source):
    """Return the Missing where no judge has scored, so only people can be compared; else None."""
    if source.choices.judges:
        return None
    text = "No judge has scored an item yet, so that only people are compared."
    return Missing(text, reverse("judges", args=[source.study.slug]), "Run judges")


def several_versions(source):
    """Return a note that answers of several questionnaire versions are together; else blank."""
    versions = source.choices.versions
    return together(versions) if len(versions) > 1 else ""


@dataclass(frozen=True)
class Card:
    """A report on the index; its headline is a number, its interval and what they are."""

    name: str
    title: str
    method: str
    value: str
    interval: str
    words: str


def _of_headlines(source):
    return " ".join(["headlines", *(str(source.stamp(kind)) for kind in REPORTS.values())])


def has_cards(source):
    """Return whether the headlines are kept."""
    return source.has(_of_headlines(source))


def headlines_computed(source):
    """Return the Kept of the headlines, with its time; None where they are not there."""
    return source.when(_of_headlines(source))


def cards(source):
    """Return one card per report; without an answer the headline says so."""
    headlines = source.kept(_of_headlines(source), lambda: _headlines(source))
    return [Card(name, kind.title, kind.method, *headlines[name]) for name, kind in REPORTS.items()]


def _headlines(source):
    choices = source.choices

    def headline(kind):
        if kind.needs_ratings and not choices.roles:
            return NOTHING_YET
        beside = source.stamp(kind)
        role = declared(kind.options).get("reference")
        options = kind.options.choose(
            reference=role and role.usual(choices), draws=DRAWS, part=source.reader.part
        )
        return kind.headline(replace(source.answers, beside=beside), options, choices.judges)

    return {name: headline(kind) for name, kind in REPORTS.items()}


def likert_figure(source):
    """Draw people's answers by question as diverging bars, with counts; None without answers."""
    counts = source.kept("likert", lambda: _distributions(source.answers))
    if not counts:
        return None
    caption = "Answers of people that count, by question; the middle of the scale around zero."
    lines = [(key, points, sum(n for _, n in points)) for key, points in counts]
    return Figure("likert", caption, likert(counts)), lines


def _distributions(answers):
    """Return (question, [(label, count)]) of the Likert questions that have answers."""
    people = answers.select_source("human")
    people = people[~people["excluded"]]
    distributions = []
    for question in answers.questions:
        values = Counter(people.loc[people["question"] == question.key, "value"])
        if question.scale.has_graded_points and values:
            points = [(label, values[value]) for value, label in question.scale.points]
            distributions.append((question.key, points))
    return distributions
