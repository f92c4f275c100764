"""Say a verdict in words: the answer, its one reason, and the one next step."""

from dataclasses import dataclass
from math import ceil, isnan, nan

from analysis.stats.validation.answers import Answer, Grade, Half, Reason, Verdict
from analysis.stats.validation.beyond import FEW_A_GROUP, LENGTH
from analysis.stats.validation.criteria import Criteria
from analysis.stats.validation.evidence import Evidence
from analysis.stats.validation.systems import SystemComparison

ANSWERS = {
    Answer.YES: "yes",
    Answer.NOT_YET: "not yet",
    Answer.NO: "no",
    Answer.PEOPLE_DISAGREE: "people disagree",
    Answer.NOT_TESTABLE: "cannot be tested",
}
USES = {"rate_items": "rate items", "compare_systems": "compare systems"}
T_OF_POWER = 1.644854 + 0.841621  # of a one-sided test at .05 with power .8
WORTH_SAYING = 0.01  # least share by which intervals get narrower
MOST_NAMED = 3  # raters in a sentence
MOST_TIMES = 20  # as many items as today: more is not worth advising
MORE = "more items with two ratings or more"
ANOTHER = "Try another prompt or model."
STATE = "When you use it, state the judge, its prompt and settings, and what was tested."


def short(number, digits=2):
    """Write a number without the zero before its point; an undefined one as a dash."""
    if isnan(number):
        return "–"
    text = f"{number:.{digits}f}"
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def worth(value, unit="rater"):
    """Write how many raters, or own answers, a judge is worth."""
    if isnan(value):
        return "–"
    if value >= 1000:
        return f"more {unit}s than can be measured"
    return "nothing" if value < 0.05 else f"{value:.1f} {unit}{'' if value == 1 else 's'}"


WARNINGS = {
    "closer_than_people": "It follows people more closely than people can follow each other: "
    "ratings of one item may have been pushed apart.",
    "seen_rater": "It may have seen a rater's answers: it agrees with that rater alone.",
    "missing": "More than a tenth of the rated items have no judgment on the scale.",
}


@dataclass(frozen=True)
class Case:
    """A verdict on a judge that rates items, with all that its words need."""

    judge: str
    question: str
    evidence: Evidence
    verdict: Verdict
    criteria: Criteria
    echo: object = None
    narrowing: float = nan

    more_items = MORE

    @property
    def words(self):
        """Return {reason: the function that says it}."""
        return OF_RATING

    @property
    def warning_words(self):
        """Return {warning: its sentence}."""
        return WARNINGS

    @property
    def warnings(self):
        """Return the names of what a reader should know whatever the answer is."""
        return (*self.verdict.warnings, *(["echo"] if self.echo else []))

    @property
    def agreement(self):
        return self.evidence.agreement

    def say(self):
        """Return (the sentence, with what else a reader should know; the next step)."""
        sentence, next_step = self.words[self.verdict.reason](self)
        more = [self.warning_words[name] for name in self.verdict.warnings]
        if self.echo:
            more.append(_echoed(self.judge, self.echo))
        if self.narrowing >= WORTH_SAYING:
            narrower = f"{self.narrowing:.0%} narrower"
            next_step += f" With your ratings it makes the intervals of means {narrower}."
        return " ".join([sentence, *more]), next_step

    def collect(self, effect, error):
        """Say how many more items would decide, if today's estimates hold."""
        if isnan(effect) or isnan(error) or effect <= 0:
            return f"Collect {self.more_items}; at today's estimate no number is sure to help."
        needed = ceil(self.evidence.n * (T_OF_POWER * error / effect) ** 2)
        if needed > MOST_TIMES * self.evidence.n:
            return f"More than {MOST_TIMES} times as many items would be needed."
        more = max(needed - self.evidence.n, 10)
        return f"Collect about {more:,} {self.more_items}, if today's estimates hold."


def _echoed(judge, echo):
    """Say that raters may have pasted a judge's answers, and what the answer is without them."""
    sentence = f"Some raters agree with {judge} more than with people, as if they had pasted it"
    if not echo.raters:
        return f"{sentence}; who they are cannot be told."
    named = ", ".join(echo.raters[:MOST_NAMED])
    named += " and others" if len(echo.raters) > MOST_NAMED else ""
    return f"{sentence} ({named}). Without them the answer is: {ANSWERS[echo.without]}."


def _not_comparable(case):
    if case.evidence.is_fitted:
        return (
            f"{case.judge} learned from these very ratings, so that they cannot test it.",
            "Set a test part of the items aside, and test it there.",
        )
    return (
        "Nothing can be said: no item has two ratings and a judgment.",
        "Collect a second rating of at least 30 items.",
    )


