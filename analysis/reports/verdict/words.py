"""Say a verdict in words: the answer, its one reason, and the one next step."""

from dataclasses import dataclass, replace
from math import ceil, floor, isfinite, isnan, nan

from analysis.reports.verdict.unchecked import unchecked
from analysis.reports.verdict.uses import A_RATER, say_use, say_use_of_systems
from analysis.stats.planning.design import Targets, plan_items
from analysis.stats.validation.answers import Answer, Grade, Half, Reason, Verdict
from analysis.stats.validation.beyond import JOINT, LENGTH, RATERS, SYSTEM
from analysis.stats.validation.criteria import Criteria
from analysis.stats.validation.evidence import Evidence
from analysis.stats.validation.held import CLOSE, MEAN, RATING
from analysis.stats.validation.systems import SystemComparison, correct_comparison
from analysis.stats.validation.verdict import MANY_MISSING

ANSWERS = {
    Answer.YES: "yes",
    Answer.NOT_YET: "not yet",
    Answer.NO: "no",
    Answer.PEOPLE_DISAGREE: "people disagree",
    Answer.NOT_TESTABLE: "cannot be tested",
}
OF_SCALE = "not yet, for its scale"
USES = {"rate_items": "rate items", "compare_systems": "compare systems"}
T_OF_POWER = 1.644854 + 0.841621  # of a one-sided test at .05 with power .8
WORTH_SAYING = 0.01  # least share by which intervals get narrower
LEAST_WORTH = 0.1  # raters, below which a worth is called nothing
MOST_NAMED = 3  # raters in a sentence
KNOWN_WORDS = {LENGTH: "the length of its text", RATERS: "who rated it"}
CLEARER = "Ask a clearer question or train the raters; more items do not help."
NEVER = "More items would not change this"
NOT_BY_IT = ": do not compare systems by it."
ELSEWHERE = (
    "Nothing is shown for other kinds of items, systems, questions or raters, nor for another "
    "prompt or model."
)
# Of a yes: whom it is for, by how many raters there are.
LIKE_THESE, ONLY_THESE = (
    "This is for raters like these {:,}.",
    "This is for these {:,} raters only.",
)
USUAL = 0.3, 3  # agreement of two raters, ratings an item
MOST_TIMES = 20  # as many items as today: more is not worth advising
MORE = "more items with two ratings or more"
ANOTHER = "Try another prompt or model."
SAYS_NOTHING = "{case.judge} gives the same answer to every item.", ANOTHER
STATE = "When you use it, state the judge, its prompt and settings, and what was tested."


def short(number, digits=2):
    """Write a number without the zero before its point; an undefined one as a dash."""
    if isnan(number):
        return "–"
    text = f"{number:.{digits}f}"
    text = text if float(text) else text.removeprefix("-")
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def worth(value, unit="rater"):
    """Write how many raters, or own answers, a judge is worth at least: rounded down."""
    if isnan(value):
        return "–"
    if value < LEAST_WORTH:
        return "nothing"
    tenths = floor(10 * value) / 10
    return f"1,000 {unit}s" if value >= 1000 else f"{tenths:.1f} {unit}{'' if tenths == 1 else 's'}"


def worth_clause(value, unit="rater"):
    """Write ", worth at least 1.6 raters"; blank where that has no number or is hardly anything."""
    return "" if isnan(value) or value < LEAST_WORTH else f", worth at least {worth(value, unit)}"


def percent(share):
    """Write a share as a percentage."""
    return f"{100 * share:.0f} %"


def answer_of(row):
    """Write a row's answer; a judge that does not use people's scale waits for no ratings."""
    return OF_SCALE if row["why"] in ("scale", "points") else ANSWERS[row["answer"]]


# That a judge favours a system is said already, or says nothing: a constant favours nobody.
UNFAVOURED = (Reason.FAVOURS, Reason.SAYS_NOTHING, Reason.HOLDS_RATINGS)


