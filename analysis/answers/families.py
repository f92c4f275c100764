"""Judges that differ in one setting only, so that their difference is that setting's."""

from collections import defaultdict

SETTINGS = (
    "endpoint",
    "prompt",
    "aspects",
    "temperature",
    "rationale",
    "max_tokens",
    "shots",
    "example_role",
    "strict",
    "pool_share",
    "context",
    "history_length",
    "transcript_length",
    "profile_episodes",
    "samples",
    "language",
    "seed",
)
MODEL = "endpoint__model"


def families(settings, varying, besides=()):
    """[{value of the varying setting: judge}] of judges alike in all else, two values or more.

    besides: settings that may differ too. Of judges alike in everything the first is taken.
    """
    same = [name for name in SETTINGS if name != varying and name not in besides]
    found: dict = defaultdict(dict)
    for judge in settings:
        found[tuple(judge[name] for name in same)].setdefault(judge[varying], judge["key"])
    return [family for family in found.values() if len(family) > 1]