def _says_nothing(case):
    return f"{case.judge} gives the same answer to every item.", ANOTHER


def _too_few(case):
    evidence, criteria = case.evidence, case.criteria
    return (
        f"Too little to go on: {evidence.n} items in {evidence.n_clusters} clusters have two "
        f"ratings and a judgment, and {criteria.fewest_items} items in "
        f"{criteria.fewest_clusters} clusters are the least.",
        f"Collect {MORE}.",
    )


def _raters_disagree(case):
    if isnan(case.agreement.rho.value):
        return (
            f"All ratings on {case.question} are equal, so that there is nothing to agree on.",
            "Ask a question on which the items differ.",
        )
    return (
        f"Two raters of one item agree by {interval_of(case.agreement.rho)} on {case.question}: no "
        "judge can be validated there.",
        "Ask a clearer question or train the raters; more items do not help.",
    )


def _people_unsure(case):
    rho = case.agreement.rho
    return (
        f"It is not known yet whether your raters agree on {case.question}: {interval_of(rho)}.",
        case.collect(rho.value, rho.error),
    )


def _may_not(case):
    r, rho = case.agreement.r.value, case.agreement.rho.value
    is_reversed = case.agreement.r.upper(case.criteria.alpha) < 0
    direction = " It goes in the opposite direction." if is_reversed else ""
    return (
        f"{case.judge} tells less about a rater's answer (r = {short(r)}) than "
        f"{share_of(case.criteria.retention)} of what another rater tells ({short(rho)})."
        f"{direction}",
        ANOTHER,
    )


def _undecided(case):
    if case.verdict.missing == "correction":
        return (
            f"{case.judge} passes every check alone, but not beside the other judges and questions "
            "that were tried on these ratings.",
            f"Collect {MORE}, or name one judge before you see its judgments.",
        )
    if case.verdict.missing == "rare_class":
        return (
            f"Only {case.evidence.rare_class.n_majority} items have the rarer answer by most of "
            f"their raters, and {case.criteria.fewest_of_rare_class} are the least.",
            "Collect items with the rarer answer.",
        )
    theta = case.agreement.retention(case.criteria.retention)
    low = case.agreement.share_proven(case.criteria.alpha)
    keeps = f"keeps at least {low:.0%}" if low > 0 else "is not shown to keep any"
    return (
        f"{case.judge} {keeps} of what a rater tells on {case.question}; "
        f"{share_of(case.criteria.retention)} has to be shown.",
        case.collect(theta.value, theta.error),
    )


def _explained(case):
    grouping, question = case.verdict.grouping, case.question
    (beyond,) = [part for part in case.evidence.beyond if part.name == grouping]
    rho = beyond.agreement.rho
    theta = beyond.agreement.retention(case.criteria.beyond_retention)
    by_people = case.verdict.half == Half.PEOPLE
    if grouping == LENGTH:
        sentence = (
            f"Beyond the length of the texts your raters agree by {interval_of(rho)} on "
            f"{question}: no judge can be shown to know more than a count of characters."
            if by_people
            else f"{case.judge} is not shown to know more than a count of characters."
        )
        return sentence, "Rate texts of other lengths, so that length and quality come apart."
    if by_people:
        return (
            f"Within one {grouping} your raters agree by {interval_of(rho)} on {question}: nothing "
            "can be shown of any judge there.",
            f"Rate more items of each {grouping}, or ask whether it may compare systems.",
        )
    return (
        f"{case.judge} knows which {grouping} an item is of; within one {grouping} nothing is "
        "shown.",
        f"{case.collect(theta.value, theta.error)} They have to be within one {grouping}.",
    )


def _level_off(case):
    b = case.evidence.level.largest.value
    return (
        f"{case.judge} orders items like a rater, but is {short(abs(b))} points too "
        f"{'high' if b > 0 else 'low'}: use it for the order only.",
        "Calibrate it on a part of the items, and test it on the rest.",
    )


def _order_only(case):
    if case.verdict.missing == "scale":
        return (
            f"{case.judge} orders items like a rater; as it has a scale of its own, it has no "
            "level to be tested.",
            "Use it for the order only.",
        )
    level = case.evidence.level.largest
    more = case.collect(case.evidence.level_margin - abs(level.value), level.error)
    return (
        f"{case.judge} orders items like a rater; its level is not settled "
        f"({interval_of(level)} points).",
        f"{more} Until then use it for the order only.",
    )


