"""Declare the settings of judges that compute their scores."""

import re
from typing import Annotated

from django.db import models
from pydantic import AfterValidator

from annotate.values.wrong import quoted
from judges.methods.shared_settings import Seed
from judges.models import Grain, Judge, Measure
from judges.scorers.pair_files import FOLDER_NAME
from judges.values.settings import Settings, declare


class Direction(models.TextChoices):
    REFERENCE_FIRST = "reference_first", "The reference first, then the text"
    TEXT_FIRST = "text_first", "The text first, then the reference"


class Parts(models.TextChoices):
    WHOLE = "whole", "Both as they are"
    CHUNKS = "chunks", "Sentences of the second, each by its best chunk of the first"


Against = Annotated[
    Judge.Against, declare(Judge.Against.REFERENCE, "compared with", may_be_empty=True)
]


class SeedSettings(Settings):
    """A score that is drawn."""

    seed: Seed


class AgainstSettings(Settings):
    """A comparison of the item's text with another of its texts."""

    against: Against


class WordsSettings(Settings):
    """A comparison of texts word by word."""

    language: Judge.Language = declare(
        Judge.Language.ENGLISH, help_text="Of the texts: it decides what counts as a word."
    )
    against: Against


class SimilaritySettings(Settings):
    """A cosine with a profile, and from where on it is high."""

    threshold: float = declare(
        0.5,
        help_text="A recommendation is aligned if its cosine with the profile is above it.",
        low=-1,
        high=1,
    )


class NliSettings(Settings):
    """A measure made of probabilities of entailment."""

    measure: Measure = declare(
        Measure.ENT_F1,
        "what is computed",
        "Of an explanation; a statement has the probability that its reference entails "
        "it. All measures of statements come from the same scores, and stand in the report.",
    )

    @property
    def grain(self):
        """Return what the measure compares."""
        grains = {Measure.SUMMAC_ZS: Grain.SENTENCE, Measure.ALIGN_SCORE: Grain.CHUNK}
        return grains.get(self.measure, Grain.STATEMENT)


def check_model(name):
    """Return the name of a model's folder; ValueError where it is no such name."""
    if re.fullmatch(FOLDER_NAME, name):
        return name
    raise ValueError(f"found {quoted(name)}; expected is the name of a folder")


class PairSettings(Settings):
    """The model of pairs of texts, which of its outputs is the score, and what it reads."""

    model: Annotated[str, AfterValidator(check_model)] = declare(
        "",
        help_text="The name of a folder that an operator put among PAIR_MODELS.",
        min_length=1,
        max_length=100,
        validate_default=True,
    )
    output: str = declare(
        "",
        help_text="The label whose probability is the score; empty: the only output, or the one "
        "label that says aligned, entailed, consistent or supported.",
        max_length=100,
        may_be_empty=True,
    )
    direction: Direction = declare(
        Direction.REFERENCE_FIRST,
        "order of the pair",
        "As the model was trained: models of entailment read first what is to entail.",
    )
    parts: Parts = declare(
        Parts.WHOLE,
        "compared",
        "In chunks of about 350 words, as AlignScore: the mean over sentences of the "
        "best chunk. Otherwise long texts are cut to what the model reads.",
    )
    against: Against


class ModelSettings(Settings):
    """How a matrix factorisation is trained."""

    form: Judge.Form = declare(Judge.Form.IMPLICIT, "form of the model")
    factors: int = declare(40, low=1, high=200)
    iterations: int = declare(20, low=1, high=200)
    regularisation: float = declare(0.01, low=1e-6, high=1e6)
    confidence: float = declare(
        1.0,
        help_text="Weight of a seen content, in the implicit form; an unseen one weighs 1.",
        low=1,
        high=1e6,
    )
    seed: Seed


class EffectSettings(Settings):
    """What is measured once the model has forgotten some contents."""

    effect: Judge.Effect = declare(Judge.Effect.SCORE, "what is measured")
    top: int = declare(
        1,
        "recommendations shown",
        "With K, whether the content falls out of the K best.",
        low=1,
        high=100,
    )


class CounterfactualSettings(ModelSettings, EffectSettings):
    """What is measured, then how the model is trained: pydantic lists the last base first."""
