"""Fix in each stopping plan whose ratings count: those of the one role that its raters have."""

from django.db import migrations, models


def fill(apps, schema_editor):
    """Give older plans the role of their study's raters; blank where they have several or none."""
    rows = apps.get_model("annotate", "Rater").objects.order_by()
    for plan in apps.get_model("annotate", "StoppingPlan").objects.all():
        roles = set(rows.filter(study=plan.study_id).values_list("role", flat=True).distinct())
        if len(roles) == 1:
            plan.role = roles.pop()
            plan.save(update_fields=["role"])


class Migration(migrations.Migration):
    dependencies = [("annotate", "0003_scales_folder")]

    operations = [
        migrations.AddField(
            model_name="stoppingplan",
            name="role",
            field=models.CharField(
                blank=True,
                choices=[
                    ("recipient", "Recipient (rates what was recommended to them)"),
                    ("third_party", "Third party"),
                    ("expert", "Expert"),
                ],
                db_default="",
                default="",
                help_text="Whose ratings count at a look. Blank in older plans of studies with raters of several roles: those of all people are counted.",
                max_length=20,
            ),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
