"""Tell, before raters are invited, whether a study can decide about a judge.

outlook_of(study)       an Outlook, or None where nothing needs saying
"""

from dataclasses import dataclass
from functools import cached_property
from math import ceil

from django.db.models import Count, Q

from analysis.stats.planning.collection import FEWEST_RATERS
from analysis.stats.planning.design import FEWEST_CLUSTERS, FEWEST_ITEMS, Targets, plan_items
from analysis.stats.planning.systems import FEWEST as FEWEST_OF_A_SYSTEM
from analysis.stats.planning.systems import items_a_system, systems_power
from analysis.stats.planning.variances import (
    RELIABILITIES,
    design_factor,
    level_variance,
    usual_variance,
)
from annotate.design.checks import gold_keys, settings_of
from annotate.design.planner_link import planned_scale, planner_address
from annotate.models import Place

USUAL = RELIABILITIES["usual"]  # agreement of two raters, and of a rater with a judge as good


@dataclass(frozen=True)
class Outlook:
    """What a study's design cannot decide, in sentences, and the planner with its numbers."""

    sentences: list
    address: str


@dataclass(frozen=True)
class Rated:
    """The items of some questions, as they are to be rated.

    items: with places; twice: with two places or more; clusters: of the latter; by_system: the
    number of the latter of each system; ratings: places an item, as the study asks for.
    """

    study: object
    questions: list
    ratings: int
    items: int
    twice: int
    clusters: int
    by_system: list

    @property
    def scale(self):
        """Return the scale on which most items are needed."""
        scales = [planned_scale(question.scale) for question in self.questions]
        return max(scales, key=self.needed_on)

    @cached_property
    def cluster_items(self):
        """Return how many items a cluster has, rounded."""
        return max(round(self.twice / self.clusters), 1) if self.clusters else 1

    def needed_on(self, scale):
        """Return how many items decide at usual agreement of raters, for a judge as good as one."""
        targets = Targets(
            level_margin=scale.level_margin,
            level_variance=self._difference_variance(scale),
            factor=design_factor(self.cluster_items),
            cluster_items=self.cluster_items,
        )
        return int(plan_items(USUAL, USUAL, self.ratings, targets=targets).items)

    @property
    def needed_in_words(self):
        """Say how many items decide, with the ratings and clusters that they are to have."""
        clusters = f" in clusters of {self.cluster_items}" if self.cluster_items > 1 else ""
        needed = self.needed_on(self.scale)
        return f"{needed:,} items{clusters} with {self.ratings} ratings each decide"

    def needed_of_a_system(self):
        """Return how many items of each of two systems decide which of them is better."""
        return int(items_a_system(self._of_systems, self.scale.system_margin))

    @property
    def has_no_power_for_systems(self):
        """Say whether even the smaller systems' true equality could not be shown."""
        fewest = min(self.by_system)
        return not systems_power(self._of_systems, fewest, self.scale.system_margin) > 0

    @property
    def _of_systems(self):
        factor = design_factor(self.cluster_items)
        return self._difference_variance(self.scale) * factor

    def _difference_variance(self, scale):
        return level_variance(USUAL, USUAL, self.ratings, usual_variance(scale))


def outlook_of(study):
    """Return the Outlook of a study that collects ratings; None where its design can decide.

    Also where no question has a scale, or no place is open: then the verdict itself speaks.
    """
    open_places = study.places.filter(state=Place.State.OPEN)
    if not open_places.exists() and study.items.exists():
        return None
    groups = _questions_by_kinds(study)
    counted = [_count(study, questions, kinds) for kinds, questions in groups.items()]
    answers = [(rated, [*_say_items(rated), *_say_systems(rated)]) for rated in counted]
    failing = [(rated, sentences) for rated, sentences in answers if sentences]
    if not failing:
        return None
    (first, sentences), *others = failing
    if len(groups) > 1:
        sentences = [_name_questions(first, sentences[0]), *sentences[1:]]
    in_short = [_name_questions(rated, reasons[0]) for rated, reasons in others]
    return Outlook([*sentences, *in_short], _address(first))


def _name_questions(rated, sentence):
    """Begin a sentence with the questions that it is about."""
    keys = ", ".join(question.key for question in rated.questions)
    return f"{keys}: {sentence[0].lower()}{sentence[1:]}"


