"""Owners connect models to their study: what the pages take, refuse, test, and forget."""

from dataclasses import replace

import pytest
from django.test import Client as Browser
from django.urls import reverse

from annotate.models import Membership
from judges.endpoints import hosts, keys, providers
from judges.endpoints.connect_forms import ConnectForm
from judges.models import Endpoint, Judge
from judges.removal import delete
from judges.runs import drive
from judges.runs.plan import plan
from judges.studies import delete as deleting
from tests import factories
from tests.judges.endpoints.test_keys import KEY, make_own
from tests.judges.endpoints.test_views import able
from tests.scripted_server import Reply, ScriptedServer

pytestmark = pytest.mark.django_db
CONNECT = "/studies/films/models/"
PRICES = {"price_in": "0.25", "price_cached_in": "", "price_out": "2"}


def script(number, request):
    """A service with two models; what has no messages asks for their list."""
    if "messages" not in request:
        return Reply({"data": [{"id": "zeta"}, {"id": "alpha"}]})
    return able(number, request)


@pytest.fixture
def server():
    with ScriptedServer(script) as server:
        yield server


@pytest.fixture
def openai_is_here(server, monkeypatch):
    """The preset's address leads to the scripted server; nothing leaves this machine."""
    preset = replace(providers.PROVIDERS["openai"], base_url=server.url)
    monkeypatch.setitem(providers.PROVIDERS, "openai", preset)


def member(study, role):
    user = factories.make_user(role)
    Membership.objects.create(study=study, user=user, role=role)
    client = Browser()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def text_of(page):
    return page.content.decode()


def test_an_owner_connects_a_provider_and_comes_to_a_judge_with_it(
    as_owner, study, server, openai_is_here
):
    form = {"api_key": KEY, "model": "alpha", **PRICES}
    page = as_owner.post(f"{CONNECT}new/openai/", form, follow=True)
    endpoint = Endpoint.objects.get()
    assert (endpoint.study, endpoint.key, endpoint.base_url) == (study, "openai-alpha", server.url)
    assert str(endpoint.price_in) == "0.250000" and endpoint.price_cached_in is None
    assert {headers["authorization"] for headers in server.headers} == {f"bearer {KEY}"}
    text = text_of(page)
    assert "Connected: alpha replies." in text and "…4k1j, given by owner on" in text
    new = f"/studies/films/judges/new/?endpoint={endpoint.pk}"
    assert new in text
    purposes = text_of(as_owner.get(new))
    assert f'href="?kind=llm&amp;endpoint={endpoint.pk}"' in purposes
    new = f"/studies/films/judges/new/?kind=llm&endpoint={endpoint.pk}"
    assert f'<option value="{endpoint.pk}" selected>openai-alpha (alpha)' in text_of(
        as_owner.get(new)
    )
    made = {"key": "first", "endpoint": endpoint.pk, "prompt": "explanation.v3", "temperature": "0"}
    made |= {"max_tokens": "400", "samples": "1", "questions_asked": "together", "seed": "1"}
    form = as_owner.get(new).context["form"]
    made = {name: form[name].value() for name in form.fields if form[name].value()} | made
    as_owner.post(new, made)
    run = plan(Judge.objects.get())
    drive.work_through(run.pk)
    assert set(run.judgments.values_list("state", flat=True)) == {"done"}


def test_the_same_model_twice_gets_a_name_of_its_own(as_owner, study, server, openai_is_here):
    factories.make_endpoint(key="openai-alpha")
    for _ in range(2):
        as_owner.post(f"{CONNECT}new/openai/", {"api_key": KEY, "model": "alpha"})
    names = Endpoint.objects.filter(study=study).values_list("key", flat=True)
    assert list(names) == ["openai-alpha-2", "openai-alpha-3"]


