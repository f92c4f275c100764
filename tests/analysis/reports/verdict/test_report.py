"""The verdict as a report: HANNA's published answers, a crowd with a known truth, and its words."""

from collections import Counter
from dataclasses import replace
from math import isnan, nan
from types import SimpleNamespace

import numpy as np
import pytest

from analysis.answers import frame
from analysis.reports.verdict import candidates
from analysis.reports.verdict.baselines import BASELINE
from analysis.reports.verdict.candidates import JUDGE
from analysis.reports.verdict.report import KIND
from analysis.reports.verdict.sentences import (
    COMPARE,
    DISAGREE,
    PARTS,
    RATE,
    simulation_notes,
    sum_up,
    worth_clause,
)
from analysis.serving.grouping import computed
from analysis.stats.validation.checks import find_echoes
from analysis.stats.validation.decision import Answer
from analysis.stats.validation.people import gather_people
from annotate.design.access import make_owner
from annotate.models import Rater, Rating
from judges.models import Judge, Judgment, Run
from tests import factories
from tests.analysis.small import build, load_hanna, options_of

pytestmark = pytest.mark.django_db
LLMS = ("Beluga", "Llama", "Mistral", "ChatGPT")


def rows_of(report, use=RATE, kind=JUDGE):
    """The rows of one use, by (evaluator, question)."""
    return {
        (entry.row["evaluator"], entry.row["question"]): entry.row
        for entry in report.entries
        if entry.kind == kind and entry.row["use"] == use
    }


@pytest.fixture
def hanna(shared_data):
    return build(load_hanna(shared_data / "hanna"), "verdict")


def test_hanna_has_the_answers_that_were_computed_twice_elsewhere(hanna):
    """16 prompted judges, 6 questions; beyond systems and contents people agree by .036 (.017) at
    best, which is no longer shown beside five other questions: no yes after the family."""
    rows = {key: row for key, row in rows_of(hanna).items() if key[0].startswith(LLMS)}
    assert len(rows) == 96
    answers = Counter(row["answer"] for row in rows.values())
    assert answers == {"not_yet": 14, "no": 8, "people_disagree": 74}
    alone = {key: row for key, row in rows.items() if row["why"] == "correction"}
    assert {question for _, question in alone} == {"complexity"} and len(alone) == 5
    least = sorted(row["worth_low"] for row in alone.values())
    assert least[0] >= 1.265 and least[-1] <= 2.555, least
    row = rows["Beluga-13B prompt 1", "complexity"]
    expected = {
        "rho": 0.277795,
        "agreement": 0.370519,
        "retention": 0.185322,
        "worth_low": 1.8529,
        "level": -0.023360,
    }
    for name, value in expected.items():
        assert row[name] == pytest.approx(value, abs=6e-5 if name == "worth_low" else 6e-7), name
    assert (row["items"], row["clusters"], row["raters"]) == (1056, 96, 3)


def test_hanna_passes_no_baseline_and_no_judge_compares_its_systems(hanna):
    baselines = rows_of(hanna, kind=BASELINE)
    assert len(baselines) >= 6 * 6
    assert {row["answer"] for row in baselines.values()} <= {"no", "not_yet", "people_disagree"}
    compared = rows_of(hanna, COMPARE)
    assert "yes" not in {row["answer"] for row in compared.values()}
    every, *_ = hanna.verdict
    assert every.startswith("“relevance”, “coherence”, ")
    assert every.endswith(f": none of 21 judges may stand in for a rater. {DISAGREE}")


CONTENTS, SYSTEMS, RATERS = 60, 3, 3


def make_truth(seed=1):
    return np.random.default_rng(seed).normal(0, 1, CONTENTS * SYSTEMS)


