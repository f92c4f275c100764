from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("judges", "0017_counterfactual"),
    ]

    operations = [
        migrations.AddField(
            model_name="upload",
            name="making",
            field=models.JSONField(
                blank=True,
                db_default={},
                default=dict,
                help_text="The plan of a study of counterfactual explanations that its ratings become.",
            ),
        ),
    ]
