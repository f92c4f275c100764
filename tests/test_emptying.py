"""A test that committed leaves the database as migrate has made it."""

import pytest
from django.apps import apps
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.db import connection, transaction

from tests import emptying, factories

pytestmark = pytest.mark.django_db(transaction=True)


def counts():
    """Rows by table, those of many-to-many tables too."""
    models = [m for m in apps.get_models(include_auto_created=True) if m._meta.managed]
    return {m._meta.db_table: m._base_manager.count() for m in models}


def fill():
    study = factories.make_study(owner=factories.make_user(), items=3)
    session = factories.make_session(study)
    factories.make_ratings(
        session, ((i, q, 4) for i in study.items.all() for q in study.questions.all())
    )
    judge = factories.make_judge(study, endpoint=factories.make_endpoint())
    factories.make_judgments(judge, {(i, study.questions.first()): 3 for i in study.items.all()})


@pytest.mark.parametrize("large", [emptying.LARGE, -1])
def test_it_leaves_what_a_flush_leaves(monkeypatch, large):
    monkeypatch.setattr(emptying, "LARGE", large)
    fill()
    assert counts()["annotate_rating"] == 12
    emptying.empty("default")
    ours = counts()
    kept = {*Permission.objects.values_list("codename"), *ContentType.objects.values_list("model")}
    call_command("flush", verbosity=0, interactive=False, reset_sequences=False)
    assert ours == counts()
    assert kept == {
        *Permission.objects.values_list("codename"),
        *ContentType.objects.values_list("model"),
    }
    assert {table for table, n in ours.items() if n} <= emptying.OF_MIGRATE
    assert not connection.needs_rollback


def test_primary_keys_go_on():
    """As after a flush: what remembers a row of an earlier test finds none."""
    first = factories.make_user("one").pk
    emptying.empty("default")
    assert factories.make_user("two").pk > first


def test_all_or_nothing():
    fill()
    before = counts()
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        emptying.empty("default")
        raise ZeroDivisionError
    assert counts() == before
