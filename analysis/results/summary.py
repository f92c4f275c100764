"""Put the first screen of Results together from the reports that it rests on."""

from collections import Counter
from dataclasses import dataclass, field, replace
from math import nan

from analysis.options.declare import declared
from analysis.reports.cost import report as cost
from analysis.reports.disagreements import disagreements
from analysis.reports.raters import agreement
from analysis.reports.shared.correlations import AVERAGE
from analysis.reports.shared.scores import Scores
from analysis.reports.verdict import report as verdict
from analysis.reports.verdict.candidates import JUDGE, judges_by_rank
from analysis.reports.verdict.page import MATRIX, OWN_SCALE, list_ways_on
from analysis.reports.verdict.sentences import RATE
from analysis.results.answer import Spoken, left_open, say_answer
from analysis.results.leaderboard import failed_shares, list_lines
from analysis.results.people import say_people
from annotate.models import Rater

APART = 5  # items on which the best judge is furthest from people
DRAWS = 500  # of α's interval


@dataclass(frozen=True)
class Results:
    """What Results says first.

    answer: Spoken; people: a sentence; role: of the people whom judges are compared with; lines: of
    the leaderboard; questions: their keys; ranked: the judges' names, the best first; apart: rows
    of items on which the first judge that uses people's scale is furthest from them; verdict: the
    Report; answered: (question, [(label, how often)]) of the Likert questions that people answered.
    """

    answer: Spoken
    people: str
    role: str
    lines: list = field(default_factory=list)
    questions: list = field(default_factory=list)
    ranked: list = field(default_factory=list)
    apart: list = field(default_factory=list)
    verdict: object = None
    answered: list = field(default_factory=list)


def summarise(reader, answers, choices):
    """Compute the Results of a study's Answers, with the usual options of each report.

    Judges are compared with the role that can test them, on every part of the page.
    """
    role = choices.testing_reference
    several = Rater.Role(role).label.lower() if len(choices.roles) > 1 else ""

    def options(kind, **given):
        reference = role if "reference" in declared(kind.options) else None
        return kind.options.choose(reference=reference, part=reader.part, **given)

    decided = verdict.KIND.build(answers, options(verdict.KIND))
    rows = [row for row in decided.curves[MATRIX] if not row["systems"]]
    rate = [row for row in rows if row["use"] == RATE]
    ranked = judges_by_rank(rate)
    entries = [e for e in decided.entries if e.kind == JUDGE and not e.row["systems"]]
    spoken = say_answer(entries, ranked, several)
    people = _people(answers, options(agreement.KIND, draws=DRAWS), role, several)
    answered = _distributions(answers)
    if not ranked:
        return Results(spoken, people, role, answered=answered)
    costs = cost.KIND.build(answers, options(cost.KIND, draws=0), [AVERAGE])
    lengths = {question.key: _length(question.scale) for question in answers.questions}
    ranges = {key: lengths[key] for key in dict.fromkeys(row["question"] for row in rate)}
    return Results(
        spoken,
        people,
        role,
        list_lines(
            decided, costs, failed_shares(answers, decided.curves[OWN_SCALE]), ranked, ranges
        ),
        [*ranges],
        ranked,
        _furthest(answers, options(disagreements.KIND, judges=tuple(ranked)), ranked),
        decided,
        answered,
    )


def _people(answers, options, role, several):
    """Return the sentence on how far raters agree."""
    scores = Scores(answers, options)
    pooled = [scores.questions[place].key for place in agreement.pooled_places(scores)]
    return say_people(agreement.KIND.build(answers, options, []), role, pooled, several)


def _distributions(answers):
    people = answers.select_source("human")
    people = people[~people["excluded"]]
    distributions = []
    for question in answers.questions:
        values = Counter(people.loc[people["question"] == question.key, "value"])
        if question.scale.has_graded_points and values:
            points = [(label, values[value]) for value, label in question.scale.points]
            distributions.append((question.key, points))
    return distributions


def _length(scale):
    """Return the length of a graded scale; NaN where it has none."""
    return nan if scale.is_nominal or not scale.has_ends else float(scale.high - scale.low)


def _furthest(answers, options, ranked):
    """Return rows of the items on which the first judge of the ranked is furthest from people.

    Each item stands once. A judge on a scale of its own has no distance from people.
    """
    keys = [question.key for question in disagreements.rated_questions(Scores(answers, options))]
    rows_by_judge: dict = {}
    for row in disagreements.KIND.build(answers, options, keys).rows:
        rows_by_judge.setdefault(row["evaluator"], {}).setdefault(row["item"], row)
    first = next((name for name in ranked if name in rows_by_judge), None)
    return list(rows_by_judge.get(first, {}).values())[:APART]


def ways_on(study, results, questions):
    """Return the WaysOn of what the answer leaves open, on the first question that more may decide.

    That is of the best judge, as the steps of the answer are; None where more decides nothing.
    """
    if not results.ranked:
        return None
    own = left_open(results.verdict.entries, results.ranked[0])
    report = replace(results.verdict, entries=own)
    asked = {entry.row["question"] for entry in own}
    ways = (
        list_ways_on(study, report, question) for question in questions if question.key in asked
    )
    return next(filter(None, ways), None)
