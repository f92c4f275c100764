"""Show beside the verdict what the alternative annotator test says; it decides nothing.

It asks whether judge or rater is closer to the other raters, which a judge that says little often
is; so each baseline is tested as well.
"""

from math import isnan, nan

import numpy as np

from analysis.reports.shared.labels import as_labels
from analysis.reports.verdict.baselines import BASELINE, CONSTANT, baselines_of
from analysis.reports.verdict.options import usual_epsilon
from analysis.reports.verdict.sentences import MOST_NAMED, quoted
from analysis.reports.verdict.substitution import (
    ENOUGH,
    reject_together,
    why_untested,
    winning_rate,
)
from analysis.reports.verdict.texts import note
from analysis.stats.replacement.substitution import compare_with_raters
from analysis.stats.validation.decision import Answer

YES, NO = "yes", "no"
OWN_SCALE = "a scale of its own"


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
