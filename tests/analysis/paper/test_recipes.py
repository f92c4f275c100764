"""The page Recipes: the five papers, a paper's table beside the study's numbers, its files."""

import re
from html import unescape
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone
from scipy.stats import pearsonr

from analysis.paper.recipe_page import title_of, written
from analysis.recipes.registry import RECIPES
from analysis.serving.compute import compute
from annotate.models import Membership, Rating
from judges.models import Computation, Heartbeat
from tests import factories
from tests.explained import Explained

pytestmark = pytest.mark.django_db
PAGE = "/studies/films/analysis/recipes/"


@pytest.fixture
def explained(owner):
    return Explained(owner)


@pytest.fixture
def alive(explained):
    return Heartbeat.objects.create(worker="worker@test", at=timezone.now())


def line_of(text, measure):
    """Return the words of the row of a measure, the first there is."""
    row = re.search(rf'<th scope="row">{re.escape(measure)}</th>(.*?)</tr>', text, re.S)[1]
    return " ".join(re.sub(r"<[^>]+>", " ", row).split())


def test_the_paper_page_leads_to_the_five_recipes(explained, as_owner):
    assert f'href="{PAGE}"' in as_owner.get("/studies/films/analysis/paper/").text
    page = as_owner.get(PAGE)
    assert [recipe.key for recipe, _ in page.context["listed"]] == ["p0", "p1", "p2", "p3", "p4"]
    for recipe in RECIPES.values():
        assert f'href="?paper={recipe.key}">{recipe.title.split("&")[0][:20]}' in page.text
    assert "The study has no histories, of which a recommender could be trained." in page.text
    assert "The study has no choice between two lists, A and B." in page.text


def test_a_recipe_shows_printed_and_own_numbers_with_a_verdict(explained, as_owner):
    page = as_owner.get(PAGE, {"paper": "p4"})
    parts, text = page.context["parts"], page.text
    assert all(line.own != "–" for part in parts for line in part.lines)
    assert all(line.own == "–" for part in parts for line in part.missing)
    r = pearsonr(explained.scores["item-sim"], explained.means("satisfaction"))[0]
    assert line_of(text, "Item-Sim · Satisfaction").startswith(f"0.2304 {r:.4f} [")
    assert "Table 4a" in text and "Of 163 printed numbers: " in text
    reason = "– not computed: the judge has no score"
    assert line_of(text, "CF · Informativeness").startswith(f"0.4633 {reason}")
    assert line_of(text, "p · Satisfaction").startswith("– "), "the study's p alone"
    assert "Judges: 4 of 4 roles in the paper have one" in text


def test_another_judge_may_be_chosen_for_a_role(explained, as_owner):
    asked = {"paper": "p4", "judge": ["", "CF=CF", ""]}
    page = as_owner.get(PAGE, asked)
    assert '<option value="CF=CF" selected>CF</option>' in page.text
    brought = factories.make_judge(explained.study, "mine & yours")
    items = zip(explained.rows, explained.scores["cf-warm"], strict=True)
    question = explained.study.questions.get(key="satisfaction")
    factories.make_judgments(brought, {(item, question): value for item, value in items})
    named = {"paper": "p4", "judge": f"CF={brought.key}"}
    text = as_owner.get(PAGE, named).text
    r = pearsonr(explained.scores["cf-warm"], explained.means("satisfaction"))[0]
    assert line_of(text, "CF · Satisfaction").startswith(f"0.3499 {r:.4f} [")
    query = re.search(rf'href="{PAGE}p4.csv\?([^"]+)"', text)[1].replace("&amp;", "&")
    assert f"{r}"[:12] in as_owner.get(f"{PAGE}p4.csv?{query}").text
    assert "Item-Sim=CF warm" not in text, "a judge of another kind is not offered"


@pytest.mark.parametrize("form", ["csv", "md"])
def test_files_are_what_the_command_writes(explained, as_owner, tmp_path, form):
    path = tmp_path / f"p4.{form}"
    call_command("recipe", "films", "p4", "-o", str(path), stdout=StringIO())
    answer = as_owner.get(f"{PAGE}p4.{form}")
    assert answer.content == path.read_bytes()
    assert answer["Content-Disposition"] == f'attachment; filename="films-p4.{form}"'
    assert answer["X-Content-Type-Options"] == "nosniff"
    if form == "md":
        head, rule, first, *_ = [line for line in answer.text.splitlines() if line[:1] == "|"]
        assert head.startswith("| table | row | column | printed |")
        assert rule.count("---") == head.count("|") - 1 == first.count("|") - 1
        assert "\n- The recipe makes and runs no judge" in answer.text


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"paper": "p9"}, "Found paper=p9; allowed are p0, p1, p2, p3, p4."),
        ({"paper": "p4", "draws": "3"}, "Found the option draws; allowed are paper and judge."),
        ({"judge": "CF=CF"}, "Found paper=; allowed are p0"),
        ({"paper": "p4", "judge": "CF=nobody"}, "The study has no judge &#x27;nobody&#x27;."),
        ({"paper": "p4", "judge": "XY=CF"}, "p4 has no role &#x27;XY&#x27;; it has: CF, CF-A"),
        ({"paper": "p4", "judge": "CF"}, "Found &#x27;CF&#x27;; expected ROLE=NAME."),
    ],
)
def test_what_is_wrong_is_said(explained, as_owner, asked, message):
    page = as_owner.get(PAGE, asked)
    assert page.status_code == 400 and message in page.text


