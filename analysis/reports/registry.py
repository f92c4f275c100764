"""List the reports by name, and the fourteen pages that they stand on."""

from collections.abc import Callable
from dataclasses import dataclass

from analysis.options.declare import declared
from analysis.reports.bias import bias, robustness
from analysis.reports.closeness import compare, correlation, differences, ensembles
from analysis.reports.cost import report as cost
from analysis.reports.counterfactual import report as counterfactual
from analysis.reports.disagreements import disagreements, reasons
from analysis.reports.factuality import report as factuality
from analysis.reports.how_many import pilot, stop
from analysis.reports.lists import preferences, selection
from analysis.reports.metamorphic import report as metamorphic
from analysis.reports.overview import report as overview
from analysis.reports.prediction_powered import report as prediction_powered
from analysis.reports.profile import report as profile
from analysis.reports.profile.report import LENGTHS
from analysis.reports.raters import agreement, exclusions, rater_pairs, raters, variance
from analysis.reports.verdict import report as verdict
from analysis.reports.verdict import substitution
from analysis.reports.yes_no import (
    calibration,
    confusion,
    misjudged,
    precision_recall,
    roc,
    thresholds,
)
from annotate.models import Item


@dataclass(frozen=True)
class Page:
    """Reports that answer one question of researchers, which the navigation shows as one page.

    lacks: what a study has to have before any of them can say something; blank where every study
    that can be rated has it. applies(reader): whether this study, of a frame.Reader, has it.
    """

    title: str
    question: str
    kinds: tuple
    lacks: str = ""
    applies: Callable = lambda reader: True


def has_judges(reader):
    """Return whether some judge has run or was loaded."""
    return bool(reader.judges.runs)


def _has_kind(reader, *kinds):
    return not reader.item_kinds.isdisjoint(kinds)


def _has_profiles(reader):
    is_shown = any(row.get("context") in LENGTHS.values() for row in reader.judges.settings)
    return is_shown or _has_kind(reader, Item.Kind.PROFILE)


JUDGES = "a judge that has run"
PAGES = (
    Page(
        "Verdict",
        "May a judge stand in for people?",
        (verdict.KIND, substitution.KIND, pilot.KIND, stop.KIND, overview.KIND),
    ),
    Page(
        "Raters",
        "Do raters agree?",
        (agreement.KIND, rater_pairs.KIND, variance.KIND, raters.KIND, exclusions.KIND),
    ),
    Page(
        "Correlation",
        "How close is a judge to people?",
        (correlation.KIND,),
        JUDGES,
        has_judges,
    ),
    Page(
        "Yes or no",
        "Does a judge tell good from bad?",
        (
            roc.KIND,
            precision_recall.KIND,
            confusion.KIND,
            thresholds.KIND,
            calibration.KIND,
            misjudged.KIND,
        ),
        JUDGES,
        has_judges,
    ),
    Page(
        "Lists",
        "Which list do people and judges prefer?",
        (selection.KIND, preferences.KIND),
        "pairs of recommendation lists, or recommendations by two systems",
        lambda reader: _has_kind(reader, Item.Kind.LIST_PAIR, Item.Kind.RECOMMENDATION),
    ),
    Page(
        "Bias and robustness",
        "Where does a judge err?",
        (bias.KIND, robustness.KIND),
        JUDGES,
        has_judges,
    ),
    Page(
        "Disagreements",
        "Which items divide people and judges, and why?",
        (disagreements.KIND, reasons.KIND),
    ),
    Page(
        "Compare",
        "Which of two is better: two judges, or a judge and a rater?",
        (compare.KIND, differences.KIND, correlation.EXAMPLES, ensembles.KIND),
        JUDGES,
        has_judges,
    ),
    Page("Cost", "What does it cost?", (cost.KIND,), JUDGES, has_judges),
    Page(
        "Means with few ratings",
        "What do people think on average, with a judge’s help?",
        (prediction_powered.KIND,),
        JUDGES,
        has_judges,
    ),
    Page(
        "Profiles",
        "Are written profiles right?",
        (profile.KIND,),
        "profiles as items, or judges that are shown a profile or a history",
        _has_profiles,
    ),
    Page(
        "Explanations by contents",
        "Do explanations name what moved the recommender?",
        (counterfactual.KIND,),
        "a judge that scores explanations by the contents that they name",
        lambda reader: bool(reader.judges.of_explanations),
    ),
    Page(
        "Facts",
        "Are explanations true?",
        (factuality.KIND,),
        "statements of explanations",
        lambda reader: reader.judges.extracts or _has_kind(reader, Item.Kind.STATEMENT),
    ),
    Page(
        "Recommenders under test",
        "Does a recommender keep its lists when nothing important changes?",
        (metamorphic.KIND,),
        "a recommender that was asked for lists",
        lambda reader: bool(reader.judges.recommends),
    ),
)
KINDS = [kind for page in PAGES for kind in page.kinds]
REPORTS = {kind.name: kind for kind in KINDS}


EVERY_OPTION = declared(*(kind.options for kind in KINDS))


def page_of(kind):
    """Return the Page that a report stands on."""
    return next(page for page in PAGES if kind in page.kinds)


def takers(name):
    """Return the names of the reports that take an option."""
    return [kind.name for kind in KINDS if name in declared(kind.options)]
