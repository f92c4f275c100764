"""Say a verdict in words: a Case fills the texts of its reason."""

from collections import ChainMap
from functools import partial
from math import ceil, floor, isfinite, isnan, nan

from analysis.reports.verdict.texts import (
    A_RATER,
    ANSWERS,
    COMPARE,
    OWN_ANSWER,
    PARTS,
    RATE,
    TEXTS,
    use_of,
)
from analysis.reports.words import Writer, short
from analysis.stats.intervals.wilson_interval import wilson_interval
from analysis.stats.planning.design import Targets, plan_items
from analysis.stats.validation.checks import FEW_A_GROUP, JOINT, LENGTH, RATERS, SYSTEM
from analysis.stats.validation.criteria import Criteria
from analysis.stats.validation.decision import MANY_MISSING, Answer, Grade, Half, Reason

T_OF_POWER = 1.644854 + 0.841621  # of a one-sided test at .05 with power .8
WORTH_SAYING = 0.01  # least share by which intervals get narrower
LEAST_WORTH = 0.1  # raters, below which a worth is called nothing
MOST_NAMED = 3  # judges or raters in a sentence
USUAL = 0.3, 3  # agreement of two raters, ratings per item
MOST_TIMES = 20  # as many items as today: more is not worth advising
KNOWN_WORDS = {LENGTH: "the length of its text", RATERS: "who rated it"}
SAME_WORDS = {LENGTH: "texts of the same length", RATERS: "the same raters"}
# Features that a study's data may lack: what is not checked then, and why.
ABSENT = {LENGTH: "text length (no texts are loaded)", SYSTEM: "the system (items name none)"}
# That a judge favours a system is said already, or says nothing: a constant favours nobody.
UNFAVOURED = (Reason.FAVOURS, Reason.SAYS_NOTHING, Reason.HOLDS_RATINGS)


def percent(share):
    return f"{100 * share:.0f} %"


def share_of(k):
    """Write a share in words, as a percentage where it has none."""
    return {1 / 2: "half", 2 / 3: "two thirds", 4 / 5: "four fifths"}.get(k, percent(k))


def interval_of(quantity):
    """Write an estimate with its 95 % interval."""
    low, high = quantity.interval()
    return f"{short(quantity.value)} [{short(low)}, {short(high)}]"


def worth_clause(values, unit="rater"):
    """Write ", worth at least 1.1 to 1.6 raters", rounded down; blank where that says nothing."""
    if not all(value >= LEAST_WORTH for value in values) or not values:
        return ""
    ends = [
        "1,000" if value >= 1000 else f"{floor(10 * value) / 10:.1f}"
        for value in (min(values), max(values))
    ]
    many = " to ".join(dict.fromkeys(ends))
    return f", worth at least {many} {unit}{'' if many == '1.0' else 's'}"


def quoted(names):
    """Write names of judges, questions or raters so that none reads as a part of the sentence."""
    return ", ".join(f"“{name}”" for name in names)


def some(names):
    """Write the first three names, and that there are others."""
    return quoted(names[:MOST_NAMED]) + (" and others" if len(names) > MOST_NAMED else "")


def list_known(names, words_of=KNOWN_WORDS, usual="its"):
    """Write what is taken out of ratings and judgments: "its system and the length of its text"."""
    words = [words_of.get(name, f"{usual} {name}") for name in names]
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def names_unchecked(evidence):
    """Return the names of the features without data, and of those with too few items of each."""
    beyond = evidence.beyond
    present = {*beyond.names, *beyond.skipped, *(name for name, _ in beyond.parts)}
    few = [name for name, why in beyond.skipped.items() if why == FEW_A_GROUP]
    return [name for name in ABSENT if name not in present], few


class OwnWriter(Writer):
    """Write what verdicts have besides plain numbers: {agreement.rho:interval}."""

    ways = Writer.ways | {
        "thousandths": partial(short, digits=3),
        "interval": interval_of,
        "percent": percent,
        "share": share_of,
    }


