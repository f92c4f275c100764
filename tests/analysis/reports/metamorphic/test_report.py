"""Metamorphic evaluation of recommenders: tables known by hand, and what cannot be compared."""

import json
from io import StringIO
from math import isnan, sqrt

import pytest
from django.core.cache import caches
from django.core.management import call_command
from scipy import stats

from analysis.answers import frame
from analysis.answers.lists import Lists
from analysis.reports.metamorphic.report import (
    METAMORPHIC,
    NO_LIST_COMPARED,
    NO_LISTS,
    MetamorphicOptions,
)
from annotate.design import splits
from judges.methods.recommend.lists import fill
from judges.models import RecommendedList, Run
from tests import factories
from tests.recommended import add_list, known_table, make_lists, make_recommender

pytestmark = pytest.mark.django_db

# By hand, k = 5: another last entry, a reversed list and a disjoint one, against abcde.
LAST = 0.1 / 0.9 * (sum(0.9**d for d in range(1, 5)) + 0.8 * 0.9**5) + 0.8 * 0.9**5
REVERSED = 0.1 / 0.9 * (0.9**3 / 3 + 0.75 * 0.9**4 + 0.9**5) + 0.9**5
BY_HAND = {
    # Iterations of the same prompt: 1 and, with one swap of two recipients, the mean of 1 and it.
    ("no_change", "tau_topk"): (69 / 70, 1 / 35 / sqrt(2)),
    ("no_change", "tau_common"): (0.95, 0.1 / sqrt(2)),
    ("no_change", "rbo"): (0.975, 0.05 / sqrt(2)),
    ("no_change", "overlap"): (1, 0),
    ("multiply", "tau_topk"): (33 / 35, 0),
    ("multiply", "tau_common"): (1, 0),
    ("multiply", "rbo"): (LAST, 0),
    ("multiply", "overlap"): (0.8, 0),
    ("spaces", "tau_topk"): (-1, 0),
    ("spaces", "tau_topk_optimistic"): (1 - 50 / 35, 0),
    ("spaces", "rbo"): (0, 0),
    ("spaces", "overlap"): (0, 0),
    ("history_order", "tau_topk"): (15 / 35, 0),
    ("history_order", "tau_common"): (-1, 0),
    ("history_order", "rbo"): (REVERSED, 0),
    ("history_order", "overlap"): (1, 0),
}


@pytest.fixture(autouse=True)
def _nothing_kept():
    caches["reports"].clear()


@pytest.fixture
def study(owner):
    return factories.make_study("films", owner, items=0)


@pytest.fixture
def judge(study):
    return make_recommender(study)


def report_of(study, parts=None, **options):
    options = MetamorphicOptions(**{"draws": 200} | options)
    return METAMORPHIC.build(frame.read_answers(study), options, parts)


def rows_of(report, part="relations"):
    return {(row["relation"], row["measure"]): row for row in report.rows if row["part"] == part}


def test_table_4_by_hand(study, judge):
    make_lists(judge, known_table())
    rows = rows_of(report_of(study))
    for key, (value, sd) in BY_HAND.items():
        assert (rows[key]["value"], rows[key]["sd"]) == pytest.approx((value, sd)), key
        assert (rows[key]["n"], rows[key]["iterations"], rows[key]["lists"]) == (2, 2, 4)
        assert (rows[key]["k"], rows[key]["l"]) == (5, 20)
    undefined = rows["spaces", "tau_common"]
    assert isnan(undefined["value"]) and undefined["skipped"] == 4
    assert undefined["why"] == "fewer than two entries in common: 4"
    order = list(dict.fromkeys(relation for relation, _ in rows))
    assert order == ["no_change", "multiply", "spaces", "history_order"]  # as RELATIONS have them


def test_an_iteration_in_which_nobody_has_a_list_is_none(study, judge):
    """Of the second time nothing could be read: a mean of one, without a spread."""
    lists = known_table() | {(who, "multiply", 2): None for who in ("u1", "u2")}
    make_lists(judge, lists)
    row = rows_of(report_of(study))["multiply", "rbo"]
    assert row["value"] == pytest.approx(LAST) and isnan(row["sd"])
    assert (row["n"], row["iterations"], row["lists"], row["skipped"]) == (2, 1, 2, 2)


