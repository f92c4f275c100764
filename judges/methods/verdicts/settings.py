"""Declare the settings of judges that give one verdict."""

from typing import Annotated

from pydantic import BeforeValidator

from judges.methods.shared_settings import (
    Context,
    HistoryLength,
    MaxTokens,
    SampledSettings,
    Samples,
    Seed,
    Temperature,
    TranscriptLength,
)
from judges.models import Judge
from judges.prompting import fill
from judges.values.settings import Matters, declare, instead

NO_PROFILES = (
    "Only a judge that is shown profiles can choose which. Choose the profile as what the prompt "
    "says of the recipient, or 0."
)
NO_HISTORY = (
    "Only a judge that is shown the history is shown transcripts. Choose the history, or 0."
)
BOTH_ONCE = "Both orders are asked once each. Ask one sample, or draw the order."
MOST_DIMENSIONS, LONGEST_DIMENSION = 10, 60
# What a list of podcasts is liked for, by the paper on profile-aware judges.
DIMENSIONS = ("topic", "tone", "format", "host style")


class SupportSettings(SampledSettings):
    """A verdict without a reason, on a statement."""

    temperature: Temperature
    max_tokens: MaxTokens = 20
    samples: Samples


class ReasonedSettings(SampledSettings):
    """A verdict with a reason before it, on what was recommended to somebody."""

    temperature: Temperature
    max_tokens: MaxTokens
    samples: Samples
    context: Context = instead(Judge.Context.PROFILE)
    history_length: HistoryLength
    transcript_length: Annotated[
        TranscriptLength, Matters(unless=0, where="context", having=Judge.Context.HISTORY)
    ]
    profile_episodes: Annotated[
        int, Matters(unless=0, where="context", having=Judge.Context.PROFILE)
    ] = declare(
        0,
        "profile made of so many episodes",
        "Where profiles were written of several numbers; 0: the newest profile.",
        low=0,
        high=500,
        may_be_empty=True,
    )

    def conflicts(self):
        problems = super().conflicts()
        if self.profile_episodes and self.context != Judge.Context.PROFILE:
            problems["profile_episodes"] = NO_PROFILES
        if self.transcript_length and self.context != Judge.Context.HISTORY:
            problems["transcript_length"] = NO_HISTORY
        return problems


class FitSettings(ReasonedSettings):
    """Whether one recommendation fits."""

    neutral: bool = declare(False, "three classes", "Offer “neutral” beside “fit” and “no fit”.")


def check_dimensions(names):
    """Return the names of the dimensions; ValueError says what is wrong with them."""
    right = (
        isinstance(names, list)
        and 1 <= len(names) <= MOST_DIMENSIONS
        and all(isinstance(name, str) and name.strip() == name for name in names)
        and all(0 < len(name) <= LONGEST_DIMENSION and name.isprintable() for name in names)
        and len({fill.one_line(name).lower() for name in names}) == len(names)
    )
    if right:
        return names
    raise ValueError(
        f"Allowed are 1 to {MOST_DIMENSIONS} different names of at most {LONGEST_DIMENSION} "
        "characters each."
    )


class PairwiseSettings(ReasonedSettings):
    """Which of two lists fits better."""

    max_tokens: MaxTokens = 800
    dimensions: Annotated[list, BeforeValidator(check_dimensions)] = declare(
        lambda: list(DIMENSIONS),
        help_text="What the reasons are about, one after the other, before the verdict. Commas "
        "between them.",
    )
    order: Judge.Order = declare(
        Judge.Order.SHUFFLED,
        "order of the lists",
        "Both orders: two calls a pair. Where they disagree the verdict counts as a tie.",
    )
    seed: Seed

    def conflicts(self):
        twice = self.order == Judge.Order.BOTH and self.samples > 1
        return super().conflicts() | ({"order": BOTH_ONCE} if twice else {})
