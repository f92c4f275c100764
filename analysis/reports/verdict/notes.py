"""Say below the verdict what it rests on: which judges were tried and named, what was simulated."""

from analysis.reports.shared.few_clusters import FEW_CLUSTERS
from analysis.reports.shared.labels import LabelNotes
from analysis.reports.shared.scores import MOST_SINGLE_RATERS
from analysis.reports.verdict.groups import group_notes
from analysis.reports.verdict.own_words import OWN_ANSWERS
from analysis.reports.verdict.unchecked import names_of
from analysis.reports.verdict.uses import COMPARE, RATE
from analysis.reports.verdict.words import short
from analysis.stats.validation.answers import Answer
from judges.runs.naming import words_of


def pairs_gone(asked):
    """Count the deleted judges that had answered the question and whose answers are gone.

    A judge on a scale of its own is no candidate, so that it is not counted here either.
    """
    if not asked.has_ends:
        return 0
    answers, question = asked.scores.answers, asked.question
    notes = LabelNotes(own_scale=answers.own_scale)
    return sum(
        keys.count(question.key)
        for judge, keys in answers.gone
        if notes.says_yes_or_no(judge, question) or not _replaces(answers, judge, question)
    )


def _replaces(answers, judge, question):
    own = answers.own_scale.get(judge)
    return own is not None and own.replaces(question.scale)


def set_aside_note(answers):
    """Yield how many judges of the family are archived or deleted."""
    names = [name for name in answers.set_aside if name not in answers.weighted.values()]
    if names:
        many = "1 judge was" if len(names) == 1 else f"{len(names)} judges were"
        yield (
            f"{many} archived or deleted. What they answered counts in the family all the same; a "
            "deleted judge whose answers are gone counts as one that failed."
        )


UNPROVEN_NAME = "unproven_name"  # the warning that marks a yes by such a name
OF_QUESTIONS = " On several questions it is tested on each, without a correction for their number."
UNPROVEN = "as if {} had been named beforehand, for which there is no proof"


def named_of(answers, options):
    """Return the name of the judge that is tested alone; blank where none was named."""
    return options.named or (answers.named[0] if answers.named else "")


def say_unproven(name, scores):
    """Return what a yes says beside a judge that an option names, and the study did not in time."""
    stored = scores.answers.named
    if name != scores.options.named or stored and stored[0] == name:
        return ""
    return f" This is {UNPROVEN.format(name)}."


def repeat_unproven(entries):
    """Return what a summary says beside these entries where one of them rests on such a name."""
    names = [e.judge for e in entries if UNPROVEN_NAME in e.row["warnings"].split()]
    return f", {UNPROVEN.format(names[0])}" if names else ""


def named_note(answers, options):
    """Yield when the judge that is tested alone was named; its option has no time that proves it.

    A name that the study keeps was refused once the judge had judgments (judges/runs/naming.py).
    """
    name = named_of(answers, options)
    if not name:
        return
    if answers.named and answers.named[0] == name:
        when = words_of(answers.named[1])
        yield (
            f"Named beforehand on {when}, before it had judged anything, and tested alone: {name}."
            f"{OF_QUESTIONS}"
        )
    else:
        yield (
            f"Tested alone, as named beforehand: {name}. No time is stored for this name: it is "
            f"the reader's who asked for this report.{OF_QUESTIONS}"
        )


# What is ruled out where it is known.
ONE_TRICK = {
    "length": "text length",
    "system": "the system alone",
}
OF_CONTENTS = (
    "Where contents have two to four items, within which all else is fitted, a judge that knows "
    "only people's own mean of each content got none."
)
AT_ONCE = (
    "Length, system, content, who rated an item, and cells of two groupings are taken out at once. "
    "Judges that know several of them and nothing else were simulated with 300 items by three "
    "raters, four systems and contents of 60 items (docs/CALIBRATION.md, Attacks); not where "
    "recipients rate their own items, nor where contents are small or cut across recipients."
)
HARDLY_AGREE = 0.2  # rho, below which the bounds of worth hold more often than they should


def simulation_notes(rows):
    """Yield what simulations showed that bears on these rows of judges on rating items."""
    spared = list(dict.fromkeys(name for row in rows for name in names_of(row)))
    of_raters = [row for row in rows if OWN_ANSWERS not in row["warnings"].split()]
    if of_raters or not rows:
        yield (
            "In simulated studies whose truth lies exactly at the boundary of a check at .05, it "
            f"passed wrongly in .02 to .10 of 300. {_tricks(spared)} got a yes in at most 1 % of "
            f"studies on five points, of two, four or eleven systems (docs/CALIBRATION.md). "
            f"{OF_CONTENTS} {AT_ONCE}"
        )
    else:  # what was simulated of recipients' own answers stands with them
        yield AT_ONCE
    if spared:
        yield (
            f"Some judge with a yes was not checked for the {' and the '.join(spared)}: a judge "
            "that knows nothing else can get such a yes."
        )
    if of_raters or not rows:
        yield from _of_intervals([r for r in of_raters if r["answer"] != Answer.NOT_TESTABLE])
    if any("echo" in row["warnings"].split() for row in rows):
        yield (
            "That some raters agree with a judge more than with people is said for nothing in 5 % "
            "of studies in which nobody pastes its answers."
        )


