"""Say in labelled lines whether a judge may stand in for people, and for which use."""

import re
from collections import defaultdict
from dataclasses import dataclass, field
from math import isinf, isnan

from analysis.reports.verdict.candidates import mean_of
from analysis.reports.verdict.sentences import (
    PARTS,
    RATE,
    quoted,
    say_use_of_yes,
    stood_in_for,
    without_use,
)
from analysis.reports.words import short
from analysis.stats.validation.decision import Answer, Reason

BEST, USE, NOT_FOR, OPEN = "Best judge", "Use it for", "Do not use it for", "Not yet for"
SETTLE = "To settle what is open"
UNTESTED = (
    "Other kinds of items, other systems, questions, raters, prompts or models: this study says "
    "nothing about them."
)
SYSTEMS = "Comparing systems"
USES_IN_ORDER = ("stand", "help", "compare")
MOST_NAMED = 3  # judges, or questions that are all there are, in a sentence
SENTENCE_ENDS = re.compile(r"(?<=[.!?]) (?=[A-Z])")
# Of the best judge on several questions with the same reason.
REASONS = {
    Reason.KNOWN_FEATURES: "“{}” is not shown to tell more than anybody could without reading.",
    Reason.EXTREMES_ONLY: "“{}” picks out the few plainest items and does not tell others apart.",
    Reason.HOLDS_RATINGS: "“{}” may have seen people's answers.",
    Reason.ORDER_ONLY: "“{}” orders items well, but is not shown to rate as high as people do.",
    Reason.LEVEL_OFF: "the scores of “{}” are too high or too low.",
    Reason.SAYS_NOTHING: "“{}” gives the same answer to every item.",
    Reason.MAY_NOT: "“{}” tells less about a rater's answer than another rater does.",
}
ANSWERS = {
    Answer.NOT_YET: "the ratings cannot tell yet.",
    Answer.NO: "“{}” may not.",
    Answer.PEOPLE_DISAGREE: "people agree too little to show that any judge may.",
    Answer.NOT_TESTABLE: "“{}” cannot be tested.",
}
DECIDED = {Answer.NO, Answer.PEOPLE_DISAGREE, Answer.NOT_TESTABLE}  # against the judge
OF_SYSTEMS = {
    Answer.NOT_YET: "the ratings cannot tell yet.",
    Answer.NO: "“{}” favours a system.",
    Answer.PEOPLE_DISAGREE: "people see no difference to check a judge by.",
    Answer.NOT_TESTABLE: "cannot be tested.",
}


@dataclass(frozen=True)
class Spoken:
    """A sentence that answers alone, and {label: sentences} in the order of the page.

    steps: what would decide what is open, each with the uses that it is for.
    """

    lead: str
    lines: dict = field(default_factory=dict)
    steps: list = field(default_factory=list)

    @property
    def sentences(self):
        """Return the lead and one sentence or more for each label, for a text without a list."""
        lines = self.lines | ({SETTLE: self.steps} if self.steps else {})
        return [self.lead, *(f"{label}: {' '.join(words)}" for label, words in lines.items())]


def say_answer(entries, ranked, role=""):
    """Return the Spoken answer.

    entries: the verdict's, of judges on rating items and on comparing all systems; ranked: the
    judges' names, the best first; role: of the people whom they are compared with, blank where only
    one role has rated.
    """
    rating = [entry for entry in entries if entry.row["use"] == RATE]
    if not rating:
        words = "No judge has judged an item that people rated, so nothing can be said of judges."
        return Spoken(words)
    own = [entry for entry in rating if entry.row["evaluator"] == ranked[0]]
    yes = [entry for entry in own if entry.row["answer"] == Answer.YES]
    systems = [entry for entry in entries if entry not in rating]
    own_systems = [entry for entry in systems if entry.row["evaluator"] == ranked[0]]
    lead = _lead_yes(ranked[0], own, yes, role) if yes else _lead_none(rating, role)
    said_of, open_yet = _favouring(yes), {Answer.NOT_YET}
    uses = [*_say_uses(yes), *_say_systems(own_systems, {Answer.YES})]
    lines = {
        BEST: [*_say_best(rating, ranked, yes), *_say_others(rating, systems, ranked)],
        USE: uses or [f"Nothing{_yet([entry.row for entry in [*own, *own_systems]])}."],
        OPEN: [*_say_rest(own, open_yet), *_say_systems(own_systems, open_yet, said_of)],
        NOT_FOR: [
            *_say_rest(own, DECIDED),
            *_say_favours(yes),
            *_say_systems(own_systems, DECIDED, said_of),
            *([UNTESTED] if yes else []),
        ],
    }
    steps = _say_steps(left_open(entries, ranked[0]))
    return Spoken(lead, {label: words for label, words in lines.items() if words}, steps)


