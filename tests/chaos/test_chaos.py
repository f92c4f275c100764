"""The chaos suite itself: its schedule is drawn from the seed, and its audit sees what is wrong."""

from collections import Counter

import pytest

from annotate.models import Place, Rating
from tests import factories
from tests.chaos import audit, audit_raters, schedule
from tests.chaos.answers import Answers, Refusal
from tests.chaos.files import STANDING, Export, Exporter, Load, Loader
from tests.chaos.ledger import Ledger
from tests.chaos.raters import ChaosRater, Crowd
from tests.simulated_raters import Times


def failed(ledger):
    """Return the words of the checks that failed."""
    return [line[5:67].strip() for line in ledger.lines if line.startswith("FAIL")]


def test_the_same_seed_draws_the_same_schedule_with_every_kind():
    planned = schedule.plan(7, 120, 5, schedule.KINDS)
    assert planned == schedule.plan(7, 120, 5, schedule.KINDS)
    assert planned != schedule.plan(8, 120, 5, schedule.KINDS)
    assert {fault.kind for fault in planned} == set(schedule.KINDS)
    assert all(0 < fault.second < 120 for fault in planned)


def test_the_ledger_ends_with_how_many_checks_passed_and_failed():
    ledger = Ledger()
    ledger.check("Nothing is lost", [], 12)
    ledger.check("Nothing is double", ["answer 3", "answer 4"], 12)
    assert str(ledger).endswith("\n1 passed, 1 failed")
    assert "12; 2 wrong: answer 3; answer 4" in str(ledger)


@pytest.fixture
def crowd(db):
    """One rater who finished: an answer that is confirmed and stored, a place that is filled."""
    study = factories.make_study("wave-0", questions={"clear": "It is clear."}, raters_per_item=1)
    item, question = factories.make_item(study), study.questions.get()
    session = factories.make_session(study, "ann")
    factories.make_rating(session, item, question, 4)
    Place.objects.update(state="filled", rater=session.rater, session=session)
    rater = ChaosRater(1, study.slug, 0, Times(), answers=Answers(), outcome="done")
    rater.token, rater.ledger, rater.had_code_after = session.token, {(item.pk, question.pk): 4}, 1
    crowd = Crowd(1, rater.answers, 1, [], {study: [rater]})
    crowd.open_places = []
    return crowd


def audited(crowd):
    ledger = Ledger()
    audit_raters.write(ledger, crowd)
    return failed(ledger)


def test_an_honest_wave_passes(crowd):
    assert audited(crowd) == []


def test_a_lost_answer_is_named(crowd):
    Rating.objects.all().delete()
    assert audited(crowd) == ["Confirmed answers are in the database"]


def test_an_answer_with_another_value_is_named(crowd):
    Rating.objects.update(value=2)
    assert audited(crowd) == ["Confirmed answers have the value that was confirmed last"]


def test_an_answer_that_nobody_gave_is_named(crowd):
    (wave,) = crowd.raters.values()
    wave[0].ledger = {}
    wave[0].had_code_after = 0
    assert "No answer is there that nobody gave" in audited(crowd)


def test_a_place_too_many_and_a_place_taken_away_are_named(crowd):
    (wave,) = crowd.raters.values()
    study = next(iter(crowd.raters))
    session = factories.make_session(study, "bob")
    (key,) = wave[0].ledger
    Rating.objects.create(session=session, item_id=key[0], question_id=key[1], value=4)
    Place.objects.update(rater=session.rater, session=session)
    other = ChaosRater(1, study.slug, 1, Times(), answers=Answers(), outcome="done")
    other.token, other.ledger, other.had_code_after = session.token, {key: 4}, 1
    wave.append(other)
    assert audited(crowd) == [
        "No item was rated by more raters than it has places",
        "Whoever finished has the place of each item they rated",
    ]


def test_a_code_without_a_completed_session_is_named(crowd):
    (wave,) = crowd.raters.values()
    wave[0].outcome = "left"
    assert audited(crowd) == ["Nobody else has a completed session"]


def test_half_a_load_and_a_faulty_load_that_came_in_are_named(db):
    study = factories.make_study("loaded")
    for number in range(2):
        factories.make_item(study, f"half-{number}")
        factories.make_item(study, f"bad-{number}")
    half, bad = Load("half", 3, "loaded"), Load("bad", 2, "refused", is_faulty=True)
    ledger = Ledger()
    audit.loads(ledger, [Loader(None, "loaded", False, "x", 3, loads=[half, bad])])
    assert failed(ledger) == [
        "Loads that the server confirmed are whole",
        "Loads with a faulty row changed nothing",
    ]
    half.outcome = "unknown"
    ledger = Ledger()
    audit.loads(ledger, [Loader(None, "loaded", False, "x", 3, loads=[half])])
    assert failed(ledger) == ["Loads without a last word are whole or not there"]


@pytest.mark.parametrize(
    "by_load, before",
    [
        ({"standing": STANDING - 1}, ()),
        ({"standing": STANDING, "a1": 2}, ()),
        ({"standing": STANDING}, ("a1",)),
    ],
    ids=["short", "half a load", "without a confirmed load"],
)
def test_an_export_with_a_normal_end_that_is_not_whole_is_named(by_load, before):
    loader = Loader(None, "loaded", False, "a", 3, loads=[Load("a1", 3, "loaded")])
    exporter = Exporter(None, "loaded", "csv", [loader])

    exporter.exports = [Export("whole", 0.0, 1, Counter(by_load), before)]
    ledger = Ledger()
    audit.exports(ledger, [exporter])
    assert failed(ledger) == ["Exports that ended normally are whole"]
    exporter.exports = [Export("broken off"), Export("not begun")]
    ledger = Ledger()
    audit.exports(ledger, [exporter])
    assert failed(ledger) == []


def test_a_500_is_named_and_a_503_outside_of_faults_or_without_words():
    answers = Answers(faults=[(100.0, 110.0)])
    answers.refusals = [Refusal(105.0, "rater", "save", 503, True, "")]
    ledger = Ledger()
    audit.refusals(ledger, answers)
    assert failed(ledger) == []
    answers.refusals += [
        Refusal(105.0, "rater", "save", 500, False, "Server Error"),
        Refusal(105.0, "rater", "page", 503, False, ""),
        Refusal(200.0, "rater", "page", 503, True, "Try again"),
    ]
    ledger = Ledger()
    audit.refusals(ledger, answers)
    assert failed(ledger) == [
        "No 5xx but 503",
        "503 says when to try again",
        "503 only while a fault was under way",
    ]
