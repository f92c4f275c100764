"""Declare the settings of judges that extract statements."""

from typing import Annotated

from pydantic import BeforeValidator

from annotate.values.wrong import quoted
from judges.methods.extract import topics as topic_lists
from judges.methods.shared_settings import MaxTokens, Sides, Temperature
from judges.values.settings import Settings, SettingsError, declare


def check_topics(topics):
    """Return a list of topics; ValueError says what is wrong with it."""
    if problem := topic_lists.problem_of(topics):
        raise ValueError(problem)
    return topics


class ExtractionSettings(Settings):
    """Which texts are read, in which parts, and the topics of their statements."""

    topics: Annotated[list, BeforeValidator(check_topics)] = declare(
        list,
        "your own topics",
        "One a line: its short name, a colon, what belongs to it. Read only where the "
        "list above is your own.",
    )
    sides: Sides
    part_length: int = declare(
        4000,
        "longest part",
        "Characters of a text in one call; a longer one is cut between sentences.",
        low=500,
        high=50_000,
    )
    most_statements: int = declare(
        100,
        "most statements of a part",
        "A JSON schema allows no more, which ends the lists of small models; what is "
        "said beyond is dropped.",
        low=1,
        high=500,
    )
    temperature: Temperature
    max_tokens: MaxTokens = 4000

    @classmethod
    def from_entry(cls, entry):
        """Take a ready-made list of topics by its name, or names with what belongs to each."""
        given, ready = entry.get("topics"), topic_lists.ready()
        if isinstance(given, dict):
            return entry | {"topics": [[name, words or ""] for name, words in given.items()]}
        if isinstance(given, str) and given in ready:
            return entry | {"topics": ready[given]}
        raise SettingsError(
            {
                "topics": f"found {quoted(given or '')}; allowed is one of {', '.join(ready)}, or "
                "names with what belongs to each, such as {fit: size and length}"
            }
        )

    @property
    def words(self):
        """Return the words of all but the topics, which stand beside what is asked."""
        return {name: value for name, value in super().words.items() if name != "topics"}

    @property
    def entry(self):
        name = topic_lists.name_of(self.topics)
        return self.stored | {"topics": dict(self.topics) if name == topic_lists.OWN else name}
