"""Tables 1 to 4 of counterfactual scores, computed here anew with scipy and scikit-learn."""

import json
from io import StringIO
from itertools import combinations
from math import isnan

import numpy as np
import pytest
from django.core.management import call_command
from scipy import stats
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_squared_error

from analysis.answers.scoring_times import scoring_times
from analysis.stats.intervals.bootstrap import draw_counts
from analysis.stats.regression.linear_prediction import random_splits
from annotate.models import Rater, Rating
from judges.models import Judge, Judgment, Run
from tests import factories
from tests.analysis.small import add_judge, build, make_rated_study, row_of
from tests.analysis.test_export_import import exported, load_by_command
from tests.analysis.test_export_import import rows_of as rows_of_study
from tests.explained import NAMES, QUESTIONS, SCORES, Explained

pytestmark = pytest.mark.django_db
PAGE = "/studies/films/analysis/counterfactual/"


@pytest.fixture
def explained(owner):
    return Explained(owner)


def rows_of(report, part, **wanted):
    found = [row for row in report.rows if row["part"] == part]
    return [row for row in found if wanted.items() <= row.items()]


def interval_by_hand(explained, kind, question, clusters, draws=40, seed=3):
    """The middle 95 % of r over draws of whole clusters, a code an explanation."""
    x, y = np.array(explained.scores[kind]), np.array(explained.means(question))
    n, drawn = max(clusters) + 1, []
    for draw in draw_counts(n, draws, np.random.default_rng(seed)):
        again = np.concatenate(
            [np.flatnonzero(np.array(clusters) == g) for g in np.repeat(np.arange(n), draw)]
        )
        drawn.append(stats.pearsonr(x[again], y[again])[0])
    return tuple(np.percentile(drawn, [2.5, 97.5]))


def test_table_1_is_pearson_of_score_and_mean_rating(explained):
    report = build(explained.study, "counterfactual", draws=40, seed=3)
    surveys = [survey for _, survey, _ in explained.items]  # whole recipients are drawn again
    for kind, name in NAMES.items():
        for question in QUESTIONS:
            row = row_of(report, part="correlation", score=name, question=question)
            x, y = np.array(explained.scores[kind]), np.array(explained.means(question))
            assert row["value"] == pytest.approx(stats.pearsonr(x, y)[0])
            assert row["n"] == len(explained.items)
            ends = interval_by_hand(explained, kind, question, surveys)
            assert (row["low"], row["high"]) == pytest.approx(ends)


def test_table_2_is_the_test_error_of_a_line_over_random_splits(explained):
    report = build(explained.study, "counterfactual", splits=12, seed=5)
    n = len(explained.items)
    train = random_splits(n, 12, np.random.default_rng(5))
    for kind in ("cf", "genre-jacc"):
        x, y = np.array(explained.scores[kind]), np.array(explained.means("trustworthiness"))
        errors = []
        for rows in train:
            line = LinearRegression().fit(x[rows, None], y[rows])
            errors.append(mean_squared_error(y[~rows], line.predict(x[~rows, None])))
        own = {"part": "prediction", "score": NAMES[kind], "question": "trustworthiness"}
        row = row_of(report, measure="mse", **own)
        assert row["value"] == pytest.approx(np.mean(errors))
        assert row["sd"] == pytest.approx(np.std(errors, ddof=1))
        plain = [np.mean((y[~rows] - y[rows].mean()) ** 2) for rows in train]
        mean = row_of(report, measure="mse_of_mean", **own)
        assert mean["value"] == pytest.approx(np.mean(plain))
        assert mean["sd"] == pytest.approx(np.std(plain, ddof=1))
        assert mean["low"] == pytest.approx(np.quantile(plain, 0.025))
    other = build(explained.study, "counterfactual", splits=12, seed=6)
    assert rows_of(other, "prediction")[0]["value"] != rows_of(report, "prediction")[0]["value"]
    assert any("12 random splits, seed 5" in note for note in report.notes)


