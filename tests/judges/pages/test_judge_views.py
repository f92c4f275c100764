"""The judge and run pages: who sees them, who may act, what they say."""

import json
from datetime import timedelta

import pytest
from django.db.models.signals import pre_save
from django.urls import reverse
from django.utils import timezone

from annotate.models import Membership
from judges.models import Heartbeat, Judge, Judgment, Run
from judges.models.run import FROM_FILE
from judges.runs import progress, resume
from judges.runs.plan import plan
from tests import factories

pytestmark = pytest.mark.django_db
PAGES = ["judges", "judge_new", "judge", "runs", "run", "run_progress", "run_moving"]
ACTIONS = ["judge_edit", "judge_run", "run_cancel", "run_resume", "run_ask_again", "run_reread"]
ACTIONS += ["run_confirm"]
SETTINGS = {
    "key": "strict",
    "prompt": "explanation.v1",
    "aspects": "multiple",
    "temperature": "0",
    "max_tokens": "400",
    "samples": "1",
    "shots": "zero",
    "example_role": "recipient",
    "pool_share": "0.2",
    "seed": "1",
    "context": "none",
    "history_length": "10",
}


@pytest.fixture
def judge(study):
    return factories.make_judge(study, "careful", factories.make_endpoint(notice="Rates poorly."))


@pytest.fixture
def run(judge):
    return plan(judge)


@pytest.fixture
def worker():
    return Heartbeat.objects.create(worker="worker@test", at=timezone.now())


def address(name, study, run):
    pk = run.pk if name.startswith("run_") or name == "run" else run.judge_id
    return reverse(
        name, args=[study.slug] if name in ("judges", "judge_new", "runs") else [study.slug, pk]
    )


def as_viewer(study, stranger, client):
    Membership.objects.create(study=study, user=stranger, role=Membership.Role.VIEWER)
    client.force_login(stranger, backend="django.contrib.auth.backends.ModelBackend")
    return client


@pytest.mark.parametrize("name", ["judges", "judge", "runs", "run", "run_progress"])
def test_a_load_of_a_file_is_called_one_and_shows_no_progress(as_owner, study, name):
    judge = factories.make_judge(study, "BLEU")
    answers = {(item, study.questions.first()): 3 for item in study.items.all()}
    load = factories.make_judgments(judge, answers)
    Run.objects.filter(pk=load.pk).update(frozen={"kind": FROM_FILE})
    page = as_owner.get(address(name, study, load)).content.decode()
    assert "Loaded from a file" in page
    assert "<progress" not in page and f"Run {load.pk}" not in page and "Rate</dt>" not in page


@pytest.mark.parametrize("name", [name for name in PAGES if name != "judge_new"])
def test_a_viewer_sees_but_has_no_buttons(client, stranger, study, run, name):
    page = as_viewer(study, stranger, client).get(address(name, study, run))
    assert page.status_code == 200
    main = page.content.split(b"<main")[-1]
    assert main.count(b"<form") == main.count(b'<form method="get"'), "looking is all"


@pytest.mark.parametrize("name", ACTIONS)
def test_actions_are_not_done_by_following_a_link(as_owner, study, run, name):
    assert as_owner.get(address(name, study, run)).status_code == 405


def test_a_run_of_another_study_is_not_found_under_this_one(as_owner, owner, study, run):
    other = factories.make_study("other", owner=owner)
    assert as_owner.get(reverse("run", args=[other.slug, run.pk])).status_code == 404
    assert as_owner.post(reverse("run_cancel", args=[other.slug, run.pk])).status_code == 404


def test_a_study_without_judges_says_what_would_stand_there(as_owner, study):
    page = as_owner.get(reverse("judges", args=[study.slug])).content.decode()
    assert "A judge scores every item automatically" in page
    assert reverse("judge_new", args=[study.slug]) in page


def test_the_list_says_what_an_endpoint_is_known_for(as_owner, study, judge):
    page = as_owner.get(reverse("judges", args=[study.slug])).content.decode()
    assert "Rates poorly." in page
    assert "Not run yet" in page


def test_a_judge_is_made_by_the_form(as_owner, study, judge):
    data = SETTINGS | {"endpoint": judge.endpoint_id, "rationale": "on"}
    answer = as_owner.post(reverse("judge_new", args=[study.slug]), data)
    made = Judge.objects.get(key="strict")
    assert answer.url == reverse("judge", args=[study.slug, made.pk])
    assert (made.study, made.kind, made.settings.rationale) == (study, Judge.Kind.LLM, True)


