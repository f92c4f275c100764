"""Read a study's screener: questions right after the consent, whose answers some are sought for.

It stands in Study.extra as in study.yaml; annotate/files/reading/stepspec.py reads it, and
annotate/flow/quotas.py counts who is in a quota.
"""

from dataclasses import dataclass

from annotate.flow.around import SCREENER, ExitQuestion, exit_question


@dataclass(frozen=True)
class Quota:
    """At most so many sessions whose answer to a question is one of these options."""

    name: str
    question: str
    options: list[str]
    most: int

    def covers(self, chosen):
        """Return whether who chose these options, {key: option}, is counted by it."""
        return chosen.get(self.question) in self.options


@dataclass(frozen=True)
class Screener:
    """The questions, the options of each key that screen out, and the quotas."""

    questions: list[ExitQuestion]
    refused: dict[str, list[str]]
    quotas: list[Quota]

    def screens_out(self, chosen):
        """Return whether an option of {key: option} screens out."""
        return any(option in self.refused.get(key, ()) for key, option in chosen.items())


def screener_of(study):
    """Return the Screener of a study; without questions where it has none."""
    data = study.extra.get(SCREENER) or {}
    entries = data.get("questions") or []
    refused = {entry["key"]: entry.get("screens_out", []) for entry in entries}
    quotas = [Quota(**entry) for entry in data.get("quotas") or ()]
    return Screener([exit_question(entry) for entry in entries], refused, quotas)
