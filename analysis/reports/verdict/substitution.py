"""Compare judges with single raters: the alternative annotator test and the human ceiling.

The test asks who is closer to the other raters. It is a published number, not a verdict: where
people agree little, a judge that says little passes it. So people's agreement stands next to it,
and beside the verdict, where it decides nothing, each baseline is tested as well.
"""

from dataclasses import replace
from math import isnan, nan

import numpy as np

from analysis.figures.curves import MOST_CURVES, winning_rates
from analysis.figures.dots import dot_figure
from analysis.figures.layout import Cell, Figure, Layout, Table, interval_cell
from analysis.options.choices import ALL
from analysis.reports.base import columns_of, group_by
from analysis.reports.kind import of_questions
from analysis.reports.shared.evaluators import interval_note, policy_notes
from analysis.reports.shared.labels import LabelNotes, as_labels
from analysis.reports.shared.measured import MeasuredReport
from analysis.reports.verdict.baselines import BASELINE, CONSTANT, baselines_of
from analysis.reports.verdict.options import PLAIN, SubstitutionOptions, usual_epsilon
from analysis.reports.verdict.sentences import MOST_NAMED, note, quoted
from analysis.reports.words import NoFinding, notes_beside
from analysis.stats.agreement.krippendorff_alpha import krippendorff_alpha
from analysis.stats.estimate import Estimate
from analysis.stats.replacement.human_ceiling import HumanCeiling, human_ceiling
from analysis.stats.replacement.substitution import (
    FEWEST_ITEMS,
    alternative_annotator_test,
    compare_with_raters,
    rejections,
)
from analysis.stats.validation.decision import Answer

GRID = np.arange(51) / 100  # of the curve over epsilon
ENOUGH = 0.5  # winning rate that passes
NO_ORDER = Estimate(np.nan, reason="no correlation on a scale without order")
NO_RATINGS = "no agreement: nobody has rated"
YES, NO = "yes", "no"
OWN_SCALE = "a scale of its own"


say = notes_beside(__file__, "substitution")


class Substitution(MeasuredReport):
    """A row for each judge and question: the alternative annotator test and the human ceiling."""

    name, title, options = "substitution", "Substitution", SubstitutionOptions
    named_by = ("evaluator", "question")
    list_parts = staticmethod(of_questions(lambda scale: scale.has_values))

    def measure(self, report, scores, questions):
        """Add the rows. questions: keys of those wanted; None means all.

        All questions of a judge are corrected together, whichever are wanted.
        """
        options, keys = scores.options, [question.key for question in scores.questions]
        labels = LabelNotes(options.missing_judgment, scores.answers.own_scale)
        epsilon = options.epsilon
        if epsilon is None:
            epsilon = usual_epsilon(options.reference)
        ratings = {
            place: scores.ratings(place, options.reference)
            for place, question in enumerate(scores.questions)
            if question.scale.has_values
        }
        alphas = {place: _agreement(scores, place, people) for place, people in ratings.items()}
        for judge in scores.judges:
            tests, values = _tests(scores, labels, judge, ratings)
            counts = reject_together(tests, np.append(GRID, epsilon))
            for place, test in tests.items():
                if not questions or keys[place] in questions:
                    ceiling = _ceiling(scores, place, ratings[place], values[place])
                    about = {"evaluator": judge, "question": keys[place], "epsilon": float(epsilon)}
                    _add_row(report, about, test, counts[place], ceiling, alphas[place])
        report.verdict = _verdicts(report, options.reference, epsilon)
        whence = "the usual one for the reference role" if options.epsilon is None else "as given"
        return [
            *policy_notes(scores, compared=False),
            say("epsilon", epsilon=epsilon, whence=whence),
            _error_note(scores),
            say("tested", fewest=FEWEST_ITEMS),
            *labels.sentences(),
            interval_note(scores),
        ]

    def layout(self, report, question, looks):
        """Return the page of one question: winning rates, advantage, the human ceiling."""
        advantage, look = "advantage_probability", ("evaluator", "question", looks)
        entries = sorted(report.entries, key=lambda e: (isnan(e.row[advantage]), -e.row[advantage]))
        figures = []
        if any(entry.row["tested"] for entry in entries):
            plot = winning_rates(report, question, entries[0].row["epsilon"], looks)
            caption = say("curve", question=question, most=MOST_CURVES)
            figures.append(Figure("epsilon", caption, plot))
            won = _as_values(entries, advantage, "low", "high", "n")
            caption = (
                f"{question}: how often a judge is at least as close to the others as a rater is."
            )
            title = "Advantage probability"
            figures += dot_figure("advantage", caption, won, *look, title, unit_interval=True)
        parts = _as_values(entries, "difference", "difference_low", "difference_high", "ceiling_n")
        caption = f"{question}: the judge beside the human ceiling. Lines: 95 % intervals."
        figures += dot_figure("ceiling", caption, parts, *look, "Judge's r less people's r")
        return Layout(figures, _tables(entries, question))


