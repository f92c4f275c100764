"""Say the verdict in words, as texts.yaml has them: a Case fills the texts of its reason.

Case(candidate, verdict).say()      (the sentence, the next step) of a judge that rates items
SystemsCase(...).say()              of one that compares systems
sum_up(scores, entries)             what was decided of all judges, in short
list_notes(...)                     what it rests on: which judges were tried, what was simulated
"""

from collections import ChainMap
from functools import partial
from math import ceil, floor, isfinite, isnan, nan
from pathlib import Path

import numpy as np
import yaml

from analysis.answers.repeats import pages_between
from analysis.reports.shared.few_clusters import FEW_CLUSTERS
from analysis.reports.shared.scores import MOST_SINGLE_RATERS
from analysis.reports.verdict.questions import list_roles
from analysis.reports.words import Writer, short
from analysis.stats.intervals.wilson_interval import wilson_interval
from analysis.stats.planning.planning import Targets, plan_items
from analysis.stats.validation.checks import (
    FEW_A_GROUP,
    JOINT,
    LENGTH,
    RATERS,
    SYSTEM,
    find_lowering_raters,
)
from analysis.stats.validation.criteria import USUAL, Criteria
from analysis.stats.validation.decision import MANY_MISSING, Answer, Grade, Half, Reason
from annotate.flow.own_answers import APART
from annotate.models import Rater
from judges.runs.naming import words_of

TEXTS = yaml.safe_load((Path(__file__).parent / "texts.yaml").read_text(encoding="utf-8"))
PARTS, NOTES = TEXTS["parts"], TEXTS["notes"]
RATE, COMPARE = "rate_items", "compare_systems"
USES = {RATE: TEXTS["uses_of_rating"], COMPARE: TEXTS["uses_of_systems"]}
ORDER = (Reason.LEVEL_OFF, Reason.ORDER_ONLY)  # which leave the order of items to be used
A_RATER, OWN_ANSWER = "a rater", "a recipient's own answer"
ANSWERS = {
    Answer.YES: "yes",
    Answer.NOT_YET: "not yet",
    Answer.NO: "no",
    Answer.PEOPLE_DISAGREE: "people disagree",
    Answer.NOT_TESTABLE: "cannot be tested",
}
GROUP = "group"  # kind of the entries of groups
NOT_TESTED = " Groups of items were not tested."
LIMITS = {
    (Answer.YES, Reason.MAY): "shown for",
    (Answer.NOT_YET, Reason.UNDECIDED): "not shown for",
    (Answer.NO, Reason.MAY_NOT): "it fails in",
    (Answer.NOT_YET, Reason.TOO_FEW): "not tested",
}


def use_of(use, answer, reason):
    """Return the text on what a judge may not be used for, by its answer on a use."""
    return USES[use]["order" if reason in ORDER else answer]


def note(name, **things):
    """Return a note of the report."""
    return NOTES[name].format(**things)


def list_limits(groups):
    """List in words the groups in which a judge is shown, is not, fails, and was not tested.

    groups: (name, answer, reason) of each.
    """
    names: dict = {words: [] for words in LIMITS.values()}
    for name, *answer in groups:
        names[LIMITS[tuple(answer)]].append(name)
    return "; ".join(f"{words}: {', '.join(own)}" for words, own in names.items() if own)


T_OF_POWER = 1.644854 + 0.841621  # of a one-sided test at .05 with power .8
WORTH_SAYING = 0.01  # least share by which intervals get narrower
LEAST_WORTH = 0.1  # raters, below which a worth is called nothing
MOST_NAMED = 3  # judges or raters in a sentence
USUAL_DESIGN = 0.3, 3  # agreement of two raters, ratings per item
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
        own, (rho, ratings) = self.criteria, USUAL_DESIGN
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


UNPROVEN_NAME = "unproven_name"  # the warning that marks a yes by a name without proof
UNCHECKED = "unchecked"  # the warning of a yes without some check; its `why` names them
SYSTEMS = "Comparing systems in place of people"
DISAGREE = "Two raters of one item agree too little there, or too uncertainly, to test any judge."


def warns(row, name):
    """Say whether a row has this warning."""
    return name in row["warnings"].split()


def is_of_own_answers(row):
    """Say whether a row compares its judge with recipients' second own answers."""
    return warns(row, OwnCase.warning)


def answer_of(row):
    """Write a row's answer; a judge that does not use people's scale waits for no ratings."""
    is_of_scale = row["why"] in ("scale", "points")
    return "not yet, for its scale" if is_of_scale else ANSWERS[row["answer"]]


