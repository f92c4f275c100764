"""Group judges that differ in one setting only, to attribute a difference to that setting."""

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
    """Return [{value of the varying setting: judge}] for judges alike in all other settings.

    A family has two values or more. besides: settings that may differ too. Of judges alike in
    everything the first is taken.
    """
    same = [name for name in SETTINGS if name != varying and name not in besides]
    judges_by_settings: dict = defaultdict(dict)
    for judge in settings:
        judges_by_settings[tuple(judge[name] for name in same)].setdefault(
            judge[varying], judge["key"]
        )
    return [family for family in judges_by_settings.values() if len(family) > 1]
