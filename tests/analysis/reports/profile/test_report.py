"""The report of profiles: judges by what they know of a recipient, and ratings of profiles."""

from math import isnan

import pytest
from scipy import stats

from analysis.reports.profile.report import PROFILES
from annotate.models import Item, Rating
from judges.models import Judgment, Run
from tests import factories
from tests.analysis.small import build, make_rated_study, row_of

pytestmark = pytest.mark.django_db
KEY = "accuracy"


@pytest.fixture
def study(owner):
    return make_rated_study(owner)


def add_llm(study, name, endpoint, value_of, **fields):
    judge = factories.make_judge(study, name, endpoint, **fields)
    run = Run.objects.create(judge=judge, state=Run.State.FINISHED)
    Judgment.objects.bulk_create(
        Judgment(
            run=run,
            item=item,
            question=question,
            state="done",
            value=value_of(item),
            unit=place,
            lead=True,
        )
        for place, (item, question) in enumerate(
            (i, q) for i in study.items.exclude(kind="profile") for q in study.questions.all()
        )
    )
    return judge


def add_lengths(study, *numbers):
    endpoint = factories.make_endpoint()
    for number in numbers:
        add_llm(
            study,
            f"history {number}",
            endpoint,
            lambda item, n=number: 1 + item.pk * n % 5,
            context="history",
            history_length=number,
        )


def r_of(study, judge, recipients=None):
    items = study.items.exclude(kind="profile").order_by("pk")
    if recipients:
        items = items.filter(recipient__key__in=recipients)
    people = [sum(r.value for r in Rating.objects.filter(item=i, question__key=KEY)) for i in items]
    judged = [
        Judgment.objects.get(item=i, question__key=KEY, run__judge__key=judge).value for i in items
    ]
    return stats.pearsonr(judged, people)[0]


def test_judges_that_differ_in_the_length_of_the_history_make_a_curve(study):
    add_lengths(study, 7, 3)
    report = build(study, "profile", draws=20)
    rows = [r for r in report.rows if (r["question"], r["measure"]) == (KEY, "pearson")]
    assert [row["episodes"] for row in rows] == [3, 7]
    for row in rows:
        assert row["value"] == pytest.approx(r_of(study, row["evaluator"]))
        assert (row["n"], row["source"]) == (24, "history_length")
        assert row["low"] <= row["value"] <= row["high"]


def test_they_are_compared_on_the_items_that_all_have(study):
    add_lengths(study, 7, 3)
    lost = Judgment.objects.filter(run__judge__key="history 7", question__key=KEY).first()
    Judgment.objects.filter(pk=lost.pk).update(state="failed", value=None, reason="timed out")
    rows = [
        r for r in build(study, "profile").rows if (r["question"], r["measure"]) == (KEY, "auc")
    ]
    assert [row["n"] for row in rows] == [23, 23]


def test_a_judge_that_differs_in_more_is_left_out(study):
    endpoint = factories.make_endpoint()
    for number, temperature in ((3, 0), (7, 1)):
        add_llm(
            study,
            f"h{number}",
            endpoint,
            lambda item: 3,
            context="history",
            history_length=number,
            temperature=temperature,
        )
    report = build(study, "profile")
    assert all(isnan(row["value"]) for row in report.rows)
    assert any("no two judges differ only in how much" in e.reason.lower() for e in report.entries)


def add_profiles(study, **episodes):
    for recipient, number in episodes.items():
        factories.make_item(
            study,
            f"profile-{recipient}-{number}",
            recipient,
            None,
            None,
            kind=Item.Kind.PROFILE,
            data={"episodes": number},
        )


def test_profiles_say_their_number_of_episodes(study):
    add_profiles(study, r0=5, r1=5, r2=20)
    add_profiles(study, r2=10)  # the newest profile of a recipient is the one that is shown
    add_llm(
        study,
        "by profile",
        factories.make_endpoint(),
        lambda item: 1 + item.pk % 5,
        context="profile",
    )
    report = build(study, "profile")
    rows = {
        r["episodes"]: r for r in report.rows if (r["question"], r["measure"]) == (KEY, "pearson")
    }
    assert rows.keys() == {5, 10}
    assert (rows[5]["n"], rows[10]["n"]) == (12, 6)
    assert rows[5]["value"] == pytest.approx(r_of(study, "by profile", ["r0", "r1"]))
    assert rows[5]["source"] == "profile items"


