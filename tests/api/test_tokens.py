"""Tokens: made once, kept as a hash, never more than their user may at the time of the call."""

import logging
import re
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from annotate.api.auth import Failures, Requests
from annotate.http.headers import TokenFilter
from annotate.models import ApiToken, Membership
from tests import factories
from tests.api.conftest import ROOT, program

pytestmark = pytest.mark.django_db
FORM = {"name": "notebook", "scope": "read", "reach": "all", "days": "90"}


def secret_on(page):
    return re.search(r'id="secret" readonly value="(concord_[\w-]{43})"', page.content.decode())[1]


def bearer(secret):
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return client


def test_a_token_is_shown_once_and_kept_as_a_hash(as_owner, study):
    page = as_owner.post(reverse("tokens"), FORM)
    secret = secret_on(page)
    assert "no-store" in page.headers["Cache-Control"]
    token = ApiToken.objects.get()
    row = ApiToken.objects.filter(pk=token.pk).values().get()
    assert secret not in str(row) and secret[8:] not in str(row)
    assert secret not in as_owner.get(reverse("tokens")).content.decode()
    assert bearer(secret).get(ROOT).json()["results"][0]["study"] == "films"
    assert 89 <= (token.expires_at - timezone.now()).days <= 90


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"days": "366"}, "less than or equal to 365"),
        ({"days": "0"}, "greater than or equal to 1"),
        ({"name": ""}, "required"),
        ({"reach": "chosen"}, "Choose a study at least"),
        ({"scope": "admin"}, "not one of the available choices"),
    ],
)
def test_a_wrong_token_is_refused_with_the_reason(as_owner, study, change, words):
    page = as_owner.post(reverse("tokens"), FORM | change)
    assert page.status_code == 422 and words in page.content.decode()
    assert not ApiToken.objects.exists()


def test_the_studies_of_others_cannot_be_chosen(as_stranger, study):
    chosen = FORM | {"reach": "chosen", "studies": [study.pk]}
    assert as_stranger.post(reverse("tokens"), chosen).status_code == 422


def test_no_token_outlives_a_year_in_the_database_either(owner):
    with pytest.raises(IntegrityError), transaction.atomic():
        ApiToken.objects.issue(owner, 400, name="long")


def test_revoking_ends_it_at_once_and_only_its_owner_can(as_owner, as_stranger, owner, api):
    token = ApiToken.objects.get()
    assert as_stranger.post(reverse("revoke_token", args=[token.pk])).status_code == 404
    assert as_owner.get(reverse("revoke_token", args=[token.pk])).status_code == 405
    assert api.get(ROOT).status_code == 200
    as_owner.post(reverse("revoke_token", args=[token.pk]))
    assert api.get(ROOT).status_code == 401


def test_the_page_says_what_there_would_be_and_asks_strangers_to_log_in(as_owner, client):
    assert "Your tokens would stand here" in as_owner.get(reverse("tokens")).content.decode()
    assert client.get(reverse("tokens")).status_code == 302


def test_the_list_takes_few_queries_however_long(as_owner, owner, study, django_assert_num_queries):
    def queries(count):
        for _ in range(count):
            ApiToken.objects.issue(owner, 1, [study], name="one more")
        return as_owner.get(reverse("tokens"))

    queries(1)
    with django_assert_num_queries(5):
        as_owner.get(reverse("tokens"))
    queries(5)
    with django_assert_num_queries(5):
        as_owner.get(reverse("tokens"))


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "Bearer concord_x",
        "Bearer \xe4",
        "Basic b3duZXI6",
        "Bearer a b",
    ],
)
def test_without_a_valid_token_it_is_401_with_a_challenge(study, header):
    client = APIClient()
    if header is not None:
        client.credentials(HTTP_AUTHORIZATION=header)
    answer = client.get(ROOT)
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    assert answer.json()["error"]["code"] in ("not_authenticated", "authentication_failed")


def test_a_token_in_the_address_opens_nothing(owner, study):
    _, secret = ApiToken.objects.issue(owner, 1, name="x")
    for name in ("token", "access_token", "api_key"):
        assert APIClient().get(ROOT, {name: secret}).status_code == 401


@pytest.mark.parametrize("change", ["expired", "inactive", "gone"])
def test_an_expired_token_and_one_of_a_closed_account_open_nothing(owner, study, change):
    client = program(owner)
    if change == "expired":
        ApiToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    elif change == "inactive":
        owner.is_active = False
        owner.save()
    else:
        owner.delete()
    assert client.get(ROOT).status_code == 401


