"""Analysis and export pages: how many queries they take, what they say, their options."""

import inspect
import json
import re
from pathlib import Path

import pytest
from django.urls import reverse

from analysis.answers import frame
from analysis.figures.dots import BASELINE
from analysis.reports.registry import REPORTS
from analysis.serving.summaries import DRAWS
from annotate.models import Rater, Study
from judges.models import Judge, Judgment
from tests import factories
from tests.analysis.small import add_judge, build, make_rated_study, options_of
from tests.module_rows import _django_db_helper, module_rows  # noqa: F401

pytestmark = pytest.mark.django_db
# Reports that need no judge; and pages of those that need ratings.
ELSEWHERE = ("stop", "overview")  # whose pages another report's stands for
OF_PEOPLE = ("agreement", "rater_pairs", "raters", "exclusions", "reasons", "variance", "stop")
OF_RATINGS = ["", *(f"{name}/" for name, kind in REPORTS.items() if kind.needs_ratings)]


@pytest.fixture(scope="module")
def kept(module_rows):  # noqa: F811
    return make_rated_study(factories.make_user("owner"))


@pytest.fixture
def rated(kept):
    return Study.objects.get(pk=kept.pk)


@pytest.fixture
def owner(kept):
    return kept.memberships.get().user


def page(client, path, **query):
    usual = {} if path == "analysis/" else {"draws": 20}  # Results takes no options of reports
    return client.get(f"/studies/films/{path}", usual | query, follow=True)


@pytest.mark.parametrize(
    "path", ["", *(f"{report}/" for report in REPORTS if report not in ELSEWHERE)]
)
def test_a_page_takes_few_queries(rated, as_owner, django_assert_max_num_queries, path):
    # Is a worker alive, and has it failed before? Do places lack, are there items that lack some,
    # and how many are open? Results asks that too, and for pay, prices, calls without a value, and
    # what was said of five items. Facts asks for statements, matrices and texts.
    more = {"": 8, "plan/": 2, "verdict/": 3, "factuality/": 1}.get(path, 0)
    with django_assert_max_num_queries(12 + more):
        assert page(as_owner, f"analysis/{path}").status_code == 200


def words_of(client, path):
    return " ".join(client.get(f"/studies/films/analysis/{path}").content.decode().split())


def test_options_are_folded_under_what_they_say(rated, as_owner):
    text = words_of(as_owner, "correlation/?draws=20")
    assert "<details><summary><span>Options: " in text
    assert "third party, 20 draws; the others as usual · <u>change</u>" in text
    changed = words_of(as_owner, "correlation/?draws=20&only=system%3Dsystem-0&threshold=3")
    assert "only items with: system=system-0" in changed
    verdict = words_of(as_owner, "verdict/")
    assert verdict.index('id="answer"') < verdict.index("Options: ")


def test_options_with_an_error_are_open(rated, as_owner):
    text = words_of(as_owner, "correlation/?draws=many")
    assert "<details open><summary><span>Options: " in text


def test_a_page_without_numbers_does_not_send_to_notes_beside_its_answer(rated, as_owner):
    text = words_of(as_owner, "plan/")
    assert 'id="answer"' in text and "There is no number to show" not in text
    assert 'href="/plan/">How many ratings do I need?' in text


@pytest.mark.parametrize("report", REPORTS)
def test_a_report_has_a_figure_or_says_why_not(report):
    kind = REPORTS[report]
    draws = re.search("[Ff]igure\\(", Path(inspect.getsourcefile(kind.layout)).read_text())
    assert bool(draws) != bool(kind.no_figure)


def test_a_page_without_a_figure_says_why(rated, as_owner):
    assert "No figure: each rule is one line" in page(as_owner, "analysis/exclusions/").text


def test_the_export_page_takes_at_most_thirteen_queries(
    rated, as_owner, django_assert_max_num_queries
):
    with django_assert_max_num_queries(13):
        page(as_owner, "export/")


def test_a_page_seen_before_reads_no_answers(rated, as_owner, django_assert_max_num_queries):
    page(as_owner, "analysis/roc/")
    with django_assert_max_num_queries(8):
        page(as_owner, "analysis/roc/")