def make_crowd(seed=1, share=0.5):
    """180 items of three systems, each rated by three of twelve raters; the truth is returned."""
    rng = np.random.default_rng(seed + 100)
    study = factories.make_study(questions={"q": "likert5"})
    question = study.questions.get()
    items = factories.make_grid(study, CONTENTS, SYSTEMS)
    truth = make_truth(seed)
    sessions = [factories.make_session(study, f"r{number}") for number in range(12)]
    ratings = []
    for n, item in enumerate(items):
        for place in range(RATERS):
            session = sessions[(n + place * 4) % 12]
            value = 3 + np.sqrt(share) * truth[n] + np.sqrt(1 - share) * rng.normal()
            whole = float(np.clip(round(value), 1, 5))
            ratings.append(Rating(session=session, item=item, question=question, value=whole))
    Rating.objects.bulk_create(ratings)
    return study, truth


def add_judge(study, name, values):
    """A judge that gave these values to the study's items, in their order."""
    question = study.questions.get()
    run = Run.objects.create(judge=factories.make_judge(study, name), state="finished")
    Judgment.objects.bulk_create(
        Judgment(run=run, item=item, question=question, state="done", value=float(value))
        for item, value in zip(study.items.order_by("pk"), values, strict=True)
        if not isnan(value)
    )


@pytest.fixture
def crowd():
    """Judges whose answers are known: of insight, of none, too high, reversed, and few."""
    study, truth = make_crowd()
    rng = np.random.default_rng(2)
    good = np.clip(3 + 0.65 * truth + 0.3 * rng.normal(size=len(truth)), 1, 5)
    add_judge(study, "good", good)
    add_judge(study, "high", np.clip(good + 0.9, 1, 5))
    add_judge(study, "always 3", np.full(len(truth), 3))
    add_judge(study, "reversed", 6 - good)
    add_judge(study, "noise", rng.integers(1, 6, len(truth)))
    add_judge(study, "few", np.where(np.arange(len(truth)) < 20, good, np.nan))
    add_judge(study, "percent", 100 * good)
    return study


ORDER_IS_UNCORRECTED = (
    " This does not allow for the 7 judges that were tried on “q”, of which one may seem right by "
    "chance."
)


def test_each_judge_of_a_crowd_gets_its_answer(crowd):
    rows = {name: row for (name, _), row in rows_of(build(crowd, "verdict")).items()}
    verdicts = {name: (row["answer"], row["verdict"]) for name, row in rows.items()}
    assert verdicts == {
        "good": ("yes", "may"),
        "high": ("no", "level_off"),
        "always 3": ("no", "says_nothing"),
        "reversed": ("no", "may_not"),
        "noise": ("no", "may_not"),
        "few": ("not_yet", "too_few"),
        "percent": ("not_yet", "order_only"),
    }
    assert rows["good"]["worth_low"] > 1
    assert {row["family"] for row in rows.values()} == {6}  # a scale of its own is no candidate
    assert rows["percent"]["level_p"] is None or isnan(rows["percent"]["level_p"])


@pytest.mark.parametrize(
    ("compares", "end"),
    [
        (False, "do not compare systems by it."),
        (True, "which is within the margin for comparing systems."),
    ],
)
def test_a_yes_on_items_says_which_system_the_judge_favours(crowd, monkeypatch, compares, end):
    """PLANNING 2b: the warning is always shown beside a yes of section 2; no yes contradicts it."""
    good = np.array(
        Judgment.objects.filter(run__judge__key="good")
        .order_by("item__pk")
        .values_list("value", flat=True)
    )
    kind = np.where(np.arange(len(good)) % SYSTEMS == 1, 0.45, 0.0)
    add_judge(crowd, "kind to s1", np.clip(good + kind, 1, 5))
    if compares:
        compare, yes = candidates.compare_systems, {"answer": Answer.YES, "judge_p": 0.0}
        may = lambda *given: replace(compare(*given), **yes)  # noqa: E731
        monkeypatch.setattr(candidates, "compare_systems", may)
    report = build(crowd, "verdict", named="kind to s1")
    entries = {e.row["use"]: e for e in report.entries if e.row["evaluator"] == "kind to s1"}
    assert entries[RATE].row["answer"] == "yes"
    assert (entries[COMPARE].row["answer"] == "yes") == compares
    assert entries[RATE].row["warnings"].split() == ["favours", "unproven_name"]
    assert "It favours “s1” relative to “s" in entries[RATE].reason
    assert entries[RATE].reason.count(end) == 1


