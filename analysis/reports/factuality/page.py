"""Show factual consistency: tables II to VII of the paper, and its research questions."""

from dataclasses import replace
from math import isnan

from analysis.figures import scatter
from analysis.figures.dots import dots
from analysis.figures.layout import Figure, Layout, Table, cell_of, cross_table, n_words
from analysis.reports.factuality.counts_page import counts_tables
from analysis.reports.factuality.items import Beside
from analysis.reports.factuality.measures import SAME_MEAN
from analysis.reports.factuality.names import is_consistency
from analysis.reports.factuality.report import (
    ALL,
    CONSISTENCY,
    CORRELATION,
    COUNTS,
    DIFFERENCE,
    FAILURE,
    RANK,
    RANKS,
    REVIEWS,
    factuality,
)
from analysis.reports.kind import NO_JUDGE, Kind, Shown, no_value
from analysis.reports.shared.options import DeviationOptions
from analysis.reports.words import chance
from analysis.stats.correlation.coefficients import COEFFICIENTS
from annotate.templatetags.concord import interval, leading_point

PARTS = {
    ALL: "everything",
    COUNTS: "what there is",
    CONSISTENCY: "consistency by system",
    REVIEWS: "the texts and the reviews",
    DIFFERENCE: "differences between systems",
    CORRELATION: "similarity and consistency",
    RANK: "order of the systems",
    FAILURE: "topics made up and left out",
}
EVERYTHING = "all systems"
COMPARED = (DIFFERENCE, CORRELATION, RANK, RANKS)
MOST_LINES = 120
LOWER_IS_BETTER = ("DIV",)
TABLE_V = "Table V. Consistency by other means: sentences, chunks, questions and answers."
# Which table of the page shows a metric, by how its name begins.
TABLES = {
    "St2Exp": "Table III. Statements that the other text supports, each checked by itself.",
    "StEnt": "Table IV. Entailment between statements.",
    "StCoh": "Table IV. Entailment less contradiction between statements.",
    "SummaC-ZS": TABLE_V,
    "AlignScore": TABLE_V,
    "USR": "How varied the texts are, and which features they name.",
}
SAME_TABLE = {"FMR": "USR", "FCR": "USR", "DIV": "USR"}
SIMILARITY = "Table VI. Similarity with the reference."
AGAINST_REVIEW = "Table VII. Similarity with the review."
HOW = (
    "Mean ± standard deviation over explanations, 95 % intervals; of a line the best is bold, the "
    "second underlined."
)
LABELS = {key: COEFFICIENTS[key].label for key in ("pearson", "spearman")}


def list_parts(questions):
    """Return the tables of which the page shows one, or all."""
    return Shown("measure", "Table", list(PARTS.items()))


def layout(report, chosen, looks):
    """Return the page of one table, or of all, with the figures of consistency."""
    entries_by_part: dict = {}
    for entry in _worth_showing(report.entries):
        entries_by_part.setdefault(entry.row["part"], []).append(entry)
    tables = [
        *counts_tables(entries_by_part.get(COUNTS, [])),
        *_consistency(entries_by_part.get(CONSISTENCY, [])),
        *_reviews(entries_by_part.get(REVIEWS, [])),
        *_differences(entries_by_part.get(DIFFERENCE, [])),
        *_correlations(entries_by_part.get(CORRELATION, [])),
        *_ranks(entries_by_part.get(RANK, [])),
        *_rank_agreement(entries_by_part.get(RANKS, [])),
        *_failures(entries_by_part.get(FAILURE, [])),
    ]
    return Layout(_figures(entries_by_part, looks), tables)


def _worth_showing(entries):
    """Drop entries that say nothing.

    Of the only domain those that equal everything; of several domains the undefined comparisons of
    systems and metrics within them.
    """
    domains = {entry.row["domain"] for entry in entries} - {ALL}
    whole = [entry for entry in entries if entry.row["domain"] == ALL]
    own = sum(entry.row["n"] or 0 for entry in entries if entry.row["domain"] != ALL)
    is_same = len(domains) == 1 and own == sum(entry.row["n"] or 0 for entry in whole)
    if is_same:
        return whole
    return [e for e in entries if e.row["part"] not in COMPARED or _is_said(e.row)]


