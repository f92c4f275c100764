"""Which addresses a judge may call: what the operator listed, and nothing private behind a name."""

import asyncio
import secrets
import socket
import subprocess
import sys

import pytest

from judges.endpoints import hosts
from judges.endpoints.client import Client, Failure
from judges.endpoints.forms import EndpointForm
from judges.models import Endpoint
from tests.processes import ROOT, environment
from tests.scripted_server import ScriptedServer, chat

NAME = "api.example.org"
SECRET = secrets.token_urlsafe(60)


@pytest.fixture(autouse=True)
def _listed(settings):
    settings.ENDPOINT_HOSTS = [NAME, "localhost:9", "10.1.2.3", "[::1]:8080", "vllm"]


def leads_to(monkeypatch, *addresses):
    """Every name leads there: no test asks a real resolver."""
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, 443)) for each in addresses]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)


@pytest.mark.parametrize(
    "address",
    [
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",  # private, RFC 1918
        "127.0.0.1",
        "::1",
        "0.0.0.0",  # this machine
        "169.254.169.254",
        "fe80::1",
        "fe80::1%eth0",  # link-local; where clouds keep their keys
        "100.64.0.1",
        "fd00::1",  # a carrier's own, and private by RFC 4193
        "::ffff:10.0.0.1",
        "::ffff:169.254.169.254",  # the same in IPv6
        "64:ff9b::a9fe:a9fe",
        "2002:a9fe:a9fe::1",  # and what NAT64 and 6to4 make of it
    ],
)
def test_a_listed_name_that_leads_to_a_private_address_is_refused(monkeypatch, address):
    leads_to(monkeypatch, "93.184.216.34", address)
    with pytest.raises(hosts.HostRefused, match="leads to the private address"):
        hosts.check(f"https://{NAME}/v1")


def test_a_private_address_that_is_listed_too_is_meant(monkeypatch):
    leads_to(monkeypatch, "10.1.2.3")
    hosts.check(f"https://{NAME}/v1")


def test_a_listed_name_that_leads_to_the_world_may_be_called(monkeypatch):
    leads_to(monkeypatch, "93.184.216.34", "2606:2800:220:1::1", "::ffff:93.184.216.34")
    hosts.check(f"https://{NAME}/v1")


@pytest.mark.parametrize(
    "url",
    ["http://localhost:9/v1", "http://[::1]:8080/v1", "http://vllm/v1", "http://10.1.2.3:8000/v1"],
)
def test_what_was_listed_by_its_address_or_as_a_neighbour_was_meant(url):
    hosts.check(url)


LOOPBACK = ["localhost", "127.0.0.1", "[::1]", "127.9.9.9", "0.0.0.0", "[::ffff:127.0.0.1]"]


@pytest.mark.parametrize("host", LOOPBACK)
def test_in_production_this_machine_is_called_only_at_a_listed_port(settings, host):
    settings.ENDPOINT_HOSTS = [host, host.strip("[]")]
    hosts.check_listed(f"http://{host}:6379/v1")
    settings.PRODUCTION = True
    for port in (":6379", ":5432", ""):
        with pytest.raises(hosts.HostRefused, match="addresses of this machine need a port"):
            hosts.check_listed(f"http://{host}{port}/v1")
    settings.ENDPOINT_HOSTS = [f"{host}:8001"]
    hosts.check_listed(f"http://{host}:8001/v1")
    with pytest.raises(hosts.HostRefused, match="is not in ENDPOINT_HOSTS"):
        hosts.check_listed(f"http://{host}:8002/v1")


def test_in_production_a_name_that_leads_to_this_machine_needs_the_port_too(monkeypatch, settings):
    settings.PRODUCTION, settings.ENDPOINT_HOSTS = True, [NAME, "127.0.0.1"]
    leads_to(monkeypatch, "127.0.0.1")
    with pytest.raises(hosts.HostRefused, match="leads to the private address 127.0.0.1"):
        hosts.check(f"http://{NAME}:6379/v1")
    settings.ENDPOINT_HOSTS = [NAME, "127.0.0.1:8001"]
    hosts.check(f"http://{NAME}:8001/v1")


LOCAL = ["127.0.0.1:11434", "localhost:11434", "127.0.0.1:8000", "localhost:8000"]


