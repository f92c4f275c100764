"""Declare the settings of recommenders under test, which are asked at no temperature of ours."""

from typing import Annotated

from judges.methods.shared_settings import MaxTokens
from judges.values.settings import Matters, Settings, declare


class RecommenderSettings(Settings):
    """How a recommender is asked for lists."""

    content_word: str = declare(
        "movie",
        "word for a content",
        "As a prompt that asks for recommendations calls one: movie, episode, book, …",
        min_length=1,
        max_length=40,
        opens=True,
    )
    json_list: Annotated[bool, Matters(unless=False)] = declare(
        False,
        "lists as JSON",
        "Ask for each list as JSON, by a schema of k titles, and read it exactly. The "
        "endpoint has to keep schemas.",
        opens=True,
    )
    max_tokens: MaxTokens
