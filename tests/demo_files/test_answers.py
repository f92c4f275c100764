"""The simulated studies have the answers that they are there to show.

What the reports say of the judges is compared with the truth of the simulation: thousands of raters
drawn here from the numbers that simulate.py and helpdesk.py name, without their code for answers.
"""

import numpy as np
import pytest

from analysis.demo import preparing
from analysis.reports.verdict.candidates import JUDGE
from analysis.reports.verdict.sentences import RATE
from analysis.results.answer import say_answer
from annotate.models import Study
from judges.models import Judge
from tests import factories
from tests.analysis.small import build
from tests.demo_files import helpdesk, podcasts, simulate
from tests.demo_files.__main__ import HERE
from tests.demo_files.test_demo_files import table

DRAWN = 2000  # raters of every item
VIEW, ANSWER = 0.55, 0.45  # noise of a rater on an item, and of a single answer


@pytest.fixture
def load(db):
    """A function that loads one study of the demo and gives its verdict's entries on judges."""

    def load_one(slug):
        factories.make_user(preparing.USERNAME)
        preparing._endpoint(9)
        preparing._load(HERE / preparing.STUDIES[slug], preparing.NAMED.get(slug))
        report = build(Study.objects.get(slug=slug), "verdict")
        judges = [e for e in report.entries if e.kind == JUDGE and e.row["use"] == RATE]
        return {(e.row["evaluator"], e.row["question"]): e for e in judges}, report

    return load_one


def true_agreement(judge, quality, noise, rng):
    """The correlation of a judge with raters drawn from the simulation, each item rated by all."""
    drawn = quality[:, None] + rng.normal(0, noise, (len(quality), DRAWN))
    ratings = np.clip(np.rint(drawn), 1, 5)
    spread = judge - judge.mean()
    together = (spread[:, None] * (ratings - ratings.mean())).mean()
    return together / (judge.std() * ratings.std())


def test_the_judge_that_was_named_may_stand_in_on_every_question(load):
    entries, report = load("films-demo")
    own = [entry for (name, _), entry in entries.items() if name == "Simulated judge"]
    assert [entry.row["answer"] for entry in own] == ["yes"] * 4
    assert {entry.row["warnings"] for entry in own} == {""}
    assert Judge.objects.get(key="Simulated judge").named_at is not None
    assert any(note.startswith("Named beforehand on") for note in report.notes)
    others = {entry.row["answer"] for entry in entries.values() if entry not in own}
    assert "yes" not in others
    assert own[0].row["clusters"] >= 10
    uses = " ".join(say_answer(own, ["Simulated judge"]).lines["Use it for"])
    assert uses.count("This is for these 3 raters only.") == 1


def test_its_agreement_is_that_of_the_simulation(load):
    entries, _ = load("films-demo")
    rng = np.random.default_rng(5)
    items = {row["item"]: row for row in table("films", "items")}
    lenient = np.mean([simulate.leniency(name, "third_party") for name in simulate.THIRD_PARTIES])
    noise = np.hypot(VIEW, ANSWER)
    scores = {
        (row["item"], row["question"]): float(row["value"])
        for row in table("films", "judgments")
        if row["judge"] == "Simulated judge"
    }
    for question in simulate.QUESTIONS:
        quality = np.array([simulate.expected(item, question) for item in items.values()])
        judge = np.array([scores[item, question] for item in items])
        truth = true_agreement(judge, quality + lenient, noise, rng)
        row = entries["Simulated judge", question].row
        assert row["agreement_low"] < truth < row["agreement_high"], question
        assert row["agreement"] == pytest.approx(truth, abs=0.1), question


def test_a_judge_that_knows_who_wrote_a_reply_may_not_stand_in(load):
    entries, _ = load("helpdesk-demo")
    entry = entries[helpdesk.KNOWS_SYSTEM, "helpfulness"]
    row = entry.row
    assert (row["answer"], row["verdict"], row["why"]) == ("no", "known_features", "judge")
    assert row["agreement"] > 0.75 * row["rho"], "nearly as close to a rater as another rater is"
    assert entries["text length", "helpfulness"].row["answer"] == "no"
    assert {entry.row["answer"] for entry in entries.values()} == {"no"}
    ranked = [helpdesk.KNOWS_SYSTEM, "text length"]
    assert say_answer(list(entries.values()), ranked).lead == "No judge may stand in for a rater."


def test_a_judge_of_podcasts_may_rate_episodes_and_may_not_yet_choose_lists(load):
    entries, report = load("podcasts-demo")
    named, other = podcasts.JUDGES
    answers = {place: entry.row["answer"] for place, entry in entries.items()}
    assert answers[named, podcasts.FIT] == "yes"
    assert answers[named, podcasts.BETTER] == "not_yet"
    assert "yes" not in {answers[other, question] for question in (podcasts.FIT, podcasts.BETTER)}


def test_within_a_system_it_knows_nothing_and_over_all_as_much_as_was_simulated(load):
    entries, _ = load("helpdesk-demo")
    replies = list(helpdesk._replies())
    quality = np.array([reply["quality"] for reply in replies])
    systems = np.array([reply["system"] for reply in replies])
    scores = {
        row["item"]: float(row["value"])
        for row in table("helpdesk", "judgments")
        if row["judge"] == helpdesk.KNOWS_SYSTEM
    }
    judge = np.array([scores[reply["item"]] for reply in replies])
    row = entries[helpdesk.KNOWS_SYSTEM, "helpfulness"].row
    rng = np.random.default_rng(6)
    truth = true_agreement(judge, quality, helpdesk.SD_ANSWER, rng)
    assert row["agreement_low"] < truth < row["agreement_high"]
    within = judge - np.array([judge[systems == system].mean() for system in systems])
    beyond = quality - np.array([quality[systems == system].mean() for system in systems])
    assert abs(np.corrcoef(within, beyond)[0, 1]) < 0.15
    assert abs(row["agreement_within"]) < 0.15 < row["rho_within"]


def test_replies_of_the_shop_have_three_raters_who_are_named_as_simulated():
    raters = {}
    for row in table("helpdesk", "ratings"):
        raters.setdefault(row["item"], set()).add(row["rater"])
        assert row["rater"].startswith("simulated-") and row["value"] in {*"12345"}
    assert {len(of_item) for of_item in raters.values()} == {3} and len(raters) == 240
    assert len({rater for of_item in raters.values() for rater in of_item}) == 12
    texts = [(row["content"], row["text"]) for row in table("helpdesk", "items")]
    assert all(text.endswith(".") and "{" not in text for _, text in texts)
