"""A run that would show a host what raters were not told is refused before anything is sent."""

import pytest

from annotate.design import access
from annotate.models import Recipient, Session
from annotate.sessions import session as sessions
from annotate.sessions.session import SentAnswer
from annotate.sessions.withdraw import withdraw
from judges.checks import drift, robustness
from judges.endpoints.hosts import is_local
from judges.models import Judge, Judgment, Run
from judges.runs import drive, resume
from judges.runs.plan import PlanError, plan
from tests import factories

pytestmark = pytest.mark.django_db
OPENAI, HERE = "https://api.openai.com/v1", "http://127.0.0.1:9/v1"
EXAMPLES = {"shots": "one", "example_role": "third_party", "prompt": "explanation.v2"}


def make_judge(study, url=OPENAI, **fields):
    endpoint = factories.make_endpoint(url, key=f"e{Judge.objects.count()}")
    return factories.make_judge(study, f"j{Judge.objects.count()}", endpoint, **fields)


@pytest.fixture
def study(owner):
    made = factories.make_study("films", owner, questions={"a": "A"})
    for number in range(3):
        factories.make_item(made, f"item-{number}", content=f"film-{number}")
    return made


def rate(study, told=None):
    """A completed session that was told so; None: from before sessions kept it."""
    session = sessions.begin_visit(study, {}, consents=True)
    sessions.begin(session)
    question = study.questions.get()
    for position in range(1, session.places.count() + 1):
        place = access.place_of_session(session.token, position=position)
        sessions.save_answers(place, [question], [SentAnswer(question, 4.0)])
    assert sessions.finish(session) is None
    Session.objects.filter(pk=session.pk).update(told_endpoints=told)
    return session


def refusal(judge):
    with pytest.raises(PlanError) as error:
        resume.start(judge)
    assert not Run.objects.exists()
    return str(error.value)


def test_answers_whose_raters_were_not_told_go_to_no_other_host(study):
    rate(study)
    rate(study, {})
    rate(study, {"openrouter.ai": ["answers"], "api.openai.com": ["history"]})
    words = refusal(make_judge(study, **EXAMPLES))
    assert "api.openai.com answers of 3 raters" in words
    for way in ("model on this machine", "without examples", "exclude", "consent_covers"):
        assert way in words
    assert "of 2 raters" in refusal(make_judge(study, "https://openrouter.ai/api/v1", **EXAMPLES))


def test_who_was_told_is_shown(study):
    rate(study, {"api.openai.com": ["answers"]})
    run, _ = resume.start(make_judge(study, **EXAMPLES), confirmed=True)
    assert run.materials.exclude(example=None).exists()


def test_a_local_model_is_shown_what_nobody_was_told(study):
    rate(study)
    assert resume.start(make_judge(study, HERE, **EXAMPLES))[0]


def test_the_own_text_of_the_study_counts(study):
    rate(study)
    study.extra = {"consent_covers": ["api.openai.com"]}
    study.save()
    assert resume.start(make_judge(study, **EXAMPLES))[0]


def test_a_judge_that_shows_nothing_of_people_is_not_held(study):
    rate(study)
    assert resume.start(make_judge(study))[0]


def test_other_roles_excluded_and_loaded_raters_are_not_counted(study):
    session = rate(study)
    loaded = factories.make_session(study, "file")
    item, question = study.items.first(), study.questions.get()
    factories.make_rating(loaded, item, question, 3)
    judge = make_judge(study, **EXAMPLES)
    assert "of 1 rater whose" in refusal(judge)
    session.rater.excluded_because = "too fast"
    session.rater.save()
    assert resume.start(judge)[0]


@pytest.mark.parametrize("context", ["history", "profile"])
def test_recipients_who_agreed_here_count_and_those_from_files_do_not(study, context):
    judge = make_judge(study, context=context, prompt="explanation.v2")
    link = factories.make_session(study, "eve", state="consent", source="link")
    loaded = factories.make_session(study, "adam")
    for session in (link, loaded):
        session.rater.recipient = Recipient.objects.get()
        session.rater.save()
    assert plan(judge)
    Run.objects.all().delete()
    sessions.move(link, Session.State.INSTRUCTIONS, told_endpoints={"api.openai.com": ["answers"]})
    assert "of 1 recipient whose" in refusal(judge)
    Session.objects.filter(pk=link.pk).update(told_endpoints={"api.openai.com": [context]})
    assert resume.start(judge)[0]