def _error_note(scores):
    shared = len(np.unique(scores.clusters)) < len(scores.items)
    if scores.options.standard_errors == PLAIN:
        return say("plain_shared" if shared else "plain")
    return say("cluster" if shared else "unshared")


def _tests(scores, labels, judge, ratings):
    """Return {place: RaterTests} and {place: the judge's values} of the questions it fits."""
    tests, values_of = {}, {}
    for place, people in ratings.items():
        question, values = scores.questions[place], scores.judge(judge)[:, place]
        nominal = not question.scale.is_graded
        if not labels.fits(judge, values, question):
            continue
        if nominal:
            values = labels.labels(judge, values, question)
        tests[place] = alternative_annotator_test(
            people,
            values,
            "nominal" if nominal else "likert",
            robust=None if scores.options.standard_errors == PLAIN else scores.clusters,
            **scores.resampling(),
        )
        values_of[place] = values
    return tests, values_of


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


def _add_row(report, about, test, counts, ceiling, alpha):
    """Add a row; counts: rejected and tested raters over GRID, then at the row's own ε."""
    rejected, tested = (int(numbers[-1]) for numbers in counts)
    rate = rejected / tested if tested else np.nan
    curve = winning_rate(*counts)[:-1].tolist()
    place = about["evaluator"], about["question"]
    report.curves[place] = {"epsilon": GRID.tolist(), "winning_rate": curve}
    report.add(
        {
            **about,
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
        judge=about["evaluator"],
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


def _verdicts(report, role, epsilon):
    """Write one sentence or more a question, then the conditions; [] without a judge."""
    whom, sentences = "a rater" if role == ALL else f"a rater of the role {role}", []
    for question, entries in group_by(report.entries, "question").items():
        tested = [entry.row for entry in entries if entry.row["tested"]]
        if not tested:
            reason = entries[0].reason
            why = f"{reason[:1].upper()}{reason[1:]}"
            sentences.append(NoFinding(f"{question}: nothing can be said. {why}."))
            continue
        agreement = _agreement_words(tested[0])
        sentences.append(f"{agreement[0].upper()}{agreement[1:]}.")
        for is_passed, passed in ((True, "passed"), (False, "not passed")):
            judges = "; ".join(
                f"{row['evaluator']} (ω = {row['winning_rate']:.2f}, {_turn(report.curves, row)})"
                for row in tested
                if row["passes"] is is_passed
            )
            if judges:
                about = {"question": question, "whom": whom, "epsilon": epsilon}
                sentences.append(say("says", **about, passed=passed, judges=judges))
    return [*sentences, say("conditions")] if sentences else []


def _agreement_words(row):
    """Say how far people agree on a question, from a row of this report."""
    alpha, low, high = (row[f"people_alpha{end}"] for end in ("", "_low", "_high"))
    if np.isnan(alpha):
        return f"how far people agree on {row['question']} is undefined (see Agreement)"
    ends = "" if np.isnan(low) else f" [{_decimals(low)}, {_decimals(high)}]"
    return f"agreement among people: α = {_decimals(alpha)}{ends} on {row['question']}"


def _decimals(value):
    return f"{value:.2f}".replace("-", "−")


def _turn(curves, row):
    """Tell from which head start on the judge passes."""
    curve = curves[row["evaluator"], row["question"]]
    for epsilon, rate in zip(curve["epsilon"], curve["winning_rate"], strict=True):
        if rate >= ENOUGH:
            return f"passes from ε = {epsilon:.2f} on" if epsilon else "even without a head start"
    return "nor at ε = 0.50"


def _as_values(entries, *names):
    """Return the entries with what stands under these names as value, low, high and n."""
    return [
        replace(
            entry,
            row={key: entry.row[key] for key in ("evaluator", "question")}
            | dict(zip(("value", "low", "high", "n"), map(entry.row.get, names), strict=True)),
        )
        for entry in entries
    ]


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


def says(rate):
    """Return what the test says by its winning rate ω: yes or no, blank where that is undefined."""
    return "" if isnan(rate) else YES if rate >= ENOUGH else NO


def published_tests(questions, judged, role):
    """Return {(kind, name, question's key): (ω, why it is undefined)} of judges and baselines.

    questions: every Asked of the role; judged: Candidates. All p-values of a judge, over raters and
    questions, are corrected together.
    """
    answers: dict = {}
    for candidate in judged:
        is_off = candidate.has_own_scale and candidate.asked.has_ends
        judgments = None if is_off else candidate.judgments
        own = answers.setdefault((candidate.kind, candidate.name), [])
        own.append((candidate.asked, judgments))
    for asked in questions:
        for name, values in baselines_of(asked):
            own = answers.setdefault((BASELINE, name), [])
            own.append((asked, asked.as_judgments(values)))
    epsilon = np.array([usual_epsilon(role)])
    return {
        (*name, key): result
        for name, own in answers.items()
        for key, result in _results(own, epsilon).items()
    }


def _results(answers, epsilon):
    """Return {question's key: (ω, reason)} of a judge's answers [(Asked, judgments or None)]."""
    results = {asked.question.key: (nan, OWN_SCALE) for asked, _ in answers}
    tests = {
        asked.question.key: _test(asked, judgments)
        for asked, judgments in answers
        if judgments is not None
    }
    for key, (rejected, tested) in reject_together(tests, epsilon).items():
        rate = float(winning_rate(rejected, tested)[0])
        results[key] = rate, why_untested(tests[key], tested[0])
    return results


def _test(asked, judgments):
    """Compare judgments (items,) or (items, labels) with the raters of a question."""
    if not asked.question.scale.is_graded and not asked.is_nominal:
        judgments = as_labels(judgments, asked.question)
    people = asked.reference.people
    table = judgments.reshape(len(judgments), -1)[people.rows]
    keep = ~np.isnan(table).any(axis=1)
    return compare_with_raters(people.restrict(keep), table[keep])


def show_published(entries, published):
    """Put the test into the rows on rating items, whatever their kind, that have one."""
    for entry in entries:
        key = entry.kind, entry.row["evaluator"], entry.row["question"]
        if key in published:
            rate, _ = published[key]
            entry.row.update(winning_rate=rate, published_test=says(rate))


def differs(row):
    """Say whether the test says yes or no, and the verdict does not say the same."""
    is_yes = row["answer"] == Answer.YES
    return bool(row["published_test"]) and is_yes != (row["published_test"] == YES)


def published_notes(entries, published, role):
    """Yield where the test and the verdict differ, and why, then where there is no test.

    entries: of judges that rate items, as show_published left them.
    """
    test = f"The published test ({role}; ω ≥ {ENOUGH:g} at ε = {usual_epsilon(role):g})"
    rows = [entry.row for entry in entries]
    for says, verdict in ((YES, "does not"), (NO, "says yes")):
        unlike = [row for row in rows if differs(row) and row["published_test"] == says]
        if unlike:
            passed = _passed_by_constant(unlike, published) if says == YES else ""
            about = {"test": test, "says": says, "verdict": verdict, "passed": passed}
            yield note("published_differs", judges=_named(unlike), **about)
    reasons: dict = {}
    for entry in entries:
        key = entry.kind, entry.row["evaluator"], entry.row["question"]
        _, reason = published[key]
        if reason:
            reasons.setdefault(reason, []).append(entry.row)
    for reason, unknown in reasons.items():
        yield f"{test} was not made ({reason}): {_named(unknown)}."


def _named(rows):
    """Name the judges of rows, each with its questions."""
    questions: dict = {}
    for row in rows:
        questions.setdefault(row["evaluator"], []).append(row["question"])
    shown = [
        f"“{name}” ({quoted(keys) if len(keys) <= MOST_NAMED else f'{len(keys)} questions'})"
        for name, keys in [*questions.items()][:MOST_NAMED]
    ]
    others = len(questions) - len(shown)
    return "; ".join(shown) + (f"; and {others} more" if others else "")


def _passed_by_constant(rows, published):
    """Say on which questions of the rows a judge that always gives one answer passes too."""
    keys = [
        key
        for key in dict.fromkeys(row["question"] for row in rows)
        if says(published[BASELINE, CONSTANT, key][0]) == YES
    ]
    return f" Giving {CONSTANT} passes it too ({quoted(keys)})." if keys else ""
