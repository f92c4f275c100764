"""Keep questions as they are made, each in a file of its own."""

import json
import os
import secrets
from contextlib import contextmanager
from dataclasses import asdict

from judges.counterfactual.surveys.choosing import Question, Repeat


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
        own = asdict(question)
        del own["repeats"]  # kept in files of their own
        file.write(json.dumps(own))


def kept_questions(folder, places):
    """Read {place: Question} of the places whose question stands in the folder."""
    names = set(os.listdir(folder))
    return {place: _read(folder / _name(place)) for place in places if _name(place) in names}


def keep_repeat(folder, place, repeat):
    """Write what another seed's model says of a place's question."""
    with whole(folder / _name((*place, "seed", repeat.seed))) as file:
        file.write(json.dumps(asdict(repeat)))


def kept_repeats(folder, places, seeds):
    """Read {(place, seed): Repeat} of the places and seeds whose file stands in the folder."""
    names = set(os.listdir(folder))
    wanted = {(place, seed): _name((*place, "seed", seed)) for place in places for seed in seeds}
    return {key: _read(folder / name, Repeat) for key, name in wanted.items() if name in names}


def _name(parts):
    return f"{'-'.join(map(str, parts))}.json"


def _read(path, kind=Question):
    return kind(**json.loads(path.read_text(encoding="utf-8")))