def holm_by_hand(p):
    """Step down: the smallest times m, the next times m − 1, never below the one before."""
    found, worst = {}, 0.0
    for rank, (key, value) in enumerate(sorted(p.items(), key=lambda one: one[1])):
        worst = max(worst, min(1.0, value * (len(p) - rank)))
        found[key] = worst
    return found


def expected_tests(explained, pairs):
    """{(question, first cell, second cell): (t, p, sides)} by scipy."""
    found = {}
    for first, second in pairs:
        for question in QUESTIONS:
            one, other = (explained.in_cell(question, cell) for cell in (first, second))
            both = sorted(one.keys() & other.keys())
            a, b = [one[name] for name in both], [other[name] for name in both]
            t, p = stats.ttest_rel(a, b, alternative="greater")
            found[question, first, second] = t, p, (a, b)
    return found


TABLE_3 = [((s, "highest"), (s, other)) for s in SCORES for other in ("lowest", "mean")]
TABLE_4 = [((a, "highest"), (b, "highest")) for a, b in combinations(SCORES, 2)]


@pytest.mark.parametrize(("part", "pairs"), [("level_test", TABLE_3), ("score_test", TABLE_4)])
def test_tables_3_and_4_are_paired_t_tests_of_participants(explained, part, pairs):
    report = build(explained.study, "counterfactual")
    expected = expected_tests(explained, pairs)
    adjusted = holm_by_hand({key: p for key, (_, p, _) in expected.items()})
    for (question, first, second), (t, p, (a, b)) in expected.items():
        row = row_of(
            report,
            part=part,
            question=question,
            score=first[0],
            level=first[1],
            other=second[0],
            other_level=second[1],
        )
        assert (row["t"], row["p"]) == pytest.approx((t, p))
        assert row["p_holm"] == pytest.approx(adjusted[question, first, second])
        sides = (np.mean(a), np.std(a, ddof=1), np.mean(b), np.std(b, ddof=1))
        said = tuple(row[name] for name in ("mean", "sd", "other_mean", "other_sd"))
        assert said == pytest.approx(sides)
        assert (row["n"], row["value"]) == (12, pytest.approx(np.mean(a) - np.mean(b)))
    assert len(rows_of(report, part)) == len(expected)
    # Those who were excluded would have changed it.
    Rater.objects.update(excluded_because="")
    again = build(explained.study, "counterfactual")
    assert {row["n"] for row in rows_of(again, part)} == {14}


def test_a_question_alone_has_the_same_numbers(explained, as_owner):
    whole = build(explained.study, "counterfactual", draws=20).as_dict()["rows"]
    page = as_owner.get(f"{PAGE}rows.json", {"draws": 20, "question": "satisfaction"})
    found = json.loads(page.content)["rows"]
    assert found == [row for row in whole if row["question"] in ("satisfaction", "")]
    every = as_owner.get(f"{PAGE}rows.json", {"draws": 20})
    assert json.loads(every.content)["rows"] == whole
    out = StringIO()
    call_command(
        "analyse", "films", "counterfactual", "--draws", "20", "--format", "json", stdout=out
    )
    assert json.loads(out.getvalue())["rows"] == whole


def test_who_sees_a_cell_twice_counts_with_their_mean(explained):
    """p00 also rates another survey's screen of the cell: a pair stays one participant."""
    session = explained.study.sessions.get(rater__key="p00")
    item = next(
        row
        for row, (_, survey, cell) in zip(explained.rows, explained.items, strict=True)
        if survey == 3 and cell == ("cf", "highest")
    )
    question = explained.study.questions.get(key="satisfaction")
    factories.make_rating(session, item, question, 1)
    explained.ratings["p00", item.key, "satisfaction"] = 1
    row = row_of(
        build(explained.study, "counterfactual"),
        part="level_test",
        score="cf",
        other_level="lowest",
        question="satisfaction",
    )
    t, p, _ = expected_tests(explained, TABLE_3[:1])[("satisfaction", *TABLE_3[0])]
    assert (row["t"], row["p"], row["n"]) == (pytest.approx(t), pytest.approx(p), 12)