def reason_of(report, judge, use=RATE):
    (reason,) = [
        e.reason
        for e in report.entries
        if e.kind == JUDGE and (e.row["evaluator"], e.row["use"]) == (judge, use)
    ]
    return reason


def test_a_yes_says_what_share_of_the_items_it_rests_on(crowd):
    good = Judgment.objects.filter(run__judge__key="good").order_by("item__pk")
    values = np.array(good.values_list("value", flat=True))
    add_judge(crowd, "silent", np.where(np.arange(len(values)) % 5 < 2, nan, values))
    report = build(crowd, "verdict", named="silent")
    assert rows_of(report)["silent", "q"]["answer"] == "yes"
    words = "It gave 60 % of the rated items an answer on the scale: nothing is shown for the rest."
    assert words in reason_of(report, "silent") and words in reason_of(report, "silent", COMPARE)
    assert "answer on the scale" not in reason_of(report, "good")


def test_a_yes_by_other_conventions_says_by_which(crowd):
    assert "conventions" not in reason_of(build(crowd, "verdict"), "good")
    report = build(crowd, "verdict", level=2, floor=0)
    assert rows_of(report)["high", "q"]["answer"] == "yes"
    words = " Not by the usual conventions: level within 2, raters agree by .00 at least."
    assert words in reason_of(report, "high")


def test_worth_is_rounded_down():
    """A judge that is worth .96 of a rater is no rater."""
    assert [worth_clause([value]) for value in (0.96, 1.0, 1.96, 0.09, 5000)] == [
        ", worth at least 0.9 raters",
        ", worth at least 1.0 rater",
        ", worth at least 1.9 raters",
        "",
        ", worth at least 1,000 raters",
    ]
    assert worth_clause([2.79, 1.11]) == ", worth at least 1.1 to 2.7 raters"
    assert worth_clause([2.79, 0.09]) == ""


def sentences_of(*rows):
    """What is said first of judges with these (question, judge, answer, worth)."""
    usual = {"use": RATE, "role": "", "systems": "", "group": "", "why": "", "warnings": ""}
    names = ("question", "evaluator", "answer", "worth_low")
    entries = [
        SimpleNamespace(kind=JUDGE, judge=row[1], row=usual | dict(zip(names, row, strict=True)))
        for row in rows
    ]
    return list(sum_up(SimpleNamespace(roles=[]), entries))


def test_questions_with_one_answer_share_a_sentence():
    yes = [(name, "good", "yes", worth) for name, worth in (("a", 2.8), ("b", 1.1), ("c", 2.3))]
    no = [(name, "bad", "no", 0.0) for name in "abc"]
    likeness = ", for items and raters like these."
    shared = ": 1 of 2 judges may stand in for a rater: “good”, worth at least 1.1 to 2.8 raters"
    assert sentences_of(*yes, *no) == [f"All 3 questions{shared}{likeness}"]
    other = [("d", "good", "no", 0.0), ("d", "bad", "not_yet", 0.0)]
    assert sentences_of(*yes, *no, *other) == [
        f"“a”, “b”, “c”{shared}{likeness}",
        "“d”: none of 2 judges may stand in for a rater (no: 1, not yet: 1).",
    ]


def test_judges_that_are_not_shown_count_in_the_family_all_the_same(crowd):
    every, chosen = build(crowd, "verdict"), build(crowd, "verdict", judges=["good"])
    row = rows_of(chosen)["good", "q"]
    assert row == rows_of(every)["good", "q"] and row["family"] == 6
    assert set(rows_of(chosen)) == {("good", "q")}


