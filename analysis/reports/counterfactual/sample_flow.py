"""Count the raters asked, those excluded by each rule, and those left."""

import re

from analysis.figures.layout import Table
from analysis.options.choices import ALL
from analysis.reports.words import notes_beside
from annotate.quality.rules import LIST

say = notes_beside(__file__, "counterfactual")

PART = "exclusions"
ASKED, EXCLUDED, KEPT = "asked", "excluded", "kept"
# The rules of Yao, Wang & Li (2022), section 4.4.
OF_THE_PAPER = ("attention_checks", "few_movies", "unfamiliar", "approval_rate", "task_count")
UNFINISHED = "session not completed"


def add(work):
    """Add a row of the raters asked, one for each reason of exclusion, and one of the rest.

    Counts the reference's raters with an answer to these items; reasons in the order of the rules.
    """
    reasons = _reasons(work.scores)
    left = len(reasons)
    work.add(PART, measure=ASKED, value=float(left), n=left)
    for reason in sorted({*reasons.values()} - {""}, key=_place):
        n = sum(why == reason for why in reasons.values())
        work.add(PART, measure=EXCLUDED, value=float(n), n=left, rule=reason)
        left -= n
    work.add(PART, measure=KEPT, value=float(left), n=len(reasons))


def _reasons(scores):
    """Return {rater: why none of their answers count; "" where some do}."""
    answers, role = scores.answers, scores.options.reference
    table = answers.select_source("human")
    table = table[table["item"].isin(scores.items["item"])]
    if role != ALL:
        table = table[table["role"] == role]
    rows = table[["rater", "exclusion_reason"]].drop_duplicates().astype(str)
    reasons: dict[str, str] = {}
    for rater, reason in rows.itertuples(index=False):
        # Of several visits one that counts is enough.
        reasons[rater] = "" if not reason else reasons.get(rater, reason)
    return reasons


def _place(reason):
    """Return a reason's sort key: unfinished sessions, then the rules in order, then free texts."""
    if reason.startswith(UNFINISHED):
        return -1, reason
    places = (place for place, rule in enumerate(LIST) if _is_by(rule, reason))
    return next(places, len(LIST)), reason


def _is_by(rule, reason):
    """Return whether the reason has the words of a rule, whatever its settings."""
    words = "(.+)".join(re.escape(part) for part in re.split(r"\{[^}]*\}", rule.words))
    return re.fullmatch(words, reason) is not None


def count_raters(report):
    """Yield the counts in a sentence: 400 raters asked, 16 excluded, 384 kept."""
    counts = {row["measure"]: row for row in report.rows if row["part"] == PART}
    if counts:
        asked, kept = (int(counts[name]["value"]) for name in (ASKED, KEPT))
        yield f"{asked:,} raters asked, {asked - kept:,} excluded, {kept:,} kept."


def list_notes(report):
    """Write notes on what is counted, and on the paper's rules that have excluded nobody."""
    reasons = [row["rule"] for row in report.rows if row["part"] == PART and row["rule"]]
    yield say("exclusions")
    used = {rule.key for rule in LIST for reason in reasons if _is_by(rule, reason)}
    idle = [rule.title for rule in LIST if rule.key in {*OF_THE_PAPER} - used]
    if idle:
        yield f"Of the paper's rules these have excluded nobody here: {', '.join(idle)}."


def table(entries):
    """Tabulate the raters asked, excluded by each reason, and left."""
    lines = []
    for row in (entry.row for entry in entries):
        n, value = row["n"], int(row["value"])
        if row["measure"] == EXCLUDED:
            lines.append((row["rule"], [f"{n:,}", f"{value:,}", f"{n - value:,}"]))
        else:
            lines.append((row["measure"].capitalize(), ["", "", f"{value:,}"]))
    headings = ["Before", "Excluded", "Left"]
    return Table("Raters, by why they do not count.", headings, lines, [], "Reason")