@pytest.mark.filterwarnings("ignore:Precision loss")
def test_its_tests_are_welchs_and_all_signs_with_holm_over_relations(study, judge):
    make_lists(judge, known_table())
    rows = rows_of(report_of(study))
    expected = stats.ttest_ind([LAST, LAST], [1, 0.95], equal_var=False).pvalue
    assert rows["multiply", "rbo"]["p"] == pytest.approx(expected)
    # Two people, both changed in one direction: 2 of 4 signs are as far.
    assert rows["multiply", "rbo"]["p_permutation"] == 0.5
    assert rows["multiply", "rbo"]["p_permutation_holm"] == 1
    raw = {key: rows[key, "rbo"]["p"] for key in ("multiply", "spaces", "history_order")}
    smallest = min(raw, key=raw.get)
    assert rows[smallest, "rbo"]["p_holm"] == pytest.approx(3 * raw[smallest])
    assert isnan(rows["no_change", "rbo"]["p"])


def test_where_no_iteration_differs_welch_is_undefined_and_says_why(study, judge):
    lists = known_table() | {("u2", "no_change", 2): "abcde"}
    make_lists(judge, lists)
    report = report_of(study)
    assert isnan(rows_of(report)["spaces", "rbo"]["p"])
    assert rows_of(report)["spaces", "rbo"]["p_permutation"] == 0.5
    assert any("all iterations are equal" in note for note in report.notes)


def test_without_the_same_prompt_again_there_is_no_p(study, judge):
    lists = {
        key: said
        for key, said in known_table().items()
        if key[1:] not in [("no_change", 1), ("no_change", 2)]
    }
    make_lists(judge, lists)
    report = report_of(study)
    assert isnan(rows_of(report)["spaces", "rbo"]["p"])
    assert rows_of(report)["spaces", "rbo"]["value"] == 0
    assert any("noise of sampling" in sentence for sentence in report.verdict)


def test_intervals_draw_recipients_again(study, judge):
    lists = {(f"u{n}", "no_change", at): "abcde" for n in range(8) for at in (0, 1, 2)}
    lists |= {
        (f"u{n}", "spaces", at): "abcde" if n < 4 else "vwxyz" for n in range(8) for at in (1, 2)
    }
    make_lists(judge, lists)
    row = rows_of(report_of(study, draws=2000))["spaces", "overlap"]
    # The mean of 8 of ones and zeros: quantiles of a binomial of 8 with ½.
    low, high = stats.binom.ppf([0.025, 0.975], 8, 0.5) / 8
    assert (row["value"], row["low"], row["high"]) == pytest.approx((0.5, low, high))
    plain = rows_of(report_of(study, draws=0))["spaces", "overlap"]
    assert isnan(plain["low"]) and plain["value"] == 0.5


def test_what_cannot_be_compared_is_left_out_and_counted(study, judge):
    lists = {(f"u{n}", "no_change", 0): "abcde" for n in range(4)}
    lists |= {
        ("u0", "spaces", 1): None,
        ("u1", "spaces", 1): "abc",
        ("u2", "spaces", 1): "abcde",
        ("u3", "spaces", 1): "abXYZ",
        ("lost", "spaces", 1): "abcde",
    }
    make_lists(judge, lists)
    report = report_of(study)
    tau, share = rows_of(report)["spaces", "tau_topk"], rows_of(report)["spaces", "overlap"]
    assert (tau["lists"], tau["skipped"], tau["n"]) == (2, 3, 2)
    assert sorted(tau["why"].split("; ")) == [
        "fewer than k entries: 1",
        "reply not understood: 1",
        "the baseline list is missing: 1",
    ]
    assert share["value"] == pytest.approx((0.6 + 1 + 0.4) / 3)  # of a short one over k too
    counts = rows_of(report, "counts")
    assert counts["spaces", "no_list"]["value"] == 1 and counts["spaces", "no_list"]["n"] == 5
    assert counts["spaces", "short"]["value"] == 1 and counts["spaces", "short"]["n"] == 4
    assert counts["spaces", "unmatched"]["value"] == 3
    assert counts["spaces", "unmatched"]["n"] == 18


def test_a_baseline_that_could_not_be_read_is_none(study, judge):
    make_lists(judge, {("u1", "no_change", 0): None, ("u1", "spaces", 1): "abcde"})
    report = report_of(study)
    row = rows_of(report)["spaces", "overlap"]
    assert isnan(row["value"]) and row["why"] == "the baseline list is missing: 1"
    assert [r for r in report.rows if r["part"] == "largest_change"] == []


def test_baselines_alone_are_only_counted(study, judge):
    make_lists(judge, {("u1", "no_change", 0): "abcde"})
    assert {row["part"] for row in report_of(study).rows} == {"counts"}