@dataclass(frozen=True)
class SystemsCase:
    """A verdict on a judge that compares systems, with all that its words need.

    names: of the systems; people: People of the items that are compared; evidence: on all items;
    family: as many pairs of a judge and a question were tried, for which p_adjusted is corrected.
    """

    judge: str
    question: str
    comparison: SystemComparison
    names: list
    margin: float
    people: object
    evidence: Evidence
    family: int = 0
    p_adjusted: float = nan

    def correct(self, passes, p_adjusted, family):
        """Return the case as it stands among all judges that were tried."""
        comparison = correct_comparison(self.comparison, passes=passes)
        return replace(self, comparison=comparison, p_adjusted=p_adjusted, family=family)

    @property
    def widest(self):
        """Return the pair in which judge and people differ most; of favoured pairs, if any."""
        pairs = self.comparison.pairs
        favoured = [pair for pair in pairs if pair.is_favoured]
        return max(favoured or pairs, key=lambda pair: abs(pair.offset.value))

    @property
    def favour(self):
        """Say which system the judge favours, and by how much, in the widest pair."""
        pair = self.widest
        better = pair.second if pair.offset.value > 0 else pair.first
        points = f"{short(abs(pair.offset.value))} points"
        names = f"between {self.names_of(pair)}"
        return f"favours {self.names[better]} by {points} more than people do, {names}"

    def names_of(self, pair):
        """Write the names of a pair's systems."""
        return f"{self.names[pair.first]} and {self.names[pair.second]}"

    def say(self):
        """Return (the sentence, with what else a reader should know; the next step)."""
        sentence, next_step = say_reason(OF_SYSTEMS[self.comparison.reason], self)
        more = [*self._say_use(), *_missing(self.evidence)]
        if self.comparison.favoured and self.comparison.reason not in UNFAVOURED:
            more.append(f"It {self.favour}.")
        if not isnan(self.comparison.spread):
            low, high = map(short, self.comparison.spread_interval)
            spread = f"{short(self.comparison.spread)} [{low}, {high}]"
            more.append(f"Over systems its level varies with an SD of {spread} points.")
        return " ".join([sentence, *more]), next_step

    def _say_use(self):
        if self.comparison.reason == Reason.NOT_COMPARABLE:  # there is nothing to be compared
            return []
        return [say_use_of_systems(self.judge, self.question, self.comparison.answer)]


@dataclass(frozen=True)
class Case:
    """A verdict on a judge that rates items, with all that its words need.

    family: as many pairs of a judge and a question were tried; tried: as many judges on this
    question, also those on a scale of their own, 1 for a judge that was named beforehand;
    is_candidate: false for baselines and single raters, of whose use nobody asks; counts: of the
    items that it judged as many have a rating, and as many it judged.
    """

    judge: str
    question: str
    evidence: Evidence
    verdict: Verdict
    criteria: Criteria
    echo: object = None
    narrowing: float = nan
    compared: SystemsCase | None = None
    family: int = 0
    tried: int = 1
    is_candidate: bool = True
    counts: tuple = (0, 0)

    # How people are spoken of, where the judge is compared with other raters.
    more_items = MORE
    answer = "a rater's answer"
    teller, other_teller = "a rater", "another rater"
    agree = "your raters agree"
    whom = A_RATER

    @property
    def words(self):
        """Return {reason: what says it, as for say_reason}."""
        return OF_RATING

    @property
    def warnings(self):
        """Return the names of what a reader should know whatever the answer is."""
        more = {"echo": self.echo, "favours": self.favours_a_system}
        return (*self.verdict.warnings, *(name for name, holds in more.items() if holds))

    @property
    def favours_a_system(self):
        """Whether a judge with a yes favours a system against people."""
        is_yes = self.verdict.answer == Answer.YES
        return is_yes and self.compared is not None and self.compared.comparison.favoured

    @property
    def agreement(self):
        return self.evidence.agreement

    def say(self):
        """Return (the sentence, with what else a reader should know; the next step)."""
        sentence, next_step = say_reason(self.words[self.verdict.reason], self)
        more = self._say_use()
        more += _missing(self.evidence)
        if self.echo:
            more.append(_echoed(self.judge, self.echo))
        if self.favours_a_system:
            more.append(_favoured_beside(self.compared))
        if self.narrowing >= WORTH_SAYING:
            rated, judged = self.counts
            next_step += (
                f" With your ratings it makes the intervals of means {percent(self.narrowing)} "
                f"narrower: rate {rated:,} items, let it judge all {judged:,}, and they are as if "
                f"you had rated {rated / (1 - self.narrowing) ** 2:,.0f}."
            )
        if self.verdict.answer == Answer.YES:
            sentence += _unusual(self.criteria)
        return " ".join([sentence, *more]), next_step

    def _say_use(self):
        """Return the sentence on what the judge may not be used for, unless it is said below."""
        if not self.is_candidate or self.favours_a_system:
            return []
        about = self.judge, self.question, self.verdict.answer, self.verdict.reason
        return [say_use(*about, self.whom)]

    def collect(self, effect, error, otherwise=ANOTHER):
        """Say how many more items would decide, if today's estimates hold; otherwise what to do."""
        if isnan(effect) or isnan(error):
            return f"Collect {self.more_items}."
        if effect <= 0:
            return f"{NEVER}: {otherwise[0].lower()}{otherwise[1:]}"
        needed = ceil(self.evidence.n * (T_OF_POWER * error / effect) ** 2)
        if needed > MOST_TIMES * self.evidence.n:
            return f"More than {MOST_TIMES} times as many items would be needed."
        more = max(needed - self.evidence.n, 10)
        return f"Collect about {more:,} {self.more_items}, if today's estimates hold."


