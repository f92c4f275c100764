"""Declare the settings that several methods and scorers have, each once with its usual default."""

from typing import Annotated

from judges.models import Judge
from judges.values.settings import Matters, Settings, declare

SAMPLES = (
    "Several samples at temperature 0 would all be the same. Raise the temperature, or ask once."
)
Seed = Annotated[int, declare(1, help_text="The same seed draws the same.", low=0, high=2**31 - 1)]
Temperature = Annotated[
    float | None,
    declare(
        0.0,
        help_text="0 asks for the likeliest answer; 2 is the most. Empty: none is sent, so the "
        "endpoint’s default holds.",
        low=0,
        high=2,
    ),
]
MaxTokens = Annotated[int, declare(400, "most tokens of a reply", low=1, high=100_000)]
Samples = Annotated[
    int,
    declare(
        1,
        help_text="How often each question is asked; the analysis takes the mean. "
        "Several need a temperature above 0.",
        low=1,
        high=100,
    ),
    Matters(unless=1),
]
Context = Annotated[
    Judge.Context,
    declare(
        Judge.Context.NONE,
        "about the recipient",
        "What the prompt says of whom the content was recommended to.",
        opens=True,
    ),
    Matters(unless=Judge.Context.NONE, place="context"),
]
HistoryLength = Annotated[
    int,
    declare(10, help_text="The newest so many entries, if the history is shown.", low=1, high=500),
    Matters(where="context", having=Judge.Context.HISTORY),
]
TranscriptLength = Annotated[
    int,
    declare(
        0,
        "characters of a transcript",
        "Of each episode of the history that has one, from its beginning; 0: none.",
        low=0,
        high=50_000,
        may_be_empty=True,
    ),
]
Sides = Annotated[
    Judge.Sides,
    declare(
        Judge.Sides.BOTH,
        "texts",
        "Of each item. The reference is its review, or where it has none its reference.",
        opens=True,
    ),
]


class SampledSettings(Settings):
    """Settings with a number of samples and a temperature."""

    @property
    def repeats(self):
        return self.samples

    def conflicts(self):
        alike = self.samples > 1 and self.temperature == 0
        return super().conflicts() | ({"samples": SAMPLES} if alike else {})
