"""One-shot examples: which rating stands in a prompt, and which never does."""

from collections import Counter

import pytest
from django.db import IntegrityError, transaction
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from annotate.design import splits
from annotate.models import Content, Item, Rater, Rating, Recipient, System
from annotate.values.scales import parse_scale
from judges.models import HeldOut, Judge, Judgment, Material
from judges.prompting import fill
from judges.prompting.examples import Examples
from judges.runs import resume
from judges.runs.plan import PlanError, plan
from tests import factories

ONE, PERSONALISED = Judge.Shots.ONE, Judge.Shots.PERSONALISED
QUESTIONS = {"fits": "It fits.", "clear": "It is clear."}


def make_grid(recipients=3, contents=3, systems=2, slug="films", rated=lambda key: True):
    """Every recipient, content and system once; rated in full by its recipient where `rated`."""
    study = factories.make_study(slug, questions=QUESTIONS)
    for u in range(recipients):
        session = factories.make_session(study, f"u{u}", Rater.Role.RECIPIENT)
        for i in range(contents):
            for g in range(systems):
                key = f"u{u}-i{i}-g{g}"
                item = factories.make_item(study, key, f"u{u}", f"i{i}", f"g{g}", text=key)
                for question in study.questions.all() if rated(key) else []:
                    factories.make_rating(session, item, question, 1 + item.pk % 5)
    return study


def make_judge(study, shots=ONE, **fields):
    endpoint = factories.make_endpoint(key=f"e{study.pk}")
    fields = {"shots": shots, "prompt": "explanation.v2"} | fields
    return factories.make_judge(study, "judge", endpoint, **fields)


def planned(study, shots=ONE, **fields):
    return plan(make_judge(study, shots, **fields))


def materials(run):
    names = ["item__key", "example__key", "rater__key", "ratings"]
    return {key: rest for key, *rest in run.materials.values_list(*names)}


pytestmark = pytest.mark.django_db


def test_an_example_is_another_pair_of_the_same_system():
    found = materials(planned(make_grid()))
    assert len(found) == 18
    for item, (example, rater, ratings) in found.items():
        u, i, g = item.split("-")
        u0, i0, g0 = example.split("-")
        assert g0 == g
        assert (u0, i0) != (u, i)
        assert rater == u0
        value = 1 + Item.objects.get(key=example).pk % 5
        assert ratings == {"fits": value, "clear": value}
    assert any(item[:2] == example[:2] for item, (example, *_) in found.items()), "u0 may equal u"
    assert any(item[:2] != example[:2] for item, (example, *_) in found.items())


def test_a_personalised_example_is_another_content_of_the_same_recipient_and_system():
    for item, (example, *_) in materials(planned(make_grid(), PERSONALISED)).items():
        u, i, g = item.split("-")
        assert example in {f"{u}-i{other}-{g}" for other in range(3)} - {item}


def test_draws_are_even():
    """60 items draw from 8 other pairs each: no pair is preferred."""
    study = make_grid(recipients=3, contents=3, systems=1)
    judge = make_judge(study)
    examples = Examples(judge, list(study.questions.all()))
    item = study.items.select_related("recipient", "content").first()
    counts = Counter()
    for seed in range(4000):
        judge.settings = judge.settings.changed(seed=seed)
        counts[examples.draw(item).item] += 1
    assert len(counts) == 8
    assert item.pk not in counts
    # 500 each; six standard deviations are 125
    assert all(375 < count < 625 for count in counts.values()), counts


def test_the_same_seed_draws_the_same_whatever_the_order_of_rows():
    study, other = make_grid(slug="one"), make_grid(slug="two")
    first, again = materials(planned(study, seed=3)), materials(planned(other, seed=3))
    assert {k: v[0] for k, v in first.items()} == {k: v[0] for k, v in again.items()}
    judge = factories.make_judge(
        study,
        "other",
        factories.make_endpoint(key="x"),
        shots=ONE,
        seed=4,
        prompt="explanation.v2",
    )
    assert materials(plan(judge)) != first


def test_an_example_says_what_the_judge_is_asked_for():
    study = make_grid(recipients=2, contents=2, systems=1)
    stars = parse_scale({"choice": [5, 4, 3, 2, 1]}).as_dict()
    study.questions.filter(key="fits").update(scale_spec=stars)
    for example, _, ratings in materials(planned(study)).values():
        (value,) = {*Rating.objects.filter(item__key=example).values_list("value", flat=True)}
        assert ratings == {"fits": f"{6 - value:g}", "clear": value}
        text = fill.example("$text $ratings", Item.objects.get(key=example), ratings)
        assert text == f'{example} fits "{6 - value:g}", clear {value:g}'


def test_an_example_carries_all_questions():
    study = make_grid(recipients=2, contents=2, systems=1)
    Rating.objects.filter(item__key="u1-i1-g0", question__key="clear").delete()
    shown = {example for example, *_ in materials(planned(study)).values()}
    assert "u1-i1-g0" not in shown