def say_reason(texts, case):
    """Return (the sentence, the next step) of a function of the case, or of two texts to fill."""
    return texts(case) if callable(texts) else [text.format(case=case) for text in texts]


def _echoed(judge, echo):
    """Say that raters may have pasted a judge's answers, and what the answer is without them."""
    sentence = f"Some raters agree with {judge} more than with people, as if they had pasted it"
    if not echo.raters:
        return f"{sentence}; who they are cannot be told."
    named = ", ".join(echo.raters[:MOST_NAMED])
    named += " and others" if len(echo.raters) > MOST_NAMED else ""
    return f"{sentence} ({named}). Without them the answer is: {ANSWERS[echo.without]}."


def _missing(evidence):
    """Return what share of the rated items a judge answered, where many are missing."""
    if evidence.share_missing <= MANY_MISSING:
        return []
    answered = percent(1 - evidence.share_missing)
    return [f"It judged {answered} of the rated items on the scale: nothing is shown for the rest."]


def _unusual(criteria):
    """Say which conventions of a yes are not the usual ones."""
    usual = Criteria()
    names = {
        f"share to keep {share_of(criteria.retention)}": criteria.retention == usual.retention,
        f"level within {criteria.level_margin or 0:g}": criteria.level_margin == usual.level_margin,
        f"raters agree by {short(criteria.floor)} at least": criteria.floor == usual.floor,
        f"each check at {short(criteria.alpha)}": criteria.alpha == usual.alpha,
    }
    unusual = [name for name, is_usual in names.items() if not is_usual]
    return f" Not by the usual conventions: {', '.join(unusual)}." if unusual else ""


def _favoured_beside(compared):
    """Say beside a yes on items that the judge favours a system."""
    return f"It {compared.favour}{NOT_BY_IT}"


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


def _holds_ratings(case):
    held = case.evidence.held
    whose = f"people's answers to {held.question}" if held.question else "people's answers"
    how = {
        RATING: f"equals one of {whose} on {held.n_equal:,} of {held.n:,} items, where chance "
        f"gives about {held.expected:,.0f}",
        MEAN: f"equals the mean of {whose} on {held.n_equal:,} of {held.n:,} items",
        CLOSE: "follows people more closely than people can follow each other",
    }[held.kind]
    return (
        f"{case.judge} {how}: it may have seen them, so that they cannot test it.",
        "Test it on ratings that it cannot have seen.",
    )


def _extremes_only(case):
    return (
        f"{case.judge} tells a few items apart ({percent(case.evidence.rest.share)}) and is not "
        "shown to tell anything among the others.",
        ANOTHER,
    )


def _too_few(case):
    evidence, criteria = case.evidence, case.criteria
    lacking = criteria.fewest_items - evidence.n
    if evidence.n_clusters >= criteria.fewest_clusters:
        return (
            f"Too few items to decide: {evidence.n} have two ratings and a judgment, and at least "
            f"{criteria.fewest_items} are needed. {_usual_need(criteria)}",
            f"Collect at least {lacking} {MORE}.",
        )
    return (
        f"Too little to decide: {evidence.n} items in {evidence.n_clusters} clusters (a recipient "
        f"or a content is one) have two ratings and a judgment, and at least "
        f"{criteria.fewest_items} items in {criteria.fewest_clusters} clusters are needed. "
        f"{_usual_need(criteria)}",
        f"Collect {MORE}, in other clusters.",
    )


