"""Show which system people and judges prefer, for one question."""

from dataclasses import replace
from math import isnan

from analysis.figures.dots import dots
from analysis.figures.layout import Cell, Figure, Layout, Table, n_words
from analysis.reports.kind import NO_JUDGE, Kind, Shown, first_of, no_value
from analysis.reports.preferences.report import ALL, BOTH_TIE, PREFERRED, TIED, WON, preferences
from analysis.reports.shared.list_pairs import tie_of
from analysis.reports.shared.options import AgreementOptions

PEOPLE = "people"


def list_parts(questions):
    """Return the questions that are a choice of two lists, of which the page shows one."""
    keys = [question.key for question in questions if tie_of(question) is not None]
    return Shown("question", "Question", [(key, key) for key in keys])


def layout(report, question, looks):
    """Return the page of one question: preferred systems, and ties."""
    preferred = [entry for entry in report.entries if entry.row["measure"] == PREFERRED]
    drawn = [entry for entry in _with_people(preferred) if not isnan(entry.row["value"])]
    title = f"Share of pairs in which it is preferred ({n_words(drawn)})"
    plot = dots(drawn, "system", "who", looks, title, unit_interval=True)
    caption = (
        f"How often each system's list is preferred for {question}, ties split: by people (on the "
        "pairs of the first evaluator) and by each evaluator. Lines: 95 % intervals."
    )
    figures = [Figure("preferences", caption, plot)] if drawn else []
    return Layout(figures, [_systems(report, question), _ties(report, question)])


def _with_people(entries):
    """Return the evaluators' entries, after people's on the pairs of the first evaluator."""
    first = entries[0].row["evaluator"] if entries else ""
    people = [
        replace(entry, row=_of_people(entry.row) | {"who": PEOPLE}, judge="")
        for entry in entries
        if entry.row["evaluator"] == first
    ]
    own = [replace(entry, row=entry.row | {"who": entry.row["evaluator"]}) for entry in entries]
    return [*people, *own]


def _of_people(row):
    names = {"value": "people", "low": "people_low", "high": "people_high"}
    return row | {name: row[of] for name, of in names.items()}


def _systems(report, question):
    """Tabulate each evaluator and system next to people: preferred, won and tied."""
    rows: dict[tuple, dict] = {}
    for entry in report.entries:
        if entry.row["system"] != ALL:
            key = entry.row["evaluator"], entry.row["system"]
            rows.setdefault(key, {})[entry.row["measure"]] = entry
    lines = [(name, [system, *_cells(own)]) for (name, system), own in rows.items()]
    headings = [
        "System",
        "Preferred",
        "by people",
        "Won",
        "by people",
        "Tied",
        "by people",
        "Pairs",
    ]
    caption = f"Preferred systems for {question}: won, and half of the ties."
    return Table(caption, headings, lines, [], "Evaluator")


def _cells(own):
    for measure in (PREFERRED, WON, TIED):
        yield from _both(own[measure])
    yield own[PREFERRED].row["n"]


def _both(entry):
    people = _of_people(entry.row)
    return [
        Cell(entry.row, entry.row["value"], entry.reason),
        Cell(people, people["value"], entry.reason),
    ]


def _ties(report, question):
    """Tabulate how often each evaluator and people leave a pair undecided."""
    entries_by_measure = {
        (e.row["evaluator"], e.row["measure"]): e for e in report.entries if e.row["system"] == ALL
    }
    names = dict.fromkeys(name for name, _ in entries_by_measure)
    lines = [
        (name, _tie_cells(entries_by_measure[name, TIED], entries_by_measure[name, BOTH_TIE]))
        for name in names
    ]
    headings = ["Ties", "Ties of people", "Ties of both", "Pairs"]
    return Table(f"Pairs left undecided for {question}.", headings, lines, [], "Evaluator")


def _tie_cells(tied, both):
    return [*_both(tied), Cell(both.row, both.row["value"], both.reason), tied.row["n"]]


def headline(answers, options, judges):
    """Return people's share of the system on whose share a judge agrees most closely."""
    keys = [key for key, _ in list_parts(answers.questions).choices]
    if not judges or not keys:
        return no_value("no question is a choice of two lists") if judges else NO_JUDGE
    rows = preferences(answers, options, keys[:1]).rows
    rows = [r for r in rows if r["measure"] == PREFERRED and r["evaluator"] in judges]
    rows = [row for row in rows if not isnan(row["value"])]
    if not rows:
        return no_value(f"no pair of lists of two systems on {keys[0]}{first_of(keys)}")
    row = max(rows, key=lambda row: -abs(row["value"] - row["people"]))
    words = (
        f"of {row['n']:,} pairs go to {row['system']} by people, {100 * row['value']:.0f} % by "
        f"{row['evaluator']}, on {keys[0]}{first_of(keys)}: the closest shares"
    )
    return f"{100 * row['people']:.0f} %", "", words


KIND = Kind(
    name="preferences",
    title="Preferred systems",
    method=(
        "Whose lists do people prefer, whose does the judge, and how often does either of them "
        "not decide: a judge may agree on many pairs and still favour one system."
    ),
    formula=[
        "Pairs of a system: one list is its own, the other is not, and people and the judge have "
        "a verdict. Preferred = (won + tied / 2) / pairs; won and tied stand beside it.",
        "Decisiveness: share of the pairs that people leave undecided, that the judge does, and "
        "that both do.",
    ],
    source="Profile-aware judges of podcast recommendations (2025); Davidson (1970) on ties "
    "in paired comparisons.",
    options=AgreementOptions,
    build=preferences,
    list_parts=list_parts,
    layout=layout,
    headline=headline,
)
