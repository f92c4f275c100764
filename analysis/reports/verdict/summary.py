"""Say in short what was decided of all judges, and of a row what is repeated beside its answer."""

import numpy as np

from analysis.reports.verdict.groups import GROUP, list_limits
from analysis.reports.verdict.questions import list_roles
from analysis.reports.verdict.sentences import MOST_NAMED, Case, OwnCase, worth_clause
from analysis.reports.verdict.texts import (
    A_RATER,
    ANSWERS,
    COMPARE,
    OWN_ANSWER,
    PARTS,
    RATE,
    use_of,
)
from analysis.stats.validation.decision import Answer, Reason
from annotate.models import Rater

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
    if not names:
        return ""
    return "".join(
        f" At least one rater agrees with “{name}” more than with other people, as if that rater "
        "had pasted the judge's answers."
        for name in names[:MOST_NAMED]
    )


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
