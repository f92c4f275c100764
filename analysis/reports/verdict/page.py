"""Lay out the verdict, and lead on from "not yet" to the planner and to what the verdict asks.

The page has judges and questions in a matrix, then one question with its evidence.
"""

from dataclasses import dataclass, replace
from math import isnan, nan, sqrt
from urllib.parse import urlencode

from django.urls import reverse

from analysis.figures.dots import dot_figure
from analysis.figures.layout import Layout, Link, Table, Words, cross_table, interval_cell, listing
from analysis.reports.verdict.baselines import grey_metric, grey_words
from analysis.reports.verdict.candidates import JUDGE, RATER, judges_by_rank
from analysis.reports.verdict.options import SHARES
from analysis.reports.verdict.sentences import (
    A_RATER,
    COMPARE,
    GROUP,
    PARTS,
    RATE,
    TEXTS,
    UNPROVEN_NAME,
    answer_of,
    is_of_own_answers,
    percent,
    say_spared,
    say_worth,
    stood_in_for,
    warns,
)
from analysis.reports.verdict.substitution import differs
from analysis.reports.words import short
from analysis.stats.planning.planning import (
    FEWEST_ITEMS,
    FEWEST_OF_A_PILOT,
    POWER,
    Targets,
    predict_power,
)
from analysis.stats.validation.decision import Answer, Reason
from analysis.stats.validation.evidence import largest_p
from annotate.design.planner_link import planned_scale, planner_address
from annotate.recruitment.costs import item_seconds
from annotate.recruitment.raise_ratings import MOST_RATINGS, count_open, lacks_places

MATRIX = "matrix"  # of a report's curves: the rows of judges on all questions
LADDERS = "ladders"  # of a report's curves: {(judge, role, question): its Rungs}
REASONS = "table-1-3"  # anchor of the table that says why, and what next
MOST_WORTH = 999.5  # raters; the computation ends at 1,000
# An answer is a word and a sign, never a colour alone.
SIGNS = {
    Answer.YES: "✓",
    Answer.NOT_YET: "…",
    Answer.NO: "✗",
    Answer.PEOPLE_DISAGREE: "≠",
    Answer.NOT_TESTABLE: "–",
}
MATRICES = {
    RATE: "May it rate items in place of a rater?",
    COMPARE: "May it compare systems in place of people?",
}
WHY = {RATE: "rating items", COMPARE: "comparing systems"}
PEOPLE, ENOUGH, LEVEL = "People agree: ρ", "Enough of a rater: r − k ρ", "Level: judge − people"
BEYOND = "Beyond all that is known of an item: r′ − ½ ρ′"
REST = "Without the plainest items"
BESIDE = "After correction for all that was tried"
TIED = "\u00a0"  # a space at which no line ends


def say(case, **things):
    """Return a text of the page."""
    return TEXTS["page"][case].format(**things)


@dataclass(frozen=True)
class Rung:
    """A check. value, low, high: its estimate with a 95 % interval; of_people: ρ where it has both.

    p: of the check, the larger one where people and judge are both tested; skipped: why it was not
    made.
    """

    name: str
    passes: bool = False
    value: float = nan
    low: float = nan
    high: float = nan
    p: float = nan
    of_people: float = nan
    skipped: str = ""

    @property
    def words(self):
        """The rung as a cell of the table of checks."""
        if self.skipped:
            return f"not checked: {self.skipped}"
        parts = ["✓" if self.passes else "✗"]
        if not isnan(self.value):
            parts = [f"{parts[0]}{TIED}{short(self.value)}"]
        if not isnan(self.low):
            parts.append(f"[{short(self.low)},{TIED}{short(self.high)}]")
        if not isnan(self.of_people):
            parts.append(f"(raters there:{TIED}{short(self.of_people)})")
        p = f"<{TIED}.001" if self.p < 0.001 else short(self.p, 3)
        return " ".join([*parts, f"p{TIED}{p}"])


