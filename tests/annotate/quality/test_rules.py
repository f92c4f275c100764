"""What each exclusion rule measures, and whom it would exclude; the numbers are counted by hand."""

import pytest

from annotate.models import Place, Rater, Rating, RatingRevision
from annotate.quality.measures import Evidence
from annotate.quality.rules import RULES, offered, preview
from tests import factories

pytestmark = pytest.mark.django_db


def answers(study, name, values, seconds=None, **fields):
    """Ann's answers {question: values by item}, all the same seconds by item."""
    session = factories.make_session(study, name, **fields)
    for key, of_items in values.items():
        question = study.questions.get(key=key)
        for number, (item, value) in enumerate(zip(study.items.all(), of_items, strict=False)):
            if value is not None:
                time = seconds[number] if seconds else None
                factories.make_rating(session, item, question, value, seconds=time)
    return session


def found(study, rule, **parameters):
    """({rater: what was measured} of who would go, how many cannot be judged)."""
    given = {p.name: p.default for p in RULES[rule].parameters} | parameters
    seen = preview(study, RULES[rule], given)
    return {rater.key: round(value, 6) for rater, value in seen.out}, seen.unjudged


def test_too_fast_takes_the_median_over_items_of_the_time_to_the_last_answer(study):
    session = answers(study, "ann", {"accuracy": [3, 3, 3]}, seconds=[1, 9, 4])
    last = study.questions.get(key="satisfaction")
    for item, seconds in zip(study.items.all(), [2, 10, 4.5], strict=False):
        factories.make_rating(session, item, last, 3, seconds=seconds)
    answers(study, "bob", {"accuracy": [3, 3, 3]}, seconds=[5, 5, 5])
    answers(study, "cem", {"accuracy": [3, 3]}, seconds=[1, 1])
    answers(study, "dan", {"accuracy": [3, 3, 3]})
    assert found(study, "too_fast", seconds=5) == ({"ann": 4.5}, 2)
    assert found(study, "too_fast", seconds=4.5) == ({}, 2)
    assert found(study, "too_fast", seconds=5, items=2) == ({"ann": 4.5, "cem": 1}, 1)


def test_the_parts_of_an_item_are_one_item_of_one_time(study):
    whole = study.items.first()
    study.items.exclude(pk=whole.pk).update(parent=whole)
    answers(study, "ann", {"accuracy": [3, 3, 3, 3]}, seconds=[1, 2, 3, 9])
    assert found(study, "too_fast", seconds=10, items=1) == ({"ann": 9}, 0)
    assert found(study, "too_fast", seconds=10, items=2) == ({}, 1)


def test_the_share_of_quick_answers(study):
    answers(study, "ann", {"accuracy": [3, 3, 3, 3]}, seconds=[1, 1.9, 2, 7])
    answers(study, "bob", {"accuracy": [3, 3, 3, 3]}, seconds=[1, 1, 1, 7])
    assert found(study, "fast_answers", answers=4) == ({"bob": 75}, 0)
    assert found(study, "fast_answers", answers=4, share=49) == ({"ann": 50, "bob": 75}, 0)
    assert found(study, "fast_answers", answers=5) == ({}, 2)


def test_straight_lining_is_one_point_of_the_scale_on_all_likert_questions(study):
    factories.make_question(study, "fits", scale="binary")
    factories.make_question(study, "why", scale="text")
    answers(study, "ann", {"accuracy": [4, 4], "satisfaction": [4, 4], "fits": [0, 1]})
    answers(study, "bob", {"accuracy": [4, 4], "satisfaction": [4, 5]})
    answers(study, "cem", {"accuracy": [4, 4, 4]})
    assert found(study, "straight_lining", answers=4) == ({"ann": 1}, 1)
    assert found(study, "straight_lining", answers=3) == ({"ann": 1, "cem": 1}, 0)


def test_low_agreement_compares_with_the_mean_of_the_others_on_the_same_items(study):
    answers(study, "ann", {"accuracy": [1, 2, 4, 5]})
    answers(study, "bob", {"accuracy": [2, 2, 4, 4]})
    answers(study, "dan", {"accuracy": [5, 4, 2, 1]})
    # ann against 3.5, 3, 3, 2.5: r = -2 / sqrt(10 * 0.5); dan against 1.5, 2, 4, 4.5:
    # r = -8 / sqrt(10 * 6.5); bob against 3, 3, 3, 3: undefined.
    out, unjudged = found(study, "low_agreement", items=4)
    assert out == {"ann": -0.894427, "dan": -0.992278} and unjudged == 1
    assert set(found(study, "low_agreement", items=4, correlation=-0.9)[0]) == {"dan"}


def test_who_is_excluded_is_neither_judged_nor_one_of_the_others(study):
    answers(study, "ann", {"accuracy": [1, 2, 4, 5]})
    answers(study, "bob", {"accuracy": [2, 2, 4, 4]})
    dan = answers(study, "dan", {"accuracy": [5, 4, 2, 1]})
    Rater.objects.filter(pk=dan.rater_id).update(excluded_because="too fast")
    assert found(study, "low_agreement", items=4) == ({}, 0)
    assert found(study, "low_agreement", items=4, correlation=1)[0] == {
        "ann": 0.948683,
        "bob": 0.948683,
    }