def test_a_wrong_file_is_refused(explained, as_owner):
    answer = as_owner.get(f"{PAGE}p4.csv", {"judge": "CF=nobody"})
    assert (answer.status_code, answer.text) == (400, "The study has no judge 'nobody'.")
    assert answer["Content-Type"].startswith("text/plain")
    assert as_owner.get(f"{PAGE}p9.csv").status_code == 404
    assert as_owner.get(f"{PAGE}p4.xlsx").status_code == 404


def test_with_a_worker_the_page_waits_and_then_shows_the_table(explained, as_owner, alive):
    asked = {"paper": "p4", "judge": "CF=CF"}
    page = as_owner.get(PAGE, asked)
    assert "Waiting for a worker." in page.text and "<progress" in page.text
    row = Computation.objects.get()
    assert (row.report, row.query) == ("recipe", "paper=p4&judge=CF%3DCF")
    sent_on = as_owner.get(f"{PAGE}p4.md", asked["judge"] and {"judge": asked["judge"]})
    assert sent_on["Location"] == f"{PAGE}?{row.query}"
    compute(row.pk)
    row.refresh_from_db()
    assert row.state == Computation.State.DONE
    assert "Of 163 printed numbers: " in as_owner.get(PAGE, asked).text
    Rating.objects.update(value=3)
    assert "Waiting for a worker." in as_owner.get(PAGE, asked).text


def test_a_failure_says_why_and_is_tried_again(explained, as_owner, alive, monkeypatch):
    as_owner.get(PAGE, {"paper": "p4"})
    row = Computation.objects.get()
    with monkeypatch.context() as broken, pytest.raises(ZeroDivisionError):
        broken.setattr("analysis.paper.recipe_asked.table_of", lambda *_: 1 / 0)
        compute(row.pk)
    assert "ZeroDivisionError: division by zero" in as_owner.get(PAGE, {"paper": "p4"}).text
    again = as_owner.post(f"/studies/films/analysis/computing/{row.key}/again/")
    assert again["Location"] == f"{PAGE}?paper=p4"


def test_who_may_edit_is_led_to_make_what_a_role_lacks(explained, as_owner, owner):
    new = reverse("judge_new", args=["films"])
    text = as_owner.get(PAGE, {"paper": "p1"}).text
    assert f'href="{new}?kind=nli&amp;method=questions">Make one' in text
    assert f'href="{new}?kind=llm&amp;method=support">Make one' in text
    assert f'href="{reverse("load", args=["films"])}">Load its judgments' in text
    assert as_owner.get(f"{new}?kind=llm&method=support").status_code == 200
    Membership.objects.filter(user=owner).update(role=Membership.Role.VIEWER)
    text = as_owner.get(PAGE, {"paper": "p1"}).text
    assert "Make one" not in text and "Load its judgments" not in text


def test_the_new_judge_has_the_settings_of_the_paper(explained, as_owner):
    new = reverse("judge_new", args=["films"])
    text = as_owner.get(PAGE, {"paper": "p0"}).text
    ways = {unescape(way) for way in re.findall(rf'href="{new}(\?kind=llm[^"]*)"', text)}
    way = "?kind=llm&method=questions&aspects=multiple&shots=one&temperature=0&rationale="
    [asked] = [one for one in ways if one.startswith(way)]
    form = as_owner.get(f"{new}{asked}").context["form"]
    begins = {name: form[name].value() for name in ("aspects", "shots", "temperature", "context")}
    assert begins == {"aspects": "multiple", "shots": "one", "temperature": "0", "context": "none"}
    assert not form["rationale"].value()


def test_an_empty_study_says_what_it_lacks(owner, as_owner):
    factories.make_study("films", owner)
    for key, recipe in RECIPES.items():
        text = as_owner.get(PAGE, {"paper": key}).text
        assert f"Of {len(recipe.published):,} printed numbers: 0 equal" in text


def test_the_pages_take_few_queries(explained, as_owner, django_assert_num_queries):
    as_owner.get(PAGE, {"paper": "p0"})
    with django_assert_num_queries(15):
        as_owner.get(PAGE, {"paper": "p0"})
    with django_assert_num_queries(21):
        as_owner.get(PAGE)


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.64, 4, "0.6400"),
        (1234.6, 0, "1,235"),
        (0.000031234, None, "3.123e-05"),
        (-2.2, 1, "-2.2"),
    ],
)
def test_numbers_are_written_with_the_printed_digits(value, digits, text):
    assert written(value, digits) == text


def test_tables_have_titles():
    titles = ["Table 4a", "Table VII", "Data", "RQ3", "Figure 3"]
    assert [title_of(name) for name in ("4a", "VII", "Data", "RQ3", "Figure 3")] == titles
