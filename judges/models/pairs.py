"""Declare the settings of judges whose scores a model of pairs of texts gives."""

from django.core.validators import RegexValidator
from django.db import models

FOLDER_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}"


class Direction(models.TextChoices):
    REFERENCE_FIRST = "reference_first", "The reference first, then the text"
    TEXT_FIRST = "text_first", "The text first, then the reference"


class Parts(models.TextChoices):
    WHOLE = "whole", "Both as they are"
    CHUNKS = "chunks", "Sentences of the second, each by its best chunk of the first"


class PairSettings(models.Model):
    """The model, which of its outputs is the score, and what it reads."""

    model = models.CharField(
        max_length=100,
        blank=True,
        default="",
        db_default="",
        validators=[RegexValidator(rf"\A{FOLDER_NAME}\Z", "This is no name of a folder.")],
        help_text="The name of a folder that an operator put among PAIR_MODELS.",
    )
    output = models.CharField(
        max_length=100,
        blank=True,
        default="",
        db_default="",
        help_text="The label whose probability is the score; empty: the only output, or the one "
        "label that says aligned, entailed, consistent or supported.",
    )
    direction = models.CharField(
        "order of the pair",
        max_length=20,
        choices=Direction,
        default=Direction.REFERENCE_FIRST,
        db_default=Direction.REFERENCE_FIRST,
        help_text="As the model was trained: models of entailment read first what is to entail.",
    )
    parts = models.CharField(
        "compared",
        max_length=20,
        choices=Parts,
        default=Parts.WHOLE,
        db_default=Parts.WHOLE,
        help_text="In chunks of about 350 words, as AlignScore: the mean over sentences of the "
        "best chunk. Otherwise long texts are cut to what the model reads.",
    )

    class Meta:
        abstract = True