def left_open(entries, name):
    """List a judge's entries, without comparing systems where it is said to favour one."""
    own = [entry for entry in entries if entry.row["evaluator"] == name]
    rating = [entry for entry in own if entry.row["use"] == RATE]
    favouring = _favouring([entry for entry in rating if entry.row["answer"] == Answer.YES])
    return [e for e in own if e.row["use"] == RATE or e.row["question"] not in favouring]


def _say_steps(entries):
    """Return what would decide what is open, each step once, with its uses where steps differ."""
    uses = defaultdict(list)
    for entry in entries:
        row = entry.row
        if row["answer"] == Answer.NOT_YET and row["next"]:
            is_rating = row["use"] == RATE
            uses[row["next"]].append(f"rating “{row['question']}”" if is_rating else "systems")
    if len(uses) < 2:
        return [*uses]
    return [
        f"For {', '.join(dict.fromkeys(names))}: {_lower(step)}" for step, names in uses.items()
    ]


def _lower(sentence):
    return sentence[0].lower() + sentence[1:]


def _of_role(words, role):
    return f"{words} ({role})" if role else words


def _lead_yes(name, own, yes, role):
    whom, questions = stood_in_for([entry.row for entry in own]), defaultdict(list)
    for entry in yes:
        questions[say_use_of_yes(entry.row, whom)].append(entry.row["question"])
    uses = [_of_role(use, role) + _where(keys, len(own)) for use, keys in questions.items()]
    return f"“{name}” {', and '.join(uses)}."


def _where(keys, count):
    if count == 1:
        return f" on “{keys[0]}”"
    if len(keys) == count:
        return " on both questions" if count == 2 else f" on all {count} questions"
    return f" on {len(keys)} of {count} questions ({quoted(keys)})"


def _lead_none(entries, role):
    whom = _of_role(stood_in_for([entry.row for entry in entries]), role)
    answers = {entry.row["answer"] for entry in entries}
    if answers == {Answer.NOT_TESTABLE}:
        return "No judge can be tested yet."
    if answers <= {Answer.PEOPLE_DISAGREE, Answer.NOT_TESTABLE}:
        return f"No judge can be shown to stand in for {whom}: people disagree with one another."
    yet = " yet" if Answer.NOT_YET in answers else ""
    return f"No judge may stand in for {whom}{yet}."


def _say_best(entries, ranked, yes):
    """Yield which judge is first by rank, and how close it is beside another rater."""
    rows = [entry.row for entry in entries if entry.row["evaluator"] == ranked[0]]
    agreement, rho = mean_of(rows, "agreement"), mean_of(rows, "rho")
    if not yes and not (len(ranked) > 1 and agreement > 0):
        return
    is_known = not (isnan(agreement) or isinf(agreement))
    a_rater = "" if isnan(rho) or isinf(rho) else f"; another rater's is {short(rho)}"
    close = f" Its correlation with a rater is {short(agreement)}{a_rater}." if is_known else ""
    but = "" if yes else f" comes first, but may not stand in{_yet(rows)}"
    yield f"“{ranked[0]}”{but}.{close}"


def _yet(rows):
    return " yet" if any(row["answer"] == Answer.NOT_YET for row in rows) else ""


def _say_others(entries, systems, ranked):
    """Yield which other judges may stand in, help, or compare systems, on which questions."""
    rows = [entry.row for entry in [*entries, *systems] if entry.row["answer"] == Answer.YES]
    others: dict = {}
    for row in sorted(rows, key=lambda row: ranked.index(row["evaluator"])):
        if row["evaluator"] != ranked[0]:
            rates = row["use"] == RATE
            use = say_use_of_yes(row, stood_in_for([row])) if rates else "may compare systems"
            own = others.setdefault(use, {})
            own.setdefault(row["evaluator"], []).append(row["question"])
    for use in sorted(others, key=lambda use: USES_IN_ORDER.index(use.split()[1])):
        judges = [f"“{name}” ({quoted(keys)})" for name, keys in others[use].items()]
        more = f" and {len(judges) - MOST_NAMED} more" if len(judges) > MOST_NAMED else ""
        whose = "Other judges" if len(judges) > 1 else "Another judge"
        yield f"{whose} that {use}: {', '.join(judges[:MOST_NAMED])}{more}."