def test_a_judge_named_beforehand_is_tested_alone(crowd):
    usual = rows_of(build(crowd, "verdict"))["good", "q"]
    report = build(crowd, "verdict", named="good")
    assert rows_of(report)["good", "q"]["p_adjusted"] < usual["p_adjusted"]
    assert any("Tested alone, as named beforehand: “good”." in note for note in report.notes)


def test_the_order_of_a_judge_named_beforehand_needs_no_correction(crowd):
    report = build(crowd, "verdict", named="high")
    assert ORDER_IS_UNCORRECTED not in reason_of(report, "high")
    assert ORDER_IS_UNCORRECTED in reason_of(report, "percent")
    assert any("Not corrected for the number of judges either is" in n for n in report.notes)
    assert any("Judges that compare systems are a family" in n for n in report.notes)


def test_every_role_has_a_verdict_of_its_own(crowd):
    Rater.objects.filter(key__in=["r0", "r4", "r8"]).update(role="expert")
    report = build(crowd, "verdict", reference="all")
    rows = [row for row in report.rows if (row["evaluator"], row["use"]) == ("good", RATE)]
    assert {row["role"]: row["raters"] for row in rows} == {"expert": 3, "third_party": 9}


def test_a_learned_ensemble_is_not_tested_by_what_it_learned_from(crowd):
    panel = factories.make_judge(crowd, "panel", kind=Judge.Kind.ENSEMBLE, rule="learned")
    panel.members.set(Judge.objects.filter(key__in=["good", "noise"]))
    row = rows_of(build(crowd, "verdict"))["panel", "q"]
    assert (row["answer"], row["verdict"]) == ("not_testable", "not_comparable")


def test_pairs_of_systems_have_rows_where_they_are_asked_for(crowd):
    pairs = [row for row in build(crowd, "verdict", pairs="show").rows if row["systems"]]
    assert {row["systems"] for row in pairs} == {"s1 − s0", "s2 − s0", "s2 − s1"}
    # Its systems do not differ: whoever finds a winner has an answer too.
    assert not [row for row in pairs if row["answer"] == "yes" or row["p_winner"] < 0.05]
    assert {row["p_winner"] for row in pairs if row["evaluator"] == "always 3"} == {1.0}
    assert not [row for row in build(crowd, "verdict").rows if row["systems"]]


def test_the_page_shows_the_pairs_of_systems(crowd, as_owner, owner):
    make_owner(crowd, owner)
    address = f"/studies/{crowd.slug}/analysis/verdict/"
    page = as_owner.get(f"{address}?pairs=show").content.decode()
    assert "it tells them apart (max-T)" in page and "good: s2 − s0" in page
    assert "(max-T)" not in as_owner.get(address).content.decode()


def test_the_words_say_for_which_use_and_what_next(crowd):
    report = build(crowd, "verdict")
    words = {
        entry.row["evaluator"]: (entry.reason, entry.row["next"])
        for entry in report.entries
        if entry.kind == JUDGE and entry.row["use"] == RATE
    }
    assert words["good"][0].startswith("“good” may stand in for one rater on “q”: as good as ")
    assert words["good"][0].endswith(
        f" This is for raters like these 12. {PARTS['elsewhere']} This says nothing of "
        "comparing systems."
    )
    assert all(entry.row["sentence"] == entry.reason for entry in report.entries)
    assert words["high"][0].startswith("“high” orders items well enough, but its scores are ")
    only = f" points too high: use it for the order of items only.{ORDER_IS_UNCORRECTED} "
    only += "Do not use “high” for means or single scores on “q”."
    assert words["high"][0].endswith(only)
    assert f"{ORDER_IS_UNCORRECTED} Do not use “percent” for means" in words["percent"][0]
    assert words["always 3"] == (
        "“always 3” gives the same answer to every item. "
        "Do not use “always 3” in place of a rater on “q”.",
        "Try another prompt or model.",
    )
    assert "It goes in the opposite direction." in words["reversed"][0]
    assert "20 items in 7 clusters" in words["few"][0]
    (first, *_) = report.verdict
    assert first.startswith("“q”: 1 of 7 judges may stand in for a rater: “good”, worth at ")
    assert ", for items and raters like these." in first