def test_a_new_answer_changes_the_page_at_once(rated, as_owner):
    before = page(as_owner, "analysis/roc/").context["report"].rows
    Judgment.objects.filter(run__judge__key="close").update(value=1)
    after = page(as_owner, "analysis/roc/").context["report"].rows
    assert before != after


def test_the_page_and_the_command_give_the_same_numbers(rated, as_owner):
    response = page(as_owner, "analysis/roc/rows.json", question="accuracy", seed=5)
    found = json.loads(response.content)
    expected = build(rated, "roc", draws=20, seed=5).as_dict()["rows"]
    assert found["rows"] == [row for row in expected if row["question"] == "accuracy"]


def test_the_link_carries_every_option(rated, as_owner):
    response = page(as_owner, "analysis/correlation/", exclude="system=system-1")
    query = response.context["query"]
    for part in (
        "coefficient=pearson",
        "reference=third_party",
        "exclude=system%3Dsystem-1",
        "missing_reference=drop",
        "undefined=skip",
        "draws=20",
        "seed=1",
    ):
        assert part in query
    again = as_owner.get(f"/studies/films/analysis/correlation/?{query}")
    assert again.context["report"].as_dict() == response.context["report"].as_dict()


def test_best_is_bold_and_second_underlined(rated, as_owner):
    table = page(as_owner, "analysis/correlation/").context["layout"].tables[0]
    for place in range(len(table.headings)):
        ranked = sorted(
            (cells[place] for _, cells in table.lines if cells[place].value == cells[place].value),
            key=lambda cell: -cell.value,
        )
        second = next(cell for cell in ranked if cell.value < ranked[0].value)
        for cell in ranked:
            expected = {ranked[0].value: "best", second.value: "second"}.get(cell.value, "")
            assert cell.rank == expected


@pytest.mark.parametrize("name", ["a vs b", "x + y", "humans + z"])
def test_a_judge_may_have_any_name(rated, as_owner, name):
    Judge.objects.filter(key="close").update(key=name)
    tables = page(as_owner, "analysis/agreement/", measure="kappa").context["layout"].tables
    first, joined, versus = ([line for line, _ in table.lines] for table in tables)
    assert "Cohen's κ" in first
    assert joined == [f"humans + {name}", "humans + random"]
    assert versus == [f"{name} vs third_party", "random vs third_party"]
    figure = page(as_owner, "analysis/agreement/").context["layout"].figures[0]
    colours = {
        c for trace in figure.plot["data"] if "marker" in trace for c in trace["marker"]["color"]
    }
    assert len(colours - {BASELINE}) == 3, "people and each judge have a colour of their own"


def test_each_correlation_says_what_it_is_made_from(rated, as_owner):
    table = page(as_owner, "analysis/correlation/").context["layout"].tables[0]
    cells = dict(table.lines)["close"]
    sizes = {(cell.row["question"], cell.row["level"]): cell.size for cell in cells}
    assert sizes["accuracy", "dataset"] == "n = 24"
    assert sizes["accuracy", "user"] == "n = 24, 4 of 4 groups"
    assert sizes["average", "dataset"] == "n = 96 values over 4 questions"


def test_a_matrix_without_items_says_why(rated, as_owner):
    Judgment.objects.filter(run__judge__key="close").update(
        state="failed", value=None, reason="timed out"
    )
    text = page(as_owner, "analysis/confusion/").content.decode()
    assert "No items: no item has a label from both people and the evaluator." in text


@pytest.mark.parametrize(
    "name", ["verdict", "agreement", "correlation", "differences", "thresholds"]
)
def test_a_headline_is_the_title_of_its_page(rated, as_owner, name):
    answers = frame.read_answers(rated)
    options = options_of(answers, name, draws=20)
    finding, missing = REPORTS[name].headline(answers, options, answers.judges)
    assert finding and not missing
    assert page(as_owner, f"analysis/{name}/").context["finding"] == finding


