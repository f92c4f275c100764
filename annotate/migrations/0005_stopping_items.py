"""Keep in each stopping plan the items of its clusters, so that later changes of items show."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0004_stopping_role"),
    ]

    operations = [
        migrations.AddField(
            model_name="stoppingplan",
            name="items",
            field=models.JSONField(
                db_default=models.Value([], models.JSONField()),
                default=list,
                help_text="Primary keys of each cluster's items, in that order. Empty in older plans, which take those that their clusters have now.",
            ),
        ),
    ]
