"""The page Paper: what it offers, its preview, its files, and what it says where it cannot."""

from io import BytesIO
from zipfile import ZipFile

import pytest
from django.core.cache import caches
from django.utils import timezone

from analysis.serving.compute import compute
from annotate.models import Rating
from judges.models import Computation, Heartbeat, Judge
from tests import factories
from tests.analysis.small import make_rated_study

pytestmark = pytest.mark.django_db
PAPER = "/studies/films/analysis/paper/"


@pytest.fixture(autouse=True)
def _nothing_kept():
    caches["reports"].clear()


@pytest.fixture
def rated(owner):
    return make_rated_study(owner)


@pytest.fixture
def alive(rated):
    return Heartbeat.objects.create(worker="worker@test", at=timezone.now())


def names_of(response):
    return [section.name for section in response.context["offered"]]


def test_it_offers_what_the_study_has_and_says_what_the_rest_needs(rated, as_owner):
    page = as_owner.get(PAPER)
    assert {"answer", "leaderboard", "correlation", "yes_no", "bias"} <= {*names_of(page)}
    assert "lists" not in names_of(page)
    assert "Choices between lists needs a question that chooses between two lists." in page.text
    assert page.text.count("checked") == 6, "the usual sections are ticked"
    assert 'id="built"' not in page.text, "nothing is computed before it is asked for"


def test_without_judges_it_has_what_people_alone_say(rated, as_owner):
    Judge.objects.all().delete()
    assert names_of(as_owner.get(PAPER)) == ["answer", "agreement", "methods", "codebook"]
    built = as_owner.get(PAPER, {"sections": "answer,agreement,methods,codebook"})
    assert "Agreement among people." in built.text


def test_build_shows_the_paper_and_leads_to_its_files(rated, as_owner):
    asked = {"sections": ["answer", "correlation"], "digits": "3", "intervals": "on"}
    page = as_owner.get(PAPER, asked)
    assert "Pearson&#x27;s r with the mean rating by third parties" in page.text
    assert "Agreement among people." not in page.text
    query = page.context["query"]
    assert query == "sections=answer,correlation&digits=3&width=16&font=sans&intervals=on"
    html = as_owner.get(f"{PAPER}paper.html?{query}")
    assert html["Content-Disposition"] == 'attachment; filename="films-paper.html"'
    assert html["X-Content-Type-Options"] == "nosniff"
    assert page.context["body"] in html.content.decode()
    archive = as_owner.get(f"{PAPER}paper.zip?{query}")
    assert archive["Content-Type"] == "application/zip"
    assert "tables/correlation-user.tex" in ZipFile(BytesIO(archive.content)).namelist()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"sections": "wrong"}, "Found “wrong”; allowed are answer"),
        ({"sections": "answer", "digits": "9"}, "Select a valid choice. 9"),
        ({"sections": "answer", "width": "2"}, "greater than or equal to 8"),
        ({"sections": ""}, "Choose at least one section."),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_built(rated, as_owner, asked, message):
    page = as_owner.get(PAPER, asked)
    assert page.status_code == 400 and message in page.text and "<article" not in page.text
    answer = as_owner.get(f"{PAPER}paper.html", asked)
    assert answer.status_code == 400 and message in answer.text


def test_with_a_worker_the_page_waits_and_then_shows_it(rated, as_owner, alive):
    asked = {"sections": "answer,figure"}
    page = as_owner.get(PAPER, asked)
    assert "Waiting for a worker." in page.text and "<progress" in page.text
    row = Computation.objects.get()
    assert (row.report, row.query) == ("paper", "sections=answer%2Cfigure")
    assert as_owner.get(f"{PAPER}paper.html", asked).status_code == 302, "it leads to the page"
    compute(row.pk)
    row.refresh_from_db()
    assert row.state == Computation.State.DONE
    assert "<svg" in as_owner.get(PAPER, asked).text
    assert "<svg" in as_owner.get(PAPER, asked | {"digits": "4"}).text, "digits cost no computing"
    assert Computation.objects.count() == 1
    Rating.objects.update(value=3)
    assert "Waiting for a worker." in as_owner.get(PAPER, asked).text


def test_a_failure_says_why_and_is_tried_again(rated, as_owner, alive, monkeypatch):
    as_owner.get(PAPER, {"sections": "answer"})
    row = Computation.objects.get()
    with monkeypatch.context() as broken, pytest.raises(ZeroDivisionError):
        broken.setattr("analysis.paper.sections.results_of", lambda source: 1 / 0)
        compute(row.pk)
    page = as_owner.get(PAPER, {"sections": "answer"})
    assert "ZeroDivisionError: division by zero" in page.text
    again = as_owner.post(f"/studies/films/analysis/computing/{row.key}/again/")
    assert again["Location"] == f"{PAPER}?sections=answer"


def test_an_empty_study_says_what_is_missing(owner, as_owner):
    factories.make_study(owner=owner)
    assert "No items are loaded." in as_owner.get(PAPER).text
    assert as_owner.get(f"{PAPER}paper.html")["Location"] == PAPER


def test_the_old_address_leads_to_the_page(rated, as_owner):
    answer = as_owner.get("/studies/films/analysis/report.html", {"draws": 50})
    assert (answer.status_code, answer["Location"]) == (301, PAPER)
    assert as_owner.get(f"{PAPER}paper.docx").status_code == 404


def test_the_built_page_takes_few_queries(rated, as_owner, django_assert_max_num_queries):
    as_owner.get(PAPER, {"sections": "answer,correlation,figure,codebook"})
    with django_assert_max_num_queries(12):
        as_owner.get(PAPER, {"sections": "answer,correlation,figure,codebook"})