def _questions_by_kinds(study):
    """Return {kinds of items: the questions with a scale that are asked of these}."""
    groups: dict = {}
    for question in study.questions.filter(retired=False):
        if question.scale.has_values:
            groups.setdefault(frozenset(question.applies_to), []).append(question)
    return groups


def _count(study, questions, kinds):
    """Count what is to be rated. A part of a list is rated where its list is."""
    items = study.items.without_outdated().filter(is_practice=False)
    items = items.exclude(key__in=gold_keys(study))
    items = items.filter(kind__in=kinds) if kinds else items
    items = items.annotate(many=Count("places") + Count("parent__places"))
    twice = Q(many__gte=2)
    counts = items.aggregate(
        items=Count("pk", filter=Q(many__gte=1)),
        twice=Count("pk", filter=twice),
        recipients=Count("recipient", filter=twice, distinct=True),
        contents=Count("content", filter=twice & Q(recipient=None), distinct=True),
        alone=Count("pk", filter=twice & Q(recipient=None, content=None)),
    )
    of_systems = study.items.filter(pk__in=items.filter(twice).values("pk"), system__isnull=False)
    systems = of_systems.order_by().values("system").annotate(n=Count("pk"))
    return Rated(
        study=study,
        questions=questions,
        ratings=max(study.raters_per_item, 2),
        items=counts["items"],
        twice=counts["twice"],
        clusters=counts["recipients"] + counts["contents"] + counts["alone"],
        by_system=list(systems.values_list("n", flat=True)),
    )


def _say_items(rated):
    """Yield why the items cannot decide whether a judge may rate them; the first reason alone."""
    study = rated.study
    if not rated.twice and study.raters_per_item < 2:
        if not settings_of(study).repeats:
            yield _say_single(rated)
    elif rated.items and rated.twice < FEWEST_ITEMS:
        yield (
            f"With {_count_items(rated.twice)} that {_has(rated.twice)} two ratings nothing can be "
            f"decided about a judge: {FEWEST_ITEMS} are the least, and about "
            f"{rated.needed_in_words} at usual agreement."
        )
    elif rated.items and rated.clusters < FEWEST_CLUSTERS:
        yield (
            f"The items are about {rated.clusters} recipient{_s(rated.clusters)} or contents. "
            f"Nothing can be decided about a judge below {FEWEST_CLUSTERS} of them, however many "
            "items there are: items of one tell less together."
        )
    elif rated.items:
        yield from _say_power(rated)


def _say_single(rated):
    items = f"{_count_items(rated.items)} and " if rated.items else ""
    return (
        f"With {items}1 rating each no judge can be shown to stand in for a rater: an item needs "
        "two ratings, else it is not known how far raters agree."
    )


def _say_power(rated):
    """Yield the shortfall of items, and of raters."""
    places, needed = rated.twice * rated.ratings, rated.needed_on(rated.scale)
    if rated.twice < needed:
        yield (
            f"{places:,} places: about {rated.needed_in_words} at usual agreement; this study has "
            f"{rated.twice:,}."
        )
    sessions = max(ceil(places / rated.study.items_per_session), rated.ratings)
    if sessions < FEWEST_RATERS:
        yield (
            f"They make {sessions} sessions of {rated.study.items_per_session} items. With fewer "
            f"than {FEWEST_RATERS} raters a verdict is about these raters only."
        )


def _say_systems(rated):
    """Yield why nothing can be decided about comparing systems, where there are several."""
    if len(rated.by_system) < 2 or all(q.scale.is_nominal for q in rated.questions):
        return
    fewest, needed = min(rated.by_system), rated.needed_of_a_system()
    if fewest < FEWEST_OF_A_SYSTEM or rated.has_no_power_for_systems:
        yield (
            f"With {_count_items(fewest)} of a system nothing can be decided about comparing "
            f"systems: about {needed:,} of each decide."
        )


def _address(rated):
    return planner_address(rated.study, rated.scale, cluster_items=rated.cluster_items)


def _count_items(number):
    return f"{number:,} item{_s(number)}"


def _has(number):
    return "has" if number == 1 else "have"


def _s(number):
    return "" if number == 1 else "s"
