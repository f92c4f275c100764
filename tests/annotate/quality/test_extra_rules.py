"""The rules about checks, gold items, repeats and the minimum time; numbers counted by hand."""

import pytest
from django.utils import timezone

from annotate.models import (
    Answer,
    Content,
    Listening,
    Rater,
    Screen,
)
from annotate.quality.rules import RULES, offered, preview
from annotate.sessions.exclude import exclude, undo
from annotate.studies.templates import make_study, study_templates
from tests import factories
from tests.annotate.quality.test_rules import answers, found

pytestmark = pytest.mark.django_db


def extra(session, position, kind, given, item=None):
    """An extra screen with answers {question key: (value, passed)}; of a check {"": …}."""
    key = f"k{position}" if kind == "attention" else ""
    one = Screen.objects.create(
        session=session, position=position, kind=kind, item=item, key=key, is_whole=True
    )
    for name, (value, passed) in given.items():
        question = session.study.questions.get(key=name) if name else None
        Answer.objects.create(
            screen=one,
            key=key,
            item=item,
            question=question,
            value=value,
            passed=passed,
            answered_at=timezone.now(),
        )


def checked(study, name, *passed):
    session = factories.make_session(study, name, source="web")
    for position, one in enumerate(passed, start=20):
        extra(session, position, "attention", {"": (1, one)})
    return session


def test_failed_checks_are_counted_and_the_paper_s_rule_is_the_default(study):
    checked(study, "ann", True, False, False)
    checked(study, "bob", True, True)
    checked(study, "cem", False)
    factories.make_session(study, "dan")
    assert found(study, "attention_checks") == ({"ann": 2, "cem": 1}, 1)
    assert found(study, "attention_checks", failures=2) == ({"ann": 2}, 1)


def test_gold_agreement_is_the_share_of_right_answers(study):
    item = study.items.first()
    for name, passed in (("ann", [True, False, False, None]), ("bob", [True, True, True, False])):
        session = factories.make_session(study, name)
        keys = study.questions.values_list("key", flat=True)
        given = {key: (3, one) for key, one in zip(keys, passed, strict=True)}
        extra(session, 20, "gold", given, item)
    # ann: 1 of 3 known ones, bob: 3 of 4
    assert found(study, "gold_agreement") == ({"ann": 33.333333}, 0)
    assert found(study, "gold_agreement", percent=75.1, answers=4) == ({"bob": 75}, 1)


def test_repeats_compare_with_the_first_answers(study):
    factories.make_question(study, "fits", scale="binary")
    session = answers(study, "ann", {"accuracy": [4], "satisfaction": [1], "fits": [0]})
    item = study.items.first()
    second = {"accuracy": (3, None), "satisfaction": (4, None), "fits": (1, None)}
    extra(session, 20, "repeat", second, item)
    # 1 point, 3 points, another word
    assert found(study, "repeat_disagreement", answers=3) == ({"ann": 66.666667}, 0)
    assert found(study, "repeat_disagreement", answers=3, points=0)[0] == {"ann": 100}
    assert found(study, "repeat_disagreement", answers=3, points=3, share=20)[0] == {
        "ann": 33.333333
    }
    assert found(study, "repeat_disagreement", answers=4) == ({}, 1)


def test_the_minimum_time_is_the_study_s(study):
    study.extra["minimum_seconds"] = 5
    study.save()
    answers(study, "ann", {"accuracy": [3, 3, 3, 3]}, seconds=[1, 2, 4.9, 5])
    answers(study, "bob", {"accuracy": [3, 3, 3, 3]}, seconds=[1, 2, 6, 5])
    assert found(study, "minimum_time") == ({"ann": 75}, 0)
    assert found(study, "minimum_time", share=49)[0] == {"ann": 75, "bob": 50}


def hear(session, item, played, length=100, episode=None):
    key = episode or f"episode of {played} s"
    content, _ = Content.objects.get_or_create(study=session.study, key=key)
    Listening.objects.create(
        session=session,
        item=item,
        content=content,
        played_seconds=played,
        duration_seconds=length,
    )


