from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("judges", "0027_topic_samples")]

    operations = [
        migrations.AddField(
            model_name="judge",
            name="json_list",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Ask for each list as JSON, by a schema of k titles, and read it "
                "exactly. The endpoint has to keep schemas.",
                verbose_name="lists as JSON",
            ),
        ),
        migrations.AddConstraint(
            model_name="judge",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("json_list", False), ("method", "recommender"), _connector="OR"
                ),
                name="only_recommenders_give_lists",
                violation_error_message="Only a recommender gives lists.",
            ),
        ),
    ]