def _say_uses(yes):
    """Return how good the judge is on each question with a yes, with the verdict's conditions.

    Sentences that are the same for all of them come last, once.
    """
    uses = []
    for entry in yes:
        row = entry.row
        opening = f"“{row['evaluator']}” may stand in for one rater on “{row['question']}”: "
        words, _ = _apart(without_use(entry))
        words = words.replace(opening, f"{_title(row)}: ").replace(PARTS["elsewhere"], "")
        uses.append(SENTENCE_ENDS.split(" ".join(words.split())))
    shared = [part for part in uses[0] if all(part in use for use in uses)] if len(uses) > 1 else []
    own = [" ".join(part for part in use if part not in shared) for use in uses]
    return [*own, *([" ".join(shared)] if shared else [])]


def _say_favours(yes):
    """Yield on which questions a judge with a yes favours a system, and which one."""
    for entry in yes:
        if favour := _apart(entry.reason)[1]:
            yield f"{SYSTEMS} on “{entry.row['question']}”: it {favour}."


def _favouring(yes):
    """Return the questions of which `_say_favours` speaks."""
    return {entry.row["question"] for entry in yes if _apart(entry.reason)[1]}


def _apart(reason):
    """Return (a reason without what it says of systems, which system the judge favours)."""
    before, mark, after = reason.partition(PARTS["not_by_it"])
    rest, it, favour = before.rpartition(" It favours ")
    return (rest + after, f"favours {favour}") if mark and it else (reason, "")


def _title(row):
    return f"Rating “{row['question']}”"


def _say_rest(entries, answers):
    """Yield what is said on questions with one of these answers, those with one reason together.

    A reason that is the same for all of them is the verdict's own sentence, with its next step
    where nothing would decide it.
    """
    alike = defaultdict(list)
    for entry in entries:
        if entry.row["answer"] in answers:
            of_judge = entry.row["answer"] != Answer.PEOPLE_DISAGREE
            alike[entry.row["answer"], entry.row["verdict"] * of_judge].append(entry)
    for (answer, reason), those in alike.items():
        keys = _name_questions(those, entries)
        name = those[0].row["evaluator"]
        words = REASONS.get(reason, ANSWERS[answer]).format(name)
        own = _only({without_use(entry) for entry in those})
        is_told = answer not in (Answer.NO, Answer.NOT_YET)  # what is open has its steps apart
        steps = {entry.row["next"] for entry in those} if is_told else {""}
        yield " ".join(filter(None, (f"Rating {keys}: {own or words}", _only(steps))))


def _say_systems(entries, answers, but=()):
    """Yield what is said of the best judge on comparing systems, once for each answer.

    entries: of the verdict on comparing all systems; a study without two systems has none; but:
    questions of which this is said elsewhere.
    """
    alike = defaultdict(list)
    for entry in entries:
        is_said = entry.row["verdict"] == Reason.NOT_COMPARABLE or entry.row["question"] in but
        if entry.row["answer"] in answers and not is_said:
            alike[entry.row["answer"]].append(entry)
    for answer, those in alike.items():
        keys = _name_questions(those, entries)
        if answer == Answer.YES:
            yield f"{SYSTEMS} on {keys}: these systems only, a new one is untested."
            continue
        own = _only({without_use(entry) for entry in those}) if answer == Answer.NO else ""
        words = own or OF_SYSTEMS[answer].format(those[0].row["evaluator"])
        yield f"{SYSTEMS} on {keys}: {words}"


def _name_questions(those, entries):
    keys = [entry.row["question"] for entry in those]
    is_all = len(keys) == len(entries) > MOST_NAMED
    return f"all {len(keys)} questions" if is_all else quoted(keys)


def _only(words):
    """Return the only one of these texts; blank where they differ."""
    return next(iter(words)) if len(words) == 1 else ""
