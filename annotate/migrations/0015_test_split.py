from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0014_raters_by_participant"),
    ]

    operations = [
        migrations.AddField(
            model_name="study",
            name="split",
            field=models.JSONField(
                blank=True,
                db_default={},
                default=dict,
                editable=False,
                help_text="The locked test split, seed, share and log: see annotate/design/splits.py.",
            ),
        ),
    ]
