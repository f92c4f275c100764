"""Large reports: computed by a worker, once, while their page waits; by the page without one."""

from datetime import timedelta

import pytest
from django.core.cache import caches
from django.utils import timezone

from analysis.serving.compute import compute
from annotate.models import Rating
from judges.models import Computation, Heartbeat
from tests.analysis.small import build, make_rated_study

pytestmark = pytest.mark.django_db
State = Computation.State
ROC = "/studies/films/analysis/roc/"
LONG_AGO = timedelta(hours=1)


@pytest.fixture(autouse=True)
def _large(settings):
    """Every study is a large one here, and nothing is kept yet."""
    settings.REPORT_IN_PAGE = 0
    caches["reports"].clear()


@pytest.fixture
def rated(owner):
    return make_rated_study(owner)


@pytest.fixture
def alive(rated):
    return Heartbeat.objects.create(worker="worker@test", at=timezone.now())


def look(client, path=ROC, **query):
    return client.get(path, {"draws": 20} | query)


def poll(client, row):
    return client.get(f"/studies/films/analysis/computing/{row.key}/")


def shows(response):
    assert response.status_code == 200
    return "report" if "report" in response.context else "waiting"


def test_without_a_worker_the_page_computes_and_says_so(rated, as_owner):
    response = look(as_owner)
    assert shows(response) == "report"
    assert "No worker is alive, so this page has computed" in response.content.decode()
    assert not Computation.objects.exists()
    assert "No worker is alive" not in look(as_owner).content.decode(), "it is kept now"


def test_with_a_worker_the_page_waits_and_then_shows_the_same_numbers(rated, as_owner, alive):
    response = look(as_owner)
    assert shows(response) == "waiting"
    assert "Waiting for a worker." in response.content.decode()
    row = Computation.objects.get()
    assert f"/computing/{row.key}/" in response.content.decode()
    compute(row.pk)
    row.refresh_from_db()
    assert row.state == State.DONE
    assert poll(as_owner, row)["HX-Refresh"] == "true"
    shown = look(as_owner)
    assert shows(shown) == "report"
    expected = build(rated, "roc", draws=20).as_dict()["rows"]
    chosen = shown.context["form"].chosen
    found = shown.context["report"].as_dict()["rows"]
    assert found == [row for row in expected if row["question"] == chosen]


def test_two_visitors_wait_for_one_computation(rated, as_owner, alive):
    look(as_owner)
    look(as_owner)
    row = Computation.objects.get()
    look(as_owner, seed=2)
    assert Computation.objects.count() == 2, "other options are another report"
    now = timezone.now()
    assert Computation.objects.claim(row.pk, now)
    assert not Computation.objects.claim(row.pk, now), "it is one worker's"


def test_a_small_report_or_one_without_draws_does_not_wait(rated, as_owner, alive, settings):
    settings.REPORT_IN_PAGE = 400  # 288 ratings and 192 judgments
    assert shows(look(as_owner, draws=2000)) == "waiting"
    assert shows(look(as_owner, draws=0)) == "report"


def test_waiting_and_looking_again_take_few_queries(
    rated, as_owner, alive, django_assert_max_num_queries
):
    with django_assert_max_num_queries(12):
        assert shows(look(as_owner)) == "waiting"
    row = Computation.objects.get()
    with django_assert_max_num_queries(4):  # session, user, membership, the row
        assert "Waiting for a worker." in poll(as_owner, row).content.decode()
    compute(row.pk)
    with django_assert_max_num_queries(12):
        assert shows(look(as_owner)) == "report"


def test_the_page_says_how_long_it_took_the_last_time(rated, as_owner, alive):
    look(as_owner)
    compute(Computation.objects.get().pk)
    Computation.objects.update(started_at=timezone.now() - timedelta(seconds=9))
    Computation.objects.update(finished_at=timezone.now())
    Rating.objects.update(value=3)
    assert "the last time it took 9 s" in look(as_owner).content.decode()


def test_what_a_silent_worker_left_is_taken_up_again(rated, as_owner, alive):
    look(as_owner)
    row = Computation.objects.get()
    Computation.objects.claim(row.pk, timezone.now())
    assert "A worker is computing this" in poll(as_owner, row).content.decode()
    compute(row.pk)
    assert Computation.objects.get().state == State.COMPUTING, "it is not this worker's"
    Computation.objects.update(due_at=timezone.now() - LONG_AGO)
    assert "Waiting for a worker." in poll(as_owner, row).content.decode()
    compute(row.pk)
    assert Computation.objects.get().state == State.DONE


def test_where_the_last_worker_is_gone_the_page_computes_by_itself(rated, as_owner, alive):
    look(as_owner)
    alive.delete()
    Computation.objects.update(due_at=timezone.now() - LONG_AGO)
    assert poll(as_owner, Computation.objects.get())["HX-Refresh"] == "true"
    assert shows(look(as_owner)) == "report"


def fail(client, monkeypatch):
    """A computation fails; what it computes with is whole again afterwards."""
    look(client)
    row = Computation.objects.get()
    with monkeypatch.context() as broken, pytest.raises(ZeroDivisionError):
        broken.setattr("analysis.serving.compute.report_of", lambda *_: 1 / 0)
        compute(row.pk)
    return Computation.objects.get()


