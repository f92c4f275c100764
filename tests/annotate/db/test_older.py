"""A database that migrations of an older version made is refused in one sentence."""

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from annotate.db.older import why_refused

pytestmark = pytest.mark.django_db
OF_THIS_VERSION = sorted(MigrationLoader(None).disk_migrations)
OF_OTHERS = [row for row in OF_THIS_VERSION if row[0] not in ("annotate", "judges")]
OLDER = [("annotate", "0001_initial"), ("judges", "0001_initial"), ("annotate", "0014_taste")]


@pytest.mark.parametrize(
    ("rows", "is_refused"),
    [
        ([], False),
        (OF_OTHERS, False),
        (OF_THIS_VERSION, False),
        (OF_THIS_VERSION + [("annotate", "0002_of_a_newer_version")], False),
        (OF_OTHERS + OLDER[:1], True),
        (OF_OTHERS + OLDER, True),
    ],
)
def test_only_a_database_that_other_migrations_began_is_refused(rows, is_refused):
    recorder = MigrationRecorder(connection)
    recorder.migration_qs.all().delete()
    for row in rows:
        recorder.record_applied(*row)
    said = why_refused()
    assert bool(said) == is_refused
    if said:
        how = {"sqlite": "then delete that file.", "postgresql": "(dropdb, createdb)."}
        assert connection.settings_dict["NAME"] in said
        assert "export what you need with that version" in said
        assert said.endswith(how[connection.vendor])
