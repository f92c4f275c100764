"""Compare judges with single raters: the alternative annotator test and the human ceiling.

The test asks who is closer to the other raters. It is a published number, not a verdict: where
people agree little, a judge that always says the same passes it. So people's agreement stands
next to it.
"""

from dataclasses import replace
from math import isnan, nan

import numpy as np

from analysis.figures.curves import MOST_CURVES, winning_rates
from analysis.figures.dots import dots
from analysis.figures.frame import span
from analysis.figures.layout import Cell, Figure, Layout, Table, interval_cell
from analysis.options.choices import ALL
from analysis.reports.base import Report, columns_of, draw_notes, reason_notes
from analysis.reports.kind import NO_JUDGE, ReportObject, best, first_of, no_value, of_questions
from analysis.reports.shared.evaluators import interval_note, policy_notes
from analysis.reports.shared.labels import LabelNotes
from analysis.reports.shared.scores import Scores
from analysis.reports.verdict.options import PLAIN, SubstitutionOptions, usual_epsilon
from analysis.stats.agreement.krippendorff_alpha import krippendorff_alpha
from analysis.stats.estimate import Estimate
from analysis.stats.replacement.human_ceiling import HumanCeiling, human_ceiling
from analysis.stats.replacement.substitution import (
    FEWEST_ITEMS,
    alternative_annotator_test,
    rejections,
)
from annotate.templatetags.concord import interval, leading_point

GRID = np.arange(51) / 100  # of the curve over epsilon
ENOUGH = 0.5  # winning rate that passes
NO_ORDER = Estimate(np.nan, reason="no correlation on a scale without order")
CONDITIONS = (
    "The alternative annotator test asks who is closer to the other raters of an item, a judge or "
    "a rater. Where people agree little, a judge that always gives the same answer is closer and "
    "passes, though it tells nothing: a pass alone does not show that a judge can replace people. "
    "Nor does it show that the judge's mean equals people's: see prediction-powered means for that."
)
NO_RATINGS = "no agreement: nobody has rated"


