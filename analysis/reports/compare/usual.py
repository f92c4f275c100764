"""Choose whom to compare where nobody is named: the first judge of Results, with a rater."""

from analysis.options.choices import role_that_tests
from analysis.options.evaluators import A_RATER, MEAN_OF
from analysis.reports.shared.evaluators import other_roles, overlap
from analysis.reports.verdict.options import VerdictOptions
from analysis.reports.verdict.order import judges_by_rank
from analysis.reports.verdict.report import MATRIX, RATE, verdict


def choose_pairs(scores, options):
    """Return (names to compare, the name to compare them with); a blank where there is nobody.

    scores: of all judges.
    """
    others = [options.other] if options.other else list(_yardsticks(scores))
    ranked = [] if options.of and others else rank_judges(scores.answers, options)
    of = options.of or next(((name,) for name in ranked if name not in others[:1]), ())
    return of, next((name for name in [*others, *ranked] if name not in of), "")


def _yardsticks(scores):
    """Yield the people that a judge is compared with: a rater, then the means of other roles."""
    if overlap(scores, scores.raters_of(scores.options.reference)):
        yield A_RATER
    for role in other_roles(scores):
        yield f"{MEAN_OF}{role}"


def rank_judges(answers, options):
    """Return the judges' names, the best first: as on the page Results."""
    people = answers.select_source("human")
    role = role_that_tests(answers.study, people[~people["excluded"]]) or options.reference
    given = {name: getattr(options, name) for name in ("exclude", "only", "part", "version")}
    report = verdict(answers, VerdictOptions.choose(reference=role, **given), [])
    rows = [row for row in report.curves[MATRIX] if not row["systems"] and row["use"] == RATE]
    return judges_by_rank(rows)
