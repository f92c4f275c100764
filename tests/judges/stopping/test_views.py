"""The page of the stopping plan: its form, what is fixed, and why it is too late."""

import pytest

from annotate.models import Membership, QualityStep
from annotate.stopping.plan import plan_of
from judges.models import Judge, StoppingPair
from judges.stopping.forms import PlanForm
from judges.stopping.plan import pairs_of
from tests import factories

pytestmark = pytest.mark.django_db
PAGE = "/studies/films/stopping/"


@pytest.fixture
def owner():
    return factories.make_user("owner")


@pytest.fixture
def study(owner):
    study = factories.make_study(owner=owner)
    for number in range(50):
        factories.make_item(study, f"item-{number}", None, None)
    factories.make_question(study, "why", "text")
    for name in ("ada", "bea"):
        factories.make_judge(study, name)
    return study


def login(client, study, role):
    user = factories.make_user(role)
    Membership.objects.create(study=study, user=user, role=role)
    client.force_login(user)
    return client


def answers(study, **fields):
    usual = {
        "judges": [judge.pk for judge in Judge.objects.filter(study=study)],
        "questions": [study.questions.get(key="accuracy").pk],
        "role": "third_party",
        "planned": "200",
        "alpha": ".05",
        "too_fast": "on",
        "too_fast-seconds": "4",
        "too_fast-items": "3",
    }
    return usual | fields


def test_an_owner_fixes_a_plan(client, study, owner):
    client.force_login(owner)
    form = client.get(PAGE).content.decode()
    assert "Straight-lining" in form and "Fix the plan" in form
    box = form.index('name="too_fast"')
    opened, closed = form.rfind("<details", 0, box), form.rfind("</details>", 0, box)
    assert opened <= closed, "a chosen rule is seen also where its words are folded"
    assert "About why." not in form, "a question of words is not decided on"
    response = client.post(f"{PAGE}fix/", answers(study), follow=True)
    plan = plan_of(study)
    assert (plan.planned, plan.alpha, plan.decisions) == (200, 0.05, 2)
    assert plan.role == "third_party"
    frozen = {"rule": "too_fast", "parameters": {"seconds": 4.0, "items": 3}}
    assert plan.exclusions == [frozen]
    named = [(pair.judge.key, pair.question.key) for pair in pairs_of(plan)]
    assert named == [("ada", "accuracy"), ("bea", "accuracy")]
    page = response.content.decode()
    assert "The stopping plan is fixed." in page and "ada on accuracy" in page
    assert "too fast: median under 4 s per item" in page
    assert "Fix the plan" not in page
    assert '<dl class="facts">' in page and "<dd>Third party</dd>" in page


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("judges", []),
        ("questions", []),
        ("planned", "49"),
        ("alpha", ".5"),
        ("too_fast-seconds", ""),
        ("too_fast-seconds", "-1"),
    ],
)
def test_a_form_that_says_too_little_fixes_nothing(client, study, owner, field, value):
    client.force_login(owner)
    response = client.post(f"{PAGE}fix/", answers(study, **{field: value}))
    assert response.status_code == 422
    assert 'class="errorlist"' in response.content.decode()
    assert plan_of(study) is None


def test_a_study_too_small_for_a_first_look_says_so_in_place_of_the_form(client, study, owner):
    study.items.filter(pk__gt=study.items.order_by("pk")[2].pk).delete()
    client.force_login(owner)
    page = client.get(PAGE).content.decode()
    assert "This study has 3 clusters; a look counts from 50" in page
    assert "Fix the plan" not in page
    client.post(f"{PAGE}fix/", answers(study))
    assert plan_of(study) is None


