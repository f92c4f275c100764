"""Show counterfactual scores: tables 1 to 4 of the paper, and the tables that go with them."""

from math import isnan, nan

from analysis.figures.dots import dots
from analysis.figures.layout import Cell, Figure, Layout, Table, Words, cell_of, n_words, ranked
from analysis.figures.lines import series
from analysis.figures.looks import JUDGE_COLOURS
from analysis.figures.scatter import scatter
from analysis.options.choices import ALL
from analysis.reports.counterfactual import convergence
from analysis.reports.counterfactual.cells import BETWEEN, LEVELS
from analysis.reports.counterfactual.exactness import LARGEST, RANKS, SECONDS, TYPICAL
from analysis.reports.counterfactual.exactness import PART as EXACTNESS
from analysis.reports.counterfactual.liked import AVERAGE, EXPLANATION, MEASURES
from analysis.reports.counterfactual.liked import PART as LIKED
from analysis.reports.counterfactual.options import CounterfactualOptions
from analysis.reports.counterfactual.report import (
    CORRELATION,
    PREDICTION,
    Beside,
    correlations,
    counterfactual,
)
from analysis.reports.counterfactual.sample_flow import ASKED, EXCLUDED, KEPT
from analysis.reports.counterfactual.sample_flow import PART as EXCLUSIONS
from analysis.reports.counterfactual.seeds import PART as SEEDS
from analysis.reports.counterfactual.seeds import RECOMMENDED
from analysis.reports.counterfactual.seeds import TYPICAL as MEAN_SD
from analysis.reports.kind import NO_JUDGE, Kind, Shown, first_of, no_value
from analysis.reports.shared.few_clusters import is_why
from analysis.reports.words import chance, small, with_spread
from annotate.templatetags.concord import interval, leading_point

NAMES = {"cf": "CF", "cf-a": "CF-A", "item-sim": "Item-Sim", "genre-jacc": "Genre-Jacc"}
TESTS = {LEVELS: "Table 3", BETWEEN: "Table 4"}
WHAT = {
    EXPLANATION: ("Explanations", "Explanation"),
    "recommended": ("Recommended contents, over their explanations", "Recommended"),
    "explaining": ("Contents in explanations, over these", "In the explanation"),
}
MOST_LIKED = 15


def list_parts(questions):
    """Return the questions of which the page shows one, or all."""
    keys = [question.key for question in questions if question.scale.is_ordered]
    return Shown("question", "Question", [(ALL, "all"), *((k, k) for k in keys)] if keys else [])


def layout(report, question, looks):
    """Return the page of one question, or of all: tables 1 to 4, exclusions, liked, exactness."""
    entries_by_part: dict = {}
    for entry in report.entries:
        entries_by_part.setdefault(entry.row["part"], []).append(entry)
    watched = [entry.row for entry in entries_by_part.get(convergence.PART, [])]
    tables = [
        _exclusions(entries_by_part.get(EXCLUSIONS, [])),
        _correlations(entries_by_part.get(CORRELATION, [])),
        _predictions(entries_by_part.get(PREDICTION, [])),
        *_tests(entries_by_part),
        *_liked(report, entries_by_part.get(LIKED, [])),
        _exactness(entries_by_part.get(EXACTNESS, [])),
        *_seeds(entries_by_part.get(SEEDS, [])),
        *_convergence(watched),
    ]
    figures = _figures(report, entries_by_part.get(CORRELATION, []), question, looks)
    return Layout([*figures, *_settling(watched)], tables)


def _questions(entries):
    return list(dict.fromkeys(entry.row["question"] for entry in entries))


def _figures(report, entries, question, looks):
    """Draw table 1, and the scatter plots behind it if one question is chosen."""
    figures = []
    if any(not isnan(entry.row["value"]) for entry in entries):
        plot = dots(entries, "score", "question", looks, f"Pearson's r ({n_words(entries)})")
        more = " One question alone, chosen above, has scatter plots." if question == ALL else ""
        lines = any(not isnan(entry.row["low"]) for entry in entries)
        caption = (
            "Pearson's r of each score with the mean rating, by question."
            f"{' Lines: 95 % intervals.' if lines else ''}{more}"
        )
        figures.append(Figure("scores", caption, plot))
    points = [
        (e.row["score"], report.curves[e.row["score"], e.row["question"]], e.row["value"])
        for e in entries
        if question != ALL
    ]
    panels = [panel for panel in points if panel[1]["n"]]
    if panels:
        some = any(len(curve["score"]) < curve["n"] for _, curve, _ in panels)
        caption = (
            f"{question}: mean rating of each explanation over its score, and the line of least "
            f"squares.{' Of many points a random choice is drawn.' if some else ''}"
        )
        plot = scatter(panels, question, looks)
        figures.append(Figure(f"scatter-{question}", caption, plot))
    return figures