def _usual_need(criteria):
    """Say that the fewest items only allow a test, and how many usually decide."""
    targets = Targets(retention=criteria.retention, floor=criteria.floor, alpha=criteria.alpha)
    rho, ratings = USUAL
    decides = plan_items(rho, rho, ratings, targets=targets).items
    if not isfinite(decides):
        return f"{criteria.fewest_items} only allow a test."
    return (
        f"{criteria.fewest_items} only allow a test: about {decides:,.0f} decide for a judge like "
        f"a rater, where raters agree as usual ({short(rho)}) and each item has {ratings} ratings."
    )


def _raters_disagree(case):
    if isnan(case.agreement.rho.value):
        return (
            f"All ratings on {case.question} are equal, so that there is nothing to agree on.",
            "Ask a question on which the items differ.",
        )
    return (
        f"Two raters of one item agree by {interval_of(case.agreement.rho)} on {case.question}, on "
        "a scale where 1 is perfect and 0 is chance, so that no judge can be tested there.",
        CLEARER,
    )


def _people_unsure(case):
    rho = case.agreement.rho
    return (
        f"It is not known yet whether your raters agree on {case.question}: {interval_of(rho)}.",
        case.collect(rho.value, rho.error, "Ask a clearer question or train the raters."),
    )


def _may_not(case):
    r, rho = case.agreement.r.value, case.agreement.rho.value
    is_reversed = case.agreement.r.upper(case.criteria.alpha) < 0
    direction = " It goes in the opposite direction." if is_reversed else ""
    return (
        f"{case.judge} tells less about {case.answer} (r = {short(r)}) than "
        f"{share_of(case.criteria.retention)} of what {case.other_teller} tells ({short(rho)})."
        f"{direction}",
        ANOTHER,
    )


UNDECIDED = {
    "correction": (
        "{case.judge} passes every check alone, but not beside the other judges and questions that "
        "were tried on these ratings.",
        "Collect {case.more_items}, or name one judge before you see its judgments.",
    ),
    "groups": (
        "{case.judge} passes every check over all items, but in no group of items alone.",
        "Collect {case.more_items}, in each group.",
    ),
}


def _undecided(case):
    if case.verdict.missing == "correction" and case.family == 1:
        least = short(case.criteria.family_alpha, 3)
        return (
            f"{case.judge} passes every check at {short(case.criteria.alpha)} alone, but a yes "
            f"asks for {least} or less: judges and questions are each corrected at {least}.",
            f"Collect {case.more_items}.",
        )
    if case.verdict.missing:
        return say_reason(UNDECIDED[case.verdict.missing], case)
    theta = case.agreement.retention(case.criteria.retention)
    low = case.agreement.share_proven(case.criteria.alpha)
    shown = f"only {floor(100 * low)} % is" if low >= 0.01 else "nothing is"
    return (
        f"{case.judge} is not shown to keep {share_of(case.criteria.retention)} of what "
        f"{case.teller} tells on {case.question}: {shown} shown.",
        case.collect(theta.value, theta.error),
    )


def _explained(case):
    """Say that a judge, or people, are not shown to know more than what is known of items."""
    beyond, grouping = case.evidence.beyond, case.verdict.grouping
    agreement = dict(beyond.parts)[grouping or JOINT]
    features = f"its {grouping}" if grouping else list_known(beyond.names)
    alike = f"Within one {grouping}" if grouping else f"Among items that are alike in {features}"
    alike = alike.replace(" its ", " ").replace("who rated it", "who rated them")
    if case.verdict.half == Half.PEOPLE:
        if case.verdict.answer == Answer.PEOPLE_DISAGREE:
            next_step = CLEARER
        else:
            next_step = f"Collect {case.more_items}, several of each {grouping or 'kind'}."
        if SYSTEM in beyond.names:
            next_step += " Or ask whether it may compare systems."
        return (
            f"{alike}, {case.agree} by {interval_of(agreement.rho)} on {case.question}: nothing "
            "can be shown of any judge there.",
            next_step,
        )
    if case.verdict.answer == Answer.NO:
        return (
            f"{alike}, {case.judge} keeps less than half of what {case.teller} tells: what it "
            f"knows of an item is mostly {features}.",
            ANOTHER,
        )
    theta = agreement.retention(case.criteria.beyond_retention)
    return (
        f"{case.judge} is not shown to know more of an item than {features}.",
        case.collect(theta.value, theta.error),
    )


