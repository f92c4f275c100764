"""Tell, before raters are invited, whether a study can decide about a judge.

outlook_of(study)       an Outlook, or None where nothing needs saying
"""

from dataclasses import dataclass
from functools import cached_property
from math import ceil

from django.db.models import Count, Q
from django.template.defaultfilters import pluralize

from analysis.stats.planning.planning import (
    FEWEST_CLUSTERS,
    FEWEST_ITEMS,
    FEWEST_OF_A_SYSTEM,
    RELIABILITIES,
    Targets,
    design_factor,
    items_a_system,
    level_margin,
    level_variance,
    plan_items,
    systems_power,
    taken_out,
    usual_variance,
)
from analysis.stats.validation.criteria import FEWEST_RATERS
from annotate.design.checks import gold_keys, settings_of
from annotate.design.planner_link import planned_scale, planner_address
from annotate.flow import own_answers
from annotate.models import Item, Place

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
    number of the latter of each system; ratings: places an item, as the study asks for; own: those
    with places that are of recipients.
    """

    study: object
    questions: list
    ratings: int
    items: int
    twice: int
    clusters: int
    by_system: list
    own: int

    @property
    def is_nominal(self):
        """Say whether every question is a choice, which has no order."""
        return all(question.scale.is_nominal for question in self.questions)

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
        variance = usual_variance(scale)
        targets = Targets(
            level_margin=level_margin(scale, variance),
            rating_variance=variance,
            cluster_items=self.cluster_items,
            session_items=self.study.items_per_session,
            groups=self.groups,
            points=5 if scale.step is None else round(scale.range) + 1,
        )
        return int(plan_items(USUAL, USUAL, self.ratings, targets=targets))

    @property
    def groups(self):
        """Return how many systems the joint check takes out."""
        return len(self.by_system) if len(self.by_system) > 1 else 0

    @property
    def taken_out(self):
        """Return how many numbers the joint check takes out of the items."""
        targets = Targets(cluster_items=self.cluster_items, groups=self.groups)
        return ceil(taken_out(self.twice, targets))

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
    answers = [
        (rated, [*_say_items(rated), *_say_level(rated), *_say_systems(rated)]) for rated in counted
    ]
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
    items = _items_of(study, kinds)
    twice = Q(many__gte=2)
    counts = items.aggregate(
        items=Count("pk", filter=Q(many__gte=1)),
        own=Count("pk", filter=Q(many__gte=1, recipient__isnull=False)),
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
        own=counts["own"],
    )


def _items_of(study, kinds=()):
    """Return the items that count of these kinds, or of all, with `many` places each."""
    items = study.items.without_outdated().filter(is_practice=False)
    items = items.exclude(key__in=gold_keys(study))
    items = items.filter(kind__in=kinds) if kinds else items
    return items.annotate(many=Count("places") + Count("parent__places"))


def _say_items(rated):
    """Yield why the items cannot decide whether a judge may rate them; the first reason alone."""
    study = rated.study
    if not rated.twice and study.raters_per_item < 2:
        yield from _say_single(rated)
    elif rated.items and rated.twice < FEWEST_ITEMS:
        yield (
            f"With {_count_items(rated.twice)} that {_has(rated.twice)} two ratings nothing can be "
            f"decided about a judge: {FEWEST_ITEMS} are the least, and about "
            f"{rated.needed_in_words} at usual agreement."
        )
    elif rated.items and rated.clusters < FEWEST_CLUSTERS:
        yield (
            f"The items are about {rated.clusters} recipient{pluralize(rated.clusters)} or "
            f"contents. Nothing can be decided about a judge below {FEWEST_CLUSTERS} of them, "
            "however many items there are: items of one tell less together."
        )
    elif rated.items:
        yield from _say_power(rated)


def _say_single(rated):
    """Yield what one rating per item cannot decide, also with own answers that are asked again."""
    settings = settings_of(rated.study)
    asks_again = settings.repeat_share or settings.repeats
    if asks_again and rated.own and not rated.is_nominal:
        yield from _say_again(rated, settings)
    elif rated.items or not asks_again:
        items = f"{_count_items(rated.items)} and " if rated.items else ""
        yield (
            f"With {items}1 rating each no judge can be shown to stand in for a rater: an item "
            "needs two ratings, else it is not known how far raters agree."
        )


def _say_again(rated, settings):
    """Yield that too few own items will be answered twice, or by too few recipients."""
    study = rated.study
    screens = _own_items(study, _items_of(study).filter(parent=None))
    asked = _own_items(study, _items_of(study, rated.questions[0].applies_to))
    again = [
        own_answers.count_again(settings, shown, study.items_per_session) * asked[who] / shown
        for who, shown in screens.items()
        if who in asked
    ]
    items, recipients = round(sum(again)), sum(map(bool, again))
    if items < FEWEST_ITEMS or recipients < FEWEST_CLUSTERS:
        yield (
            f"About {_count_items(items)} will be answered twice, by {recipients} "
            f"recipient{pluralize(recipients)}: a verdict needs at least {FEWEST_ITEMS} answered "
            f"twice, by {FEWEST_CLUSTERS} recipients. Ask a larger share of their own items again, "
            "in sessions of two items or more, or bring more recipients."
        )


def _own_items(study, items):
    """Return {recipient: how many of these are to be rated}; profiles are never asked again."""
    rated = items.filter(many__gte=1, recipient__isnull=False).exclude(kind=Item.Kind.PROFILE)
    by_recipient = study.items.filter(pk__in=rated.values("pk")).order_by().values("recipient")
    return dict(by_recipient.annotate(n=Count("pk")).values_list("recipient", "n"))


def _say_power(rated):
    """Yield the shortfall of items, and of raters."""
    places, needed = rated.twice * rated.ratings, rated.needed_on(rated.scale)
    if rated.twice <= rated.taken_out:
        yield (
            f"No judge can pass the joint check: it takes out {rated.taken_out} numbers, of text "
            f"length, systems and contents or recipients, and there are {rated.twice} items. More "
            "items are needed, or fewer systems or more items about each content."
        )
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


def _say_level(rated):
    """Yield on which questions no level can be shown, as their scales have no ends."""
    keys = [
        question.key
        for question in rated.questions
        if not question.scale.is_nominal and not question.scale.has_ends
    ]
    if keys:
        yield (
            f"On {', '.join(keys)} a judge can be shown to order items like a rater, and never to "
            "stand in for one: numbers without a smallest and a largest have no level to compare. "
            "Give the scale both ends."
        )


def _say_systems(rated):
    """Yield why nothing can be decided about comparing systems, where there are several."""
    if len(rated.by_system) < 2 or rated.is_nominal:
        return
    fewest, needed = min(rated.by_system), rated.needed_of_a_system()
    if fewest < FEWEST_OF_A_SYSTEM or rated.has_no_power_for_systems:
        yield (
            f"With {_count_items(fewest)} of a system nothing can be decided about comparing "
            f"systems: about {needed:,} of each decide."
        )


def _address(rated):
    more = {"systems": rated.groups} if rated.groups else {}
    return planner_address(rated.study, rated.scale, cluster_items=rated.cluster_items, **more)


def _count_items(number):
    return f"{number:,} item{pluralize(number)}"


def _has(number):
    return "has" if number == 1 else "have"