def _exclusions(entries):
    """Tabulate the raters asked, excluded by each reason, and left."""
    words = {ASKED: "Asked", KEPT: "Kept"}
    lines = []
    for row in (entry.row for entry in entries):
        n, value = row["n"], int(row["value"])
        if row["measure"] == EXCLUDED:
            lines.append((row["rule"], [f"{n:,}", f"{value:,}", f"{n - value:,}"]))
        else:
            lines.append((words[row["measure"]], ["", "", f"{value:,}"]))
    return Table(
        "Raters, by why they do not count.", ["Before", "Excluded", "Left"], lines, [], "Reason"
    )


def _size(entry):
    """Write an entry's n, and that it has no interval if too few clusters are the reason."""
    return f"n = {entry.row['n']:,}{', no interval' if is_why(entry.reason) else ''}"


def _correlations(entries):
    cells = {(e.row["score"], e.row["question"]): cell_of(e, _size(e)) for e in entries}
    questions = _questions(entries)
    lines = [
        (score, [cells[score, key] for key in questions])
        for score in dict.fromkeys(e.row["score"] for e in entries)
    ]
    caption = (
        "Table 1. Pearson's r of each score with the mean rating, over explanations; the best of a "
        "question is bold, the second underlined."
    )
    return Table(caption, questions, ranked(lines), [], "Score")


def _predictions(entries):
    """Tabulate errors with the spread over the splits, then the errors of the mean alone.

    Scores of the same explanations are tried on the same splits, and share that line.
    """
    rows = {(e.row["score"], e.row["question"], e.row["measure"]): e for e in entries}
    questions = _questions(entries)
    cells_by_measure: dict = {}
    for score in dict.fromkeys(e.row["score"] for e in entries):
        for measure in ("mse", "mse_of_mean"):
            own = [rows[score, key, measure].row for key in questions]
            cells = [with_spread(row["value"], row["sd"]) for row in own]
            cells_by_measure.setdefault(measure, {})[score] = cells
    lines = list(cells_by_measure.get("mse", {}).items())
    means: dict = {}
    for score, cells in cells_by_measure.get("mse_of_mean", {}).items():
        means.setdefault(tuple(cells), []).append(score)
    for cells, scores in means.items():
        of = "" if len(means) == 1 else f" ({', '.join(scores)})"
        lines.append((f"the mean instead{of}", [*cells]))
    caption = (
        "Table 2. Mean squared error of a line from score to mean rating, on explanations that it "
        "was not fitted on: mean ± standard deviation over the splits. The lower the better."
    )
    return Table(caption, questions, lines, [], "Score")


def _tests(entries_by_part):
    """Yield a table for each comparison, as in the paper, or one of all for a single question."""
    for part, title in TESTS.items():
        entries = entries_by_part.get(part, [])
        groups: dict = {}
        for entry in entries:
            groups.setdefault(_compared(entry.row), []).append(entry)
        if len(_questions(entries)) == 1:
            lines = [(" / ".join(_compared(entry.row)), _tested(entry)) for entry in entries]
            caption = f"{title}. {entries[0].row['question']}: is the first rated above the second?"
            yield _test(caption, "First", "Second", lines, "First / second")
            continue
        for (first, second), own in groups.items():
            lines = [(entry.row["question"], _tested(entry)) for entry in own]
            caption = f"{title}. Is {first} rated above {second}?"
            yield _test(caption, first, second, lines, "Question")


def _compared(row):
    """Name the two cells of a test."""
    return f"{NAMES[row['score']]} {row['level']}", f"{NAMES[row['other']]} {row['other_level']}"


def _test(caption, first, second, lines, corner):
    headings = [
        f"{first}: mean ± sd",
        f"{second}: mean ± sd",
        "Difference",
        "t",
        "p",
        "Holm p",
        "Pairs",
    ]
    how = "Paired t-test, one-tailed; a pair is one participant."
    return Table(f"{caption} {how}", headings, lines, [], corner)


