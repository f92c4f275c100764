"""What ships is what is tested: the settings of tests are those of the product, but for a list."""

import ast
import runpy
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage

from tests.shipped import BESIDE_SETTINGS, DIFFERENCES
from tests.web_server import WebServer

ROOT = Path(settings.BASE_DIR)


def shipped():
    """Return {name: value} of config/settings.py, read anew in the same environment."""
    values = runpy.run_path(str(ROOT / "config" / "settings.py"))
    return {name: value for name, value in values.items() if name.isupper()}


def test_settings_of_tests_differ_from_those_that_ship_by_a_list_of_names_only():
    values = shipped()
    assert len(values) > 60
    differing = {name for name, value in values.items() if getattr(settings, name) != value}
    assert differing - {*DIFFERENCES} == set()


def test_every_listed_difference_is_one_or_is_made_by_the_test_runner():
    of_the_runner = {"ALLOWED_HOSTS", "DATABASES", "EMAIL_BACKEND"}
    values = shipped()
    ours = {*DIFFERENCES} - of_the_runner
    assert {name for name in ours if getattr(settings, name) == values[name]} == set()
    assert all(len(reason) > 20 for reason in DIFFERENCES.values())


def replaced_by(path):
    """Return the attributes of imported names that a module of tests sets, as `Class.method`."""
    tree = ast.parse(path.read_text())
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    imported = {alias.asname or alias.name for node in imports for alias in node.names}
    stored = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    ]
    return {ast.unparse(node) for node in stored if ast.unparse(node.value) in imported}


def test_what_tests_put_in_the_place_of_others_code_is_a_list_with_reasons():
    modules = [ROOT / "tests" / "shipped.py", *(ROOT / "tests").rglob("conftest.py")]
    assert set().union(*map(replaced_by, modules)) == {*BESIDE_SETTINGS}
    assert all(len(reason) > 20 for reason in BESIDE_SETTINGS.values())


def test_settings_within_a_listed_one_are_those_that_ship_but_for_the_kept_reports():
    values = shipped()
    assert settings.CACHES["default"] == values["CACHES"]["default"]
    assert [*settings.CACHES] == [*values["CACHES"]]


def test_static_files_have_hashed_names_and_a_missing_one_is_an_error():
    assert staticfiles_storage.url("app.css") != "/static/app.css"
    with pytest.raises(ValueError, match="Missing staticfiles manifest entry"):
        staticfiles_storage.url("examples/nothing.csv")


def test_the_live_server_serves_files_by_their_hashed_names_only(live_server, client):
    import urllib.error
    import urllib.request

    hashed = staticfiles_storage.url("app.css")
    with urllib.request.urlopen(f"{live_server.url}{hashed}") as answer:
        assert "immutable" in answer.headers["Cache-Control"]
    assert finders.find("app.css")  # by which Django's own handler would serve any name
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"{live_server.url}/static/app.000000000000.css")


def test_processes_that_tests_start_use_the_shipped_storage(db, tmp_path):
    assert "STATICFILES_STORAGE" not in WebServer(tmp_path).env