def _may(case):
    least = case.agreement.least_worth(case.criteria.alpha)
    grade = {
        Grade.PANEL: f"as good as your panel of {case.evidence.most_ratings}",
        Grade.RATER: "as good as one of your raters",
        Grade.SHARE: f"it keeps {share_of(case.criteria.retention)} of what a rater tells",
    }[case.verdict.grade]
    return (
        f"{case.judge} may stand in for one rater on {case.question}: worth at least "
        f"{worth(least)}, {grade}. It is not shown for other systems, questions or raters."
        f"{unchecked(case.evidence)}{finds(case.evidence.rare_class)}",
        STATE,
    )


def unchecked(evidence):
    """Say which groupings cannot be checked: most of their groups have one rated item."""
    names = [part.name for part in evidence.beyond if part.skipped == FEW_A_GROUP]
    if not names:
        return ""
    only = " or the ".join(names)
    return f" Not checked: whether it only knows the {only} of an item (too few rated items each)."


def finds(rare):
    """Say how much of the rarer answer a judge finds; nothing where no answer is rare."""
    if rare is None:
        return ""
    low, high = rare.recall_interval
    return f" It finds {rare.recall:.0%} [{low:.0%}, {high:.0%}] of the rarer answer."


OF_RATING = {
    Reason.NOT_COMPARABLE: _not_comparable,
    Reason.SAYS_NOTHING: _says_nothing,
    Reason.TOO_FEW: _too_few,
    Reason.RATERS_DISAGREE: _raters_disagree,
    Reason.PEOPLE_UNSURE: _people_unsure,
    Reason.MAY_NOT: _may_not,
    Reason.UNDECIDED: _undecided,
    Reason.LENGTH_ONLY: _explained,
    Reason.SYSTEM_ONLY: _explained,
    Reason.LEVEL_OFF: _level_off,
    Reason.ORDER_ONLY: _order_only,
    Reason.MAY: _may,
}


@dataclass(frozen=True)
class SystemsCase:
    """A verdict on a judge that compares systems, with all that its words need."""

    judge: str
    question: str
    comparison: SystemComparison
    names: list
    margin: float

    @property
    def widest(self):
        """Return the pair in which judge and people differ most."""
        return max(self.comparison.pairs, key=lambda pair: abs(pair.offset.value))

    def names_of(self, pair):
        """Write the names of a pair's systems."""
        return f"{self.names[pair.first]} and {self.names[pair.second]}"

    def say(self):
        """Return (the sentence, the next step)."""
        return OF_SYSTEMS[self.comparison.reason](self)


MORE_OF_EACH = "Collect more rated items of each system."


def _no_systems(case):
    return "There are no two systems to be compared.", "Rate items of several systems."


def _too_few_of_a_system(case):
    return (
        "Too little to go on: each system needs 30 items with two ratings and a judgment, in ten "
        "clusters.",
        MORE_OF_EACH,
    )


def _favours(case):
    pair = case.widest
    better = pair.second if pair.offset.value > 0 else pair.first
    return (
        f"{case.judge} favours {case.names[better]} by {short(abs(pair.offset.value))} points "
        f"against people (of {case.names_of(pair)}): it would pick wrong winners.",
        "Compare systems by people's ratings, corrected with its judgments.",
    )


def _no_difference(case):
    return (
        "People see no difference between any two systems, so that none can be checked.",
        MORE_OF_EACH,
    )


def _systems_undecided(case):
    why = {
        "margin": f"not every difference is shown to be within {short(case.margin)} points of "
        f"people's (widest: {case.names_of(case.widest)}, {short(case.widest.offset.value)})",
        "order": "it orders some systems otherwise than people do",
        "widest": "it does not show the widest difference that people see",
    }[case.comparison.missing]
    return f"{case.judge} may not compare systems yet: {why}.", MORE_OF_EACH


def _may_compare(case):
    return (
        f"{case.judge} may compare these {case.comparison.n_systems} systems on {case.question}: "
        f"every difference is within {short(case.margin)} points of people's. A new system is "
        "untested.",
        STATE,
    )


OF_SYSTEMS = {
    Reason.NOT_COMPARABLE: _no_systems,
    Reason.SAYS_NOTHING: _says_nothing,
    Reason.TOO_FEW: _too_few_of_a_system,
    Reason.FAVOURS: _favours,
    Reason.NO_DIFFERENCE: _no_difference,
    Reason.UNDECIDED: _systems_undecided,
    Reason.MAY: _may_compare,
}


def share_of(k):
    """Write a share in words, as a percentage where it has none."""
    return {1 / 2: "half", 2 / 3: "two thirds", 4 / 5: "four fifths"}.get(k, f"{k:.0%}")


def interval_of(quantity):
    """Write an estimate with its 95 % interval."""
    reach = quantity.reach(0.025)
    low, high = quantity.value - reach, quantity.value + reach
    return f"{short(quantity.value)} [{short(low)}, {short(high)}]"