def _tested(entry):
    row = entry.row
    sides = [_mean_sd(row["mean"], row["sd"]), _mean_sd(row["other_mean"], row["other_sd"])]
    difference = Cell(row, row["value"], entry.reason, entry.reason)
    t = "–" if isnan(row["t"]) else f"{row['t']:.2f}"
    numbers = [t, chance(row["p"]), chance(row["p_holm"])]
    return [*sides, difference, *numbers, f"{row['n']:,}"]


def _mean_sd(mean, sd):
    if isnan(mean):
        return "–"
    return f"{mean:.2f}" + ("" if isnan(sd) else f" ± {sd:.2f}")


def _liked(report, entries):
    """Yield tables of the highest means: of all ratings together, else of the first question."""
    questions = _questions(entries)
    question = AVERAGE if AVERAGE in questions else next(iter(questions), "")
    titles = report.curves.get("titles", {})
    for measure in MEASURES:
        own = [e for e in entries if (e.row["question"], e.row["measure"]) == (question, measure)]
        if own:
            yield _best_liked(own, question, measure, titles)


def _best_liked(entries, question, measure, titles):
    what, corner = WHAT[measure]
    ordered = sorted(entries, key=lambda entry: (-entry.row["value"], -entry.row["n"]))
    most = min(MOST_LIKED, len(ordered))
    whose = "all questions together" if question == AVERAGE else question
    caption = (
        f"{what}: mean rating ({whose}), the highest first; {most:,} of {len(ordered):,}. 95 % "
        "intervals by people."
    )
    headings = ["Mean rating", "Ratings"]
    if measure == EXPLANATION:
        headings += [Words("Recommended"), Words("Because of")]
    lines = [(_name(e.row, measure, titles), _liking(e, measure, titles)) for e in ordered[:most]]
    return Table(caption, headings, lines, [], corner)


def _name(row, measure, titles):
    return row["item"] if measure == EXPLANATION else titles.get(row["content"]) or row["content"]


def _liking(entry, measure, titles):
    row = entry.row
    cells = [Cell(row, row["value"], entry.reason), f"{row['n']:,}"]
    if measure != EXPLANATION:
        return cells
    named = [titles.get(key) or key for key in row["explaining"].split("|")]
    recommended = titles.get(row["content"]) or row["content"] or "–"
    return [*cells, Words(recommended), Words(", ".join(named))]


def _exactness(entries):
    """Tabulate for each judge how far it ranks as the full retraining does, and its time."""
    rows: dict = {}
    for entry in entries:
        # The judge that retrains is there once for each that is compared with it.
        rows.setdefault(entry.row["score"], {})[entry.row["measure"]] = entry
    lines = []
    for score, entries_by_measure in rows.items():
        ranks = [
            cell_of(entries_by_measure[m], _size(entries_by_measure[m]))
            if m in entries_by_measure
            else "–"
            for m in RANKS
        ]
        far = [
            _with_ends(entries_by_measure[m].row) if m in entries_by_measure else "–"
            for m in (LARGEST, TYPICAL)
        ]
        seconds = entries_by_measure[SECONDS]
        time = "unknown" if isnan(seconds.row["value"]) else small(seconds.row["value"])
        with_ = (
            entries_by_measure[RANKS[0]].row["other"]
            if RANKS[0] in entries_by_measure
            else "retrained in full"
        )
        lines.append((score, [with_, *ranks, *far, time, f"{seconds.row['n']:,}"]))
    headings = [
        "Compared with",
        "Kendall's τ-b",
        "Spearman's ρ",
        "Largest difference",
        "Mean difference",
        "Seconds a score",
        "Scores timed",
    ]
    caption = "Exactness against cost: the same explanations, with and without full retraining."
    return Table(caption, headings, lines, [], "Score")


def _seeds(entries):
    """Yield the table of the films that each seed recommends, and of how far scores move."""
    if not entries:
        return
    rows = [entry.row for entry in entries]
    films = [row for row in rows if row["measure"] == RECOMMENDED]
    lines = [(f"seed {row['other']}", [f"{row['value']:.0f} of {row['n']:,}"]) for row in films]
    caption = "Seeds: films of the study that the model of each seed recommends."
    yield Table(caption, ["Films recommended"], lines, [], "Model")
    names = list(dict.fromkeys(row["score"] for row in rows if row["score"]))
    moves = {(row["score"], row["measure"]): row["value"] for row in rows}
    lines = [(name, [_moved(moves[name, what]) for what in (LARGEST, MEAN_SD)]) for name in names]
    caption = "Seeds: how far the score of an explanation moves from seed to seed."
    yield Table(caption, ["Largest difference", "Mean standard deviation"], lines, [], "Score")