@pytest.mark.parametrize(
    ("provider", "wrong", "words"),
    [
        ("openai", {"api_key": ""}, "Paste the key: OpenAI wants one."),
        ("openai", {"api_key": "short"}, "8 characters or more"),
        ("openai", {"api_key": "with space 1234"}, "8 characters or more"),
        ("openai", {"api_key": "schlüssel-1234"}, "8 characters or more"),
        ("openai", {"price_in": "1"}, "Enter the prices in and out, or neither."),
        ("openai", {"price_in": "-1", "price_out": "1"}, "A price cannot be below 0."),
        ("openai", {"model": ""}, "This field is required."),
        ("other", {"base_url": "http://10.0.0.1/v1"}, "not in ENDPOINT_HOSTS"),
        ("other", {"base_url": "http://169.254.169.254/v1"}, "not in ENDPOINT_HOSTS"),
        ("other", {"base_url": "http://openrouter.ai/v1"}, "not in ENDPOINT_HOSTS"),
        ("other", {"base_url": ""}, "This field is required."),
    ],
)
def test_what_may_not_be_is_refused_and_nothing_is_stored(as_owner, study, provider, wrong, words):
    form = {"api_key": KEY, "model": "m"}
    form |= {"base_url": "http://127.0.0.1:9/v1"} if provider == "other" else {}
    page = as_owner.post(f"{CONNECT}new/{provider}/", form | wrong)
    assert page.status_code == 422
    assert words in text_of(page)
    assert KEY not in text_of(page), "a key that came is not sent back"
    assert not Endpoint.objects.exists()


FAILURES = {
    401: "The key is refused",
    404: "No model m, or no such address",
}


@pytest.mark.parametrize("status", FAILURES)
def test_a_failed_test_keeps_the_model_and_says_why(as_owner, study, server, status):
    server.script = lambda *_: Reply({"error": {"message": "no"}}, status)
    form = {"base_url": server.url, "api_key": KEY, "model": "m"}
    text = text_of(as_owner.post(f"{CONNECT}new/other/", form, follow=True))
    assert FAILURES[status] in text and "its test failed" in text
    assert Endpoint.objects.get().study == study


def test_no_network_is_said_in_words(as_owner, study):
    form = {"base_url": "http://127.0.0.1:9/v1", "model": "m"}
    text = text_of(as_owner.post(f"{CONNECT}new/other/", form, follow=True))
    assert "there is no network, or nothing listens there" in text


def test_models_are_listed_for_a_pasted_key_that_is_not_stored(as_owner, study, server):
    form = {"base_url": server.url, "api_key": KEY}
    text = text_of(as_owner.post(f"{CONNECT}new/other/names/", form))
    assert text.index('value="alpha"') < text.index('value="zeta"') and "2 models listed" in text
    assert not Endpoint.objects.exists()
    server.script = lambda *_: Reply({"error": {"message": KEY}}, 401)
    text = text_of(as_owner.post(f"{CONNECT}new/other/names/", form))
    assert "No list: the provider refuses the key" in text and KEY not in text
    assert "Paste the key" in text_of(as_owner.post(f"{CONNECT}new/openai/names/", {}))


def test_models_are_listed_by_the_stored_key(as_owner, study, owner, server):
    endpoint = make_own(study, owner, server.url)
    form = {"base_url": server.url, "api_key": "", "model": ""}
    text = text_of(as_owner.post(f"{CONNECT}{endpoint.pk}/names/", form))
    assert "2 models listed" in text
    assert server.headers[-1]["authorization"] == f"bearer {KEY}"
    elsewhere = {**form, "base_url": "http://127.0.0.1:9/v1"}
    text = text_of(as_owner.post(f"{CONNECT}{endpoint.pk}/names/", elsewhere))
    assert "The address changed" in text and len(server.headers) == 1


def test_anthropic_is_asked_for_its_models_in_its_own_way(as_owner, study, server, monkeypatch):
    preset = replace(providers.PROVIDERS["anthropic"], base_url=server.url)
    monkeypatch.setitem(providers.PROVIDERS, "anthropic", preset)
    as_owner.post(f"{CONNECT}new/anthropic/names/", {"api_key": KEY})
    sent = server.headers[-1]
    assert (sent["x-api-key"], sent["anthropic-version"]) == (KEY, "2023-06-01")
    assert "authorization" not in sent