def test_undefined_numbers_say_why(explained):
    Rating.objects.update(value=4)
    Judgment.objects.filter(run__judge__key="Genre-Jacc").update(value=0.5)
    report = build(explained.study, "counterfactual", draws=20)
    reasons = {(entry.row["part"], entry.reason) for entry in report.entries}
    assert ("level_test", "all differences are equal, so that t is undefined") in reasons
    assert ("correlation", "all values of the reference are equal") in reasons
    for part in ("correlation", "level_test", "score_test"):
        key = "t" if part != "correlation" else "value"
        assert all(isnan(row[key]) for row in rows_of(report, part))
    constant = [
        e
        for e in report.entries
        if e.row["part"] == "prediction" and e.row["score"] == "Genre-Jacc"
    ]
    assert {e.reason for e in constant} == {
        "no split has two different values of the score to fit a line to"
    }
    assert any(note.startswith("All differences are equal") for note in report.notes)
    assert "NaN" not in json.dumps(report.as_dict())


def test_scores_that_were_clipped_are_counted(explained):
    study, said = explained.study, "scores stand at −1 or 1, clipped there"
    report = build(study, "counterfactual", draws=0)
    assert not any(said in note for note in report.notes)
    ends = {"s0-00": 1.0, "s0-01": -1.0, "s1-03": 1.0}
    for key, end in ends.items():
        Judgment.objects.filter(run__judge__key="CF", item__key=key).update(value=end)
    Judgment.objects.filter(run__judge__key="Genre-Jacc", item__key="s0-00").update(value=1.0)
    Judgment.objects.filter(run__judge__key="CF", item__key="s5-11").update(
        value=None, state=Judgment.State.FAILED, reason="no film"
    )
    notes = [n for n in build(study, "counterfactual", draws=0).notes if said in n]
    assert [note.split(":")[0] for note in notes] == ["CF"]
    assert notes[0].startswith(f"CF: 3 of 71 {said}"), "once an explanation, for all questions"


def test_liked_are_explanations_what_they_recommend_and_what_they_name(explained):
    report = build(explained.study, "counterfactual")
    ratings = explained.ratings
    item = explained.rows[5]
    values = [v for (_, key, q), v in ratings.items() if (key, q) == (item.key, "satisfaction")]
    row = row_of(
        report, part="liked", measure="explanation", question="satisfaction", item=item.key
    )
    assert (row["value"], row["n"]) == (pytest.approx(np.mean(values)), 2)
    if len(set(values)) > 1:
        ends = stats.t.interval(0.95, 1, np.mean(values), stats.sem(values))
        assert (row["low"], row["high"]) == pytest.approx(ends)
    assert row["explaining"] == item.data["explaining_contents"]
    named = {r.key for r in explained.rows if "film-a" in r.data["explaining_contents"].split("|")}
    said = [v for (_, key, _), v in ratings.items() if key in named]
    row = row_of(report, part="liked", measure="explaining", question="average", content="film-a")
    assert (row["value"], row["n"]) == (pytest.approx(np.mean(said)), len(said))
    sums: dict = {}  # who rates several of them is one person
    for (name, key, _), value in ratings.items():
        if key in named:
            sums[name] = sums.get(name, 0) + value - np.mean(said)
    people = len(sums)
    error = np.sqrt(people / (people - 1) * sum(s * s for s in sums.values())) / len(said)
    reach = stats.t.ppf(0.975, people - 1) * error
    assert (row["low"], row["high"]) == pytest.approx(
        (np.mean(said) - reach, np.mean(said) + reach)
    )
    odd = {r.key for r in explained.rows if r.content.key == "new-x"}
    said = [v for (_, key, q), v in ratings.items() if key in odd and q == "satisfaction"]
    row = row_of(
        report, part="liked", measure="recommended", question="satisfaction", content="new-x"
    )
    assert (row["value"], row["n"]) == (pytest.approx(np.mean(said)), len(said))