class Filled:
    """What fills texts: parts of their own, its attributes, then those of a candidate.

    texts: {reason and variant: texts}; candidate: as `candidates.Candidate`.
    """

    texts: dict

    def __init__(self, candidate):
        self.candidate, self.judge = candidate, candidate.name
        self.evidence, self.criteria = candidate.evidence, candidate.criteria

    def __getitem__(self, name):
        if name in PARTS:
            return self.part(name)
        has_own = name in vars(self) or hasattr(type(self), name)
        return getattr(self if has_own else self.candidate, name)

    def write(self, text, **more):
        """Fill a text; more: what only this text names."""
        return OwnWriter().vformat(text, (), ChainMap(more, self))

    def part(self, name, **more):
        return self.write(PARTS[name], **more)

    def fill(self, reason, missing, use):
        """Return [the sentence], with its use and what more has to be known, and the next step."""
        is_alone = missing == "correction" and self["family"] == 1
        variant = f"{reason}, {'alone' if is_alone else missing}"
        texts = self.texts[variant if variant in self.texts else reason]
        more = [self.write(use)] if use else []
        share = self.evidence.share_missing
        if share > MANY_MISSING:
            more.append(self.part("missing", answered=1 - share))
        return [self.write(texts["says"]), *more], self.write(texts["next"])

    @property
    def holds(self):
        return self.part(f"holds_{self.evidence.held.kind}")

    @property
    def whose(self):
        question = self.evidence.held.question
        return f"people's answers to “{question}”" if question else "people's answers"


class SystemsCase(Filled):
    """A verdict on a judge that compares systems, with all that its words need.

    names: of the systems; people: People of the items that are compared; family: as many pairs of a
    judge and a question were tried, for which p_adjusted is corrected.
    """

    texts = TEXTS["systems"]
    family, p_adjusted = 0, nan

    def __init__(self, candidate, comparison, names, margin, people):
        super().__init__(candidate)
        self.comparison, self.names, self.margin, self.people = comparison, names, margin, people

    @property
    def widest(self):
        """The pair in which judge and people differ most; of favoured pairs, if any."""
        pairs = self.comparison.pairs
        favoured = [pair for pair in pairs if pair.is_favoured]
        return max(favoured or pairs, key=lambda pair: abs(pair.offset.value))

    @property
    def both(self):
        return f"“{self.names[self.widest.first]}” and “{self.names[self.widest.second]}”"

    @property
    def better(self):
        """The one of the two that the judge favours."""
        pair = self.widest
        return self.names[pair.second if pair.offset.value > 0 else pair.first]

    @property
    def worse(self):
        pair = self.widest
        return self.names[pair.first if pair.offset.value > 0 else pair.second]

    @property
    def points(self):
        return abs(self.widest.offset.value)

    def say(self):
        """Return (the sentence, with what else a reader should know; the next step)."""
        comparison, reason = self.comparison, self.comparison.reason
        # Where there is nothing to be compared nobody asks for a use.
        use = reason != Reason.NOT_COMPARABLE and use_of(COMPARE, comparison.answer, reason)
        words, next_step = self.fill(reason, comparison.missing, use)
        if comparison.favoured and reason not in UNFAVOURED:
            words.append(self.write("It {favour}."))
        if not isnan(comparison.spread):
            low, high = comparison.spread_interval
            words.append(self.part("spread", low=low, high=high))
        return " ".join(words), next_step


