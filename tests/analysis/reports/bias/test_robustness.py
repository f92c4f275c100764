"""The report of robustness: judges whose true robustness is known, gaps, failures, locked parts."""

import json
import re
from io import StringIO
from math import isnan

import pytest
from django.core.management import call_command
from django.utils import timezone
from scipy import stats

from analysis.answers import frame
from analysis.answers.perturbed import Perturbed
from analysis.exports import tables
from analysis.reports.registry import REPORTS
from annotate.design import splits
from judges.models import Judgment, Run
from tests import factories
from tests.analysis.small import build, options_of, row_of
from tests.judges.checks.test_robustness import (
    at_random,
    prompt_of,
    put_to_test,
    run_of,
    schema_of,
    steady,
    the_first_list,
)
from tests.podcasts import make_podcasts
from tests.scripted_server import ScriptedServer, chat

pytestmark = pytest.mark.django_db
KEY = "accuracy"
ALL_OF_THEM = dict.fromkeys(["multiply", "shift", "spaces", "random_words", "typos"], {})


@pytest.fixture
def study(owner):
    study = factories.make_study(owner=owner)
    for number in range(12):
        factories.make_item(study, f"item-{number}", f"r{number // 2}", f"film-{number}")
    return study


@pytest.fixture
def server():
    with ScriptedServer(steady) as server:
        yield server


def number_of(request):
    """The first digit of the item's key, which no relation touches."""
    return int(re.search(r"-(\d)\d*\)", prompt_of(request))[1])


def by_item(number, request):
    """Ignores all perturbations, and scores items differently: by the number of its key."""
    place = number_of(request)
    scales = {key: rule["enum"] for key, rule in schema_of(request).items() if "enum" in rule}
    return chat(
        json.dumps(
            {
                key: points[0] + place % 5 * (points[-1] - points[0]) // 4
                for key, points in scales.items()
            }
        )
    )


def of_measure(report, measure, **more):
    wanted = {"measure": measure} | more
    return [row for row in report.rows if wanted.items() <= row.items()]


def test_a_judge_that_ignores_perturbations_scores_1(study, server):
    put_to_test(run_of(study, server), items=12, repeats=2, relations=ALL_OF_THEM)
    report = build(study, "robustness", draws=50)
    rows = of_measure(report, "robustness")
    assert len(rows) == 4 * 6  # questions; relations, and all together
    for row in rows:
        assert (row["value"], row["floor"], row["excess"], row["n"]) == (1, 1, 0, 12)
        assert isnan(row["low"])  # the same in every draw
    flips = of_measure(report, "flip_rate")
    assert {(row["value"], row["low"]) for row in flips} == {(0, 0)}
    assert all(0 < row["high"] < 1 for row in flips)  # Wilson's
    assert {row["value"] for row in of_measure(report, "failures")} == {0}


def test_a_judge_that_answers_at_random_scores_at_the_noise_floor(study, server):
    """By hand: E|X − Y| of two uniform answers of 1..5 is 1.6, so 1 − 1.6/4 = .6."""
    past = run_of(study, server)
    server.script = at_random()
    put_to_test(past, items=12, repeats=3, relations=ALL_OF_THEM)
    report = build(study, "robustness", draws=200)
    for row in of_measure(report, "robustness", relation="all"):
        assert row["value"] == pytest.approx(0.6, abs=0.1)
        assert row["floor"] == pytest.approx(0.6, abs=0.1)
        assert row["excess_low"] < 0 < row["excess_high"]
    flips = of_measure(report, "flip_rate", relation="multiply")
    assert sum(row["value"] for row in flips) / len(flips) == pytest.approx(0.8, abs=0.04)
    assert any("halves down" in note for note in report.notes)
    inside = [
        row["excess_low"] <= 0 <= row["excess_high"] for row in of_measure(report, "robustness")
    ]
    assert sum(inside) >= 0.8 * len(inside)


def after_a_test(study, server, script=by_item, run_fields=None, **chosen):
    """A test whose answers come by this script; the run before it by the server's."""
    past = run_of(study, server, **run_fields or {})
    server.script = script
    return put_to_test(past, **{"items": 12, "repeats": 1} | chosen)