def rungs_of(candidate):
    """Return the Rungs of a judge, in the order in which they are asked."""
    evidence, criteria = candidate.evidence, candidate.criteria
    if not evidence.n:
        return []
    alpha, k, beyond = criteria.alpha, criteria.beyond_retention, evidence.beyond
    rho, theta = evidence.agreement.rho, evidence.agreement.retention(criteria.retention)
    rungs = [
        _rung(PEOPLE, rho, rho.p_above(), alpha, also=rho.value >= criteria.floor),
        _rung(ENOUGH, theta, theta.p_above(), alpha),
    ]
    if beyond.parts:
        _, worst = beyond.worst(k)
        p = largest_p((beyond.judge_p(k), beyond.people_p))
        rungs.append(_rung(BEYOND, worst.retention(k), p, alpha, of_people=worst.rho.value))
    else:
        rungs.append(Rung(BEYOND, skipped="nothing but the texts is known of an item"))
    if evidence.rest is not None:
        rungs.append(Rung(REST, evidence.rest.p < alpha, p=min(1.0, evidence.rest.p)))
    if evidence.level is None:
        return [*rungs, Rung(LEVEL, skipped="it has a scale of its own")]
    p = evidence.level.p_within(evidence.level_margin)
    level = _rung(LEVEL, evidence.level.largest, p, alpha)
    return [*rungs, level, Rung(BESIDE, candidate.p_adjusted < alpha, p=candidate.p_adjusted)]


def _rung(name, quantity, p, alpha, *, also=True, of_people=nan):
    ends = quantity.interval()
    return Rung(name, bool(p < alpha and also), quantity.value, *ends, p, of_people)


def layout(report, question, looks):
    """Return the page: both matrices, then the chosen question's figure, reasons and numbers."""
    every = report.curves.get(MATRIX, [])
    address = _address(report.options)
    own = [entry for entry in report.entries if entry.row["question"] == question]
    judged = [entry for entry in own if entry.kind == JUDGE]
    rating = _sorted([entry for entry in judged if entry.row["use"] == RATE])
    comparing = _sorted([entry for entry in judged if entry.row["use"] == COMPARE])
    # A rater without whom no item has two ratings has no line.
    numbers = [
        entry
        for entry in own
        if entry.row["use"] == RATE and entry.kind != GROUP
        if entry.kind != RATER or entry.row["items"]
    ]
    groups = [entry for entry in own if entry.kind == GROUP]
    pairs = [entry for entry in comparing if entry.row["systems"]]
    tables = [
        *(_matrix(every, use, caption, address) for use, caption in MATRICES.items()),
        _reasons(rating, question, RATE),
        *_ladder(rating, report.curves.get(LADDERS, {}), question, report.options["retention"]),
        _reasons(comparing, question, COMPARE),
        _listing("numbers", question, numbers, NUMBERS),
        _listing("groups", question, groups, GROUPS, "group"),
        _listing("pairs", question, pairs, PAIRS, "systems"),
    ]
    for table in tables[3:]:
        table.is_folded = True
    return Layout(_figures(own, question, report, looks), tables)


def _address(options):
    """Return a function from a question to the address of its reasons; None on a page of groups."""
    if options.get("by"):
        return None
    given = {name: value for name, value in options.items() if value not in (None, "", [])}
    return lambda key: f"?{urlencode(given | {'question': key}, doseq=True)}#{REASONS}"


def _sorted(entries):
    """Return the entries of one use as the matrix sorts judges."""
    ranked = judges_by_rank([entry.row for entry in entries])
    return sorted(entries, key=lambda entry: ranked.index(entry.row["evaluator"]))


def _namer(rows, key="evaluator"):
    """Return a function that names a row, with its role where the rows are of several."""
    several = len({row["role"] for row in rows}) > 1
    return lambda row: f"{row[key]} ({row['role']})" if several else row[key]


def _matrix(rows, use, caption, address):
    """Tabulate answers by judge and question; the best judge first.

    Each answer on rating items leads to its reason, what next, and the checks.
    """
    rows = [row for row in rows if row["use"] == use and not row["systems"]]
    heading, ranked, cells = _namer(rows, "question"), judges_by_rank(rows), {}
    for row in sorted(rows, key=lambda row: ranked.index(row["evaluator"])):
        answer, is_linked = _answer(row), use == RATE and address is not None
        cell = Link(answer, address(row["question"])) if is_linked else answer
        cells[row["evaluator"], heading(row)] = cell
    return cross_table(caption, "Judge", cells, list(dict.fromkeys(map(heading, rows))))


