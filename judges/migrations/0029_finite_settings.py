"""Settings of judges that are numbers are finite and within their ends, in the database too.

A NaN passed the checks of ends, as it is neither below nor above anything; such a judge cannot have
scored anything with it, and gets the usual value. Runs keep what they were made by.
"""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import migrations, models

import judges.models.finite

ENDS = {
    "threshold": (-1, 1, 0.5),
    "temperature": (0, 2, 0.0),
    "pool_share": (0.01, 0.9, 0.2),
    "regularisation": (1e-6, 1e6, 0.01),
    "confidence": (1, 1e6, 1.0),
}


def settle(apps, schema_editor):
    """A setting at a time, of the few judges where it is outside."""
    Judge = apps.get_model("judges", "Judge")
    for name, (low, high, usual) in ENDS.items():
        Judge.objects.exclude(**{f"{name}__gte": low, f"{name}__lte": high}).update(**{name: usual})


def within():
    found = models.Q()
    for name, (low, high, _) in ENDS.items():
        found &= models.Q(**{f"{name}__gte": low, f"{name}__lte": high})
    return found


def checked(low, high):
    return [judges.models.finite.finite, MinValueValidator(low), MaxValueValidator(high)]


class Migration(migrations.Migration):
    dependencies = [("judges", "0028_json_list")]

    operations = [
        migrations.RunPython(settle, migrations.RunPython.noop, elidable=True),
        migrations.AlterField(
            "judge", "threshold",
            models.FloatField(
                default=0.5, validators=checked(-1, 1),
                help_text="A recommendation is aligned if its cosine with the profile is above it.",
            ),
        ),
        migrations.AlterField(
            "judge", "temperature",
            models.FloatField(default=0.0, validators=[judges.models.finite.finite]),
        ),
        migrations.AlterField(
            "judge", "pool_share",
            models.FloatField(
                "share held out", default=0.2, validators=checked(0.01, 0.9),
                help_text="Of the rated items, if examples are held out.",
            ),
        ),
        migrations.AlterField(
            "judge", "regularisation",
            models.FloatField(default=0.01, db_default=0.01, validators=checked(1e-6, 1e6)),
        ),
        migrations.AlterField(
            "judge", "confidence",
            models.FloatField(
                default=1.0, db_default=1.0, validators=checked(1, 1e6),
                help_text="Weight of a seen content, in the implicit form; an unseen one weighs 1.",
            ),
        ),
        migrations.AddConstraint(
            "judge",
            models.CheckConstraint(
                condition=within(), name="judge_numbers_are_finite",
                violation_error_message=judges.models.finite.NOT_FINITE,
            ),
        ),
    ]  # fmt: skip
