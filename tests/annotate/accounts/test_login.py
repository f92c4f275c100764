"""Researchers log in; one-time links log in once."""

from threading import Barrier, Thread

import pytest
from django.conf import settings as django_settings
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from annotate.accounts.login import login_path
from tests import factories

pytestmark = pytest.mark.django_db
PASSWORD = "a long and odd passphrase 71"


def with_password(username="ada"):
    user = factories.make_user(username)
    user.set_password(PASSWORD)
    user.save()
    return user


def test_a_researcher_logs_in_with_a_password_hashed_by_argon2(client):
    user = with_password()
    assert user.password.startswith("argon2$")
    answer = client.post("/accounts/login/", {"username": "ada", "password": PASSWORD})
    assert answer.status_code == 302 and answer.url == "/"


def test_without_login_every_researcher_page_leads_to_the_login(client, study):
    for path in ("", "items/", "raters/", "settings/", "delete/"):
        answer = client.get(f"/studies/films/{path}")
        assert answer.status_code == 302 and answer.url.startswith("/accounts/login/"), path


def test_login_never_leads_to_another_site(client):
    with_password()
    data = {"username": "ada", "password": PASSWORD, "next": "https://evil.example/"}
    assert client.post("/accounts/login/", data).url == "/"


def test_five_wrong_passwords_lock_the_account_for_that_address(client, settings):
    with_password()
    for _ in range(5):
        last = client.post("/accounts/login/", {"username": "ada", "password": "wrong"})
    assert last.status_code == 429
    right = client.post("/accounts/login/", {"username": "ada", "password": PASSWORD})
    assert right.status_code == 429 and b"Too many wrong tries" in right.content
    assert "_auth_user_id" not in client.session


def test_an_absurdly_long_name_is_a_wrong_one(client, settings):
    tried = {"username": "a" * 1000, "password": "wrong"}
    assert client.post("/accounts/login/", tried).status_code == 200
    for _ in range(4):
        last = client.post("/accounts/login/", tried)
    assert last.status_code == 429


def test_opening_a_one_time_link_does_not_use_it_up_but_its_button_does(client):
    path = login_path(factories.make_user("demo"))
    assert client.get(path).status_code == 200
    assert client.get(path).status_code == 200
    assert client.post(path).url == "/"
    assert client.get("/").status_code == 200
    other = Client()
    assert other.post(path).status_code == 410
    assert "_auth_user_id" not in other.session


def statuses_of_posts_at_once(path, count):
    """Post to the path from this many connections at the same moment."""
    start, statuses = Barrier(count), []

    def post():
        browser = Client()
        connection.ensure_connection()
        start.wait(30)
        statuses.append(browser.post(path).status_code)
        connection.close()

    threads = [Thread(target=post) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return sorted(statuses)


@pytest.mark.parametrize("attempt", range(3))
@pytest.mark.django_db(transaction=True)
def test_a_one_time_link_used_eight_times_in_one_moment_logs_in_once(attempt):
    path = login_path(factories.make_user("demo", last_login=timezone.now()))
    assert statuses_of_posts_at_once(path, 8) == [302] + [410] * 7
    assert Session.objects.count() == 1


def test_a_one_time_link_logs_in_once_in_the_second_of_another_login(client):
    """The time of the last login is signed whole: two logins of one second differ."""
    second = timezone.now().replace(microsecond=0)
    user = factories.make_user("demo", last_login=second)
    path = login_path(user)
    user.last_login = second.replace(microsecond=1)
    user.save()
    assert client.post(path).status_code == 410


def test_a_one_time_link_of_an_inactive_account_is_unknown(client):
    assert client.get(login_path(factories.make_user("gone", is_active=False))).status_code == 404


@pytest.mark.parametrize("uid", ["MQ", "", "%00", "____", "9" * 400])
def test_made_up_links_are_not_found(client, uid):
    assert client.get(f"/accounts/once/{uid}/abc-def/").status_code in (404, 410)


def test_login_link_makes_an_operator_without_a_password(capsys):
    call_command("login_link", "root", "--create", "--operator")
    assert f"{django_settings.SITE_URL}/accounts/once/" in capsys.readouterr().out
    from django.contrib.auth import get_user_model

    user = get_user_model().objects.get(username="root")
    assert user.is_superuser and not user.has_usable_password()


def test_nobody_has_an_account_to_begin_with():
    from django.contrib.auth import get_user_model

    assert not get_user_model().objects.exists()