def test_entries_said_twice_make_a_short_list_with_a_reason_of_its_own(study, judge):
    run = make_lists(judge, {("u1", "no_change", 0): "abcde"})
    add_list(run, "u1", "spaces", 1, "abcd", repeated=1)
    add_list(run, "u1", "spaces", 2, "abcde", repeated=2, extra=1, known=1)
    report = report_of(study)
    row = rows_of(report)["spaces", "tau_topk"]
    assert (row["value"], row["why"]) == (1, "fewer than k entries, as some were said twice: 1")
    counts = rows_of(report, "counts")
    assert (counts["spaces", "repeated"]["value"], counts["spaces", "repeated"]["n"]) == (3, 13)
    assert counts["spaces", "extra"]["value"] == 1
    assert counts["spaces", "from_history"]["value"] == 1


def test_unknown_titles_are_compared_by_their_text_or_left_out(study, judge):
    make_lists(judge, {("u1", "no_change", 0): "abcdX", ("u1", "spaces", 1): "abcdX"})
    rows = rows_of(report_of(study))
    assert (rows["spaces", "overlap"]["value"], rows["spaces", "tau_topk"]["value"]) == (1, 1)
    rows = rows_of(report_of(study, entries="matched"))
    assert rows["spaces", "overlap"]["value"] == 0.8
    assert rows["spaces", "tau_topk"]["why"] == "fewer than k entries: 1"


def test_the_persistence_is_that_of_the_option(study, judge):
    make_lists(judge, known_table())
    row = rows_of(report_of(study, persistence=0.5))["multiply", "rbo"]
    hand = sum(0.5**d for d in range(1, 5)) + 0.8 * 0.5**5 + 0.8 * 0.5**5
    assert row["value"] == pytest.approx(hand)


def test_sweeps_are_tables_2_and_3(study, judge):
    for k, said in ((3, "abc"), (5, "abced")):
        base = {("u1", "no_change", 0): "abcde"[:k], ("u1", "no_change", 1): said}
        make_sweep = make_lists(judge, {}) if k == 3 else make_sweep  # noqa: F821
        for (person, relation, at), entries in base.items():
            add_list(make_sweep, person, relation, at, entries, plan="k_sweep", k=k, l=0)
    shown = make_lists(judge, {})
    for l, said in ((5, "abcde"), (10, "edcba")):  # noqa: E741
        add_list(shown, "u1", "no_change", 0, "abcde", plan="l_sweep", l=l)
        add_list(shown, "u1", "no_change", 1, said, plan="l_sweep", l=l)
    report = report_of(study)
    taus = [
        (row["part"], row["k"], row["l"], row["value"])
        for row in report.rows
        if row["measure"] == "tau_topk"
    ]
    assert taus == [
        ("k_sweep", 3, 0, 1),
        ("k_sweep", 5, 0, pytest.approx(33 / 35)),
        ("l_sweep", 5, 5, 1),
        ("l_sweep", 5, 10, pytest.approx(15 / 35)),
    ]
    assert all(isnan(row["p"]) for row in report.rows)


def test_the_largest_changes_come_with_both_lists(study, judge):
    lists = {(f"u{n}", "no_change", 0): "abcde" for n in range(5)}
    lists |= {(f"u{n}", "spaces", 1): "abcde" for n in range(5)}
    lists["u3", "spaces", 2], lists["u1", "spaces", 1] = "vwxyz", "edcba"
    make_lists(judge, lists)
    rows = [row for row in report_of(study).rows if row["part"] == "largest_change"]
    assert [(row["recipient"], row["iteration"], row["value"], row["n"]) for row in rows] == [
        ("u3", 2, 0, 2),
        ("u1", 1, pytest.approx(REVERSED), 1),
        ("u0", 1, 1, 1),
    ]
    assert rows[0]["baseline"] == "Film a | Film b | Film c | Film d | Film e"
    assert rows[0]["list"].startswith("Film v | Film w")


def test_the_newest_run_with_a_list_counts(study, judge):
    make_lists(judge, known_table())
    make_lists(judge, {("u1", "no_change", 0): "abcde", ("u1", "spaces", 1): "abcde"})
    make_lists(judge, {("u1", "no_change", 0): None})  # nothing could be read
    rows = rows_of(report_of(study))
    assert ("multiply", "rbo") not in rows
    assert rows["spaces", "rbo"]["value"] == 1


def test_without_lists_it_says_what_to_do(study):
    report = report_of(study)
    assert (report.rows, report.verdict) == ([], [NO_LISTS])


def test_all_replies_unreadable(study, judge):
    make_lists(judge, dict.fromkeys(known_table()))
    report = report_of(study)
    row = rows_of(report)["spaces", "rbo"]
    assert isnan(row["value"]) and row["why"] == "reply not understood: 4"
    entries = [e for e in report.entries if e.row["part"] == "relations"]
    assert all(entry.reason for entry in entries)
    assert report.verdict == [f"teller, k = 5, l = 20: {NO_LIST_COMPARED}"]


