"""Runs whose judgments were loaded get the hash of their settings, as every other run has."""

import hashlib
import json

from django.db import migrations


def fill(apps, schema_editor):
    """A study has a few such runs."""
    Run = apps.get_model("judges", "Run")
    for run in Run.objects.filter(frozen__kind="imported", settings_hash="").only("frozen"):
        words = json.dumps(run.frozen, sort_keys=True)
        run.settings_hash = hashlib.sha256(words.encode()).hexdigest()
        run.save(update_fields=["settings_hash"])


class Migration(migrations.Migration):
    dependencies = [("judges", "0012_profiles_that_are_written")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop, elidable=True)]
