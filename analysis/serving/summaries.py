"""Keep what the page Results shows: the answer, each report's headline, what people answered."""

from dataclasses import dataclass, replace

from django.urls import reverse

from analysis.figures.layout import Figure
from analysis.figures.likert import likert
from analysis.options.choices import ALL
from analysis.options.declare import declared
from analysis.reports.registry import PAGES, REPORTS
from analysis.reports.shared.evaluators import together
from analysis.results.summary import summarise

NOTHING_YET = "", "nothing to compare yet"
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
    may_edit = getattr(source.study, "may_edit", False)  # the study of a command has no role
    if not choices.has_items:
        load = reverse("load", args=[slug]) if may_edit else ""
        return Missing("No items are loaded.", load, "Load items")
    questions = source.reader.questions
    if questions and not any(question.scale.has_values for question in questions):
        text = "Every question of this study is answered in words, so there is nothing to compute."
        return Missing(text, reverse("coding", args=[slug]), "Read what raters wrote")
    if not choices.roles:
        invite = reverse("raters", args=[slug]) if may_edit else ""
        return Missing("No rating counts yet.", invite, "Invite raters")
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
    """A report with what its page has as title; where it has none, with the reason."""

    name: str
    title: str
    finding: str
    missing: str


def _name_of_results(source):
    return f"results {source.stamp(REPORTS['verdict'])} {source.stamp(REPORTS['cost'])}"


def has_results(source):
    """Return whether the Results are kept."""
    return source.has(_name_of_results(source))


def results_of(source):
    """Return the study's Results, kept or computed."""
    return source.kept(
        _name_of_results(source),
        lambda: summarise(source.reader, source.answers, source.choices),
    )


def results_computed(source):
    """Return the Kept of the Results, with its time; None where they are not there."""
    return source.when(_name_of_results(source))


def _of_headlines(source):
    return " ".join(["headlines", *(str(source.stamp(kind)) for kind in REPORTS.values())])


def has_cards(source):
    """Return whether the headlines are kept."""
    return source.has(_of_headlines(source))


def headlines_computed(source):
    """Return the Kept of the headlines, with its time; None where they are not there."""
    return source.when(_of_headlines(source))


def cards(source):
    """Return {name: Card} of every report; without an answer the headline says so."""
    headlines = source.kept(_of_headlines(source), lambda: _headlines(source))
    return {name: Card(name, kind.title, *headlines[name]) for name, kind in REPORTS.items()}


def pages_of(reader):
    """Return (the Pages that can say something of a study, those that lack what they need)."""
    applies = [page.applies(reader) for page in PAGES]
    shown = [page for page, does in zip(PAGES, applies, strict=True) if does]
    return shown, [page for page in PAGES if page not in shown]


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


def likert_figure(results):
    """Draw people's answers by question as diverging bars, with counts; None without answers."""
    if not results.answered:
        return None
    caption = "Answers of people that count, by question; the middle of the scale around zero."
    lines = [(key, points, sum(n for _, n in points)) for key, points in results.answered]
    return Figure("likert", caption, likert(results.answered)), lines
