"""Compare judges with single raters: the alternative annotator test and the human ceiling.

The test asks who is closer to the other raters. It is a published number, not a verdict: where
people agree little, a judge that always says the same passes it. So people's agreement stands
next to it.
"""

import numpy as np

from analysis.options.choices import ALL
from analysis.reports.base import Report, columns_of, draw_notes, reason_notes
from analysis.reports.shared.evaluators import interval_note, policy_notes
from analysis.reports.shared.labels import LabelNotes
from analysis.reports.shared.scores import Scores
from analysis.reports.substitution.options import PLAIN, usual_epsilon
from analysis.stats.agreement.krippendorff_alpha import krippendorff_alpha
from analysis.stats.estimate import Estimate
from analysis.stats.replacement.human_ceiling import HumanCeiling, human_ceiling
from analysis.stats.replacement.substitution import (
    FEWEST_ITEMS,
    alternative_annotator_test,
    rejections,
)

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


def substitution(answers, options, questions=None):
    """Test every judge against the raters of the reference, a row per question.

    questions: keys of those wanted; None means all. All questions of a judge are corrected
    together, whichever are wanted.
    """
    scores = Scores(answers, options)
    labels = LabelNotes(options.missing_judgment, answers.own_scale)
    report = Report("substitution", answers.study.slug, options.as_dict())
    epsilon = _epsilon(options)
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


def _epsilon(options):
    """Return the head start as given, else by the role that the judge is to replace."""
    return usual_epsilon(options.reference) if options.epsilon is None else options.epsilon


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
    words = [agreement_sentence(question, tested[0])]
    if named[True]:
        words.append(f"{question}: {test} passed by {named[True]}.")
    if named[False]:
        words.append(f"{question}: {test} not passed by {named[False]}.")
    return words + _ceiling_words(question, tested)


def agreement_words(question, row):
    """Say how far people agree on a question, from a row of this report."""
    if np.isnan(row["people_alpha"]):
        return f"how far people agree on {question} is undefined (see Agreement)"
    alpha = f"α = {_decimals(row['people_alpha'])}{_ends(row)}"
    return f"agreement among people: {alpha} on {question}"


def agreement_sentence(question, row):
    """Return the same words as a sentence of its own."""
    words = agreement_words(question, row)
    return f"{words[0].upper()}{words[1:]}."


def _ends(row):
    low, high = row["people_alpha_low"], row["people_alpha_high"]
    return "" if np.isnan(low) else f" [{_decimals(low)}, {_decimals(high)}]"


def _decimals(value):
    return f"{value:.2f}".replace("-", "−")


def _turn(curves, row):
    """Tell from which head start on the judge passes."""
    curve = curves[row["evaluator"], row["question"]]
    for epsilon, rate in zip(curve["epsilon"], curve["winning_rate"], strict=True):
        if rate >= ENOUGH:
            return f"passes from ε = {epsilon:.2f} on" if epsilon else "even without a head start"
    return "nor at ε = 0.50"


def _ceiling_words(question, rows):
    """Tell how closely people follow one another: where they do not, passing is easy."""
    defined = [row for row in rows if not np.isnan(row["difference"])]
    if not defined:
        return []
    best = max(defined, key=lambda row: row["difference"])
    return [
        f"{question}: a rater follows the mean of the others with r = {best['ceiling']:.2f}, "
        f"{best['evaluator']} follows the same means with r = {best['agreement']:.2f}. The less "
        "people agree among themselves, the easier a judge passes."
    ]