def say_worth(*rows):
    """Write ", worth at least 1.6 raters" of the rows' judge; blank where that says nothing."""
    unit = (OwnCase if all(map(is_of_own_answers, rows)) else Case).unit
    return worth_clause([row["worth_low"] for row in rows], unit)


def say_use_of_yes(row, whom):
    """Write what a yes allows: a judge worth less than one rater helps, and stands in for none."""
    helps = whom == A_RATER and row["worth_low"] < 1
    return f"may {'help beside' if helps else 'stand in for'} {whom}"


def say_uses_of_yes(rows, whom):
    """Write what the yes of several rows allow, where some judges help and others stand in."""
    uses = dict.fromkeys(say_use_of_yes(row, whom) for row in rows)
    return next(iter(uses)) if len(uses) == 1 else "may stand in for a rater or help beside one"


def stood_in_for(rows):
    """Write whom the judges of these rows would stand in for."""
    return OWN_ANSWER if rows and all(map(is_of_own_answers, rows)) else A_RATER


def without_use(entry):
    """Return an entry's reason without what its judge may not be used for.

    For readers who are told the use beside it.
    """
    row = entry.row
    about = {"judge": row["evaluator"], "question": row["question"], "whom": stood_in_for([row])}
    use = use_of(row["use"], row["answer"], row["verdict"]).format(**about)
    return entry.reason.replace(f" {use}", "")


def names_spared(row):
    """Return the names of the checks that a row with a yes was spared."""
    return row["why"].split(", ") if warns(row, UNCHECKED) else []


def say_spared(row):
    """Write "content not checked" of a row with a yes; blank where all was checked."""
    names = names_spared(row)
    return f"{' and '.join(names)} not checked" if names else ""


def sum_up(scores, entries):
    """Yield sentences on rating items, one for questions alike, then one on comparing systems.

    entries: of judges, and of judges in groups of items.
    """
    rated = [e for e in entries if e.kind != GROUP and e.row["use"] == RATE]
    columns = dict.fromkeys((e.row["role"], e.row["question"]) for e in rated)
    several = len({role for role, _ in columns}) > 1
    alike: dict = {}
    for role, question in columns:
        own = [e for e in rated if (e.row["role"], e.row["question"]) == (role, question)]
        about = f"“{question}” ({role})" if several else f"“{question}”"
        words, top, alone = _sum_up_question(own, entries)
        alike.setdefault(words, []).append((about, top, alone))
    for (before, after), questions in alike.items():
        names, tops, (alone, *more) = zip(*questions, strict=True)
        if len(names) == len(columns) > 2 and not several:
            names = [f"All {len(names)} questions"]
        words = alone if alone and not more else f"{before}{say_worth(*filter(None, tops))}{after}"
        yield f"{', '.join(names)}: {words}"
    compared = [e.row for e in entries if e.row["use"] == COMPARE and not e.row["systems"]]
    if sentence := say_systems(compared):
        yield sentence
    # Where to look when no item has two ratings by this role, but other roles rated too.
    others = [str(Rater.Role(r).label) for r in scores.roles if r not in list_roles(scores)]
    if others and entries and all(e.row["answer"] == Answer.NOT_TESTABLE for e in entries):
        yield f"Others have rated too: choose “{'” or “'.join(others)}” as the reference role."


def _sum_up_question(entries, every):
    """Say how many judges may rate the items of one question, and which first, or why none.

    every: the entries of judges on all questions, and those in groups of items. Returns (what
    stands before and behind the worth of the first, the row of that, what is said instead where no
    other question shares it).
    """
    rows = [entry.row for entry in entries]
    many = "1 judge" if len(rows) == 1 else f"{len(rows)} judges"
    yes = [row for row in rows if row["answer"] == Answer.YES]
    whom = stood_in_for(rows)
    if yes:
        top = max(yes, key=lambda row: np.nan_to_num(row["worth_low"]))
        unproven = [e.judge for e in entries if warns(e.row, UNPROVEN_NAME)]
        clause = f", {PARTS['unproven'].format(judge=unproven[0])}" if unproven else ""
        before = f"{len(yes)} of {many} {say_uses_of_yes(yes, whom)}"
        before += f"{', first' if yes[1:] else ':'} “{top['evaluator']}”"
        after = f"{_limits(top, every)}{clause}, for items and raters like these.{_flagged(yes)}"
        return (before, after), top, ""
    if all(row["answer"] == Answer.NOT_TESTABLE for row in rows):
        return (f"{without_use(entries[0])} {rows[0]['next']}", ""), None, ""
    none = f"none of {many} may stand in for {whom}"
    of_people = [entry for entry in entries if entry.row["answer"] == Answer.PEOPLE_DISAGREE]
    if len(of_people) * 2 > len(entries):
        plainest = min(of_people, key=lambda entry: len(entry.row["warnings"].split()))
        return (f"{none}. {DISAGREE}", ""), None, f"{none}. {without_use(plainest)}"
    answers = [answer_of(row) for row in rows]
    counts = [f"{answer}: {answers.count(answer)}" for answer in dict.fromkeys(answers)]
    return (f"{none} ({', '.join(counts)}).", ""), None, ""


