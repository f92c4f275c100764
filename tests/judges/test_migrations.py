"""Migrations of tables with millions of rows: what they write on each database, and for whom."""

from importlib import import_module

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations import AddField

from judges import methods
from judges.models import Judge
from judges.runs.reuse import past_calls
from judges.scorers import SCORERS

LARGE = {"call", "judgment"}
SQUASHED = 1


def test_a_column_that_needs_a_value_comes_with_one_in_the_database():
    """Else rows of a worker of the last version are refused while it is replaced."""
    found = []
    for (app, name), migration in MigrationLoader(None).disk_migrations.items():
        if app == "judges" and int(name[:4]) > SQUASHED:
            found += [
                (name, operation.name)
                for operation in migration.operations
                if isinstance(operation, AddField) and operation.model_name in LARGE
                if not operation.field.null and not operation.field.has_db_default()
            ]
    assert found == []


@pytest.mark.django_db
@pytest.mark.parametrize("units", [1, 99])
def test_past_calls_are_found_by_an_index_without_the_blank_ones(units):
    hashes = [f"{number:064x}" for number in range(units)]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL enable_seqscan = off")
            cursor.execute("SELECT indexdef FROM pg_indexes WHERE indexname = 'call_request'")
        else:
            cursor.execute("SELECT sql FROM sqlite_master WHERE name = 'call_request'")
        assert " WHERE " in cursor.fetchone()[0], "it is a part of the table"
    assert "call_request" in past_calls(hashes).explain()


COLUMNS = [("judges", "0005_stopping_pair")]


@pytest.fixture
def migrate(transactional_db):
    """Migrate to a target and return its models; at the end everything is there again."""

    def to(target):
        executor = MigrationExecutor(connection)
        executor.migrate(target)
        return executor.loader.project_state(target).apps

    yield to
    to(MigrationExecutor(connection).loader.graph.leaf_nodes())


def make_old_judges(apps):
    """A judge of each kind and method that has settings, with values that are no defaults."""
    study = apps.get_model("annotate", "Study").objects.create(slug="s", title="S")
    endpoint = apps.get_model("judges", "Endpoint").objects.create(key="e", base_url="http://e/v1")
    judges = apps.get_model("judges", "Judge").objects
    given = {"seed": 7, "temperature": 0.5, "max_tokens": 99, "samples": 3, "factors": 9}
    given |= {"language": "zh", "regularisation": 1e-6, "dimensions": ["Ton, Klang"], "top": 4}
    given |= {"episodes": [20, 5], "topics": [["fit", "größe"]], "content_word": "book"}
    for method in Judge.Method.values:
        given["samples"] = 3 if method in ("questions", "fit", "support", "pairwise") else 1
        judges.create(
            study=study, key=method, kind="llm", method=method, endpoint=endpoint, **given
        )
    for kind in [*SCORERS, "imported", "ensemble"]:
        judges.create(study=study, key=kind, kind=kind, **given)


def test_settings_move_from_their_columns_into_one_and_back(migrate):
    make_old_judges(migrate(COLUMNS))
    columns = {
        row["key"]: row for row in migrate(COLUMNS).get_model("judges", "Judge").objects.values()
    }
    migrate(MigrationExecutor(connection).loader.graph.leaf_nodes("judges"))
    kept = {judge.key: judge for judge in Judge.objects.all()}
    assert kept.keys() == columns.keys()
    for key, judge in kept.items():
        names = judge.settings_class.names()
        assert judge.settings.stored == {name: columns[key][name] for name in names}, key
    assert kept["extraction"].settings.topics == [["fit", "größe"]]
    assert kept["imported"].settings.stored == {}
    back = migrate(COLUMNS).get_model("judges", "Judge").objects.values()
    for row in back:
        names = {*kept[row["key"]].settings_class.names(), "id", "kind", "method", "key"}
        assert {name: row[name] for name in names} == {
            name: columns[row["key"]][name] for name in names
        }
    assert {row["key"] for row in back if row["rationale"]} == {"fit", "pairwise"}


def test_the_migration_copies_what_the_judges_declare():
    fill = import_module("judges.migrations.0007_fill_judge_settings")
    declared = {kind: scorer.settings.names() for kind, scorer in SCORERS.items()}
    assert {str(kind): names for kind, names in declared.items() if names} == fill.BY_KIND
    methods_declared = {name: methods.named(name).settings.names() for name in Judge.Method.values}
    assert methods_declared == fill.BY_METHOD
