"""The table of answers: each condition in turn, and the order in which they are asked."""

from dataclasses import replace

import numpy as np
import pytest

from analysis.stats.validation.checks import JOINT, Held, Level, Rest
from analysis.stats.validation.criteria import Criteria
from analysis.stats.validation.decision import decide, largest_judge_p, largest_people_p
from analysis.stats.validation.evidence import Beyond, Evidence
from analysis.stats.validation.people import CONSTANT, Agreement, Errors, Quantity


def agree(r, rho, r_error=0.03, rho_error=0.02, clusters=50, reason=""):
    items = np.diag([r_error**2, rho_error**2])
    return Agreement(r, rho, Errors(items, np.zeros((2, 2)), clusters, 3), 200, 1.0, reason)


def offset(value, error=0.03):
    return Level((Quantity(value, error, 49),))


GOOD = Evidence(
    n=200,
    n_clusters=50,
    n_raters=3,
    most_ratings=3,
    agreement=agree(0.4, 0.3),
    beyond=Beyond(((JOINT, agree(0.38, 0.28)), ("content", agree(0.3, 0.2))), ("length", "system")),
    level=offset(0.05),
    level_margin=0.25,
)


def check(reason, answer, **changes):
    verdict = decide(replace(GOOD, **changes))
    assert (verdict.reason, verdict.answer) == (reason, answer)
    return verdict


def test_all_checks_pass():
    assert check("may", "yes").grade == "rater"
    assert check("may", "yes", agreement=agree(0.25, 0.3, 0.01, 0.01)).grade == "share"
    strong = agree(0.5, 0.3, 0.01, 0.01)
    assert check("may", "yes", agreement=strong).grade == "panel"
    assert check("may", "yes", agreement=strong, most_ratings=1).grade == "rater"


def test_nothing_to_compare():
    check("not_comparable", "not_testable", n=0)
    check("not_comparable", "not_testable", is_fitted=True)


def test_what_holds_ratings_cannot_test_the_judge():
    held = {"held": Held("mean", 200, 200, 0.0), "n": 5}
    check("holds_ratings", "not_testable", **held)
    assert largest_judge_p(replace(GOOD, **held)) == 1


def test_the_rest_of_the_items_comes_before_the_level():
    alike = {"rest": Rest(0.05, 0.1), "level": offset(0.4)}
    check("extremes_only", "no", **alike)
    assert largest_judge_p(replace(GOOD, **alike)) >= 0.05
    check("may", "yes", rest=Rest(0.049, 0.1))
    check("known_features", "no", rest=Rest(1.0, 0.1), beyond=Beyond(((JOINT, agree(0.02, 0.3)),)))


def test_a_constant_judge_says_nothing():
    constant = agree(np.nan, 0.3, reason=CONSTANT)
    check("says_nothing", "no", agreement=constant, n=5)
    assert largest_judge_p(replace(GOOD, agreement=constant, n=5)) == 1


def test_too_few_items_or_clusters():
    check("too_few", "not_yet", n=29)
    check("too_few", "not_yet", n_clusters=9)
    check("may", "yes", n=30, n_clusters=10)


def test_people_disagree():
    check("raters_disagree", "people_disagree", agreement=agree(0.3, 0.05))
    flat = agree(np.nan, np.nan, reason="all ratings are equal")
    check("raters_disagree", "people_disagree", agreement=flat)


def test_people_unsure():
    # bounds .06 +/- 1.68 x .03 = .110, .02 = .094; p(.12 / .08) = .07
    check("people_unsure", "not_yet", agreement=agree(0.3, 0.06, rho_error=0.03))
    check("people_unsure", "not_yet", agreement=agree(0.3, 0.12, rho_error=0.08))
    check("raters_disagree", "people_disagree", agreement=agree(0.3, 0.06, rho_error=0.02))


def test_order():
    check("may_not", "no", agreement=agree(0.05, 0.3))
    check("undecided", "not_yet", agreement=agree(0.22, 0.3))
    check("may_not", "no", agreement=agree(-0.4, 0.3))


def test_the_joint_check_comes_before_small_groupings():
    failing = Beyond(((JOINT, agree(0.02, 0.3)), ("content", agree(0.2, 0.01))))
    verdict = check("known_features", "no", beyond=failing)
    assert (verdict.grouping, verdict.half) == ("", "judge")


@pytest.mark.parametrize(
    ("beyond", "answer", "half"),
    [
        (agree(0.2, 0.01), "people_disagree", "people"),
        (agree(0.02, 0.01), "people_disagree", "people"),
        (agree(0.2, 0.06, rho_error=0.04), "not_yet", "people"),
        (agree(0.02, 0.2), "no", "judge"),
        (agree(0.12, 0.2), "not_yet", "judge"),
        (agree(np.nan, 0.2, reason=CONSTANT), "no", "judge"),
        (agree(np.nan, np.nan, reason="all ratings are equal"), "people_disagree", "people"),
    ],
)
def test_beyond_what_is_known(beyond, answer, half):
    verdict = check("known_features", answer, beyond=Beyond((("content", beyond),)))
    assert (verdict.grouping, verdict.half) == ("content", half)


def test_where_nothing_is_known_nothing_is_asked():
    check("may", "yes", beyond=Beyond(skipped={"system": "there are not two groups"}))


def test_level():
    check("level_off", "no", level=offset(0.4))
    check("level_off", "no", level=offset(-0.74))
    check("order_only", "not_yet", level=offset(0.22))
    check("order_only", "not_yet", level=offset(0.28))
    own = check("order_only", "not_yet", level=None)
    assert own.missing == "scale"
    assert np.isnan(largest_judge_p(replace(GOOD, level=None)))


def test_a_judge_that_rounded_gives_one_answer_may_order_only():
    flat = check("order_only", "not_yet", has_one_point=True)
    assert flat.missing == "points"
    assert largest_judge_p(replace(GOOD, has_one_point=True)) == 1  # as a constant in the family
    assert check("order_only", "not_yet", has_one_point=True, level=offset(0.4)).missing == "points"


def test_only_the_correction_fails():
    verdict = decide(GOOD, passes_correction=False)
    assert (verdict.reason, verdict.missing, verdict.grade) == ("undecided", "correction", None)
    off = decide(replace(GOOD, level=offset(0.4)), passes_correction=False)
    assert off.reason == "level_off"


def test_options_change_the_answer():
    strict = decide(GOOD, Criteria(retention=0.99, alpha=0.001))
    assert strict.reason == "undecided"
    assert decide(GOOD, Criteria(floor=0.35)).reason == "raters_disagree"
    assert decide(GOOD, Criteria(floor=0.32)).reason == "people_unsure"


def test_largest_p_of_judge_and_people():
    p = [agree(0.4, 0.3).retention(2 / 3), agree(0.38, 0.28).retention(0.5)]
    p = [theta.p_above() for theta in p] + [offset(0.05).p_within(0.25)]
    joint = replace(GOOD.beyond, parts=GOOD.beyond.parts[:1])
    assert largest_judge_p(replace(GOOD, beyond=joint)) == pytest.approx(max(p))
    assert largest_people_p(GOOD) == pytest.approx(agree(0.3, 0.2).rho.p_above())
    assert np.isnan(largest_judge_p(replace(GOOD, is_fitted=True)))


def test_warnings():
    assert decide(GOOD).warnings == ()
    assert decide(replace(GOOD, n_missing=23)).warnings == ("missing",)
    assert decide(replace(GOOD, n_missing=15)).warnings == ()
