"""Declare the settings of judges that write profiles of recipients."""

from typing import Annotated

from pydantic import BeforeValidator

from annotate.values.numbers import is_whole
from judges.methods.shared_settings import MaxTokens, Temperature, TranscriptLength
from judges.models import Judge
from judges.values.settings import Settings, declare

MOST_NUMBERS, MOST_EPISODES = 30, 500
WRONG_NUMBERS = (
    f"Allowed are up to {MOST_NUMBERS} different whole numbers from 1 to {MOST_EPISODES}; none "
    "for a profile of all."
)


def check_episodes(numbers):
    """Return the numbers of episodes that profiles are made of; ValueError if they may not be."""
    right = (
        isinstance(numbers, list)
        and len(numbers) <= MOST_NUMBERS
        and all(is_whole(number) and 1 <= number <= MOST_EPISODES for number in numbers)
        and len(set(numbers)) == len(numbers)
    )
    if right:
        return numbers
    raise ValueError(WRONG_NUMBERS)


class ProfileSettings(Settings):
    """Which episodes each profile is written from."""

    days: int = declare(
        90,
        help_text="Back from the newest interaction of each recipient; 0: everything.",
        low=0,
        high=3650,
        opens=True,
    )
    episodes: Annotated[list, BeforeValidator(check_episodes)] = declare(
        list,
        help_text="Empty: one profile of all. “10”: one profile of ten. “5, 10, 15, 20” or “5-20”: "
        "one of each number. Who has fewer gets none, and the run says so.",
        opens=True,
    )
    pick: Judge.Pick = declare(
        Judge.Pick.LISTENED,
        "which episodes",
        "Of those in that time, where fewer are wanted than there are.",
    )
    transcript_length: TranscriptLength
    temperature: Temperature
    max_tokens: MaxTokens = 2000