def test_a_failure_is_shown_with_its_reason_and_not_computed_again(
    rated, as_owner, alive, monkeypatch
):
    row = fail(as_owner, monkeypatch)
    assert (row.state, row.reason) == (State.FAILED, "ZeroDivisionError: division by zero")
    assert poll(as_owner, row)["HX-Refresh"] == "true"
    page = look(as_owner)
    assert shows(page) == "waiting"
    assert "The computation failed." in page.text
    assert "<p>ZeroDivisionError: division by zero</p>" in page.text
    assert "Waiting for a worker" not in page.text
    assert "every 2s" not in page.text and 'http-equiv="refresh"' not in page.text
    alive.delete()
    assert shows(look(as_owner)) == "waiting", "without a worker it is not the page's either"
    Rating.objects.update(value=3)
    assert shows(look(as_owner)) == "report", "other answers are another report"


def test_a_failure_is_tried_again_when_somebody_asks(rated, as_owner, alive, monkeypatch):
    row = fail(as_owner, monkeypatch)
    page = as_owner.post(f"/studies/films/analysis/computing/{row.key}/again/", follow=True)
    assert "Waiting for a worker." in page.text
    assert page.redirect_chain[0][0] == f"{ROC}?draws=20"
    row.refresh_from_db()
    assert (row.state, row.reason) == (State.WAITING, "")
    compute(row.pk)
    assert shows(look(as_owner)) == "report"


def test_only_who_sees_the_study_may_try_again(rated, as_owner, as_stranger, alive, monkeypatch):
    row = fail(as_owner, monkeypatch)
    again = f"/studies/films/analysis/computing/{row.key}/again/"
    assert as_stranger.post(again).status_code == 404
    assert as_owner.get(again).status_code == 405
    assert Computation.objects.get().state == State.FAILED


def test_a_result_that_is_too_large_to_keep_says_so(rated, as_owner, alive, monkeypatch):
    monkeypatch.setattr("analysis.serving.source.LARGEST_KEPT", 1)
    look(as_owner)
    compute(Computation.objects.get().pk)
    assert "The result is too large to be kept" in look(as_owner).text


def test_computations_that_nobody_ended_are_forgotten(rated, as_owner, alive):
    look(as_owner)
    fields = {"study": rated, "n_answers": 1, "due_at": timezone.now() - timedelta(days=2)}
    Computation.objects.create(key="lost", **fields)
    Computation.objects.create(key="silent", state=State.COMPUTING, **fields)
    at_work = fields | {"due_at": timezone.now(), "finished_at": fields["due_at"]}
    Computation.objects.create(key="again", state=State.COMPUTING, **at_work)
    compute(Computation.objects.exclude(study=rated, n_answers=1).get().pk)
    assert not Computation.objects.filter(key__in=["lost", "silent"]).exists()
    assert Computation.objects.filter(key="again").exists(), "a worker is at it"
    assert Computation.objects.count() == 2


def test_the_page_says_when_and_from_what_its_numbers_were_computed(rated, as_owner, settings):
    settings.REPORT_IN_PAGE = 100_000
    before = timezone.now()
    computed = look(as_owner).context["computed"]
    assert before <= computed.read_at <= computed.computed_at <= timezone.now()
    again = look(as_owner)
    assert again.context["computed"].computed_at == computed.computed_at, "the page is later"
    at = f"{computed.computed_at:%H:%M:%S}</time> UTC from the data of"
    assert at in again.text and f"{computed.read_at:%H:%M:%S}</time>" in again.text
    Rating.objects.update(value=3)
    assert look(as_owner).context["computed"].read_at > computed.computed_at


@pytest.mark.parametrize("path", ["", "substitution/", "disagreements/", "headlines/"])
def test_every_page_with_numbers_says_when(rated, as_owner, settings, path):
    settings.REPORT_IN_PAGE = 100_000
    as_owner.get("/studies/films/analysis/headlines/")
    assert "UTC from the data of" in as_owner.get(f"/studies/films/analysis/{path}").text


def test_what_is_no_longer_kept_is_computed_again(rated, as_owner, alive):
    look(as_owner)
    compute(Computation.objects.get().pk)
    caches["reports"].clear()
    assert shows(look(as_owner)) == "waiting"
    compute(Computation.objects.get().pk)
    assert shows(look(as_owner)) == "report"


def test_wrong_options_are_named_at_once(rated, as_owner, alive):
    look(as_owner)
    compute(Computation.objects.get().pk)
    assert look(as_owner, draws="many").status_code == 400


def test_the_index_the_list_and_the_headlines_wait_too(rated, as_owner, alive):
    index = "/studies/films/analysis/"
    for path in (index, f"{index}headlines/", f"{index}disagreements/"):
        assert "Waiting for a worker." in as_owner.get(path).content.decode()
    assert Computation.objects.count() == 3, "the answer does not wait for all headlines"
    for row in Computation.objects.all():
        compute(row.pk)
    assert "results" in as_owner.get(index).context
    assert "AUC on persuasiveness" in as_owner.get(f"{index}headlines/").content.decode()
    assert shows(as_owner.get(f"{index}disagreements/")) == "report"


def test_a_stranger_learns_nothing_of_it(rated, as_owner, as_stranger, alive):
    look(as_owner)
    assert poll(as_stranger, Computation.objects.get()).status_code == 404


def test_rows_to_take_away_are_waited_for(rated, as_owner, alive):
    response = look(as_owner, f"{ROC}rows.csv")
    assert response.status_code == 200
    assert response.content.count(b"\n") > 1


def test_a_report_that_draws_studies_waits_for_a_worker_however_small_its_study(
    rated, as_owner, alive, settings
):
    settings.REPORT_IN_PAGE = 10**9
    path = ROC.replace("roc", "plan")
    assert shows(look(as_owner)) == "report"
    assert shows(look(as_owner, path)) == "waiting"
    compute(Computation.objects.get().pk)
    assert "a plan takes at least 50 items" in look(as_owner, path).content.decode()