def _settling(watched):
    """Draw how many films stay, and agree between seeds, over the iterations."""
    if not watched:
        return
    lines = [
        (
            name,
            colour,
            [(int(r["other"]), r["value"], nan, nan) for r in watched if r["measure"] == measure],
        )
        for measure, name, colour in (
            (convergence.SAME, "same film as before", JUDGE_COLOURS[0]),
            (convergence.AGREE, "same film with another seed", JUDGE_COLOURS[1]),
        )
    ]
    caption = (
        f"Convergence: share of the films that stand first, of {watched[0]['n']:,} explanations, "
        "over the iterations of the model."
    )
    yield Figure("convergence", caption, series(lines, "Iterations", "Share of films", [0, 1.02]))


def _convergence(watched):
    """Yield the table of films and scores over the iterations."""
    if not watched:
        return
    values = {(row["other"], row["measure"]): row["value"] for row in watched}
    lines = [
        (
            f"{count} iterations",
            [_moved(values[count, measure]) for measure in convergence.MEASURES],
        )
        for count in dict.fromkeys(row["other"] for row in watched)
    ]
    headings = [
        "Same film as before",
        "Same film with another seed",
        "CF: mean change",
        "CF between seeds: largest difference",
        "CF between seeds: mean difference",
    ]
    caption = (
        "Convergence: share of the films that stand first which stay, from one number of "
        "iterations to the next and from seed to seed, and how far CF moves."
    )
    yield Table(caption, headings, lines, [], "Model")


def _moved(value):
    return "–" if isnan(value) else small(value)


def _with_ends(row):
    """Write .02 [.01, .04], for a number on the scores' own scale."""
    ends = "" if isnan(row["low"]) else f" [{small(row['low'])}, {small(row['high'])}]"
    return f"{small(row['value'])}{ends}"


def headline(answers, options, judges):
    """Return the largest Pearson r of a score of explanations, on the first question."""
    if not judges:
        return NO_JUDGE
    scoring_judges = [name for name in judges if name in answers.of_explanations]
    keys = [question.key for question in answers.questions if question.scale.is_ordered]
    if not scoring_judges or not keys:
        return no_value("no judge has scored explanations by the contents that they name")
    rows = correlations(answers, options, keys[0]).rows
    rows = [row for row in rows if not isnan(row["value"])]
    if not rows:
        return no_value("r with people is undefined for every score: the report says why")
    best = max(rows, key=lambda row: row["value"])
    words = (
        f"largest Pearson r of a score of explanations: {best['score']} on {keys[0]}"
        f"{first_of(keys)}, n = {best['n']:,} explanations"
    )
    return leading_point(best["value"]), interval(best["low"], best["high"]), words


KIND = Kind(
    name="counterfactual",
    title="Counterfactual scores",
    method=(
        "Whether scores of explanations by the contents that they name (CF, CF-A, Item-Sim, "
        "Genre-Jacc) say what people say: how closely they follow people, how well they predict "
        "them, whether what they put highest is rated higher; and what cheaper scores lose."
    ),
    formula=[
        "Table 1: Pearson's r over explanations of (score, mean rating); intervals by cluster "
        "bootstrap of what a session takes together, as a survey (else recipient, else content, "
        "else item; option cluster).",
        "Table 2: least squares of the mean rating on the score by 70 % of the explanations, mean "
        "squared error on the other 30 %; mean and standard deviation over random splits.",
        "Tables 3, 4: t = d̄ / (s / √n) over the n participants with both, d the first screen's "
        "rating less the second's, p = P(T ≥ t) with n − 1 degrees of freedom; Holm over a table.",
        "Liked: mean rating, t interval with se² = P/(P − 1) · Σ_p (Σ_i (v_i − v̄))² / n² over the "
        "P people.",
        "Exactness: Kendall's τ-b, Spearman's ρ and |difference| with the judge that retrains in "
        "full; seconds = time at work of the runs / their scores.",
    ],
    source=(
        "Yao, Wang & Li (2022), Counterfactually Evaluating Explanations in Recommender Systems, "
        "section 5; Student (1908); Holm (1979)."
    ),
    options=CounterfactualOptions,
    build=counterfactual,
    list_parts=list_parts,
    layout=layout,
    headline=headline,
    stamp=Beside,
)