class Substitution(ReportObject):
    """A row for each judge and question: the alternative annotator test and the human ceiling."""

    name, title, options = "substitution", "Substitution", SubstitutionOptions
    method = (
        "How judges compare with single raters. The alternative annotator test asks whether the "
        "judge is at least as close to the other raters as each of them is; the human ceiling "
        "says how closely people follow one another. Where people agree little, a judge that "
        "always says the same can pass."
    )
    formula = [
        "Closeness to the other raters of an item: −√ mean (a − r)² on ordered scales, the share "
        "of equal labels on yes/no and choice questions. The closer one of judge and rater wins "
        "the item; a tie is a win for both. d = rater's wins − judge's wins.",
        "For each rater H₀: mean d ≥ ε; t = (mean d − ε) / se, p = P(T ≤ t). Plain: "
        "se = s / √n, n − 1 degrees of freedom; by cluster: "
        "se = √(G/(G − 1) · Σ_g (Σ_i (d_i − mean d))²) / n, G − 1 degrees of freedom.",
        "ω = share of raters whose H₀ is rejected (Benjamini–Yekutieli, 5 %, all questions at "
        "once); ω ≥ 0.5 passes. Advantage probability (the source's ρ) = mean over raters of the "
        "judge's share of wins.",
        "Human ceiling: mean over raters of r between a rater and the mean of the others; the "
        "judge's r with the same means, on the same items.",
    ]
    source = "Calderon, Reichart & Dror (2025), ACL; Benjamini & Yekutieli (2001)."
    list_parts = staticmethod(of_questions(lambda scale: scale.has_values))

    def build(self, answers, options, questions=None):
        """Compute the report. questions: keys of those wanted; None means all.

        All questions of a judge are corrected together, whichever are wanted.
        """
        scores = Scores(answers, options)
        labels = LabelNotes(options.missing_judgment, answers.own_scale)
        report = Report(self.name, answers.study.slug, options.as_dict())
        epsilon = options.epsilon
        if epsilon is None:
            epsilon = usual_epsilon(options.reference)
        ratings = _ratings(scores)
        alphas = {place: _agreement(scores, place, people) for place, people in ratings.items()}
        for judge in scores.judges:
            tests = _tests(scores, labels, judge, ratings)
            rates = _winning_rates(tests, epsilon)
            for place, (test, values) in tests.items():
                if not questions or scores.questions[place].key in questions:
                    of_people = _ceiling(scores, place, ratings[place], values), alphas[place]
                    _add_row(report, scores, judge, place, epsilon, test, rates[place], of_people)
        report.verdict = _verdicts(report, scores, epsilon)
        report.notes = [
            *policy_notes(scores, compared=False),
            _epsilon_note(options, epsilon),
            _error_note(scores),
            f"Raters with {FEWEST_ITEMS} items or more are tested; an item counts with two ratings "
            "and a judgment. All p-values of a judge, over raters and questions, are corrected "
            "together (Benjamini and Yekutieli, 5 %).",
            *labels.sentences(),
            interval_note(scores),
            *draw_notes(report, options.draws),
            *reason_notes(report, ["evaluator", "question"]),
        ]
        return report

    def layout(self, report, question, looks):
        """Return the page of one question: winning rates, advantage, the human ceiling."""
        advantage = "advantage_probability"
        entries = sorted(report.entries, key=lambda e: (isnan(e.row[advantage]), -e.row[advantage]))
        figures = []
        if any(entry.row["tested"] for entry in entries):
            plot = winning_rates(report, question, entries[0].row["epsilon"], looks)
            caption = (
                f"{question}: for each head start ε, the share of raters to whom the judge is at "
                "least equal in closeness to the other raters. Judges with the same curve share a "
                f"line; {MOST_CURVES} at most."
            )
            figures.append(Figure("epsilon", caption, plot))
            won = _as_values(entries, advantage, "low", "high", "n")
            title = f"Advantage probability (n = {_span(won)})"
            plot = dots(won, "evaluator", "question", looks, title, unit_interval=True)
            caption = (
                f"{question}: how often a judge is at least as close to the others as a rater is."
            )
            figures.append(Figure("advantage", caption, plot))
        parts = _as_values(entries, "difference", "difference_low", "difference_high", "ceiling_n")
        if parts:
            title = f"Judge's r less people's r (n = {_span(parts)})"
            plot = dots(parts, "evaluator", "question", looks, title)
            caption = f"{question}: the judge beside the human ceiling. Lines: 95 % intervals."
            figures.append(Figure("ceiling", caption, plot))
        return Layout(figures, _tables(entries, question))

    def headline(self, answers, options, judges):
        """Return how often the closest judge is at least as close to the others as a rater is."""
        keys = [q.key for q in answers.questions if q.scale.has_values]
        if not judges or not keys:
            return no_value("no question has a scale to compare on") if judges else NO_JUDGE
        rows = [row for row in self.build(answers, options, keys[:1]).rows if row["tested"]]
        row = best(rows, judges, "difference") or best(rows, judges, "advantage_probability")
        if row is None:
            return no_value(f"no test on {keys[0]}{first_of(keys)}: the report says why")
        words = (
            f"how often {row['evaluator']}, which follows people most closely, is at least as "
            f"close to the other raters as a rater is on {row['question']}{first_of(keys)}, "
            f"n = {row['n']:,} items; ω = {row['winning_rate']:.2f} at ε = {row['epsilon']:g}; "
            f"{_agreement_words(row['question'], row)}"
        )
        value = leading_point(row["advantage_probability"])
        return value, interval(row["low"], row["high"]), words


def _epsilon_note(options, epsilon):
    whence = "as given" if options.epsilon is not None else "the usual one for the reference role"
    return (
        f"ε = {epsilon:g}, {whence}: the head start that a judge gets for being cheap. Usual are "
        "0.1 for crowd workers, 0.15 for skilled raters and 0.2 for experts."
    )


def _error_note(scores):
    shared = len(np.unique(scores.clusters)) < len(scores.items)
    if scores.options.standard_errors == PLAIN:
        warning = "; items share recipients or contents, so that they are too small" * shared
        return f"Standard errors: plain, as if all items were independent{warning}."
    if not shared:
        return "Standard errors: plain, as no two items share a recipient or a content."
    return (
        "Standard errors: by cluster (recipient, else content), as items share these; with plain "
        "ones a judge would pass too often."
    )


def _ratings(scores):
    """Return {place: the reference's ratings (items, raters)} of the questions with a scale."""
    ratings = {}
    for place, question in enumerate(scores.questions):
        if question.scale.has_values:
            ratings[place] = scores.ratings(place, scores.options.reference)
    return ratings