def test_only_judges_that_answer_the_questions_on_their_scales_are_offered(client, study, owner):
    client.force_login(owner)
    endpoint = factories.make_endpoint()
    for method in ("profile", "recommender", "extraction", "topics", "pairwise", "fit"):
        factories.make_judge(study, f"by-{method}", endpoint, method=method)
    for kind in ("bleu-1", "sbert", "nli", "random"):
        factories.make_judge(study, f"of-{kind}", kind=kind)
    asks = factories.make_judge(study, "asks", endpoint)
    blend = factories.make_judge(study, "blend", kind="ensemble")
    blend.members.set([asks, Judge.objects.get(key="of-random")])
    mixed = factories.make_judge(study, "mixed", kind="ensemble")
    mixed.members.set([asks, Judge.objects.get(key="of-bleu-1")])
    form = PlanForm(study)
    offered = [judge.key for judge in form.fields["judges"].queryset]
    assert offered == ["ada", "asks", "bea", "blend", "of-random"]


def test_a_judge_takes_part_of_the_level_only_for_questions_that_it_answers(client, study, owner):
    client.force_login(owner)
    factories.make_question(study, "fits", "binary")
    fit = factories.make_judge(study, "fit", factories.make_endpoint(), method="fit")
    fit.question = "fits"
    fit.save()
    both = [study.questions.get(key=key).pk for key in ("accuracy", "fits")]
    ada = Judge.objects.get(key="ada")
    alone = answers(study, judges=[fit.pk], questions=both[:1])
    refused = client.post(f"{PAGE}fix/", alone)
    assert "fit answers none of these on their scales." in refused.content.decode()
    client.post(f"{PAGE}fix/", answers(study, judges=[ada.pk, fit.pk], questions=both))
    assert plan_of(study).decisions == 3


def test_a_number_of_a_rule_that_is_not_chosen_may_be_left_out(client, study, owner):
    client.force_login(owner)
    data = answers(study, **{"too_fast-seconds": ""})
    data.pop("too_fast")
    client.post(f"{PAGE}fix/", data)
    assert plan_of(study).exclusions == []


def test_after_the_first_rating_the_page_says_why_not(client, study, owner):
    session = factories.make_session(study)
    factories.make_rating(session, study.items.first(), study.questions.first(), 3)
    client.force_login(owner)
    page = client.get(PAGE).content.decode()
    assert "Ratings are stored already" in page and "chosen after looking" in page
    assert "Fix the plan" not in page
    response = client.post(f"{PAGE}fix/", answers(study), follow=True)
    assert "Ratings are stored already" in response.content.decode()
    assert plan_of(study) is None and not StoppingPair.objects.exists()


@pytest.mark.parametrize("role", ["viewer", "editor"])
def test_others_read_the_plan_and_cannot_fix_one(client, study, role):
    login(client, study, role)
    assert "An owner can fix one" in client.get(PAGE).content.decode()
    assert client.post(f"{PAGE}fix/", answers(study)).status_code in (403, 404)
    assert plan_of(study) is None


def test_the_page_says_when_the_guarantee_has_ended(client, study, owner):
    client.force_login(owner)
    client.post(f"{PAGE}fix/", answers(study))
    step = QualityStep.objects.create(study=study, rule="by_hand", words="drunk", by_name="owner")
    step.excluded.create(rater=study.raters.create(key="bob"))
    page = client.get(PAGE).content.decode()
    assert "The guarantee has ended" in page and "(By hand)" in page


def test_the_page_asks_the_database_as_often_whatever_the_number_of_judges(
    client, study, owner, django_assert_num_queries
):
    client.force_login(owner)
    client.get(PAGE)
    for number in range(20):
        factories.make_judge(study, f"judge-{number}")
    with django_assert_num_queries(9):
        client.get(PAGE)
    client.post(f"{PAGE}fix/", answers(study))
    client.get(PAGE)
    with django_assert_num_queries(7):
        client.get(PAGE)


def test_a_deleted_judge_still_shares_the_level(client, study, owner):
    client.force_login(owner)
    client.post(f"{PAGE}fix/", answers(study))
    Judge.objects.get(study=study, key="ada").delete()
    plan = plan_of(study)
    assert (len(pairs_of(plan)), plan.decisions) == (1, 2)