@pytest.mark.parametrize("end", ["declined", "withdrawn"])
def test_recipients_who_said_no_are_shown_to_no_other_host(study, end):
    link = factories.make_session(study, "eve", state=end, source="link")
    link.rater.recipient = Recipient.objects.get()
    link.rater.save()
    shown = {"context": "history", "prompt": "explanation.v2"}
    words = refusal(make_judge(study, **shown))
    assert "histories of 1 recipient who declined to take part, or withdrew" in words
    assert resume.start(make_judge(study, HERE, **shown))[0]


def test_a_planned_run_is_held_by_whom_its_prompts_show_though_excluded_since(study):
    session = rate(study)
    judge = make_judge(study, HERE, **EXAMPLES)
    run, _ = resume.start(judge, confirmed=True)
    resume.cancel(run)
    judge.endpoint.base_url = OPENAI
    judge.endpoint.save()
    session.rater.excluded_because = "too fast"
    session.rater.save()
    run.refresh_from_db()
    with pytest.raises(PlanError, match="answers of 1 rater whose.* or begin a new run"):
        resume.resume(run)


def test_who_withdrew_holds_no_run(study):
    session = rate(study)
    withdraw(Session.objects.select_related("rater__study").get(pk=session.pk))
    assert resume.start(make_judge(study, **EXAMPLES))[0]


def test_a_stopped_run_is_held_too(study):
    rate(study, {"api.openai.com": ["answers"]})
    run, _ = resume.start(make_judge(study, **EXAMPLES), confirmed=True)
    resume.cancel(run)
    Session.objects.update(told_endpoints={})
    for go_on in (resume.resume, resume.confirm):
        Run.objects.update(in_pilot=True)
        run.refresh_from_db()
        with pytest.raises(PlanError, match="answers of 1 rater whose"):
            go_on(run)
    Run.objects.update(state=Run.State.FINISHED)
    with pytest.raises(PlanError, match="answers of 1 rater whose"):
        resume.reset_failed(run)


def test_a_run_whose_endpoint_moved_to_another_host_asks_nothing_there(study):
    rate(study)
    judge = make_judge(study, HERE, **EXAMPLES)
    run, _ = resume.start(judge, confirmed=True)
    judge.endpoint.base_url = OPENAI
    judge.endpoint.save()
    drive.work_through(run.pk)
    run.refresh_from_db()
    assert run.state == Run.State.STOPPED and "answers of 1 rater whose" in run.stopped_because
    assert not run.calls.exists()


def test_checks_of_past_runs_are_held_too(study):
    rate(study, {"api.openai.com": ["answers"]})
    run, _ = resume.start(make_judge(study, **EXAMPLES), confirmed=True)
    Judgment.objects.update(state="done", value=3)
    Run.objects.update(state=Run.State.FINISHED)
    run.refresh_from_db()
    Session.objects.update(told_endpoints={})
    for begin in (drift.plan_check, robustness.plan_test):
        with pytest.raises(PlanError, match="answers of 1 rater whose"):
            begin(run)


def test_the_page_of_a_judge_says_what_is_shown_to_whom_and_refuses(study, as_owner):
    rate(study)
    judge = make_judge(study, **EXAMPLES)
    page = as_owner.get(f"/studies/films/judges/{judge.pk}/").content.decode()
    words = "<strong>api.openai.com</strong> (not local) answers of raters (as examples)"
    assert f"Its prompts send {words}" in page
    answer = as_owner.post(f"/studies/films/judges/{judge.pk}/run/")
    assert answer.status_code == 422 and "answers of 1 rater whose" in answer.content.decode()
    assert not Run.objects.exists()
    plain = make_judge(study)
    page = as_owner.get(f"/studies/films/judges/{plain.pk}/").content.decode()
    assert "people-shown" not in page


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("localhost", True),
        ("a.localhost", True),
        ("127.0.0.1", True),
        ("10.1.2.3", True),
        ("192.168.0.7", True),
        ("::1", True),
        ("fd00::1", True),
        ("ollama", True),
        ("host.docker.internal", True),
        ("gpu.local", True),
        ("api.openai.com", False),
        ("8.8.8.8", False),
        ("2606:4700::1", False),
        ("64:ff9b::808:808", False),
        ("local.example.org", False),
        ("127.0.0.1.nip.io", False),
        ("", False),
    ],
)
def test_which_hosts_are_local(host, local):
    assert is_local(host) is local