def test_recordings_that_were_hardly_played(study):
    ann, bob, cat = (factories.make_session(study, key) for key in ("ann", "bob", "cat"))
    item, other = study.items.all()[:2]
    for played in (0, 9.9, 10):  # two of three
        hear(ann, item, played)
    hear(ann, other, 0, episode="episode of 10 s")  # shown again, and heard already
    hear(bob, item, 4.2, length=5)  # all of it but the very end
    hear(bob, item, 3, length=5)
    hear(cat, item, 50)
    hear(cat, item, None)  # a description alone, or a recording that did not load
    assert found(study, "unheard") == ({"ann": 66.666667}, 1)  # cat has one recording
    assert found(study, "unheard", share=49)[0] == {"ann": 66.666667, "bob": 50}
    assert found(study, "unheard", seconds=60, recordings=1)[0] == {"ann": 100, "cat": 100}
    assert "unheard" in {rule.key for rule in offered(study)}


def test_of_a_recording_under_two_seconds_half_is_heard(study):
    session = factories.make_session(study)
    for played in (0, 0.3, 0.5):
        hear(session, study.items.first(), played, length=0.8)
    assert found(study, "unheard")[0] == {"ann": 66.666667}


def test_without_a_recording_the_rule_on_recordings_is_not_offered(study):
    assert "unheard" not in {rule.key for rule in offered(study)}
    hear(factories.make_session(study), study.items.first(), None)
    assert "unheard" not in {rule.key for rule in offered(study)}


def test_rules_are_offered_where_there_is_something_to_measure(study):
    names = {"attention_checks", "gold_agreement", "repeat_disagreement", "minimum_time"}
    assert not names & {rule.key for rule in offered(study)}
    checked(study, "ann", True)
    study.extra |= {"minimum_seconds": 5, "attention": [], "gold": []}
    assert names & {rule.key for rule in offered(study)} == {"attention_checks", "minimum_time"}
    study.extra |= {"repeats": 2}
    assert "repeat_disagreement" in {rule.key for rule in offered(study)}


def test_the_rule_excludes_and_is_undone_like_every_other(study, owner):
    checked(study, "ann", False)
    seen = preview(study, RULES["attention_checks"], {"failures": 1})
    measured = {rater.pk: value for rater, value in seen.out}
    step = exclude(study, owner, "attention_checks", seen.reason, measured)
    assert Rater.objects.get().excluded_because == "failed 1 or more attention checks"
    assert found(study, "attention_checks") == ({}, 0)
    undo(step, owner)
    assert Rater.objects.get().excluded_because == ""


def test_each_rule_reads_the_answers_once(study, django_assert_max_num_queries):
    for name in ("ann", "bob", "cem"):
        checked(study, name, False, True)
    for rule in ("attention_checks", "gold_agreement", "repeat_disagreement"):
        with django_assert_max_num_queries(6):
            found(study, rule)


# rule, who it excludes, what the platform says of them, films a month, % familiar, check passed:
# section 4.3 asks for an approval rate of 80 % and 50 tasks, films every month and one attention
# check, and excludes who finds more than 40 % unfamiliar. The last rater is just good enough.
P4 = [
    ("approval_rate", {"approval_rate": 79.9, "task_count": 50}, 1, 60, True),
    ("task_count", {"approval_rate": 80, "task_count": 49}, 1, 60, True),
    ("few_movies", {"approval_rate": 80, "task_count": 50}, 0.5, 60, True),
    ("unfamiliar", {"approval_rate": 80, "task_count": 50}, 1, 50, True),
    ("attention_checks", {"approval_rate": 80, "task_count": 50}, 1, 60, False),
    (None, {"approval_rate": 80, "task_count": 50}, 1, 60, True),
]


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_the_five_mechanisms_of_p4_are_ready_made(owner, language):
    study = make_study(study_templates(language)["explanations-seven"], "p4", "P4", owner)
    for rule, told, films, familiar, passed in P4:
        session = checked(study, str(rule), passed)
        Rater.objects.filter(key=str(rule)).update(platform_ids=told)
        for key, value in (("movies_per_month", films), ("familiarity", familiar)):
            factories.make_about(session, key, value=value)
    rules = [rule for rule, *_ in P4 if rule]
    assert set(rules) <= {rule.key for rule in offered(study)}
    for rule in rules:  # as they stand on the page, nothing set by hand
        out, unjudged = found(study, rule)
        assert (list(out), unjudged) == ([rule], 0)
