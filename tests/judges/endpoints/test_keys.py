"""API keys of studies: encrypted, bound to a row and its address, rotated, never shown."""

import asyncio
import logging
import os
import subprocess
import sys
from io import StringIO

import pytest
from celery.signals import before_task_publish
from cryptography.fernet import Fernet
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.test import Client as Browser
from django.urls import reverse

from analysis.exports.tables import ROWS
from analysis.management.commands import demo
from config.env import MAKE_SECRET
from judges.endpoints import keys, providers
from judges.endpoints.client import Client, Failure
from judges.models import Call, Endpoint, Run
from judges.runs import drive
from judges.runs.nudge import nudge
from judges.runs.plan import PlanError, plan
from tests import factories
from tests.processes import ROOT, environment
from tests.scripted_server import Reply, ScriptedServer, by_schema, chat

pytestmark = pytest.mark.django_db
# In small letters: the scripted server keeps headers so.
KEY = "sk-sentinel-7q5x0c2m9w8v4k1j"
# A fixed one: names of tests have to be the same in all processes that run them.
OTHER_SECRET = "A" * 43 + "="  # 32 bytes in base64


@pytest.fixture
def endpoint(study, owner):
    return make_own(study, owner)


def make_own(study, owner, base_url="http://127.0.0.1:9/v1", **fields):
    """An endpoint of the study, with a key."""
    endpoint = factories.make_endpoint(base_url, **{"key": "own", "study": study} | fields)
    keys.set_key(endpoint, KEY, owner)
    endpoint.save()
    return endpoint


def ask(endpoint):
    async def once():
        async with Client(endpoint) as client:
            return await client.ask([{"role": "user", "content": "?"}], {"max_tokens": 5})

    return asyncio.run(once())


def test_a_key_is_read_back_for_its_endpoint_and_nothing_of_it_is_stored_in_clear(endpoint):
    stored = Endpoint.objects.get()
    assert keys.key_of(stored) == KEY
    assert KEY not in stored.secret
    assert (stored.secret_end, stored.secret_set_by.username) == ("4k1j", "owner")


def test_a_ciphertext_in_another_row_or_behind_another_address_does_not_open(endpoint, study):
    other = factories.make_endpoint(endpoint.base_url, key="other", study=study)
    Endpoint.objects.filter(pk=other.pk).update(secret=endpoint.secret)
    other.refresh_from_db()
    with pytest.raises(keys.CannotOpen, match="for another endpoint or address"):
        keys.key_of(other)
    endpoint.base_url = "http://127.0.0.1:10/v1"
    with pytest.raises(keys.CannotOpen, match="for another endpoint or address"):
        keys.key_of(endpoint)


@pytest.mark.parametrize("changed", [[], [OTHER_SECRET]], ids=["none", "another"])
def test_with_another_secret_the_page_and_the_run_say_that_it_changed(
    study, owner, as_owner, settings, changed
):
    with ScriptedServer() as server:
        endpoint = make_own(study, owner, server.url)
        run = plan(factories.make_judge(study, "judge", endpoint))
        settings.SECRETS_KEYS = changed
        drive.work_through(run.pk)
        assert server.requests == []
    call = Call.objects.first()
    assert call.failure == Failure.SEALED == "key cannot be opened"
    assert "the secret of this installation changed" in call.failure_detail
    page = as_owner.get(reverse("model", args=[study.slug, endpoint.pk])).content.decode()
    assert "The key cannot be opened: the secret of this installation changed" in page


def test_rotation_leaves_keys_that_the_new_secret_alone_opens(endpoint, settings):
    old, new = settings.SECRETS_KEYS, Fernet.generate_key().decode()
    settings.SECRETS_KEYS = [new, *old]
    assert keys.key_of(endpoint) == KEY, "all secrets read"
    out = StringIO()
    call_command("rotate_secrets", stdout=out)
    assert out.getvalue() == "1 key encrypted anew.\n"
    settings.SECRETS_KEYS = [new]
    assert keys.key_of(Endpoint.objects.get()) == KEY
    settings.SECRETS_KEYS = old
    with pytest.raises(keys.CannotOpen):
        keys.key_of(Endpoint.objects.get())
    with pytest.raises(CommandError, match="None of SECRETS_KEYS opens the keys of films/own"):
        call_command("rotate_secrets", stdout=StringIO())
    settings.SECRETS_KEYS = []
    with pytest.raises(CommandError, match="SECRETS_KEYS is not set"):
        call_command("rotate_secrets")


