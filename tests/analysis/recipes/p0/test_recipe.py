"""P0 in a study of 48 explanations for four recipients, its correlations by scipy."""

import re
from statistics import mean

import pytest
from scipy.stats import pearsonr

from analysis.answers.frame import read_answers
from analysis.recipes.base import choose
from analysis.recipes.p0.recipe import NAMES, P0
from annotate.design.payment import AMOUNT
from annotate.models import Item
from judges.models import Call, Judge, Judgment
from tests import factories

pytestmark = pytest.mark.django_db
RECIPIENTS, FILMS, SYSTEMS = 4, 3, 4
ASPECTS = list(factories.ASPECTS)
LEFT_OUT = (5, "accuracy")  # by a recipient
UNREADABLE = (7, "accuracy")  # a reply
PAY, ITEMS = 6, 12


def people(item, aspect, shift=0):
    """Return a rating of 1 to 5 that differs by item, aspect and person."""
    return 1 + (item * 7 + len(aspect) * 3 + item // 5 + shift * (item % 3)) % 5


def judged(item, aspect, shift=0):
    """Return a judge's score, near the recipient's."""
    return min(5, max(1, people(item, aspect) + (item * (3 + shift)) % 3 - 1))


@pytest.fixture
def study(owner):
    study = factories.make_study(
        "films",
        owner,
        items_per_session=ITEMS,
        extra={AMOUNT: PAY},
    )
    make_items(study)
    endpoint = factories.make_endpoint(key="big", model="gpt-4-0613")
    small = factories.make_endpoint(key="small", model="Qwen/Qwen1.5-14B-Chat")
    judge(study, "big, together", endpoint)
    judge(study, "big, singly", endpoint, shift=1, aspects="single")
    judge(study, "big, own example", endpoint, shift=2, shots="personalised")
    judge(study, "small, together", small, shift=3)
    for name, kind in (("bleu", Judge.Kind.BLEU_1), ("chance", Judge.Kind.RANDOM)):
        judge(study, name, None, shift=4, kind=kind)
    return study


def make_items(study):
    questions = list(study.questions.all())
    own = [factories.make_session(study, f"r{n}", role="recipient") for n in range(RECIPIENTS)]
    third = [factories.make_session(study, name) for name in ("ann", "bob")]
    answers: dict = {session: [] for session in (*own, *third)}
    for number in range(RECIPIENTS * FILMS * SYSTEMS):
        who, rest = divmod(number, FILMS * SYSTEMS)
        film, system = divmod(rest, SYSTEMS)
        keys = f"u{who}", f"film-{film}", f"system-{system}"
        item = factories.make_item(study, f"item-{number}", *keys)
        for question in questions:
            if (number, question.key) != LEFT_OUT:
                answers[own[who]].append((item, question, people(number, question.key)))
            for shift, session in enumerate(third, start=1):
                answers[session].append((item, question, people(number, question.key, shift)))
    for session, given in answers.items():
        factories.make_ratings(session, given)


def judge(study, name, endpoint, shift=0, **fields):
    made = factories.make_judge(study, name, endpoint, **fields)
    items = {item.key: item for item in Item.objects.filter(study=study)}
    run = factories.make_judgments(
        made,
        {
            (items[f"item-{number}"], question): judged(number, question.key, shift)
            for number in range(len(items))
            for question in study.questions.all()
        },
    )
    number, aspect = UNREADABLE
    lost = run.judgments.filter(item=items[f"item-{number}"], question__key=aspect)
    lost.update(value=None, state=Judgment.State.UNPARSABLE)
    if endpoint:
        units = run.judgments.order_by("unit").values_list("unit", flat=True)
        Call.objects.bulk_create(
            Call(run=run, unit=unit, endpoint_key="x", model="x", cost_usd="0.002")
            for unit in units
        )


def cells_of(study, **named):
    recipe = P0()
    chosen = choose(recipe, study, named)
    return {both.place: both for both in recipe.compared(read_answers(study), chosen)}


def by_scipy(values, aspect, level):
    """Return Pearson's r in % of {item: value} with recipients' ratings, as the paper has it."""
    users = {n: people(n, aspect) for n in range(RECIPIENTS * FILMS * SYSTEMS)}
    if LEFT_OUT[1] == aspect:
        users[LEFT_OUT[0]] = 3
    size = {"dataset": len(users), "user": FILMS * SYSTEMS, "pair": SYSTEMS}[level]
    groups = [range(start, start + size) for start in range(0, len(users), size)]
    r = [
        pearsonr([values[n] for n in group], [users[n] for n in group])[0]
        for group in groups
        if len({values[n] for n in group}) > 1 and len({users[n] for n in group}) > 1
    ]
    return 100 * mean(r)


def scores(aspect, shift):
    values = {n: judged(n, aspect, shift) for n in range(RECIPIENTS * FILMS * SYSTEMS)}
    return values | ({UNREADABLE[0]: 0} if aspect == UNREADABLE[1] else {})


@pytest.mark.parametrize("level", ["dataset", "user", "pair"])
def test_table_1_is_pearson_with_what_is_missing_as_3_and_0(study, level):
    cells = cells_of(study)
    ours = {place: both.measured for place, both in cells.items()}
    for row, shift in (("GPT4 (M)", 0), ("GPT4 (S)", 1), ("Qwen1.5-14B (M)", 3), ("BLEU-1", 4)):
        by_hand = [by_scipy(scores(aspect, shift), aspect, level) for aspect in ASPECTS]
        for aspect, value in zip(ASPECTS, by_hand, strict=True):
            own = ours["1", row, f"{aspect.capitalize()}: {level}"]
            assert own.value == pytest.approx(value)
            assert own.low <= own.value <= own.high
        assert ours["1", row, f"Average: {level}"].value == pytest.approx(mean(by_hand))
    for row, shift in (("Annotator-1", 1), ("Annotator-2", 2)):
        own = {n: people(n, "accuracy", shift) for n in range(RECIPIENTS * FILMS * SYSTEMS)}
        value = ours["1", row, f"Accuracy: {level}"].value
        assert value == pytest.approx(by_scipy(own, "accuracy", level))
    both = {n: people(n, "accuracy", 1) + people(n, "accuracy", 2) for n in own}
    average = ours["1", "Annotators, averaged", f"Accuracy: {level}"].value
    assert average == pytest.approx(by_scipy(both, "accuracy", level))
    personalised = ours["Figure 3", "GPT4 (M) personalised", f"Satisfaction: {level}"].value
    assert personalised == pytest.approx(by_scipy(scores("satisfaction", 2), "satisfaction", level))
    assert cells["Figure 3", "GPT4 (M) personalised", f"Satisfaction: {level}"].verdict == ""


def test_figure_4_is_of_means_of_several_llms(study):
    ours = {place: both.measured.value for place, both in cells_of(study).items()}
    pair = [scores("transparency", 0), scores("transparency", 3)]
    singles = [by_scipy(values, "transparency", "user") for values in pair]
    both = by_scipy({n: pair[0][n] + pair[1][n] for n in pair[0]}, "transparency", "user")
    column = "Transparency: user"
    assert ours["Figure 4", "1 judges, mean", column] == pytest.approx(mean(singles))
    assert ours["Figure 4", "1 judges, min", column] == pytest.approx(min(singles))
    assert ours["Figure 4", "2 judges, mean", column] == pytest.approx(both)


def test_table_2_is_the_cost_of_an_item_and_the_rest_is_counted(study):
    cells = cells_of(study)
    ours = {place: both.measured.value for place, both in cells.items()}
    assert ours["2", "GPT4 (M)", "Cost"] == pytest.approx(4 * 0.002)
    assert ours["2", "Human", "Cost"] == pytest.approx(PAY / ITEMS)
    assert ours["Data", "Users", "Number"] == RECIPIENTS
    assert ours["Data", "Movies per user", "Number"] == FILMS
    assert cells["Data", "Third-party annotators", "Number"].verdict == "equal"
    why = {place: both.measured.reason for place, both in cells.items()}
    assert why["2", "GPT3.5 (S)", "Cost"].startswith("no judge of the study is GPT3.5-Turbo at")
    assert why["1", "Llama2-7B (M)", "Average: pair"].startswith("no judge of the study is Llama2")
    assert why["1", "BLEU-4", "Accuracy: pair"] == "no judge of the study is of the kind BLEU-4"


def test_a_judge_with_another_model_is_taken_where_it_is_named(study):
    endpoint = factories.make_endpoint(key="other", model="gpt-4o-mini")
    judge(study, "other", endpoint, shift=5)
    place = "1", "GPT4 (M)", "Accuracy: dataset"
    unnamed, named = (cells_of(study, **more)[place].measured for more in ({}, OTHER))
    assert unnamed.value == pytest.approx(by_scipy(scores("accuracy", 0), "accuracy", "dataset"))
    assert named.value == pytest.approx(by_scipy(scores("accuracy", 5), "accuracy", "dataset"))


OTHER = {"GPT4 (M)": "other"}


def test_what_the_study_lacks_is_said(owner):
    study = factories.make_study("small", owner, items=3, questions={"accuracy": "Is it?"})
    session = factories.make_session(study, "ann")
    for item in study.items.all():
        factories.make_rating(session, item, study.questions.get(), 4)
    assert P0().lacks(study) == [
        "No explanation has a reference, such as the recipient's own words, with which BLEU and "
        "ROUGE compare it.",
        "The study has no question called persuasiveness, transparency, satisfaction.",
        "No recipient has rated: judges are compared with other people, if there are any.",
    ]
    why = {place: both.measured.reason for place, both in cells_of(study).items()}
    assert why["1", "Annotator-1", "Accuracy: pair"].startswith("no third party has rated besides")


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("gpt-4", "GPT4"),
        ("openai/gpt-4-0613", "GPT4"),
        ("gpt-4o", None),
        ("gpt-4.1-mini", None),
        ("gpt-4-turbo", None),
        ("gpt-3.5-turbo-0125", "GPT3.5-Turbo"),
        ("meta-llama/Llama-2-7b-chat-hf", "Llama2-7B"),
        ("llama2:13b", "Llama2-13B"),
        ("Qwen/Qwen1.5-14B-Chat", "Qwen1.5-14B"),
        ("qwen2.5-7b", None),
    ],
)
def test_models_are_known_by_the_names_that_providers_give_them(name, model):
    known = [key for key, pattern in NAMES.items() if re.search(pattern, name.lower())]
    assert known == ([model] if model else [])
