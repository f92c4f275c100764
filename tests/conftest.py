"""What every test may use; what a run's backend has no part in is deselected here."""

import gc
import os
import shutil
from pathlib import Path

import hypothesis
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
# How long a machine takes for an example is no property of the code.
UNTIMED = {"deadline": None, "suppress_health_check": [hypothesis.HealthCheck.too_slow]}
hypothesis.settings.register_profile("untimed", **UNTIMED)
hypothesis.settings.load_profile("untimed")


def pytest_configure(config):
    """Collect static files once a run; every process of it then serves them from that folder."""
    if not hasattr(config, "workerinput"):
        config.add_cleanup(shipped.collect_files())
    shipped.apply(settings)


def pytest_collection_finish():
    """Spare the garbage collector what was collected: some 7 % of the time of all tests."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 10, 50)


def pytest_addoption(parser):
    parser.addoption(
        "--shared",
        action="store_true",
        help="two runs share the tests: PostgreSQL has those of the browser, processes and locks; "
        "SQLite has all others; both have those of SQL of our own",
    )


def pytest_collection_modifyitems(config, items):
    """Tests of the other database or broker do not belong to this run."""
    on_postgres = "postgresql" in settings.DATABASES["default"]["ENGINE"]
    foreign = {"sqlite"} if on_postgres else {"postgres"}
    if not settings.REDIS_URL:
        foreign.add("redis")
    kept = [item for item in items if not foreign & _marks(item)]
    if config.getoption("--shared"):
        kept = [item for item in kept if is_of_run(item, on_postgres)]
    chosen = set(kept)
    dropped = [item for item in items if item not in chosen]
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        items[:] = kept


# Tests of modules that write SQL of their own, look by a regular expression, or ask which database
# it is (tests/test_both.py), of what raters' browsers send, and of kills while raters and judges
# work; all others leave that to Django.
OF_BOTH = (
    "analysis/answers",
    "analysis/exports/test_csv.py",
    "analysis/exports/test_tables.py",
    "annotate/db",
    "annotate/files",
    "annotate/http",
    "annotate/raters/test_raters_at_once.py",
    "annotate/raters/test_screens.py",
    "annotate/sessions/test_exclude.py",
    "annotate/sessions/test_extras.py",
    "annotate/sessions/test_kept_places.py",
    "annotate/sessions/test_mix.py",
    "annotate/sessions/test_order.py",
    "annotate/sessions/test_places.py",
    "judges/files/test_load_study.py",
    "judges/health/test_readiness.py",
    "judges/methods/test_base.py",
    "judges/methods/verdicts/test_support.py",
    "judges/pages/test_purposes.py",
    "judges/prompting/test_examples.py",
    "judges/runs/test_crashes.py",
    "judges/runs/test_lease.py",
    "judges/runs/test_plan.py",
    "judges/runs/test_score.py",
    "judges/runs/test_settle.py",
    "judges/statements/test_items.py",
    "test_upgrade.py",
)
TESTS = Path(__file__).parent
OUTSIDE = {"postgres", "redis"}
COMMITTING = {"transactional_db", "live_server"}


def _marks(item):
    return {mark.name for mark in item.iter_markers()}


def _commits(item):
    """Return whether other threads and processes see what the test writes."""
    marks = item.iter_markers("django_db")
    return bool(COMMITTING & set(item.fixturenames)) or any(
        mark.kwargs.get("transaction") for mark in marks
    )


def is_of_run(item, on_postgres):
    """Return whether the run on this database has the test, where two runs share the tests."""
    marks = _marks(item)
    path = item.path.relative_to(TESTS).as_posix()
    is_of_both = any(path == one or path.startswith(f"{one}/") for one in OF_BOTH)
    if "browser" in marks:
        return on_postgres
    if "model" in marks:
        return not on_postgres
    if on_postgres:
        uses_it = {"db", "django_db"} & ({*item.fixturenames} | marks)
        return bool(OUTSIDE & marks) or _commits(item) or bool(is_of_both and uses_it)
    return is_of_both or "sqlite" in marks or not _commits(item)


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
