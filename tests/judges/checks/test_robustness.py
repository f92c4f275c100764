"""Tests of robustness: the prompts that are sent, how replies are read, and that nothing counts."""

import json
import random

import pytest

from annotate.models import Content, Interaction
from judges.checks import robustness
from judges.checks.robustness import Chosen
from judges.models import Endpoint, Judge, Run
from judges.perturbations import perturb
from judges.runs import drive
from judges.runs.plan import PlanError, plan
from tests import factories
from tests.judges.prompting.test_examples import make_grid
from tests.podcasts import make_podcasts
from tests.scripted_server import ScriptedServer, chat

pytestmark = pytest.mark.django_db


def schema_of(request):
    return request["response_format"]["json_schema"]["schema"]["properties"]


def prompt_of(request):
    return request["messages"][0]["content"]


def steady(number, request):
    """Ignores all perturbations: three quarters up each scale, whatever the prompt looks like."""
    scales = {key: rule["enum"] for key, rule in schema_of(request).items() if "enum" in rule}
    return chat(
        json.dumps(
            {key: points[0] + 3 * (points[-1] - points[0]) // 4 for key, points in scales.items()}
        )
    )


def at_random(seed=1):
    """Draws each answer from all points of its scale, of a multiplied one too."""
    rng = random.Random(seed)

    def script(number, request):
        scales = {key: rule["enum"] for key, rule in schema_of(request).items() if "enum" in rule}
        return chat(json.dumps({key: rng.choice(points) for key, points in scales.items()}))

    return script


@pytest.fixture
def study(owner):
    return factories.make_study(owner=owner, items=6)


@pytest.fixture
def server():
    with ScriptedServer(steady) as server:
        yield server


def run_of(study, server, **fields):
    endpoint = Endpoint.objects.first()
    endpoint = endpoint or factories.make_endpoint(server.url, timeout_seconds=5, concurrency=1)
    run = plan(factories.make_judge(study, "careful", endpoint=endpoint, **fields))
    drive.work_through(run.pk)
    server.requests.clear()
    return Run.objects.get(pk=run.pk)


@pytest.fixture
def past(study, server):
    """A finished run."""
    return run_of(study, server)


def put_to_test(past, **chosen):
    run = robustness.plan_test(past, Chosen(**chosen))
    drive.work_through(run.pk)
    run.refresh_from_db()
    assert run.state == Run.State.FINISHED
    return run


def values(run, relation):
    return set(run.judgments.filter(relation=relation).values_list("value", flat=True))


def test_each_relation_is_asked_so_often_and_no_change_once_more(past, server):
    run = put_to_test(past, items=3, repeats=2, relations={"spaces": {}, "shift": {"by": 2}})
    units = run.judgments.filter(lead=True)
    counts = {key: units.filter(relation=key).count() for key in ("no_change", "spaces", "shift")}
    assert counts == {"no_change": 9, "spaces": 6, "shift": 6}
    assert len(server.requests) == 21, "nothing stored is taken for an answer"
    assert run.frozen["robustness"] == {
        "relations": {"no_change": {}, "spaces": {"rate": 0.15}, "shift": {"by": 2}},
        "scales": {key: [1, 5] for key in factories.ASPECTS},
        "repeats": 2,
        "seed": 1,
        "items": 3,
    }


def test_what_is_answered_on_another_scale_is_mapped_back_and_the_reply_kept(past):
    run = put_to_test(past, items=2, repeats=1, relations={"multiply": {"factor": 3}, "shift": {}})
    assert values(run, "no_change") == values(run, "shift") == values(run, "multiply") == {4}
    replies = {
        judgment.relation: json.loads(judgment.call.reply)["accuracy"]
        for judgment in run.judgments.select_related("call")
    }
    assert replies == {"no_change": 4, "multiply": 12, "shift": 5}


def test_prompts_name_the_changed_scale_by_its_ends(past, server):
    put_to_test(past, items=1, repeats=1, relations={"multiply": {}, "shift": {}})
    plain, multiplied, shifted, _ = map(prompt_of, server.requests)
    disagree, agree = "strongly disagree", "strongly agree"
    for prompt, low, high in [(plain, 1, 5), (multiplied, 2, 10), (shifted, 2, 6)]:
        ends = f"integers between {low}-{high}, where {low} indicates {disagree} and {high}"
        assert f"{ends} indicates {agree}" in prompt


# What is sent


def sent(past, server, key, **more):
    """(the unchanged prompt, the first changed one, its request) of one item."""
    run = put_to_test(past, items=1, repeats=1, relations={key: more})
    units = run.judgments.filter(lead=True).order_by("unit")
    by_relation = {each.relation: each.call.messages[0]["content"] for each in units}
    request = next(r for r in server.requests if prompt_of(r) == by_relation[key])
    return by_relation["no_change"], by_relation[key], request


@pytest.mark.parametrize("key", ["spaces", "random_words", "typos"])
def test_keys_markers_and_numbers_stay_while_words_change(past, server, key):
    plain, changed, request = sent(past, server, key, rate=1.0)
    assert changed != plain
    for kept in ("<<<EXPLANATION\n", "\nEXPLANATION>>>", "accuracy", "satisfaction", "1-5"):
        assert plain.count(kept) == changed.count(kept) > 0
    assert "immerse" in plain and ("immerse yourself" not in changed)
    assert list(schema_of(request)) == list(schema_of(server.requests[0]))


def test_each_repetition_is_drawn_anew_and_the_same_by_the_same_seed(past, server):
    def prompts(seed):
        run = put_to_test(past, items=6, repeats=3, seed=seed, relations={"typos": {"rate": 0.5}})
        rows = run.judgments.filter(relation="typos", lead=True, item__key="item-3")
        return list(rows.order_by("sample").values_list("call__messages", flat=True))

    first = prompts(1)
    assert len({str(messages) for messages in first}) == 3
    assert prompts(1) == first
    assert prompts(2) != first


def test_aspects_stand_in_another_order_in_prompt_and_schema(past, server):
    plain, changed, request = sent(past, server, "aspect_order")
    keys = [line.split(":")[0] for line in changed.splitlines() if line.startswith("- ")]
    assert sorted(keys) == sorted(f"- {key}" for key in factories.ASPECTS)
    assert keys != [f"- {key}" for key in factories.ASPECTS]
    assert [f"- {key}" for key in schema_of(request)] == keys


def test_a_longer_text_stands_between_its_markers(past, server):
    plain, changed, _ = sent(past, server, "longer", sentences=2)
    inside = plain.split("<<<EXPLANATION\n")[1].split("\nEXPLANATION>>>")[0]
    longer = changed.split("<<<EXPLANATION\n")[1].split("\nEXPLANATION>>>")[0]
    assert longer.startswith(f"{inside} ") and longer.count(".") == inside.count(".") + 2
    assert changed.replace(longer, inside) == plain


@pytest.mark.parametrize("key", ["politeness", "authority"])
def test_what_is_said_around_leaves_the_prompt_within(past, server, key):
    plain, changed, _ = sent(past, server, key)
    assert plain in changed and len(changed) > len(plain)


def test_an_examples_ratings_are_on_the_changed_scale(server):
    study = make_grid()
    past = run_of(study, server, prompt="explanation.v2", shots=Judge.Shots.ONE)
    plain, changed, _ = sent(past, server, "multiply", factor=2)

    def ratings(text):
        line = text.split("Ratings: ")[1].splitlines()[0]
        return [float(part.split()[1]) for part in line.split(", ")]

    assert ratings(changed) == [2 * value for value in ratings(plain)]


def with_history(study):
    for place, title in enumerate(["Alien", "Brazil", "Casablanca", "Dune"]):
        content = Content.objects.create(study=study, key=f"seen-{place}", title=title)
        for item in study.items.select_related("recipient"):
            Interaction.objects.get_or_create(
                study=study, recipient=item.recipient, content=content, defaults={"rating": 3}
            )


def history_of(text):
    return text.split("<<<HISTORY\n")[1].split("\nHISTORY>>>")[0].splitlines()


def test_the_history_in_another_order_and_with_an_irrelevant_entry(study, server):
    with_history(study)
    past = run_of(study, server, prompt="explanation.v2", context=Judge.Context.HISTORY)
    plain, changed, _ = sent(past, server, "history_order")
    assert history_of(changed) != history_of(plain)
    assert sorted(history_of(changed)) == sorted(history_of(plain))
    plain, changed, _ = sent(past, server, "irrelevant_entry", title="<<<Knots\n>>>")
    (added,) = set(history_of(changed)) - set(history_of(plain))
    assert added == "- < < <Knots > > >", "what a researcher types cannot end the data"


def test_a_history_of_shows_keeps_what_belongs_together():
    text = "Episodes:\n- a (of the show S)\n  Transcript: one\n- b\n\nShows:\n- S: about"
    before, entries, after = perturb.entries_of(text)
    assert before == ["Episodes:"]
    assert entries == ["a (of the show S)\n  Transcript: one", "b"]
    assert after == ["", "Shows:", "- S: about"]
    assert perturb.entries_of("nothing") == (["nothing"], [], [])


# Verdicts


def the_first_list(number, request):
    return chat(json.dumps({"rationale": "r", "verdict": "1"}))


def test_swapped_lists_change_the_side_that_a_place_names(owner):
    study = make_podcasts(owner, pairs=3)
    with ScriptedServer(the_first_list) as server:
        past = run_of(
            study, server, method=Judge.Method.PAIRWISE, prompt="pairwise.v1", context="profile"
        )
        run = put_to_test(
            past, items=3, repeats=1, relations={"swapped_lists": {}, "list_members_order": {}}
        )
    rows = run.judgments.order_by("item", "sample").values_list(
        "item", "relation", "order", "value"
    )
    for item, relation, order, value in rows:
        same = past.judgments.get(item=item)
        if relation == "swapped_lists":
            assert order == same.order[::-1] and value == 4 - same.value
        else:
            assert (order, value) == (same.order, same.value)


def test_of_both_orders_one_is_tested(owner):
    study = make_podcasts(owner, pairs=2)
    with ScriptedServer(the_first_list) as server:
        past = run_of(
            study,
            server,
            method=Judge.Method.PAIRWISE,
            prompt="pairwise.v1",
            context="profile",
            order=Judge.Order.BOTH,
        )
        run = put_to_test(past, repeats=1, relations={"swapped_lists": {}})
    asked = run.judgments.values_list("relation", "order").distinct()
    assert sorted(asked) == [("no_change", "AB"), ("swapped_lists", "BA")]


@pytest.mark.parametrize(
    ("fields", "offered"),
    [
        ({}, {"multiply", "shift", "longer", "aspect_order"}),
        ({"aspects": "single"}, {"multiply", "shift", "longer"}),
    ],
)
def test_relations_are_offered_where_they_change_something(study, server, fields, offered):
    always = {"spaces", "random_words", "typos", "politeness", "authority"}
    past = run_of(study, server, **fields)
    assert {each.key for each in robustness.applicable(past)} == always | offered


def test_single_aspects_are_asked_one_a_call_and_only_scales_are_scaled(server, owner):
    study = factories.make_study(owner=owner, items=2, questions={})
    factories.make_question(study, "fits", "binary")
    factories.make_question(study, "good", "likert7")
    past = run_of(study, server, aspects=Judge.Aspects.SINGLE)
    run = put_to_test(past, items=1, repeats=1, relations={"multiply": {}, "spaces": {}})
    asked = run.judgments.filter(sample=0).values_list("question__key", "relation")
    assert sorted(asked) == [
        ("fits", "no_change"),
        ("fits", "spaces"),
        ("good", "multiply"),
        ("good", "no_change"),
        ("good", "spaces"),
    ]
    assert run.frozen["robustness"]["scales"] == {"good": [1, 7]}


def test_a_default_that_does_not_fit_a_scale_is_left_out_and_refused_by_name(server, owner):
    study = factories.make_study(owner=owner, items=2, questions={})
    factories.make_question(study, "balance", {"min": -3, "max": 3})
    past = run_of(study, server)
    assert "shift" not in robustness.frozen_for(past, Chosen())["robustness"]["relations"]
    with pytest.raises(PlanError, match="begin at -2; allowed is 1 or more"):
        robustness.plan_test(past, Chosen({"shift": {}}))
