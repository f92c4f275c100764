"""Operations of migrations for large tables, which SQLite need not copy, or need copy only once."""

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations import AddField, SeparateDatabaseAndState


class AddColumn(AddField):
    """AddField of a column with a constant db_default, by ALTER TABLE on SQLite too.

    There Django copies the whole table for any column that is NOT NULL or has a default.
    """

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        model = from_state.apps.get_model(app_label, self.model_name)
        field = to_state.apps.get_model(app_label, self.model_name)._meta.get_field(self.name)
        if self.allow_migrate_model(schema_editor.connection.alias, model):
            BaseDatabaseSchemaEditor.add_field(schema_editor, model, field)


class OneCopy(SeparateDatabaseAndState):
    """Several changes of one table, for which SQLite copies it once; elsewhere as they are.

    None may add, drop or rename a column.
    """

    def __init__(self, operations):
        super().__init__(operations, operations)

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        if schema_editor.connection.vendor != "sqlite":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        model = to_state.apps.get_model(app_label, self.database_operations[0].model_name)
        if self.allow_migrate_model(schema_editor.connection.alias, model):
            schema_editor._remake_table(model)
