"""A stopping plan: fixed before the first rating, with an order and with exclusion rules."""

import pytest
from django.db import IntegrityError, transaction

from annotate.models import QualityStep, StoppingPlan
from annotate.sessions import exclude
from annotate.stopping.clusters import cluster_by_item, draw_order
from annotate.stopping.exclusions import later_exclusions, standing
from annotate.stopping.plan import Refused, fix_plan, plan_of, why_not
from tests import factories

pytestmark = pytest.mark.django_db
CLUSTERS = 50
FAST = {"rule": "too_fast", "parameters": {"seconds": 5, "items": 3}}


@pytest.fixture
def study():
    study = factories.make_study(owner=factories.make_user())
    for number in range(2 * CLUSTERS):
        factories.make_item(study, f"i{number}", None, f"c{number // 2}")
    return study


def fix(study, **fields):
    fields = {"planned": 60, "alpha": 0.05, "decisions": 2, "exclusions": [FAST]} | fields
    fields = {"role": "third_party"} | fields
    fix_plan(study, study.members.get(), **fields)
    return plan_of(study)


def rate(study, rater="ann"):
    session = factories.make_session(study, rater)
    item, question = study.items.first(), study.questions.first()
    return factories.make_rating(session, item, question, 4)


def test_a_plan_keeps_an_order_of_all_clusters_drawn_by_its_seed(study):
    plan = fix(study)
    assert sorted(plan.order) == sorted(f"c{number}" for number in range(CLUSTERS))
    assert draw_order(study, plan.seed) == plan.order
    assert len({tuple(draw_order(study, seed)) for seed in range(20)}) > 10
    by_cluster = [[f"i{2 * int(name[1:]) + turn}" for turn in (0, 1)] for name in plan.order]
    keys = dict(study.items.values_list("pk", "key"))
    assert [[keys[pk] for pk in items] for items in plan.items] == by_cluster
    assert (plan.raters_per_item, plan.by_name, plan.exclusions) == (3, "owner", [FAST])


def test_items_that_get_no_places_are_in_no_cluster(study):
    study.items.filter(key="i0").update(is_practice=True)
    study.extra["gold"] = [{"item": "i1"}]
    study.save()
    names = cluster_by_item(study)
    assert set(names.values()) == {f"c{number}" for number in range(1, CLUSTERS)}


def test_a_cluster_is_the_recipient_where_there_is_one(study):
    alone = factories.make_item(study, "alone", None, None)
    of_recipient = factories.make_item(study, "own", "r9", "c0")
    names = cluster_by_item(study)
    assert (names[alone.pk], names[of_recipient.pk]) == ("alone", "r9")


def test_a_plan_comes_before_the_first_rating_or_never(study):
    assert why_not(study) == ""
    rate(study)
    assert "chosen after looking" in why_not(study)
    with pytest.raises(Refused, match="Ratings are stored already"):
        fix(study)
    assert plan_of(study) is None


def test_a_plan_is_fixed_once(study):
    fix(study)
    with pytest.raises(Refused, match="nobody can change it"):
        fix(study, planned=100)
    assert plan_of(study).planned == 60


def test_a_study_too_small_for_a_first_look_gets_no_plan(study):
    study.items.filter(content__key__in=[f"c{number}" for number in range(3, CLUSTERS)]).delete()
    with pytest.raises(Refused, match="This study has 3 clusters; a look counts from 50"):
        fix(study)
    assert plan_of(study) is None


def test_nothing_is_planned_without_items_or_a_second_rating(study):
    study.items.all().delete()
    assert why_not(study) == "No items are loaded yet."
    study.raters_per_item = 1
    assert "one rating only" in why_not(study)


@pytest.mark.parametrize(
    ("field", "value", "name"),
    [
        ("alpha", 0.5, "stopping_alpha_below_half"),
        ("alpha", 0.0, "stopping_alpha_below_half"),
        ("planned", 0, "stopping_plan_decides"),
        ("decisions", 0, "stopping_plan_decides"),
        ("raters_per_item", 1, "stopping_plan_decides"),
    ],
)
def test_the_database_refuses_a_plan_that_decides_nothing(study, field, value, name):
    plan = fix(study)
    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        StoppingPlan.objects.filter(pk=plan.pk).update(**{field: value})


def exclude_by(study, rule, parameters):
    step = QualityStep.objects.create(
        study=study, rule=rule, parameters=parameters, words="why", by_name="owner"
    )
    rater = study.raters.create(key=f"rater-{step.pk}")
    step.excluded.create(rater=rater)
    return step


def test_a_frozen_rule_may_be_applied_later(study):
    plan = fix(study)
    exclude_by(study, FAST["rule"], {"items": 3, "seconds": 5.0})
    assert later_exclusions(plan) == []


@pytest.mark.parametrize(
    ("rule", "parameters", "title"),
    [
        ("too_fast", {"seconds": 6, "items": 3}, "Too fast: median time"),
        ("straight_lining", {"answers": 12}, "Straight-lining"),
        ("by_hand", {}, "By hand"),
    ],
)
def test_other_exclusions_are_named(study, rule, parameters, title):
    plan = fix(study)
    step = exclude_by(study, rule, parameters)
    assert later_exclusions(plan) == [title]
    undone = QualityStep.objects.create(study=study, kind="undone", rule=rule, by_name="owner")
    step.excluded.update(ended_by=undone)
    assert later_exclusions(plan) == []


def test_what_is_excluded_when_the_plan_is_fixed_is_frozen_with_it(study):
    exclude_by(study, "approval_rate", {"percent": 80})
    plan = fix(study)
    assert plan.exclusions == [FAST, {"rule": "approval_rate", "parameters": {"percent": 80}}]
    assert standing(study) == plan.exclusions[1:]
    assert later_exclusions(plan) == []


def test_an_exclusion_by_hand_freezes_no_other_by_hand(study):
    exclude_by(study, "by_hand", {})
    plan = fix(study)
    assert plan.exclusions == [FAST, {"rule": "by_hand", "parameters": {}}]
    assert later_exclusions(plan) == []
    exclude_by(study, "by_hand", {})
    assert later_exclusions(plan) == ["By hand"]


def test_deleting_a_rater_with_answers_after_the_plan_is_an_exclusion(study):
    """Raters have no page that deletes their data: an owner does, and may have chosen whom."""
    owner = study.members.get()
    exclude.forget(study.raters.create(key="before"), owner)
    fix(study)
    exclude.forget(study.raters.create(key="without answers"), owner)
    assert later_exclusions(plan_of(study)) == []
    for raters in ("1 rater", "2 raters"):
        rating = rate(study, raters)
        exclude.forget(rating.session.rater, owner)
        (words,) = later_exclusions(plan_of(study))
        assert words.startswith(f"the data of {raters} deleted, which raters may have asked for")