def _tricks(spared):
    """Name the judges that were simulated, but for those whose check some yes was spared."""
    judges = ["a constant", "chance"] + [
        ONE_TRICK[name] for name in ONE_TRICK if name not in spared
    ]
    return f"{', '.join(judges[:-1])} or {judges[-1]}".capitalize()


def _of_intervals(rows):
    """Yield how often intervals hold the truth, and with few clusters or little agreement."""
    covered = (
        "95 % intervals held the truth in about .93 to .97 of simulated studies with "
        f"{FEW_CLUSTERS} clusters or more"
    )
    fewest = min((row["clusters"] for row in rows), default=FEW_CLUSTERS)
    few = f"; with {fewest} they may hold it less often" if fewest < FEW_CLUSTERS else ""
    yield f"{covered}{few}."
    if any(row["rho"] < HARDLY_AGREE for row in rows):
        yield (
            f"Where raters agree by less than {short(HARDLY_AGREE)}, the bounds of a judge's worth "
            "are on the safe side: they hold the truth in more than 95 % of studies."
        )


def _not_compared(rows):
    """Yield on which questions no judge was tested for comparing systems."""
    compared = {row["question"] for row in rows if row["use"] == COMPARE}
    others = [
        question
        for question in dict.fromkeys(row["question"] for row in rows)
        if question not in compared
    ]
    if others:
        yield (
            f"No judge was tested for comparing systems on {', '.join(others)}: items name fewer "
            "than two systems, or the answers are choices without an order."
        )


def list_notes(scores, roles, rows, sizes, these):
    """Yield the notes of a report.

    rows: of judges; sizes: [(pairs of the family, pairs of the family of systems)] of each role;
    these: numbers of raters who are no sample.
    """
    options = scores.options
    yield (
        f"Reference: ratings by {', '.join(roles)}, item by item; each role has a "
        "verdict of its own."
    )
    of_items, of_systems = (
        " and ".join(map(str, many)) for many in zip(*sizes or [(0, 0)], strict=True)
    )
    own_family = ""
    if any(size for _, size in sizes):
        own_family = (
            " Judges that compare systems are a family of their own, corrected by "
            f"Benjamini–Hochberg at the same level: {of_systems} pairs."
        )
    yield (
        f"Family: {of_items} pairs of a judge and a question were tried "
        "on these ratings, also those that are not shown, without judges on a scale of their own. "
        "So that none of them passes by chance, p-values of judges are corrected by "
        "Benjamini–Hochberg and those of questions by Holm, each at "
        f"{short(options.alpha / 2, 3)}.{own_family}"
    )
    yield from set_aside_note(scores.answers)
    yield from named_note(scores.answers, options)
    yield from group_notes(options)
    yield (
        "Baselines and single raters are no candidates: they show what no insight, or one more "
        "rater, would give. A mean of a group leaves the item itself out. Raters of 30 items or "
        f"more stand alone, where they are {MOST_SINGLE_RATERS} or fewer; of the others one row "
        "has one rating of each item."
    )
    yield (
        "The answers “no” and “people disagree” are not corrected for the number of pairs: each "
        "rests on a one-sided bound. Not corrected for the number of judges either is “for the "
        "order only”, also of judges on a scale of their own, and what is said of two systems "
        "alone: the more judges were tried, the likelier one of them got it by chance."
    )
    judged = [row for row in rows if row["use"] == RATE]
    yield from _not_compared(rows)
    yield from simulation_notes(judged)
    level = "the scale's usual margin" if options.level is None else f"{options.level:g} points"
    yield (
        f"Conventions: a judge has to keep {options.retention} of a rater's agreement, raters have "
        f"to agree by {short(options.floor)} at least, each check is made at level "
        f"{short(options.alpha, 3)}, and a judge's mean has to be within {level} of people's."
    )
    if these:
        yield (
            "Raters who are worth fewer than ten, as few, or as one of them has most ratings, are "
            f"no sample: the verdict is about exactly these {max(these)}."
        )
    if not judged:
        yield "No judge has judged an item that people rated."
