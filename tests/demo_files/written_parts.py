"""Read the hand-written parts of the demo studies as plain Python values."""

from functools import cache
from pathlib import Path
from random import Random

import yaml

SEED = 20250314
LIKED = 4  # a rating from which a film counts as liked

WRITTEN = Path(__file__).parent / "written"


def chance(name):
    """Return a generator for one purpose: draws for another purpose cannot move it."""
    return Random(f"{SEED}:{name}")


@cache
def read_part(name):
    """Return the content of one file in `written/`."""
    return yaml.safe_load((WRITTEN / f"{name}.yaml").read_text(encoding="utf-8"))


def films():
    """Return {film id: title, year, genres, director, trait, description}."""
    return read_part("films")


def watched(recipient):
    """Return {film id: rating} in the order in which the recipient watched."""
    return read_part("cast")[recipient]["watched"]


def liked(recipient):
    """Return the ids of the films that the recipient rated well."""
    return [film for film, rating in watched(recipient).items() if rating >= LIKED]


def pairs(*names):
    """Return (recipient, film, the two hand-written texts) of the named files, in order."""
    return [
        (recipient, film, texts)
        for name in names
        for recipient, recommended in read_part(name).items()
        for film, texts in recommended.items()
    ]