def test_numbers_are_those_of_the_answers_by_hand(study, server):
    """One point more on the even items under typos: |change| 1 on half of them, of a range of 4."""

    def kinder(number, request):
        reply = by_item(number, request)
        if is_changed(request) and number_of(request) % 2 == 0:
            said = json.loads(reply.body["choices"][0]["message"]["content"])
            reply = chat(
                json.dumps(
                    {key: value - 1 if value == 5 else value + 1 for key, value in said.items()}
                )
            )
        return reply

    after_a_test(study, server, kinder, relations={"politeness": {}})
    report = build(study, "robustness")
    even = [n for n in range(12) if int(str(n)[0]) % 2 == 0]
    share = len(even) / 12
    one = {"relation": "politeness", "question": KEY}
    assert row_of(report, measure="mean_change", **one)["value"] == pytest.approx(share)
    assert row_of(report, measure="flip_rate", **one)["value"] == pytest.approx(share)
    assert row_of(report, measure="robustness", **one)["value"] == pytest.approx(1 - share / 4)
    assert row_of(report, measure="robustness", **one)["floor"] == 1
    assert row_of(report, measure="mean_change", **one)["excess"] == pytest.approx(share)
    same = [int(str(n)[0]) % 5 + 1 for n in range(12)]
    changed = [value + (n in even) * (-1 if value == 5 else 1) for n, value in enumerate(same)]
    tau = row_of(report, measure="kendall", **one)
    assert tau["value"] == pytest.approx(stats.kendalltau(changed, same).statistic)
    assert tau["floor"] == 1
    rho = row_of(report, measure="spearman", **one)["value"]
    assert rho == pytest.approx(stats.spearmanr(changed, same).statistic)
    assert not of_measure(report, "robustness", relation="all"), "there is only one"


def is_changed(request):
    return request["messages"][0]["content"].startswith("Hello!")


def test_what_is_not_understood_is_counted_and_moves_nothing(study, server):
    def mute(number, request):
        return chat("?") if is_changed(request) else steady(number, request)

    after_a_test(study, server, mute, relations={"politeness": {}, "authority": {}})
    report = build(study, "robustness")
    lost = row_of(report, measure="failures", relation="politeness", question=KEY)
    assert (lost["value"], lost["floor"], lost["excess"], lost["n"]) == (1, 0, 1, 12)
    gone = next(e for e in report.entries if e.row["relation"] == "politeness")
    assert isnan(gone.row["value"]) and "not answered twice" in gone.reason
    assert row_of(report, measure="robustness", relation="authority", question=KEY)["value"] == 1
    assert isnan(row_of(report, measure="robustness", relation="all", question=KEY)["value"])


def test_a_constant_judge_has_no_ranks_but_is_robust(study, server):
    after_a_test(study, server, steady, relations={"typos": {}})
    report = build(study, "robustness", draws=20)
    ranks = [e for e in report.entries if e.row["measure"] in ("spearman", "kendall")]
    assert {e.reason for e in ranks} == {"all answers are equal"}


def test_verdicts_on_lists_have_flips_and_no_distances(owner):
    """It takes the first list wherever it stands: swapped, every verdict is another one."""
    study = make_podcasts(owner, pairs=4)
    with ScriptedServer(the_first_list) as server:
        after_a_test(
            study,
            server,
            the_first_list,
            items=4,
            run_fields={
                "method": "pairwise",
                "prompt": "pairwise.v1",
                "context": "profile",
            },
            relations={"swapped_lists": {}, "list_members_order": {}},
        )
    report = build(study, "robustness")
    assert {row["measure"] for row in report.rows} == {"robustness", "flip_rate", "failures"}
    swapped = row_of(report, measure="robustness", relation="swapped_lists")
    assert (swapped["value"], swapped["floor"], swapped["n"]) == (0, 1, 4)
    assert row_of(report, measure="robustness", relation="list_members_order")["value"] == 1
    assert row_of(report, measure="robustness", relation="all")["value"] == 0.5


def test_verdicts_of_fit_move_on_their_own_scale(owner):
    study = make_podcasts(owner, pairs=2)

    def fit(number, request):
        polite = is_changed(request)
        return chat(json.dumps({"rationale": "r", "verdict": "no fit" if polite else "fit"}))

    with ScriptedServer(fit) as server:
        after_a_test(
            study,
            server,
            fit,
            run_fields={
                "method": "fit",
                "prompt": "fit.v1",
                "context": "profile",
                "question": "episode-fit",
            },
            relations={"politeness": {}},
        )
    report = build(study, "robustness")
    assert row_of(report, measure="mean_change")["value"] == 1
    assert row_of(report, measure="robustness")["value"] == 0


def test_a_question_without_ends_says_why_it_has_no_robustness(server, owner):
    study = factories.make_study(owner=owner, items=3, questions={})
    factories.make_question(study, "minutes", "number")

    def number(_number, request):
        return chat(json.dumps({"minutes": 30 + is_changed(request)}))

    server.script = number
    after_a_test(study, server, number, items=3, relations={"politeness": {}})
    report = build(study, "robustness")
    (entry,) = [e for e in report.entries if e.row["measure"] == "robustness"]
    assert isnan(entry.row["value"]) and "no ends" in entry.reason
    assert row_of(report, measure="mean_change")["value"] == 1