class Case(Filled):
    """A verdict on a candidate that rates items, with all that its words need."""

    # How people are spoken of, where the judge is compared with other raters.
    texts = TEXTS["rating"]
    warning = ""
    more_items = "more items with two ratings or more"
    answer = "a rater's answer"
    teller, other_teller = "a rater", "another rater"
    agree = "your raters agree"
    whom, unit = A_RATER, "rater"
    train = "Ask a clearer question or train the raters."

    def __init__(self, candidate, verdict):
        super().__init__(candidate)
        self.verdict, self.agreement = verdict, candidate.evidence.agreement

    @property
    def warnings(self):
        """The names of what a reader should know whatever the answer is."""
        more = {
            "echo": self.candidate.echo,
            "favours": self.favours_a_system,
            self.warning: self.warning,
        }
        return (*self.verdict.warnings, *(name for name, holds in more.items() if holds))

    @property
    def favours_a_system(self):
        """Whether a judge with a yes favours a system against people."""
        is_yes, compared = self.verdict.answer == Answer.YES, self.candidate.compared
        return is_yes and compared is not None and compared.comparison.favoured

    @property
    def variant(self):
        """What tells the texts of the verdict's reason apart; blank where it has one."""
        verdict, evidence = self.verdict, self.evidence
        match verdict.reason:
            case Reason.NOT_COMPARABLE:
                own = "own_rating" if self.candidate.asked.has_one_own_rating else ""
                return "fitted" if evidence.is_fitted else own
            case Reason.TOO_FEW:
                return "clusters" if evidence.n_clusters < self.criteria.fewest_clusters else ""
            case Reason.RATERS_DISAGREE:
                return "equal" if isnan(self.agreement.rho.value) else ""
            case Reason.KNOWN_FEATURES:
                is_open = verdict.half == Half.PEOPLE and verdict.answer == Answer.NOT_YET
                return "people" if is_open else verdict.answer
            case Reason.MAY:
                is_equal = verdict.grade == Grade.SHARE and isnan(self.least_worth)
                return "equal" if is_equal else verdict.grade
        return verdict.missing

    def say(self):
        """Return (the sentence, with what else a reader should know; the next step)."""
        verdict, candidate = self.verdict, self.candidate
        # Nobody asks for the use of a baseline; that of a favouring judge is said below.
        is_asked = candidate.is_judge and not self.favours_a_system
        use = is_asked and use_of(RATE, verdict.answer, verdict.reason)
        words, next_step = self.fill(verdict.reason, self.variant, use)
        if verdict.answer == Answer.YES:
            words[0] += self._unusual()
        if echo := candidate.echo:
            many = ("unnamed", "one", "several")[min(len(echo.raters), 2)]
            without = ANSWERS.get(echo.without)
            words.append(self.part(f"echo_{many}", names=some(echo.raters), without=without))
        if self.favours_a_system:
            may_compare = candidate.compared.comparison.answer == Answer.YES
            end = PARTS["within_margin" if may_compare else "not_by_it"]
            words.append(f"It {candidate.compared['favour']}{end}")
        if candidate.narrowing >= WORTH_SAYING:
            rated, judged = candidate.counts
            as_if = rated / (1 - candidate.narrowing) ** 2
            next_step += self.part("narrows", rated=rated, judged=judged, as_if=as_if)
        return " ".join(words), next_step

    def _unusual(self):
        """Say which conventions of a yes are not the usual ones."""
        own, usual = self.criteria, Criteria()
        names = {
            "retention": f"share to keep {share_of(own.retention)}",
            "level_margin": f"level within {own.level_margin or 0:g}",
            "floor": f"raters agree by {short(own.floor)} at least",
            "alpha": f"each check at {short(own.alpha)}",
        }
        unusual = [words for k, words in names.items() if getattr(own, k) != getattr(usual, k)]
        return f" Not by the usual conventions: {', '.join(unusual)}." if unusual else ""

    def collect(self, effect, error, otherwise=PARTS["another"]):
        """Say how many more items would decide, if today's estimates hold; otherwise what to do."""
        n = self.evidence.n
        if isnan(effect) or isnan(error):
            return self.part("collect")
        if effect <= 0:
            return f"{PARTS['never']}: {otherwise[0].lower()}{otherwise[1:]}"
        needed = ceil(n * (T_OF_POWER * error / effect) ** 2)
        if needed > MOST_TIMES * n:
            return self.part("collect_many", times=MOST_TIMES)
        return self.part("collect_about", more=max(needed - n, 10))

    # What texts name.

    @property
    def lacking(self):
        return self.criteria.fewest_items - self.evidence.n

    @property
    def usual_need(self):
        """How many items usually decide: the fewest only allow a test."""
        own, (rho, ratings) = self.criteria, USUAL
        targets = Targets(retention=own.retention, floor=own.floor, alpha=own.alpha)
        decides = plan_items(rho, rho, ratings, targets=targets)
        name = "usually_decide" if isfinite(decides) else "only_a_test"
        return self.part(name, decides=decides, usual_rho=rho, usual_ratings=ratings)

    @property
    def opposite(self):
        is_reversed = self.agreement.r.upper(self.criteria.alpha) < 0
        return " It goes in the opposite direction." if is_reversed else ""

    @property
    def proven(self):
        low = self.agreement.share_proven(self.criteria.alpha)
        return f"only {floor(100 * low)} % is" if low >= 0.01 else "nothing is"

    @property
    def collect_for_rho(self):
        rho = self.agreement.rho
        return self.collect(rho.value, rho.error, self.train)

    @property
    def collect_for_theta(self):
        theta = self.agreement.retention(self.criteria.retention)
        return self.collect(theta.value, theta.error)

    @property
    def beyond(self):
        """The Agreement in the part of what is known where the check stopped."""
        return dict(self.evidence.beyond.parts)[self.verdict.grouping or JOINT]

    @property
    def collect_beyond(self):
        theta = self.beyond.retention(self.criteria.beyond_retention)
        return self.collect(theta.value, theta.error)

    @property
    def group(self):
        return self.verdict.grouping or "kind"

    @property
    def features(self):
        grouping = self.verdict.grouping
        return f"its {grouping}" if grouping else list_known(self.evidence.beyond.names)

    @property
    def alike(self):
        if self.verdict.grouping:
            return f"Within one {self.verdict.grouping}"
        same = list_known(self.evidence.beyond.names, SAME_WORDS, "the same")
        return f"Among items with {same}"

    @property
    def or_systems(self):
        has_systems = SYSTEM in self.evidence.beyond.names
        return " Or ask whether it may compare systems." if has_systems else ""

    @property
    def level_off(self):
        off = self.evidence.level.largest.value
        return f"{short(abs(off))} points too {'high' if off > 0 else 'low'}"

    @property
    def collect_for_level(self):
        level = self.evidence.level.largest
        effect = self.evidence.level_margin - abs(level.value)
        return self.collect(effect, level.error, "Calibrate it on a part of the items.")

    @property
    def uncorrected(self):
        return self.part("uncorrected_order") if self.candidate.tried > 1 else ""

    @property
    def least_worth(self):
        return self.agreement.least_worth(self.criteria.alpha)

    @property
    def worth(self):
        clause = worth_clause([self.least_worth]).removeprefix(", ")
        return f" (it is {clause})" if clause else ""

    @property
    def whom_for(self):
        """Which raters a yes is for, and where they agree less than the floor."""
        evidence = self.evidence
        words = self.part("like_these" if evidence.are_sample else "only_these")
        if evidence.is_binary:
            words += PARTS["binary"]
        for name, part in evidence.beyond.parts[:1]:
            if part.rho.value < self.criteria.floor:
                features = list_known(evidence.beyond.names) if name == JOINT else f"its {name}"
                words += self.part("beyond_floor", features=features, rho=part.rho.value)
        return words

    @property
    def unchecked(self):
        """Which checks could not be made: who knows only what they ask about would pass."""
        absent, few = names_unchecked(self.evidence)
        words = ""
        if absent:
            words += self.part("absent", names=" and ".join(map(ABSENT.get, absent)))
        if few:
            words += self.part("few_of_each", names=" or the ".join(few))
        return words

    @property
    def finds(self):
        """How much of the rarer answer a judge finds; nothing where no answer is rare."""
        rare = self.evidence.rare_class
        if rare is None:
            return ""
        if not rare.n_majority:
            return PARTS["finds_none"]
        right = ""
        if rare.n_marked:
            right = self.part("finds_right", right=_share(rare.n_hits, rare.n_marked))
        return self.part("finds_some", found=_share(rare.n_hits, rare.n_majority), right=right)


def _share(part, whole):
    """Write a share of items with its 95 % interval."""
    low, high = map(percent, wilson_interval(part, whole))
    return f"{percent(part / whole)} [{low}, {high}]"


class OwnCase(Case):
    """A verdict on a judge that is compared with recipients' second own answers."""

    texts = Case.texts | TEXTS["own"]
    warning = "own_answers"
    more_items = "more items that recipients answer twice"
    answer = "a recipient's answer"
    teller = other_teller = "the recipient's own second answer"
    agree = "a recipient's two answers agree"
    whom, unit = OWN_ANSWER, "own answer"
    train = "Ask a clearer question."

    @property
    def worth(self):
        is_less = self.verdict.grade == Grade.SHARE
        as_good = "" if is_less else ", as good as a second own answer"
        return worth_clause([self.least_worth], self.unit) + as_good