def test_a_new_address_needs_the_key_anew(as_owner, study, owner, server):
    endpoint = make_own(study, owner, "http://127.0.0.1:9/v1", model="alpha")
    page, form = f"{CONNECT}{endpoint.pk}/", {"base_url": server.url, "model": "alpha"}
    refused = as_owner.post(page, form)
    assert refused.status_code == 422 and "paste the key anew" in text_of(refused)
    endpoint.refresh_from_db()
    assert endpoint.base_url == "http://127.0.0.1:9/v1" and server.headers == []
    as_owner.post(page, form | {"api_key": "sk-another-one-9z9z"})
    endpoint.refresh_from_db()
    assert (endpoint.base_url, keys.key_of(endpoint)) == (server.url, "sk-another-one-9z9z")


def test_other_prices_keep_the_key_and_the_test(as_owner, study, owner):
    endpoint = make_own(study, owner, model="alpha")
    Endpoint.objects.update(findings={"model": [True, "It replies."]})
    form = {"base_url": endpoint.base_url, "model": "alpha", **PRICES}
    assert "Saved." in text_of(as_owner.post(f"{CONNECT}{endpoint.pk}/", form, follow=True))
    stored = Endpoint.objects.get()
    assert (stored.secret, stored.has_prices) == (endpoint.secret, True)
    assert stored.can("model")


def test_two_owners_at_once_overwrite_nothing_of_each_other(study, owner):
    """One enters prices on a page that was opened before the other replaced the key."""
    early = make_own(study, owner, model="alpha")
    keys.set_key(later := Endpoint.objects.get(), "sk-given-meanwhile", owner)
    later.save()
    data = {"base_url": early.base_url, "model": "alpha", **PRICES}
    form = ConnectForm(study, None, data, instance=early)
    assert form.is_valid() and form.saved(owner)
    stored = Endpoint.objects.get()
    assert (keys.key_of(stored), stored.has_prices) == ("sk-given-meanwhile", True)


def test_a_model_on_which_judges_rest_stays_and_loses_its_key(as_owner, study, owner):
    endpoint = make_own(study, owner)
    page = f"{CONNECT}{endpoint.pk}/"
    judge = factories.make_judge(study, "rests", endpoint)
    text = text_of(as_owner.get(page))
    assert "Judges rest on this model" in text and "Delete the key" in text and "rests" in text
    assert "is deleted" in text_of(as_owner.post(f"{page}remove/", follow=True))
    stored = Endpoint.objects.get()
    assert (stored.secret, stored.secret_end, stored.secret_set_by) == ("", "", None)
    as_owner.post(page, {"base_url": endpoint.base_url, "model": "renamed"})
    assert Endpoint.objects.get().model == "test-model", "what a judge asked keeps its name"
    judge.delete()
    assert "are removed" in text_of(as_owner.post(f"{page}remove/", follow=True))
    assert not Endpoint.objects.exists()


def test_a_model_of_a_deleted_judge_stays_as_it_was_asked_and_loses_its_key(as_owner, study, owner):
    endpoint = make_own(study, owner)
    judge = factories.make_judge(study, "gone", endpoint)
    delete.delete(judge, owner, "wrong")
    address = reverse("model", args=[study.slug, endpoint.pk])
    as_owner.post(address, {"model": "another", "api_key": ""})
    as_owner.post(reverse("model_remove", args=[study.slug, endpoint.pk]))
    after = Endpoint.objects.get(pk=endpoint.pk)
    assert (after.model, after.secret) == (endpoint.model, "")
    assert as_owner.get(address).status_code == 200


def test_without_secrets_the_page_says_how_to_make_one_and_keeps_no_key(as_owner, study, settings):
    settings.SECRETS_KEYS = []
    for page in (CONNECT, f"{CONNECT}new/openai/"):
        text = text_of(as_owner.get(page))
        assert "urlsafe_b64encode" in text and "SECRETS_KEYS" in text
        assert 'name="api_key"' not in text
    page = as_owner.post(f"{CONNECT}new/openai/", {"api_key": KEY, "model": "m"})
    assert page.status_code == 422 and not Endpoint.objects.exists()


def test_another_address_is_offered_only_where_an_operator_listed_hosts(as_owner, study, settings):
    assert "Another address" in text_of(as_owner.get(CONNECT))
    settings.ENDPOINT_HOSTS = []
    assert "Another address" not in text_of(as_owner.get(CONNECT))
    assert as_owner.get(f"{CONNECT}new/other/").status_code == 404
    assert as_owner.get(f"{CONNECT}new/elsewhere/").status_code == 404