def test_the_database_keeps_owners_from_variables_and_operators_from_stored_keys(study):
    for wrong in ({"study": study, "api_key_env": "OPENAI_API_KEY"}, {"secret": "x"}):
        with pytest.raises(IntegrityError), transaction.atomic():
            factories.make_endpoint(**wrong)


def test_a_provider_without_a_key_is_never_asked(study):
    base_url = providers.PROVIDERS["openai"].base_url
    answer = ask(factories.make_endpoint(base_url, study=study))
    assert answer.failure is Failure.NO_KEY
    assert "an owner of the study can give one" in answer.detail


def test_another_study_s_model_is_not_called(endpoint, owner):
    other = factories.make_study("other", owner, items=1)
    with pytest.raises(PlanError, match="is another study's"):
        plan(factories.make_judge(other, "judge", endpoint))


# No redirect, no other host


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed_with_a_key(study, owner, status):
    with ScriptedServer() as elsewhere:
        to = {"location": f"{elsewhere.url}/chat/completions"}
        with ScriptedServer(lambda *_: Reply("", status, to)) as server:
            endpoint = make_own(study, owner, server.url)
            assert ask(endpoint).failure is Failure.REDIRECT
            assert asyncio.run(listed(endpoint)).failure is Failure.REDIRECT
    assert elsewhere.headers == []
    assert server.headers[0]["authorization"] == f"bearer {KEY}"


async def listed(endpoint):
    async with Client(endpoint) as client:
        return await client.list_models()


# The secret of an installation


@pytest.mark.parametrize("wrong", ["abc", "x" * 44, f"{OTHER_SECRET},short"])
def test_a_secret_that_is_none_is_refused_at_the_start_without_being_shown(tmp_path, wrong):
    env = environment(tmp_path) | {"SECRETS_KEYS": wrong, "CONCORD_PRODUCTION": "1"}
    env |= {"SECRET_KEY": "k" * 60, "ALLOWED_HOSTS": "concord.example"}
    command = [sys.executable, "manage.py", "check", "--deploy"]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "is not 32 bytes in URL-safe base64" in done.stderr
    assert wrong not in done.stderr


@pytest.mark.parametrize("production", ["0", "1"])
def test_a_secret_is_made_at_the_first_start_but_not_in_production(tmp_path, production):
    env = environment(tmp_path) | {"CONCORD_PRODUCTION": production, "SECRET_KEY": "k" * 60}
    del env["SECRETS_KEYS"]
    asks = "from config import settings; print(*settings.SECRETS_KEYS)"
    command = [sys.executable, "-c", asks]
    first, second = (
        subprocess.check_output(command, cwd=ROOT, env=env, text=True).strip() for _ in range(2)
    )
    kept = tmp_path / "secrets_keys"
    assert first == second
    assert kept.exists() is (production == "0")
    if production == "0":
        assert (kept.read_text(), kept.stat().st_mode & 0o777) == (first, 0o600)
        Fernet(first)


def test_the_demo_lists_its_own_model_besides_what_is_listed(settings, monkeypatch, tmp_path):
    settings.VAR_DIR, settings.ENDPOINT_HOSTS = tmp_path, ["127.0.0.1:11434", "127.0.0.1:8000"]
    for name in ("ENDPOINT_HOSTS", "SITE_URL"):
        monkeypatch.setenv(name, "")
    demo.processes(8100)
    assert os.environ["ENDPOINT_HOSTS"] == "127.0.0.1:11434,127.0.0.1:8000,127.0.0.1:8101"


def test_the_command_that_pages_name_makes_a_secret():
    code = MAKE_SECRET.removeprefix("python3 -c ").strip("'")
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    Fernet(made.stdout.strip())


# Nothing shows a key


def gossip(server, number, request):
    """Reply with what came in the header, in every kind of answer that is kept."""
    told = server.headers[-1]["authorization"]
    echoes = [
        Reply({"error": {"message": f"wrong key {told}", "code": told}}, 401),
        Reply(f"<html>{told}</html>", 500),
        Reply(told, 307, {"location": f"http://127.0.0.1:9/{told}"}),
        chat(told, message={"refusal": told}),
        chat(by_schema(request), finish_reason=told) if "response_format" in request else told,
    ]
    reply = echoes[number % len(echoes)]
    return reply if isinstance(reply, Reply) else chat(reply)