def test_a_token_of_chosen_studies_sees_no_other(owner, study):
    factories.make_study("other", owner=owner)
    client = program(owner, studies=[study])
    assert [row["study"] for row in client.get(ROOT).json()["results"]] == ["films"]
    assert client.get(f"{ROOT}other/").status_code == 404
    assert client.get(f"{ROOT}other/items/").status_code == 404
    assert client.post(f"{ROOT}other/items/", {"rows": [{"item": "x"}]}).status_code == 404
    answer = client.post(ROOT, {"study": "third", "template": "explanations-four"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "permission_denied")


def test_a_token_whose_last_study_was_deleted_reaches_nothing(owner, study):
    client = program(owner, studies=[study])
    factories.make_study("other", owner=owner)
    study.delete()
    assert client.get(ROOT).json()["results"] == []
    assert client.get(f"{ROOT}other/").status_code == 404


def test_a_reading_token_of_an_owner_does_not_write(owner, study, at):
    client = program(owner, write=False)
    assert client.get(at("items/")).status_code == 200
    for path, body in [
        ("items/", {"rows": [{"item": "x", "text": "x"}]}),
        ("ratings/", {"rows": []}),
        ("runs/", {"judge": "x"}),
    ]:
        assert client.post(at(path), body).status_code == 403
    assert client.patch(at(), {"state": "closed"}).status_code == 403
    assert client.post(ROOT, {"study": "x"}).status_code == 403
    study.refresh_from_db()
    assert study.is_open and study.items.count() == 4


def test_a_token_follows_the_role_of_its_user_at_the_time_of_the_call(study, viewer, at):
    client = program(viewer, write=True)
    assert client.patch(at(), {"state": "closed"}).status_code == 403
    Membership.objects.filter(user=viewer).update(role=Membership.Role.EDITOR)
    assert client.patch(at(), {"state": "closed"}).json()["role"] == "editor"
    Membership.objects.filter(user=viewer).delete()
    assert client.get(at()).status_code == 404
    assert client.patch(at(), {"state": "open"}).status_code == 404


def test_when_it_was_used_is_kept_to_the_hour(api, django_assert_num_queries):
    api.get(ROOT)
    first = ApiToken.objects.get().last_used_at
    assert first is not None
    with django_assert_num_queries(2):  # the token, the studies: nothing is written
        api.get(ROOT)
    earlier = first - timedelta(minutes=61)
    ApiToken.objects.update(last_used_at=earlier)
    api.get(ROOT)
    assert ApiToken.objects.get().last_used_at > earlier


def test_a_session_reads_and_writes_only_with_its_csrf_token(owner, study, at):
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner, backend="django.contrib.auth.backends.ModelBackend")
    assert client.get(at()).json()["study"] == "films"
    closed = client.patch(at(), '{"state": "closed"}', content_type="application/json")
    assert closed.status_code == 403 and "CSRF" in closed.json()["error"]["message"]
    page = client.get(reverse("tokens")).content.decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)[1]
    closed = client.patch(
        at(), '{"state": "closed"}', content_type="application/json", HTTP_X_CSRFTOKEN=token
    )
    assert closed.json()["state"] == "closed"


def test_too_many_requests_of_a_token_have_to_wait_and_others_do_not(api, viewer, at, monkeypatch):
    monkeypatch.setattr(Requests, "rate", "3/min", raising=False)
    assert [api.get(ROOT).status_code for _ in range(4)] == [200, 200, 200, 429]
    answer = api.get(ROOT)
    assert answer.json()["error"]["code"] == "throttled"
    assert 1 <= int(answer.headers["Retry-After"]) <= 60
    assert program(viewer).get(ROOT).status_code == 200


def test_an_address_with_many_wrong_tokens_has_to_wait(api, monkeypatch):
    monkeypatch.setattr(Failures, "rate", "3/min", raising=False)
    statuses = [bearer(f"concord_wrong{n}").get(ROOT).status_code for n in range(5)]
    assert statuses == [401, 401, 401, 429, 429]
    elsewhere = bearer("concord_wrong").get(ROOT, REMOTE_ADDR="192.0.2.7")
    assert elsewhere.status_code == 401
    assert int(bearer("concord_x").get(ROOT).headers["Retry-After"]) >= 1


def test_wrong_tokens_do_not_lock_out_a_right_one_of_the_same_address(api, monkeypatch):
    monkeypatch.setattr(Failures, "rate", "3/min", raising=False)
    assert [bearer("concord_wrong").get(ROOT).status_code for _ in range(5)][-1] == 429
    assert api.get(ROOT).status_code == 200
    assert bearer("concord_wrong").get(ROOT).status_code == 429, "a right one forgives nothing"


def test_right_tokens_are_no_failures(api, monkeypatch):
    monkeypatch.setattr(Failures, "rate", "2/min", raising=False)
    assert {api.get(ROOT).status_code for _ in range(5)} == {200}


def test_logs_drop_tokens(owner):
    _, secret = ApiToken.objects.issue(owner, 1, name="x")
    record = logging.LogRecord("x", 20, "f", 1, "GET /api/v1/?token=%s", (secret,), None)
    TokenFilter().filter(record)
    assert secret[8:] not in record.getMessage()


def test_raters_have_no_tokens(client, study):
    """Whoever has only a session's address is nobody here: no judge's score can reach a rater."""
    session = factories.make_session(study)
    assert bearer(session.token).get(f"{ROOT}films/judgments/").status_code == 401
    assert client.get(f"{ROOT}films/judgments/").status_code == 401
