from django.db import migrations


class Migration(migrations.Migration):
    """The version that was asked for stands in the query, where it is read."""

    dependencies = [
        ("judges", "0018_studies_made_of_ratings"),
    ]

    operations = [
        migrations.RemoveField(model_name="computation", name="version"),
    ]
