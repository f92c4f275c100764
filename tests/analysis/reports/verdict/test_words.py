"""What a "not yet" waits for, and what next, in sentences that do not contradict themselves."""

from dataclasses import replace
from math import nan
from types import SimpleNamespace

import pytest

from analysis.reports.verdict.sentences import Case, OwnCase, SystemsCase, without_use
from analysis.stats.validation.checks import Held, Rest
from analysis.stats.validation.criteria import Criteria
from analysis.stats.validation.decision import Answer, Grade, Half, Reason, Verdict, decide
from analysis.stats.validation.systems import SystemComparison
from tests.analysis.stats.validation.test_verdict import GOOD, agree

NO, NOT_YET = Answer.NO, Answer.NOT_YET
NEVER = "More items would not change this: "


def candidate_of(evidence, name="J", question="q", **fields):
    """What a case asks of its candidate, here a judge."""
    about = {"name": name, "question": question, "evidence": evidence, "criteria": Criteria()}
    usual = {"is_judge": True, "family": 0, "tried": 1, "echo": None, "compared": None}
    asked = SimpleNamespace(has_one_own_rating=False)
    usual |= {"narrowing": nan, "counts": (0, 0), "asked": asked}
    return SimpleNamespace(**about | usual | fields)


def make_case(missing="", family=2, reason=Reason.UNDECIDED):
    evidence = SimpleNamespace(n=100, share_missing=0.0, rare_class=None, agreement=None)
    verdict = Verdict(Answer.NOT_YET, reason, missing=missing)
    return Case(candidate_of(evidence, family=family), verdict)


def test_among_several_the_correction_speaks_of_the_others():
    sentence, next_step = make_case("correction", family=2).say()
    assert "But 2 pairs of a judge and a question were tried on these ratings" in sentence
    assert next_step.endswith("or name one judge before you see its judgments.")


def test_a_judge_alone_is_told_which_level_a_yes_asks_for():
    sentence, next_step = make_case("correction", family=1).say()
    assert sentence == (
        "“J” passes every check, but not clearly enough: each p-value is below .05, and a yes "
        "needs each below .025 once it is corrected for the number of questions. Two corrections "
        "share the level of .05, one for the number of judges and one for the number of questions, "
        "even where only one was tried. Do not use “J” alone on “q” yet."
    )
    assert next_step == "Collect more items with two ratings or more."


def test_nothing_is_collected_where_no_number_would_be_enough():
    case = make_case()
    assert case.collect(-0.1, 0.1) == f"{NEVER}try another prompt or model."
    assert case.collect(0.0, 0.1, "Ask more clearly.") == f"{NEVER}ask more clearly."
    assert case.collect(nan, 0.1) == "Collect more items with two ratings or more."


@pytest.mark.parametrize(
    ("error", "more"),
    [(0.1, "519"), (0.02, "10")],  # 100 ((1.644854 + 0.841621) error / .1)^2 = 618.3, less 100
)
def test_else_the_number_of_items_is_said(error, more):
    words = f"Collect about {more} more items with two ratings or more, if today's estimates hold."
    assert make_case().collect(0.1, error) == words


def test_a_scale_of_its_own_is_not_settled_by_ratings():
    sentence, next_step = make_case("scale", reason=Reason.ORDER_ONLY).say()
    assert sentence == (
        "“J” orders items well enough, but it cannot be tested whether it rates as high as people "
        "do: it has a scale of its own, or the question's scale has no ends. No number of ratings "
        "settles that. Do not use “J” for means or single scores on “q”."
    )
    assert next_step == "Use it for the order only."


def test_a_judge_that_rounded_gives_one_answer_is_for_the_order_only():
    sentence, next_step = make_case("points", reason=Reason.ORDER_ONLY).say()
    assert sentence == (
        "“J” orders items well enough, but rounded to the question's scale it gives the same "
        "answer to every item. Do not use “J” for means or single scores on “q”."
    )
    assert next_step.startswith("Use it for the order only")


@pytest.mark.parametrize(
    ("family", "words"), [(1, "a yes needs each below .025,"), (7, "But 7 pairs of")]
)
def test_a_yes_on_systems_that_only_the_correction_stops(family, words):
    comparison = SimpleNamespace(
        answer=NOT_YET, reason=Reason.UNDECIDED, missing="correction", favoured=False, spread=nan
    )
    evidence = SimpleNamespace(share_missing=0.0)
    case = SystemsCase(candidate_of(evidence), comparison, ["a", "b"], 0.3, None)
    case.family = family
    sentence, next_step = case.say()
    assert words in sentence
    assert ("name one judge" in next_step) == (family > 1)


