"""Declare the settings of recommenders under test, which are asked at no temperature of ours."""

from judges.methods.shared_settings import MaxTokens
from judges.values.settings import Settings, declare


class RecommenderSettings(Settings):
    """How a recommender is asked for lists."""

    content_word: str = declare(
        "movie",
        "word for a content",
        "As a prompt that asks for recommendations calls one: movie, episode, book, …",
        min_length=1,
        max_length=40,
    )
    json_list: bool = declare(
        False,
        "lists as JSON",
        "Ask for each list as JSON, by a schema of k titles, and read it exactly. The "
        "endpoint has to keep schemas.",
    )
    max_tokens: MaxTokens