def test_the_newest_test_that_ended_speaks_and_a_new_answer_changes_the_page(study, server):
    first = after_a_test(study, server, relations={"typos": {}})
    notes = "\n".join(build(study, "robustness").notes)
    assert f"careful: run {first.pk}, 12 items drawn with seed 1; each changed prompt" in notes
    before = str(Perturbed(study))
    first.judgments.filter(relation="typos").update(value=1)
    Judgment.objects.filter(run=first).update(settled_at=timezone.now())
    assert str(Perturbed(study)) != before
    second = put_to_test(Run.objects.judging().get(), items=4, relations={"spaces": {}})
    assert Perturbed(study).runs() == {"careful": second}
    for state in ("active", "cancelled", "out_of_budget"):
        Run.objects.filter(pk=second.pk).update(state=state)
        assert Perturbed(study).runs() == {"careful": first}, state
    Run.objects.filter(pk=first.pk).update(state="cancelled")
    assert Perturbed(study).runs() == {"careful": second}
    assert Perturbed(study).runs(version=2) == {}


def test_without_a_test_there_are_no_rows(study, server):
    run_of(study, server)
    report = build(study, "robustness")
    assert report.rows == [] and report.notes[0].startswith("No judge was tested with changed")


def test_only_items_of_the_part_that_is_read_are_in_it(study, server):
    after_a_test(study, server, relations={"typos": {}})
    splits.lock(study, 7, 0.5, "owner")
    reader = frame.Reader(study, part="choose")
    answers = reader.answers()
    kept = set(answers.items["item"].astype(str))
    chosen = options_of(answers, "robustness", **{"draws": 0, "part": "choose"})
    rows = REPORTS["robustness"].build(answers, chosen).rows
    assert 0 < len(kept) < 12 and {row["n"] for row in rows} == {len(kept)}


def test_the_page_has_figures_and_tables_and_takes_few_queries(
    study, server, as_owner, django_assert_max_num_queries
):
    after_a_test(study, server, at_random(), relations=ALL_OF_THEM, repeats=2)
    rate(study)
    with django_assert_max_num_queries(12):
        page = as_owner.get("/studies/films/analysis/robustness/?draws=50")
    assert page.status_code == 200
    for words in (
        "All relations",
        "Same prompt again",
        "Spaces in words (rate=0.15)",
        "figure-robustness",
        "figure-excess",
        "Kendall",
    ):
        assert words in page.text, words
    index = as_owner.get("/studies/films/analysis/headlines/").text
    assert "careful is least robust under" in index


def rate(study):
    session = factories.make_session(study, "ann")
    for item in study.items.all():
        for question in study.questions.all():
            factories.make_rating(session, item, question, 3)


def test_the_page_without_a_test_says_so(study, server, as_owner):
    run_of(study, server)
    rate(study)
    assert as_owner.get("/studies/films/analysis/robustness/").status_code == 200
    said = as_owner.get("/studies/films/analysis/headlines/").text
    assert "no judge was tested with changed prompts" in said


def test_json_csv_and_latex_have_it(study, server):
    after_a_test(study, server, relations={"typos": {}})
    for form in ("json", "csv", "latex"):
        out = StringIO()
        call_command("analyse", "films", "robustness", "--draws", "0", "--format", form, stdout=out)
        assert "typos" in out.getvalue()


# In the overview


def test_the_overview_has_it_where_there_is_a_test(study, server):
    rate(study)
    past = run_of(study, server)
    assert "robust" not in {row["figure"] for row in build(study, "overview").rows}
    put_to_test(past, items=12, repeats=1, relations={"typos": {}, "spaces": {}})
    row = row_of(build(study, "overview"), figure="robust", question=KEY)
    assert (row["evaluator"], row["value"], row["n"]) == ("careful", 1, 12)


# Exported


def test_every_answer_of_a_test_is_exported_and_none_of_a_locked_part(study, server):
    run = after_a_test(study, server, items=12, relations={"shift": {"by": 2}})

    def rows():
        header, found = tables.rows(study, "robustness")
        return [dict(zip(header, cells, strict=True)) for cells in found]

    found = rows()
    assert len(found) == 12 * 3 * 4 == run.judgments.count()
    one = next(row for row in found if row["relation"] == "shift")
    assert (one["run"], one["judge"], one["setting"]) == (run.pk, "careful", "by=2")
    assert (one["repetition"], one["state"], one["model"]) == (0, "done", "scripted-1")
    by_key = {judgment.call_id: judgment for judgment in run.judgments.all()}
    assert all(row["value"] == by_key[row["call"]].value for row in found)
    splits.lock(study, 7, 0.5, "owner")
    shown = {row["item"] for row in rows()}
    answers = frame.Reader(study, part="choose").answers()
    assert shown == set(answers.items["item"].astype(str)) and len(shown) < 12


def test_a_locked_parts_answers_are_not_on_the_tests_page(study, server, as_owner):
    run = after_a_test(study, server, items=12, relations={"shift": {}})
    page = f"/studies/films/runs/{run.pk}/"
    assert "<strong>" in as_owner.get(page).text
    splits.lock(study, 7, 0.99, "owner")
    shown = as_owner.get(page).text
    assert splits.WITHHELD in shown and "<strong>" not in shown