def _answer(row):
    words = f"{SIGNS[row['answer']]} {answer_of(row)}"
    if row["answer"] == Answer.YES:
        words += say_worth(row).replace("worth at least", "≥")
    unproven = "named without proof" if warns(row, UNPROVEN_NAME) else ""
    return "; ".join(filter(None, (words, unproven, say_spared(row))))


def _reasons(entries, question, use):
    rows = [entry.row for entry in entries if not entry.row["systems"]]
    caption = f"{question}: why, and what next, for {WHY[use]}."
    return listing(caption, "Judge", map(_namer(rows), rows), rows, WHAT_NEXT)


def _ladder(entries, ladders, question, share):
    """Return a table with a line for each judge and a column for each check, in a list.

    share: k, as words. The list is empty where no judge was tested.
    """
    rows = [entry.row for entry in entries]
    name, lines = _namer(rows), []
    for row in rows:
        rungs = ladders.get((row["evaluator"], row["role"], question), [])
        lines.append((name(row), {rung.name: Words(rung.words) for rung in rungs}))
    # The checks of the longest ladder, then what others add.
    longest = sorted((rungs for _, rungs in lines), key=len, reverse=True)
    checks = list(dict.fromkeys(check for rungs in longest for check in rungs))
    if not checks:
        return []
    told = say("told_own" if stood_in_for(rows) != A_RATER else "told")
    cells = [(name, [rungs.get(check, Words("–")) for check in checks]) for name, rungs in lines]
    caption, note = say("ladder", question=question), say("ladder_note", told=told, share=share)
    return [Table(caption, [*map(Words, checks)], cells, [], "Judge", note)]


def _listing(case, question, entries, columns, beside=""):
    """Tabulate a line for each entry; beside: the key of what tells those of a judge apart."""
    rows = [entry.row for entry in entries]
    names = [
        f"{entry.row['evaluator']}: {entry.row[beside]}"
        if beside
        else entry.row["evaluator"] + ("" if entry.kind == JUDGE else f" ({entry.kind})")
        for entry in entries
    ]
    corner = f"Judge, {beside}" if beside else "Judge, baseline or rater"
    table = listing(say(case, question=question), corner, names, rows, columns)
    return table if beside else replace(table, note=say("numbers_note"))


def _worth_cell(row):
    """Return the worth in raters; in words what is more than can be measured."""
    low, high = row["worth_low"], row["worth_high"]
    if isnan(high) or high < MOST_WORTH:
        return interval_cell(row, "worth")
    value = short(row["worth"]) if row["worth"] < MOST_WORTH else "not measurable"
    return f"{value} [{short(low) if low < MOST_WORTH else 'any'}, any]"


def _number(name, words="{number}", digits=2):
    """Return a function that writes a row's number among its other numbers; undefined, a dash."""

    def write(row):
        number = short(row[name], digits)
        return number if number == "–" else words.format(number=number, **row)

    return write


def _interval(name):
    return lambda row: interval_cell(row, name)


def _within(row):
    within = short(row["agreement_within"])
    return within if within == "–" else f"{within} ({short(row['rho_within'])})"


def _share(row):
    share = row["share_proven"]
    return "–" if isnan(share) else percent(max(share, 0))


def _test(row):
    return short(row["winning_rate"]) + (f", says {row['published_test']}" if differs(row) else "")


# What each table has beside the name of a line.
WHAT_NEXT = {
    Words("Answer"): lambda row: Words(_answer(row)),
    Words("Why"): lambda row: Words(row["sentence"]),
    Words("What next"): lambda row: Words(row["next"]),
}
SIZES = {"Items, clusters, raters": "{items:,}, {clusters:,}, {raters:,}".format_map}
NUMBERS = {
    "Worth in raters": _worth_cell,
    "Share of ρ, at least": _share,
    "Agreement r": _interval("agreement"),
    "Raters' own ρ": _interval("rho"),
    "r′ (ρ′) beyond groups": _within,
    "Level: judge − people": _interval("level"),
    "Published test ω": _test,
    "p, corrected (of so many)": _number("p_adjusted", "{number} ({family:,})", 3),
} | SIZES
GROUPS = {
    "In this group": _answer,
    "r − k ρ": _number("retention"),
    "p, fails": _number("p_adjusted", digits=3),
    "Level": _interval("level"),
} | SIZES
PAIRS = {
    "May it compare them?": _answer,
    "Judge − people": _interval("level"),
    "p, within the margin": _number("level_p", digits=3),
    "p, corrected for pairs (Holm)": _number("p_adjusted", digits=3),
    "p, it tells them apart (max-T)": _number("p_winner", digits=3),
}


