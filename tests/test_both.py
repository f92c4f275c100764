"""Which tests run on both databases: those of modules whose SQL may differ between the two."""

import re
from pathlib import Path

from django.conf import settings

from tests import conftest

OWN_SQL = re.compile(
    r"connection\.vendor|connection\.cursor\(|RawSQL\(|\.raw\(|\.extra\(|__i?regex|as_sqlite"
    r"|as_postgresql|\bKT\("
)
ROOT = Path(settings.BASE_DIR)
MODELS = "annotate/models/"  # tested where they are used
# A module's tests, where they are neither those of its name nor those of its whole folder.
TESTED_BY = {
    "annotate/design/grouping.py": "annotate/sessions/test_places.py",
    "annotate/raters/profiles.py": "annotate/raters/test_screens.py",
    "judges/health/readiness.py": "judges/health/test_readiness.py",
    "judges/methods/questions.py": "judges/methods/test_base.py",
    "judges/methods/verdicts/support.py": "judges/methods/verdicts/test_support.py",
    "judges/pages/purposes.py": "judges/pages/test_purposes.py",
    "judges/prompting/examples.py": "judges/prompting/test_examples.py",
    "judges/statements/counts.py": "judges/statements/test_items.py",
}


def modules_with_own_sql():
    """Return the modules that write SQL, or ask which database it is."""
    apps = (ROOT / app for app in ("analysis", "annotate", "judges"))
    return {
        path.relative_to(ROOT).as_posix()
        for app in apps
        for path in app.rglob("*.py")
        if "migrations" not in path.parts and OWN_SQL.search(path.read_text())
    }


def test_every_module_with_sql_of_its_own_is_tested_on_both_databases():
    modules = {one for one in modules_with_own_sql() if not one.startswith(MODELS)}
    assert TESTED_BY.keys() <= modules
    tested = {one: TESTED_BY.get(one) or _usual_tests(one) for one in modules}
    assert {one: by for one, by in tested.items() if not _is_on_postgres(by)} == {}
    assert [
        one for one in conftest.ON_BOTH + conftest.CLAIMS if not _has_tests(ROOT / "tests" / one)
    ] == []


def _usual_tests(module):
    folder, _, name = module.rpartition("/")
    own = f"{folder}/test_{name}"
    return own if _is_on_postgres(own) else folder


def _is_on_postgres(tests):
    listed = conftest.ON_BOTH + conftest.CLAIMS
    return any(tests == one or tests.startswith(f"{one}/") for one in listed)


def _has_tests(path):
    return path.is_file() or any(path.rglob("test_*.py"))