def test_agreement_that_is_undefined_judges_nobody(study):
    answers(study, "ann", {"accuracy": [3, 3, 3, 3]})
    answers(study, "bob", {"accuracy": [1, 2, 3, 4]})
    answers(study, "cem", {"accuracy": [None, None, 1, 2]})
    out, unjudged = found(study, "low_agreement", items=3, correlation=1)
    assert "ann" not in out and "cem" not in out and unjudged == 2


def test_answers_on_different_scales_are_compared_on_one_from_0_to_1(study):
    factories.make_question(study, "wide", scale={"min": 0, "max": 100})
    rows = Evidence(study)
    answers(study, "ann", {"accuracy": [1, 5], "wide": [0, 50]})
    assert sorted(rows.on_ordered_points["value"].tolist()) == [0, 0, 0.5, 1]


def test_only_the_first_completed_visit_of_a_participant_stays(study):
    for name, pid, state in (
        ("quit", "p1", "abandoned"),
        ("done", "p1", "completed"),
        ("again", "p1", "completed"),
        ("other", "p2", "completed"),
        ("nobody", "", "completed"),
    ):
        session = factories.make_session(study, name, state=state)
        ids = {"PROLIFIC_PID": pid} if pid else {}
        Rater.objects.filter(pk=session.rater_id).update(platform_ids=ids)
    assert found(study, "duplicate") == ({"again": 2, "quit": 3}, 1)


@pytest.mark.parametrize(
    ("rule", "given", "number"),
    [("approval_rate", "79.5", 79.5), ("task_count", 49, 49)],
)
def test_platform_numbers_judge_only_who_has_one(study, rule, given, number):
    for key, value in (("ann", given), ("bob", 80), ("cem", "much")):
        session = factories.make_session(study, key)
        Rater.objects.filter(pk=session.rater_id).update(platform_ids={rule: value})
    factories.make_session(study, "dan")
    assert found(study, rule) == ({"ann": number}, 2)


def test_rules_about_the_platform_are_offered_where_it_told_something(study):
    session = factories.make_session(study)
    before = {rule.key for rule in offered(study)}
    assert before == {"too_fast", "fast_answers", "straight_lining", "low_agreement"}
    ids = {"PROLIFIC_PID": "p1", "task_count": 3}
    Rater.objects.filter(pk=session.rater_id).update(platform_ids=ids)
    assert {rule.key for rule in offered(study)} - before == {"duplicate", "task_count"}


def test_one_question_after_the_items_is_enough_for_the_rule_on_any_answer(study):
    study.extra = {"exit": ["age"]}
    study.save()
    assert "exit_answer" in {rule.key for rule in offered(study)}
    assert "few_movies" not in {rule.key for rule in offered(study)}


def test_a_preview_names_the_furthest_off_first_and_what_it_was_asked(study):
    for name, seconds in (("ann", 3), ("bob", 1), ("cem", 2)):
        answers(study, name, {"accuracy": [3]}, seconds=[seconds])
    given = {"seconds": 5, "items": 1}
    seen = preview(study, RULES["too_fast"], given)
    assert [(rater.key, seconds) for rater, seconds in seen.out] == [
        ("bob", 1),
        ("cem", 2),
        ("ann", 3),
    ]
    assert seen.given == [("seconds", 5), ("items", 1)]
    assert len(seen.seen) == 16 and seen.seen == preview(study, RULES["too_fast"], given).seen
    fewer = preview(study, RULES["too_fast"], given | {"seconds": 3})
    assert len(fewer.out) == 2 and fewer.seen != seen.seen


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_on_nothing_excludes_nobody_and_has_short_words(study, rule):
    given = {p.name: p.default for p in RULES[rule].parameters}
    assert found(study, rule) == ({}, 0)
    assert 0 < len(RULES[rule].reason({name: 10_000.5 for name in given})) <= 200
    assert "{" not in RULES[rule].reason(given) + RULES[rule].why_unjudged(given)


def test_the_preview_counts_places_that_open_now_and_who_is_at_work(study):
    ann = answers(study, "ann", {"accuracy": [3, 3]}, seconds=[1, 1])
    bob = answers(study, "bob", {"accuracy": [3]}, seconds=[1], state="rating", source="web")
    for session, state, items in ((ann, "filled", 2), (bob, "held", 3)):
        for item in study.items.all()[:items]:
            item.places.filter(state="open").first()
            place = item.places.filter(state="open").first()
            Place.objects.filter(pk=place.pk).update(
                state=state, rater=session.rater, session=session
            )
    seen = preview(study, RULES["too_fast"], {"seconds": 5, "items": 1})
    assert (len(seen.out), seen.raters, seen.places, seen.still_rating) == (2, 2, 2, 1)


def test_a_preview_changes_nothing_and_reads_the_answers_once(study, django_assert_max_num_queries):
    for key in "abcdefgh":
        answers(study, key, {"accuracy": [1, 2, 3, 4]}, seconds=[1] * 4)
    for rule in RULES.values():
        with django_assert_max_num_queries(6):
            preview(study, rule, {p.name: p.default for p in rule.parameters})
    assert not Rater.objects.exclude(excluded_because="").exists()
    assert Rating.objects.count() == 32 and not RatingRevision.objects.exists()