def test_a_locked_part_leaves_its_recipients_out(study, owner, judge):
    lists = {(f"u{n}", "no_change", at): "abcde" for n in range(20) for at in (0, 1)}
    make_lists(judge, lists)
    splits.lock(study, 7, 0.5, owner.username)
    study.refresh_from_db()
    split = splits.split_of(study)
    kept = sum(split.side(f"u{n}") == splits.CHOOSE for n in range(20))
    assert 0 < kept < 20
    assert rows_of(report_of(study, part="choose"))["no_change", "rbo"]["n"] == kept
    assert rows_of(report_of(study, part="test"))["no_change", "rbo"]["n"] == 20 - kept


def test_a_condition_on_recipients_holds_and_one_on_items_is_named(study, judge):
    make_lists(judge, known_table())
    report = report_of(study, only=(("recipient", "u2"),))
    assert rows_of(report)["no_change", "rbo"]["n"] == 1
    report = report_of(study, exclude=(("system", "good"),))
    assert rows_of(report)["no_change", "rbo"]["n"] == 2
    assert any("not items" in note for note in report.notes)


def test_its_stamp_changes_with_the_lists(study, judge):
    before = str(Lists(study))
    run = make_lists(judge, known_table())
    made = str(Lists(study))
    one = RecommendedList.objects.get(run=run, unit=0)
    first, *others = one.entries
    fill(one, [first | {"content": "other"}, *others], ())
    one.save()
    again = str(Lists(study))
    RecommendedList.objects.filter(run=run, unit=1).delete()
    assert len({before, made, again, str(Lists(study))}) == 4


def test_a_finished_test_speaks_before_a_newer_one_that_has_not_ended(study, judge):
    finished = make_lists(judge, known_table())
    newer = make_lists(judge, known_table())
    about = judge.pk, "relations"
    for state in ("active", "waiting", "cancelled", "out_of_budget"):
        Run.objects.filter(pk=newer.pk).update(state=state)
        assert Lists(study).runs == {about: finished.pk}, state
    Run.objects.filter(pk=finished.pk).update(state="cancelled")
    assert Lists(study).runs == {about: newer.pk}
    newer.recommended_lists.update(is_parsed=False)
    assert Lists(study).runs == {about: finished.pk}


def test_a_study_without_ratings_has_its_page_and_the_same_numbers_everywhere(
    study, judge, as_owner, django_assert_max_num_queries
):
    make_lists(judge, known_table())
    with django_assert_max_num_queries(12):
        response = as_owner.get("/studies/films/analysis/metamorphic/", {"draws": 50})
    assert response.status_code == 200
    page = response.content.decode()
    assert "Table 4." in page and "Spaces in words" in page and "Film v" in page
    assert "No judge has scored" not in page
    out = StringIO()
    call_command("analyse", "films", "metamorphic", draws=50, format="json", stdout=out)
    told = json.loads(out.getvalue())["rows"]
    assert (
        told
        == as_owner.get("/api/v1/studies/films/reports/metamorphic/", {"draws": 50}).json()["rows"]
    )
    assert told == response.context["report"].as_dict()["rows"]
    query = response.context["query"]
    for form in ("csv", "json", "tex"):
        answer = as_owner.get(f"/studies/films/analysis/metamorphic/rows.{form}?{query}")
        assert answer.status_code == 200 and b"history_order" in answer.content.replace(b"\\", b"")


@pytest.mark.parametrize("table", ["relations", "k_sweep", "l_sweep", "counts", "largest_change"])
def test_each_table_alone(study, judge, as_owner, table):
    make_lists(judge, known_table())
    response = as_owner.get(f"/studies/films/analysis/metamorphic/?table={table}&draws=20")
    assert response.status_code == 200
    assert {row["part"] for row in response.context["report"].rows} <= {table}


@pytest.mark.parametrize(
    ("name", "value"), [("persistence", "1"), ("persistence", "x"), ("entries", "some")]
)
def test_options_without_meaning_are_refused(study, judge, as_owner, name, value):
    address = "/studies/films/analysis/metamorphic/"
    assert as_owner.get(address, {name: value}).status_code == 400


def test_its_headline_is_the_relation_that_changes_most(study, judge, as_owner):
    make_lists(judge, known_table())
    item = factories.make_item(study)
    factories.make_rating(factories.make_session(study), item, study.questions.first(), 4)
    page = as_owner.get("/studies/films/analysis/headlines/?cards=1").content.decode()
    assert "lists change most under “Spaces in words”" in page