def _is_said(row):
    return row["domain"] == ALL or not isnan(row["value"])


def _within(row):
    """Return the domain that a line begins with; blank for all domains together."""
    return "" if row["domain"] == ALL else f"{row['domain']}: "


def _named(row):
    """Name metric and evaluator; of a judge that is a metric its name, of texts the metric."""
    metric, evaluator = row["metric"], row["evaluator"]
    return metric if evaluator in (metric, "texts") else f"{metric} ({evaluator})"


def _line(row):
    return f"{_within(row)}{_named(row)}"


def _by_domain(entries):
    """Sort the entries: all domains together first, then each domain."""
    return sorted(entries, key=lambda e: (e.row["domain"] != ALL, e.row["domain"]))


def _other(row):
    metric, evaluator = row["other_metric"], row["other_evaluator"]
    return metric if evaluator in (metric, "texts") else f"{metric} ({evaluator})"


def _unique(entries, key):
    return list(dict.fromkeys(entry.row[key] for entry in entries))


def _figures(entries_by_part, looks):
    """Draw precision against recall of each system, and F1 with its intervals."""
    whole = [e for e in entries_by_part.get(CONSISTENCY, []) if e.row["domain"] == ALL]
    points = _points([e for e in whole if e.row["system"] != ALL])
    figures = []
    if points:
        plot = scatter.precision_and_recall(points, looks)
        words = "Precision against recall of each system: statements supported by the other text."
        figures.append(Figure("precision-recall", words, plot))
    f1 = [_renamed(e) for e in whole if e.row["metric"] == "St2Exp-F1"]
    f1 = [entry for entry in f1 if not isnan(entry.row["value"])]
    if f1:
        plot = dots(f1, "system", "evaluator", looks, f"St2Exp-F1 ({n_words(f1)})")
        words = "St2Exp-F1 of each system, by who checked the statements. Lines: 95 % intervals."
        figures.append(Figure("f1", words, plot))
    return figures


def _renamed(entry):
    """Return the entry with a name for all systems together, in place of "all"."""
    is_all = entry.row["system"] == ALL
    return replace(entry, row=entry.row | {"system": EVERYTHING}) if is_all else entry


def _points(entries):
    """Return {evaluator: [(system, recall, precision)]} of St2Exp, where both are defined."""
    values = {
        (e.row["evaluator"], e.row["system"], e.row["metric"]): e.row["value"] for e in entries
    }
    points: dict = {}
    for (evaluator, system, metric), precision in values.items():
        if metric == "St2Exp-P":
            both = values[evaluator, system, "St2Exp-R"], precision
            if not any(map(isnan, both)):
                points.setdefault(evaluator, []).append((system, *both))
    return points


def _consistency(entries):
    """Yield a table per family of metrics: lines of domain and metric, columns of systems."""
    groups: dict = {}
    for entry in entries:
        groups.setdefault(_title(entry.row), []).append(entry)
    order = [*dict.fromkeys([*TABLES.values(), SIMILARITY])]
    for title in sorted(groups, key=order.index):
        yield _by_system(groups[title], f"{title} {HOW}")


def _title(row):
    if is_consistency(row["metric"]):
        return TABLE_V
    begin = row["metric"].removesuffix("-bin").split("-")[0] if row["evaluator"] else ""
    for start in (row["metric"], SAME_TABLE.get(row["metric"], ""), begin):
        is_judge = row["metric"] == row["evaluator"]
        if not is_judge and start in TABLES:
            return TABLES[start]
    return SIMILARITY


def _reviews(entries):
    if entries:
        yield _by_system(entries, f"{AGAINST_REVIEW} {HOW}")


