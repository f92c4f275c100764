"""Say a verdict in words where judges are compared with recipients' second own answers."""

from math import isnan

from analysis.reports.verdict import words
from analysis.reports.verdict.own_answers import OwnAsked, has_one_own_rating
from analysis.reports.verdict.unchecked import unchecked
from analysis.reports.verdict.uses import A_RATER, COMPARE, say_use, say_use_of_systems
from analysis.reports.verdict.uses import OWN_ANSWER as IN_ITS_PLACE
from analysis.reports.verdict.words import Case, interval_of, share_of, worth_clause
from analysis.stats.validation.answers import Grade, Reason

OWN_ANSWERS = "own_answers"  # the warning that marks such a verdict
OWN_ANSWER = "own answer"
MORE = "more items that recipients answer twice"
ASK_AGAIN = (
    "Collect a second rating of at least 30 items, or ask recipients a share of their own items "
    "again: repeat_share, on the page Settings, Order and checks; .1 is usual."
)


class OwnCase(Case):
    """A verdict on a judge that is compared with recipients' second own answers."""

    more_items = MORE
    answer = "a recipient's answer"
    teller = other_teller = "the recipient's own second answer"
    agree = "a recipient's two answers agree"
    whom = IN_ITS_PLACE

    @property
    def words(self):
        """Return {reason: what says it}."""
        return OF_OWN

    @property
    def warnings(self):
        """Return the names of what a reader should know, the yardstick last."""
        return (*super().warnings, OWN_ANSWERS)


class SingleCase(Case):
    """A verdict where each item has one own rating, and no recipient was asked again."""

    @property
    def words(self):
        """Return {reason: what says it}."""
        return words.OF_RATING | {Reason.NOT_COMPARABLE: _not_comparable}


def choose_case(asked):
    """Return the class that says the verdicts of a question."""
    if isinstance(asked, OwnAsked):
        return OwnCase
    return SingleCase if has_one_own_rating(asked) else Case


def is_of_own_answers(row):
    """Say whether a row compares its judge with recipients' second own answers."""
    return OWN_ANSWERS in row["warnings"].split()


def unit_of(row):
    """Return what a row's worth is counted in."""
    return OWN_ANSWER if is_of_own_answers(row) else "rater"


def say_worth(row):
    """Write ", worth at least 1.6 raters" of a row's judge; blank where that says nothing."""
    return words.worth_clause(row["worth_low"], unit_of(row))


def say_use_of_yes(row, whom):
    """Write what a yes allows: a judge worth less than one rater helps, and stands in for none."""
    helps = whom == A_RATER and row["worth_low"] < 1
    return f"may {'help beside' if helps else 'stand in for'} {whom}"


def stood_in_for(rows):
    """Write whom the judges of these rows would stand in for."""
    is_own = rows and all(unit_of(row) == OWN_ANSWER for row in rows)
    return IN_ITS_PLACE if is_own else A_RATER


def without_use(entry):
    """Return an entry's reason without what its judge may not be used for.

    For readers who are told the use beside it.
    """
    row = entry.row
    about = row["evaluator"], row["question"], row["answer"]
    if row["use"] == COMPARE:
        use = say_use_of_systems(*about)
    else:
        use = say_use(*about, row["verdict"], stood_in_for([row]))
    return entry.reason.replace(f" {use}", "")


def whom_for(entry):
    """Return the sentence of a yes on whom it is for, to be said once of several; else blank."""
    forms = (form.format(entry.row["raters"]) for form in (words.LIKE_THESE, words.ONLY_THESE))
    return next((form for form in forms if form in entry.reason), "")


def one_tells_another(rows):
    """Write what ρ measures in these rows."""
    if stood_in_for(rows) == A_RATER:
        return "one rater's answers tell another's"
    return "recipients' second answers tell their first"


def figure_words(rows):
    """Return how a figure of these rows names people, the line of one of them, and what is told."""
    whom = stood_in_for(rows)
    if whom == A_RATER:
        return whom, "one rater", "a rater answers, beside what one rater tells of another"
    told = "a recipient answers, beside what the recipient's own second answer tells"
    return whom, "own second answer", told


def _not_comparable(case):
    if case.evidence.is_fitted:
        return words.OF_RATING[Reason.NOT_COMPARABLE](case)
    return (
        "Nothing can be said: each item has one own rating, and none has a second own answer and "
        "a judgment.",
        ASK_AGAIN,
    )


def _too_few(case):
    evidence, criteria = case.evidence, case.criteria
    return (
        f"Too little to go on: {evidence.n_clusters} recipients answered {evidence.n} items twice "
        f"that have a judgment, and at least {criteria.fewest_clusters} recipients who answered "
        f"twice and {criteria.fewest_items} items are needed.",
        f"Collect {MORE}: raise repeat_share, or invite more recipients.",
    )


def _recipients_disagree(case):
    if isnan(case.agreement.rho.value):
        return (
            f"All answers on {case.question} are equal, so that there is nothing to agree on.",
            "Ask a question on which the items differ.",
        )
    return (
        f"A recipient's two answers to one item agree by {interval_of(case.agreement.rho)} on "
        f"{case.question}, so that no judge can be tested there.",
        "Ask a clearer question; more items do not help.",
    )


def _people_unsure(case):
    rho = case.agreement.rho
    return (
        f"It is not known yet whether recipients repeat their answers on {case.question}: "
        f"{interval_of(rho)}.",
        case.collect(rho.value, rho.error, "Ask a clearer question."),
    )


def _may(case):
    least = case.agreement.least_worth(case.criteria.alpha)
    keeps = f"keeps {share_of(case.criteria.retention)} of what the recipient's own second answer"
    as_good = ", as good as a second own answer" if case.verdict.grade != Grade.SHARE else ""
    return (
        f"{case.judge} may stand in for a recipient's own answer on {case.question}: it {keeps} "
        f"tells{worth_clause(least, OWN_ANSWER)}{as_good}. Nothing is shown for "
        "other kinds of items, systems, questions or recipients, nor for another prompt or model."
        f"{unchecked(case.evidence)}"
        f"{words.finds(case.evidence.rare_class)}",
        words.STATE,
    )


OF_OWN = words.OF_RATING | {
    Reason.NOT_COMPARABLE: _not_comparable,
    Reason.TOO_FEW: _too_few,
    Reason.RATERS_DISAGREE: _recipients_disagree,
    Reason.PEOPLE_UNSURE: _people_unsure,
    Reason.MAY: _may,
}
