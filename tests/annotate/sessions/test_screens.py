"""Extra screens of a session: where they stand, and what their saves keep, which is no rating."""

import json
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from analysis.exports import write
from annotate.design import access
from annotate.models import Answer, Place, Question, Rating, Screen, Session
from annotate.sessions import answers, places
from annotate.sessions import session as sessions
from annotate.sessions.screens import arrange, count_of
from annotate.sessions.session import NotNow, SentAnswer
from annotate.studies import edit
from annotate.values.scales import parse_scale
from tests import factories

pytestmark = pytest.mark.django_db
State = Session.State
BOTH = {
    "key": "both",
    "text": "Please choose both A and D.",
    "options": ["A", "B", "C", "D"],
    "right": ["A", "D"],
    "after": "middle",
}
DISAGREE = {
    "key": "read",
    "text": "To show that you read this, choose Disagree.",
    "scale": "likert5",
    "right": "Disagree",
    "after": "random",
}


def begin(study, **extra):
    """A session of a study with these settings."""
    study.extra |= extra
    study.save()
    session = sessions.begin_visit(study, {}, consents=True)
    assert sessions.begin(session)
    return Session.objects.select_related("study", "rater").get(pk=session.pk)


def screens(session):
    """What stands at 1, 2, …: keys of items, and kind:key of the extras."""
    found = dict(session.places.values_list("position", "item__key"))
    for extra in session.screens.among_items().select_related("item"):
        assert extra.position not in found
        found[extra.position] = f"{extra.kind}:{extra.key or extra.item.key}"
    assert sorted(found) == list(range(1, len(found) + 1))
    return [found[position] for position in sorted(found)]


def set_gold(study, entries):
    edit.change(study, lambda extra: extra.update(gold=entries))


def big(owner, items=12, **fields):
    return factories.make_study("big", owner=owner, items=items, items_per_session=12, **fields)


def fill(session, position, value=4.0):
    place = access.place_of_session(session.token, position=position)
    if place is None:
        return answer(access.screen_of_session(session.token, position=position), value)
    questions = list(session.study.questions.all())
    return sessions.save_answers(place, questions, [SentAnswer(q, value) for q in questions])


def answer(extra, value, keys=None, **options):
    """Answers on an extra screen: of an item the same to all questions; of a check words."""
    questions = list(extra.session.study.questions.all())
    if extra.kind == "attention":
        said = isinstance(value, str)
        given = [SentAnswer(questions[0], None if said else value, value if said else "")]
        return answers.save(extra, [], given, **options)
    given = [SentAnswer(q, value) for q in questions if keys is None or q.key in keys]
    return answers.save(extra, questions, given, **options)


def go_quiet(session):
    Session.objects.filter(pk=session.pk).update(last_seen_at=timezone.now() - timedelta(hours=2))
    assert places.release_expired(timezone.now()) == 1


# Where they stand


@pytest.mark.parametrize(("after", "position"), [("middle", 7), (0, 1), (3, 4), (12, 13), (99, 13)])
def test_a_check_stands_after_the_item_that_was_set(owner, after, position):
    session = begin(big(owner), attention=[BOTH | {"after": after}])
    assert session.screens.among_items().get().position == position and len(screens(session)) == 13


def test_a_random_check_stands_between_two_items_and_differs_between_sessions(owner):
    study = big(owner, raters_per_item=20)
    found = [
        begin(study, attention=[DISAGREE]).screens.among_items().get().position for _ in range(12)
    ]
    assert all(2 <= position <= 12 for position in found) and len(set(found)) > 3


def test_checks_after_the_same_item_keep_their_order(owner):
    second = DISAGREE | {"after": "middle"}
    session = begin(big(owner), attention=[BOTH, second])
    assert screens(session)[6:8] == ["attention:both", "attention:read"]


def test_repeats_come_near_the_end_after_three_other_screens(owner):
    study = big(owner, raters_per_item=30)
    for _ in range(20):
        shown = screens(begin(study, attention=[BOTH], repeats=3))
        assert len(shown) == 16
        repeats = [(at, one) for at, one in enumerate(shown) if one.startswith("repeat:")]
        assert len({one for _, one in repeats}) == 3
        for at, one in repeats:
            assert at - shown.index(one.removeprefix("repeat:")) > 3 and at >= 9


def test_a_short_session_repeats_what_it_can_and_one_item_never(owner):
    short = factories.make_study("short", owner=owner, items=2)
    first, second, *again = screens(begin(short, repeats=2))
    assert again == [f"repeat:{first}"] and second != first
    one = factories.make_study("one", owner=owner, items=1)
    assert screens(begin(one, repeats=2)) == ["item-0"]


def test_gold_items_come_beyond_the_items_and_have_no_places(owner):
    study = big(owner, items=14, raters_per_item=30)
    keys = ("item-0", "item-1")
    entries = [{"item": key, "answers": {"accuracy": 5}, "tolerance": 1} for key in keys]
    set_gold(study, entries)
    assert not Place.objects.filter(item__key__in=keys).exists()
    seen = set()
    for _ in range(8):
        shown = screens(begin(study, gold_per_session=1))
        assert len(shown) == 13
        assert not {"item-0", "item-1"} & set(shown)
        seen |= {(shown.index(one), one) for one in shown if one.startswith("gold:")}
    assert {one for _, one in seen} == {"gold:item-0", "gold:item-1"}
    assert len({at for at, _ in seen}) > 3