def _by_system(entries, caption):
    systems = _unique(entries, "system")
    domains = _unique(entries, "domain")
    cells = {(e.row["domain"], _named(e.row), e.row["system"]): _sized(e) for e in entries}
    lines = []
    for domain in domains:
        for name in dict.fromkeys(_named(e.row) for e in entries):
            own = [cells.get((domain, name, system)) for system in systems]
            if any(own):
                words = "all domains" if domain == ALL else domain
                title = name if len(domains) == 1 else f"{words}: {name}"
                lines.append((title, marked(own, systems, name in LOWER_IS_BETTER)))
    headings = [EVERYTHING if system == ALL else system for system in systems]
    return Table(caption, headings, lines, [], "Metric")


def _sized(entry):
    row = entry.row
    size = "" if isnan(row["sd"]) else f"± {leading_point(row['sd'])}, "
    size += f"n = {row['n']:,}"
    for name in ("skipped", "zero", "missing"):
        size += f", {row[name]:,} {name}" if row[name] else ""
    return cell_of(entry, size)


def marked(cells, systems, lower=False):
    """Mark the best and the second system of a line; the mean over all systems is not ranked."""
    sign = -1 if lower else 1
    distinct = {
        round(sign * cell.value, SAME_MEAN)
        for cell, system in zip(cells, systems, strict=True)
        if cell and system != ALL and not isnan(cell.value)
    }
    if len(distinct) < 2:  # nothing to choose between
        return cells
    marks = dict(zip(sorted(distinct, reverse=True)[:2], ("best", "second"), strict=False))
    return [
        replace(cell, rank=marks.get(round(sign * cell.value, SAME_MEAN), ""))
        if cell and system != ALL
        else cell
        for cell, system in zip(cells, systems, strict=True)
    ]


def _differences(entries):
    """Yield the table of every metric's differences between pairs of systems."""
    entries = _by_domain(entries)  # what is cut is of domains
    lines = [
        (
            f"{_line(e.row)}: {e.row['system']} less {e.row['other']}",
            [cell_of(e), chance(e.row["p"]), chance(e.row["p_holm"]), f"{e.row['n']:,}"],
        )
        for e in entries[:MOST_LINES]
    ]
    if lines:
        more = len(entries) - len(lines)
        caption = (
            "Differences between systems, on the recipients and contents that both explain. Holm: "
            "over the pairs of systems of a metric (in a domain)."
            + (f" {more:,} more are in the file." if more else "")
        )
        headings = ["Difference", "p", "Holm p", "Pairs"]
        yield Table(caption, headings, lines, [], "Metric and systems")


def _correlations(entries):
    for coefficient, words in LABELS.items():
        own = [e for e in entries if e.row["coefficient"] == coefficient]
        if own:
            caption = (
                f"Does similarity say anything of consistency? {words} over explanations, of "
                "metrics of similarity (lines) with metrics of consistency (columns)."
            )
            yield _crossed(own, caption)


def _crossed(entries, caption):
    """Tabulate metrics by other metrics: all domains together first, then each domain."""
    entries = _by_domain(entries)
    if any(e.row["n"] == 2 for e in entries):
        caption += " Of two values (n = 2) it can be nothing but 1, −1 or undefined."
    cells = {(_line(e.row), _other(e.row)): cell_of(e, f"n = {e.row['n']:,}") for e in entries}
    return cross_table(caption, "Metric", cells)


def _ranks(entries):
    if entries:
        systems = _unique(entries, "system")
        places = {
            (_line(row), row["system"]): "–" if isnan(row["value"]) else f"{row['value']:.0f}"
            for row in (entry.row for entry in _by_domain(entries))
        }
        caption = "The place of each system by each metric; systems with the same mean share it."
        yield cross_table(caption, "Metric", places, systems, blank="–")


def _rank_agreement(entries):
    if entries:
        caption = "Do metrics order the systems alike? Kendall's τ-b of the systems' means."
        yield _crossed(entries, caption)