def _figures(entries, question, report, looks):
    """Draw r of judges, baselines and raters, with lines at one rater and the share to keep."""
    rated = [entry for entry in entries if entry.row["use"] == RATE]
    shown = []
    for entry in rated:
        row = entry.row
        ends = {"low": row["agreement_low"], "high": row["agreement_high"], "n": row["items"]}
        about = {"evaluator": row["evaluator"], "question": question, "value": row["agreement"]}
        if not isnan(row["agreement"]):
            shown.append(replace(entry, row=about | ends))
    rho = next((e.row["rho"] for e in entries if e.kind == JUDGE and not isnan(e.row["rho"])), None)
    share = report.options["retention"]
    whom = stood_in_for([entry.row for entry in rated if entry.kind == JUDGE])
    mark = say("mark_own" if whom != A_RATER else "mark")
    marks = [] if rho is None else [(SHARES[share] * rho, f"{share} of it"), (rho, mark)]
    shown.sort(key=lambda entry: -entry.row["value"])
    about = {"question": question, "mark": mark, "share": share}
    case, grey = "figure_own" if whom != A_RATER else "figure", grey_words(report, [True])
    caption = say(case, **about, grey=grey)
    how = {"looks": looks, "title": f"Agreement r with {whom}", "of": "items", "marks": marks}
    shown = grey_metric(report, shown)
    return dot_figure("verdict", caption, shown, "evaluator", "question", **how)


OWN_SCALE = "own scale"  # of a report's curves: (judge, question) that items give no level
USES = {RATE: "rate items", COMPARE: "compare systems"}
FEWEST_RATINGS = 2
FEW, SECOND, ONE_MORE, AGAIN, INVITE, ITEMS = "few", "second", "more", "again", "invite", "items"
STEPS = {  # a button's words, and its page
    SECOND: ("Open places for second ratings …", "more_ratings"),
    ONE_MORE: ("Open places for one more rating of each item …", "more_ratings"),
    AGAIN: ("Ask recipients more of their items again", "inside"),
    INVITE: ("Invite raters to the open places", "raters"),
    ITEMS: ("Load more items", "load"),
}
# Reasons of "not yet" on which the planner says how many items decide.
PLANNED = (
    Reason.NOT_COMPARABLE,
    Reason.TOO_FEW,
    Reason.PEOPLE_UNSURE,
    Reason.UNDECIDED,
    Reason.KNOWN_FEATURES,
    Reason.ORDER_ONLY,
)
MOST_KNOWN = 0.95  # that the planner takes
POINTS = "points"  # what a "not yet" waits for that no ratings give
# More items help here too, but no plan says how many.
UNPLANNED = (Reason.NO_DIFFERENCE, Reason.FEW_SYSTEMS)


@dataclass(frozen=True)
class WayOn:
    """A judge and a use that are not decided yet, and where they are planned.

    address: the planner's; own: of the report that plans from these ratings, blank where they are
    too few.
    """

    words: str
    address: str
    own: str = ""


@dataclass(frozen=True)
class Step:
    """What an editor may do next: a button's words, its page, and whether it opens places."""

    words: str
    address: str
    opens_places: bool


@dataclass(frozen=True)
class WaysOn:
    """What leads on from a question's "not yet": planners, and pages that do what is advised."""

    question: str
    planners: list
    steps: list