def test_known_providers_may_be_called_by_https_alone_wherever_nothing_is_listed(settings):
    settings.ENDPOINT_HOSTS = []
    for preset in providers.connectable():
        assert hosts.check_listed(preset.base_url) == (preset.host, 443)
        for wrong in (f"http://{preset.host}/v1", f"https://{preset.host}:8443/v1"):
            with pytest.raises(hosts.HostRefused, match="not in ENDPOINT_HOSTS"):
                hosts.check_listed(wrong)


# Who may see and use it


@pytest.mark.parametrize("role", ["viewer", "editor"])
def test_members_who_own_nothing_have_no_such_pages(study, owner, role):
    endpoint, client = make_own(study, owner), member(study, role)
    for path in ("", "new/openai/", f"{endpoint.pk}/"):
        assert client.get(CONNECT + path).status_code == 404
    assert CONNECT not in text_of(client.get("/studies/films/judges/"))


def test_an_editor_may_choose_a_connected_model_and_no_other_study_s(study, owner):
    own = make_own(study, owner)
    other = make_own(factories.make_study("other", owner, items=1), owner, key="theirs")
    everybody = factories.make_endpoint(key="of-all")
    form = member(study, "editor").get("/studies/films/judges/new/?kind=llm").context["form"]
    assert set(form.fields["endpoint"].queryset) == {own, everybody}
    assert other not in form.fields["endpoint"].queryset


def test_operators_do_not_meet_endpoints_of_studies(client, study, owner):
    endpoint = make_own(study, owner, key="of-a-study")
    operator = factories.make_user("operator", is_staff=True, is_superuser=True)
    client.force_login(operator, backend="django.contrib.auth.backends.ModelBackend")
    for path in ("/endpoints/", "/admin/judges/endpoint/"):
        assert "of-a-study" not in text_of(client.get(path))
    assert client.get(reverse("endpoint", args=[endpoint.pk])).status_code == 404
    assert client.get(f"/admin/judges/endpoint/{endpoint.pk}/change/").status_code == 302
    form = {"key": "of-a-study", "base_url": "http://127.0.0.1:9/v1", "model": "m"}
    form |= {"concurrency": "8", "timeout_seconds": "60"}
    assert client.post("/endpoints/new/", form).status_code == 302, "names are apart"
    again = client.post("/endpoints/new/", form)
    assert again.status_code == 422 and "There is an endpoint of-a-study already" in text_of(again)


def test_the_list_takes_as_many_queries_however_long(
    as_owner, study, owner, django_assert_num_queries
):
    for number in range(5):
        make_own(study, owner, key=f"own-{number}")
    with django_assert_num_queries(5):  # session, user, membership, endpoints, those with judges
        text = text_of(as_owner.get(CONNECT))
    assert text.count("…4k1j") == 5


def test_the_page_of_a_model_takes_as_many_queries_however_many_judges_rest_on_it(
    as_owner, study, owner, django_assert_num_queries
):
    endpoint = make_own(study, owner)
    for number in range(4):
        factories.make_judge(study, f"judge-{number}", endpoint)
    with django_assert_num_queries(7):  # session, user, membership, model, judges?, model, judges
        text = text_of(as_owner.get(f"{CONNECT}{endpoint.pk}/"))
    assert "judge-3" in text


def test_an_owner_without_a_model_is_led_to_one(as_owner, study):
    for path in ("judges/", "judges/new/?kind=llm"):
        text = text_of(as_owner.get(f"/studies/films/{path}"))
        assert f"{CONNECT}#connect" in text
    assert "a model has to be connected first" in text_of(as_owner.get("/studies/films/judges/"))
    text = text_of(member(study, "editor").get("/studies/films/judges/new/?kind=llm"))
    assert "An owner of the study connects a model" in text and f"{CONNECT}#connect" not in text


def test_a_deleted_study_takes_its_models_and_keys_with_it(as_owner, study, owner):
    factories.make_judge(study, "judge", make_own(study, owner))
    everybody = factories.make_endpoint(key="of-all")
    as_owner.post("/studies/films/delete/", {"slug": "films"})
    assert deleting.delete_study(study.pk)
    assert list(Endpoint.objects.all()) == [everybody]
