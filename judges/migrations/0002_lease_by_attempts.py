from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("judges", "0001_tables_2026_11_28")]

    operations = [
        migrations.RemoveIndex(model_name="judgment", name="judgment_pending"),
        migrations.AddIndex(
            model_name="judgment",
            index=models.Index(
                condition=models.Q(("lead", True), ("state", "pending")),
                fields=["run", "attempts", "unit"],
                name="judgment_pending",
            ),
        ),
    ]
