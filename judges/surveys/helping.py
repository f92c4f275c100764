"""Workers help a command that makes a study: each takes questions that nobody is at.

What a helper has to know stands beside the questions; the message names their folder alone. It
stops when the command ends, or is killed.
"""

import json
import logging
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from django.conf import settings

from judges.surveys import sharing
from judges.surveys.making import make, name_of, read_films
from judges.surveys.plan import NoQuestion, Plan

log = logging.getLogger(__name__)
MADE_OF, WANTED = "made-of", "wanted"


def folder():
    """Where commands keep questions; workers of this machine have the same."""
    return Path(settings.VAR_DIR) / "surveys"


@contextmanager
def helped(films, plan, source, tell):
    """While this lasts workers may make questions of the plan; tell(name) sends them its name."""
    name = name_of(films, plan)
    kept = folder() / name
    kept.mkdir(parents=True, exist_ok=True)
    with sharing.whole(kept / MADE_OF) as file:
        json.dump({"source": str(Path(source).resolve()), "plan": asdict(plan)}, file)
    with sharing.wanted(kept / WANTED):
        tell(name)
        yield


def help_make(name):
    """Makes questions that nobody is at, as long as the command waits for them."""
    kept = folder() / Path(name).name
    if not (kept / MADE_OF).exists() or not sharing.is_wanted(kept / WANTED):
        return
    known = json.loads((kept / MADE_OF).read_text(encoding="utf-8"))
    plan = Plan(**known["plan"])
    try:
        films = read_films(known["source"])
        if name_of(films, plan) == name:  # else the files were changed
            make(films, plan, folder(), goes_on=lambda: sharing.is_wanted(kept / WANTED))
    except (NoQuestion, OSError):
        log.warning("survey questions %s: a helper stopped; the command says more", name)