def _limits(row, entries):
    """Repeat in short what was not checked, and in which groups of items a judge is shown."""
    own = ("evaluator", "question", "role")
    groups = [
        (entry.row["group"], entry.row["answer"], entry.row["verdict"])
        for entry in entries
        if entry.kind == GROUP and all(entry.row[key] == row[key] for key in own)
    ]
    limits = [*filter(None, (say_spared(row), list_limits(groups)))]
    return f" ({'; '.join(limits)})" if limits else ""


def _flagged(rows):
    """Repeat in short of which judges with a yes some raters may have pasted the answers."""
    names = [row["evaluator"] for row in rows if warns(row, "echo")]
    return "".join(note("flagged", judge=name) for name in names[:MOST_NAMED])


def say_systems(rows):
    """Return a sentence on comparing systems; blank where there are no two to be compared.

    rows: of the verdict's judges on all systems, not on two of them.
    """
    rows = [row for row in rows if row["verdict"] != Reason.NOT_COMPARABLE]
    answers = {row["answer"] for row in rows}
    if not rows:
        return ""
    if Answer.YES in answers:
        yes = [row for row in rows if row["answer"] == Answer.YES]
        names = ", ".join(f"“{r['evaluator']}” (“{r['question']}”)" for r in yes[:MOST_NAMED])
        names += " and others" if yes[MOST_NAMED:] else ""
        return f"{SYSTEMS}: {names}, for these systems only; a new system is untested."
    if answers == {Answer.NO}:
        return f"{SYSTEMS}: no judge may."
    return f"{SYSTEMS} cannot be decided yet."


ONE_TRICK = {"length": "text length", "system": "the system alone"}  # ruled out where it is known
HARDLY_AGREE = 0.2  # rho, below which the bounds of worth hold more often than they should


def named_of(answers, options):
    """Return the name of the judge that is tested alone; blank where none was named."""
    return options.named or (answers.named[0] if answers.named else "")


def say_unproven(name, scores):
    """Return what a yes says beside a judge that an option names, and the study did not in time."""
    stored = scores.answers.named
    if name != scores.options.named or stored and stored[0] == name:
        return ""
    return f" This is {PARTS['unproven'].format(judge=name)}."


def simulation_notes(rows):
    """Yield what simulations showed that bears on these rows of judges on rating items."""
    spared = list(dict.fromkeys(name for row in rows for name in names_spared(row)))
    of_raters = [row for row in rows if not is_of_own_answers(row)]
    is_of_raters = of_raters or not rows  # of own answers it stands with them
    if is_of_raters:
        judges = ["a constant", "chance"]
        judges += [trick for name, trick in ONE_TRICK.items() if name not in spared]
        tricks = f"{', '.join(judges[:-1])} or {judges[-1]}".capitalize()
        yield note("boundary", tricks=tricks, at_once=NOTES["at_once"])
    else:
        yield NOTES["at_once"]
    if spared:
        yield note("spared", names=" and the ".join(spared))
    if is_of_raters:
        tested = [row for row in of_raters if row["answer"] != Answer.NOT_TESTABLE]
        fewest = min((row["clusters"] for row in tested), default=FEW_CLUSTERS)
        few = note("few_of_clusters", fewest=fewest) if fewest < FEW_CLUSTERS else ""
        yield note("intervals", usual=FEW_CLUSTERS, few=few)
        if any(row["rho"] < HARDLY_AGREE for row in tested):
            yield note("hardly_agree", floor=short(HARDLY_AGREE))
    if any(warns(row, "echo") for row in rows):
        yield NOTES["echo"]