def test_a_key_is_nowhere_but_at_its_provider(
    study, as_owner, caplog, django_capture_on_commit_callbacks
):
    """Of a judge that ran against an endpoint that repeats the key in all that it says."""
    caplog.set_level(logging.DEBUG)
    for name in ("openai", "httpx2", "aiohttp", "celery"):
        caplog.set_level(logging.DEBUG, logger=name)
    seen, messages = {}, []

    def note(body=None, headers=None, **_):
        messages.append(f"{body} {headers}")

    before_task_publish.connect(note)
    with ScriptedServer() as server:
        server.script = lambda *asked: gossip(server, *asked)
        form = {"base_url": server.url, "api_key": KEY, "model": "m"}
        new = reverse("model_new", args=[study.slug, "other"])
        seen["list"] = as_owner.post(f"{new}names/", form)
        seen["connected"] = as_owner.post(new, form, follow=True)
        endpoint = Endpoint.objects.get()
        assert keys.key_of(endpoint) == KEY
        seen["tested"] = as_owner.post(
            reverse("model_test", args=[study.slug, endpoint.pk]), follow=True
        )
        judge = factories.make_judge(study, "judge", endpoint, temperature=0.0)
        run = plan(judge)
        with django_capture_on_commit_callbacks(execute=True):
            nudge(run)
        drive.work_through(run.pk)
        assert any(KEY in headers["authorization"] for headers in server.headers)
    before_task_publish.disconnect(note)
    assert Run.objects.get().state != Run.State.ACTIVE
    assert Call.objects.count() >= study.items.count()
    assert "[key]" in " ".join(Call.objects.values_list("failure_detail", flat=True))
    for path in ("judges/", f"judges/{judge.pk}/", f"runs/{run.pk}/", "runs/", "models/"):
        seen[path] = as_owner.get(f"/studies/films/{path}")
    for path in (f"models/{endpoint.pk}/", "study.yaml", "judges/new/", "prompts/", "export/"):
        seen[path] = as_owner.get(f"/studies/films/{path}")
    for path in ("judges/", "runs/", "judgments/"):
        seen[f"api {path}"] = as_owner.get(f"/api/v1/studies/films/{path}")
    for table in ROWS:
        for form in ("csv", "jsonl"):
            seen[f"{table}.{form}"] = as_owner.get(f"/studies/films/export/{table}.{form}")
    assert {name for name, page in seen.items() if page.status_code >= 500} == set()
    texts = {name: body_of(page) for name, page in seen.items()}
    texts |= tables() | {"log": caplog.text, "messages": " ".join(messages)}
    assert [name for name, text in texts.items() if KEY in text.lower()] == []
    assert "4k1j" in texts["connected"] and messages and caplog.text


def body_of(page):
    body = b"".join(page.streaming_content) if page.streaming else page.content
    return f"{page.headers}{page.cookies}{body.decode(errors='replace')}"


def tables():
    """All rows of all tables, as text."""
    with connection.cursor() as cursor:
        dumped = {}
        for name in connection.introspection.table_names(cursor):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(name)}")
            dumped[f"table {name}"] = str(cursor.fetchall())
    assert "table judges_endpoint" in dumped
    return dumped


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize(
    "broken",
    ["judges.endpoints.connect_views.probe", "cryptography.fernet.MultiFernet.encrypt"],
)
def test_an_error_page_shows_no_key(study, owner, settings, monkeypatch, caplog, debug, broken):
    def fail(*_):
        raise RuntimeError("broken on purpose")

    settings.DEBUG = debug
    monkeypatch.setattr(broken, fail)
    browser = Browser(raise_request_exception=False)
    browser.force_login(owner, backend="django.contrib.auth.backends.ModelBackend")
    form = {"base_url": "http://127.0.0.1:9/v1", "api_key": KEY, "model": "m"}
    page = browser.post(reverse("model_new", args=[study.slug, "other"]), form)
    assert page.status_code == 500
    text = page.content.decode()
    assert ("broken on purpose" in text) is debug
    assert KEY not in text + caplog.text
