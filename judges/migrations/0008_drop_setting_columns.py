"""Drop the columns whose values a judge's settings hold now."""

from django.db import migrations
from django.db.migrations.operations.base import Operation

COLUMNS = [
    "against",
    "aspects",
    "confidence",
    "content_word",
    "context",
    "days",
    "dimensions",
    "direction",
    "effect",
    "episodes",
    "example_role",
    "factors",
    "form",
    "history_length",
    "iterations",
    "json_list",
    "language",
    "max_tokens",
    "measure",
    "model",
    "most_statements",
    "most_topics",
    "neutral",
    "order",
    "output",
    "part_length",
    "parts",
    "pick",
    "pool_share",
    "profile_episodes",
    "rationale",
    "regularisation",
    "review_samples",
    "reviews",
    "samples",
    "seed",
    "shots",
    "sides",
    "strict",
    "temperature",
    "threshold",
    "top",
    "topics",
    "transcript_length",
    "weighted",
]


class RemoveColumns(Operation):
    """Remove all of them at once: after each RemoveField Django would build the models anew."""

    def state_forwards(self, app_label, state):
        """Forget the fields."""
        for name in COLUMNS:
            del state.models[app_label, "judge"].fields[name]
        state.reload_model(app_label, "judge", delay=True)

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        """Drop the columns."""
        judge = from_state.apps.get_model(app_label, "Judge")
        for name in COLUMNS:
            schema_editor.remove_field(judge, judge._meta.get_field(name))

    def database_backwards(self, app_label, schema_editor, from_state, to_state):
        """Add the columns again, with their defaults, one after the other."""
        fields = to_state.models[app_label, "judge"].fields
        for name in COLUMNS:
            add, before = migrations.AddField("judge", name, fields[name]), from_state
            from_state = before.clone()
            add.state_forwards(app_label, from_state)
            add.database_forwards(app_label, schema_editor, before, from_state)

    def describe(self):
        """Say what it does, for migrate."""
        return "Remove the columns that settings replace"


class Migration(migrations.Migration):
    dependencies = [("judges", "0007_fill_judge_settings")]

    operations = [RemoveColumns()]