def test_an_item_that_is_gold_no_more_gets_its_places_back(owner):
    study = big(owner, items=2)
    set_gold(study, [{"item": "item-0", "answers": {"accuracy": 5}}])
    assert study.places.count() == 3
    set_gold(study, [])
    counts = study.places.filter(state="open").values_list("item__key", "number")
    assert sorted(counts) == [(f"item-{item}", number) for item in (0, 1) for number in (1, 2, 3)]


def test_a_gold_item_that_the_rater_has_answered_is_not_shown_again(owner):
    study = big(owner, items=2, raters_per_item=1)
    session = begin(study)
    entries = [{"item": "item-0", "answers": {"accuracy": 5}}]
    study.extra |= {"gold": entries, "gold_per_session": 1}
    session.study = study
    arrange(session, list(session.places.values_list("item", flat=True)), 0)
    assert not session.screens.among_items().exists()


def test_a_study_without_extras_has_positions_as_before(study):
    session = begin(study)
    assert len(screens(session)) == 4 == count_of(session) and not Screen.objects.exists()


def test_the_database_refuses_two_screens_at_one_position_and_nonsense(study):
    session = begin(study, attention=[BOTH])
    item = study.items.first()
    for wrong in (
        {"position": 3, "kind": "gold", "item": item},
        {"position": 9, "kind": "gold"},
        {"position": 9, "kind": "attention", "item": item, "key": "x"},
        {"position": 9, "kind": "attention", "key": "both"},
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            Screen.objects.create(session=session, **wrong)


# Saves


@pytest.mark.parametrize(
    ("words", "passed"), [("A | D", True), ("A", False), ("A | C | D", False), ("B | C", False)]
)
def test_all_right_options_and_no_other_pass_a_check(study, words, passed):
    extra = begin(study, attention=[BOTH]).screens.among_items().get()
    assert answer(extra, words) == []
    extra.refresh_from_db()
    assert (extra.is_whole, extra.passed) == (True, passed)
    assert Answer.objects.get().passed == passed


@pytest.mark.parametrize(("value", "passed"), [(2.0, True), (1.0, False), (5.0, False)])
def test_an_instructed_likert_passes_with_its_one_point(study, value, passed):
    extra = begin(study, attention=[DISAGREE]).screens.among_items().get()
    answer(extra, value)
    assert Answer.objects.get().passed == passed and not Rating.objects.exists()


def test_a_save_keeps_time_and_changes_and_the_same_again_changes_nothing(study):
    extra = begin(study, attention=[BOTH]).screens.among_items().get()
    answer(extra, "A", shown_at=timezone.now() - timedelta(seconds=9))
    first = Answer.objects.get()
    assert 9 <= first.seconds < 12 and first.changes == []
    answer(extra, "A")
    assert Answer.objects.values().get() == Answer.objects.filter(pk=first.pk).values()[0]
    assert Answer.objects.get().answered_at == first.answered_at
    answer(extra, "A | D")
    changed = Answer.objects.get()
    assert changed.text == "A | D" and [old for old, _ in changed.changes] == ["A"]
    assert changed.passed


@pytest.mark.parametrize(
    ("tolerance", "value", "passed"),
    [(0, 5.0, True), (0, 4.0, False), (1, 4.0, True), (1, 3.0, False)],
)
def test_a_gold_answer_passes_within_its_tolerance(study, tolerance, value, passed):
    entries = [{"item": "item-0", "answers": {"accuracy": 5}, "tolerance": tolerance}]
    set_gold(study, entries)
    extra = begin(study, gold_per_session=1).screens.among_items().get()
    gaps = answer(extra, value, keys=["accuracy"])
    assert len(gaps) == 3 and not Screen.objects.get().is_whole
    assert answer(extra, 3.0, keys=["satisfaction", "transparency", "persuasiveness"]) == []
    stored = Screen.objects.get()
    assert (stored.is_whole, stored.passed) == (True, passed)
    judged = dict(Answer.objects.values_list("question__key", "passed"))
    assert judged.pop("accuracy") == passed and set(judged.values()) == {None}
    assert not Rating.objects.exists() and not extra.item.places.exists()


def test_a_point_beside_the_right_word_is_another_answer(study):
    factories.make_question(study, "fits", scale={"choice": ["yes", "perhaps", "no"]})
    entries = [{"item": "item-0", "answers": {"fits": 1, "accuracy": 5}, "tolerance": 1}]
    set_gold(study, entries)
    extra = begin(study, gold_per_session=1).screens.among_items().get()
    questions = {q.key: q for q in study.questions.all()}
    given = [SentAnswer(questions["fits"], 2.0), SentAnswer(questions["accuracy"], 4.0)]
    answers.save(extra, list(questions.values()), given)
    judged = dict(Answer.objects.values_list("question__key", "passed"))
    assert judged == {"fits": False, "accuracy": True}


def test_a_right_answer_is_a_label_also_where_labels_are_numbers(study):
    factories.make_question(study, "stars", scale={"choice": [3, 2, 1]})
    set_gold(study, [{"item": "item-0", "answers": {"stars": "3"}, "tolerance": 1}])
    extra = begin(study, gold_per_session=1).screens.among_items().get()
    questions = {q.key: q for q in study.questions.all()}
    for value, passed in ((3.0, False), (2.0, False), (1.0, True)):
        answers.save(extra, list(questions.values()), [SentAnswer(questions["stars"], value)])
        assert Answer.objects.get().passed == passed
    pieces = "".join(write.pieces(study, "checks", "jsonl"))
    assert {"given": "3", "expected": "3"}.items() <= json.loads(pieces).items()
    Question.objects.filter(key="stars").update(scale_spec=parse_scale("binary").as_dict())
    assert answers.is_right(extra, Answer.objects.get()) is None


def test_a_repeat_never_changes_the_first_answer(owner):
    session = begin(big(owner), repeats=1)
    extra = session.screens.among_items().get()
    first = session.places.get(item=extra.item)
    fill(session, first.position, 4.0)
    answer(extra, 2.0)
    assert set(Rating.objects.values_list("value", flat=True)) == {4.0}
    assert set(Answer.objects.values_list("value", flat=True)) == {2.0}
    Session.objects.update(state=State.COMPLETED)
    pairs = list(Answer.objects.for_analysis().test_retest())
    questions = session.study.questions.values_list("pk", flat=True)
    who = session.rater_id, extra.item_id
    assert sorted(pairs) == sorted((*who, question, 4.0, 2.0) for question in questions)
    assert Rating.objects.for_analysis().count() == 4


def test_a_save_after_the_end_or_to_a_screen_that_went_is_refused(study):
    extra = begin(study, attention=[BOTH]).screens.among_items().get()
    Screen.objects.all().delete()
    with pytest.raises(NotNow):
        answer(extra, "A | D")
    other = begin(study).screens.among_items().get()
    Session.objects.update(state=State.COMPLETED)
    with pytest.raises(NotNow):
        answer(other, "A | D")
    assert not Answer.objects.exists()


# Ends and pauses


def test_a_session_finishes_only_with_its_extras(owner):
    session = begin(big(owner, items=4), attention=[BOTH], repeats=1)
    gap = session.screens.among_items().get(kind="attention")
    for position in range(1, 7):
        if position != gap.position:
            fill(session, position)
    assert sessions.finish(session) == gap.position == 3
    answer(gap, "B")
    assert sessions.finish(session) is None
    assert Session.objects.get().state == State.COMPLETED
    assert Rating.objects.for_analysis().count() == 16


def failing(study, failures, wrong):
    """The extras of a session, of which so many were answered wrongly."""
    third = BOTH | {"key": "third", "after": 1}
    session = begin(study, attention=[BOTH, DISAGREE, third], attention_failures=failures)
    extras = list(session.screens.among_items().select_related("session__study"))
    for extra in extras[:wrong]:
        answer(extra, 5.0 if extra.key == "read" else "B")
    return extras


def test_by_default_no_failed_check_ends_a_session(study):
    extras = failing(study, 0, 3)
    assert not answers.has_ended(extras[2])
    assert Session.objects.get().state == State.RATING


def test_a_session_ends_at_the_failure_that_was_set(study):
    extras = failing(study, 2, 1)
    assert not answers.has_ended(extras[0])
    answer(extras[1], 5.0 if extras[1].key == "read" else "B")
    assert answers.has_ended(extras[1])
    session = Session.objects.get()
    assert session.state == State.FAILED_ATTENTION and session.ended_at
    assert not session.places.exists() and study.places.exclude(state="open").count() == 0


def test_a_returning_rater_keeps_what_they_answered_and_gets_the_rest_again(owner):
    session = begin(big(owner), attention=[BOTH, DISAGREE | {"after": 9}], repeats=2)
    before = {extra.name: extra.pk for extra in session.screens.among_items().all()}
    shown = screens(session)
    for position in range(1, 8):
        fill(session, position, 4.0 if position < 7 else "A | D")
    go_quiet(session)
    assert sessions.resume(Session.objects.get(pk=session.pk))
    session.refresh_from_db()
    again = screens(session)
    assert sorted(again[:6]) == sorted(shown[:6]) and again[6] == "attention:both"
    assert set(again[7:]) >= {"attention:read"} and len(again) == len(shown) == 16
    assert session.current == 7
    kept = {extra.name: extra.pk for extra in session.screens.among_items().all()}
    assert kept.items() >= {n: pk for n, pk in before.items() if n[0] == "attention"}.items()
    assert Answer.objects.get().text == "A | D"


def test_settings_that_change_meanwhile_do_not_change_what_is_on_the_screen(study):
    extra = begin(study, attention=[BOTH]).screens.among_items().get()
    study.extra["attention"] = [BOTH | {"right": ["B", "C"]}]
    study.save()
    answer(extra, "A | D")
    assert Screen.objects.get().passed