def list_ways_on(study, report, question):
    """Return the WaysOn of a question; None where more items or ratings decide nothing."""
    rows = [entry.row for entry in report.entries if entry.kind == JUDGE]
    rows = [row for row in rows if row["question"] == question.key and not row["systems"]]
    own_scales = report.curves.get(OWN_SCALE, ())
    undecided = [
        row
        for row in rows
        if (row["evaluator"], question.key) not in own_scales and _is_helped_by_more(row)
    ]
    if not undecided:
        return None
    estimates = {(row["evaluator"], row["role"]): row for row in rows if row["use"] == RATE}
    several = len({row["role"] for row in undecided}) > 1
    shared = {"retention": report.options["retention"], "item_seconds": item_seconds(study)}
    planners = []
    for row in undecided:
        if row["verdict"] in PLANNED:
            role = f" ({row['role']})" if several else ""
            today = estimates.get((row["evaluator"], row["role"]), row)
            options = {"use": row["use"], **shared, **_estimates(today)}
            address = planner_address(study, planned_scale(question.scale), **options)
            words = f"{row['evaluator']}{role}, to {USES[row['use']]}"
            planners.append(WayOn(words, address, _own_address(study, row)))
    return WaysOn(question.key, planners, _steps(study, question, undecided))


def _own_address(study, row):
    """Return the address of the plan from this study's own ratings of a judge."""
    if row["use"] != RATE or row["items"] < FEWEST_OF_A_PILOT:
        return ""
    query = {"question": row["question"], "judges": row["evaluator"], "reference": row["role"]}
    return f"{reverse('report', args=[study.slug, 'plan'])}?{urlencode(query)}"


def _is_helped_by_more(row):
    """Say whether more items, or more ratings of them, may decide.

    Where the verdict says that no number of items would be enough, they do not.
    """
    if row["next"].startswith(PARTS["never"]) or row["why"] == POINTS:
        return False
    if row["answer"] == Answer.NOT_TESTABLE:
        return row["use"] == RATE and not row["items"]
    return row["answer"] == Answer.NOT_YET and row["verdict"] in (*PLANNED, *UNPLANNED)


def _estimates(row):
    """Return today's estimates as options of the planner; none where they rest on too little."""
    items, clusters, rho, r = (row[name] for name in ("items", "clusters", "rho", "agreement"))
    asked = {"cluster_items": _cluster_items(row)} if clusters else {}
    if items < FEWEST_ITEMS or isnan(rho) or isnan(r):
        return asked
    inside = min(max(rho, 0.0), 1.0)
    quality = min(max(r / sqrt(inside), -1.0), 1.0) if inside else 0.0
    within = row["rho_within"]
    if inside > 0 and within < 1:  # not NaN: known is as rho and the joint check's leave it
        share_known = (inside - within) / (inside * (1 - within))
        asked["known"] = f"{min(max(share_known, 0.0), MOST_KNOWN):.3f}"
    return {**asked, "rho": f"{inside:.3f}", "judge": f"{quality:.3f}"}


def _cluster_items(row):
    return max(round(row["items"] / row["clusters"]), 1)


def _steps(study, question, rows):
    """Return the Steps that the verdict's reasons ask for, each once."""
    ratings = {SECOND: FEWEST_RATINGS, ONE_MORE: min(study.raters_per_item + 1, MOST_RATINGS)}
    wanted = {_step(row, ratings[ONE_MORE]) for row in rows}
    # What gives more items two ratings: places that lack, else raters, else items.
    if FEW in wanted:
        lacks = lacks_places(study, FEWEST_RATINGS, question)
        wanted.add(SECOND if lacks else ITEMS)
        if not lacks and count_open(study, FEWEST_RATINGS, question):
            wanted.add(INVITE)
    steps = []
    for name, (words, page) in STEPS.items():
        if name in wanted:
            address = reverse(page, args=[study.slug])
            if name in ratings:
                query = urlencode({"ratings": ratings[name], "question": question.key})
                address = f"{address}?{query}"
            steps.append(Step(words, address, name in ratings))
    return steps


def _step(row, one_more):
    """Return what helps a judge on; FEW where that depends on the places of the study.

    One more rating of each item is advised where today's items then decide that raters agree.
    """
    if is_of_own_answers(row):
        return AGAIN
    if row["verdict"] in (Reason.NOT_COMPARABLE, Reason.TOO_FEW):
        return FEW
    if row["verdict"] == Reason.PEOPLE_UNSURE:
        rho, targets = row["rho"], Targets(cluster_items=_cluster_items(row))
        power = predict_power(rho, rho, one_more, row["items"], targets)
        return ONE_MORE if power.agreement >= POWER else ITEMS
    return ITEMS
