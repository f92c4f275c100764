"""Make a paper's tables of the rows of reports: judges in rows, questions in columns."""

from dataclasses import replace
from math import isnan

from analysis.figures.frame import span
from analysis.paper.methods import whom
from analysis.paper.table import HIGH, NEAR, Line, Number, Table
from analysis.reports.bias.bias import LENGTH, SYSTEMS
from analysis.reports.raters.agreement import FIRST, HUMANS, JOINED, POOLED, WORDS
from analysis.reports.shared.correlations import AVERAGE, LEVELS
from analysis.reports.shared.list_pairs import tie_of
from analysis.reports.verdict.baselines import BASELINE, BASELINES
from analysis.reports.yes_no.roc import ROC
from analysis.results.leaderboard import columns_of
from analysis.stats.agreement.measures import MEASURES
from annotate.templatetags.concord import measured, percent, signed_percent

# Of people among themselves; the measures of FIRST come before them.
AMONG_PEOPLE = (*FIRST, "percent", "fleiss_kappa", "ac2_quadratic", "icc_1_1", "icc_1_k")
TOGETHER = (AVERAGE, POOLED)  # columns of all questions
LEVEL_WORDS = {
    "dataset": "over all items",
    "user": "within recipients, averaged",
    "pair": "within recipient–content pairs, averaged",
    "system": "over the means of systems",
}
MOST_SIGNS = 14  # columns of the leaderboard, most of which hold one sign
SIGNS = "✓ passes · … not yet · ✗ does not · ≠ people disagree · – cannot be tested"


def table_of_judges(key, caption, entries, ranked, **facts):
    """Return a Table of entries with `value`: judges by rank, below them what no insight gives.

    ranked: names of judges, the best first; others follow them. Raters have no line.
    """
    headings = list(dict.fromkeys(entry.row["question"] for entry in entries))
    own = [entry for entry in entries if entry.judge]
    below = [entry for entry in entries if entry.kind == BASELINE]
    names = {entry.row["evaluator"] for entry in own}
    order = [*(name for name in ranked if name in names), *(e.row["evaluator"] for e in own)]
    lines = [*_lines(own, headings, order), *_lines(below, headings, None)]
    sizes = [_size(own, heading) for heading in headings]
    return Table(key, caption, "Judge", headings, lines, sizes=sizes, **facts)


def _lines(entries, headings, order):
    """Return a Line for each evaluator; order None: of no judge, so that none is ranked."""
    cells = {(e.row["evaluator"], e.row["question"]): Number.of_row(e.row) for e in entries}
    names = dict.fromkeys(e.row["evaluator"] for e in entries) if order is None else order
    lines = [
        Line(name, [cells.get((name, heading)) for heading in headings], order is not None)
        for name in dict.fromkeys(names)
    ]
    return [line for line in lines if any(cell and not isnan(cell.value) for cell in line.cells)]


def _size(entries, question):
    """Write how many items a column is of; blank for several questions together."""
    if question in TOGETHER:
        return ""
    rows = [entry.row for entry in entries if entry.row["question"] == question]
    counts = [row["n"] for row in rows if not isnan(row["value"])]
    return span(counts) if counts else ""


def leaderboard(results):
    """Return the table of Results: a sign for each question, agreement, and what a judge costs."""
    lines = results.lines
    columns = columns_of(lines)
    headings = [*results.questions, *(heading for _, heading in columns)]
    return Table(
        "leaderboard",
        "Judges by rank, beside a rater and what no insight would give.",
        "Judge",
        headings,
        [
            Line(
                line.name,
                [*(mark.sign if mark else "" for mark in line.marks), *_facts(line, columns)],
                line.kind == "judge",
            )
            for line in lines
        ],
        order=HIGH,
        most_columns=MOST_SIGNS,
        note=f"{SIGNS}. Agreement: mean r with people’s ratings over the questions.",
    )


def _facts(line, columns):
    facts = {
        "agreement": Number(line.agreement),
        "level": signed_percent(line.level),
        "failures": percent(line.failed),
        "price": line.price_in_words,
        "seconds": measured(line.seconds),
    }
    is_judge = line.kind == "judge"
    return [facts[name] if is_judge or name == "agreement" else "" for name, _ in columns]


def usual_measure(questions):
    """Return the α that the study's scales have: ordinal, else nominal, else interval."""
    metrics = {metric for question in questions for metric in question.scale.metrics}
    return next((key for key in FIRST if MEASURES[key].metric in metrics), FIRST[0])