def test_headlines_are_of_all_judges_or_say_why_there_is_none(rated, as_owner):
    add_judge(rated, "far", lambda item: 5)  # the last of Results, with the largest bias
    said = as_owner.get("/studies/films/analysis/headlines/").content.decode()
    bias = page(as_owner, "analysis/bias/", draws=DRAWS).context["finding"]
    assert bias.startswith("far is furthest from people") and bias in said
    assert "tells high from low answers best: AUC on persuasiveness" in said
    Judgment.objects.all().delete()
    said = as_owner.get("/studies/films/analysis/headlines/").content.decode()
    unjudged = said.count("no judge has scored an item yet")
    # Pages that do not apply, and a report without one.
    lacking = ["selection", "preferences", "profile", "counterfactual", "overview"]
    asked = len(OF_RATINGS) - 1 - len(OF_PEOPLE) + len(["robustness"])
    assert unjudged == asked - len(lacking)
    only_a_text_question(rated)
    said = as_owner.get("/studies/films/analysis/headlines/").content.decode()
    assert "no question has a scale with an order" in said


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"exclude": "colour=red"}, "use column=value with one of the columns"),
        ({"draws": "many"}, "Enter a whole number."),
        ({"missing_judgment": "none"}, "Use drop, or the number to put in."),
        ({"coefficient": "phi"}, "Select a valid choice."),
        ({"drawz": "20"}, "Found the option “drawz”; allowed are "),
    ],
)
def test_a_wrong_option_is_named_and_no_number_shown(rated, as_owner, query, words):
    response = page(as_owner, "analysis/correlation/", **query)
    assert response.status_code == 400
    assert words in response.content.decode()
    assert "layout" not in response.context


def test_wrong_options_are_refused_in_downloads_too(rated, as_owner):
    response = page(as_owner, "analysis/roc/rows.csv", threshold="high")
    assert (response.status_code, response["Content-Type"]) == (400, "text/plain")
    assert response.content.decode() == "threshold: Enter a number."


@pytest.mark.parametrize(
    "address",
    ["analysis/horoscope/", "analysis/roc/rows.xml", "export/tokens.csv", "export/scores.xlsx"],
)
def test_unknown_pages_are_not_there(rated, as_owner, address):
    assert page(as_owner, address).status_code == 404


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"draws": 20}, "Found the option draws; allowed is sort alone."),
        ({"sort": "colour"}, "Found sort=colour; allowed are agreement"),
    ],
)
def test_results_refuses_what_it_does_not_know(rated, as_owner, query, words):
    response = as_owner.get("/studies/films/analysis/", query)
    assert response.status_code == 400 and words in response.content.decode()


def test_results_sorts_by_every_column_that_it_heads(rated, as_owner):
    text = page(as_owner, "analysis/").content.decode()
    sorts = re.findall(r'href="\?sort=([^"#]+)#leaderboard"', text)
    assert {f"on%3A{question.key}" for question in rated.questions.all()} < {*sorts}
    for sort in sorts:
        assert as_owner.get(f"/studies/films/analysis/?sort={sort}").status_code == 200


@pytest.mark.parametrize("report", OF_RATINGS)
def test_without_judges_people_are_compared_and_the_page_leads_to_the_judges(
    rated, as_owner, report
):
    Judgment.objects.all().delete()
    response = page(as_owner, f"analysis/{report}")
    assert response.status_code == 200
    assert "No judge has scored an item yet" in response.content.decode()
    assert reverse("judges", args=["films"]) in response.content.decode()


def test_a_reference_that_nobody_has_is_said(rated, as_owner):
    response = page(as_owner, "analysis/correlation/", reference="expert")
    assert "Nobody with the role expert has rated" in response.content.decode()


def only_a_text_question(study):
    study.questions.all().update(scale_spec={"kind": "text", "low": None, "high": None})


def test_html_in_names_is_shown_and_not_run(rated, as_owner):
    rater = Rater.objects.get(key="ann")
    rater.key = "<script>alert(1)</script>"
    rater.save()
    for report in REPORTS:
        assert b"<script>alert" not in page(as_owner, f"analysis/{report}/").content
    assert rated.raters.count() == 3


def test_downloads_are_attachments_that_no_browser_sniffs(rated, as_owner):
    response = page(as_owner, "export/scores.csv")
    assert response.streaming
    assert response["Content-Disposition"] == 'attachment; filename="films-scores.csv"'
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert response.getvalue().decode().count("\n") == 1 + 24 * 4 * 5