def list_notes(scores, roles, rows, sizes, these):
    """Yield the notes of a report.

    rows: of judges; sizes: [(pairs of the family, pairs of the family of systems)] of each role;
    these: numbers of raters who are no sample.
    """
    options, answers = scores.options, scores.answers
    alpha, floor = short(options.alpha, 3), short(options.floor)
    yield note("reference", roles=", ".join(NOTES[f"role_{role}"] for role in roles))
    of_items, pairs = (" and ".join(map(str, many)) for many in zip(*sizes, strict=True))
    of_systems = note("family_of_systems", pairs=pairs) if any(size for _, size in sizes) else ""
    level = short(options.alpha / 2, 3)
    yield note("family", of_items=of_items, level=level, of_systems=of_systems)
    set_aside = [name for name in answers.set_aside if name not in answers.weighted.values()]
    if n := len(set_aside):
        yield note("set_aside", many="1 judge was" if n == 1 else f"{n} judges were")
    # A name that the study keeps was refused once the judge had judgments (judges/runs/naming.py).
    name = named_of(answers, options)
    if name and answers.named and answers.named[0] == name:
        yield note("named", when=words_of(answers.named[1]), judge=name)
    elif name:
        yield note("named_without_proof", judge=name)
    if options.groups:
        yield note("groups", column=options.groups, least=options.criteria.fewest_items)
    yield note("baselines", most=MOST_SINGLE_RATERS)
    yield NOTES["uncorrected"]
    compared = {row["question"] for row in rows if row["use"] == COMPARE}
    if others := dict.fromkeys(q for row in rows if (q := row["question"]) not in compared):
        yield note("not_compared", questions=quoted(others))
    judged = [row for row in rows if row["use"] == RATE]
    yield from simulation_notes(judged)
    level = "the scale's usual margin" if options.level is None else f"{options.level:g} points"
    yield note("conventions", share=options.retention, floor=floor, alpha=alpha, level=level)
    if these:
        yield note("no_sample", raters=max(these))
    if not judged:
        yield NOTES["nobody"]


def own_answer_notes(questions):
    """Yield what is said of the questions whose judges are compared with second own answers."""
    own = [asked for asked in questions if asked.repeats]
    if own:
        yield note("own", questions=quoted(asked.question.key for asked in own))
        yield note("own_memory", gap=_say_gap(own[0].scores))
        yield NOTES["own_simulated"]


def _say_gap(scores):
    """Say how few pages stood between two answers, where they are fewer than was meant."""
    study, version = scores.answers.study, scores.options.version
    pages = pages_between(study, Rater.Role.RECIPIENT, version)
    few = sorted(between for between in pages if between < APART)
    if not few:
        return ""
    many = f"{few[0]}" if few[0] == few[-1] else f"{few[0]} to {few[-1]}"
    return note("own_gap", n=len(pages), few=len(few), many=many, apart=APART)


def warn_of_people(questions, entries):
    """Yield sentences on the people of questions that judges answered. Nobody is excluded for it.

    In a small panel, raters without whom the others agree more; and few clusters. entries: of
    judges that rate items; the key of each warning is added to their rows.
    """
    for asked in questions:
        rows = [entry.row for entry in entries if entry.row["question"] == asked.question.key]
        if rows:
            yield from _warn_of_raters(asked, rows)
            yield from _warn_of_clusters(asked, rows)


def _warn_of_raters(asked, rows):
    lowering = find_lowering_raters(asked.reference.people, asked.scores.options.alpha)
    if not lowering:
        return
    for row in rows:
        _add_warning(row, "lowers_rho")
    names, rho = asked.scores.raters_of(asked.role), short(asked.reference.people.rho)
    shown = [f"“{names[code]}” ({short(own)})" for code, own in lowering.items()]
    raters, others = ", ".join(shown[:MOST_NAMED]), len(shown) - MOST_NAMED
    raters += f" and {others} more" if others > 0 else ""
    yield note("lowering", question=asked.question.key, rho=rho, raters=raters)


def _warn_of_clusters(asked, rows):
    for row in rows:
        if 0 < row["clusters"] < USUAL.fewest_clusters:
            _add_warning(row, "few_clusters")
    n = asked.reference.people.n_clusters
    if 0 < n < USUAL.fewest_clusters:
        clusters = f"{n} cluster{'' if n == 1 else 's'}"
        about = {"clusters": clusters, "fewest": USUAL.fewest_clusters}
        yield note("few_clusters", question=asked.question.key, **about)


def _add_warning(row, key):
    row["warnings"] = " ".join(filter(None, (row["warnings"], key)))
