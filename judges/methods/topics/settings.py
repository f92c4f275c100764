"""Declare the settings of judges that propose topics."""

from judges.methods.shared_settings import MaxTokens, Seed, Sides, Temperature
from judges.models import Judge
from judges.values.settings import Settings, declare, instead


class TopicsSettings(Settings):
    """How reviews are drawn into samples, and how many topics each call is asked for."""

    sides: Sides = instead(Judge.Sides.REFERENCE)
    reviews: int = declare(
        20, "reviews of a sample", "How many are shown in one call.", low=1, high=100
    )
    review_samples: int = declare(
        5,
        "samples of reviews",
        "A call each. No review is in two of them while there are enough.",
        low=1,
        high=50,
    )
    most_topics: int = declare(
        10,
        "topics asked for",
        "Of each sample, at most; and of all together for a list of topics.",
        low=1,
        high=50,
    )
    seed: Seed
    temperature: Temperature
    max_tokens: MaxTokens