@pytest.mark.parametrize(
    ("production", "listed"),
    [("1", []), ("0", LOCAL)],
)
def test_what_may_be_called_where_the_operator_lists_nothing(tmp_path, production, listed):
    env = environment(tmp_path) | {"CONCORD_PRODUCTION": production, "SECRET_KEY": SECRET}
    env = {name: value for name, value in env.items() if name != "ENDPOINT_HOSTS"}
    asks = "from config import settings; print(settings.ENDPOINT_HOSTS)"
    done = subprocess.run(
        [sys.executable, "-c", asks], cwd=ROOT, env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(listed)


REFUSED = {
    "http://169.254.169.254/latest/meta-data/": "not in ENDPOINT_HOSTS",
    "http://10.0.0.1/v1": "not in ENDPOINT_HOSTS",
    "http://2130706433/v1": "not in ENDPOINT_HOSTS",  # 127.0.0.1 as one number
    "http://localhost:10/v1": "not in ENDPOINT_HOSTS",
    f"https://{NAME}.evil.example/v1": "not in ENDPOINT_HOSTS",
    f"https://evil.example/{NAME}": "not in ENDPOINT_HOSTS",
    f"https://{NAME}@evil.example/v1": "no user name or password",
    f"https://key@{NAME}/v1": "no user name or password",
    f"ftp://{NAME}/v1": "must begin with http",
    "file:///etc/passwd": "must begin with http",
    "http://[::1/v1": "is no address",
    "http://vllm/v1\x01": "is no address",  # or each run would end in an error and begin again
}


@pytest.mark.parametrize("url", REFUSED)
def test_what_is_not_listed_is_refused(url):
    with pytest.raises(hosts.HostRefused, match=REFUSED[url]):
        hosts.check(url)


def test_a_call_asks_where_the_name_leads_before_anything_is_sent(monkeypatch):
    leads_to(monkeypatch, "169.254.169.254")
    answer = ask(f"https://{NAME}/v1")
    assert answer.failure is Failure.HOST
    assert "leads to the private address 169.254.169.254" in answer.detail


def test_a_call_to_an_address_that_is_none_fails_like_any_other():
    """A row may be older than a rule: its run would break at each attempt, and never end."""
    answer = ask("http://vllm/v1\x01")
    assert answer.failure is Failure.HOST
    assert "holds characters that nobody sees" in answer.detail


def ask(url):
    endpoint = Endpoint(key="e", model="m", base_url=url, timeout_seconds=5)

    async def once():
        async with Client(endpoint) as client:
            return await client.ask([{"role": "user", "content": "?"}], {"max_tokens": 5})

    return asyncio.run(once())


def turns(monkeypatch, *addresses):
    """A name that leads elsewhere each time it is asked, in the end to the last of these."""
    left = list(addresses)

    def found(_host, port, *_, **__):
        address = left.pop(0) if len(left) > 1 else left[0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    monkeypatch.setattr(socket, "getaddrinfo", found)


@pytest.mark.parametrize("dot", ["", "."])
def test_a_name_that_leads_elsewhere_once_it_was_checked_is_not_called(monkeypatch, dot):
    with ScriptedServer(lambda *_: chat("secret")) as server:
        turns(monkeypatch, "93.184.216.34", "127.0.0.1")
        answer = ask(f"http://{NAME}{dot}:{server.port}/v1")
    assert answer.failure is Failure.HOST
    assert "leads to the private address 127.0.0.1" in answer.detail
    assert server.requests == []


def test_a_name_that_leads_to_a_listed_private_address_is_called(monkeypatch, settings):
    settings.ENDPOINT_HOSTS = [NAME, "127.0.0.1"]
    with ScriptedServer(lambda *_: chat("hello")) as server:
        turns(monkeypatch, "127.0.0.1")
        assert ask(f"http://{NAME}:{server.port}/v1").content == "hello"
    assert server.headers[0]["host"] == f"{NAME}:{server.port}"


@pytest.mark.django_db
def test_the_form_of_an_endpoint_refuses_them(monkeypatch):
    leads_to(monkeypatch, "192.168.1.1")
    form = EndpointForm({"key": "e", "model": "m", "base_url": f"https://{NAME}/v1"})
    assert "leads to the private address 192.168.1.1" in str(form.errors["base_url"])