@pytest.mark.parametrize("clusters", [5, 50])
def test_too_few_items_does_not_read_as_if_the_fewest_would_decide(clusters):
    """As on the planner's page with rho = r = .3, three ratings, and no level: 268 items."""
    case = make_case(reason=Reason.TOO_FEW)
    case.evidence.n, case.evidence.n_clusters = 18, clusters
    sentence, _ = case.say()
    assert sentence.endswith(
        " With 30 items a test is possible, but it often decides nothing. About 268 usually "
        "decide, if the judge is as good as a rater, two raters agree as much as is usual (.30) "
        "and each item has 3 ratings. Do not use “J” alone on “q” yet."
    )


@pytest.mark.parametrize(
    ("r", "rho", "words"),
    [
        (0.22, 0.3, "only 56 % is shown. Do not use “J” alone on “q” yet."),
        (0.3, 0.05, "any judge. Do not use “J”, or any other judge, alone on “q”."),
        (0.25, 0.3, "it tells at least two thirds of what a rater tells"),
    ],
)
def test_the_words_say_what_may_not_be_done_yet(r, rho, words):
    error = 0.01 if r == 0.25 else 0.03
    evidence = replace(GOOD, agreement=agree(r, rho, error, 0.01))
    sentence, _ = Case(candidate_of(evidence), decide(evidence)).say()
    assert words in sentence


# Of each reason, an answer with what else the verdict names.
OF_REASONS = {
    Reason.NOT_COMPARABLE: [(Answer.NOT_TESTABLE, {})],
    Reason.SAYS_NOTHING: [(NO, {})],
    Reason.TOO_FEW: [(NOT_YET, {})],
    Reason.RATERS_DISAGREE: [(Answer.PEOPLE_DISAGREE, {})],
    Reason.PEOPLE_UNSURE: [(NOT_YET, {})],
    Reason.MAY_NOT: [(NO, {})],
    Reason.UNDECIDED: [(NOT_YET, {"missing": missing}) for missing in ("", "correction", "groups")],
    Reason.KNOWN_FEATURES: [
        (answer, {"grouping": grouping, "half": half})
        for answer, half in (
            (NO, Half.JUDGE),
            (NOT_YET, Half.JUDGE),
            (NOT_YET, Half.PEOPLE),
            (Answer.PEOPLE_DISAGREE, Half.PEOPLE),
        )
        for grouping in ("", "content")
    ],
    Reason.HOLDS_RATINGS: [(Answer.NOT_TESTABLE, {})],
    Reason.EXTREMES_ONLY: [(NO, {})],
    Reason.LEVEL_OFF: [(NO, {})],
    Reason.ORDER_ONLY: [(NOT_YET, {"missing": missing}) for missing in ("", "scale", "points")],
    Reason.MAY: [(Answer.YES, {"grade": grade}) for grade in Grade],
}
RATING_USES = {
    Answer.YES: "“J” may stand in for ",
    NO: "Do not use “J” in place of ",
    NOT_YET: "Do not use “J” alone on “wit” yet.",
    Answer.NOT_TESTABLE: "Do not use “J” alone on “wit”: nothing is shown for it or against it.",
    Answer.PEOPLE_DISAGREE: "Do not use “J”, or any other judge, alone on “wit”.",
}


SHARE = {"grade": Grade.SHARE}


def say_of(make_case, reason, answer, more):
    rare = SimpleNamespace(n_majority=4, n_hits=2, n_marked=0, recall_interval=(0.2, 0.8))
    held, rest = Held("rating", 300, 300, 220.0, "wit"), Rest(0.2, 0.05)
    evidence = replace(GOOD, rare_class=rare, held=held, rest=rest)
    candidate = candidate_of(evidence, question="wit")
    return make_case(candidate, Verdict(answer, reason, **more)).say()[0]


def reasons_of(make_case):
    """The reasons that a case has texts for."""
    return {name.partition(",")[0] for name in make_case.texts}