def _failures(entries):
    """Yield tables of each evaluator's failures by topic, then by sentiment."""
    titles = {
        "hallucinated": "Made up: share of the explanations' statements that nothing supports",
        "forgotten": "Left out: share of the references' statements that the explanation lacks",
    }
    for metric, title in titles.items():
        for by in ("topic", "sentiment"):
            for evaluator in _unique(entries, "evaluator"):
                about = (metric, by, evaluator)
                keys = ("metric", "by", "evaluator")
                own = [e for e in entries if tuple(e.row[key] for key in keys) == about]
                if own:
                    yield _failure(own, f"{title}, by {by}; checked by {evaluator}.", by)


def _failure(entries, caption, by):
    """Tabulate failures of all domains together, then of each, the most frequent first."""
    systems = _unique(entries, "system")
    cells = {
        (e.row["domain"], e.row["name"], e.row["system"]): cell_of(e, f"n = {e.row['n']:,}")
        for e in entries
    }
    whole = [e for e in entries if e.row["system"] == ALL]
    worst_first = _by_domain(sorted(whole, key=lambda e: -e.row["value"]))
    lines = [
        (
            f"{_within(row)}{row['name']}",
            [cells.get((row["domain"], row["name"], system)) for system in systems],
        )
        for row in (entry.row for entry in worst_first)
    ]
    headings = [EVERYTHING if system == ALL else system for system in systems]
    return Table(caption, headings, lines, [], by.capitalize())


def headline(answers, options, judges):
    """Return the first defined precision over all explanations: of St2Exp, else of StEnt."""
    if not judges:
        return NO_JUDGE
    rows = factuality(answers, options, [CONSISTENCY]).rows
    for metric, words in (
        ("St2Exp-P", "of the statements of an explanation are supported, by"),
        ("StEnt-P", "mean entailment of the statements of an explanation, by"),
    ):
        for row in rows:
            about = row["metric"], row["domain"], row["system"]
            if about == (metric, ALL, ALL) and not isnan(row["value"]):
                description = f"{words} {row['evaluator']}, n = {row['n']:,} explanations"
                return leading_point(row["value"]), interval(row["low"], row["high"]), description
    return no_value("no statement of an explanation has been checked")


KIND = Kind(
    name="factuality",
    title="Factual consistency",
    method=(
        "Whether explanations say what the recipients wrote: the share of their statements that "
        "the reference supports (precision), the share of the reference's statements that they "
        "hold (recall), by an LLM, by an NLI model and by people; whether similarity says as much; "
        "which systems and topics fail."
    ),
    formula=[
        "St2Exp-P = statements of the explanation that the reference supports / all its "
        "statements; St2Exp-R = statements of the reference that the explanation supports / all "
        "of these; F1 = 2PR/(P + R) of each explanation, then averaged.",
        "StEnt-P = mean over its statements of the largest E over the reference's, premise the "
        "reference; StEnt-R the reverse, from probabilities of its own; StEnt-bin: 1 where E is "
        "the largest of the three; StCoh: E − C.",
        "SummaC-ZS = mean over sentences of the largest E − C; AlignScore = mean over sentences "
        "of the largest E over chunks of the reference.",
        "Both sides without statements: undefined, skipped; one: P = R = F1 = 0, StCoh and "
        "SummaC-ZS undefined, skipped; AlignScore 0.",
        "USR = distinct texts / texts; FMR = share of texts that name their feature; FCR = "
        "features named / all; DIV = features that two texts share, mean over all pairs.",
        "Intervals: cluster bootstrap (recipient, else content, else item); p inverts that of the "
        "paired difference, Holm over the pairs of systems.",
    ],
    source=(
        "Kabongo & Guigue (2025), On the Factual Consistency of Text-based Explainable "
        "Recommendation Models, sections III to V; Laban et al. (2022), SummaC; Zha et al. (2023), "
        "AlignScore; Li, Zhang & Chen (2020) for USR, FMR, FCR, DIV; Holm (1979)."
    ),
    options=DeviationOptions,
    build=factuality,
    list_parts=list_parts,
    layout=layout,
    headline=headline,
    stamp=Beside,
    needs_ratings=False,
)