def paste(study, name, raters):
    """Let raters give a judge's rounded answers instead of their own."""
    values = dict(Judgment.objects.filter(run__judge__key=name).values_list("item", "value"))
    for rating in Rating.objects.filter(session__rater__key__in=raters):
        rating.value = float(round(values[rating.item_id]))
        rating.save()


def test_a_judge_whose_answers_stand_among_the_ratings_of_each_item_cannot_be_tested(crowd):
    assert rows_of(build(crowd, "verdict"))["good", "q"]["warnings"] == ""
    paste(crowd, "noise", ["r0"])
    noise = rows_of(build(crowd, "verdict"))["noise", "q"]
    assert (noise["answer"], noise["warnings"]) == ("not_yet", "")  # of 12 raters none is named
    rng, truth = np.random.default_rng(5), make_truth()
    add_judge(crowd, "fair", np.clip(np.round(3 + 0.5 * truth + rng.normal(size=len(truth))), 1, 5))
    paste(crowd, "fair", ["r0", "r1", "r2", "r3"])
    report = build(crowd, "verdict", named="fair")
    (entry,) = [e for e in report.entries if (e.row["evaluator"], e.row["use"]) == ("fair", RATE)]
    assert (entry.row["answer"], entry.row["verdict"]) == ("not_testable", "holds_ratings")
    assert "“fair” equals one of people's answers on 180 of 180 items" in entry.reason


def test_every_yes_of_a_flagged_study_says_so_in_its_words(crowd):
    """PLANNING 2d: a yes stays a yes, so that none may be read without the flag."""
    rng, truth = np.random.default_rng(5), make_truth()
    add_judge(crowd, "fair", np.clip(np.round(3 + 0.5 * truth + rng.normal(size=len(truth))), 1, 5))
    report = build(crowd, "verdict", named="fair")
    yes = [name for (name, _), row in rows_of(report).items() if row["answer"] == "yes"]
    items = list(crowd.items.order_by("pk").values_list("pk", flat=True))
    rated = Rating.objects.values_list("value", "item", "session__rater")
    values, ids, raters = zip(*rated, strict=True)
    codes = [items.index(item) for item in ids]
    people = gather_people(values, codes, np.unique(raters, return_inverse=True)[1], len(items))
    judged = Judgment.objects.order_by("item").values_list("value", flat=True)
    tables = [np.array(judged.filter(run__judge__key=name)) for name in yes]
    p = find_echoes(people, np.stack(tables)).study_p
    words = "with “{}” more than with other people, as if "
    said = [name for name in yes if words.format(name) in reason_of(report, name)]
    assert yes and said == [name for name, own in zip(yes, p, strict=True) if own < 0.05]
    summary, notes = report.verdict[0], " ".join(report.notes)
    assert (words.format("”, “".join(said)) in summary) == bool(said)
    assert ("for nothing in 5 % of studies" in notes) == bool(said)


def test_notes_say_what_simulations_showed_of_few_clusters_and_little_agreement():
    row = {"answer": "yes", "warnings": "", "clusters": 30, "rho": 0.2}
    covered = "95 % intervals held the true value in about .93 to .97"
    _, usual = simulation_notes([row])
    assert usual == f"{covered} of simulated studies with 30 clusters or more."
    _, few, bounds = simulation_notes([row, row | {"clusters": 12, "rho": 0.1}])
    assert few.endswith("; with 12 they may hold it less often.")
    assert bounds.startswith("Where raters agree by less than .20, the bounds of a judge's worth")
    assert len(list(simulation_notes([row | {"answer": "not_testable", "clusters": 0}]))) == 2