def list_known(names):
    """Write what is taken out of ratings and judgments: "its system and the length of its text"."""
    words = [KNOWN_WORDS.get(name, f"its {name}") for name in names]
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _level_off(case):
    b = case.evidence.level.largest.value
    return (
        f"{case.judge} orders items well enough, but is {short(abs(b))} points too "
        f"{'high' if b > 0 else 'low'}: use it for the order only.{_uncorrected(case)}",
        "Calibrate it on a part of the items, and test it on the rest.",
    )


ORDER_ONLY = {
    "scale": (
        "{case.judge} orders items well enough, but has no level to be tested: its scale is its "
        "own, or the question's has no ends. No number of ratings settles that.",
        "Use it for the order only.",
    ),
    "points": (
        "{case.judge} orders items well enough, but rounded to the question's scale it gives the "
        "same answer to every item.",
        "Use it for the order only, or try a prompt by which it uses the whole scale.",
    ),
}


def _order_only(case):
    if case.verdict.missing:
        sentence, step = say_reason(ORDER_ONLY[case.verdict.missing], case)
        return f"{sentence}{_uncorrected(case)}", step
    level = case.evidence.level.largest
    effect = case.evidence.level_margin - abs(level.value)
    more = case.collect(effect, level.error, "Calibrate it on a part of the items.")
    return (
        f"{case.judge} orders items well enough; its level is not settled "
        f"({interval_of(level)} points).{_uncorrected(case)}",
        f"{more} Use it for the order only until its level is settled.",
    )


def _uncorrected(case):
    """Say that an order alone is shown without a correction, where several judges were tried."""
    if case.tried < 2:
        return ""
    return f" That is not corrected for the {case.tried} judges that were tried on {case.question}."


def _may(case):
    least = case.agreement.least_worth(case.criteria.alpha)
    clause = worth_clause(least).removeprefix(", ")
    if case.verdict.grade == Grade.SHARE and not isnan(least):
        kept = share_of(case.criteria.retention)
        how = (
            f"{case.judge} may help on {case.question}, but is worth less than one rater"
            f"{f' ({clause})' * bool(clause)}: it keeps {kept} of what a rater tells. Rate some "
            "items yourself and let it judge all."
        )
    else:
        good = {
            Grade.PANEL: f"as good as your panel of {case.evidence.most_ratings}",
            Grade.RATER: "as good as one of your raters",
            Grade.SHARE: "your raters always agree, so that its worth in raters has no number",
        }[case.verdict.grade]
        how = (
            f"{case.judge} may stand in for one rater on {case.question}: {good}"
            f"{f' ({clause})' * bool(clause)}."
        )
    return (
        f"{how}{_whom_for(case)} {ELSEWHERE}{unchecked(case.evidence)}"
        f"{finds(case.evidence.rare_class)}",
        STATE,
    )


def _whom_for(case):
    """Say which raters a yes is for, and where they agree less than the floor."""
    evidence = case.evidence
    form = LIKE_THESE if evidence.are_sample else ONLY_THESE
    words = f" {form.format(evidence.n_raters)}"
    if evidence.is_binary:
        words += (
            " On two answers it is shown to tell one from the other, no more, and a copied rating "
            "cannot be found."
        )
    for name, part in evidence.beyond.parts[:1]:
        if part.rho.value < case.criteria.floor:
            features = list_known(evidence.beyond.names) if name == JOINT else f"its {name}"
            words += f" Beyond {features} they agree by only {short(part.rho.value)}."
    return words


