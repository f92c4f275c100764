"""Show profiles: P3's figure 4, accuracy by episodes, and how people rate profiles."""

from math import isnan

from analysis.figures.frame import span
from analysis.figures.layout import Cell, Figure, Layout, Table
from analysis.figures.likert import likert
from analysis.figures.lines import series
from analysis.reports.kind import NO_JUDGE, Kind, Shown, no_value
from analysis.reports.profile.report import ACCURACY, ALIKE, AUC, MEASURES, RATINGS, profile
from analysis.reports.shared.correlations import LABELS
from analysis.reports.shared.options import YesNoOptions
from annotate.models import Item
from annotate.templatetags.concord import leading_point

WORDS = {AUC: "AUC", ALIKE: "Accuracy"} | LABELS


def list_parts(questions):
    """Return the measures of accuracy of which the page shows one."""
    ordered = any(question.scale.is_ordered for question in questions)
    choices = [(measure, WORDS[measure]) for measure in MEASURES] if ordered else []
    return Shown("measure", "Accuracy as", choices)


def layout(report, measure, looks):
    """Return the page of one measure: accuracy by question, and the ratings of profiles."""
    accuracy = [e for e in report.entries if e.row["part"] == ACCURACY]
    figures, tables = [], []
    for question in dict.fromkeys(entry.row["question"] for entry in accuracy):
        own = [entry for entry in accuracy if entry.row["question"] == question]
        if any(not isnan(entry.row["value"]) for entry in own):
            figures.append(_figure(own, question, WORDS[measure], looks))
        tables.append(_table(own, question, WORDS[measure]))
    ratings = [entry for entry in report.entries if entry.row["part"] == RATINGS]
    if ratings:
        counts = _counts(ratings)
        caption = "What people say of the profiles; the middle of the scale around zero."
        figures.append(Figure("ratings", caption, likert(counts)))
        tables.append(_shares(ratings))
    return Layout(figures, tables)


def _figure(entries, question, words, looks):
    lines: dict = {}
    for entry in entries:
        row = entry.row
        point = (row["episodes"], row["value"], row["low"], row["high"])
        lines.setdefault((entry.kind, looks.colour(entry.judge)), []).append(point)
    merged: dict = {}
    for (name, colour), points in lines.items():
        merged.setdefault(name, (name, colour, []))[2].extend(points)
    n = span(entry.row["n"] for entry in entries)
    plot = series(list(merged.values()), "Episodes that the judge knows of", f"{words} (n = {n})")
    caption = f"{question}: {words} by the number of episodes. Lines: 95 % intervals."
    return Figure(f"episodes-{question}", caption, plot)


def _table(entries, question, words):
    numbered = [entry for entry in entries if entry.row["episodes"] is not None]
    lines = [
        (
            row["evaluator"],
            [
                row["source"],
                row["episodes"],
                Cell(row, row["value"], entry.reason, f"n = {row['n']:,}"),
            ],
        )
        for entry in sorted(numbered, key=lambda e: (e.kind, e.row["episodes"]))
        for row in [entry.row]
    ]
    caption = f"{question}: {words} by the number of episodes."
    return Table(caption, ["Number from", "Episodes", words], lines, [], "Judge")


def _counts(entries):
    """Return [(question, [(label, count)])], as the diverging bars take them."""
    counts: dict = {}
    for entry in entries:
        row = entry.row
        counts.setdefault(row["question"], []).append(
            (str(row["rating"]), round(row["value"] * row["n"]))
        )
    return list(counts.items())


def _shares(entries):
    points = list(dict.fromkeys(entry.row["rating"] for entry in entries))
    cells = {(e.row["question"], e.row["rating"]): Cell(e.row, e.row["value"]) for e in entries}
    sizes = {entry.row["question"]: entry.row["n"] for entry in entries}
    lines = [
        (question, [*(cells.get((question, point)) for point in points), n])
        for question, n in sizes.items()
    ]
    caption = "Ratings of the profiles: share of each point of the scale."
    return Table(caption, [*map(str, points), "Ratings"], lines, [], "Question")


def headline(answers, options, judges):
    """Return the share of profile ratings above the middle, on the first question rated."""
    if not judges:
        return NO_JUDGE
    people = answers.select_source("human")
    rated = people[(people["kind"] == Item.Kind.PROFILE) & ~people["excluded"]]
    likert = {q.key: q.scale for q in answers.questions if q.scale.has_graded_points}
    rated = rated[rated["question"].isin(list(likert))]
    if not len(rated):
        return no_value("no profile has been rated; the report shows accuracy by episodes")
    question = str(rated["question"].iloc[0])
    scale, values = likert[question], rated.loc[rated["question"] == question, "value"]
    agreeing = float((values > (scale.low + scale.high) / 2).mean())
    words = f"of {len(values):,} ratings of profiles lie above the middle on {question}"
    return leading_point(agreeing), "", words


KIND = Kind(
    name="profile",
    title="Profiles",
    method=(
        "Whether a judge follows people more closely when it knows more of what a recipient "
        "listened to, and whether people find the profiles right."
    ),
    formula=[
        "Accuracy by number: the AUC at the threshold, or r with the reference over all items, of "
        "judges that differ only in history_length, on the items that all of them have.",
        "Of judges that are shown the profile: the same, over the items whose recipient's profile "
        "was made of so many episodes (column episodes of the profile item).",
        "Ratings of profiles: share of each point among the ratings that count.",
    ],
    source="Podcast recommendations judged from a profile (2025), figure 4.",
    options=YesNoOptions,
    build=profile,
    list_parts=list_parts,
    layout=layout,
    headline=headline,
)
