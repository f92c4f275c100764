"""Every difference between the settings of tests and those that ship, each with its reason.

`tests/test_shipped_settings.py` compares the two and fails on a difference that is not listed. Keep
this list short: a page that is broken where it is served must be broken in its test too.
"""

import functools
import os
import re
import shutil
import tempfile
from pathlib import Path

from django.contrib.staticfiles import handlers
from django.core.management import call_command
from django.db import DataError
from django.db.backends.base.operations import BaseDatabaseOperations
from django.db.models import CharField, IntegerField, JSONField, TextField
from django.test import Client, override_settings, testcases
from whitenoise.base import WhiteNoise

DIFFERENCES = {
    # Ours
    "STATIC_ROOT": "a temporary folder of the run, so that a running demo keeps its own files",
    "CACHES": "results of reports stay in the memory of a test process: no test sees another's",
    "ENDPOINT_HOSTS": "scripted servers listen on loopback, at ports that nobody knows beforehand",
    # Django's and pytest-django's, at the start of every run
    "ALLOWED_HOSTS": "the test client calls itself testserver",
    "DATABASES": "a test database stands beside the configured one",
    "EMAIL_BACKEND": "mail stays in memory; the product sends none",
}
# What tests put in the place of others' code, by module or class and name.
BESIDE_SETTINGS = {
    "handlers.StaticFilesHandler": "the live server hands requests for files to the application",
    "testcases._MediaFilesHandler": "likewise for uploads: gunicorn, too, serves neither by itself",
    "WhiteNoise.update_files_dictionary": "files are listed once a process, not once a test client",
    "Client._login": "the test client logs in without an address, which axes cannot count",
    "Client.logout": "likewise when it logs out",
    "CharField.get_db_prep_save": "on SQLite, too, a text longer than its column is an error",
    "IntegerField.get_db_prep_save": "likewise a number beyond what PostgreSQL's column holds",
    "TextField.get_db_prep_save": "likewise a text with the character NUL",
    "JSONField.get_db_prep_save": "likewise JSON with the character NUL",
    "TransactionTestCase._fixture_teardown": "DELETE empties tables after a test that commits",
}
# In a text; in JSON, where two backslashes before u0000 are a backslash and five letters.
NUL = re.compile(r"\0"), re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
LOCMEM = "tests.reports_in_memory.ReportsInMemory"
HOSTS = "127.0.0.1,localhost,api.openai.com"  # also of processes, in tests/processes.py
FOLDER = "CONCORD_TEST_STATIC"  # tells worker processes where the files are


def apply(settings):
    """Change the settings of this test process; called once, before the first test."""
    settings.CACHES["reports"] = {"BACKEND": LOCMEM, "LOCATION": "reports"}
    settings.ENDPOINT_HOSTS = HOSTS.split(",")
    settings.STATIC_ROOT = Path(os.environ[FOLDER])
    _serve_files_as_shipped()
    _list_files_once()
    _log_in_without_an_address()
    _refuse_what_postgresql_refuses()


def collect_files():
    """Collect static files as the web process does at its start; return what removes them."""
    folder = tempfile.mkdtemp(prefix="concord-static-")
    os.environ[FOLDER] = folder
    with override_settings(STATIC_ROOT=folder):
        call_command("collectstatic", interactive=False, verbosity=0)
    return functools.partial(shutil.rmtree, folder, ignore_errors=True)


def _serve_files_as_shipped():
    """Let the application answer every request to pytest's live server.

    Django's own handlers would find files by their plain names, which no page links to, and would
    serve every uploaded file to anybody.
    """
    handlers.StaticFilesHandler = testcases._MediaFilesHandler = lambda application: application


def _list_files_once():
    """List a folder of static files once a process: a test client builds all middleware anew."""
    scan, listed = WhiteNoise.update_files_dictionary, {}

    def update(self, root, prefix):
        if (root, prefix) not in listed:
            before = dict(self.files)
            scan(self, root, prefix)
            listed[root, prefix] = {k: v for k, v in self.files.items() if k not in before}
        self.files.update(listed[root, prefix])

    WhiteNoise.update_files_dictionary = update


def _log_in_without_an_address():
    """Keep axes out of `force_login` and `logout` alone: wrong passwords count as they ship."""

    def without_axes(method):
        def changed(self, *args, **options):
            with override_settings(AXES_ENABLED=False):
                return method(self, *args, **options)

        return changed

    Client._login, Client.logout = without_axes(Client._login), without_axes(Client.logout)


def _refuse_what_postgresql_refuses():
    """Let saves to SQLite, which takes texts and integers of any size, fail as in production."""

    def refuse_long(field, prepared):
        if isinstance(prepared, str) and len(prepared) > (field.max_length or len(prepared)):
            raise DataError(f"{field}: {prepared!r} is longer than {field.max_length}")
        refuse_nul(field, prepared)

    def refuse_nul(field, prepared):
        if isinstance(prepared, str) and NUL[isinstance(field, JSONField)].search(prepared):
            raise DataError(f"{field}: NUL in {prepared!r}")

    def refuse_large(field, prepared):
        least, most = BaseDatabaseOperations.integer_field_ranges[field.get_internal_type()]
        if isinstance(prepared, int) and not least <= prepared <= most:
            raise DataError(f"{field}: {prepared} is not from {least} to {most}")

    def checked(prepare, check):
        def changed(self, value, connection):
            prepared = prepare(self, value, connection)
            check(self, prepared)
            return prepared

        return changed

    CharField.get_db_prep_save = checked(CharField.get_db_prep_save, refuse_long)
    IntegerField.get_db_prep_save = checked(IntegerField.get_db_prep_save, refuse_large)
    TextField.get_db_prep_save = checked(TextField.get_db_prep_save, refuse_nul)
    JSONField.get_db_prep_save = checked(JSONField.get_db_prep_save, refuse_nul)
