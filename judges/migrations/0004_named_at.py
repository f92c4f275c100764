"""Keep when a judge was named for the verdict, one judge a study."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("judges", "0003_chrf")]

    operations = [
        migrations.AddField(
            model_name="judge",
            name="named_at",
            field=models.DateTimeField(
                blank=True,
                editable=False,
                help_text="When it was named for the verdict, before any judgment of it.",
                null=True,
                verbose_name="named beforehand",
            ),
        ),
        migrations.AddConstraint(
            model_name="judge",
            constraint=models.UniqueConstraint(
                condition=models.Q(("named_at__isnull", False)),
                fields=("study",),
                name="one_judge_named_a_study",
                violation_error_message="This study has already named a judge beforehand.",
            ),
        ),
    ]
