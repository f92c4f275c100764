"""Keep questions as they are made, each in a file of its own."""

import json
import os
import secrets
from contextlib import contextmanager
from dataclasses import asdict

from judges.counterfactual.surveys.choosing import Question


@contextmanager
def whole(path):
    """Open a file that stands at the path as a whole or not at all."""
    part = path.with_name(f"{path.name}.{secrets.token_hex(6)}.part")
    with part.open("w", encoding="utf-8", newline="") as file:
        yield file
    os.replace(part, path)


def keep_question(folder, place, question):
    """Write the question of a place, (survey, number)."""
    with whole(folder / _name(place)) as file:
        file.write(json.dumps(asdict(question)))


def kept_questions(folder, places):
    """Read {place: Question} of the places whose question stands in the folder."""
    names = set(os.listdir(folder))
    return {place: _read(folder / _name(place)) for place in places if _name(place) in names}


def _name(place):
    return f"{'-'.join(map(str, place))}.json"


def _read(path):
    return Question(**json.loads(path.read_text(encoding="utf-8")))