@pytest.mark.parametrize("reason", OF_REASONS)
@pytest.mark.parametrize(("make_case", "whom"), [(Case, "a rater"), (OwnCase, "a recipient's own")])
def test_the_words_of_each_reason_name_the_judge_and_a_use(make_case, whom, reason):
    assert set(OF_REASONS) == reasons_of(make_case)
    for answer, more in OF_REASONS[reason]:
        words = say_of(make_case, reason, answer, more)
        if reason in (Reason.LEVEL_OFF, Reason.ORDER_ONLY):
            assert words.endswith("Do not use “J” for means or single scores on “wit”.")
            continue
        use = (
            "“J” may help on “wit”" if more == SHARE and make_case is Case else RATING_USES[answer]
        )
        assert words.count(use) == 1
        assert words.count("Do not use") == (answer != Answer.YES)
        if answer == NO:
            assert f"in place of {whom}" in words and words.endswith(" on “wit”.")
        if answer == Answer.YES:
            assert "Nothing is shown for other kinds of items" in words
            assert (
                make_case is OwnCase or "these 3 raters only" in words or "like these 3." in words
            )
            assert words.endswith("This says nothing of comparing systems.")


@pytest.mark.parametrize(("is_sample", "whom"), [(True, "raters like these 3"), (False, "these 3")])
def test_a_yes_says_whom_it_is_for(is_sample, whom):
    evidence = replace(GOOD, are_sample=is_sample)
    reason, _ = Case(candidate_of(evidence), decide(evidence)).say()
    assert reason.count(f"This is for {whom}") == 1


SYSTEMS_USES = {
    Answer.YES: "This says nothing of rating single items.",
    NO: "Do not compare systems by “J” on “wit”.",
    Answer.NOT_TESTABLE: "Do not compare systems by “J” alone on “wit”: nothing is shown for it or "
    "against it.",
}
NOT_DECIDED = "Do not compare systems by “J” alone on “wit” yet."
OF_SYSTEMS_REASONS = {
    Reason.NOT_COMPARABLE: [(Answer.NOT_TESTABLE, "")],
    Reason.HOLDS_RATINGS: [(Answer.NOT_TESTABLE, "")],
    Reason.FEW_SYSTEMS: [(NOT_YET, "")],
    Reason.SAYS_NOTHING: [(NO, "")],
    Reason.TOO_FEW: [(NOT_YET, "")],
    Reason.FAVOURS: [(NO, "")],
    Reason.NO_DIFFERENCE: [(NOT_YET, "")],
    Reason.UNDECIDED: [(NOT_YET, why) for why in ("margin", "order", "widest", "correction")],
    Reason.MAY: [(Answer.YES, "")],
}


@pytest.mark.parametrize("reason", OF_SYSTEMS_REASONS)
def test_the_words_of_each_reason_on_systems_name_the_judge_and_a_use(reason):
    assert set(OF_SYSTEMS_REASONS) == reasons_of(SystemsCase)
    offset = SimpleNamespace(value=0.5)
    pair = SimpleNamespace(first=0, second=1, offset=offset, is_favoured=False)
    for answer, missing in OF_SYSTEMS_REASONS[reason]:
        comparison = SystemComparison(answer, reason, (pair,), 2, missing=missing)
        evidence = replace(GOOD, held=Held("mean", 300, 300, 0.0))
        candidate = candidate_of(evidence, question="wit")
        sentence, _ = SystemsCase(candidate, comparison, ["a", "b"], 0.3, None).say()
        if reason == Reason.NOT_COMPARABLE:
            assert sentence == "There are no two systems to compare."
            continue
        assert sentence.endswith(f" {SYSTEMS_USES.get(answer, NOT_DECIDED)}")
        assert sentence.count("compare systems by") == (answer != Answer.YES)


def test_a_baseline_has_no_use_that_could_be_refused():
    verdict = Verdict(NO, Reason.SAYS_NOTHING)
    case = Case(candidate_of(GOOD, "coin", "wit", is_judge=False), verdict)
    assert case.say()[0] == "“coin” gives the same answer to every item."


@pytest.mark.parametrize("warnings", ["", "own_answers"])
def test_where_the_use_is_said_beside_the_words_leave_it_out(warnings):
    make_case = OwnCase if warnings else Case
    for reason, cases in OF_REASONS.items():
        for answer, more in cases:
            words = say_of(make_case, reason, answer, more)
            row = {"evaluator": "J", "question": "wit", "answer": str(answer)}
            row |= {"verdict": str(reason), "use": "rate_items", "warnings": warnings}
            short = without_use(SimpleNamespace(row=row, reason=words))
            assert "Do not use" not in short and words.startswith(short)