WRONG = {
    "a name twice": ({"key": "careful"}, "already has a judge of that name"),
    "an unknown prompt": ({"prompt": "../../secret"}, "not one of the available choices"),
    "a high temperature": ({"temperature": "3"}, "less than or equal to 2"),
    "no temperature at all": ({"temperature": "nan"}, "number"),
    "no endpoint": ({"endpoint": ""}, "required"),
    "no tokens": ({"max_tokens": "0"}, "greater than or equal to 1"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_judge_is_refused_with_the_reason(as_owner, study, judge, case):
    change, words = WRONG[case]
    data = SETTINGS | {"endpoint": judge.endpoint_id} | change
    answer = as_owner.post(reverse("judge_new", args=[study.slug]), data)
    assert answer.status_code == 422
    assert words in answer.content.decode()


@pytest.mark.parametrize("name", ["judge_new", "judge_edit"])
def test_a_name_that_somebody_else_took_meanwhile_is_refused(as_owner, study, judge, name):
    """Taken after the form was found valid: the database is the one that sees it."""
    other = factories.make_judge(study, "other", judge.endpoint)

    def take(sender, instance, **_):
        if instance.key == "strict" and not Judge.objects.filter(key="strict").exists():
            Judge.objects.bulk_create(
                [Judge(study=study, key="strict", endpoint=judge.endpoint, prompt="explanation.v1")]
            )

    at = reverse(name, args=[study.slug, *([other.pk] if name == "judge_edit" else [])])
    pre_save.connect(take, sender=Judge)
    try:
        answer = as_owner.post(at, SETTINGS | {"endpoint": judge.endpoint_id})
    finally:
        pre_save.disconnect(take, sender=Judge)
    assert answer.status_code == 422
    assert "already has a judge of that name" in answer.content.decode()


def test_a_judge_can_be_changed_until_it_is_run(as_owner, study, judge):
    data = SETTINGS | {"endpoint": judge.endpoint_id, "max_tokens": "50"}
    edit = reverse("judge_edit", args=[study.slug, judge.pk])
    assert as_owner.post(edit, data).status_code == 302
    judge.refresh_from_db()
    assert (judge.key, judge.settings.max_tokens) == ("strict", 50)
    plan(judge)
    answer = as_owner.post(edit, data | {"max_tokens": "60"})
    assert answer.status_code == 422
    assert "settings are frozen" in answer.content.decode()
    judge.refresh_from_db()
    assert judge.settings.max_tokens == 50


def test_the_page_shows_the_exact_prompt_of_the_first_item(as_owner, study, judge):
    page = as_owner.get(reverse("judge", args=[study.slug, judge.pk])).content.decode()
    assert "Because you like films (item-0)." in page
    assert "Recommended: film-1" in page


def test_the_button_plans_a_run_with_its_limit(as_owner, study, judge):
    answer = as_owner.post(reverse("judge_run", args=[study.slug, judge.pk]), {"limit": "2"})
    run = Run.objects.get()
    assert answer.url == run.get_absolute_url()
    assert run.judgments.count() == 2 * 4
    assert run.created_by.username == "owner"


def test_pressing_run_twice_is_one_run(as_owner, study, judge):
    press = reverse("judge_run", args=[study.slug, judge.pk])
    as_owner.post(press)
    answer = as_owner.post(press)
    assert answer.url == Run.objects.get().get_absolute_url()


@pytest.mark.parametrize(
    "data", [{"limit": "0"}, {"limit": "x"}, {"budget": "-1"}, {"budget": "0"}]
)
def test_a_wrong_limit_or_budget_starts_nothing(as_owner, study, judge, data):
    answer = as_owner.post(reverse("judge_run", args=[study.slug, judge.pk]), data)
    assert answer.status_code == 422
    assert not Run.objects.exists()


def test_a_budget_needs_prices(as_owner, study, judge):
    answer = as_owner.post(reverse("judge_run", args=[study.slug, judge.pk]), {"budget": "1"})
    assert "has no prices, so a budget cannot be kept" in answer.content.decode()


def test_the_run_page_says_loudly_when_no_worker_is_alive(as_owner, study, run, worker):
    page = reverse("run", args=[study.slug, run.pk])
    assert "No worker is alive" not in as_owner.get(page).content.decode()
    Heartbeat.objects.update(at=timezone.now() - timedelta(seconds=21))
    assert "No worker is alive" in as_owner.get(page).content.decode()


def test_the_fragment_asks_again_only_while_the_run_is_active(as_owner, study, run):
    fragment = reverse("run_progress", args=[study.slug, run.pk])
    assert "every 2s" in as_owner.get(fragment).content.decode()
    resume.cancel(run)
    assert "every" not in as_owner.get(fragment).content.decode()


def test_what_moves_costs_one_query_and_tells_the_rest_of_the_end(
    as_owner, study, run, django_assert_num_queries
):
    run.judgments.filter(item__key="item-0").update(state="done", value=3)
    run.judgments.filter(item__key="item-1").update(state="failed", settled_at=timezone.now())
    moving = reverse("run_moving", args=[study.slug, run.pk])
    with django_assert_num_queries(3 + 1):  # session, user, study and role; then the run
        answer = as_owner.get(moving)
    found = answer.context["progress"]
    plain = progress.progress(run)
    assert (found.total, found.done, found.failed, found.pending) == (16, 4, 4, 8)
    assert (plain.total, plain.done, plain.failed, plain.pending) == (16, 4, 4, 8)
    assert "8 of 16 judgments" in answer.content.decode() and "HX-Trigger" not in answer
    resume.cancel(run)
    answer = as_owner.get(moving)
    assert answer["HX-Trigger"] == "run-moved" and "every" not in answer.content.decode()


def test_an_item_s_cost_stands_beside_that_of_a_rater(as_owner, study, run):
    """.02 dollars for two items; 3 pounds for a session of four items."""
    study.extra = {"pays_per_session": 3, "pay_currency": "GBP"}
    study.save()
    factories.make_call(run, cost_usd="0.02")
    for number in range(2):
        run.judgments.filter(item__key=f"item-{number}").update(state="done", value=3)
    page = as_owner.get(run.get_absolute_url()).content.decode()
    assert "$0.0100 by this run, 0.75 GBP by one rater" in page


def test_failures_are_grouped_by_reason(as_owner, study, run):
    failed = {"state": Judgment.State.FAILED, "reason": "server error (5xx)"}
    run.judgments.filter(item__key="item-0").update(**failed)
    Run.objects.update(state=Run.State.FINISHED)
    page = as_owner.get(reverse("run", args=[study.slug, run.pk])).content.decode()
    assert "server error (5xx)" in page
    assert "Ask the 4 without a value again" in page


def test_cancel_resume_and_ask_again_by_the_buttons(as_owner, study, run):
    at = lambda name: reverse(name, args=[study.slug, run.pk])  # noqa: E731
    as_owner.post(at("run_cancel"))
    run.refresh_from_db()
    assert run.state == Run.State.CANCELLED
    as_owner.post(at("run_resume"))
    run.refresh_from_db()
    assert run.state == Run.State.ACTIVE
    run.judgments.update(state=Judgment.State.UNPARSABLE, reason="empty reply")
    Run.objects.update(state=Run.State.FINISHED)
    as_owner.post(at("run_ask_again"))
    assert run.judgments.filter(state=Judgment.State.PENDING).count() == 16


def test_the_replies_are_read_again_by_the_button(as_owner, study, run):
    at = reverse("run_reread", args=[study.slug, run.pk])
    page = as_owner.post(at, follow=True).content.decode()
    assert "is active, so its replies are not read again yet" in page
    assert 'id="read-again"' not in page
    reply = json.dumps(dict.fromkeys(factories.ASPECTS, 2))
    call = factories.make_call(run, reply=reply)
    run.judgments.update(call=call, state=Judgment.State.UNPARSABLE, reason="no JSON in the reply")
    Run.objects.update(state=Run.State.FINISHED)
    page = as_owner.post(at, follow=True).content.decode()
    assert "16 changed (16 have a value now)" in page
    assert 'id="read-again"' in page
    assert set(run.judgments.values_list("state", "value")) == {("done", 2.0)}


def test_a_viewer_of_an_empty_study_is_sent_nowhere_that_is_closed(
    client, as_owner, stranger, study, judge
):
    study.items.all().delete()
    page, load = reverse("judge", args=[study.slug, judge.pk]), reverse("load", args=[study.slug])
    assert load in as_owner.get(page).content.decode().split("<main")[1]
    viewer = as_viewer(study, stranger, client)
    assert load not in viewer.get(page).content.decode().split("<main")[1]


def test_an_imported_judge_has_a_page_without_a_button(as_owner, study):
    judge = factories.make_judge(study, "from a file")
    page = as_owner.get(reverse("judge", args=[study.slug, judge.pk]))
    assert page.status_code == 200
    assert "Imported from a file" in page.content.decode()
    assert b"What is sent" not in page.content
    assert as_owner.post(reverse("judge_run", args=[study.slug, judge.pk])).status_code == 404


def test_rated_texts_and_replies_are_shown_as_text(as_owner, study, judge):
    study.items.update(text="<script>alert(1)</script>")
    page = as_owner.get(reverse("judge", args=[study.slug, judge.pk])).content.decode()
    assert "<script>alert" not in page


def test_the_lists_take_few_queries_however_long(
    as_owner, study, run, django_assert_max_num_queries
):
    for number in range(5):
        plan(factories.make_judge(study, f"j{number}", run.judge.endpoint))
    for name in ("judges", "runs", "run", "run_progress", "judge"):
        with django_assert_max_num_queries(13):
            as_owner.get(address(name, study, run))


def test_health_tells_of_database_and_workers(client, worker):
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()["database"]) == (200, "ok")
    assert answer.json()["workers_alive"] == 1


def test_health_is_503_when_the_database_is_down(client, monkeypatch, transactional_db):
    from django.db import OperationalError

    def down(*_):
        raise OperationalError("connection refused: password=x")

    monkeypatch.setattr("judges.models.worker.HeartbeatQuerySet.alive", down)
    answer = client.get("/healthz")
    assert answer.status_code == 503
    assert "password" not in answer.content.decode()