def finds(rare):
    """Say how much of the rarer answer a judge finds; nothing where no answer is rare."""
    if rare is None:
        return ""
    if not rare.n_majority:
        return " Most raters give the rarer answer to no item, so that it is not shown to find any."
    words = f" It finds {_share(rare.n_hits, rare.n_majority, rare.recall_interval)} of the items "
    words += "to which most raters give the rarer answer"
    if not rare.n_marked:
        return f"{words}."
    right = _share(rare.n_hits, rare.n_marked, rare.precision_interval)
    return f"{words}; {right} of those to which it gives it are such items."


def _share(part, whole, interval):
    low, high = interval
    return f"{percent(part / whole)} [{percent(low)}, {percent(high)}]"


OF_RATING = {
    Reason.NOT_COMPARABLE: _not_comparable,
    Reason.HOLDS_RATINGS: _holds_ratings,
    Reason.SAYS_NOTHING: SAYS_NOTHING,
    Reason.TOO_FEW: _too_few,
    Reason.RATERS_DISAGREE: _raters_disagree,
    Reason.PEOPLE_UNSURE: _people_unsure,
    Reason.MAY_NOT: _may_not,
    Reason.UNDECIDED: _undecided,
    Reason.KNOWN_FEATURES: _explained,
    Reason.EXTREMES_ONLY: _extremes_only,
    Reason.LEVEL_OFF: _level_off,
    Reason.ORDER_ONLY: _order_only,
    Reason.MAY: _may,
}


MORE_OF_EACH = "Collect more rated items of each system."


def _favours(case):
    return (
        f"{case.judge} {case.favour}: it may pick wrong winners.",
        "Compare systems by people's ratings, corrected with its judgments.",
    )


def _systems_undecided(case):
    if case.comparison.missing == "correction":
        return _systems_by_chance(case)
    why = {
        "margin": f"not every difference is shown to be within {short(case.margin)} points of "
        f"people's (widest: {case.names_of(case.widest)}, {short(case.widest.offset.value)})",
        "order": "it orders some systems otherwise than people do",
        "widest": "it does not show the widest difference that people see",
    }[case.comparison.missing]
    return f"{case.judge} is not shown to compare systems as people do: {why}.", MORE_OF_EACH


def _systems_by_chance(case):
    if case.family == 1:
        return (
            f"{case.judge} passes every check of comparing systems alone, but a yes asks for half "
            "of the usual level.",
            MORE_OF_EACH,
        )
    return (
        f"{case.judge} passes every check of comparing systems alone, but not beside the other "
        "judges and questions that were tried on these ratings.",
        f"{MORE_OF_EACH[:-1]}, or name one judge before you see its judgments.",
    )


def _may_compare(case):
    return (
        f"{case.judge} may compare these {case.comparison.n_systems} systems on {case.question}: "
        f"every difference is within {short(case.margin)} points of people's, so believe only "
        f"differences above {short(case.margin)}. A new system is untested.",
        STATE,
    )


OF_SYSTEMS = {
    Reason.NOT_COMPARABLE: (
        "There are no two systems to be compared.",
        "Rate items of several systems.",
    ),
    Reason.HOLDS_RATINGS: _holds_ratings,
    Reason.SAYS_NOTHING: SAYS_NOTHING,
    Reason.TOO_FEW: (
        "Too little to go on: each system needs 30 items with two ratings and a judgment, in ten "
        "clusters.",
        MORE_OF_EACH,
    ),
    Reason.FAVOURS: _favours,
    Reason.NO_DIFFERENCE: (
        "People see no difference between any two systems, so that none can be checked.",
        MORE_OF_EACH,
    ),
    Reason.FEW_SYSTEMS: (
        "With two systems one difference was tested, and {case.judge} is right about it: that may "
        "be luck.",
        "Rate items of a third system.",
    ),
    Reason.UNDECIDED: _systems_undecided,
    Reason.MAY: _may_compare,
}


def share_of(k):
    """Write a share in words, as a percentage where it has none."""
    return {1 / 2: "half", 2 / 3: "two thirds", 4 / 5: "four fifths"}.get(k, percent(k))


def interval_of(quantity):
    """Write an estimate with its 95 % interval."""
    reach = quantity.reach(0.025)
    low, high = quantity.value - reach, quantity.value + reach
    return f"{short(quantity.value)} [{short(low)}, {short(high)}]"