def among_people(report):
    """Return the table of agreement among people: measures in rows, questions in columns."""
    entries = [entry for entry in report.entries if entry.row["raters"] == HUMANS]
    headings = list(dict.fromkeys(entry.row["question"] for entry in entries))
    cells = {(e.row["measure"], e.row["question"]): Number.of_row(e.row) for e in entries}
    lines = [
        Line(WORDS[measure], [cells.get((measure, heading)) for heading in headings], False)
        for measure in AMONG_PEOPLE
    ]
    sizes = [_size([_sized(e) for e in entries], heading) for heading in headings]
    kept = [line for line in lines if any(cell and not isnan(cell.value) for cell in line.cells)]
    return Table(
        "agreement-people", "Agreement among people.", "Measure", headings, kept, sizes=sizes
    )


def with_judges(report, measure, ranked):
    """Return the table of agreement with each judge as one more rater, below that of people."""
    of_measure = [entry for entry in report.entries if entry.row["measure"] == measure]
    joined = [_as_judged(e) for e in of_measure if e.kind == JOINED]
    caption = f"{WORDS[measure]}: people with each judge as one more rater."
    table = table_of_judges("agreement-judges", caption, joined, ranked, order=HIGH)
    people = {e.row["question"]: Number.of_row(e.row) for e in of_measure if e.kind == HUMANS}
    alone = Line("people alone", [people.get(heading) for heading in table.headings], False)
    return replace(table, lines=[*table.lines, alone])


def _as_judged(entry):
    return replace(_sized(entry), row=_sized(entry).row | {"evaluator": entry.judge})


def _sized(entry):
    """Return the entry with its number of items under the name that other reports use."""
    return replace(entry, row=entry.row | {"n": entry.row["n_units"]})


def correlations(report, words, ranked, role):
    """Yield a table of one coefficient for each level that has a value."""
    entries = [*report.entries, *report.curves.get(BASELINES, [])]
    for level in LEVELS:
        own = [entry for entry in entries if entry.row["level"] == level]
        if any(not isnan(entry.row["value"]) for entry in own):
            caption = f"{words} with the mean rating by {whom(role)}, {LEVEL_WORDS[level]}."
            yield table_of_judges(f"correlation-{level}", caption, own, ranked, order=HIGH)


def areas(reports, ranked, role):
    """Return the table of areas under ROC curves; reports: one of each question."""
    entries, cuts = [], []
    for report in reports:
        baselines = ROC.main_entries(_of(report, report.curves.get(BASELINES, [])))
        own = [*ROC.main_entries(report), *baselines]
        entries += [replace(e, row=e.row | {"value": e.row["auc"]}) for e in own]
        cuts += [f"{e.row['question']} {e.row['threshold']:g}" for e in own[:1]]
    caption = f"Area under the ROC curve, against the mean rating by {whom(role)}."
    note = f"An item is good from a mean of: {', '.join(cuts)}." if cuts else ""
    return table_of_judges("auc", caption, entries, ranked, order=HIGH, is_share=True, note=note)


def _of(report, entries):
    return replace(report, entries=entries)


def biases(reports, ranked):
    """Yield the tables of the mean of judge less people, and of its slope on the length."""
    entries = [entry for report in reports for entry in report.entries]
    means = [e for e in entries if (e.row["bias"], e.row["group"]) == (SYSTEMS, "all")]
    slopes = [e for e in entries if e.row["bias"] == LENGTH]
    facts = {"order": NEAR, "is_bounded": False}
    if _any(means):
        caption = "Mean of judge less people, in points of the scale."
        yield table_of_judges("bias-level", caption, means, ranked, **facts)
    if _any(slopes):
        unit = next(e.row["group"] for e in slopes if e.row["group"])
        caption = f"Slope of judge less people on the length of the text, points per {unit}."
        yield table_of_judges("bias-length", caption, slopes, ranked, **facts)


def _any(entries):
    return any(not isnan(entry.row["value"]) for entry in entries)


def costs(report):
    """Return the table of what an item costs with each judge and with people."""
    headings = ["Cost of an item", "Tokens in", "Tokens out", "Seconds", "r"]
    lines = []
    for entry in report.entries:
        row = entry.row
        plain = [measured(row[name]) for name in ("tokens_in", "tokens_out", "seconds")]
        price = "–" if isnan(row["cost"]) else f"{row['cost']:.5f} {row['currency']}"
        lines.append(Line(row["evaluator"], [price, *plain, Number.of_row(row)], bool(entry.judge)))
    caption = "What an item costs, and how closely it follows people (r, mean of the questions)."
    return Table("cost", caption, "Judge", headings, lines, order=HIGH)


def selections(reports, ranked):
    """Return the table of model selection agreement; reports: one of each choice of two lists."""
    entries = [
        replace(e, row=e.row | {"value": e.row["msa"]})
        for report in reports
        for e in report.entries
        if e.row["msa"] is not None
    ]
    caption = "Model selection agreement: pairs of lists with the same choice as people’s majority."
    return table_of_judges("lists", caption, entries, ranked, order=HIGH, is_share=True)


def choices_of_lists(questions):
    """Return the questions that are choices between two lists."""
    return [question for question in questions if tie_of(question) is not None]
