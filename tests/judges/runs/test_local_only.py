"""Where a study allows local models only, no judge of another is made or run."""

import pytest
from django.core.management import CommandError

from annotate.models import Study
from judges.models import Judge, Judgment, Run
from judges.runs import check, drive, lease, resume
from judges.runs.plan import PlanError, plan
from tests import factories
from tests.annotate.design.test_ethics import load
from tests.annotate.design.test_payment import SETTINGS
from tests.judges.pages.test_judge_views import SETTINGS as JUDGE

pytestmark = pytest.mark.django_db
OPENAI, HERE = "https://api.openai.com/v1", "http://127.0.0.1:9/v1"
WORDS = "asks api.openai.com, which is no local model"


@pytest.fixture
def far():
    return factories.make_endpoint(OPENAI, key="far")


def local_only():
    Study.objects.update(extra={"local_models_only": True})


def test_the_form_refuses_another_model(as_owner, study, far):
    local_only()
    new = "/studies/films/judges/new/?kind=llm&method=questions"
    answer = as_owner.post(new, JUDGE | {"endpoint": far.pk})
    assert answer.status_code == 422 and WORDS in answer.content.decode()
    assert not Judge.objects.exists()
    here = factories.make_endpoint(HERE)
    assert as_owner.post(new, JUDGE | {"endpoint": here.pk}).status_code == 302


def test_a_judge_that_was_made_before_cannot_be_run_nor_duplicated(as_owner, study, far):
    judge = factories.make_judge(study, "judge", far)
    local_only()
    with pytest.raises(PlanError, match="no local model"):
        resume.start(judge)
    answer = as_owner.post(f"/studies/films/judges/{judge.pk}/run/")
    assert answer.status_code == 422 and WORDS in answer.content.decode()
    copied = as_owner.post(
        f"/studies/films/judges/{judge.pk}/duplicate/", JUDGE | {"endpoint": far.pk}
    )
    assert copied.status_code == 422 and WORDS in copied.content.decode()
    assert not Run.objects.exists()


def test_the_file_refuses_another_model_with_its_line(tmp_path, capsys, far):
    judges = "judges:\n  - {judge: one, endpoint: far, prompt: explanation.v1}\n"
    with pytest.raises(CommandError):
        load(tmp_path, f"local_models_only: true\n{judges}")
    said = capsys.readouterr().err
    assert WORDS in said and "line 7" in said
    assert load(tmp_path, judges).extra == {}
    # What stands already may stay in the file: it cannot be run.
    assert load(tmp_path, f"local_models_only: true\n{judges}").extra == {"local_models_only": True}


@pytest.mark.parametrize("go_on", [resume.resume, resume.confirm])
def test_a_stopped_run_is_not_resumed(study, far, go_on):
    run = plan(factories.make_judge(study, "judge", far))
    Run.objects.update(state=Run.State.CANCELLED, in_pilot=True)
    run.refresh_from_db()
    local_only()
    with pytest.raises(PlanError, match="no local model"):
        go_on(run)


def test_a_run_that_waits_for_a_worker_asks_nothing_more(study, far):
    run = plan(factories.make_judge(study, "judge", far))
    local_only()
    drive.work_through(run.pk)
    run.refresh_from_db()
    assert run.state == Run.State.STOPPED and WORDS in run.stopped_because
    assert not run.calls.exists()
    assert set(run.judgments.values_list("state", flat=True)) == {Judgment.State.PENDING}


def test_a_run_at_work_stops_with_the_next_renewal(study, far):
    run = plan(factories.make_judge(study, "judge", far))
    run = Run.objects.select_related("judge__endpoint").get(pk=run.pk)
    driven = drive.Drive(run)
    driven.waiting.extend(lease.lease(run, run.judge.endpoint, driven.worker, 2))
    local_only()
    driven._renew()
    assert not driven.halted.is_set()
    driven.renewed -= 999
    driven._renew()
    run.refresh_from_db()
    assert driven.halted.is_set() and run.state == Run.State.STOPPED
    driven._end()
    assert not run.judgments.filter(state=Judgment.State.LEASED).exists()


def test_without_the_switch_and_with_a_local_model_nothing_is_refused(study, far):
    assert check.why_not_local(factories.make_judge(study, "judge", far)) == ""
    here = factories.make_judge(study, "here", factories.make_endpoint(HERE))
    local_only()
    assert check.why_not_local(here) == ""
    assert check.why_not_local(factories.make_judge(study, "bleu", kind="bleu-4")) == ""


def test_the_switch_is_set_on_the_settings_page_and_said_on_the_studys(as_owner, study):
    overview = as_owner.get("/studies/films/").content.decode()
    assert "Local models only" not in overview
    as_owner.post("/studies/films/settings/", SETTINGS | {"local_models_only": "on"})
    assert Study.objects.get().extra == {"local_models_only": True}
    assert "Local models only" in as_owner.get("/studies/films/").content.decode()
    as_owner.post("/studies/films/settings/", SETTINGS)
    assert Study.objects.get().extra == {}