def _tests(scores, labels, judge, ratings):
    """Return {place: (RaterTests, the judge's values)} of the questions that the judge fits."""
    tests = {}
    for place, people in ratings.items():
        question, values = scores.questions[place], scores.judge(judge)[:, place]
        nominal = not question.scale.is_graded
        if not labels.fits(judge, values, question):
            continue
        if nominal:
            values = labels.labels(judge, values, question)
        test = alternative_annotator_test(
            people,
            values,
            "nominal" if nominal else "likert",
            robust=None if scores.options.standard_errors == PLAIN else scores.clusters,
            **scores.resampling(),
        )
        tests[place] = test, values
    return tests


def _winning_rates(tests, epsilon):
    """Return {place: (rejected, tested, winning rate over GRID)} of a judge's tests."""
    counts = reject_together(
        {place: test for place, (test, _) in tests.items()}, np.append(GRID, epsilon)
    )
    return {
        place: (int(rejected[-1]), int(tested[-1]), winning_rate(rejected, tested)[:-1])
        for place, (rejected, tested) in counts.items()
    }


def reject_together(tests, epsilons):
    """Correct all p-values of a judge together; return {place: (rejected (E,), tested (E,))}.

    tests: {place: RaterTests}; epsilons: (E,), each of which is corrected by itself.
    """
    p = [test.p_values(epsilons) for test in tests.values()]
    if not p:
        return {}
    rejected = rejections(np.concatenate(p, axis=1))
    ends = np.cumsum([part.shape[1] for part in p])[:-1]
    return {
        place: (flags.sum(axis=1), (~np.isnan(part)).sum(axis=1))
        for place, part, flags in zip(tests, p, np.split(rejected, ends, axis=1), strict=True)
    }


def winning_rate(rejected, tested):
    """Return ω (E,), the share of the tests that are rejected; NaN without a test."""
    return np.divide(rejected, tested, out=np.full(len(tested), np.nan), where=tested > 0)


def _agreement(scores, place, people):
    """Estimate Krippendorff's α of the reference's raters on one question.

    people: ratings (items, raters). Ordinal on Likert scales, nominal on labels without order,
    interval on numbers.
    """
    scale = scores.questions[place].scale
    ordered = "ordinal" if scale.has_points else "interval"
    metric = ordered if scale.is_graded else "nominal"
    if not people.size:
        return Estimate(np.nan, reason=NO_RATINGS)
    return krippendorff_alpha(people, metric, **scores.resampling())


def _ceiling(scores, place, people, values):
    if not scores.questions[place].scale.is_ordered:
        return HumanCeiling(NO_ORDER, NO_ORDER, NO_ORDER)
    return human_ceiling(people, values, **scores.resampling())


def _add_row(report, scores, judge, place, epsilon, test, rates, of_people):
    question = scores.questions[place].key
    ceiling, alpha = of_people
    rejected, tested, curve = rates
    rate = rejected / tested if tested else np.nan
    report.curves[judge, question] = {"epsilon": GRID.tolist(), "winning_rate": curve.tolist()}
    report.add(
        {
            "evaluator": judge,
            "question": question,
            "epsilon": float(epsilon),
            "winning_rate": rate,
            "advantage_probability": test.advantage.value,
            "rejected": rejected,
            "tested": tested,
            "passes": rate >= ENOUGH if tested else None,
            "low": test.advantage.low,
            "high": test.advantage.high,
            "n": test.n_items,
            **columns_of("agreement", ceiling.judge),
            **columns_of("ceiling", ceiling.ceiling),
            **columns_of("difference", ceiling.difference),
            "ceiling_n": ceiling.difference.n,
            **columns_of("people_alpha", alpha),
        },
        reason=_reason(test, tested, ceiling),
        judge=judge,
        kind="judge",
        undefined_draws=test.advantage.undefined_draws + ceiling.difference.undefined_draws,
    )


def _reason(test, tested, ceiling):
    """Return why there is no test, or no ceiling."""
    if untested := why_untested(test, tested):
        return untested
    reason = test.advantage.reason or ceiling.difference.reason
    return f"test defined, but {reason}" if reason else ""


