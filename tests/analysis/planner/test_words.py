"""What is said of a plan."""

from analysis.planner import words
from analysis.planner.options import PlanOptions
from analysis.planner.plan import make_plan


def answer(**options):
    return words.sentences(make_plan(PlanOptions(**options)))


def notes(**options):
    return " ".join(words.notes(make_plan(PlanOptions(**options))))


def test_the_answer_is_one_sentence_and_what_its_probability_is_of():
    first, second = answer()
    assert first == "454 items with 2 ratings each decide: 908 ratings, 91 sessions, about 121.33."
    assert second == (
        "Then a judge like this passes all checks with probability .80. What decides most: whether "
        "the judge keeps enough of a rater’s agreement."
    )


def test_two_systems():
    first, second = answer(use="compare_systems")
    assert first.startswith("300 items of each of two systems with 2 ratings each decide")
    assert second.startswith(
        "Then a judge that favours neither system is shown to favour neither with probability .80."
    )


def test_few_raters_are_warned_of():
    *_, last = answer(rho=1.0)
    assert last.startswith("These are fewer than 10 raters")
    assert len(answer(session_items=10)) == 2


def test_why_nothing_can_be_shown():
    first, second = answer(rho=0.1)
    assert first == "With these numbers no number of items can show it."
    assert second.startswith("Two raters of an item agree by .10. At .10 or less no judge")
    _, reason = answer(judge=0.3)
    assert reason.startswith("A judge like this agrees with a rater by .16. That is not more than")
    assert len(answer(rho=0.1, judge=-1)) == 3


def test_why_nothing_can_be_shown_of_systems():
    systems = {"use": "compare_systems"}
    _, reason = answer(**systems, rho=0.1)
    assert reason.startswith("Two raters of an item agree by .10. At .10 or less no judge")
    first, reason = answer(**systems, judge=-1)
    assert first == "With these numbers no number of items can show it."
    assert reason.startswith("A judge like this agrees with a rater by -.55: it does not follow")
    assert len(answer(**systems, judge=0)) == 2


def test_the_fewest_items_are_named():
    assert "What decides most: the fewest items of a verdict." in answer(rho=1.0)[1]


def test_notes_say_what_is_assumed_and_left_out():
    text = notes()
    for part in ("joint check", "text length", "several judges", "0.25 points", "leniency"):
        assert part in text
    assert "takes out 12 numbers" in text and "takes out 16 numbers" in notes(systems=4)
    assert "At least 10 raters, else the verdict is about these raters only." in text
    assert "One rating an item can decide nothing" in text
    assert "at one end" in notes(answers="one_end") and "at one end" not in text
    assert "1.4 times as many" in notes(cluster_items=5) and "assumed" in notes(cluster_items=5)
    assert "0.3 points" in notes(use="compare_systems")
    assert "in proportion" in notes(scale="range")
