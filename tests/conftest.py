"""What every test may use; what a run's backend has no part in is deselected here."""

import os
import shutil
from pathlib import Path

import pytest
from django.conf import settings
from django.core.cache import caches
from django.test import Client, TransactionTestCase

from tests import emptying, factories, shipped

CI = os.environ.get("CI", "").lower() == "true"
SHARED_DATA = Path(settings.BASE_DIR).parent / "shared" / "data"
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)

TransactionTestCase._fixture_teardown = emptying.after_test


def pytest_configure(config):
    """Collect static files once a run; every process of it then serves them from that folder."""
    if not hasattr(config, "workerinput"):
        config.add_cleanup(shipped.collect_files())
    shipped.apply(settings)


def pytest_addoption(parser):
    parser.addoption(
        "--with-services",
        action="store_true",
        help="only tests that touch the database, the broker or the browser",
    )


def pytest_collection_modifyitems(config, items):
    """Tests of the other database or broker do not belong to this run."""
    on_postgres = "postgresql" in settings.DATABASES["default"]["ENGINE"]
    foreign = {"sqlite"} if on_postgres else {"postgres"}
    if not settings.REDIS_URL:
        foreign.add("redis")
    kept = [item for item in items if not foreign & _marks(item)]
    if config.getoption("--with-services"):
        kept = [item for item in kept if SERVICES & (_marks(item) | set(item.fixturenames))]
    dropped = [item for item in items if item not in set(kept)]
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        items[:] = kept


SERVICES = {"django_db", "db", "transactional_db", "live_server", "postgres", "redis"}


def _marks(item):
    return {mark.name for mark in item.iter_markers()}


def missing(reason):
    """Skip with the reason; where everything has to be present that is a failure."""
    if CI:
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def shared_data():
    """The folder of reference data beside the project."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the reference data (../shared/data) are not beside the project")
    return SHARED_DATA


@pytest.fixture
def owner(db):
    return factories.make_user("owner")


@pytest.fixture
def stranger(db):
    return factories.make_user("stranger")


@pytest.fixture
def study(owner):
    """A study of four explanations and P0's four questions; owner owns it."""
    return factories.make_study(owner=owner, items=4)


@pytest.fixture
def as_owner(owner):
    client = Client()
    client.force_login(owner, backend="django.contrib.auth.backends.ModelBackend")
    return client


@pytest.fixture
def as_stranger(stranger):
    client = Client()
    client.force_login(stranger, backend="django.contrib.auth.backends.ModelBackend")
    return client


@pytest.fixture(autouse=True)
def _nothing_kept():
    """What is kept by primary keys is no other test's: after a rollback SQLite gives them anew."""
    for name in caches.settings:
        caches[name].clear()
