"""Say below the verdict what it rests on: which judges were tried and named, what was simulated."""

from analysis.answers.repeats import pages_between
from analysis.reports.shared.few_clusters import FEW_CLUSTERS
from analysis.reports.shared.scores import MOST_SINGLE_RATERS
from analysis.reports.verdict.questions import OwnAsked
from analysis.reports.verdict.sentences import MOST_NAMED, quoted
from analysis.reports.verdict.summary import is_of_own_answers, names_spared, warns
from analysis.reports.verdict.texts import COMPARE, NOTES, PARTS, RATE, note
from analysis.reports.words import short
from analysis.stats.validation.criteria import USUAL
from analysis.stats.validation.decision import Answer
from analysis.stats.validation.echo import find_lowering_raters
from annotate.flow.own_answers import APART
from annotate.models import Rater
from judges.runs.naming import words_of

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
    own = [asked for asked in questions if isinstance(asked, OwnAsked)]
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
    if not len(lowering.raters):
        return
    for row in rows:
        _add_warning(row, "lowers_rho")
    names, rho = asked.scores.raters_of(asked.role), short(asked.reference.people.rho)
    pairs = list(zip(lowering.raters, lowering.without, strict=True))
    raters = ", ".join(f"“{names[code]}” ({short(own)})" for code, own in pairs[:MOST_NAMED])
    others = len(pairs) - MOST_NAMED
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