@pytest.mark.parametrize(
    "why",
    [
        {"session__state": "abandoned"},
        {"session__rater__excluded_because": "failed the check"},
        {"session__rater__role": "third_party"},
    ],
)
def test_only_ratings_that_count_and_of_the_role_are_examples(why):
    study = make_grid(recipients=2, contents=2, systems=1)
    ((name, value),) = why.items()
    row = study.sessions.get(rater__key="u1")
    row = row.rater if "rater" in name else row
    setattr(row, name.rpartition("__")[2], value)
    row.save()
    assert {rater for _, rater, _ in materials(planned(study)).values()} == {"u0"}


def test_the_role_can_be_chosen():
    study = make_grid(recipients=2, contents=2, systems=1)
    session = factories.make_session(study, "expert", Rater.Role.EXPERT)
    for question in study.questions.all():
        factories.make_rating(session, study.items.get(key="u0-i0-g0"), question, 2)
    run = planned(study, example_role=Rater.Role.EXPERT)
    assert {(e, r) for e, r, _ in materials(run).values()} == {("u0-i0-g0", "expert")}
    (reason,) = set(run.judgments.filter(item__key="u0-i0-g0").values_list("reason", flat=True))
    assert reason.endswith(
        "no other pair of the same system was rated in full by a rater of role expert"
    )


def test_without_a_candidate_nothing_is_asked_and_the_reason_is_said():
    study = make_grid(recipients=2, contents=2, systems=1, rated=lambda key: key < "u1")
    factories.make_item(study, "alone", "u0", "i9", None)
    factories.make_item(study, "nobody", None, "i9", "g0")
    run = planned(study, PERSONALISED)
    not_asked = run.judgments.filter(state=Judgment.State.NOT_ASKED)
    reasons = dict(not_asked.values_list("item__key", "reason"))
    other = "no example: no other content of the same recipient and system was rated in full by a "
    assert reasons == {
        "u1-i0-g0": other + "rater of role recipient",
        "u1-i1-g0": other + "rater of role recipient",
        "alone": "no example: the item has no system",
        "nobody": "no example: the item has no recipient",
    }
    assert set(materials(run)) == {"u0-i0-g0", "u0-i1-g0"}
    assert not not_asked.exclude(value=None, settled_at__isnull=False).exists()
    assert set(run.judgments.filter(state="pending").values_list("item__key", flat=True)) == set(
        materials(run)
    )


def test_what_was_not_asked_is_not_asked_again():
    study = make_grid(recipients=2, contents=1, systems=1, rated=lambda key: key < "u1")
    run = planned(study)
    run.state = "finished"
    run.save()
    assert resume.reset_failed(run) == 0
    assert run.judgments.filter(state=Judgment.State.NOT_ASKED).count() == 2


def test_the_database_refuses_an_item_as_its_own_example():
    run = planned(make_grid())
    material = run.materials.first()
    material.example_id = material.item_id
    with pytest.raises(IntegrityError), transaction.atomic():
        material.save()


def test_strict_mode_holds_a_share_of_the_rated_items_out():
    study = make_grid(rated=lambda key: key != "u2-i2-g1")
    run = planned(study, strict=True, pool_share=0.3)
    pool = set(run.held_out.values_list("item__key", flat=True))
    assert len(pool) == 5, "30 % of 17 rated items"
    assert "u2-i2-g1" not in pool
    judged = set(run.judgments.values_list("item__key", flat=True))
    assert judged == set(study.items.values_list("key", flat=True)) - pool
    assert {example for example, *_ in materials(run).values()} <= pool
    assert run.frozen["left_out"]["items_held_out"] == 5


def test_a_strict_judge_keeps_the_pool_of_its_first_run():
    study = make_grid(rated=lambda key: key < "u2")
    first = planned(study, strict=True)
    session = study.sessions.get(rater__key="u2")
    for item in study.items.filter(key__startswith="u2"):
        for question in study.questions.all():
            factories.make_rating(session, item, question, 3)
    first.state = "finished"
    first.save()
    again = plan(first.judge)
    pools = [set(run.held_out.values_list("item", flat=True)) for run in (first, again)]
    assert pools[0] == pools[1]


# A locked test part


def make_locked(**fields):
    """printf 7:u1 | sha256sum begins with 07b9, 7:u2 with 60d6, 7:u0 with 973d: at .2 only u1."""
    study = make_grid(**fields)
    splits.lock(study, 7, 0.2, "owner")
    return study


@pytest.mark.parametrize("strict", [False, True])
def test_no_example_is_drawn_from_a_locked_test_part(strict):
    """Neither for the items of the rest nor for its own."""
    study = make_locked()
    run = planned(study, strict=strict, pool_share=0.3)
    found = materials(run)
    assert {example[:2] for example, *_ in found.values()} == {"u0", "u2"}
    assert {key[:2] for key in found} == {"u0", "u1", "u2"}
    held_out = run.held_out.values_list("item__key", flat=True)
    assert len(held_out) == 4 * strict, "30 % of the 12 items from which examples may be drawn"
    assert not [key for key in held_out if key.startswith("u1")]