def test_exactness_stands_beside_the_time_of_a_score(explained):
    report = build(explained.study, "counterfactual", draws=20)
    full = explained.scores["cf"]
    for kind in ("cf-warm", "cf-a"):
        own = {"part": "exactness", "score": NAMES[kind]}
        some = explained.scores[kind]
        tau = row_of(report, measure="kendall", **own)
        assert (tau["value"], tau["other"]) == (
            pytest.approx(stats.kendalltau(some, full)[0]),
            "CF",
        )
        assert tau["low"] <= tau["value"] <= tau["high"]
        rho = row_of(report, measure="spearman", **own)["value"]
        assert rho == pytest.approx(stats.spearmanr(some, full)[0])
        far = max(abs(a - b) for a, b in zip(some, full, strict=True))
        assert row_of(report, measure="largest_difference", **own)["value"] == pytest.approx(far)
        typical = row_of(report, measure="mean_difference", **own)
        expected = np.mean([abs(a - b) for a, b in zip(some, full, strict=True)])
        assert typical["value"] == pytest.approx(expected)
        assert typical["low"] < typical["value"] < typical["high"]
        # 40 seconds, 4 of them a pause, 72 explanations whatever the number of questions
        seconds = row_of(report, measure="seconds", **own)
        assert (seconds["value"], seconds["n"]) == (pytest.approx(0.5), 72)
    assert row_of(report, part="exactness", score="CF", measure="seconds")["n"] == 72


def test_judges_of_other_settings_are_not_ways_to_the_same_score(explained):
    factories.change_settings(Judge.objects.get(key="CF-A"), factors=8)
    factories.change_settings(Judge.objects.get(key="CF warm"), effect="rank")
    factories.change_settings(Judge.objects.get(key="CF"), top=3)
    report = build(explained.study, "counterfactual")
    assert rows_of(report, "exactness") == []
    assert any("Exactness against cost: no numbers" in note for note in report.notes)
    assert rows_of(report, "correlation", score="CF warm"), "a change of ranks is a score too"
    assert any(note.startswith("CF warm: by how many ranks") for note in report.notes)
    assert any(note.startswith("CF: compared with place 3 of the others") for note in report.notes)


def test_exclusions_are_counted_by_rule(explained):
    report = build(explained.study, "counterfactual")
    assert "14 raters asked, 2 excluded, 12 kept." in report.verdict
    found = [
        (row["measure"], row["rule"], row["value"], row["n"])
        for row in rows_of(report, "exclusions")
    ]
    assert found == [
        ("asked", "", 14, 14),
        ("excluded", "failed 1 or more attention checks", 1, 14),
        ("excluded", "fewer than 1 films a month", 1, 13),
        ("kept", "", 12, 14),
    ]
    (idle,) = [note for note in report.notes if note.startswith("Of the paper's rules")]
    assert "Unfamiliar with the films" in idle and "Few films a month" not in idle


def test_scores_from_a_file_count_under_the_names_of_their_kinds(owner):
    study = make_rated_study(owner)
    assert build(study, "counterfactual").rows == []
    add_judge(study, "Item-Sim", lambda item: (item.pk * 7) % 4)
    report = build(study, "counterfactual")
    assert {row["score"] for row in rows_of(report, "correlation")} == {"Item-Sim"}
    chosen = build(study, "counterfactual", judges=["close", "Item-Sim"])
    assert {row["score"] for row in rows_of(chosen, "correlation")} == {"close", "Item-Sim"}


def test_a_study_without_such_judges_or_cells_says_what_is_missing(owner, as_owner):
    study = make_rated_study(owner)
    text = as_owner.get(PAGE, {"draws": 20}).text
    assert "cell_score" in text and "make_counterfactual_study" in text
    assert "judges of the kinds cf, cf-a, item-sim and genre-jacc" in text
    item = study.items.first()
    item.data |= {"cell_score": "CF ", "cell_level": "top"}
    item.save()
    assert build(study, "counterfactual").rows == []
    item.data |= {"cell_level": "Highest"}
    item.save()
    report = build(study, "counterfactual")
    assert {row["score"] for row in rows_of(report, "level_test")} == {"cf"}
    assert all(isnan(row["p"]) for row in rows_of(report, "level_test"))