def test_a_judge_of_more_items_than_people_rated_narrows_intervals_whatever_the_answer(crowd):
    """Half as many items again: 1 − √(1 − R² (1 − 180/270)), R² by NumPy."""
    items = [factories.make_item(crowd, f"more{n}", None, f"d{n}", "s0") for n in range(90)]
    run, question = Run.objects.get(judge__key="high"), crowd.questions.get()
    Judgment.objects.bulk_create(
        Judgment(run=run, item=item, question=question, state="done", value=3.0) for item in items
    )
    judged = dict(Judgment.objects.filter(run=run).values_list("item", "value"))
    means = {
        item: np.mean(values)
        for item in judged
        if (values := Rating.objects.filter(item=item).values_list("value", flat=True))
    }
    r = np.corrcoef([*means.values()], [judged[item] for item in means])[0, 1]
    expected = 1 - np.sqrt(1 - r**2 * (1 - 180 / 270))
    row = rows_of(build(crowd, "verdict"))["high", "q"]
    assert row["answer"] == "no"
    words = (
        f" With your ratings it makes the intervals of means {100 * expected:.0f} % narrower: "
        "people rate 180 items, it judges all 270, and the intervals are as if people had rated "
        f"{180 / (1 - expected) ** 2:.0f}."
    )
    assert row["next"].endswith(words)


@pytest.mark.parametrize("by", [{}, {"by": "system"}])
def test_a_judge_that_is_a_line_of_the_means_has_a_verdict(by):
    """30 items, three a system: its squared correlation is a little over 1 as it is added."""
    study = factories.make_study(questions={"q": "It fits."})
    question, items = study.questions.get(), factories.make_grid(study, 3, 10)
    ratings = np.random.default_rng(1).integers(1, 6, (30, 3)).astype(float)
    for rater, values in enumerate(ratings.T):
        session = factories.make_session(study, f"r{rater}")
        factories.make_ratings(session, zip(items, [question] * 30, values, strict=True))
    add_judge(study, "line", 1 + ratings.sum(axis=1) / 3 / 2)
    answers = frame.read_answers(study)
    report = computed(KIND, answers, options_of(answers, "verdict", draws=0, **by))
    entries = [entry for entry in report.entries if entry.kind == JUDGE]
    assert {entry.row["evaluator"] for entry in entries} == {"line"}
    assert all(entry.row["answer"] for entry in entries)


def test_a_role_with_one_rating_an_item_leads_to_the_other_roles(crowd):
    session = factories.make_session(crowd, "own", Rater.Role.RECIPIENT)
    question = crowd.questions.get()
    factories.make_ratings(session, ((item, question, 3) for item in crowd.items.all()))
    first, *_, last = build(crowd, "verdict", reference="recipient").verdict
    assert first == (
        "“q”: Nothing can be tested: each item has one rating, by its own recipient, and none has "
        "a second answer by that recipient and a judgment. Collect a second rating of at least 30 "
        "items, or ask recipients a share of their own items again: repeat_share, on the page "
        "Settings, Order and checks; .1 is usual."
    )
    assert last == "Others have rated too: choose “Third party” as the reference role."


def test_the_usual_reference_is_the_role_that_can_test_a_judge(crowd):
    """Of the other reports it stays the recipient, whose opinion is meant."""
    session = factories.make_session(crowd, "own", Rater.Role.RECIPIENT)
    question = crowd.questions.get()
    factories.make_ratings(session, ((item, question, 3) for item in crowd.items.all()))
    report = build(crowd, "verdict")
    assert report.options["reference"] == "third_party"
    assert rows_of(report)["good", "q"]["answer"] == "yes"
    assert build(crowd, "correlation").options["reference"] == "recipient"
    Rating.objects.filter(session__rater__key__startswith="r").delete()
    assert build(crowd, "verdict").options["reference"] == "recipient"
