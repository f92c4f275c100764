"""What every test may use; what a run's backend has no part in is deselected here."""

import gc
import os
import shutil
import sys
from pathlib import Path

import hypothesis
import pytest
from django.conf import settings
from django.core.cache import caches
from django.test import Client, TransactionTestCase

from tests import allowance, emptying, factories, shipped

# Of the 20 CPU seconds in which a process collects all tests 13 go into rewriting their asserts.
# These are kept for the next run, whatever PYTHONDONTWRITEBYTECODE says.
sys.dont_write_bytecode = False

CI = os.environ.get("CI", "").lower() == "true"
SHARED_DATA = Path(settings.BASE_DIR).parent / "shared" / "data"
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)

TransactionTestCase._fixture_teardown = emptying.after_test
# How long a machine takes for an example is no property of the code.
UNTIMED = {"deadline": None, "suppress_health_check": [hypothesis.HealthCheck.too_slow]}
# The gate says the same of the same tree; a run of all tests looks further.
GATE = {"max_examples": 50, "derandomize": True, "database": None}
hypothesis.settings.register_profile("gate", **UNTIMED, **GATE)
hypothesis.settings.register_profile("search", **UNTIMED, max_examples=200)


def pytest_configure(config):
    """Collect static files once a run; every process of it then serves them from that folder."""
    is_gate = config.getoption("--tier") in ("fast", "services")
    hypothesis.settings.load_profile("gate" if is_gate else "search")
    config.pluginmanager.register(allowance.Allowance(tiers))
    if not hasattr(config, "workerinput"):
        config.add_cleanup(shipped.collect_files())
    shipped.apply(settings)


def pytest_collection_finish():
    """Spare the garbage collector what was collected: some 7 % of the time of all tests."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 10, 50)


def pytest_addoption(parser):
    parser.addoption("--tier", choices=("fast", "services", "slow"), help="only tests of this tier")
    parser.addoption(
        "--with-database",
        action="store_true",
        help="only tests that touch the database or the broker",
    )
    parser.addoption("--part", metavar="K/N", default="1/1", help="of these, the K-th of N parts")


def pytest_collection_modifyitems(config, items):
    """Tests of the other database or broker do not belong to this run, nor those of other tiers."""
    on_postgres = "postgresql" in settings.DATABASES["default"]["ENGINE"]
    foreign = {"sqlite"} if on_postgres else {"postgres"}
    if not settings.REDIS_URL:
        foreign.add("redis")
    kept = [item for item in items if not foreign & _marks(item)]
    if tier := config.getoption("--tier"):
        kept = [item for item in kept if tier in tiers(item)]
    if config.getoption("--with-database"):
        kept = [item for item in kept if OF_DATABASE & (_marks(item) | set(item.fixturenames))]
    part, parts = map(int, config.getoption("--part").split("/"))
    kept = kept[part - 1 :: parts]  # so that dear neighbours are shared out
    chosen = set(kept)
    dropped = [item for item in items if item not in chosen]
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        items[:] = kept


OF_DATABASE = {"django_db", "db", "transactional_db", "live_server", "postgres", "redis"}
TESTS = Path(__file__).parent
# Money and places, whole and whatever they cost: where rows are locked and claimed.
CLAIMS = ("judges/runs", "annotate/sessions", "annotate/flow")
# In both tiers, fast and services: tests of SQL of our own, and of what SQLite alone lets pass:
# lengths, ranges of integers, the order of NULL, case in look-ups, errors inside a transaction.
# tests/test_both.py finds a module with SQL whose tests are missing here.
ON_BOTH = (
    "analysis/answers",
    "analysis/exports/test_csv.py",
    "analysis/exports/test_tables.py",
    "annotate/db",
    "annotate/files",
    "annotate/http",
    "annotate/raters/test_screens.py",
    "annotate/stopping/test_plan.py",
    "api/test_tokens.py",
    "judges/checks/test_robustness_runs.py",
    "judges/files",
    "judges/health/test_readiness.py",
    "judges/methods/test_base.py",
    "judges/methods/verdicts/test_support.py",
    "judges/pages/test_purposes.py",
    "judges/prompting/test_examples.py",
    "judges/statements/test_items.py",
    "judges/test_finite_settings.py",
    "judges/uploads/test_views.py",
)
SLOW = set((TESTS / "slow.txt").read_text().splitlines())
SLOW_FILES = {one for one in SLOW if "::" not in one}


def _marks(item):
    return {mark.name for mark in item.iter_markers()}


def _is_of(item, paths):
    path = item.path.relative_to(TESTS).as_posix()
    return any(path == one or path.startswith(f"{one}/") for one in paths)


def tiers(item):
    """Return the tiers that have the test: what the gate runs is fast or services."""
    marks = _marks(item)
    in_browser = "browser" in marks and "journey" not in marks
    if "model" in marks or in_browser or _is_of(item, SLOW_FILES):
        return {"slow"}
    if {"postgres", "redis"} & marks or ("sqlite" not in marks and _is_of(item, CLAIMS)):
        return {"services"}
    if item.nodeid in SLOW:
        return {"slow"}
    return {"fast", "services"} if _is_of(item, ON_BOTH) else {"fast"}


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
