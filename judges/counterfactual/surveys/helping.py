"""Workers help a command that makes a study: each takes questions that nobody is at.

What a helper has to know stands beside the questions; the message names their folder alone. It
stops when the command ends, or is killed. The message is sent again and again, so that a worker
which starts later helps too; one that is at it takes no notice.
"""

import json
import logging
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from django.conf import settings

from judges.counterfactual.surveys import once, sharing
from judges.counterfactual.surveys.making import make, name_of, read_films
from judges.counterfactual.surveys.plan import NoQuestion, Plan

log = logging.getLogger(__name__)
MADE_OF, WANTED = "made-of", "wanted"
TELL_SECONDS = 60


def folder():
    """Where commands keep questions; workers of this machine have the same."""
    return Path(settings.VAR_DIR) / "surveys"


@contextmanager
def helped(films, plan, source, tell, say=None):
    """While this lasts workers may make questions of the plan; tell(name) sends them its name.

    Yields what `make` is to be given as its `say`, which tells them again each minute.
    """
    name = name_of(films, plan)
    kept = folder() / name
    kept.mkdir(parents=True, exist_ok=True)
    with sharing.whole(kept / MADE_OF) as file:
        json.dump({"source": str(Path(source).resolve()), "plan": asdict(plan)}, file)
    with sharing.wanted(kept / WANTED):
        tell_again = once.in_a_while(TELL_SECONDS, lambda: tell(name))
        tell_again()

        def tell_and_say(done, whole):
            tell_again()
            if say:
                say(done, whole)

        yield tell_and_say


def help_make(name):
    """Makes questions that nobody is at, as long as the command waits for them."""
    kept = folder() / Path(name).name
    with once.here(kept.name) as is_first:
        if is_first and (kept / MADE_OF).exists() and sharing.is_wanted(kept / WANTED):
            _help(name, kept)


def _help(name, kept):
    known = json.loads((kept / MADE_OF).read_text(encoding="utf-8"))
    plan = Plan(**known["plan"])
    try:
        films = read_films(known["source"])
        if name_of(films, plan) == name:  # else the files were changed
            make(films, plan, folder(), goes_on=lambda: sharing.is_wanted(kept / WANTED))
    except (NoQuestion, OSError):
        log.warning("survey questions %s: a helper stopped; the command says more", name)
