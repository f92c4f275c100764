"""Make the one column for a judge's settings, which are checked before they are stored."""

from django.db import migrations, models

# Of columns that go: what they kept out is refused by the declared settings now.
CONSTRAINTS = [
    "several_samples_need_a_temperature",
    "only_scores_are_weighted",
    "both_orders_are_asked_once",
    "only_recommenders_give_lists",
    "judge_numbers_are_finite",
]


class Migration(migrations.Migration):
    dependencies = [("judges", "0005_stopping_pair")]

    operations = [
        *(migrations.RemoveConstraint(model_name="judge", name=name) for name in CONSTRAINTS),
        migrations.AddField(
            model_name="judge",
            name="settings",
            field=models.JSONField(default=dict, editable=False),
        ),
    ]
