"""Sentences without a reference say nothing: earlier versions kept a matrix of no pairs of them, of
which AlignScore was 0. Now such an item has no score, with its reason, as it has been since.
"""

from django.db import migrations
from django.db.models import Exists, OuterRef

WHY = "the item has no reference text"


def settle(apps, schema_editor):
    """A few rows: explanations without any reference."""
    Entailment = apps.get_model("judges", "Entailment")
    Judgment = apps.get_model("judges", "Judgment")
    empty = Entailment.objects.filter(grain__in=["sentence", "chunk"], n_reference=0)
    mine = empty.filter(run=OuterRef("run"), item=OuterRef("item"))
    scored = Judgment.objects.filter(run__in=empty.values("run"), question__isnull=False)
    scored = scored.filter(Exists(mine), state__in=["done", "failed"])
    scored.update(
        state="failed", value=None, reason=WHY,
        weighted_value=None, weighted_mass=None, weighted_reason="",
    )  # fmt: skip
    empty.delete()


class Migration(migrations.Migration):
    dependencies = [("judges", "0025_pair_models")]

    operations = [migrations.RunPython(settle, migrations.RunPython.noop, elidable=True)]
