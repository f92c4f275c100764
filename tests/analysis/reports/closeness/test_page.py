"""The page of a comparison: a finding as title, one figure, one table, names that are refused."""

import pytest

from tests.analysis.small import add_judge, make_rated_study

pytestmark = pytest.mark.django_db
URL = "/studies/films/analysis/compare/"


@pytest.fixture
def study(owner):
    study = make_rated_study(owner, recipients=8)
    add_judge(study, "contrary", lambda item: 1 + item.pk % 3)
    return study


def get(client, **given):
    return client.get(URL, {"draws": 100} | given)


def test_it_opens_with_the_answer(study, as_owner):
    page = as_owner.get(URL, {"draws": 100})
    title = page.context["finding"]
    assert title.startswith("close ") and " a rater " in title
    assert " on average over 4 questions (difference in r " in title
    layout = page.context["layout"]
    assert len(layout.figures) == len(layout.tables) == 1
    table = layout.tables[0]
    assert table.headings == ["close", "a rater", "Difference", "95 % interval", "p"]
    assert [name for name, _ in table.lines][0] == "average"
    assert table.caption == "Pearson’s r, all items: close less a rater, n = 144."
    text = page.content.decode()
    assert '<option value="mean of third_party">' in text and 'list="evaluators"' in text


def test_several_have_a_sentence_each_and_the_margin_a_line(study, as_owner):
    page = get(as_owner, of=["close", "contrary"], other="random", measure="mae", margin="0.2")
    assert page.context["finding"].startswith("close ")
    assert [s.split()[0] for s in page.context["sentences"]] == ["contrary"]
    figure = page.context["layout"].figures[0]
    assert [shape["x0"] for shape in figure.plot["layout"]["shapes"]] == [0, 0.2]
    low, high = figure.plot["layout"]["xaxis"]["range"]
    assert low < 0 and high > 0.2
    headings = page.context["layout"].tables[0].headings
    assert headings[0] == "Evaluator" and "Not worse" in headings and "p (max-T)" in headings
    values = [field.data for field in page.context["form"] if field.name == "of"]
    assert values == [["close", "contrary"]]
    assert page.content.decode().count('name="of"') == 3  # and an empty one


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"of": "nobody"}, "Found “nobody”; allowed are a rater, mean of third_party, close"),
        ({"other": "close + close"}, "Found “close + close”; allowed are"),
        ({"of": "close + random", "other": "random + close"}, "on both sides"),
        ({"of": "a rater + close"}, "Found “a rater + close”"),
        ({"margin": "wide"}, "Enter a number."),
        ({"measure": "f1"}, "Select a valid choice"),
    ],
)
def test_what_is_wrong_is_said(study, as_owner, given, words):
    page = get(as_owner, **given)
    assert page.status_code == 400
    assert words in page.content.decode()


def test_the_link_with_all_options_gives_the_same_numbers(study, as_owner):
    page = get(as_owner, of="close + ann", other="random", margin="0.1", measure="auc")
    again = as_owner.get(f"{URL}?{page.context['query']}")
    assert again.context["report"].rows == page.context["report"].rows
    rows = as_owner.get(f"{URL}rows.json?{page.context['query']}").json()["rows"]
    assert {row["measure"] for row in rows} == {"auc"}
    assert rows[0]["difference"] == page.context["report"].rows[0]["difference"]


def test_the_page_of_results_leads_to_it_first(study, as_owner):
    text = as_owner.get("/studies/films/analysis/roc/").content.decode()
    assert f'href="{URL}"' in text


def test_groups_have_sentences_of_their_own(study, as_owner):
    page = get(as_owner, by="genre", of="close", other="random")
    assert page.status_code == 200 and not page.context["finding"]
    assert [s.split(":")[0] for s in page.context["sentences"]] == ["genre=comedy", "genre=drama"]


def test_the_page_takes_as_many_queries_however_many_are_compared(
    study, as_owner, django_assert_num_queries
):
    get(as_owner)  # what is kept of the study's choices
    with django_assert_num_queries(QUERIES):
        get(as_owner, of=["close"], other="random")
    with django_assert_num_queries(QUERIES):
        get(as_owner, of=["close", "contrary", "ann", "bob + close"], other="random")


QUERIES = 10
