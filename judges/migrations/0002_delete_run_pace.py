"""Delete the history of a run's limit of calls at once, which only a chart read."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("judges", "0001_initial")]

    operations = [migrations.DeleteModel(name="RunPace")]
