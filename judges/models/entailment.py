"""Store what an NLI model says of all pairs of parts of an item's two sides."""

import numpy as np
from django.db import models
from django.db.models import Q

MOST_PAIRS = 1_000_000  # of an item in one direction: 48 MB of probabilities in both
SHAPE = "<f8"  # three numbers a pair: entailment, neutral, contradiction


class Grain(models.TextChoices):
    STATEMENT = "statement", "Statements"
    SENTENCE = "sentence", "Sentences"
    CHUNK = "chunk", "Sentences in chunks of the reference"


class Measure(models.TextChoices):
    ENT_F1 = "ent_f1", "StEnt-F1"
    ENT_P = "ent_p", "StEnt-P"
    ENT_R = "ent_r", "StEnt-R"
    ENT_BIN_F1 = "ent_bin_f1", "StEnt-bin-F1"
    ENT_BIN_P = "ent_bin_p", "StEnt-bin-P"
    ENT_BIN_R = "ent_bin_r", "StEnt-bin-R"
    COH_P = "coh_p", "StCoh-P"
    COH_R = "coh_r", "StCoh-R"
    SUMMAC_ZS = "summac_zs", "SummaC-ZS: sentences, entailment less contradiction"
    ALIGN_SCORE = "align_score", "As AlignScore: sentences in chunks, entailment"


class EntailmentQuerySet(models.QuerySet):
    """Queries over entailments."""

    def counting(self):
        """Keep entailments that count, not those of checks; loaded ones have no run."""
        asked = Q(run__checked=None, run__judge__deleted_at=None)
        return self.filter(Q(run=None) | asked)


class Entailment(models.Model):
    """The probabilities of an item, by a run or loaded from a file.

    forward: premises are the reference's parts, hypotheses the generated ones, hypothesis by
    hypothesis; backward the reverse, of statements only: what entails is not what is entailed.
    """

    run = models.ForeignKey(
        "judges.Run",
        models.CASCADE,
        null=True,
        blank=True,
        related_name="entailments",
        help_text="Empty: loaded from entailments.csv.",
    )
    item = models.ForeignKey("annotate.Item", models.CASCADE, related_name="+")
    grain = models.CharField(max_length=20, choices=Grain, default=Grain.STATEMENT)
    n_generated = models.PositiveIntegerField()
    n_reference = models.PositiveIntegerField()
    generated = models.JSONField(default=list, help_text="The texts, as the model saw them.")
    reference = models.JSONField(default=list)
    forward = models.BinaryField(default=bytes)
    backward = models.BinaryField(default=bytes)

    objects = EntailmentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "item", "grain"], name="entailment_once_a_run"),
            models.UniqueConstraint(
                fields=["item", "grain"], condition=Q(run=None), name="entailment_loaded_once"
            ),
        ]

    def __str__(self):
        return f"entailment of item {self.item_id}"


def as_bytes(probabilities):
    """Pack an array (pairs, 3) as it is kept."""
    return np.ascontiguousarray(probabilities, dtype=SHAPE).tobytes()


def as_array(kept):
    """Unpack what `as_bytes` packed: (pairs, 3)."""
    return np.frombuffer(bytes(kept), dtype=SHAPE).reshape(-1, 3)