def why_untested(test, tested):
    """Return why no rater of a RaterTests could be tested; blank where one was."""
    if test.reason or tested:
        return test.reason
    if (test.groups < 2).all():
        return "no test: all items belong to one recipient or content"
    return "no test: every rater's difference is the same in all items, and equals ε"


def _verdicts(report, scores, epsilon):
    """Write one or two sentences a question, then the conditions; [] without a judge."""
    questions = dict.fromkeys(row["question"] for row in report.rows)
    sentences = [
        sentence
        for question in questions
        for sentence in _verdict(
            [entry for entry in report.entries if entry.row["question"] == question],
            report.curves,
            scores.options.reference,
            epsilon,
        )
    ]
    return [*sentences, CONDITIONS] if sentences else []


def _verdict(entries, curves, role, epsilon):
    question = entries[0].row["question"]
    tested = [entry.row for entry in entries if entry.row["tested"]]
    whom = "a rater" if role == ALL else f"a rater of the role {role}"
    if not tested:
        reason = entries[0].reason
        return [f"{question}: nothing can be said. {reason[:1].upper()}{reason[1:]}."]
    named = {
        passes: "; ".join(
            f"{row['evaluator']} (ω = {row['winning_rate']:.2f}, {_turn(curves, row)})"
            for row in tested
            if row["passes"] is passes
        )
        for passes in (True, False)
    }
    test = f"the alternative annotator test against {whom}, at ε = {epsilon:g}, is"
    agreement = _agreement_words(question, tested[0])
    words = [f"{agreement[0].upper()}{agreement[1:]}."]
    if named[True]:
        words.append(f"{question}: {test} passed by {named[True]}.")
    if named[False]:
        words.append(f"{question}: {test} not passed by {named[False]}.")
    return words


def _agreement_words(question, row):
    """Say how far people agree on a question, from a row of this report."""
    alpha, low, high = (row[f"people_alpha{end}"] for end in ("", "_low", "_high"))
    if np.isnan(alpha):
        return f"how far people agree on {question} is undefined (see Agreement)"
    ends = "" if np.isnan(low) else f" [{_decimals(low)}, {_decimals(high)}]"
    return f"agreement among people: α = {_decimals(alpha)}{ends} on {question}"


def _decimals(value):
    return f"{value:.2f}".replace("-", "−")


def _turn(curves, row):
    """Tell from which head start on the judge passes."""
    curve = curves[row["evaluator"], row["question"]]
    for epsilon, rate in zip(curve["epsilon"], curve["winning_rate"], strict=True):
        if rate >= ENOUGH:
            return f"passes from ε = {epsilon:.2f} on" if epsilon else "even without a head start"
    return "nor at ε = 0.50"


def _as_values(entries, value, low, high, n):
    """Return the entries with these keys as value, low, high and n; undefined ones left out."""
    keys = {"value": value, "low": low, "high": high, "n": n}
    about = ("evaluator", "question")
    return [
        replace(
            entry,
            row={key: entry.row[key] for key in about}
            | {key: entry.row[name] for key, name in keys.items()},
        )
        for entry in entries
        if not isnan(entry.row[value])
    ]


def _span(entries):
    return span(entry.row["n"] for entry in entries)


def _tables(entries, question):
    tests, ceilings = [], []
    for entry in entries:
        row, reason = entry.row, entry.reason
        cells = [
            {True: "yes", False: "no", None: "–"}[row["passes"]],
            Cell({"low": nan, "high": nan}, row["winning_rate"], reason),
            f"{row['rejected']} of {row['tested']}",
            Cell(row, row["advantage_probability"], reason),
            row["n"],
        ]
        tests.append((row["evaluator"], cells))
        cells = [
            replace(interval_cell(row, name), reason=reason)
            for name in ("agreement", "ceiling", "difference")
        ]
        ceilings.append((row["evaluator"], [*cells, row["ceiling_n"]]))
    headings = ["Passes the test", "Winning rate ω", "Raters", "Advantage probability", "Items"]
    caption = f"Human ceiling for {question}: Pearson's r with the mean of the other raters."
    of_ceiling = ["Judge", "People (ceiling)", "Difference", "Items"]
    return [
        Table(f"Alternative annotator test for {question}.", headings, tests, [], "Judge"),
        Table(caption, of_ceiling, ceilings, [], "Judge"),
    ]


SUBSTITUTION = Substitution()
KIND = SUBSTITUTION.kind()