def test_ratings_of_profiles_are_shares(study):
    add_profiles(study, r0=5, r1=5)
    question = study.questions.get(key=KEY)
    session = study.sessions.first()
    for item, value in zip(study.items.filter(kind="profile"), (4, 5), strict=True):
        factories.make_rating(session, item, question, value)
    report = build(study, "profile", draws=20)
    shares = {r["rating"]: r["value"] for r in report.rows if r["part"] == "ratings"}
    assert shares == {1: 0, 2: 0, 3: 0, 4: 0.5, 5: 0.5}
    five = row_of(report, part="ratings", rating=5)
    assert (five["n"], five["question"]) == (2, KEY)


@pytest.mark.parametrize(
    "scale, values, share",
    [("likert5", (1, 4), "50"), ("likert5", (1, 3), "0"), ({"choice": list("ABC")}, (2, 3), None)],
)
def test_the_title_is_of_ratings_on_a_scale_with_a_middle(study, scale, values, share):
    question, session = factories.make_question(study, "right", scale), study.sessions.first()
    add_profiles(study, r0=5, r1=5)
    for item, value in zip(study.items.filter(kind="profile"), values, strict=True):
        factories.make_rating(session, item, question, value)
    title = f"On right {share} % of 2 ratings of profiles lie above the middle of the scale."
    assert PROFILES.find(build(study, "profile"), "auc") == (title if share else "")


def test_the_page_shows_curve_and_bars(study, as_owner):
    add_lengths(study, 3, 7)
    add_profiles(study, r0=5)
    factories.make_rating(
        study.sessions.first(), study.items.get(kind="profile"), study.questions.get(key=KEY), 4
    )
    response = as_owner.get("/studies/films/analysis/profile/", {"draws": 20})
    keys = [figure.key for figure in response.context["layout"].figures]
    assert f"episodes-{KEY}" in keys
    assert "ratings" in keys
    assert b"NaN" not in response.content


def add_profile_judges(study, *numbers, **fields):
    """Judges that are shown the profile made of so many episodes; of 0: the newest."""
    endpoint = factories.make_endpoint()
    for number in numbers:
        add_llm(
            study,
            f"profile {number}",
            endpoint,
            lambda item, n=number: 1 + item.pk * n % 5,
            method="pairwise",
            prompt="pairwise.v1",
            context="profile",
            profile_episodes=number,
            **fields,
        )


def test_judges_that_differ_in_how_many_episodes_the_profile_is_make_a_curve(study):
    add_profile_judges(study, 7, 3, 0)
    report = build(study, "profile", draws=20)
    rows = [r for r in report.rows if (r["question"], r["measure"]) == (KEY, "pearson")]
    assert [(row["episodes"], row["evaluator"]) for row in rows] == [
        (3, "profile 3"),
        (7, "profile 7"),
    ]
    for row in rows:
        assert row["value"] == pytest.approx(r_of(study, row["evaluator"]))
        assert (row["n"], row["source"]) == (24, "profile_episodes")


def test_of_profiles_of_one_run_the_one_of_the_most_episodes_is_that_of_the_recipient(study):
    for number in ("10", "20", "5"):
        factories.make_item(
            study,
            f"p{number}",
            "r1",
            None,
            None,
            kind=Item.Kind.PROFILE,
            data={"episodes": number, "profile_run": "7"},
        )
    add_profile_judges(study, 0)
    rows = [r for r in build(study, "profile").rows if r["measure"] == "pearson"]
    assert {row["episodes"] for row in rows} == {20}


def test_accuracy_is_the_share_on_which_both_are_on_one_side(study):
    add_lengths(study, 3, 7)
    rows = {
        r["episodes"]: r
        for r in build(study, "profile", draws=20).rows
        if (r["question"], r["measure"]) == (KEY, "accuracy")
    }
    for number, row in rows.items():
        alike = []
        for item in study.items.exclude(kind="profile"):
            ratings = [r.value for r in Rating.objects.filter(item=item, question__key=KEY)]
            people = sum(ratings) / len(ratings) >= 4
            alike.append(people == (1 + item.pk * number % 5 >= 4))
        assert row["value"] == pytest.approx(sum(alike) / len(alike))
        assert row["low"] <= row["value"] <= row["high"]
    assert rows.keys() == {3, 7}


def test_a_verdict_of_fit_is_positive_and_a_neutral_one_is_not(study):
    endpoint = factories.make_endpoint()
    values = {3: 1.0, 7: 0.5}
    for number, value in values.items():
        add_llm(
            study,
            f"fit {number}",
            endpoint,
            lambda item, v=value: v,
            method="fit",
            neutral=True,
            context="history",
            history_length=number,
        )
    rows = {
        r["episodes"]: r["value"]
        for r in build(study, "profile").rows
        if (r["question"], r["measure"]) == (KEY, "accuracy")
    }
    assert rows[3] == pytest.approx(1 - rows[7])