def test_once_it_is_unlocked_examples_are_drawn_from_all():
    study = make_locked()
    splits.unlock(study, "owner", "all is chosen")
    assert {example[:2] for example, *_ in materials(planned(study)).values()} >= {"u1"}


def test_personalised_examples_of_a_locked_test_part_stay_in_it():
    found = materials(planned(make_locked(), PERSONALISED))
    assert len(found) == 18
    assert all(key[:2] == example[:2] for key, (example, *_) in found.items())


def test_where_only_a_locked_test_part_was_rated_the_reason_says_so():
    run = planned(make_locked(rated=lambda key: key.startswith("u1")))
    assert not run.materials.exists()
    (reason,) = set(run.judgments.values_list("reason", flat=True))
    assert reason.endswith("of role recipient outside the locked test part")


# Studies of any shape: which ratings there are, who gave them, what has no recipient or content.

ITEMS = st.lists(
    st.tuples(
        st.sampled_from([None, "u0", "u1", "u2"]),
        st.sampled_from([None, "i0", "i1", "i2"]),
        st.sampled_from([None, "g0", "g1"]),
        st.sampled_from([(), ("fits",), ("fits", "clear")]),
    ),
    min_size=1,
    max_size=14,
)


def any_study(rows):
    study = factories.make_study(f"any-{Item.objects.count()}", questions=QUESTIONS)
    questions = {question.key: question for question in study.questions.all()}
    session = factories.make_session(study, "r", Rater.Role.RECIPIENT)
    for number, (recipient, content, system, rated) in enumerate(rows):
        item = factories.make_item(study, f"x{number}", recipient, content, system)
        for key in rated:
            factories.make_rating(session, item, questions[key], 1 + number % 5)
    return study


@settings(max_examples=40)
@given(
    rows=ITEMS,
    shots=st.sampled_from([ONE, PERSONALISED]),
    strict=st.booleans(),
    share=st.sampled_from([0.01, 0.3, 0.9]),
    seed=st.integers(0, 99),
)
def test_no_rating_of_an_item_or_its_pair_enters_its_prompt(rows, shots, strict, share, seed):
    """And in strict mode no rating is both an example and something to compare with."""
    assume(not (strict and len(rows) == 1 and _is_example(rows[0])))  # nothing is left to judge
    with transaction.atomic():
        study = any_study(rows)
        run = planned(study, shots, strict=strict, pool_share=share, seed=seed)
        for material in run.materials.select_related("item", "example"):
            item, example = material.item, material.example
            assert example.pk != item.pk
            assert example.system_id == item.system_id is not None
            assert (example.recipient_id, example.content_id) != (
                item.recipient_id,
                item.content_id,
            )
            assert len(material.ratings) == 2, "all questions"
            if shots == PERSONALISED:
                assert example.recipient_id == item.recipient_id is not None
                assert example.content_id != item.content_id
        shown = set(run.materials.values_list("example", flat=True))
        judged = set(run.judgments.values_list("item", flat=True))
        pool = set(run.held_out.values_list("item", flat=True))
        assert not pool & judged
        assert shown <= pool if strict else not pool
        asked = run.judgments.filter(state=Judgment.State.PENDING)
        assert set(asked.values_list("item", flat=True)) == set(
            run.materials.values_list("item", flat=True)
        ), "never zero-shot instead"
        transaction.set_rollback(True)


def _is_example(row):
    _, _, system, rated = row
    return system is not None and len(rated) == 2


def test_a_plan_says_that_all_items_are_held_out():
    study = make_grid(recipients=1, contents=1, systems=1)
    with pytest.raises(PlanError, match="All items that could be judged are held out"):
        planned(study, strict=True)


def many_items_rated(count):
    """`count` items of 50 recipients and 8 systems, each rated in full by one recipient."""
    study = factories.make_study("many", questions=QUESTIONS)
    session = factories.make_session(study, "r", Rater.Role.RECIPIENT)
    make = {
        model: model.objects.bulk_create(model(study=study, key=f"k{n}") for n in range(size))
        for model, size in ((Recipient, 50), (Content, count // 400), (System, 8))
    }
    items = Item.objects.bulk_create(
        Item(
            study=study,
            key=f"item-{n}",
            kind="explanation",
            text="Because.",
            system=make[System][n % 8],
            recipient=make[Recipient][n // 8 % 50],
            content=make[Content][n // 400],
        )
        for n in range(count)
    )
    Rating.objects.bulk_create(
        Rating(session=session, item=item, question=question, value=3)
        for item in items
        for question in study.questions.all()
    )
    return study


def test_thousands_of_items_take_few_queries(django_assert_max_num_queries):
    study = many_items_rated(2_000)
    judge = make_judge(study)
    with django_assert_max_num_queries(250) as counted:
        run = plan(judge)
    reads = [query for query in counted.captured_queries if query["sql"].startswith("SELECT")]
    assert len(reads) <= 16
    assert Material.objects.filter(run=run).count() == 2_000
    assert not HeldOut.objects.exists()