@pytest.mark.parametrize("query", [{}, {"question": "satisfaction"}, {"by": "cell_level"}])
def test_the_page_shows_tables_and_plots_in_few_queries(
    explained, as_owner, django_assert_max_num_queries, query
):
    with django_assert_max_num_queries(12):
        response = as_owner.get(PAGE, {"draws": 20} | query)
    text = response.text
    for words in (
        "Table 1.",
        "Table 2.",
        "14 raters asked, 2 excluded, 12 kept.",
        "A film",
        "Exactness against cost",
    ):
        assert words in text
    if "question" in query:
        assert "Table 3. satisfaction: is the first rated above the second?" in text
        assert "CF highest / CF lowest" in text and "CF highest / Genre-Jacc highest" in text
    elif not query:
        assert "CF highest / CF lowest, satisfaction" in text
        assert "CF highest / Genre-Jacc highest, satisfaction" in text
    assert ">nan<" not in text.lower() and "None" not in text
    keys = [figure.key for *_, layout in response.context["groups"] for figure in layout.figures]
    assert ("scatter-satisfaction" in keys) == ("question" in query)
    assert "scores" in keys and len(keys) == len(set(keys))


def test_the_page_begins_with_what_was_liked_most(explained, as_owner):
    means = explained.means("satisfaction")
    response = as_owner.get(PAGE, {"draws": 0, "question": "satisfaction"})
    tables = response.context["groups"][0][2].tables
    (table,) = [table for table in tables if table.caption.startswith("Explanations: ")]
    shown = [cells[0].value for _, cells in table.lines]
    assert shown == pytest.approx(sorted(means, reverse=True)[:15])
    key, cells = table.lines[0]
    item = next(row for row in explained.rows if row.key == key)
    titles = [f"{film[-1].upper()} film" for film in item.data["explaining_contents"].split("|")]
    assert cells[-1].words == ", ".join(titles)


def test_the_index_has_its_headline(explained, as_owner):
    text = as_owner.get("/studies/films/analysis/headlines/").text
    assert "CF follows people most closely (largest r) on" in text


def test_points_of_a_plot_are_those_of_the_table_with_the_line_of_least_squares(explained):
    report = build(explained.study, "counterfactual")
    points = report.curves["CF", "satisfaction"]
    x, y = explained.scores["cf"], explained.means("satisfaction")
    assert (points["score"], points["people"]) == (pytest.approx(x), pytest.approx(y))
    slope, start = stats.linregress(x, y)[:2]
    assert points["line"]["y"] == pytest.approx(
        [start + slope * end for end in points["line"]["x"]]
    )


def test_an_export_that_is_loaded_again_has_the_same_numbers(explained, tmp_path):
    """But for those who were excluded and the times of runs, which no file holds."""
    load_by_command(exported("films", tmp_path))
    without = [("part", "exclusions"), ("measure", "seconds")]
    found = [rows_of_study(slug, "counterfactual", without) for slug in ("copy", "films")]
    assert found[0] == found[1] and len(json.loads(found[0])) > 300


def test_the_time_of_a_score_is_of_what_was_computed_here(explained):
    found = scoring_times(explained.study)
    expected = dict.fromkeys(NAMES.values(), (36, 72))
    assert {name: (time.seconds, time.scores) for name, time in found.items()} == expected
    Run.objects.filter(judge__key="CF").update(frozen={"kind": "imported"})
    assert "CF" not in scoring_times(explained.study)
    row = row_of(
        build(explained.study, "counterfactual"), part="exactness", score="CF", measure="seconds"
    )
    assert isnan(row["value"])
