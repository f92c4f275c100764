from django.db import migrations


class Migration(migrations.Migration):
    """The version that was asked for stands in the query, where it is read."""

    dependencies = [
        ("judges", "0017_counterfactual"),
    ]

    operations = [
        migrations.RemoveField(model_name="computation", name="version"),
    ]
